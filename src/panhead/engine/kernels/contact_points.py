"""Where two convex shapes touch: a normal, and up to four points with their gaps.

The normal comes from the nearest points of the two cores. Where it is the normal of a flat side of one of them, the
side of the other that faces it is clipped to it [Ericson05], so that a box stands on four points and a capsule lies on
two; elsewhere the nearest points are the contact.
"""

import math
from typing import NamedTuple

import numpy as np

from panhead.engine.jit.compiler import part
from panhead.engine.kernels.convex_shapes import (
    CAPSULE,
    CYLINDER,
    PLANE,
    ROUNDED,
    SHARP,
    SPHERE,
    face_along,
    face_corners,
    face_normal,
    facing_polygon,
    plane_points,
    radius_about,
    support,
)
from panhead.engine.kernels.gjk import OVERLAP, GjkRoom, core_distance

_ALIGNED = 0.99875  # cosine of 0.05 rad: nearer normals are taken as that of the flat side, so that what lies across
# an edge of it has both its points before it tips over
_PARALLEL = 1e-3  # sine of the angle below which two lines touch along a line
MOST_POINTS = 4
TOO_DEEP = -1  # they overlap by half of the thinner one


class PairRoom(NamedTuple):
    """Room for one pair, and what was found."""

    gjk: GjkRoom
    polygons: np.ndarray  # (3, MOST_CORNERS, 3)
    normal: np.ndarray  # (2, 3)
    near: np.ndarray  # (2, 3)
    gaps: np.ndarray  # (MOST_CORNERS,)
    points: np.ndarray  # (MOST_CORNERS, 3)


@part()
def _add_point(room, count, p, n, gap):
    """Point ``count``: halfway between the surfaces; p lies on the second one."""
    if count < room.gaps.shape[0]:
        for i in range(3):
            room.points[count, i] = p[i] - 0.5 * gap * n[i]
        room.gaps[count] = gap
        return count + 1
    return count


@part()
def _with_plane(table, poses, plane, s, limit, room):
    """Points of shape s near a plane; the normal is the plane's."""
    n, down = room.normal[0], room.normal[1]
    for i in range(3):
        n[i] = poses.R[plane, i, 2]
        down[i] = -n[i]
    found = plane_points(table, poses, s, down, room.polygons[0])
    count = 0
    for k in range(found):
        p = room.polygons[0, k]
        gap = 0.0
        for i in range(3):
            gap += (p[i] - poses.x[plane, i]) * n[i]
        if gap <= limit:
            count = _add_point(room, count, p, n, gap)
    return count


@part()
def _clip(polygon, n, a, b, normal, out):
    """Clip a polygon (n corners) to the inside of the edge a → b of a face with this normal; corners of ``out``."""
    e0, e1, e2 = b[0] - a[0], b[1] - a[1], b[2] - a[2]
    x, y, z = e1 * normal[2] - e2 * normal[1], e2 * normal[0] - e0 * normal[2], e0 * normal[1] - e1 * normal[0]
    count = 0
    open_line = n == 2
    for k in range(n):
        p, q = polygon[k], polygon[(k + 1) % n]
        outside = x * (p[0] - a[0]) + y * (p[1] - a[1]) + z * (p[2] - a[2])
        next_one = x * (q[0] - a[0]) + y * (q[1] - a[1]) + z * (q[2] - a[2])
        if outside <= 0.0 and count < out.shape[0]:
            for i in range(3):
                out[count, i] = p[i]
            count += 1
        crosses = (outside < 0.0 and next_one > 0.0) or (outside > 0.0 and next_one < 0.0)
        if crosses and count < out.shape[0] and not (open_line and k == 1):
            t = outside / (outside - next_one)
            for i in range(3):
                out[count, i] = p[i] + t * (q[i] - p[i])
            count += 1
    return count


@part()
def _face_contacts(table, poses, flat, face, other, sign, limit, room):
    """Points where shape ``other`` is near a face of shape ``flat``; ``sign`` 1 if ``flat`` is the first of both."""
    n, down = room.normal[0], room.normal[1]
    face_normal(table, poses, flat, face, n)
    for i in range(3):
        down[i] = -n[i]
    sides = face_corners(table, poses, flat, face, room.polygons[0])
    corners, now = facing_polygon(table, poses, other, down, room.polygons[1]), 1
    for k in range(sides):
        edge_end = room.polygons[0, (k + 1) % sides]
        corners = _clip(room.polygons[now], corners, room.polygons[0, k], edge_end, n, room.polygons[3 - now])
        now = 3 - now
    count, on_face = 0, room.polygons[0, 0]
    for k in range(corners):
        p = room.polygons[now, k]
        gap = 0.0
        for i in range(3):
            gap += (p[i] - on_face[i]) * n[i]
        if gap <= limit:
            count = _add_point(room, count, p, n, gap)
    for i in range(3):
        n[i] *= sign
    return count


