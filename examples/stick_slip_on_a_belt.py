"""A block on a running belt, held by a spring: it sticks, breaks loose, slips back, sticks again."""

import casadi as ca
import numpy as np

import panhead as ph
from panhead.engine.bodies import Carrier, PlanarBody
from panhead.engine.forces import ImpactLaw, PlaneContact, SpringDamper
from panhead.engine.methods.simulate import simulate

MASS, STIFFNESS, SPEED, GRAVITY = 1.0, 100.0, 0.1, 10.0  # kg, N/m, m/s, m/s²
SLIDES, STICKS = 0.4, 0.6  # coefficients of friction

#: Period [s]. It sticks for 2 (F_s − F_k) / (k v) and slips for (2π − 2 arctan((F_s − F_k) / (v √(k m)))) / ω,
#: 0.80689 s together; steps of 4 ms leave some 0.1 ms of it.
EXPECTED = (0.8067, 0.8071)


def model() -> ph.Model:
    """Two feet share the weight; steps end where they let go."""
    belt = Carrier(name="belt", position=lambda t: ca.vertcat(SPEED * t, 0, 0))
    block = PlanarBody(name="block", mass=MASS, inertia=1.0)
    law = ImpactLaw(friction=SLIDES, static_friction=STICKS)
    feet = (
        PlaneContact(name=name, plane=belt.at(axis=(0.0, 1.0, 0.0)), point=block.at((x, 0.0)), law=law)
        for name, x in (("rear", -0.1), ("front", 0.1))
    )
    spring = SpringDamper(name="spring", along="block.x", stiffness=STIFFNESS)
    return ph.Model(name="block on a belt", items=(belt, block, spring, *feet), gravity=(0.0, -GRAVITY, 0.0))


def turns(t: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Times at which a speed falls through zero, by straight lines."""
    k = np.flatnonzero((v[:-1] > 0) & (v[1:] <= 0))
    return t[k] + (t[k + 1] - t[k]) * v[k] / (v[k] - v[k + 1])


def main() -> float:
    """Run 3 s; the mean time between the longest stretches of the spring."""
    system = model().system()
    motion = simulate(system, system.start, duration=3.0, dt=4e-3)
    longest = turns(motion.t, motion.v[:, system.place("block.x")])
    energy = sum(system.energy(3.0, motion.q[-1], motion.v[-1]))
    drivers, _, heat = motion.work[-1]
    print(f"the spring is longest at {np.round(longest, 3)} s")
    print(f"belt puts in {drivers:.3f} J, friction turns {heat:.3f} J into heat, {energy:.3f} J are kept")
    return float(np.diff(longest).mean())


if __name__ == "__main__":
    print(main())
