"""A satellite tumbles freely, a fifth of a radian a step: the variational method keeps momentum and energy.

The generalized-α method is made for joints and vibrations at short steps; here it loses both. The body turns about its
intermediate axis and flips over again and again, which a momentum that drifts would soon stop.
"""

import numpy as np
from scipy.spatial.transform import Rotation

import panhead as ph

MOMENTS = np.array([1.0, 2.0, 2.7])  # [kg·m²]

#: Largest change of the angular momentum, of its size: rounding.
EXPECTED = (0.0, 1e-9)


def change(motion: ph.Result) -> float:
    """Largest change of R J ω."""
    q, v = motion["q"].to_numpy(), motion["v"].to_numpy()
    turn = Rotation.from_quat(np.roll(q[:, 3:7], -1, axis=1))
    (e, rate), (e0, rate0) = (q[:, 4:7], v[:, 4:7]), (q[:, 3:4], v[:, 3:4])
    spin = 2 * (e0 * rate - rate0 * e - np.cross(e, rate))
    moment = turn.apply(MOMENTS * spin)
    return float(np.linalg.norm(moment - moment[0], axis=1).max() / np.linalg.norm(moment[0]))


def main() -> float:
    """Drift of the angular momentum over 300 steps."""
    body = ph.bodies.RigidBody(name="satellite", mass=3.0, inertia=tuple(MOMENTS), spin=(0.1, 4.0, 0.1))
    model = ph.Model(name="satellite", items=(body,), gravity=(0.0, 0.0, 0.0))
    result = model.simulate(duration=15.0, dt=0.05, method=ph.VariationalMidpoint())
    kept = change(result)
    energy = result["kinetic"].to_numpy()
    print(f"momentum changes by {kept:.1e} of itself, energy by {np.ptp(energy) / energy[0]:.1e}")
    return kept


if __name__ == "__main__":
    main()
