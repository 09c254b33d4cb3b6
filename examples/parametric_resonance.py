"""A pendulum whose pivot shakes up and down: Floquet multipliers tell that it does not stay at rest.

Shaken with twice its own frequency, y = a cos 2ω₀t, a pendulum swings up by itself (Mathieu's equation). Damping is
absent, so the product of the two multipliers is 1.
"""

import casadi as ca
import numpy as np

import panhead as ph
from panhead.engine.methods.motion_derivatives import floquet_multipliers

#: Largest multiplier; √ of the growth over one swing. Mathieu: exp(π ε / 2) with ε = 2 a/l, to first order.
EXPECTED = (1.33, 1.41)
LENGTH, SHAKE = 1.0, 0.1  # [m]


def main() -> float:
    """Largest Floquet multiplier of the hanging pendulum over one period of the shaking."""
    own = np.sqrt(9.81 / LENGTH)
    bob = ph.bodies.PlanarBody(name="bob", mass=1.0, inertia=1e-9, position=(0.0, -LENGTH + SHAKE))
    pivot = ph.bodies.PlanarBody(name="pivot", mass=1.0, inertia=1.0, position=(0.0, SHAKE))
    items = (
        bob, pivot,
        ph.joints.Revolute(name="hinge", a=pivot.at(), b=bob.at_world((0.0, SHAKE))),
        ph.joints.Held(name="guide", values={"pivot.x": 0.0, "pivot.angle": 0.0}),
        ph.joints.Driven(name="shaker", coordinate="pivot.y", motion=lambda t: SHAKE * ca.cos(2 * own * t)),
    )  # fmt: skip
    system = ph.Model(name="shaken pendulum", items=items, gravity=(0.0, -9.81, 0.0)).system()
    found = floquet_multipliers(system, system.start, np.pi / own, dt=0.02)
    print("multipliers:", np.round(found, 4))
    return float(abs(found[0]))


if __name__ == "__main__":
    print(f"largest multiplier {main():.4f}")
