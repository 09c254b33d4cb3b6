"""A rod falls on a floor: one end strikes, then the other, until it lies still; every joule is accounted for.

Steps end where a gap closes, the impact acts there, and the rest of the step follows. Two contacts may strike at once.
"""

import numpy as np

import panhead as ph
from panhead.engine.bodies import PlanarBody, ground
from panhead.engine.forces import ImpactLaw, PlaneContact

#: Impulse of the first end [N·s]: (1 + e) v / (1/m + (½ L cos φ)²/J) = 0.89757.
EXPECTED = (0.8975, 0.8977)

HEIGHT, ANGLE, RESTITUTION = 0.2, 0.5, 0.5


def rod() -> ph.Model:
    """1 m and 1 kg, its lower end 0.2 m above the floor."""
    body = PlanarBody(
        name="rod", mass=1.0, inertia=1 / 12, position=(0.0, HEIGHT + 0.5 * float(np.sin(ANGLE))), angle=ANGLE
    )
    law = ImpactLaw(restitution=RESTITUTION)
    floor = ground.at(axis=(0.0, 1.0, 0.0))
    left = PlaneContact(name="left", plane=floor, point=body.at((-0.5, 0.0)), law=law)
    right = PlaneContact(name="right", plane=floor, point=body.at((0.5, 0.0)), law=law)
    return ph.Model(name="bouncing rod", items=(body, left, right), gravity=(0.0, -9.81, 0.0))


def main() -> float:
    """The impulse of the first impact."""
    result = rod().simulate(duration=1.2, dt=2e-3)
    energy = (result["kinetic"] + result["potential"]).to_numpy()
    lost, missing = float(result["lost_impacts"][-1]), float(np.abs(result["balance"].to_numpy()).max())
    print(f"{result.sizes['strike']} impacts took {lost:.4f} J of {np.ptp(energy):.4f} J; missing {missing:.1e} J")
    return float(result["strike_impulse"][0])


if __name__ == "__main__":
    main()
