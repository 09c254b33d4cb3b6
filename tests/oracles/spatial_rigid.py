"""Rigid bodies in space without constraints: the chain, the spatial slider-cranks, Hooke's shaft.

Chain: the links' angular velocities ω are the speeds, quaternions follow them. With uₖ along link k
and a_kj = ℓ (j < k), ℓ/2 (j = k), 0 beyond, c̈ₖ = Σⱼ a_kj (ω̇ⱼ × uⱼ + ωⱼ × (ωⱼ × uⱼ)), and for every i

    Σₖ m a_ki uᵢ × (c̈ₖ − g) + Iᵢ ω̇ᵢ + ωᵢ × Iᵢ ωᵢ = 0.

The mechanisms have one freedom θ that never stops: ½ I(θ) θ̇² + V(θ) = E gives θ̇, with I from the
complex-step derivatives of all places and frames.
"""

from collections.abc import Callable

import numpy as np
from scipy.integrate import solve_ivp

from .multibody_models import Chain, HookeShaft, SpatialSliderCrank

Histories = dict[str, np.ndarray]
STEP = 1e-30
MAX_STEP = 2e-3  #: [s], so that interpolating within a step costs no accuracy


def skew(a: np.ndarray) -> np.ndarray:
    """[a]× of vectors (…, 3)."""
    out = np.zeros((*a.shape, 3), dtype=a.dtype)
    out[..., 0, 1], out[..., 0, 2], out[..., 1, 2] = -a[..., 2], a[..., 1], -a[..., 0]
    return out - np.swapaxes(out, -1, -2)


def rotation(q: np.ndarray) -> np.ndarray:
    """Matrices (…, 3, 3) of quaternions (…, 4), scalar first, of any length."""
    q = q / np.linalg.norm(q, axis=-1, keepdims=True)
    w, K = q[..., :1, None], skew(q[..., 1:])
    return np.eye(3) + 2 * w * K + 2 * K @ K


def start_quaternions(p: Chain) -> np.ndarray:
    """q = q_z(α) q_y(β) (links, 4)."""
    half = np.array([p.angles(k) for k in range(p.links)]) / 2
    (ca, cb), (sa, sb) = np.cos(half).T, np.sin(half).T
    return np.column_stack([ca * cb, -sa * sb, ca * sb, sa * cb])


