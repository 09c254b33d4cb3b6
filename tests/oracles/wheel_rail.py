"""Wheel on rail by brute force, and Hertz's contact by quadrature.

``deepest`` samples the wheel as a surface in space, no outline, no contact equations, and zooms in on
the sample that lies deepest under the rail's polyline. With samples of the profiles 2 µm apart and
four zooms it is good to about 1e-10 m in depth and 1e-5 m in place: depth is stationary there.

``hertz_by_quadrature`` integrates the potential of an ellipsoidal pressure, no elliptic integrals.
"""

from __future__ import annotations

import mpmath
import numpy as np
from scipy.spatial import cKDTree


class Rail:
    """A rail's cross-section as a dense polyline (n, 2), from the gauge side to the field side."""

    def __init__(self, points):
        self.points = points
        self.tree = cKDTree(points)

    def height(self, at):
        """Signed distances of points (m, 2), positive outside: to the nearest segment's line."""
        _, k = self.tree.query(at)
        k = np.clip(k, 1, len(self.points) - 2)
        along = self.points[k + 1] - self.points[k - 1]
        along /= np.linalg.norm(along, axis=1)[:, None]
        away = at - self.points[k]
        tau = (along * away).sum(axis=1)
        # the polyline's own bend between the neighbours
        bend = self.points[k + 1] - 2 * self.points[k] + self.points[k - 1]
        step = 0.5 * np.linalg.norm(self.points[k + 1] - self.points[k - 1], axis=1)
        normal = np.column_stack([-along[:, 1], along[:, 0]])
        drop = 0.5 * (normal * bend).sum(axis=1) / step**2 * tau**2
        return (normal * away).sum(axis=1) - drop


def deepest(wheel, rail, centre, axle, near):
    """(depth, η, β) of the deepest point of a wheel.

    wheel: (n, 2) η, ρ; rail: a Rail; centre (3,), axle (3,) unit vector outward; near: range of η.
    """
    forward = np.array([1.0, 0.0, 0.0]) - axle[0] * axle
    forward /= np.linalg.norm(forward)
    down = np.cross(forward, axle)
    down *= -np.sign(down[2])
    eta, beta, (w_eta, w_beta) = 0.5 * sum(near), 0.0, (0.5 * (near[1] - near[0]), 0.06)
    for _ in range(6):
        grid_eta = np.linspace(eta - w_eta, eta + w_eta, 161)
        grid_beta = np.linspace(beta - w_beta, beta + w_beta, 61)
        rho = np.interp(grid_eta, wheel[:, 0], wheel[:, 1])
        e, b = np.meshgrid(grid_eta, grid_beta, indexing="ij")
        r = rho[:, None]
        space = centre + e[..., None] * axle + (r * np.cos(b))[..., None] * down + (r * np.sin(b))[..., None] * forward
        depth = -rail.height(space[..., 1:].reshape(-1, 2)).reshape(e.shape)
        i, j = np.unravel_index(depth.argmax(), depth.shape)
        eta, beta = grid_eta[i], grid_beta[j]
        w_eta, w_beta = w_eta / 12, w_beta / 8
    return depth[i, j], eta, beta


def hertz_by_quadrature(a, b, force, E_star):
    """(A, B, δ) of an elliptic contact with semi-axes a, b under a force, by mpmath's quadrature.

    δ = k ∫ dw/√P,  A = k ∫ dw/((a² + w) √P),  B = k ∫ dw/((b² + w) √P),  P = (a² + w)(b² + w) w,
    k = 3N/(4π E*), w from 0 to ∞; w = a² tan² x makes it finite.
    """
    a2, b2 = mpmath.mpf(a) ** 2, mpmath.mpf(b) ** 2
    k = 3 * mpmath.mpf(force) / (4 * mpmath.pi * mpmath.mpf(E_star))

    def integral(extra):
        def f(x):
            w = a2 * mpmath.tan(x) ** 2
            # dw/√((a² + w) w) = 2 dx/cos x · … with 1 + tan² = 1/cos²
            return extra(w) * 2 / mpmath.cos(x) / mpmath.sqrt(b2 + w)

        return k * mpmath.quad(f, [0, mpmath.pi / 4, mpmath.pi / 2])

    return tuple(float(integral(f)) for f in (lambda w: 1 / (a2 + w), lambda w: 1 / (b2 + w), lambda w: mpmath.mpf(1)))
