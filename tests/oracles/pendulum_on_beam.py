"""Two arms sliding without friction on an elastic beam, in coordinates that need no multiplier.

After [Lipinski23], derived anew. x along the undeformed beam, y upward; P = (x, y) the sliding
point, the upper end of arm 1; θ₁ and θ₂ = θ₁ + q₄ the arms' angles from straight down,
counterclockwise:

    centre 1 = P + l₁ (sin θ₁, −cos θ₁),     hinge = P + d (sin θ₁, −cos θ₁),
    centre 2 = hinge + l₂ (sin θ₂, −cos θ₂),     l₁ = d/2 = 0.75 m, d = 1.5 m, l₂ = 0.5 m.

The paper's first two coordinates are x and −y, and its angles turn the other way: mirrored in x.
Beam: cubic Euler–Bernoulli elements, deflection w(x) = N(x) q_c upward, small-strain theory with
no axial displacement. The point stays on the deflected line, Φ = N(x) q_c − y = 0, and Φ_q pushes
back along ∂Φ/∂(x, y) = (w', −1): normal to the line.

Here y = N(x) q_c is put into the equations (not stabilised, not drifting), q_c is written in the
beam's own 98 (pinned: 100) modes, q_c = U η with Uᵀ M U = 1, Uᵀ K U = ω², and the single reaction λ follows from

    η̈ = −ω² η − nᵀλ,   M_b q̈_b = h − J_bᵀλ,   n η̈ + J_b q̈_b + 2ẋ n' η̇ + ẋ² n'' η = 0,

n = N U, J_b = (n'η, −1, 0, 0). n'' η jumps at element borders, so the integration (DOP853) stops
and starts at each crossing; the arms start on the border at mid-span and are put in the element
that they accelerate into.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from scipy.integrate import solve_ivp
from scipy.linalg import eigh

from .multibody_models import PENDULUM_ON_BEAM, PendulumOnBeam

TABLE = Path(__file__).with_name("pendulum_on_beam.csv")
FIRST_STEP = 1e-6  #: [s], a tenth of what the stiffest mode allows


def hermite(z: float, le: float) -> np.ndarray:
    """Values, first and second x-derivatives (3, 4) of the cubics at z = x/le in one element."""
    return np.array(
        [
            [1 - 3 * z**2 + 2 * z**3, le * (z - 2 * z**2 + z**3), 3 * z**2 - 2 * z**3, le * (z**3 - z**2)],
            [(6 * z**2 - 6 * z) / le, 1 - 4 * z + 3 * z**2, (6 * z - 6 * z**2) / le, 3 * z**2 - 2 * z],
            [(12 * z - 6) / le**2, (6 * z - 4) / le, (6 - 12 * z) / le**2, (6 * z - 2) / le],
        ]
    )  # fmt: skip


def beam_matrices(p: PendulumOnBeam) -> tuple[np.ndarray, np.ndarray]:
    """Mass and stiffness of the whole beam by five-point Gauss quadrature, nothing held."""
    le, n = p.length / p.elements, 2 * (p.elements + 1)
    points, weights = np.polynomial.legendre.leggauss(5)
    M, K = np.zeros((n, n)), np.zeros((n, n))
    Me, Ke = np.zeros((4, 4)), np.zeros((4, 4))
    for z, w in zip((points + 1) / 2, weights * le / 2, strict=True):
        N, _, N_xx = hermite(z, le)
        Me += w * p.density * p.area * np.outer(N, N)
        Ke += w * p.young * p.second_moment * np.outer(N_xx, N_xx)
    for e in range(p.elements):
        at = slice(2 * e, 2 * e + 4)
        M[at, at] += Me
        K[at, at] += Ke
    return M, K


class Model:
    """Constants of one beam with arms; states are (η, x, θ₁, q₄) and their rates."""

    def __init__(self, p: PendulumOnBeam = PENDULUM_ON_BEAM, *, vertical_only: bool = False):
        self.p, self.vertical_only = p, vertical_only
        self.le = p.length / p.elements
        M, K = beam_matrices(p)
        n = M.shape[0]
        held = [0, 1, n - 2, n - 1] if p.clamped else [0, n - 2]
        free = np.delete(np.arange(n), held)
        squares, modes = eigh(K[np.ix_(free, free)], M[np.ix_(free, free)])
        self.U = np.zeros((n, free.size))
        self.U[free] = modes
        self.omega2, self.nm = squares, squares.size

    def shapes(self, x: float, e: int) -> np.ndarray:
        """n, n', n'' (3, 98) at x by the polynomials of element e."""
        return hermite(x / self.le - e, self.le) @ self.U[2 * e : 2 * e + 4]

    def arms(self, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """M_b (4, 4) and h (4,), the right-hand side without reaction, of (x, y, θ₁, q₄)."""
        p = self.p
        (m1, m2), (I1, I2), g = p.masses, p.inertias, p.gravity
        l1, d, l2 = p.arms[0] / 2, p.arms[0], p.arms[1] / 2
        a1, a2 = q[0], q[0] + q[1]
        r1, r2 = v[0], v[0] + v[1]
        e = lambda a: np.array([np.sin(a), -np.cos(a)])
        t = lambda a: np.array([np.cos(a), np.sin(a)])
        J1, J2 = np.zeros((2, 4)), np.zeros((2, 4))
        J1[:, :2] = J2[:, :2] = np.eye(2)
        J1[:, 2] = l1 * t(a1)
        J2[:, 2], J2[:, 3] = d * t(a1) + l2 * t(a2), l2 * t(a2)
        down = np.array([0.0, -g])
        b1 = -l1 * e(a1) * r1**2  # accelerations that the rates alone cause
        b2 = -d * e(a1) * r1**2 - l2 * e(a2) * r2**2
        M = m1 * J1.T @ J1 + m2 * J2.T @ J2
        M[2, 2] += I1 + I2
        M[2, 3] += I2
        M[3, 2] += I2
        M[3, 3] += I2
        return M, m1 * J1.T @ (down - b1) + m2 * J2.T @ (down - b2)

    def accelerations(self, s: np.ndarray, e: int) -> tuple[np.ndarray, np.ndarray, float]:
        """η̈, (ẍ, ÿ, θ̈₁, q̈₄) and λ [N]; λ > 0 pulls the beam down."""
        k, half = self.nm, self.nm + 3
        eta, x, eta_dot, x_dot = s[:k], s[k], s[half : half + k], s[half + k]
        n, n1, n2 = self.shapes(x, e)
        M, h = self.arms(s[k + 1 : k + 3], s[half + k + 1 :])
        J = np.array([n1 @ eta, -1.0, 0.0, 0.0])
        push = np.array([0.0, -1.0, 0.0, 0.0]) if self.vertical_only else J
        free_eta = -self.omega2 * eta
        solved = np.linalg.solve(M, np.column_stack([h, push]))
        bias = 2 * x_dot * (n1 @ eta_dot) + x_dot**2 * (n2 @ eta)
        lam = (n @ free_eta + J @ solved[:, 0] + bias) / (n @ n + J @ solved[:, 1])
        return free_eta - n * lam, solved[:, 0] - solved[:, 1] * lam, lam

    def rate(self, s: np.ndarray, e: int) -> np.ndarray:
        half = self.nm + 3
        eta, body, _ = self.accelerations(s, e)
        return np.concatenate([s[half:], eta, body[[0, 2, 3]]])

    def energy(self, s: np.ndarray, e: int) -> float:
        """Kinetic, elastic and gravity energy [J]; zero height at the undeformed beam."""
        p, k, half = self.p, self.nm, self.nm + 3
        eta, eta_dot = s[:k], s[half : half + k]
        q, v = self.coordinates(s, e)
        M, _ = self.arms(q[2:], v[2:])
        hang = p.arms[0] * np.cos(q[2])
        heights = (q[1] - hang / 2, q[1] - hang - p.arms[1] / 2 * np.cos(q[2] + q[3]))
        kinetic = 0.5 * (eta_dot @ eta_dot + v @ M @ v)
        return float(kinetic + 0.5 * eta @ (self.omega2 * eta) + p.gravity * np.dot(p.masses, heights))

    def coordinates(self, s: np.ndarray, e: int) -> tuple[np.ndarray, np.ndarray]:
        """(x, y, θ₁, q₄) and their rates."""
        k, half = self.nm, self.nm + 3
        n, n1, _ = self.shapes(s[k], e)
        y, y_dot = n @ s[:k], n @ s[half : half + k] + n1 @ s[:k] * s[half + k]
        return (np.array([s[k], y, *s[k + 1 : half]]), np.array([s[half + k], y_dot, *s[half + k + 1 :]]))

    def deflection(self, s: np.ndarray, node: int) -> float:
        return float(self.U[2 * node] @ s[: self.nm])

    def start(self) -> np.ndarray:
        """Rest at mid-span, second arm level, all weight under the sliding point."""
        p = self.p
        (m1, m2), (a, b) = p.masses, p.arms
        theta1 = -np.arcsin(m2 * b / 2 / (m1 * a / 2 + m2 * a))
        middle = self.U[p.elements]
        eta = -middle * p.gravity * (m1 + m2) / self.omega2
        return np.concatenate([eta, [p.length / 2, theta1, np.pi / 2 - theta1], np.zeros(self.nm + 3)])


def march(
    model: Model, times: np.ndarray, *, rtol: float = 1e-11, atol: float = 1e-13
) -> Iterator[tuple[float, np.ndarray, int]]:
    """Yield (t, state, element) at the times asked for, restarting at every element border."""
    k, le = model.nm, model.le
    s, t = model.start(), times[0]
    toward = model.rate(s, model.p.elements // 2)[k + model.nm + 3]
    e = model.p.elements // 2 - (toward < 0)
    yield t, s, e
    for stop in times[1:]:
        while t < stop:
            low = lambda _, s, e: s[k] - e * le
            high = lambda _, s, e: (e + 1) * le - s[k]
            for event in (low, high):
                event.terminal, event.direction = True, -1
            run = solve_ivp(
                lambda _, s, e: model.rate(s, e), (t, stop), s, "DOP853",
                events=(low, high), args=(e,), rtol=rtol, atol=atol,
                first_step=min(FIRST_STEP, stop - t),
            )  # fmt: skip
            t, s = run.t[-1], run.y[:, -1]
            if run.status == 1:
                e += 1 if run.t_events[1].size else -1
        yield t, s, e


def columns(p: PendulumOnBeam = PENDULUM_ON_BEAM) -> list[str]:
    """Names of the table's columns; w8 is the deflection of node 8 and so on."""
    moved = ["x", "y", "theta1", "q4"]
    nodes = [f"w{node}" for node in p.shown_nodes]
    return ["t", *moved, *(f"{name}_dot" for name in moved), "reaction", *nodes, "energy"]


def row(model: Model, t: float, s: np.ndarray, e: int) -> list[float]:
    """One line of the table; the reaction λ is the beam's push on the point, along (−w', 1)."""
    q, v = model.coordinates(s, e)
    reaction = model.accelerations(s, e)[2]
    nodes = [model.deflection(s, node) for node in model.p.shown_nodes]
    return [t, *q, *v, reaction, *nodes, model.energy(s, e)]


def table(model: Model, times: np.ndarray, *, rtol: float = 1e-11) -> np.ndarray:
    """Rows of `columns` at the times."""
    states = march(model, times, rtol=rtol, atol=1e-2 * rtol)
    return np.array([row(model, t, s, e) for t, s, e in states])


def stored() -> dict[str, np.ndarray]:
    """The table on file, by column."""
    names = TABLE.read_text(encoding="utf-8").splitlines()[0].split(",")
    return dict(zip(names, np.loadtxt(TABLE, delimiter=",", skiprows=1).T, strict=True))


if __name__ == "__main__":
    rows = table(Model(), np.linspace(0.0, PENDULUM_ON_BEAM.duration, 101))
    np.savetxt(TABLE, rows, "%.13g", delimiter=",", header=",".join(columns()), comments="")
