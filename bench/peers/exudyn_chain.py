"""A chain of links that falls from a level start, in Exudyn: bodies in absolute coordinates, index 3.

In the plane bars on plane hinges; in space bodies with Euler parameters on revolute joints. Sparse or dense factors, a
full or a modified Newton iteration: the bench takes the quickest for each size.
"""

from typing import Any

import numpy as np

from peers import exudyn_child as child

GRAVITY, LENGTH, MASS = 9.81, 0.1, 1.0  # m/s², m and kg of a link
SLENDER = MASS * LENGTH**2 / 12


def time_per_step(n: int, **options: Any) -> dict[str, Any]:
    """Milliseconds a step for n links, Newton iterations a step, and where the last link ends [m]."""
    return child.run_alone("peers.exudyn_chain", {"n": n} | options)


def in_the_plane(exu: Any, n: int) -> tuple[Any, int]:
    """The assembled system and the marker of its tip."""
    from exudyn import itemInterface as item

    mbs = exu.SystemContainer().AddSystem()
    before = mbs.AddMarker(item.MarkerBodyPosition(bodyNumber=mbs.AddObject(item.ObjectGround())))
    for k in range(n):
        node = mbs.AddNode(item.NodeRigidBody2D(referenceCoordinates=[(k + 0.5) * LENGTH, 0.0, 0.0]))
        body = mbs.AddObject(item.ObjectRigidBody2D(mass=MASS, inertia=SLENDER, nodeNumber=node))
        height = mbs.AddMarker(item.MarkerNodeCoordinate(nodeNumber=node, coordinate=1))
        mbs.AddLoad(item.LoadCoordinate(markerNumber=height, load=-MASS * GRAVITY))
        left, right = (
            mbs.AddMarker(item.MarkerBodyPosition(bodyNumber=body, localPosition=[s * LENGTH / 2, 0, 0]))
            for s in (-1, 1)
        )
        mbs.AddObject(item.ObjectJointRevolute2D(markerNumbers=[before, left]))
        before = right
    mbs.Assemble()
    return mbs, before


def in_space(exu: Any, n: int) -> tuple[Any, int]:
    """The same chain of bodies in space, hinged about y, and the marker of its tip."""
    from exudyn import itemInterface as item
    from exudyn.utilities import RigidBodyInertia

    mbs = exu.SystemContainer().AddSystem()
    inertia = RigidBodyInertia(mass=MASS, inertiaTensor=np.diag([SLENDER] * 3))
    axes = [[1, 0, 0], [0, 0, 1], [0, -1, 0]]  # z of the joint along −y of the link
    before = mbs.AddMarker(item.MarkerBodyRigid(bodyNumber=mbs.AddObject(item.ObjectGround())))
    for k in range(n):
        body = mbs.CreateRigidBody(
            referencePosition=[(k + 0.5) * LENGTH, 0.0, 0.0], inertia=inertia, gravity=[0.0, 0.0, -GRAVITY],
            nodeType=exu.NodeType.RotationEulerParameters,
        )  # fmt: skip
        left, right = (
            mbs.AddMarker(item.MarkerBodyRigid(bodyNumber=body, localPosition=[s * LENGTH / 2, 0, 0])) for s in (-1, 1)
        )
        mbs.AddObject(
            item.ObjectJointRevoluteZ(markerNumbers=[before, left], rotationMarker0=axes, rotationMarker1=axes)
        )
        before = right
    mbs.Assemble()
    return mbs, before


def run(
    n: int,
    space: bool = False,
    dt: float = 1e-3,
    duration: float = 1.0,
    rtol: float = 1e-6,
    rho: float = 0.9,
    sparse: bool = True,
    modified: bool = True,
) -> dict[str, Any]:
    """One run in this process."""
    exu = child.exudyn()
    mbs, tip = (in_space if space else in_the_plane)(exu, n)
    method = {"dt": dt, "rtol": rtol, "rho": rho, "sparse": sparse, "modified": modified}
    return child.motion_of_tip(exu, mbs, tip, duration=duration, **method)


if __name__ == "__main__":
    child.answer(run)
