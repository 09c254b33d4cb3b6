"""Pantographs under a linear line, the slow and plain way: one dense system per step.

Line and masses are one vector q = (u, z), droppers and contacts are rows of one matrix G:

    M q̈ + C q̇ + K q = p(t) − Gᵀ (λ − r),   g = G q + g₀,   ġ = G q̇ + V G′ q + ġ₀        (1)

    row                  G q                       g₀               r            V G′, ġ₀
    dropper              n_z (w_top − w_bottom) …  N₀/k             max(N₀, 0)   0
    contact at x(t)      z_head − n(x) u           z_rest − z₀(x)   0            −V n′(x), −V z₀′(x)
    … of a rolling head  … + y₀(x) φ               …                0            … + V y₀′(x) φ

and all of them obey one law: λ = max(0, k g + c ġ) if g > 0, else 0, its jump at g = 0 filled (g
stays 0 and λ lies between 0 and c ġ). Generalized-α [Chung93] with the acceleration as unknown,

    M a_m + C v_f + K q_f = p_f − (Gᵀ (λ − r))_f,   y_f = (1 − α_f) y₁ + α_f y₀,   y_m likewise  (2)
    q₁ = q₀ + h v₀ + h² ((½ − β) a₀ + β a₁),   v₁ = v₀ + h ((1 − γ) a₀ + γ a₁)                (3)

where Gᵀ λ at the old time is taken at the old contact points. In each mode the law is a linear
equation, so that (2) and the laws are one dense matrix for (a₁, λ₁), solved anew for every guess of
the modes until each row satisfies its law.

The start: the line at rest, every head just touching it, held by lifting forces p(0) = K z; from there
p grows to its full value as 10 τ³ − 15 τ⁴ + 6 τ⁵ over the ramp. The height at which a pantograph's
springs carry just its weight is that of the wire at the support behind its start.

Shared with the package are the description's matrices and tables only.
"""

from dataclasses import dataclass

import numpy as np

from panhead.railway.line import LinearLine
from panhead.railway.line.line_arrays import ContactPath
from panhead.railway.pantograph.lumped_pantograph import LumpedPantograph

OPEN, CLOSED, EDGE = range(3)
_GUESSES, _ALL_AT_ONCE = (200, 30)  # guesses; those in which every wrong row changes, then one at a time

Motion = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ride:
    """What runs under the line, and how finely time is cut."""

    pantographs: tuple[LumpedPantograph, ...]  #: without friction and stops, of one strip each
    start: float  #: of the first [m]
    speed: float  #: V [m/s]
    ramp: float  #: [s]
    step: float  #: h [s]
    steps: int
    behind: tuple[float, ...] = (0.0,)  #: [m]
    contact_damping: float = 0.0  #: [N·s/m]
    spectral_radius: float = 1.0


@dataclass(frozen=True, slots=True)
class History:
    """Rows are steps, the start left out."""

    contact_force: np.ndarray  #: (steps, np) sum over the contact wires [N]
    pull: np.ndarray  #: (steps, nd) of the droppers in the order of the line's table [N]
    mass_z: np.ndarray  #: (steps, nm) [m]
    modes: np.ndarray  #: (steps, nd + np·nw) of droppers, then of every pantograph with every contact wire


@dataclass(frozen=True, slots=True)
class Rows:
    """Droppers and contacts at one moment, eq. (1)."""

    G: np.ndarray  #: (n, nq)
    VG_x: np.ndarray  #: (n, nq)
    g0: np.ndarray  #: (n,)
    g0_dot: np.ndarray
    k: np.ndarray
    c: np.ndarray
    r: np.ndarray


@dataclass(frozen=True, slots=True)
class GeneralizedAlpha:
    """Eqs (2), (3) with the parameters of Chung and Hulbert."""

    h: float
    rho: float

    @property
    def a_m(self) -> float:
        return (2.0 * self.rho - 1.0) / (self.rho + 1.0)

    @property
    def a_f(self) -> float:
        return self.rho / (self.rho + 1.0)

    @property
    def gamma(self) -> float:
        return 0.5 - self.a_m + self.a_f

    @property
    def beta(self) -> float:
        return 0.25 * (1.0 - self.a_m + self.a_f) ** 2

    def shares(self) -> tuple[float, float, float]:
        """Of M, C and K in the matrix of a₁."""
        new = 1.0 - self.a_f
        return 1.0 - self.a_m, new * self.gamma * self.h, new * self.beta * self.h**2


