"""A double pendulum on a cart with prescribed motion: check of the energy balance.

The cart moves as x = X₀ sin Ωt. All energy of the rods is supplied by the cart.
"""

import numpy as np

from panhead.engine.methods.integrators import RungeKutta4
from panhead.engine.methods.simulate import simulate
from panhead.engine.methods.trajectory import State
from panhead.engine.symbolic import SymbolicSystem
from panhead.runs.scenarios.shipped_models import mechanism

#: Largest imbalance of energy and work over 10 s, relative to the largest kinetic energy.
EXPECTED = (0.0, 1e-8)


def main() -> float:
    """Ten seconds of tumbling; the largest error of the energy account."""
    system = SymbolicSystem(mechanism("double-pendulum"))
    start = State(q=np.array([np.pi / 2, np.pi / 2 - 0.1]), v=np.zeros(2))
    motion = simulate(system, start, duration=10.0, dt=1e-4, keep=0.01, method=RungeKutta4())

    kinetic, potential = system.energies(motion.t, motion.q, motion.v)
    drivers, controls, dissipated = motion.work.T
    change = kinetic + potential - (kinetic + potential)[0]
    imbalance = change - (drivers + controls - dissipated)
    print(f"kinetic energy reaches {kinetic.max():.2f} J, the cart has put in {drivers[-1]:+.3f} J")
    return float(np.abs(imbalance).max() / kinetic.max())


if __name__ == "__main__":
    print(f"energy account is off by {main():.2e}")
