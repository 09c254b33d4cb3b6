"""A rod that bounces on a smooth floor: flights are parabolas and steady turns, instants by Brent, blows by hand."""

import numpy as np
from scipy.optimize import brentq

LENGTH, MASS, GRAVITY = 1.0, 1.0, 9.81
INERTIA = MASS * LENGTH**2 / 12


def gap(s, end, y, v, phi, w):
    """Of an end above the floor after a flight of s."""
    return y + v * s - 0.5 * GRAVITY * s**2 + end * 0.5 * LENGTH * np.sin(phi + w * s)


def impacts(height, angle, restitution, count):
    """(time, end, impulse) of the first blows; end −1 is the left one."""
    t, y, v, phi, w = 0.0, height + 0.5 * LENGTH * np.sin(angle), 0.0, angle, 0.0
    found = []
    while len(found) < count:
        hits = []
        for end in (-1, 1):
            grid = np.arange(1e-6, 2.0, 1e-4)
            values = gap(grid, end, y, v, phi, w)
            first = np.flatnonzero((values[:-1] > 0) & (values[1:] <= 0))
            if len(first):
                hits.append(
                    (brentq(gap, grid[first[0]], grid[first[0] + 1], args=(end, y, v, phi, w), xtol=1e-15), end)
                )
        s, end = min(hits)
        t, y, v, phi = t + s, y + v * s - 0.5 * GRAVITY * s**2, v - GRAVITY * s, phi + w * s
        arm = end * 0.5 * LENGTH * np.cos(phi)
        impulse = -(1 + restitution) * (v + arm * w) / (1 / MASS + arm**2 / INERTIA)
        v, w = v + impulse / MASS, w + arm * impulse / INERTIA
        found.append((t, end, impulse))
    return found
