"""A chain of flexible links in floating frames in Exudyn: `ObjectFFRFreducedOrder`, hinges on markers of four nodes.

Every link is a beam in eight free vibrations, in mean axes, where the gravity of Exudyn is exact; every node of the
beam is a cross of points that turns with it, as Exudyn takes nodes of three coordinates. Of dense and sparse factors,
full and modified Newton, ``SETTINGS`` was the fastest for four and eight links.
"""

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from panhead.engine.roles import axes_along
from panhead.engine.structures import BeamMaterial, Member, ReducedStructure, Section, frame, reduce_structure
from peers import exudyn_child as child

LENGTH, SHAPES, GRAVITY = 1.0, 8, (0.0, 0.0, -9.81)
AXIS = (0.0, 1.0, 0.0)  # of every hinge
ALUMINIUM = BeamMaterial(young=70e9, poisson=0.33, density=2700.0)
SECTION = Section.rectangle(width=0.03, height=0.02)
ARMS = 6  # points for a node of the beam
SETTINGS = {"sparse": True, "modified": True}


def time_per_step(n: int = 4, **options: Any) -> dict[str, Any]:
    """Milliseconds a step for n links, Newton iterations a step, and where the last link ends [m]."""
    return child.run_alone("peers.exudyn_floating", {"n": n} | options)


@cache
def link() -> ReducedStructure:
    """One link along x: points on crosses, its ends "a" and "b" as the beam has them."""
    member = Member(begin="a", end="b", section=SECTION, material=ALUMINIUM, elements=8)
    beam = frame("link", joints={"a": (0, 0, 0), "b": (LENGTH, 0, 0)}, members=(member,))
    s = reduce_structure(beam, modes=SHAPES)
    moments, axes = np.linalg.eigh(s.nodal_inertia)
    second = (moments.sum(axis=1, keepdims=True) / 2 - moments).clip(min=0.0)
    arms = np.sqrt(3 * second / s.nodal_mass[:, None])[:, None, :] * axes  # (n, 3, 3), by columns
    arms = np.concatenate([arms, -arms], axis=2).transpose(0, 2, 1)  # (n, 6, 3)
    turned = np.cross(s.rotations[:, None], arms[..., None], axis=2)
    points = (s.points[:, None] + arms).reshape(-1, 3)
    return replace(
        s,
        points=points,
        nodal_mass=np.repeat(s.nodal_mass / ARMS, ARMS),
        nodal_inertia=np.zeros((len(points), 3, 3)),
        displacements=(s.displacements[:, None] + turned).reshape(-1, 3, SHAPES),
        rotations=np.zeros((len(points), 3, SHAPES)),
    )


def ends() -> tuple[list[int], list[int]]:
    """Points of the crosses at both ends that do not lie on the beam's axis."""
    points = link().points
    found = []
    for x in (points[:, 0].min(), points[:, 0].max()):
        here = np.isclose(points[:, 0], x) & (np.hypot(points[:, 1], points[:, 2]) > 1e-6)
        found.append([int(j) for j in np.flatnonzero(here)])
    return found[0], found[1]


def chain(exu: Any, n: int) -> tuple[Any, int]:
    """The assembled system and its last body."""
    from exudyn import FEM
    from exudyn import itemInterface as item

    s, mbs = link(), exu.SystemContainer().AddSystem()
    X = s.displacements.reshape(-1, SHAPES)
    fem, inverse = FEM.FEMinterface(), np.linalg.pinv(X)
    fem.nodes = {"Position": s.points}
    fem.massMatrix = np.diag(np.repeat(s.nodal_mass, 3))
    fem.stiffnessMatrix = inverse.T @ s.stiffness @ inverse
    fem.modeBasis = {"matrix": X, "type": "NormalModes"}
    reduced_body = FEM.ObjectFFRFreducedOrderInterface(fem)
    axes = axes_along(AXIS)
    before = mbs.AddMarker(item.MarkerBodyRigid(bodyNumber=mbs.AddObject(item.ObjectGround())))
    left, right = ends()
    for i in range(n):
        made = reduced_body.AddObjectFFRFreducedOrder(
            mbs, positionRef=[(i + 0.5) * LENGTH, 0.0, 0.0], gravity=list(GRAVITY)
        )
        body = made["oFFRFreducedOrder"]
        here, there = (
            mbs.AddMarker(
                item.MarkerSuperElementRigid(
                    bodyNumber=body, meshNodeNumbers=nodes, weightingFactors=[1 / len(nodes)] * 4
                )
            )
            for nodes in (left, right)
        )
        mbs.AddObject(
            item.ObjectJointRevoluteZ(markerNumbers=[before, here], rotationMarker0=axes, rotationMarker1=axes)
        )
        before = there
    mbs.Assemble()
    return mbs, before


def run(
    n: int,
    dt: float = 1e-3,
    duration: float = 1.0,
    rtol: float = 1e-5,
    rho: float = 0.9,
    sparse: bool = SETTINGS["sparse"],
    modified: bool = SETTINGS["modified"],
) -> dict[str, Any]:
    """One run in this process."""
    exu = child.exudyn()
    mbs, tip = chain(exu, n)
    method = {"dt": dt, "rtol": rtol, "rho": rho, "sparse": sparse, "modified": modified}
    return child.motion_of_tip(exu, mbs, tip, duration=duration, **method)


if __name__ == "__main__":
    child.answer(run)
