"""Equilibria along a load: arc length past limit points, critical points told with load and mode."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple, final

import numpy as np

from panhead.errors import ModelError, NotConverged, alternatives
from panhead.methods.equilibrium import equilibrium
from panhead.methods.linear_solvers import SingularMatrix, saddle_matrix, solver_for
from panhead.system import System, Vector, no_controls, require_no_contacts

_NEWTON = 12
_LONGEST, _SHORTEST = 4.0, 1e-5  # arc steps, in units of the first one
_MODES = 4  # eigenvalues watched: those nearest zero
_IDLE = 1e-12  # of the largest stiffness over the largest mass, so that idle spins stay where they are


class Stability(NamedTuple):
    """Eigenvalues nearest zero of K φ = μ M φ on g_q φ = 0, with K the stiffness under load."""

    values: Vector  #: μ, ascending [1/s²]; negative: the equilibrium is unstable
    modes: Vector  #: φ by columns, (nq, ·), largest entry one


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class CriticalPoint:
    """Where an eigenvalue of the tangent changes its sign: the load turns, or another path crosses."""

    kind: Literal["limit", "bifurcation"]
    load: float
    q: Vector  #: (nq,)
    mode: Vector  #: direction in which stiffness is lost, (nq,), largest entry one


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class LoadPath:
    """Equilibria one after another along a path, and what happened on it."""

    load: Vector  #: (n,)
    q: Vector  #: (n, nq)
    lam: Vector  #: (n, nc)
    smallest: Vector  #: the eigenvalue nearest zero, (n,) [1/s²]
    critical: tuple[CriticalPoint, ...]
    iterations: int  #: Newton steps in all

    def first(self, kind: Literal["limit", "bifurcation"]) -> CriticalPoint:
        """The first critical point of this kind; NotConverged if the path has none."""
        for point in self.critical:
            if point.kind == kind:
                return point
        raise NotConverged(
            f"the path has no {kind} point up to a load of {np.abs(self.load).max():g}; follow it further"
        )

    def __str__(self) -> str:
        told = "; ".join(f"{p.kind} at {p.load:.6g}" for p in self.critical) or "no critical point"
        return f"{len(self.load)} equilibria in {self.iterations} iterations, load up to {self.load.max():.6g}: {told}"


class _Point(NamedTuple):
    z: Vector  # q, lam
    load: float


def load_path(
    system: System,
    guess: Vector,
    *,
    load: str,
    to: float,
    t: float = 0.0,
    first: float = 0.05,
    most: int = 400,
    stop: Callable[[float, Vector], bool] | None = None,
) -> LoadPath:
    """Equilibria from zero load to the load ``to``, through limit points                         [Riks79].

        r(z, λ) = 0,   τ·(z − z₀, λ − λ₀) = ds,   τ the tangent of the path

    ``load`` names what grows: a control, a parameter, or "time" for forces with a course. ``first`` is the first
    step as a share of the way to ``to``; steps follow the iterations taken. The path ends where the load first reaches
    ``to``, where ``stop``(load, q) holds, or after ``most`` points.
    """
    require_no_contacts(system, "a load path")
    if to == 0 or not np.isfinite(to):
        raise ModelError(f"load_path of {system.name!r}: to must be a finite load other than zero, got {to!r}")
    return _Follower(system, guess, load, to, t, first).path(most, stop)


@final
class _Follower:
    """One path; loads inside are shares of ``to``."""

    def __init__(self, system: System, guess: Vector, load: str, to: float, t: float, first: float) -> None:
        self.system, self.at, self.to = system, _loaded(system, load, t), to
        start, _, u = self.at(0.0)
        q, lam = equilibrium(start, guess, t=self.at(0.0)[1], u=u)
        self.nq, self.iterations = len(q), 0
        self.rest = np.zeros(self.nq)
        self.size = 1.0
        self.here = _Point(np.concatenate([q, lam]), 0.0)
        tangent = self._tangent(self.here, None)
        # lengths of q are counted so that the first step moves q and the load alike
        self.size = max(float(np.linalg.norm(tangent[0][: self.nq]) / max(abs(tangent[1]), 1e-300)), 1e-12)
        self.along = self._tangent(self.here, None)
        self.ds = first * np.sqrt(2.0)
        self.shortest, self.longest = _SHORTEST * self.ds, _LONGEST * self.ds

    def residual(self, p: _Point) -> Vector:
        system, t, u = self.at(p.load * self.to)
        q, lam = p.z[: self.nq], p.z[self.nq :]
        balance = system.constraint_q(t, q).T @ lam - system.force(t, q, self.rest, u)
        return np.concatenate([balance, system.constraint(t, q)])

    def by_load(self, p: _Point) -> Vector:
        """∂r/∂λ by a central difference: exact for loads in proportion."""
        h = 1e-3
        return (self.residual(_Point(p.z, p.load + h)) - self.residual(_Point(p.z, p.load - h))) / (2 * h)

    def _matrices(self, p: _Point) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        system, t, u = self.at(p.load * self.to)
        q, lam = p.z[: self.nq], p.z[self.nq :]
        K = system.reaction_q(t, q, lam) - system.force_q(t, q, self.rest, u)
        M = system.mass(t, q)
        return K + _IDLE * (abs(K).max() / abs(M).max()) * M, system.constraint_q(t, q), M

    def _solver(self, p: _Point) -> Callable[[Vector], Vector]:
        K, G, _ = self._matrices(p)
        stiff = abs(K).max()
        inner = solver_for(saddle_matrix(K / stiff, G))
        n = self.nq

        def solve(b: Vector) -> Vector:
            x = inner.solve(np.concatenate([b[:n] / stiff, b[n:]]))
            x[n:] *= stiff
            return x

        return solve

    def _tangent(self, p: _Point, before: tuple[Vector, float] | None) -> tuple[Vector, float]:
        """(dz/ds, dλ/ds) of length one, on in the direction of ``before``."""
        dz = -self._solver(p)(self.by_load(p))
        length = np.sqrt(1.0 + (np.linalg.norm(dz[: self.nq]) / self.size) ** 2)
        if before is not None:
            length *= np.sign(self._product((dz, 1.0), before)) or 1.0
        return dz / length, 1.0 / length

    def _product(self, a: tuple[Vector, float], b: tuple[Vector, float]) -> float:
        return float(a[0][: self.nq] @ b[0][: self.nq]) / self.size**2 + a[1] * b[1]

    def step(self, ds: float) -> tuple[_Point, int] | None:
        """The point at the distance ds along the tangent; None if Newton does not get there."""
        dz, dl = self.along
        p, first = _Point(self.here.z + ds * dz, self.here.load + ds * dl), np.inf
        for k in range(_NEWTON):
            r = self.residual(p)
            if not np.isfinite(r).all():
                return None
            try:
                solve = self._solver(p)
            except SingularMatrix:
                return None
            plain, loaded = -solve(r), -solve(self.by_load(p))
            share = -self._product((plain, 0.0), self.along) / self._product((loaded, 1.0), self.along)
            move = plain + share * loaded
            p = _Point(p.z + move, p.load + share)
            self.iterations += 1
            far = float(np.linalg.norm(move[: self.nq])) / self.size + abs(share)
            first = min(first, far)
            if far < 1e-10 * max(1.0, abs(p.load)):
                return p, k + 1
            if not far < 10 * first:
                return None
        return None

    def stability(self, p: _Point) -> Stability:
        """By inverse iteration with the tangent's own factor."""
        K, G, M = self._matrices(p)
        return _nearest_zero(K, G, M, self._solver(p), self.nq)

    def path(self, most: int, stop: Callable[[float, Vector], bool] | None) -> LoadPath:
        points, critical = [self.here], []
        steady = self.stability(self.here)
        smallest = [_leading(steady)]
        while len(points) < most and self.here.load < 1.0 - 1e-12:
            found = self._advance()
            if found is None:
                raise NotConverged(
                    f"the path of {self.system.name!r} could not be followed beyond a load of "
                    f"{self.here.load * self.to:.6g}: Newton stopped also with short steps. Give a smaller first step."
                )
            point, iterations, ds = found
            now = self.stability(point)
            onwards = self._tangent(point, self.along)
            if _negative(now) != _negative(steady):
                critical += self._locate(ds, steady, turns=onwards[1] * self.along[1] < 0)
            self.along = onwards
            self.here, steady = point, now
            points.append(point)
            smallest.append(_leading(now))
            if stop is not None and stop(point.load * self.to, point.z[: self.nq]):
                break
            self.ds = min(self.longest, ds * float(np.clip(5 / iterations, 0.5, 1.5)))
        return self._path(points, smallest, critical)

    def _advance(self) -> tuple[_Point, int, float] | None:
        """The next point; a step that would pass the end is cut to end on it."""
        ds = self.ds
        while ds > self.shortest:
            found = self.step(ds)
            if found is None:
                ds /= 2
                continue
            point, iterations = found
            if point.load > 1.0:
                share = (1.0 - self.here.load) / (point.load - self.here.load)
                settled = self._settled(self.here.z + share * (point.z - self.here.z))
                if settled is None:
                    ds /= 2
                    continue
                return settled, iterations, share * ds
            return point, iterations, ds
        return None

    def _settled(self, z: Vector) -> _Point | None:
        """The equilibrium under all of the load near z, by Newton; None if there is none."""
        p = _Point(z, 1.0)
        for _ in range(_NEWTON):
            move = -self._solver(p)(self.residual(p))
            p = _Point(p.z + move, 1.0)
            self.iterations += 1
            far = float(np.linalg.norm(move[: self.nq])) / self.size
            if far < 1e-10:
                return p
            if not far < 1.0:
                return None
        return None

    def _locate(self, ds: float, before: Stability, *, turns: bool) -> list[CriticalPoint]:
        """Bisection on the number of negative eigenvalues, from here to the arc length ds.

        None where no eigenvalue passes zero there: one farther off has come into sight.
        """
        low, high, count = 0.0, ds, _negative(before)
        point, now = self.here, before
        for _ in range(40):
            found = self.step(0.5 * (low + high))
            if found is None:
                break
            point, now = found[0], self.stability(found[0])
            low, high = (0.5 * (low + high), high) if _negative(now) == count else (low, 0.5 * (low + high))
            if high - low < 1e-7 * ds:
                break
        least = int(np.abs(now.values).argmin())
        if abs(now.values[least]) > 1e-3 * np.abs(before.values).max():
            return []
        kind: Literal["limit", "bifurcation"] = "limit" if turns else "bifurcation"
        mode = now.modes[:, least]
        return [CriticalPoint(kind=kind, load=point.load * self.to, q=point.z[: self.nq], mode=mode)]

    def _path(self, points: list[_Point], smallest: list[float], critical: list[CriticalPoint]) -> LoadPath:
        z = np.array([p.z for p in points])
        return LoadPath(
            load=np.array([p.load for p in points]) * self.to,
            q=z[:, : self.nq],
            lam=z[:, self.nq :],
            smallest=np.array(smallest),
            critical=tuple(critical),
            iterations=self.iterations,
        )


