"""Maintenance data from a run: contact-wire wear along the line, and dropper slackenings.

The wear is an index of friction, heat and arcs: 1 at 120 N, 500 A and 55 m/s. Without a current only friction
remains, which follows the force, so the wire wears most where the contact force is largest.
"""

import numpy as np

import panhead as ph
from panhead.desk.evidence.maintenance import Upkeep, dropper_lives, wear_along

#: Place of the largest wear less that of the largest force in the same cells [m]: the same, to a cell.
EXPECTED = (-10.0, 10.0)

SHORT = {"start": "30 m", "stop": "330 m", "judged_from": "180 m", "judged_to": "300 m", "run_in": "5 m"}


def main() -> float:
    result = ph.run("en50318-300", changes={"speed": "250 km/h", "journey": SHORT})
    upkeep = Upkeep(current=0.0, cell=5.0)
    x, wear = wear_along(result, upkeep)
    place, force = (result[name].to_numpy()[0] for name in ("contact_x", "contact_force"))
    pressed = [force[np.abs(place - at) < 2.5].mean() for at in x]
    worst = dropper_lives(result, upkeep.dropper)[0]
    print(f"{worst.name}: {worst.cycles:.0f} cycles, slack {worst.slackenings} times in a passage")
    return float(x[np.argmax(wear)] - x[np.argmax(pressed)])


if __name__ == "__main__":
    print(f"the wire wears most {main():.0f} m from where it is pressed most")
