"""A rotor in two elastic bearings: its whirls at rest, and how an oil film makes them grow."""

import numpy as np

import panhead as ph
from panhead.engine.methods.modes import linearise
from panhead.engine.multibody.multibody_system import MultibodySystem

MASS, SPAN, STIFFNESS = 20.0, 0.8, 4e6  # kg, m, N/m of each bearing

#: Lowest frequency of the rotor up and down on its bearings, √(2 k / m) / 2π = 100.66 Hz.
EXPECTED = (100.6, 100.7)


def rotor(*, film: float) -> MultibodySystem:
    """A shaft along x; the bearings leave only its turn free. ``film`` is their cross stiffness [N/m]."""
    shaft = ph.bodies.RigidBody(name="shaft", mass=MASS, inertia=(0.1, 1.6, 1.6))
    along = {"axis": (1.0, 0.0, 0.0), "across": (0.0, 1.0, 0.0)}
    bearings = [
        ph.forces.Bearing(
            name=name, a=ph.bodies.ground.at((x, 0, 0), **along), b=shaft.at((x, 0, 0), **along), stiffness=STIFFNESS,
            damping=200.0, axial_stiffness=1e7, axial_damping=200.0, cross_stiffness=film,
        )
        for name, x in (("left", -SPAN / 2), ("right", SPAN / 2))
    ]  # fmt: skip
    return ph.Model(name="rotor", items=(shaft, *bearings)).system()


def main() -> float:
    """Frequencies and damping with and without a film; the lowest frequency without."""
    lowest = np.nan
    for film in (0.0, 2e5):
        system = rotor(film=film)
        q, lam = ph.equilibrium(system, system.start.q)
        found = ph.modes(linearise(system, q, lam))
        real = found.frequency > 1.0  # the free turn of the shaft has none
        worst = found.damping[real].min()
        print(f"film {film:.0e} N/m: {np.round(found.frequency[real], 2)} Hz, least damping {worst:+.4f}")
        lowest = found.frequency[real][0] if film == 0.0 else lowest
    return float(lowest)


if __name__ == "__main__":
    main()
