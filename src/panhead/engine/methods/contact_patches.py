"""Contacts of one pair of shapes as a patch of a rigid face: what its points can ask of a rigid body.

Points of a patch share a normal. Where they ask for velocities that no rigid body has, their impulses wedge against
each other, however small the contradiction, and hundreds of sweeps do not find them. Two rules avoid that:

    height      points of a patch lie in one plane across the normal, so that those that stick keep their distances
    plane       Σ aᵢ sᵢ = 0 of the normal velocities asked of four points, a the areas of the triangles of the others
"""

from __future__ import annotations

import numpy as np

from panhead.engine.system import TouchingShapes, Vector


def patch_numbers(pair: np.ndarray) -> np.ndarray:
    """Number (n,) of the patch of each contact; contacts of a pair stand behind one another."""
    return np.cumsum(np.any(np.diff(pair, axis=0, prepend=-1), axis=1)) - 1


def points_at_one_height(found: TouchingShapes) -> np.ndarray:
    """Contact points (n, 3) moved along their normal to the height of the deepest one of their patch [m]."""
    patch = patch_numbers(found.pair)
    height = (found.points * found.normals).sum(axis=1)
    order = np.lexsort((found.gaps, patch))
    deepest = order[np.searchsorted(patch, np.arange(patch.max(initial=-1) + 1))]
    return found.points + (height[deepest][patch] - height)[:, None] * found.normals


def plane_values(found: TouchingShapes, values: Vector) -> Vector:
    """The least change of values (n,) after which those of every patch of four points lie in a plane."""
    patch = patch_numbers(found.pair)
    first = np.flatnonzero(np.bincount(patch, minlength=0) == 4)
    if not len(first):
        return values
    at = np.searchsorted(patch, first)[:, None] + np.arange(4)
    p, n = found.points[at], found.normals[at[:, 0]]
    others = [[1, 2, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2]]
    areas = np.stack([_area(p[:, k], n) for k in others], axis=1) * (1.0, -1.0, 1.0, -1.0)
    squared = (areas**2).sum(axis=1)
    off = np.divide((areas * values[at]).sum(axis=1), squared, out=np.zeros(len(at)), where=squared > 0)
    flat = values.copy()
    flat[at] -= off[:, None] * areas
    return flat


def _area(p: np.ndarray, n: np.ndarray) -> np.ndarray:
    """Twice the areas of triangles p (m, 3, 3), signed by the normals n (m, 3)."""
    return (np.cross(p[:, 1] - p[:, 0], p[:, 2] - p[:, 0]) * n).sum(axis=1)
