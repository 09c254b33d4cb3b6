"""Convex shapes in tables: poses, support points of their cores, faces that meet other faces.

A shape is a core and a radius about it: a sphere is a point with its radius, a capsule a segment along z with its
radius; a cylinder about z and a polyhedron (boxes, hulls) are themselves with radius 0 (``SHARP``), or a little smaller
with the rest as radius (``ROUNDED``), so that two of them that touch have cores that lie apart.
"""

import math
from typing import NamedTuple

import numpy as np

from panhead.engine.jit.compiler import part, whole

PLANE, SPHERE, CAPSULE, CYLINDER, POLYHEDRON = range(5)
SHARP, ROUNDED = 0, 1
RIM = 12  # corners by which the cap of a cylinder is clipped
MOST_CORNERS = 64  # of a polygon


class ShapeTable(NamedTuple):
    """n shapes; corners and faces of polyhedra one behind the other."""

    kind: np.ndarray  # (n,)
    body: np.ndarray  # (n,) −1: the ground
    place: np.ndarray  # (n, 3) on the body [m]
    axes: np.ndarray  # (n, 3, 3) on the body
    size: np.ndarray  # (n, 2) radius, half of the length between the ends of the core or the caps [m]
    rounding: np.ndarray  # (n,) of cylinders and polyhedra [m]
    box: np.ndarray  # (n, 2, 3) centre and half widths of a box about the shape, in its axes [m]
    first_vertex: np.ndarray  # (n + 1,)
    vertices: np.ndarray  # (nv, 3) [m]
    first_core: np.ndarray  # (n + 1,)
    cores: np.ndarray  # (·, 3) corners of what is left without the rounding [m]
    first_face: np.ndarray  # (n + 1,)
    normals: np.ndarray  # (nf, 3)
    first_corner: np.ndarray  # (nf + 1,)
    corners: np.ndarray  # (nc,) vertices around a face, counted from the shape's first


class Poses(NamedTuple):
    """Shapes in the world."""

    x: np.ndarray  # (n, 3) [m]
    R: np.ndarray  # (n, 3, 3)


@part()
def rotation(e, R):
    """R (3, 3) of Euler parameters e (4,); as in panhead.engine.rotations."""
    a, b, c, d = e[0], e[1], e[2], e[3]
    R[0, 0], R[0, 1], R[0, 2] = a * a + b * b - c * c - d * d, 2 * (b * c - a * d), 2 * (b * d + a * c)
    R[1, 0], R[1, 1], R[1, 2] = 2 * (b * c + a * d), a * a - b * b + c * c - d * d, 2 * (c * d - a * b)
    R[2, 0], R[2, 1], R[2, 2] = 2 * (b * d - a * c), 2 * (c * d + a * b), a * a - b * b - c * c + d * d


@whole
def place_shapes(table, first_q, q, R, poses):
    """Poses of all shapes; first_q (bodies,) index of each body's x among q, R (3, 3) room."""
    for s in range(table.kind.shape[0]):
        b = table.body[s]
        if b < 0:
            for i in range(3):
                poses.x[s, i] = table.place[s, i]
                for j in range(3):
                    poses.R[s, i, j] = table.axes[s, i, j]
            continue
        k = first_q[b]
        rotation(q[k + 3 : k + 7], R)
        for i in range(3):
            poses.x[s, i] = q[k + i]
            for j in range(3):
                poses.x[s, i] += R[i, j] * table.place[s, j]
                poses.R[s, i, j] = 0.0
                for m in range(3):
                    poses.R[s, i, j] += R[i, m] * table.axes[s, m, j]


@part()
def to_world(poses, s, x, y, z, out):
    """out (3,) of a point in the axes of shape s."""
    R = poses.R[s]
    for i in range(3):
        out[i] = poses.x[s, i] + R[i, 0] * x + R[i, 1] * y + R[i, 2] * z


@part()
def radius_about(table, s, edges):
    """Radius about the core of a shape."""
    if table.kind[s] == SPHERE or table.kind[s] == CAPSULE:
        return table.size[s, 0]
    return table.rounding[s] if edges == ROUNDED else 0.0


@part()
def support(table, poses, s, edges, d, out):
    """out (3,): the point of the core of shape s that is farthest along d (3,), both in the world."""
    R = poses.R[s]
    x = R[0, 0] * d[0] + R[1, 0] * d[1] + R[2, 0] * d[2]
    y = R[0, 1] * d[0] + R[1, 1] * d[1] + R[2, 1] * d[2]
    z = R[0, 2] * d[0] + R[1, 2] * d[1] + R[2, 2] * d[2]
    kind = table.kind[s]
    if kind == SPHERE:
        to_world(poses, s, 0.0, 0.0, 0.0, out)
    elif kind == CAPSULE:
        to_world(poses, s, 0.0, 0.0, table.size[s, 1] if z > 0.0 else -table.size[s, 1], out)
    elif kind == CYLINDER:
        less = table.rounding[s] if edges == ROUNDED else 0.0
        r, half, across = table.size[s, 0] - less, table.size[s, 1] - less, math.sqrt(x * x + y * y)
        c = r / across if across > 0.0 else 0.0
        to_world(poses, s, c * x, c * y, half if z > 0.0 else -half, out)
    else:
        best, far = -1, -math.inf
        first, vertices = (table.first_core, table.cores) if edges == ROUNDED else (table.first_vertex, table.vertices)
        for k in range(first[s], first[s + 1]):
            along = vertices[k, 0] * x + vertices[k, 1] * y + vertices[k, 2] * z
            if along > far:
                best, far = k, along
        to_world(poses, s, vertices[best, 0], vertices[best, 1], vertices[best, 2], out)


