"""Reference plant in NumPy and SciPy alone: the reference line of EN 50318 under a two-mass pantograph.

Written from the equations, without anything of the package:

    ρA ẅ + α ρA ẇ + EI w⁗ − T w″ (+ β of the stiff terms) = f        both wires, cubic Hermite elements
    N = max(0, N₀ + k (w_m − w_c))                                    droppers, about the strung shape
    F = max(0, k_c (z₁ + h₀ − z_c(x) − w_c(x)))                       contact at x = v t
    m₁ z̈₁ + c₁ (ż₁ − ż₂) + k₁ (z₁ − z₂) = u − F,   m₂ z̈₂ + … = F₀(t) − u

About the strung shape the wires carry their weight, and a dropper its static pull N₀. The contact wire hangs in a
parabola of sag s₀ between its supports where droppers hold it: N₀ follows from its own equations, and so does the wire
between droppers. The trapezoidal rule; slack droppers and the contact are found by iteration in every step.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import splu

GRAVITY = 9.81  # [m/s²] as the shipped line takes it


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceData:
    """Line and pantograph of EN 50318:2002 as public papers quote them; damping and pre-sag of the shipped line."""

    spans: int = 10
    span: float = 60.0
    droppers: tuple[float, ...] = (5.0, 10.5, 17.0, 23.5, 30.0, 36.5, 43.0, 49.5, 55.0)
    contact: tuple[float, float, float] = (1.35, 20e3, 195.0)  #: ρA [kg/m], T [N], EI [N·m²]
    messenger: tuple[float, float, float] = (1.07, 16e3, 131.7)
    presag: float = 0.02
    height: float = 5.08  #: of the contact wire at supports [m]
    dropper_stiffness: float = 1e5
    rayleigh: tuple[float, float] = (0.0125, 1e-4)  #: α [1/s], β [s]
    masses: tuple[float, float] = (7.2, 15.0)
    stiffness: tuple[float, float] = (4200.0, 50.0)
    damping: tuple[float, float] = (10.0, 90.0)
    static_force: float = 120.0
    contact_stiffness: float = 5e4
    speed: float = 300.0 / 3.6
    start: float = 30.0
    ramp: float = 2.0
    element: float = 1.0
    step: float = 1e-3


def hermite(xi: float, ell: float) -> np.ndarray:
    """Cubic Hermite shape functions at ξ in [0, 1] of an element of length ℓ: w, w′, w, w′."""
    return np.array(
        [1 - 3 * xi**2 + 2 * xi**3, ell * (xi - 2 * xi**2 + xi**3), 3 * xi**2 - 2 * xi**3, ell * (xi**3 - xi**2)]
    )


def beam_matrices(ell: float, rho: float, tension: float, bending: float) -> tuple[np.ndarray, np.ndarray]:
    """Mass and stiffness of one element, by five-point Gauss quadrature."""
    points, weights = np.polynomial.legendre.leggauss(5)
    M, K = np.zeros((2, 4, 4))
    for p, weight in zip(0.5 * (points + 1), 0.5 * ell * weights, strict=True):
        n = hermite(p, ell)
        first = np.array([-6 * p + 6 * p**2, ell * (1 - 4 * p + 3 * p**2), 6 * p - 6 * p**2, ell * (3 * p**2 - 2 * p)])
        second = np.array([-6 + 12 * p, ell * (-4 + 6 * p), 6 - 12 * p, ell * (6 * p - 2)])
        M += weight * rho * np.outer(n, n)
        K += weight * (tension * np.outer(first, first) / ell**2 + bending * np.outer(second, second) / ell**4)
    return M, K


class NumpyPlant:
    """The plant; ``step(u)`` advances it by one time step and returns the contact force."""

    def __init__(self, data: ReferenceData | None = None) -> None:
        self.data = d = data or ReferenceData()
        self.x = self._stations()
        n = self.x.size
        self.n = n
        size = 4 * n + 2  # messenger w, w′ …, contact w, w′ …, two masses
        (M1, K1), (M2, K2) = self._wire(0, d.messenger), self._wire(2 * n, d.contact)
        self.static = self._string(K2)
        masses, springs, dampers = self._masses()
        alpha, beta = d.rayleigh
        self.M, self.K = M1 + M2 + masses, K1 + K2 + springs
        self.C = alpha * (M1 + M2) + beta * (K1 + K2) + dampers
        self.free = np.setdiff1d(np.arange(size), self._held())
        h = d.step
        self.taut = self._droppers()
        self.rows = self.taut.toarray()
        whole = self.K + d.dropper_stiffness * self.taut.T @ self.taut
        A = 4.0 / h**2 * self.M + 2.0 / h * self.C + whole
        self.factor = splu(A[self.free][:, self.free].tocsc())
        self.q, self.v, self.a = np.zeros((3, size))
        self.q[4 * n :] = self.wire_height(d.start) - d.height
        self.push0 = self._push_at_rest()
        self.k = 0
        self.force = 0.0
        self.held = np.zeros(len(self.N0))  # correction of every dropper's pull over a taut one [N]
        self.load = np.zeros(size)
        self.load[4 * n :] = self._lift(0.0, 0.0)

    def _stations(self) -> np.ndarray:
        """Nodes: about a metre apart, one at every dropper and mast."""
        d = self.data
        marks = [0.0, *d.droppers, d.span]
        count = lambda a, b: max(1, int(np.ceil((b - a) / d.element - 1e-9)))
        one = [np.linspace(a, b, count(a, b) + 1)[:-1] for a, b in pairwise(marks)]
        return np.append(np.concatenate([k * d.span + part for k in range(d.spans) for part in one]), d.spans * d.span)

    def _wire(self, first: int, wire: tuple[float, float, float]) -> tuple[sp.csr_array, sp.csr_array]:
        """Mass and stiffness of a wire whose coordinates begin at ``first``."""
        elements = [beam_matrices(float(ell), *wire) for ell in np.diff(self.x)]
        dofs = first + 2 * np.arange(len(elements))[:, None] + np.arange(4)
        i, j = np.repeat(dofs, 4, axis=1).ravel(), np.tile(dofs, 4).ravel()
        shape = (4 * self.n + 2,) * 2
        M, K = (sp.csr_array((np.array(part).ravel(), (i, j)), shape=shape) for part in zip(*elements, strict=True))
        return M, K

    def _masses(self) -> list[sp.csr_array]:
        """Mass, stiffness and damping of the pantograph."""
        d, first = self.data, 4 * self.n
        chain = lambda upper, lower: [[upper, -upper], [-upper, upper + lower]]
        found = []
        for block in (np.diag(d.masses), chain(*d.stiffness), chain(*d.damping)):
            at = np.array([[first, first], [first, first + 1], [first + 1, first], [first + 1, first + 1]]).T
            found.append(sp.csr_array((np.ravel(block), tuple(at)), shape=(first + 2,) * 2))
        return found

    def _held(self) -> np.ndarray:
        """Messenger held at every mast, contact wire at both ends of the line."""
        masts = [int(np.argmin(np.abs(self.x - k * self.data.span))) for k in range(self.data.spans + 1)]
        ends = [2 * self.n, 2 * self.n + 2 * (self.n - 1)]
        return np.array([2 * i for i in masts] + ends)

    def _string(self, K: sp.csr_array) -> np.ndarray:
        """Static shape of the contact wire below its supports: held at droppers and masts on a parabola, heavy between.

        The pulls N₀ that hold it there are kept: they are the reactions of the prescribed points.
        """
        d, n = self.data, self.n
        at_droppers = [k * d.span + x for k in range(d.spans) for x in d.droppers]
        self.at = np.array([int(np.argmin(np.abs(self.x - x))) for x in at_droppers])
        within = np.array([x for _ in range(d.spans) for x in d.droppers])
        own = K[2 * n : 4 * n, 2 * n : 4 * n].tocsr()
        weight = np.zeros(2 * n)
        for e, ell in enumerate(np.diff(self.x)):
            weight[2 * e : 2 * e + 4] -= d.contact[0] * GRAVITY * ell * np.array([0.5, ell / 12, 0.5, -ell / 12])
        w = np.zeros(2 * n)
        w[2 * self.at] = -4.0 * d.presag * within * (d.span - within) / d.span**2
        ends = [0, 2 * (n - 1)]
        prescribed = np.concatenate([2 * self.at, ends])
        free = np.setdiff1d(np.arange(2 * n), prescribed)
        w[free] = splu(own[free][:, free].tocsc()).solve((weight - own @ w)[free])
        self.N0 = (own @ w - weight)[2 * self.at]
        return w

    def _droppers(self) -> sp.csr_array:
        """Rows: elongation w_m − w_c of every dropper."""
        rows = np.arange(self.at.size)
        size = 4 * self.n + 2
        ones = np.ones(rows.size)
        return sp.csr_array((ones, (rows, 2 * self.at)), shape=(rows.size, size)) - sp.csr_array(
            (ones, (rows, 2 * self.n + 2 * self.at)), shape=(rows.size, size)
        )

    def _shape_row(self, x: float) -> tuple[np.ndarray, np.ndarray]:
        """Coordinates and weights of the contact wire at x."""
        e = min(int(np.searchsorted(self.x, x, side="right")) - 1, self.n - 2)
        ell = self.x[e + 1] - self.x[e]
        return 2 * e + np.arange(4), hermite((x - self.x[e]) / ell, ell)

    def wire_height(self, x: float) -> float:
        """Static height of the contact wire at x [m]."""
        at, weights = self._shape_row(x)
        return float(self.data.height + weights @ self.static[at])

    def _push_at_rest(self) -> np.ndarray:
        """Forces that hold the masses where they start."""
        K = self.K[4 * self.n :, 4 * self.n :].toarray()
        return np.asarray(K @ self.q[4 * self.n :])

    def _lift(self, t: float, u: float) -> np.ndarray:
        d = self.data
        s = min(1.0, t / d.ramp)
        share = s**3 * (10.0 - 15.0 * s + 6.0 * s * s)
        lifted = np.array([0.0, d.static_force])
        return np.asarray(share * lifted + (1.0 - share) * self.push0 + np.array([u, -u]))

    def step(self, u: float = 0.0) -> float:
        """Advance by one step with the actuator force u at its end; returns the contact force then [N]."""
        d, n = self.data, self.n
        h = d.step
        self.k += 1
        t = self.k * h
        x = d.start + d.speed * t
        at, weights = self._shape_row(x)
        row = np.zeros(4 * n + 2)
        row[2 * n + at], row[4 * n] = -weights, 1.0
        gap0 = d.height - self.wire_height(x)
        load = np.zeros(4 * n + 2)
        load[4 * n :] = self._lift(t, u)
        base = load + self.M @ (4.0 / h**2 * self.q + 4.0 / h * self.v + self.a) + self.C @ (2.0 / h * self.q + self.v)
        new = self._solve(base)
        column = self._solve(row)
        slack = np.flatnonzero(self.held)
        columns = {int(j): self._solve(self.rows[j]) for j in slack}
        for _ in range(50):
            found, force, pulls = self._active(new, column, row, gap0, slack, columns)
            elongation = self.taut @ found
            pull = self.N0 + d.dropper_stiffness * elongation
            more = np.setdiff1d(np.flatnonzero(pull < -1e-9), slack)
            taut_again = [j for j, p in zip(slack, pulls, strict=True) if p < -1e-9]
            if not more.size and not taut_again:
                break
            slack = np.union1d(np.setdiff1d(slack, taut_again), more).astype(int)
            for j in more:
                columns[int(j)] = self._solve(self.rows[j])
        v = 2.0 / h * (found - self.q) - self.v
        self.a = 4.0 / h**2 * (found - self.q) - 4.0 / h * self.v - self.a
        self.q, self.v, self.force = found, v, force
        self.held = np.zeros(len(self.N0))
        self.held[slack] = pulls
        return force

    def _active(
        self, new: np.ndarray, column: np.ndarray, row: np.ndarray, gap0: float, slack: np.ndarray, columns: Any
    ) -> tuple[np.ndarray, float, np.ndarray]:
        """Answer with these droppers slack, in contact or out of it: a small linear system."""
        k, kc, m = self.data.dropper_stiffness, self.data.contact_stiffness, slack.size
        X = np.stack([column, *(columns[int(j)] for j in slack)], axis=1)
        D = np.stack([row, *self.rows[slack]])
        g, free = D @ X, D @ new
        for closed in (True, False):
            A, r = np.eye(m + 1), np.zeros(m + 1)
            if closed:  # F = k_c (gap − …)
                A[0] += kc * g[0]
                A[0, 1:] -= 2.0 * kc * g[0, 1:]
                r[0] = kc * (free[0] + gap0)
            # a slack dropper: its spring pulls nothing, so a push p = N₀ + k e against the taut one is added
            for i in range(1, m + 1):
                A[i, 0] += k * g[i, 0]
                A[i, 1:] -= k * g[i, 1:]
                r[i] = self.N0[slack[i - 1]] + k * free[i]
            lam = np.linalg.solve(A, r)
            force = lam[0] if closed else 0.0
            if not closed or force >= 0.0:
                break
        found = new - column * force + X[:, 1:] @ lam[1:]
        return found, max(0.0, float(force)), -lam[1:]

    def _solve(self, load: np.ndarray) -> np.ndarray:
        found = np.zeros(load.size)
        found[self.free] = self.factor.solve(load[self.free])
        return found