def dense(diag: np.ndarray, off: np.ndarray) -> np.ndarray:
    """The whole matrix from its blocks."""
    ns, b, _ = diag.shape
    A = np.zeros((ns, b, ns, b))
    for i in range(ns):
        A[i, :, i] = diag[i]
    for i in range(ns - 1):
        A[i, :, i + 1] = off[i]
        A[i + 1, :, i] = off[i].T
    return A.reshape(ns * b, ns * b)


def joined(matrices: list[np.ndarray]) -> np.ndarray:
    """Block diagonal."""
    n = [A.shape[0] for A in matrices]
    ends = np.cumsum(n)
    whole = np.zeros((ends[-1], ends[-1]))
    for A, size, end in zip(matrices, n, ends, strict=True):
        whole[end - size : end, end - size : end] = A
    return whole


def hermite(line: LinearLine, x: float) -> tuple[int, np.ndarray, np.ndarray]:
    """Element that holds x, values and derivatives of its four cubics, from their defining conditions."""
    e = min(max(int(np.searchsorted(line.x, x, side="right")) - 1, 0), line.ns - 2)
    ell = line.x[e + 1] - line.x[e]
    at = lambda s: np.array([[1.0, s, s * s, s**3], [0.0, 1.0, 2.0 * s, 3.0 * s * s]])
    cubics = np.linalg.inv(np.vstack([at(0.0), at(ell)]))
    value, slope = at(x - line.x[e]) @ cubics
    return e, value, slope


def static_height(line: LinearLine, path: ContactPath, x: float) -> tuple[float, float]:
    """z₀ and z₀′ of a contact wire at x."""
    e, n, n_x = hermite(line, x)
    nodal = np.array([path.z0[e], path.z0_x[e], path.z0[e + 1], path.z0_x[e + 1]])
    return float(n @ nodal), float(n_x @ nodal)


def stagger(line: LinearLine, path: ContactPath, x: float) -> tuple[float, float]:
    """y₀ and y₀′ of a contact wire at x."""
    e, n, n_x = hermite(line, x)
    nodal = np.array([path.y0[e], path.y0_x[e], path.y0[e + 1], path.y0_x[e + 1]])
    return float(n @ nodal), float(n_x @ nodal)


def above(line: LinearLine, path: ContactPath, x: float) -> bool:
    """Whether the wire is there at x."""
    return bool(line.x[path.first] <= x < line.x[path.last])


def lowest(line: LinearLine, x: float) -> float:
    """Static height of the lowest contact wire at x."""
    return min(static_height(line, path, x)[0] for path in line.paths if above(line, path, x))


