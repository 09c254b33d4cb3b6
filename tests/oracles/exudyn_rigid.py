"""Rigid mechanisms in Exudyn, in absolute coordinates."""

from math import pi
from typing import Any

import numpy as np
from exudyn import itemInterface as item
from exudyn.rigidBodyUtilities import RotationMatrix2EulerParameters

from . import exudyn_tools as tool
from . import spatial_rigid as own
from .multibody_models import GRAVITY, Chain, FourBars, HookeShaft, SpatialSliderCrank


def planar_bar(mbs: Any, place: list[float], rate: list[float]) -> tuple[int, int, int]:
    """A 1 kg, 1 m rod at (x, y, angle) with its rates; node and the markers of its two ends."""
    node = mbs.AddNode(item.NodeRigidBody2D(referenceCoordinates=place, initialVelocities=rate))
    body = mbs.AddObject(item.ObjectRigidBody2D(mass=1.0, inertia=1 / 12, nodeNumber=node))
    height = mbs.AddMarker(item.MarkerNodeCoordinate(nodeNumber=node, coordinate=1))
    mbs.AddLoad(item.LoadCoordinate(markerNumber=height, load=-GRAVITY))
    ends = [mbs.AddMarker(item.MarkerBodyPosition(bodyNumber=body, localPosition=[s, 0.0, 0.0])) for s in (-0.5, 0.5)]
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


def rigid_body(
    mbs: Any, mass: float, inertia: Any, place: np.ndarray, frame: np.ndarray,
    v: Any = (0.0, 0.0, 0.0), w: Any = (0.0, 0.0, 0.0),
) -> tuple[int, int]:  # fmt: skip
    """Node and body with Euler parameters; v and w (world axes) are the starting speeds."""
    e = np.ravel(RotationMatrix2EulerParameters(frame))
    rates = 0.5 * np.append(-np.dot(w, e[1:]), e[0] * np.array(w) + np.cross(w, e[1:]))
    node = mbs.AddNode(item.NodeRigidBodyEP(referenceCoordinates=[*place, *e], initialVelocities=[*v, *rates]))
    body = mbs.AddObject(item.ObjectRigidBody(mass=mass, inertia=[*np.ravel(inertia), 0.0, 0.0, 0.0], nodeNumber=node))
    return node, body


def weigh(mbs: Any, body: int, gravity: float) -> None:
    mark = mbs.AddMarker(item.MarkerBodyMass(bodyNumber=body))
    mbs.AddLoad(item.LoadMassProportional(markerNumber=mark, loadVector=[0.0, 0.0, -gravity]))


def joint(mbs: Any, axes: str, a: tuple[int, Any], b: tuple[int, Any], frame: Any = None, other: Any = None) -> None:
    """Exudyn's generic joint between points of two bodies: held directions as "111000".

    The last three are turns about x, y, z. One alone, "100", keeps y_a·z_b = 0: a universal joint.
    `frame` and `other` turn the axes on a and b.
    """
    marks = [mbs.AddMarker(item.MarkerBodyRigid(bodyNumber=body, localPosition=list(at))) for body, at in (a, b)]
    mbs.AddObject(
        item.ObjectJointGeneric(
            markerNumbers=marks,
            constrainedAxes=[int(c) for c in axes],
            rotationMarker0=np.eye(3) if frame is None else frame,
            rotationMarker1=np.eye(3) if other is None else other,
        )
    )


