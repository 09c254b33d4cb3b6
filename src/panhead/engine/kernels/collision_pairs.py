"""All contacts of a set of shapes: pairs whose boxes overlap, by sorting along x, then their contact points."""

import math

import numpy as np

from panhead.engine.jit.compiler import allocating, part
from panhead.engine.kernels.contact_points import TOO_DEEP, PairRoom, contact_points
from panhead.engine.kernels.convex_shapes import MOST_CORNERS, PLANE
from panhead.engine.kernels.gjk import GjkRoom


@part()
def _boxes(table, poses, reach, low, high):
    """Boxes about all shapes, grown by their reach; those of planes have no end."""
    for s in range(table.kind.shape[0]):
        for i in range(3):
            if table.kind[s] == PLANE:
                low[s, i], high[s, i] = -math.inf, math.inf
                continue
            centre, half = poses.x[s, i], reach[s]
            for j in range(3):
                centre += poses.R[s, i, j] * table.box[s, 0, j]
                half += abs(poses.R[s, i, j]) * table.box[s, 1, j]
            low[s, i], high[s, i] = centre - half, centre + half


@allocating
def find_contacts(table, poses, reach, may_meet, pair, points, normals, gaps):
    """(count, overlapping shapes or (−1, −1)): contacts with gaps ≤ reach[a] + reach[b], in order of the pairs.

    reach (n,) [m]; may_meet (n, n) bool; pair (most, 2), points (most, 3), normals (most, 3) from the first shape to
    the second, gaps (most,) are written; a count above ``most`` says how much room is needed.
    """
    n, most = table.kind.shape[0], gaps.shape[0]
    low, high = np.zeros((n, 3)), np.zeros((n, 3))
    _boxes(table, poses, reach, low, high)
    order = np.argsort(low[:, 0])
    corners = (MOST_CORNERS, 3)
    gjk = GjkRoom(np.zeros((4, 3)), np.zeros((4, 3)), np.zeros((4, 3)), np.zeros((3, 4)), np.zeros((2, 3)))
    room = PairRoom(
        gjk,
        np.zeros((3, MOST_CORNERS, 3)),
        np.zeros((2, 3)),
        np.zeros((2, 3)),
        np.zeros(MOST_CORNERS),
        np.zeros(corners),
    )
    count = 0
    for i in range(n):
        for j in range(i + 1, n):
            a, b = min(order[i], order[j]), max(order[i], order[j])
            if low[order[j], 0] > high[order[i], 0]:
                break
            apart = low[a, 1] > high[b, 1] or low[b, 1] > high[a, 1] or low[a, 2] > high[b, 2] or low[b, 2] > high[a, 2]
            if apart or not may_meet[a, b]:
                continue
            found = contact_points(table, poses, a, b, reach[a] + reach[b], room)
            if found == TOO_DEEP:
                return count, a, b
            for k in range(found):
                if count < most:
                    pair[count, 0], pair[count, 1], gaps[count] = a, b, room.gaps[k]
                    for m in range(3):
                        points[count, m], normals[count, m] = room.points[k, m], room.normal[0, m]
                count += 1
    return count, -1, -1