class DenseLine:
    """Line and pantographs as full matrices, coordinates that are held or do not exist left out."""

    def __init__(self, line: LinearLine, ride: Ride) -> None:
        if not all(p.linear for p in ride.pantographs):
            raise ValueError("only pantographs without friction and stops")
        self.line, self.ride = line, ride
        masses = [p.matrices() for p in ride.pantographs]
        pairs = ((line.M_diag, line.M_off), (line.C_diag, line.C_off), (line.K_diag, line.K_off))
        whole = [joined([dense(*pair), *(m[k] for m in masses)]) for k, pair in enumerate(pairs)]
        self.nl, self.nq = line.ns * line.b, whole[0].shape[0]
        free = np.concatenate([line.active.ravel(), np.ones(self.nq - self.nl, dtype=bool)])
        self.free = np.flatnonzero(free)
        self.M, self.C, self.K = (A[np.ix_(self.free, self.free)] for A in whole)
        self.scheme = GeneralizedAlpha(ride.step, ride.spectral_radius)
        m, c, k = self.scheme.shares()
        self.A = m * self.M + c * self.C + k * self.K
        sizes = [p.size for p in ride.pantographs]
        self.rolls = [p.heads[0].roll is not None for p in ride.pantographs]
        self.head = self.nl + np.cumsum([0, *sizes])[:-1]
        self._touch(sizes)
        self._dropper_rows()

    def _touch(self, sizes: list[int]) -> None:
        """Where the heads are at the start and what holds them there."""
        line, masts = self.line, self.line.x[self.line.masts]
        places = self.ride.start - np.array(self.ride.behind)
        behind = [float(masts[masts <= x][-1]) for x in places]
        self.rest_height = np.array([lowest(line, x) for x in behind])
        touching = np.array([lowest(line, x) for x in places])
        self.masses = slice(self.free.size - sum(sizes), None)
        self.q, self.lift = np.zeros((2, self.free.size))
        self.q[self.masses] = np.repeat(touching - self.rest_height, sizes)
        self.lift[self.masses] = np.concatenate([p.uplift(self.ride.speed) for p in self.ride.pantographs])
        for head, rolls in zip(self.head - self.nl, self.rolls, strict=True):
            self.q[self.masses][head + 1 : head + 1 + rolls] = 0.0
        self.hold = self.K @ self.q

    def _dropper_rows(self) -> None:
        d = self.line.droppers
        self.D = np.zeros((d.x.size, self.nq))
        for row, n, top, bottom in (
            *zip(self.D, d.nz, d.dof_top, d.dof_bottom, strict=True),
            *zip(self.D, d.ny, d.dof_top_y, d.dof_bottom_y, strict=True),
        ):
            row[top] += n
            row[bottom] -= n
        for row, station in zip(self.D, d.station, strict=True):  # to the station's block
            row[:] = np.roll(row, station * self.line.b)
        self.D = self.D[:, self.free]

    def load(self, t: float) -> np.ndarray:
        """p(t)."""
        tau = min(1.0, t / self.ride.ramp) if self.ride.ramp > 0.0 else 1.0
        share = 10.0 * tau**3 - 15.0 * tau**4 + 6.0 * tau**5
        return self.hold + share * (self.lift - self.hold)

    def rows(self, t: float) -> Rows:
        """Eq. (1) at time t."""
        d, wires = self.line.droppers, len(self.line.paths)
        N0, still = d.static_tension, np.zeros_like(self.D)
        contacts = [
            self._contact(i, path, self.ride.start - behind + self.ride.speed * t)
            for i, behind in enumerate(self.ride.behind)
            for path in self.line.paths
        ]
        G, VG_x, g0, g0_dot = (np.array(column) for column in zip(*contacts, strict=True))
        stiffness = np.repeat([p.contact_stiffness for p in self.ride.pantographs], wires)
        return Rows(
            G=np.vstack([self.D, G[:, self.free]]),
            VG_x=np.vstack([still, VG_x[:, self.free]]),
            g0=np.concatenate([N0 / d.stiffness, g0]),
            g0_dot=np.concatenate([np.zeros_like(N0), g0_dot]),
            k=np.concatenate([d.stiffness, stiffness]),
            c=np.concatenate([d.damping, np.full(stiffness.size, self.ride.contact_damping)]),
            r=np.concatenate([np.maximum(N0, 0.0), np.zeros(stiffness.size)]),
        )

    def _contact(self, i: int, path: ContactPath, x: float) -> tuple[np.ndarray, np.ndarray, float, float]:
        """Rows of G, V G′ and g₀, ġ₀ of pantograph i at x and one contact wire."""
        b, V = self.line.b, self.ride.speed
        G, VG_x = np.zeros((2, self.nq))
        if not above(self.line, path, x):
            return G, VG_x, -1.0, 0.0  # always open
        e, n, n_x = hermite(self.line, x)
        at = e * b + path.dof_w + np.array([0, 1, b, b + 1])
        G[at], VG_x[at] = -n, -V * n_x
        G[self.head[i]] = 1.0
        if self.rolls[i]:
            y, y_x = stagger(self.line, path, x)
            G[self.head[i] + 1], VG_x[self.head[i] + 1] = y, V * y_x
        z0, z0_x = static_height(self.line, path, x)
        return G, VG_x, float(self.rest_height[i]) - z0, -V * z0_x


