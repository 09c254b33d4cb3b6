"""A mechanism written in Python goes to MuJoCo's users and back: MJCF in, URDF out, read again.

The two-joint arm is read from MJCF text; its body masses come from its geoms. Written as URDF and read again it has the
same joint accelerations, though every frame of the second file is another one.
"""

import tempfile
import warnings
from pathlib import Path

import numpy as np

import panhead as ph
from panhead.engine.methods.accelerations import accelerations
from panhead.files.urdf import Robot

#: Largest difference of the joint accelerations, over the largest of them.
EXPECTED = (0.0, 1e-9)
ARM = """<mujoco model="arm"><compiler angle="radian"/><worldbody>
<body name="upper" pos="0 0 1"><joint name="shoulder" axis="0 1 0"/>
 <geom name="bone" type="capsule" fromto="0 0 0 0.4 0 0" size="0.03"/>
 <body name="fore" pos="0.4 0 0"><joint name="elbow" axis="0 1 0.2"/>
  <geom name="box" type="box" size="0.15 0.03 0.02" pos="0.15 0 0"/></body></body>
</worldbody><actuator><motor name="drive" joint="shoulder" gear="20"/></actuator></mujoco>"""
START = {"positions": {"shoulder": 0.4, "elbow": -0.8}, "rates": {"shoulder": 1.0, "elbow": 2.0}}


def joint_accelerations(robot: Robot) -> np.ndarray:
    """[rad/s²], at the start, without control."""
    system = robot.driven().system()
    a, _ = accelerations(system, 0.0, system.start.q, system.start.v, np.zeros(len(system.controls)))
    return a[[system.coordinates.index(name) for name in robot.measured]]


def main() -> float:
    with tempfile.TemporaryDirectory() as folder:
        mjcf, urdf = Path(folder) / "arm.xml", Path(folder) / "arm.urdf"
        mjcf.write_text(ARM, encoding="utf-8")
        first = ph.read_mjcf(mjcf, **START)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # URDF has neither capsules nor motors, which it says
            ph.write_urdf(first, urdf)
        again = ph.read_urdf(urdf, **START)
    one, other = joint_accelerations(first), joint_accelerations(again)
    print(f"accelerations {one} rad/s²")
    return float(np.abs(one - other).max() / np.abs(one).max())


if __name__ == "__main__":
    print(f"difference {main():.1e}")
