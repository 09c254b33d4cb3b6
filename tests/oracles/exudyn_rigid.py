"""Rigid mechanisms in Exudyn, in absolute coordinates."""

from math import pi
from typing import Any

from exudyn import itemInterface as item

from . import exudyn_tools as tool
from .multibody_models import GRAVITY, FourBars


def planar_bar(mbs: Any, place: list[float], rate: list[float]) -> tuple[int, int, int]:
    """A 1 kg, 1 m rod at (x, y, angle) with its rates; node and the markers of its two ends."""
    node = mbs.AddNode(item.NodeRigidBody2D(referenceCoordinates=place, initialVelocities=rate))
    body = mbs.AddObject(item.ObjectRigidBody2D(mass=1.0, inertia=1 / 12, nodeNumber=node))
    height = mbs.AddMarker(item.MarkerNodeCoordinate(nodeNumber=node, coordinate=1))
    mbs.AddLoad(item.LoadCoordinate(markerNumber=height, load=-GRAVITY))
    ends = [
        mbs.AddMarker(item.MarkerBodyPosition(bodyNumber=body, localPosition=[s, 0.0, 0.0]))
        for s in (-0.5, 0.5)
    ]
    return node, ends[0], ends[1]


def four_bars(dt: float, p: FourBars) -> tool.Histories:
    """B₀ [m] and its velocity [m/s] (nt, 2)."""
    mbs = tool.new_system()
    ground = mbs.AddObject(item.ObjectGround())
    rods = [planar_bar(mbs, [i, 0.5, pi / 2], [0.5, 0.0, -1.0]) for i in range(p.n + 1)]
    couplers = [planar_bar(mbs, [i + 0.5, 1.0, 0.0], [1.0, 0.0, 0.0]) for i in range(p.n)]
    pairs = [(rods[i][2], left) for i, (_, left, _) in enumerate(couplers)]
    pairs += [(right, rods[i + 1][2]) for i, (_, _, right) in enumerate(couplers)]
    for i, (_, foot, _) in enumerate(rods):
        at = item.MarkerBodyPosition(bodyNumber=ground, localPosition=[i, 0.0, 0.0])
        pairs.append((mbs.AddMarker(at), foot))
    for pair in pairs:
        mbs.AddObject(item.ObjectJointRevolute2D(markerNumbers=list(pair)))
    place = tool.watch_node(mbs, rods[0][0])
    speed = tool.watch_node(mbs, rods[0][0], tool.KIND.Velocity)
    mbs.Assemble()
    tool.march(mbs, dt=dt, duration=p.times[-1], sparse=True, rtol=1e-8, atol=1e-10)
    read = lambda sensor: 2.0 * tool.at_times(mbs, sensor, p.times)[:, :2]
    return {"B0": read(place), "B0_dot": read(speed)}
