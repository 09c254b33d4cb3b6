"""Run and assess a pantograph under three overhead lines.

The line and the pantograph of EN 50318:2002 at 300 km/h: the line as is, with a tighter contact wire, and with
droppers some millimetres too long or too short, as after years of service. The contact force is assessed in spans 5
and 6 after a 20 Hz filter; the energy balance closes to round-off.
"""

import numpy as np

import panhead as ph
from panhead.railway.line import with_contact_tension, with_dropper_errors

#: Deviation of the contact force under the line as it is [N]; EN 50318:2002 accepts 32 … 40 N.
EXPECTED = (36.2, 37.0)

SPEED = 300 / 3.6  # m/s
PLAIN = ph.read_line("en50318-2002")
LINES = {
    "as it is": PLAIN,
    "contact wire at 25 kN": with_contact_tension(PLAIN, 25e3),
    "droppers off by 10 mm": with_dropper_errors(PLAIN, deviation=10e-3, seed=1),
}


def contact(line: ph.Line) -> dict[str, float]:
    """Run once, tell what happened to the energy, and give the criteria by their short names."""
    run = ph.Run(
        line=line,
        speed=SPEED,
        train=(ph.OnTrain(pantograph="en50318-2002"),),
        journey=ph.Journey(stop=480.0, judged_from=240.0, judged_to=360.0),
    )
    result = ph.run(run)
    pulled, lost = (float(result[name][-1]) for name in ("work_train", "balance"))
    slack = int(np.count_nonzero(result["dropper_slack_time"] > 0.0))
    print(f"  the train pulled {pulled:.0f} J into the wires, {lost:.0e} J are unaccounted for")
    print(f"  {slack} of {result.sizes['dropper']} droppers went slack")
    return {c.key: c.value for c in result.criteria}


def main() -> float:
    """Run under each line; the deviation of the contact force under the line as it is."""
    deviation = {}
    for name, line in LINES.items():
        print(name)
        found = contact(line)
        mean, deviation[name], loss = (found[key] for key in ("mean_force", "deviation", "contact_loss"))
        uplift = 1e3 * found["uplift"]
        print(f"  {mean:.1f} N ± {deviation[name]:.1f} N, {uplift:.0f} mm uplift, {loss:.1%} loss")
    return deviation["as it is"]


if __name__ == "__main__":
    print(f"deviation of the contact force {main():.2f} N")
