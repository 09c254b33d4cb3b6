"""The linkage seen from the side, frame by frame: what an animation draws."""

from __future__ import annotations

import numpy as np

from panhead.multibody.system import MultibodySystem
from panhead.pantograph.cx_assembly import pose
from panhead.pantograph.linkage import Linkage


def members_seen(linkage: Linkage) -> dict[str, np.ndarray]:
    """Body → its joints in its own axes, along it, (n, 3) [m]; only bodies with joints at two places."""
    found: dict[str, list[tuple[float, float, float]]] = {body.name: [] for body in linkage.bodies}
    for joint in linkage.joints:
        found[joint.a].append(joint.at_a)
        found[joint.b].append(joint.at_b)
    lines = {name: np.unique(np.array(points), axis=0) for name, points in found.items() if points}
    base = linkage.bodies[0].name
    long = {name: p for name, p in lines.items() if np.ptp(p[:, 0]) > 0.0 and name != base}
    return {name: points[np.argsort(points[:, 0])] for name, points in long.items()}


def side_view(system: MultibodySystem, linkage: Linkage, q: np.ndarray) -> dict[str, np.ndarray]:
    """Body → x and z of its joints relative to the base, (frames, n, 2) [m]; q (frames, nq) are configurations."""
    lines = members_seen(linkage)
    found = {name: np.zeros((len(q), len(points), 2)) for name, points in lines.items()}
    for k, row in enumerate(q):
        for name, points in lines.items():
            p, R = pose(system, linkage, name, row)
            found[name][k] = (p + points @ R.T)[:, [0, 2]]
    return found
