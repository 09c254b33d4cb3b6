"""Independent solution of Lee's frame: the plane elastica of both legs by the shooting method."""

from __future__ import annotations

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import fsolve

from panhead.validation.beams_in_space.model import LEE


def _shoot(x: np.ndarray, sink: float) -> np.ndarray:
    """Residual at the side hinge for H, V, the angle at the foot and the load, at the prescribed deflection.

    θ′ = M / EI, the axis does not stretch; the moment about a section is that of the forces before it. All lengths in
    legs, forces in EI / leg².
    """
    H, V, angle, P = x
    place = LEE[1] / LEE[0]

    def leg(start: np.ndarray, length: float, fx: float, fy: float) -> np.ndarray:
        # M = r × f about the section, f the sum of the forces before it
        def rate(s: float, y: np.ndarray) -> list[float]:
            c, n = np.cos(y[2]), np.sin(y[2])
            return [c, n, y[3], fy * c - fx * n]

        return np.asarray(solve_ivp(rate, (0.0, length), start, rtol=1e-9, atol=1e-10).y[:, -1])

    corner = leg(np.array([0.0, 0.0, angle, 0.0]), 1.0, H, V)
    turned = corner - np.array([0.0, 0.0, np.pi / 2, 0.0])
    loaded = leg(turned, place, H, V)
    end = leg(loaded, 1.0 - place, H, V - P)
    return np.array([end[0] - 1.0, end[1] - 1.0, end[3], loaded[1] - (1.0 - sink)])


def snap_load() -> float:
    """Largest load of the frame before snap-through [N]."""
    x, loads = np.array([0.0, 0.01, np.pi / 2, 0.01]), []
    for sink in np.linspace(0.01, 0.5, 50):
        x = fsolve(_shoot, x, args=(sink,), xtol=1e-11)
        loads.append(x[3])
        if len(loads) > 2 and loads[-1] < loads[-2]:
            break
    k = int(np.argmax(loads))
    a, b, c = np.polyfit([-1.0, 0.0, 1.0], loads[k - 1 : k + 2], 2)
    leg, _, E, _, inertia = LEE
    return float((c - b * b / (4 * a)) * E * inertia / leg**2)
