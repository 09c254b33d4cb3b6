"""A rigid rod that falls across a taut wire and slides along it, by hand: small deflections, events by SciPy.

    wire along x: m ẅ + EI w⁗ − T w″ = p,  cubic elements, w = 0 at both ends
    rod along y, its middle at (x₀ + u t, y₀): M z̈ = N, J φ̈ = −y₀ N;   g = z − y₀ φ − w(x₀ + u t)

Flights and contacts are solved by DOP853, each up to the event that ends it: the gap closes, the pressure vanishes.
"""

from typing import Any, NamedTuple

import numpy as np
from scipy.integrate import solve_ivp


class Rod(NamedTuple):
    mass: float
    inertia: float
    place: tuple[float, float]  # x₀, y₀ from the left end and the middle of the wire
    height: float
    along: float  # u
    down: float  # speed towards the wire


class Wire(NamedTuple):
    length: float
    elements: int
    mass: float  # m
    tension: float
    bending: float  # EI


def matrices(wire: Wire) -> tuple[np.ndarray, np.ndarray]:
    """M and K of the deflections and slopes of all nodes."""
    n, L = wire.elements, wire.length / wire.elements
    D = np.diag([1.0, L, 1.0, L])
    mass = np.array([[156, 22, 54, -13], [22, 4, 13, -3], [54, 13, 156, -22], [-13, -3, -22, 4]]) * wire.mass * L / 420
    bend = np.array([[12, 6, -12, 6], [6, 4, -6, 2], [-12, -6, 12, -6], [6, 2, -6, 4]]) * wire.bending / L**3
    pull = np.array([[36, 3, -36, 3], [3, 4, -3, -1], [-36, -3, 36, -3], [3, -1, -3, 4]]) * wire.tension / (30 * L)
    M, K = np.zeros((2, 2 * n + 2, 2 * n + 2))
    for k in range(n):
        at = slice(2 * k, 2 * k + 4)
        M[at, at] += D @ mass @ D
        K[at, at] += D @ (bend + pull) @ D
    return M, K


def shape(wire: Wire, x: float) -> np.ndarray:
    """w = row 0, w′ = row 1, w″ = row 2 at x from the deflections and slopes of all nodes."""
    L = wire.length / wire.elements
    k = min(int(x / L), wire.elements - 1)
    s = x / L - k
    rows = np.zeros((3, 2 * wire.elements + 2))
    rows[:, 2 * k : 2 * k + 4] = (
        np.array(
            [
                [1 - 3 * s**2 + 2 * s**3, s - 2 * s**2 + s**3, 3 * s**2 - 2 * s**3, s**3 - s**2],
                [6 * s**2 - 6 * s, 1 - 4 * s + 3 * s**2, 6 * s - 6 * s**2, 3 * s**2 - 2 * s],
                [12 * s - 6, 6 * s - 4, 6 - 12 * s, 6 * s - 2],
            ]
        )
        * np.array([1.0, L, 1.0, L])
        / np.array([[1.0], [L], [L**2]])
    )
    return rows


class Story(NamedTuple):
    strikes: list[tuple[float, float, float, float]]  # t, approach, impulse, energy lost
    leaves: list[float]  # instants at which the pressure vanishes
    end: np.ndarray  # z, φ, ż, φ̇ at the end


class _Motion:
    def __init__(self, wire: Wire, rod: Rod) -> None:
        M, K = matrices(wire)
        self.free = np.delete(np.arange(len(M)), [0, len(M) - 2])  # the ends do not move
        n = len(self.free)
        self.wire, self.rod, self.n = wire, rod, n + 2
        self.M, self.K = np.zeros((2, n + 2, n + 2))
        self.M[:n, :n], self.K[:n, :n] = M[np.ix_(self.free, self.free)], K[np.ix_(self.free, self.free)]
        self.M[n, n], self.M[n + 1, n + 1] = rod.mass, rod.inertia

    def rows(self, t: float) -> np.ndarray:
        """g, ∂g/∂t and ∂²g/∂t² at fixed coordinates as rows over the coordinates."""
        N = shape(self.wire, self.rod.place[0] + self.rod.along * t)[:, self.free]
        u = self.rod.along
        out = np.hstack([-N * np.array([[1.0], [u], [u * u]]), np.zeros((3, 2))])
        out[0, -2:] = 1.0, -self.rod.place[1]
        return out

    def gap(self, t: float, y: np.ndarray) -> float:
        return float(self.rows(t)[0] @ y[: self.n])

    def gap_rate(self, t: float, y: np.ndarray) -> float:
        G, G_t, _ = self.rows(t)
        return float(G @ y[self.n :] + G_t @ y[: self.n])

    def pressure(self, t: float, y: np.ndarray) -> float:
        """N that keeps g̈ = 0."""
        G, G_t, G_tt = self.rows(t)
        q, v = y[: self.n], y[self.n :]
        free = G @ np.linalg.solve(self.M, -self.K @ q) + 2 * G_t @ v + G_tt @ q
        return float(-free / (G @ np.linalg.solve(self.M, G)))

    def rate(self, t: float, y: np.ndarray, closed: bool) -> np.ndarray:
        q, v = y[: self.n], y[self.n :]
        force = -self.K @ q + (self.pressure(t, y) * self.rows(t)[0] if closed else 0.0)
        return np.concatenate([v, np.linalg.solve(self.M, force)])


def story(wire: Wire, rod: Rod, restitution: float, duration: float) -> Story:
    """All blows, and when the rod leaves."""
    m = _Motion(wire, rod)
    y = np.zeros(2 * m.n)
    y[m.n - 2], y[-2] = rod.height, -rod.down
    t, closed, strikes, leaves = 0.0, False, [], []
    while t < duration:
        run = _until(m, t, duration, y, closed)
        t, y = float(run.t[-1]), run.y[:, -1].copy()
        if run.status != 1:
            break
        if closed:
            leaves.append(t)
            closed = False
            continue
        G, before = m.rows(t)[0], m.gap_rate(t, y)
        back = np.linalg.solve(m.M, G)
        P = -(1 + restitution) * before / (G @ back)
        y[m.n :] += back * P
        strikes.append((t, before, P, 0.5 * (1 - restitution**2) * before**2 / (G @ back)))
        closed = restitution == 0 and m.pressure(t, y) > 0
    return Story(strikes, leaves, y[[m.n - 2, m.n - 1, -2, -1]])


def _until(m: _Motion, t: float, duration: float, y: np.ndarray, closed: bool) -> Any:
    """Up to the event that ends a contact or a flight."""

    def event(s: float, x: np.ndarray) -> float:
        return m.pressure(s, x) if closed else m.gap(s, x)

    event.terminal, event.direction = True, -1
    return solve_ivp(
        lambda s, x: m.rate(s, x, closed), (t, duration), y, "DOP853", events=event, rtol=1e-11, atol=1e-15
    )
