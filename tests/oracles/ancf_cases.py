"""The clamped bar, the rubber pendulum and the crank with an elastic rod, by the cable of `ancf`.

All in coordinates that need no multiplier: what is held or shared is left out. The bar's exact
answer is a boundary value problem of its own, the extensible elastica

    θ' = M/EI,   M' = F x',   r' = (1 + ε)(cos θ, sin θ),   ε = −F sin θ/EA,   θ(0) = M(L) = 0,

with the force (0, −F) at the tip.
"""

import numpy as np
from scipy.integrate import solve_bvp, solve_ivp

from .ancf import Cable
from .multibody_models import Cantilever, FlexiblePendulum, SliderCrank

Histories = dict[str, np.ndarray]


def elastica_tip(p: Cantilever, tolerance: float = 1e-12) -> np.ndarray:
    """Tip displacement [m] of the geometrically exact bar."""
    F, EA, EI, L = p.force, p.EA, p.EI, p.length

    def rate(s: np.ndarray, y: np.ndarray) -> np.ndarray:
        theta, mu = y[0], y[1]  # mu = M/(F L)
        stretch = 1 - F * np.sin(theta) / EA
        dx, dy = stretch * np.cos(theta), stretch * np.sin(theta)
        return np.array([mu * F * L**2 / EI, dx, dx * L, dy * L])

    ends = lambda a, b: np.array([a[0], b[1], a[2], a[3]])
    s = np.linspace(0.0, 1.0, 201)
    guess = np.array([-s, s - 1, L * s, -0.5 * L * s**2])
    found = solve_bvp(rate, ends, s, guess, tol=tolerance, max_nodes=200_000)
    assert found.success, found.message
    return found.y[2:, -1] - [L, 0.0]


def cantilever_tip(p: Cantilever, elements: int) -> np.ndarray:
    """Tip displacement [m] with ANCF elements, the force put on in ten parts."""
    cable = Cable(length=p.length, elements=elements, line_mass=1.0, EA=p.EA, EI=p.EI)
    q = cable.straight(np.array([1.0, 0.0]))
    free = np.delete(np.arange(q.size), [0, 1, 3])
    for part in np.linspace(0.1, 1.0, 10):
        load = np.zeros_like(q)
        load[-1, 0, 1] = -part * p.force
        for _ in range(50):
            r = (cable.force(q) + load).ravel()[free]
            move = np.linalg.solve(cable.tangent(q)[np.ix_(free, free)], r)
            q.ravel()[free] += move
            if np.abs(move).max() < 1e-13:
                break
    return q[-1, 0] - [p.length, 0.0]


def pendulum(p: FlexiblePendulum, rtol: float) -> Histories:
    """Tip and middle node (nt, 2) [m], and the energy [J]."""
    cable = Cable(length=p.length, elements=p.elements, line_mass=p.line_mass, EA=p.EA, EI=p.EI)
    n = 2 * (p.elements + 1)
    shape = (p.elements + 1, 2, 2)
    inverse = np.zeros((n, n))
    inverse[1:, 1:] = np.linalg.inv(cable.mass[1:, 1:])
    weight = np.outer(cable.weight, [0.0, -p.gravity])

    def rate(_: float, s: np.ndarray) -> np.ndarray:
        f = cable.force(s[: 2 * n].reshape(shape)).reshape(n, 2) + weight
        return np.concatenate([s[2 * n :], (inverse @ f).ravel()])

    start = np.append(cable.straight(np.array([1.0, 0.0])).ravel(), np.zeros(2 * n))
    run = solve_ivp(rate, (0.0, p.times[-1]), start, "DOP853", p.times, rtol=rtol, atol=1e-2 * rtol)
    q, v = (half.reshape(-1, n, 2) for half in np.split(run.y.T, 2, axis=1))
    kinetic = 0.5 * np.einsum("tid,ij,tjd->t", v, cable.mass, v)
    height = np.einsum("i,ti->t", cable.weight, q[:, :, 1])
    elastic = np.array([cable.energy(x.reshape(shape)) for x in q])
    return {"tip": q[:, -2], "middle": q[:, p.elements], "energy": kinetic + elastic + p.gravity * height}


