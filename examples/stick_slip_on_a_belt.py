"""A block on a running belt, held by a spring: it sticks, breaks loose, slips back, sticks again."""

import casadi as ca
import numpy as np

import panhead as ph
from panhead.methods.simulate import simulate

MASS, STIFFNESS, SPEED = 1.0, 100.0, 0.1  # kg, N/m, m/s
SLIP, STICK = 4.0, 6.0  # N

#: Period [s]. By Coulomb's law the block sticks for 2 (F_s − F_k) / (k v) = 0.4 s and slips for
#: (2π − 2 arctan((F_s − F_k) / (v √(k m)))) / ω = 0.407 s. The bristle adds a percent: it
#: lets go and catches gradually.
EXPECTED = (0.807, 0.825)


def model() -> ph.Model:
    """The belt's speed is given; friction acts along the displacement of the block on the belt."""
    belt = ph.bodies.Carrier(name="belt", position=lambda t: ca.vertcat(SPEED * t, 0, 0))
    block = ph.bodies.GuidedMass(name="block", mass=MASS, axis=(1, 0, 0))
    spring = ph.forces.SpringDamper(name="spring", along="block.x", stiffness=STIFFNESS)
    friction = ph.forces.DryFriction(
        name="friction", along=ph.forces.Slide(a=belt.at(axis=(1, 0, 0)), b=block.at()),
        slip_force=SLIP, stick_force=STICK,
        stribeck_rate=1e-3, bristle_stiffness=1e6, bristle_damping=1e3, elastic_share=0.95,
    )  # fmt: skip
    return ph.Model(name="block on a belt", items=(block, spring, friction), gravity=(0, 0, 0))


def main() -> float:
    """Run 5 s; the mean time between the longest stretches of the spring, after the first one."""
    system = model().system()
    motion = simulate(system, system.start, duration=5.0, dt=2e-4, keep=1e-3, method=ph.GeneralizedAlpha())
    x = motion.q[:, 0]
    tops = motion.t[1:-1][(x[1:-1] > x[:-2]) & (x[1:-1] >= x[2:]) & (x[1:-1] > SLIP / STIFFNESS)]
    energy = sum(system.energy(5.0, motion.q[-1], motion.v[-1]))
    drivers, _, heat = motion.work[-1]
    print(f"the spring is longest at {np.round(tops, 3)} s")
    print(f"belt puts in {drivers:.3f} J, friction turns {heat:.3f} J into heat, {energy:.3f} J are kept")
    return float(np.diff(tops[1:]).mean())


if __name__ == "__main__":
    print(main())
