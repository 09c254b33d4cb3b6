"""A mass sliding without friction on an ANCF cable, with the arc length as a coordinate.

The mass sits at p = r(S): nothing is constrained, S is a coordinate beside the nodes'. With R the
cable's push on the mass, R · r' = 0, m p̈ = m g + R and M ë = f − NᵀR, so that

    b = N M⁻¹ f + 2Ṡ N' ė + Ṡ² r'' − g,   S̈ = −b · r'/|r'|²,   R = (b + r' S̈)/(1/m + N M⁻¹ Nᵀ).

r'' jumps at element borders; the integration (DOP853) stops and starts there.
"""

from itertools import pairwise

import numpy as np
from scipy.integrate import solve_ivp

from .ancf import Cable
from .multibody_models import SlidingMass


class Model:
    """The cable's free coordinates are all but the end positions."""

    def __init__(self, p: SlidingMass):
        self.p = p
        self.cable = Cable(
            length=p.length,
            elements=p.elements,
            line_mass=p.line_mass,
            EA=p.EA,
            EI=p.EI,
            tension=p.tension,
            axial_points=p.axial_points,
            bending_points=p.bending_points,
        )
        n = 2 * (p.elements + 1)
        self.free = np.delete(np.arange(n), [0, n - 2])
        self.inverse = np.zeros((n, n))
        self.inverse[np.ix_(self.free, self.free)] = np.linalg.inv(self.cable.mass[np.ix_(self.free, self.free)])
        self.down = np.zeros(p.dimension)
        self.down[-1] = -p.gravity
        self.gravity_force = np.outer(self.cable.weight, self.down)
        self.shape = (p.elements + 1, 2, p.dimension)
        self.size = n * p.dimension

    def element(self, S: float) -> int:
        return min(int(S / self.cable.le), self.p.elements - 1)

    def split(self, s: np.ndarray) -> tuple[np.ndarray, float, np.ndarray, float]:
        """q (2 nodes, d), S, q̇, Ṡ."""
        k, flat = self.size, (-1, self.p.dimension)
        return s[:k].reshape(flat), s[k], s[k + 1 : 2 * k + 1].reshape(flat), s[-1]

    def accelerations(self, s: np.ndarray, e: int) -> tuple[np.ndarray, float, np.ndarray]:
        """q̈, S̈ and the push R on the mass [N]."""
        q, S, v, S_dot = self.split(s)
        N, N1, N2 = self.cable.shape_row(S, e)
        f = self.cable.force(q.reshape(self.shape)).reshape(q.shape) + self.gravity_force
        a, to_mass, r1 = self.inverse @ f, self.inverse @ N, N1 @ q
        b = N @ a + 2 * S_dot * (N1 @ v) + S_dot**2 * (N2 @ q) - self.down
        S_ddot = -(b @ r1) / (r1 @ r1)
        R = (b + r1 * S_ddot) / (1 / self.p.mass + N @ to_mass)
        return a - np.outer(to_mass, R), S_ddot, R

    def rate(self, s: np.ndarray, e: int) -> np.ndarray:
        a, S_ddot, _ = self.accelerations(s, e)
        return np.concatenate([s[self.size + 1 :], a.ravel(), [S_ddot]])

    def energy(self, s: np.ndarray, e: int) -> float:
        """Kinetic, elastic and gravity energy of cable and mass [J]."""
        q, S, v, S_dot = self.split(s)
        N, N1, _ = self.cable.shape_row(S, e)
        p_dot = N @ v + N1 @ q * S_dot
        kinetic = 0.5 * np.einsum("id,ij,jd->", v, self.cable.mass, v)
        kinetic += 0.5 * self.p.mass * p_dot @ p_dot
        height = self.cable.weight @ q[:, -1] + self.p.mass * N @ q[:, -1]
        return float(kinetic + self.cable.energy(q.reshape(self.shape)) + self.p.gravity * height)

    def residual(self, z: np.ndarray, e: int) -> np.ndarray:
        """Statics: forces on the free coordinates, and x(S) − start; the holding force is along x."""
        q, S = z[:-1].reshape(-1, self.p.dimension), z[-1]
        N, N1, N2 = self.cable.shape_row(S.real, e)
        N, N1 = N + 1j * S.imag * N1, N1 + 1j * S.imag * N2  # exact for a complex step
        slope, weight = N1 @ q, self.p.mass * self.p.gravity
        R = np.zeros(self.p.dimension, dtype=complex)  # on the mass, at right angles to the cable
        R[0], R[-1] = -weight * slope[-1] / slope[0], weight
        f = self.cable.force(q.reshape(self.shape)).reshape(q.shape) + self.gravity_force
        f = f - np.outer(N, R)
        return np.append(f[self.free].ravel(), N @ q[:, 0] - self.p.start)

    def parabola(self) -> np.ndarray:
        """The first guess: the sag of the cable alone as a string."""
        p = self.p
        q = self.cable.straight(np.eye(p.dimension)[0]).reshape(-1, p.dimension)
        S = np.linspace(0.0, p.length, p.elements + 1)
        sag = p.line_mass * p.gravity / p.tension / 2
        q[::2, -1], q[1::2, -1] = -sag * S * (p.length - S), -sag * (p.length - 2 * S)
        return np.append(q.ravel(), p.start)

    def statics(self) -> np.ndarray:
        """q and S (n + 1,) of the start, by Newton with complex-step derivatives."""
        d, z, step = self.p.dimension, self.parabola().astype(complex), 1e-30
        free = np.append((self.free[:, None] * d + np.arange(d)).ravel(), z.size - 1)
        for _ in range(30):
            e = self.element(z[-1].real)
            J = []
            for i in free:
                z[i] += 1j * step
                J.append(self.residual(z, e).imag / step)
                z[i] = z[i].real
            move = np.linalg.solve(np.array(J).T, -self.residual(z, e).real)
            z[free] += move
            if np.abs(move).max() < 1e-13:
                return z.real
        raise RuntimeError("statics did not converge")

    def start(self) -> np.ndarray:
        """The state (q, S, q̇, Ṡ) the mass is let go from."""
        p, z = self.p, self.statics()
        q, S = z[:-1].reshape(-1, p.dimension), z[-1]
        r1 = self.cable.shape_row(S, self.element(S))[1] @ q
        v = np.zeros_like(q)
        X, k = np.linspace(0.0, p.length, p.elements + 1), np.pi / p.length
        if p.sideways:
            v[::2, 1], v[1::2, 1] = p.sideways * np.sin(k * X), p.sideways * k * np.cos(k * X)
            v[[0, -2], 1] = 0.0  # sin π in doubles
        return np.concatenate([z, v.ravel(), [p.speed / np.linalg.norm(r1)]])


