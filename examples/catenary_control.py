"""The CX pantograph under a line of cables: a damper and a force feedback at the head, beside no control."""

import numpy as np

import panhead as ph
from panhead.files.variants import separate

SECONDS = 0.5
EXPECTED = (0.2, 0.45)  # deviation with force feedback, as a share of that without control


def main() -> float:
    start, speed = 84.375, 200 / 3.6
    run = ph.Run(
        line="ancf-simple",
        train=(
            ph.OnTrain(
                pantograph="cx-six-bodies", changes={"moment": 163.0, "arm_damping": 2000.0}
            ),
        ),
        speed=speed,
        solver="cables",
        droppers="bilateral",
        contact=ph.ContactLaw(kind="joint"),
        journey=ph.Journey(
            start=start, duration=SECONDS, judged_from=start, judged_to=start + speed * SECONDS
        ),
        numerics=ph.Numerics(element_length=6.25),
        variants=(
            ph.Variant(name="no control"),
            ph.Variant(name="damper", changes={"control": {"kind": "derivative"}}),
            ph.Variant(
                name="force feedback",
                changes={"control": {"kind": "force", "parameters": {"gain": 1450.0}}},
            ),
        ),
    )
    deviation = {}
    for name, one in separate(ph.run(run)).items():
        force, u = one["contact_force"].to_numpy(), np.abs(one["actuator_force"].to_numpy()).max()
        print(f"{name:15s} {force.mean():6.1f} ± {force.std():4.1f} N, actuator {u:4.0f} N")
        deviation[name] = float(force.std())
    return deviation["force feedback"] / deviation["no control"]


if __name__ == "__main__":
    main()