class Crank:
    """Coordinates: crank angle φ, then the rod's (2 nodes, 2) without both ends' positions, then x.

    The rod's flattened coordinates follow as q = E z + a(φ), with a(φ) the tip of the crank in the
    first node, so that its inertia is JᵀMJ with J = (a', E).
    """

    def __init__(self, p: SliderCrank):
        self.p = p
        self.cable = Cable(length=p.rod, elements=p.elements, line_mass=p.line_mass, EA=p.EA, EI=p.EI)
        self.n = 4 * (p.elements + 1)
        self.shape = (p.elements + 1, 2, 2)
        free = np.arange(2, self.n)
        self.E = np.eye(self.n)[:, np.delete(free, np.where(free == self.n - 3))]
        self.M = np.kron(self.cable.mass, np.eye(2))
        self.M[self.n - 4, self.n - 4] += p.block
        self.weight = np.outer(self.cable.weight, [0.0, -p.gravity]).ravel()
        self.turn = p.crank_mass * p.crank**2 / 3
        self.inverse = np.linalg.inv(self.E.T @ self.M @ self.E)
        self.tip_rows = self.E.T @ self.M[:, :2]  # how the rod's inertia meets the crank's tip

    def place(self, z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The rod's coordinates and J."""
        r, phi = self.p.crank, z[0]
        q, J = self.E @ z[1:], np.column_stack([np.zeros(self.n), self.E])
        q[:2] = r * np.cos(phi), r * np.sin(phi)
        J[:2, 0] = -r * np.sin(phi), r * np.cos(phi)
        return q, J

    def acceleration(self, z: np.ndarray, v: np.ndarray) -> np.ndarray:
        p, r = self.p, self.p.crank
        out, across = (np.array([np.cos(z[0]), np.sin(z[0])]), np.array([-np.sin(z[0]), np.cos(z[0])]))
        q = self.E @ z[1:]
        q[:2] = r * out
        f = self.cable.force(q.reshape(self.shape)).ravel() + self.weight
        bias = -r * v[0] ** 2 * out  # of the first node
        column = self.tip_rows @ (r * across)
        h = self.E.T @ f - self.tip_rows @ bias
        h0 = r * across @ (f[:2] - self.M[:2, :2] @ bias)
        h0 -= p.crank_mass * p.gravity * r / 2 * out[0]
        m0 = r**2 * across @ self.M[:2, :2] @ across + self.turn
        turn = (h0 - column @ self.inverse @ h) / (m0 - column @ self.inverse @ column)
        return np.append(turn, self.inverse @ (h - column * turn))

    def start(self) -> np.ndarray:
        p, turn = self.p, lambda a: np.array([-a[1], a[0]])
        tip = p.crank * np.array([np.cos(p.angle), np.sin(p.angle)])
        beta = -np.arcsin(tip[1] / p.rod)
        along = np.array([np.cos(beta), np.sin(beta)])
        tip_dot = p.speed * turn(tip)
        beta_dot = -tip_dot[1] / (p.rod * along[0])
        q = self.cable.straight(along, tip)
        v = np.empty_like(q)
        S = np.linspace(0.0, p.rod, p.elements + 1)
        v[:, 0] = tip_dot + S[:, None] * beta_dot * turn(along)
        v[:, 1] = beta_dot * turn(along)
        reduced = self.E.T
        return np.concatenate([[p.angle], reduced @ q.ravel(), [p.speed], reduced @ v.ravel()])

    def energy(self, z: np.ndarray, v: np.ndarray) -> float:
        p = self.p
        q, J = self.place(z)
        rate = J @ v
        kinetic = 0.5 * (rate @ self.M @ rate + self.turn * v[0] ** 2)
        gravity = p.crank_mass * p.gravity * p.crank / 2 * np.sin(z[0]) - self.weight @ q
        return float(kinetic + gravity + self.cable.energy(q.reshape(self.shape)))


def slider_crank(p: SliderCrank, rtol: float) -> Histories:
    """Crank angle [rad], block [m], middle node of the rod (nt, 2) [m], energy [J]."""
    model = Crank(p)
    k = model.E.shape[1] + 1
    rate = lambda _, s: np.append(s[k:], model.acceleration(s[:k], s[k:]))
    run = solve_ivp(rate, (0.0, p.times[-1]), model.start(), "DOP853", p.times, rtol=rtol, atol=1e-2 * rtol)
    q = np.array([model.place(s[:k])[0].reshape(model.shape) for s in run.y.T])
    return {
        "angle": run.y[0],
        "block": q[:, -1, 0, 0],
        "middle": q[:, p.elements // 2, 0],
        "energy": np.array([model.energy(s[:k], s[k:]) for s in run.y.T]),
    }