def chain(dt: float, p: Chain) -> tool.Histories:
    """End of the middle link and of the last (nt, 3) [m], last link's angular velocity [rad/s]."""
    mbs, half = tool.new_system(), [p.length / 2, 0.0, 0.0]
    frames = own.rotation(own.start_quaternions(p))
    last, end = mbs.AddObject(item.ObjectGround()), [0.0, 0.0, 0.0]
    top, bodies = np.zeros(3), []
    for frame in frames:
        along = p.length * frame[:, 0]
        _, body = rigid_body(mbs, p.mass, p.inertia, top + along / 2, frame)
        weigh(mbs, body, p.gravity)
        marks = [
            mbs.AddMarker(item.MarkerBodyPosition(bodyNumber=b, localPosition=at))
            for b, at in ((last, end), (body, [-half[0], 0.0, 0.0]))
        ]
        mbs.AddObject(item.ObjectJointSpherical(markerNumbers=marks))
        last, end, top = body, half, top + along
        bodies.append(body)
    see = {
        "middle": tool.watch_body(mbs, bodies[p.links // 2 - (p.links > 1)], half),
        "tip": tool.watch_body(mbs, bodies[-1], half),
        "omega_last": tool.watch_body(mbs, bodies[-1], half, tool.KIND.AngularVelocity),
    }
    mbs.Assemble()
    tool.march(mbs, dt=dt, duration=p.times[-1], sparse=p.links > 5, rtol=1e-9, atol=1e-9)
    return {name: tool.at_times(mbs, sensor, p.times) for name, sensor in see.items()}


def moving_bodies(mbs: Any, found: list[own.Body], speed: float, gravity: float) -> list[int]:
    """Bodies of a one-freedom mechanism given at θ + iε, with the speeds that θ̇ gives them."""
    bodies = []
    for mass, inertia, centre, frame in found:
        R = frame.real
        K = frame.imag / own.STEP @ R.T
        w = speed * np.array([K[2, 1], K[0, 2], K[1, 0]])
        v = speed * centre.imag / own.STEP
        _, body = rigid_body(mbs, mass, np.diag(inertia), centre.real, R, v, w)
        weigh(mbs, body, gravity)
        bodies.append(body)
    return bodies


def slider_crank(dt: float, p: SpatialSliderCrank) -> tool.Histories:
    """Block's x [m], the rod's centre (nt, 3) [m] and the block's z axis (nt, 3)."""
    mbs = tool.new_system()
    ground = mbs.AddObject(item.ObjectGround())
    found = own.slider_crank_bodies(p, p.angle + 1j * own.STEP)
    crank, rod, block = moving_bodies(mbs, found, p.speed, p.gravity)
    zero, r, l = [0.0, 0.0, 0.0], p.crank / 2, p.rod / 2
    joint(mbs, "111011", (ground, p.pivot), (crank, [0.0, 0.0, -r]))
    joint(mbs, "111000", (crank, [0.0, 0.0, r]), (rod, [-l, 0.0, 0.0]))
    if p.joints == "universal":
        joint(mbs, "111100", (rod, [l, 0.0, 0.0]), (block, zero))
        joint(mbs, "011111", (ground, zero), (block, zero))
    else:
        joint(mbs, "111101", (block, zero), (rod, [l, 0.0, 0.0]))
        joint(mbs, "011011", (ground, zero), (block, zero))
    see = {
        "block": tool.watch_body(mbs, block, zero),
        "rod": tool.watch_body(mbs, rod, zero),
        "block_z": tool.watch_body(mbs, block, [0.0, 0.0, 1.0]),
    }
    mbs.Assemble()
    tool.march(mbs, dt=dt, duration=p.times[-1], rtol=1e-9, atol=1e-10)
    out = {name: tool.at_times(mbs, sensor, p.times) for name, sensor in see.items()}
    return {"block": out["block"][:, 0], "rod": out["rod"], "block_z": out["block_z"] - out["block"]}


def hooke(dt: float, p: HookeShaft) -> tool.Histories:
    """Rates of both shafts [rad/s], and the y axis of shaft 1 (nt, 3)."""
    mbs = tool.new_system()
    ground, zero = mbs.AddObject(item.ObjectGround()), [0.0, 0.0, 0.0]
    c, s = np.cos(p.bend), np.sin(p.bend)
    frame = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    frames, speeds = (np.eye(3), frame), (p.speed, p.speed / c)
    shafts = [
        rigid_body(
            mbs, p.masses[k], p.inertias[k], p.centres[k] * frames[k][:, 0], frames[k],
            w=speeds[k] * frames[k][:, 0],
        )[1]
        for k in range(2)
    ]  # fmt: skip
    origin = [[-p.centres[k], 0.0, 0.0] for k in range(2)]
    joint(mbs, "111011", (ground, zero), (shafts[0], origin[0]))
    joint(mbs, "111100", (shafts[0], origin[0]), (shafts[1], origin[1]))
    end = [p.far - p.centres[1], 0.0, 0.0]
    joint(mbs, "011000", (ground, p.far * frame[:, 0]), (shafts[1], end), frame)
    see = {
        "rate1": tool.watch_body(mbs, shafts[0], zero, tool.KIND.AngularVelocityLocal),
        "rate2": tool.watch_body(mbs, shafts[1], zero, tool.KIND.AngularVelocityLocal),
        "centre1": tool.watch_body(mbs, shafts[0], zero),
        "y1": tool.watch_body(mbs, shafts[0], [0.0, 1.0, 0.0]),
    }
    mbs.Assemble()
    tool.march(mbs, dt=dt, duration=p.times[-1], rtol=1e-9, atol=1e-10)
    out = {name: tool.at_times(mbs, sensor, p.times) for name, sensor in see.items()}
    return {"rate1": out["rate1"][:, 0], "rate2": out["rate2"][:, 0], "y1": out["y1"] - out["centre1"]}
