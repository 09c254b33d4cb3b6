"""The CX pantograph under a line of cables: a damper and a force feedback at the head, compared with no control.

Half a second of the shipped run `s1-low-uplift`, started in equilibrium under the second span. Variants are the same
run with another control law; all are in one result, each with its own assessment.
"""

from dataclasses import replace

import numpy as np

import panhead as ph
from panhead.files.variants import separate

SECONDS, START, SPEED = 0.5, 84.375, 200 / 3.6
EXPECTED = (0.2, 0.45)  # deviation with force feedback, as a share of that without control
LAWS = ("uncontrolled", "derivative", "force feedback")


def main() -> float:
    """Run with three laws; the deviation with force feedback over that without control."""
    shipped = ph.read_run("s1-low-uplift")
    run = replace(
        shipped,
        journey=ph.Journey(start=START, duration=SECONDS, judged_from=START, judged_to=START + SPEED * SECONDS),
        variants=tuple(v for v in shipped.variants if v.name in LAWS),
    )
    result = ph.run(run)
    deviation = {}
    for name, one in separate(result).items():
        force, u = one["contact_force"].values[0], np.abs(one["actuator_force"].values).max()
        deviation[name] = float(force.std())
        print(f"{name:15s} {force.mean():6.1f} ± {force.std():4.1f} N, actuator {u:4.0f} N")
    return deviation["force feedback"] / deviation["uncontrolled"]


if __name__ == "__main__":
    main()