def wanted_modes(rows: Rows, modes: np.ndarray, g: np.ndarray, g_dot: np.ndarray, lam: np.ndarray) -> np.ndarray:
    """The modes again where a row satisfies its law, else the mode its answer points to."""
    push, wanted = rows.k * g + rows.c * g_dot, modes.copy()
    wanted[(modes == OPEN) & (g > 0.0) & (push > 0.0)] = CLOSED
    wanted[(modes == CLOSED) & (lam > 0.0) & (g <= 0.0)] = EDGE
    wanted[(modes == CLOSED) & (lam <= 0.0)] = OPEN
    wanted[(modes == EDGE) & (lam <= 0.0)] = OPEN
    wanted[(modes == EDGE) & (lam > 0.0) & (lam >= rows.c * g_dot)] = CLOSED
    return wanted


def integrate(line: LinearLine, ride: Ride) -> History:
    """The whole ride."""
    s = DenseLine(line, ride)
    nd = s.D.shape[0]
    motion = s.q, np.zeros_like(s.q), np.zeros_like(s.q), s.load(0.0)
    modes = np.where(s.rows(0.0).g0 > 0.0, CLOSED, OPEN)
    modes[nd:] = OPEN
    forces, heights, found = [], [], []
    for n in range(1, ride.steps + 1):
        t = n * ride.step
        motion, lam, modes = step(s, motion, s.rows(t), s.load(t), modes)
        forces.append(lam)
        heights.append(motion[0][s.masses])
        found.append(modes)
    lam = np.array(forces)
    contact = lam[:, nd:].reshape(ride.steps, len(ride.pantographs), -1).sum(axis=2)
    return History(contact, lam[:, :nd], np.array(heights), np.array(found))


def step(
    s: DenseLine, motion: Motion, rows: Rows, p: np.ndarray, modes: np.ndarray
) -> tuple[Motion, np.ndarray, np.ndarray]:
    """One step from motion = (q, v, a, all loads); returns the new motion, λ and the modes."""
    h, a_m, a_f = s.scheme.h, s.scheme.a_m, s.scheme.a_f
    beta, gamma = s.scheme.beta, s.scheme.gamma
    q, v, a, f = motion
    q_star = q + h * v + h * h * (0.5 - beta) * a  # eq. (3) without a₁
    v_star = v + h * (1.0 - gamma) * a
    right = (  # eq. (2): A a₁ + (1 − α_f) Gᵀ λ₁ = right
        (1.0 - a_f) * (p + rows.G.T @ rows.r - s.C @ v_star - s.K @ q_star)
        + a_f * (f - s.C @ v - s.K @ q)
        - a_m * (s.M @ a)
    )
    # eq. (1): g = g_a a₁ + g_star, ġ = g_dot_a a₁ + g_dot_star
    g_a, g_star = beta * h * h * rows.G, rows.G @ q_star + rows.g0
    g_dot_a = gamma * h * rows.G + beta * h * h * rows.VG_x
    g_dot_star = rows.G @ v_star + rows.VG_x @ q_star + rows.g0_dot
    modes = modes.copy()
    for guess in range(_GUESSES):
        k = np.where(modes == OPEN, 0.0, rows.k)  # open: λ = 0, closed: λ = k g + c ġ, edge: k g = 0
        c = np.where(modes == CLOSED, rows.c, 0.0)
        law = -k[:, None] * g_a - c[:, None] * g_dot_a
        own = np.diag(np.where(modes == EDGE, 0.0, 1.0))
        whole = np.block([[s.A, (1.0 - a_f) * rows.G.T], [law, own]])
        answer = np.linalg.solve(whole, np.concatenate([right, k * g_star + c * g_dot_star]))
        a_new, lam = answer[: q.size], answer[q.size :]
        wanted = wanted_modes(rows, modes, g_a @ a_new + g_star, g_dot_a @ a_new + g_dot_star, lam)
        wrong = np.flatnonzero(wanted != modes)
        if not wrong.size:
            f_new = p - rows.G.T @ (lam - rows.r)
            return ((q_star + beta * h * h * a_new, v_star + gamma * h * a_new, a_new, f_new), lam, modes)
        wrong = wrong if guess < _ALL_AT_ONCE else wrong[:1]
        modes[wrong] = wanted[wrong]
    raise RuntimeError(f"no modes satisfy all laws after {_GUESSES} guesses")