def _loaded(system: System, load: str, t: float) -> Callable[[float], tuple[System, float, Vector]]:
    """λ ↦ the system, time and controls under the load λ."""
    u = no_controls(system)
    if load == "time":
        return lambda value: (system, value, u)
    if load in system.controls:
        one = np.array([float(name == load) for name in system.controls])
        return lambda value: (system, t, value * one)
    if load in system.parameters:
        return lambda value: (system.with_parameters(**{load: value}), t, u)
    choices = ("time", *system.controls, *system.parameters)
    raise ModelError(f"{system.name!r} has no load {load!r}: {alternatives(load, choices)}")


def _nearest_zero(K: np.ndarray, G: np.ndarray, M: np.ndarray, solve: Callable[[Vector], Vector], nq: int) -> Stability:
    """Subspace iteration for the eigenvalues of K φ = μ M φ, g_q φ = 0, that lie nearest zero."""
    count = min(_MODES, max(1, nq - G.shape[0]))
    X = np.random.default_rng(0).standard_normal((nq, count))
    below = np.zeros(G.shape[0])
    values = np.zeros(count)
    for _ in range(30):
        X = np.column_stack([solve(np.concatenate([M @ x, below]))[:nq] for x in X.T])
        X = np.linalg.qr(X)[0]
        small, inertia = X.T @ (K @ X), X.T @ (M @ X)
        found, V = np.linalg.eig(np.linalg.solve(inertia, small))
        order = np.argsort(np.abs(found))
        X, before, values = np.real(X @ V[:, order]), values, np.real(found[order])
        if abs(values[0] - before[0]) < 1e-6 * abs(values[-1]) and abs(values[0] - before[0]) < 1e-3 * abs(values[0]):
            break
    rising = np.argsort(values)
    X = X[:, rising]
    return Stability(values[rising], X / X[np.abs(X).argmax(axis=0), np.arange(count)])


def _negative(s: Stability) -> int:
    return int((s.values < 0).sum())


def _leading(s: Stability) -> float:
    return float(s.values[int(np.abs(s.values).argmin())])