@part()
def _along_lines(table, poses, a, b, limit, room):
    """Two points where parallel capsules or cylinders lie side by side; 0 if they do not."""
    u, w, n = poses.R[a, :, 2], poses.R[b, :, 2], room.normal[0]
    sine, along_a, along_b = 0.0, 0.0, 0.0
    cosine, offset = 0.0, 0.0
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        sine += (u[j] * w[k] - u[k] * w[j]) ** 2
        along_a += u[i] * n[i]
        along_b += w[i] * n[i]
        cosine += u[i] * w[i]
        offset += (poses.x[b, i] - poses.x[a, i]) * u[i]
    if math.sqrt(sine) > _PARALLEL or abs(along_a) > _PARALLEL or abs(along_b) > _PARALLEL:
        return 0
    low = max(-table.size[a, 1], offset - table.size[b, 1])
    high = min(table.size[a, 1], offset + table.size[b, 1])
    if not high > low:
        return 0
    count, p = 0, room.near[0]
    for end in range(2):
        t = low if end == 0 else high
        gap = -table.size[a, 0] - table.size[b, 0]
        for i in range(3):
            on_b = poses.x[b, i] + (t - offset) / cosine * w[i]
            gap += (on_b - poses.x[a, i] - t * u[i]) * n[i]
            p[i] = on_b - table.size[b, 0] * n[i]
        if gap <= limit:
            count = _add_point(room, count, p, n, gap)
    return count


@part()
def _try_direction(table, poses, a, b, x, y, z, best, room):
    """Gap of two shapes along a direction from a to b; where it is above ``best``, keep normal and place."""
    n, back, p = room.normal[1], room.gjk.d[1], room.gjk.Y
    n[0], n[1], n[2] = x, y, z
    back[0], back[1], back[2] = -x, -y, -z
    support(table, poses, a, SHARP, n, p[0])
    support(table, poses, b, SHARP, back, p[1])
    gap = -radius_about(table, a, SHARP) - radius_about(table, b, SHARP)
    for i in range(3):
        gap += (p[1, i] - p[0, i]) * n[i]
    if gap > best:
        for i in range(3):
            room.normal[0, i] = n[i]
            room.near[1, i] = p[1, i] - radius_about(table, b, SHARP) * n[i]
        return gap
    return best


@part()
def _deep(table, poses, a, b, room):
    """Gap of shapes whose cores overlap: the least overlap along the line of centres and the normals of flat sides."""
    x, y, z = poses.x[b, 0] - poses.x[a, 0], poses.x[b, 1] - poses.x[a, 1], poses.x[b, 2] - poses.x[a, 2]
    length = math.sqrt(x * x + y * y + z * z)
    best = -math.inf
    if length > 0.0:
        best = _try_direction(table, poses, a, b, x / length, y / length, z / length, best, room)
    for side in range(2):
        s, sign = (a, 1.0) if side == 0 else (b, -1.0)
        first, last = table.first_face[s], table.first_face[s + 1]
        if table.kind[s] == CYLINDER:
            first, last = 0, 2
        for face in range(first, last):
            face_normal(table, poses, s, face, room.gjk.d[0])
            d = room.gjk.d[0]
            best = _try_direction(table, poses, a, b, sign * d[0], sign * d[1], sign * d[2], best, room)
    return best