@part()
def face_along(table, poses, s, n):
    """(cosine, face): the flat side of shape s whose outward normal is nearest to n (3,); −1 if it has none."""
    R, kind = poses.R[s], table.kind[s]
    x = R[0, 0] * n[0] + R[1, 0] * n[1] + R[2, 0] * n[2]
    y = R[0, 1] * n[0] + R[1, 1] * n[1] + R[2, 1] * n[2]
    z = R[0, 2] * n[0] + R[1, 2] * n[1] + R[2, 2] * n[2]
    if kind == CYLINDER:
        return abs(z), (0 if z > 0.0 else 1)
    best, cosine = -1, -2.0
    if kind == POLYHEDRON:
        for f in range(table.first_face[s], table.first_face[s + 1]):
            c = table.normals[f, 0] * x + table.normals[f, 1] * y + table.normals[f, 2] * z
            if c > cosine:
                best, cosine = f, c
    return cosine, best


@part()
def face_normal(table, poses, s, face, out):
    """out (3,): the outward normal of a face in the world."""
    R = poses.R[s]
    for i in range(3):
        if table.kind[s] == CYLINDER:
            out[i] = R[i, 2] if face == 0 else -R[i, 2]
        else:
            out[i] = (
                R[i, 0] * table.normals[face, 0] + R[i, 1] * table.normals[face, 1] + R[i, 2] * table.normals[face, 2]
            )


@part()
def face_corners(table, poses, s, face, out):
    """Write the corners (≤ MOST_CORNERS, 3) of a face in the world, counter-clockwise from outside; their number."""
    if table.kind[s] == CYLINDER:
        for k in range(RIM):
            angle = 2.0 * math.pi * k / RIM
            side = 1.0 if face == 0 else -1.0
            to_world(poses, s, table.size[s, 0] * math.cos(angle), side * table.size[s, 0] * math.sin(angle),
                     side * table.size[s, 1], out[k])  # fmt: skip
        return RIM
    n = table.first_corner[face + 1] - table.first_corner[face]
    for k in range(n):
        v = table.first_vertex[s] + table.corners[table.first_corner[face] + k]
        to_world(poses, s, table.vertices[v, 0], table.vertices[v, 1], table.vertices[v, 2], out[k])
    return n


@part()
def lowest_side(table, poses, s, n, out):
    """Write the ends (2, 3) of the line of a capsule or cylinder that is farthest along n (3,)."""
    R = poses.R[s]
    along = R[0, 2] * n[0] + R[1, 2] * n[1] + R[2, 2] * n[2]
    capsule = table.kind[s] == CAPSULE
    length = 0.0
    for i in range(3):
        side = n[i] - (0.0 if capsule else along * R[i, 2])
        length += side * side
    length = math.sqrt(length)
    for k in range(2):
        half = table.size[s, 1] if k == 0 else -table.size[s, 1]
        for i in range(3):
            side = n[i] - (0.0 if capsule else along * R[i, 2])
            out[k, i] = poses.x[s, i] + half * R[i, 2] + (table.size[s, 0] * side / length if length > 0.0 else 0.0)


@part()
def facing_polygon(table, poses, s, n, out):
    """Write the polygon (≤ MOST_CORNERS, 3) of shape s that faces a plane across n: a face, a line; its corners."""
    if table.kind[s] == CAPSULE:
        lowest_side(table, poses, s, n, out)
        return 2
    cosine, face = face_along(table, poses, s, n)
    if table.kind[s] == CYLINDER and cosine < 0.7:
        lowest_side(table, poses, s, n, out)
        return 2
    return face_corners(table, poses, s, face, out)


@part()
def plane_points(table, poses, s, n, out):
    """Write the points (≤ MOST_CORNERS, 3) of shape s that may touch a plane whose normal is −n; their number."""
    kind = table.kind[s]
    if kind == SPHERE:
        for i in range(3):
            out[0, i] = poses.x[s, i] + table.size[s, 0] * n[i]
        return 1
    if kind == CAPSULE:
        lowest_side(table, poses, s, n, out)
        return 2
    if kind == CYLINDER:
        return _cylinder_points(table, poses, s, n, out)
    count = 0
    for k in range(table.first_vertex[s], table.first_vertex[s + 1]):
        if count < MOST_CORNERS:
            v = table.vertices[k]
            to_world(poses, s, v[0], v[1], v[2], out[count])
            count += 1
    return count


@part()
def _cylinder_points(table, poses, s, n, out):
    """The lowest points of both rims, and three others of the lower one."""
    R = poses.R[s]
    x = R[0, 0] * n[0] + R[1, 0] * n[1] + R[2, 0] * n[2]
    y = R[0, 1] * n[0] + R[1, 1] * n[1] + R[2, 1] * n[2]
    z = R[0, 2] * n[0] + R[1, 2] * n[1] + R[2, 2] * n[2]
    across = math.sqrt(x * x + y * y)
    c, d = (x / across, y / across) if across > 1e-6 else (1.0, 0.0)
    r, half = table.size[s, 0], (table.size[s, 1] if z > 0.0 else -table.size[s, 1])
    to_world(poses, s, r * c, r * d, half, out[0])
    to_world(poses, s, -r * d, r * c, half, out[1])
    to_world(poses, s, r * d, -r * c, half, out[2])
    to_world(poses, s, -r * c, -r * d, half, out[3])
    to_world(poses, s, r * c, r * d, -half, out[4])
    return 5
