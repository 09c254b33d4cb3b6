"""A throw by gradient descent: which torque history swings a pendulum to 1 rad in half a second with least effort?

The motion is a function of the torques; its gradient costs 2 to 4 runs, whatever the number of torques. The same
function stands inside PyTorch and JAX by ``torch_motion`` and ``jax_motion``.
"""

import numpy as np
from scipy.optimize import minimize

import panhead as ph
from panhead.engine.methods.motion_derivatives import SimulatedMotion

#: Angle at the end [rad].
EXPECTED = (0.98, 1.0)
STEPS, WANTED = 50, 1.0


def main() -> float:
    """Angle reached by the torques found."""
    rod = ph.bodies.PlanarBody(name="rod", mass=1.0, inertia=0.1, position=(0.0, -0.5), angle=0.0)
    hinge = ph.joints.Revolute(name="hinge", a=ph.bodies.ground.at(), b=rod.at_world((0.0, 0.0)))
    motor = ph.forces.Actuator(name="motor", along="rod.angle", gain=10.0)
    system = ph.Model(name="pendulum", items=(rod, hinge, motor), gravity=(0.0, -9.81, 0.0)).system()
    angle = system.place("rod.angle")

    def objective(u: np.ndarray) -> tuple[float, np.ndarray]:
        """½ (angle − 1)² · 100 + ½ Σ u² dt, and its gradient."""
        motion = SimulatedMotion(system=system, duration=0.5, dt=0.01, start=system.start, u=u[:, None])
        missed = motion.run().q[-1, angle] - WANTED
        weights = np.zeros((STEPS + 1, len(system.coordinates)))
        weights[-1, angle] = 100.0 * missed
        gradient = motion.vjp({"q": weights}).controls[:, 0]
        return 50.0 * missed**2 + 0.005 * u @ u, gradient + 0.01 * u

    found = minimize(objective, np.zeros(STEPS + 1), jac=True, method="L-BFGS-B", options={"maxiter": 15})
    best = SimulatedMotion(system=system, duration=0.5, dt=0.01, start=system.start, u=found.x[:, None])
    print(f"{found.nfev} motions and gradients for {STEPS + 1} torques")
    return float(best.run().q[-1, angle])


if __name__ == "__main__":
    print(f"reaches {main():.4f} rad")
