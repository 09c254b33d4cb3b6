"""A robot arm from a URDF file: free motion, energy balance, accelerations compared with Pinocchio.

Two hinges, a guide, a wrist and a tool on a fixed flange, whose inertias lie askew in their links. The motors hold a
constant torque; what they put in, less what the arm gains, is what the simulation loses. Where Pinocchio is
installed (``pip install pin``) its articulated-body algorithm reads the same file.
"""

from pathlib import Path

import numpy as np

import panhead as ph
from panhead.engine.methods.accelerations import accelerations

#: Energy not accounted for over 0.3 s, over the largest kinetic energy.
EXPECTED = (0.0, 1e-3)
FILE = Path(__file__).with_name("arm.urdf")
START = {"swing": 0.4, "lift": -0.7, "reach": 0.15, "roll": 2.0}
RATES = {"swing": 0.8, "lift": -0.5, "reach": 0.2, "roll": 3.0}
EFFORTS = np.array([4.0, -20.0, -12.0, 0.02])  # N·m, N


def ours() -> dict[str, float]:
    """Joint accelerations at the start, by joint [rad/s², m/s²]."""
    robot = ph.read_urdf(FILE, positions=START, rates=RATES)
    system = robot.driven().system()
    a, _ = accelerations(system, 0.0, system.start.q, system.start.v, EFFORTS)
    return {name: float(a[system.coordinates.index(c)]) for name, c in zip(START, robot.measured, strict=True)}


def theirs() -> dict[str, float]:
    """The same by Pinocchio, which counts an endless turn by cosine and sine."""
    import pinocchio as pin

    model = pin.buildModelFromUrdf(str(FILE))
    q, v, effort = pin.neutral(model), np.zeros(model.nv), np.zeros(model.nv)
    for name, torque in zip(START, EFFORTS, strict=True):
        joint, x = model.joints[model.getJointId(name)], START[name]
        q[joint.idx_q : joint.idx_q + joint.nq] = [x] if joint.nq == 1 else [np.cos(x), np.sin(x)]
        v[joint.idx_v], effort[joint.idx_v] = RATES[name], torque
    a = pin.aba(model, model.createData(), q, v, effort)
    return {name: float(a[model.joints[model.getJointId(name)].idx_v]) for name in START}


def main() -> float:
    robot = ph.read_urdf(FILE, positions=START, rates=RATES)
    motion = robot.driven().simulate(duration=0.3, dt=1e-3, controls=lambda t: EFFORTS)
    for name, angle in zip(START, robot.measured, strict=True):
        print(f"{name:6}{START[name]:7.3f} → {float(motion['q'].sel(coordinate=angle)[-1]):7.3f}")
    try:
        print(
            "off Pinocchio: at most", max(abs(a - b) for a, b in zip(ours().values(), theirs().values(), strict=True))
        )
    except ImportError:
        print("Pinocchio is not installed: nothing to compare with")
    return float(abs(motion["balance"]).max() / motion["kinetic"].max())


if __name__ == "__main__":
    print(f"energy lost: {main():.1e} of the largest kinetic energy")