class Links:
    """Constants of a chain; states are quaternions, then world angular velocities."""

    def __init__(self, p: Chain):
        self.p, n = p, p.links
        a = p.length * (np.tri(n) - 0.5 * np.eye(n))
        self.a, self.W, self.reach = a, p.mass * a.T @ a, p.mass * a.sum(axis=0)
        self.down = np.array([0.0, 0.0, -p.gravity])

    def split(self, s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        n = self.p.links
        return s[: 4 * n].reshape(n, 4), s[4 * n :].reshape(n, 3)

    def inertia(self, R: np.ndarray) -> np.ndarray:
        return np.einsum("nij,j,nkj->nik", R, np.array(self.p.inertia), R)

    def rate(self, s: np.ndarray) -> np.ndarray:
        q, w = self.split(s)
        n, R = self.p.links, rotation(q)
        u, I = R[:, :, 0], self.inertia(R)
        U = skew(u)
        M = -np.einsum("ij,iab,jbc->iajc", self.W, U, U)
        M[np.arange(n), :, np.arange(n)] += I
        swing = np.cross(w, np.cross(w, u))
        torque = np.cross(u, self.reach[:, None] * self.down - self.W @ swing)
        torque -= np.cross(w, np.einsum("nij,nj->ni", I, w))
        w_dot = np.linalg.solve(M.reshape(3 * n, 3 * n), torque.ravel())
        scalar, vector = q[:, :1], q[:, 1:]
        q_dot = 0.5 * np.column_stack([-(w * vector).sum(axis=1), scalar * w + np.cross(w, vector)])
        return np.concatenate([q_dot.ravel(), w_dot])

    def ends(self, s: np.ndarray) -> np.ndarray:
        """Lower ends of all links (links, 3)."""
        return self.p.length * np.cumsum(rotation(self.split(s)[0])[:, :, 0], axis=0)

    def energy(self, s: np.ndarray) -> float:
        q, w = self.split(s)
        R = rotation(q)
        u = R[:, :, 0]
        v = self.a @ np.cross(w, u)
        spin = np.einsum("ni,nij,nj->", w, self.inertia(R), w)
        height = (self.a @ u)[:, 2].sum()
        return float(0.5 * self.p.mass * (v**2).sum() + 0.5 * spin + self.p.mass * self.p.gravity * height)


def chain(p: Chain, rtol: float) -> Histories:
    """End of the middle link and of the last (nt, 3), last link's angular velocity, energy."""
    links = Links(p)
    start = np.append(start_quaternions(p).ravel(), np.zeros(3 * p.links))
    run = solve_ivp(
        lambda _, s: links.rate(s), (0.0, p.times[-1]), start, "DOP853", p.times,
        rtol=rtol, atol=1e-2 * rtol,
    )  # fmt: skip
    ends = np.array([links.ends(s) for s in run.y.T])
    return {
        "middle": ends[:, p.links // 2 - (p.links > 1)],
        "tip": ends[:, -1],
        "omega_last": run.y.T[:, -3:],
        "energy": np.array([links.energy(s) for s in run.y.T]),
    }


Body = tuple[float, np.ndarray, np.ndarray, np.ndarray]  # mass, inertia, centre, frame


def _unit(a: np.ndarray) -> np.ndarray:
    return a / np.sqrt(np.sum(a * a))


def slider_crank_bodies(p: SpatialSliderCrank, theta: complex) -> list[Body]:
    """Crank, rod and block with their places at θ; complex θ passes through."""
    A, x = np.array(p.pivot), np.array([1.0, 0.0, 0.0])
    c, s = np.cos(theta), np.sin(theta)
    arm = np.array([0.0, s, c])
    B = A + p.crank * arm
    C = np.array([np.sqrt(p.rod**2 - B[1] ** 2 - B[2] ** 2), 0.0, 0.0])
    along = _unit(C - B)
    universal = p.joints == "universal"
    y = _unit(np.cross(np.array([0.0, 0.0, 1.0]) if universal else x, along))
    block = np.eye(3) if universal else np.column_stack([x, y, np.cross(x, y)])
    turned = np.array([[1.0, 0.0, 0.0], [0.0, c, s], [0.0, -s, c]])  # by θ about −x
    rod = np.column_stack([along, y, np.cross(along, y)])
    return [
        (p.crank_mass, np.diag(p.crank_inertia), A + p.crank / 2 * arm, turned),
        (p.rod_mass, np.diag(p.rod_inertia), (B + C) / 2, rod),
        (p.block_mass, np.diag(p.block_inertia), C, block),
    ]


def one_freedom(bodies: Callable[[complex], list[Body]], theta: float) -> tuple[float, float]:
    """I(θ) [kg·m²] and Σ m z [kg·m]."""
    inertia = moment = 0.0
    for mass, I, centre, frame in bodies(theta + 1j * STEP):
        v, R = centre.imag / STEP, frame.real
        K = frame.imag / STEP @ R.T
        w = R.T @ np.array([K[2, 1], K[0, 2], K[1, 0]])
        inertia += mass * v @ v + w @ I @ w
        moment += mass * centre[2].real
    return inertia, moment


def turning(
    bodies: Callable[[complex], list[Body]], start: float, speed: float, gravity: float,
    times: tuple[float, ...], rtol: float,
) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    """θ and θ̇ at the times, from the energy."""
    I0, z0 = one_freedom(bodies, start)
    total = 0.5 * I0 * speed**2 + gravity * z0

    def rate(theta: float) -> float:
        inertia, moment = one_freedom(bodies, theta)
        return float(np.sqrt(2 * (total - gravity * moment) / inertia))

    run = solve_ivp(
        lambda _, y: [rate(y[0])], (0.0, times[-1]), [start], "DOP853", times,
        rtol=rtol, atol=rtol, max_step=MAX_STEP,
    )  # fmt: skip
    theta = run.y[0]
    return theta, np.array([rate(a) for a in theta])


def slider_crank(p: SpatialSliderCrank, rtol: float) -> Histories:
    """Crank angle, its rate, the block's x and the rod's centre (nt, 3), the block's z axis."""
    bodies = lambda theta: slider_crank_bodies(p, theta)
    theta, rate = turning(bodies, p.angle, p.speed, p.gravity, p.times, rtol)
    found = [bodies(a) for a in theta]
    return {
        "angle": theta,
        "rate": rate,
        "block": np.array([f[2][2][0].real for f in found]),
        "rod": np.array([f[1][2].real for f in found]),
        "block_z": np.array([f[2][3][:, 2].real for f in found]),
    }


def hooke(p: HookeShaft, rtol: float) -> Histories:
    """Angles and rates of both shafts, and the y axis of shaft 1 (nt, 3)."""
    c = np.cos(p.bend)
    ratio = lambda a: c / (np.cos(a) ** 2 * c**2 + np.sin(a) ** 2)
    I1, I2 = p.inertias[0][0], p.inertias[1][0]
    total = I1 + I2 * ratio(0.0) ** 2
    rate = lambda a: p.speed * np.sqrt(total / (I1 + I2 * ratio(a) ** 2))
    run = solve_ivp(
        lambda _, y: rate(y), (0.0, p.times[-1]), [0.0], "DOP853", p.times,
        rtol=rtol, atol=rtol, max_step=MAX_STEP,
    )  # fmt: skip
    a = run.y[0]
    b = np.arctan2(np.sin(a), np.cos(a) * c)
    return {
        "angle1": a,
        "angle2": b + 2 * np.pi * np.round((a - b) / (2 * np.pi)),
        "rate1": rate(a),
        "rate2": rate(a) * ratio(a),
        "y1": np.column_stack([0 * a, np.cos(a), np.sin(a)]),
    }