def march(model: Model, times: tuple[float, ...], *, rtol: float = 1e-10, atol: float = 1e-12):
    """Yield (t, state, element) at the times, restarting at element borders."""
    k, le = model.size, model.cable.le
    s = model.start()
    e = model.element(s[k])
    yield times[0], s, e
    for t, stop in pairwise(times):
        while t < stop:
            low = lambda _, s, e: s[k] - e * le
            high = lambda _, s, e: (e + 1) * le - s[k]
            for event in (low, high):
                event.terminal, event.direction = True, -1
            run = solve_ivp(
                lambda _, s, e: model.rate(s, e), (t, stop), s, "DOP853",
                events=(low, high), args=(e,), rtol=rtol, atol=atol, first_step=min(1e-5, stop - t),
            )  # fmt: skip
            t, s = run.t[-1], run.y[:, -1]
            if run.status == 1:
                e += 1 if run.t_events[1].size else -1
        yield t, s, e


COLUMNS = ("t", "p", "S", "S_dot", "middle", "push", "energy")


def history(p: SlidingMass, *, rtol: float = 1e-10) -> dict[str, np.ndarray]:
    """Mass position p (nt, d), S, Ṡ, middle node (nt, d), push R (nt, d), energy, by name."""
    model = Model(p)
    rows: list[tuple] = []
    for t, s, e in march(model, p.times, rtol=rtol, atol=1e-2 * rtol):
        q, S, _, S_dot = model.split(s)
        N = model.cable.shape_row(S, e)[0]
        R = model.accelerations(s, e)[2]
        rows.append((t, N @ q, S, S_dot, q[p.elements], R, model.energy(s, e)))
    return {name: np.array(column) for name, column in zip(COLUMNS, zip(*rows, strict=True), strict=True)}


def force_jumps(p: SlidingMass, until: float, *, rtol: float = 1e-8) -> list[tuple[float, float]]:
    """(border S, |jump of the push R| [N]) at each element border crossed: r'' differs on its sides.

    A property of the elements, Ṡ² [r''] over an inertia; it vanishes as they get shorter.
    """
    model = Model(p)
    jumps, before = [], None
    times = tuple(np.linspace(0.0, until, 1 + round(until / 0.01)))
    for _, s, e in march(model, times, rtol=rtol, atol=1e-2 * rtol):
        if before is not None and e != before:
            at = model.size  # the border nearest to S, with the state of the moment after it
            border = max(e, before) * model.cable.le
            s = s.copy()
            s[at] = border
            sides = [model.accelerations(s, k)[2] for k in (before, e)]
            jumps.append((border, float(np.linalg.norm(sides[1] - sides[0]))))
        before = e
    return jumps
