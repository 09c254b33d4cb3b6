"""Find the support motion of the planar pantograph that gives the uncontrolled row of Table III.

The paper describes s(t) as a span harmonic and a dropper harmonic, but prints neither offset nor amplitudes.
With the dropper amplitude a tenth of the span amplitude, two numbers are left for two conditions: mean and
standard deviation of the interaction force over the 10 s of the run.
"""

from dataclasses import replace

import numpy as np
from scipy.optimize import fsolve

from panhead.engine.methods.integrators import RungeKutta4
from panhead.engine.methods.simulate import simulate
from panhead.runs import scenarios
from panhead.runs.scenarios.motion_kind import start_of, system_of

WANTED = np.array([-29.570, 15.602])  # N, Table III
EXPECTED = (0.0693, 0.0694)  # m, the span amplitude in the shipped scenario
RATIO = 0.1


def statistics(offset: float, amplitude: float) -> np.ndarray:
    """Mean and standard deviation of the interaction force [N]."""
    shipped = scenarios.read("planar-pantograph").description
    moved = replace(shipped, parameters={"s0": offset, "s1": amplitude, "s2": RATIO * amplitude})
    system = system_of(moved)
    motion = simulate(system, start_of(moved, system), duration=10.0, dt=2e-3, method=RungeKutta4())
    force = system.outputs(motion.t, motion.q, motion.v, motion.u)["interaction_force"]
    return np.array([force.mean(), force.std()])


def main() -> float:
    """The span amplitude [m]."""
    offset, amplitude = fsolve(lambda z: statistics(*z) - WANTED, [-0.1, 0.05], xtol=1e-6)
    print(f"offset {1e3 * offset:.3f} mm, span {1e3 * amplitude:.3f} mm, droppers {1e3 * RATIO * amplitude:.4f} mm")
    return float(amplitude)


if __name__ == "__main__":
    main()