@part()
def _between(table, poses, a, b, limit, room):
    """Points where two shapes that are no planes are near."""
    round_one = table.kind[a] <= CAPSULE or table.kind[b] <= CAPSULE
    edges = SHARP if round_one else ROUNDED
    on_a, on_b, n = room.near[0], room.near[1], room.normal[0]
    distance = core_distance(table, poses, a, b, edges, room.gjk, on_a, on_b)
    if distance == OVERLAP:
        gap = _deep(table, poses, a, b, room)
        half = math.inf
        for i in range(3):
            half = min(half, table.box[a, 1, i], table.box[b, 1, i])
        if gap < -half:
            return TOO_DEEP
    else:
        radius = radius_about(table, b, edges)
        gap = distance - radius_about(table, a, edges) - radius
        for i in range(3):
            n[i] = (on_b[i] - on_a[i]) / distance
            on_b[i] -= radius * n[i]
    if gap > limit:
        return 0
    if table.kind[a] == SPHERE or table.kind[b] == SPHERE:
        return _add_point(room, 0, on_b, n, gap)
    down, n0, n1, n2 = room.normal[1], n[0], n[1], n[2]
    for i in range(3):
        down[i] = -n[i]
    cosine_a, face_a = face_along(table, poses, a, n)
    cosine_b, face_b = face_along(table, poses, b, down)
    count = 0
    if cosine_a >= cosine_b and cosine_a > _ALIGNED:
        count = _face_contacts(table, poses, a, face_a, b, 1.0, limit, room)
    elif cosine_b > _ALIGNED:
        count = _face_contacts(table, poses, b, face_b, a, -1.0, limit, room)
    elif (table.kind[a] == CAPSULE or table.kind[a] == CYLINDER) and (
        table.kind[b] == CAPSULE or table.kind[b] == CYLINDER
    ):
        keep0, keep1, keep2 = on_b[0], on_b[1], on_b[2]
        count = _along_lines(table, poses, a, b, limit, room)
        on_b[0], on_b[1], on_b[2] = keep0, keep1, keep2
    least = math.inf
    for k in range(count):
        least = min(least, room.gaps[k])
    near = 2e-3 * (abs(gap) + radius_about(table, a, ROUNDED) + radius_about(table, b, ROUNDED))
    if count > 0 and least > gap + near:  # the nearest points lie beside the flat side
        count = 0
        n[0], n[1], n[2] = n0, n1, n2
    return count if count > 0 else _add_point(room, 0, on_b, n, gap)


@part()
def _farthest(room, count, chosen):
    """The point farthest from the ``chosen`` first ones: from a point, a line, then on the other side of the line."""
    p, n, best, most = room.points, room.normal[0], chosen, -1.0
    for k in range(chosen, count):
        if chosen == 1:
            far = (p[k, 0] - p[0, 0]) ** 2 + (p[k, 1] - p[0, 1]) ** 2 + (p[k, 2] - p[0, 2]) ** 2
        else:
            area = 0.0
            for i in range(3):
                j, m = (i + 1) % 3, (i + 2) % 3
                area += n[i] * ((p[1, j] - p[0, j]) * (p[k, m] - p[0, m]) - (p[1, m] - p[0, m]) * (p[k, j] - p[0, j]))
            far = abs(area) if chosen == 2 else -area * room.near[0, 0]
            if chosen == 2 and far > most:
                room.near[0, 1] = area
        if far > most:
            best, most = k, far
    if chosen == 2:
        room.near[0, 0] = 1.0 if room.near[0, 1] > 0.0 else -1.0
    return best


@part()
def _reduce(room, count):
    """Keep four points: the deepest, and those that span the largest area with it."""
    if count <= MOST_POINTS:
        return count
    deepest = 0
    for k in range(1, count):
        if room.gaps[k] < room.gaps[deepest] - 1e-9:
            deepest = k
    for chosen in range(MOST_POINTS):
        k = deepest if chosen == 0 else _farthest(room, count, chosen)
        room.gaps[chosen], room.gaps[k] = room.gaps[k], room.gaps[chosen]
        for i in range(3):
            room.points[chosen, i], room.points[k, i] = room.points[k, i], room.points[chosen, i]
    return MOST_POINTS


@part()
def contact_points(table, poses, a, b, limit, room):
    """How many points of shapes a and b have gaps ≤ limit; room.normal[0] from a to b, room.points, room.gaps."""
    if table.kind[a] == PLANE and table.kind[b] == PLANE:
        return 0
    if table.kind[a] == PLANE:
        return _reduce(room, _with_plane(table, poses, a, b, limit, room))
    if table.kind[b] == PLANE:
        count = _reduce(room, _with_plane(table, poses, b, a, limit, room))
        for i in range(3):
            room.normal[0, i] = -room.normal[0, i]
        return count
    count = _between(table, poses, a, b, limit, room)
    return count if count <= 0 else _reduce(room, count)
