"""A chain falls on a table: while it falls, the table carries three times the weight of the part that lies on it.

Beads on an inextensible string, hung just above the table and released. Each bead falls freely, v² = 2 g x, and is
stopped by the table at once: F = ρ g x + ρ v² = 3 ρ g x. All its kinetic energy is lost.
"""

from itertools import pairwise

import numpy as np

import panhead as ph
from panhead.engine.bodies import PointMass, ground
from panhead.engine.forces import PlaneContact, RopeContact

BEADS, LENGTH, DENSITY, GRAVITY = 30, 2.0, 0.8, 9.81  # m, kg/m, m/s²
ASIDE = 0.03  # beads hang to the left and to the right of a line, so that they can lie beside one another [m]

#: Force on the table over the weight on it: 3, less what sums over beads leave of integrals, 1/30².
EXPECTED = (2.998, 3.002)


def chain(beads: int = BEADS) -> ph.Model:
    """Each bead may strike the table; each rope may become taut."""
    apart = LENGTH / beads
    mass = DENSITY * apart
    masses = [
        PointMass(name=f"bead {k}", mass=mass, position=(ASIDE * (-1) ** k, (k + 0.5) * apart, 0.0), planar=True)
        for k in range(beads)
    ]
    top = ground.at(axis=(0.0, 1.0, 0.0))
    table = [PlaneContact(name=f"table {k}", plane=top, point=b.at(), shown=0.3) for k, b in enumerate(masses)]
    length = float(np.hypot(2 * ASIDE, apart))
    ropes = [
        RopeContact(name=f"rope {k}", a=a.at(), b=b.at(), length=length) for k, (a, b) in enumerate(pairwise(masses))
    ]
    return ph.Model(name="chain on a table", items=(*masses, *table, *ropes), gravity=(0.0, -GRAVITY, 0.0))


def main() -> float:
    """Force over weight while the second half of the chain comes down: blows and what lies still together."""
    result = chain().simulate(duration=0.65, dt=5e-3)
    times, blows = result["strike_time"].to_numpy(), result["strike_impulse"].to_numpy()
    half = BEADS // 2
    between = (times[half] + times[half - 1]) / 2, (times[-1] + times[-2]) / 2
    inside = (times > between[0]) & (times < between[1])
    lying = DENSITY * GRAVITY**2 * (between[1] ** 3 - between[0] ** 3) / 6  # ∫ ρ g x dt, x = g t²/2
    share = 1.0 + float(blows[inside].sum()) / lying
    lost, had = float(result["lost_impacts"][-1]), DENSITY * GRAVITY * LENGTH**2 / 2
    print(f"{len(blows)} impacts took {lost:.3f} J of {had:.3f} J; force {share:.4f} ρ g x")
    return share


if __name__ == "__main__":
    main()
