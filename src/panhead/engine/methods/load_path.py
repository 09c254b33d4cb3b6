"""Equilibrium paths under load: arc-length continuation past limit points, critical points with load and mode."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple, final

import numpy as np

from panhead.engine.methods.equilibrium import equilibrium
from panhead.engine.methods.equilibrium_solver import EquilibriumTables
from panhead.engine.methods.linear_solvers import SingularMatrix
from panhead.engine.methods.stability import Stability, nearest_zero
from panhead.engine.system import System, Vector, no_controls, require_no_contacts
from panhead.errors import ModelError, NotConverged, alternatives

_NEWTON = 12
_SPLITS = (0.5, 0.4, 0.6)  # of an interval with a critical point in it
_LONGEST, _SHORTEST = 4.0, 1e-5  # arc steps, in units of the first one


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class CriticalPoint:
    """Point where an eigenvalue of the tangent changes its sign: a limit point or a bifurcation."""

    kind: Literal["limit", "bifurcation"]
    load: float
    q: Vector  #: (nq,)
    lam: Vector  #: (nc,)
    mode: Vector  #: direction in which stiffness is lost, (nq,), largest entry one


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class LoadPath:
    """Equilibria along a path, and its critical points."""

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
        farthest = self.load[np.abs(self.load).argmax()]
        return f"{len(self.load)} equilibria in {self.iterations} iterations, load up to {farthest:.6g}: {told}"


class _Point(NamedTuple):
    z: Vector  # q, lam
    load: float


Stop = Callable[[float, Vector], bool]


def load_path(
    system: System,
    guess: Vector,
    *,
    load: str,
    to: float,
    t: float = 0.0,
    first: float = 0.05,
    most: int = 400,
    stop: Stop | None = None,
) -> LoadPath:
    """Equilibria from zero load to the load ``to``, through limit points                         [Riks79].

        r(z, λ) = 0,   τ·(z − z₀, λ − λ₀) = ds,   τ the tangent of the path

    ``load`` names the load: a control, a parameter, or "time" for forces that depend on it. ``first`` is the first
    step as a share of the way to ``to``; steps follow the iterations taken. The path ends where the load first reaches
    ``to``, where ``stop``(load, q) holds, or after ``most`` points.
    """
    at = _system_under_load(system, load, t)
    _require_load(system, to)
    start, moment, u = at(0.0)
    here = _Point(np.concatenate(tuple(equilibrium(start, guess, t=moment, u=u))), 0.0)
    follower = _Follower(system, at, to, here)
    # lengths of q are counted so that the first step moves q and the load alike
    dz, dl = follower.tangent(here, None)
    follower.size = max(float(np.linalg.norm(dz[: follower.nq]) / max(abs(dl), 1e-300)), 1e-12)
    follower.along = follower.tangent(here, None)
    follower.begin_with(first * np.sqrt(2.0))
    return follower.path([here], most, stop)


def load_branch(
    system: System,
    point: CriticalPoint,
    *,
    load: str,
    to: float,
    t: float = 0.0,
    amplitude: float = 0.05,
    most: int = 400,
    stop: Stop | None = None,
) -> LoadPath:
    """Follow the path that crosses another at a bifurcation: from ``point`` along its mode to the load ``to``.

    The first step goes along the null vector of the tangent, at a fixed distance from the point: the coordinate that
    moves most moves by ``amplitude`` [m, rad], to the other side if that is negative.
    ``load``, ``t``, ``most`` and ``stop`` as in ``load_path``.
    """
    _require_load(system, to)
    if point.kind != "bifurcation" or amplitude == 0:
        raise ModelError(
            f"load_branch of {system.name!r}: a branch starts at a bifurcation point and needs an "
            f"amplitude other than zero; got a {point.kind} point and an amplitude of {amplitude!r}"
        )
    here = _Point(np.concatenate([point.q, point.lam]), point.load / to)
    follower = _Follower(system, _system_under_load(system, load, t), to, here)
    first = 0.05
    follower.size = abs(amplitude) * float(np.linalg.norm(point.mode)) / first
    dz = follower.null_vector(here, point.mode)
    follower.along = np.sign(amplitude) * follower.size / np.linalg.norm(dz[: follower.nq]) * dz, 0.0
    follower.begin_with(first)
    found = follower.step(first)
    if found is None:
        raise NotConverged(
            f"no branch of {system.name!r} found at the load {point.load:.6g} at a distance of {amplitude:g}. "
            "Give another amplitude."
        )
    old, follower.here = here, found[0]
    follower.along = follower.tangent(found[0], follower.along)
    return follower.path([old, found[0]], most, stop)


def _require_load(system: System, to: float) -> None:
    require_no_contacts(system, "a load path")
    if to == 0 or not np.isfinite(to):
        raise ModelError(f"load path of {system.name!r}: to must be a finite load other than zero, got {to!r}")


@final
class _Follower:
    """Continuation of one path; loads inside are fractions of ``to``."""

    def __init__(self, system: System, at: _Course, to: float, here: _Point) -> None:
        self.system, self.at, self.to, self.here = system, at, to, here
        self.nq, self.iterations, self.size = len(system.coordinates), 0, 1.0
        start, t, u = at(here.load * to)
        self.tables = EquilibriumTables(start, here.z, t, u)
        self.along: tuple[Vector, float] = np.zeros_like(here.z), 0.0

    def begin_with(self, ds: float) -> None:
        """The first step, which also bounds the others."""
        self.ds, self.shortest, self.longest = ds, _SHORTEST * ds, _LONGEST * ds

    def _load(self, p: _Point) -> tuple[System, float, Vector]:
        """Apply the load of p."""
        system, t, u = self.at(p.load * self.to)
        self.tables.set_inputs(t, u)
        if system is not self.system:  # a number of it is the load
            self.tables.tabled.tables.p[:] = system.families.tables.p
        return system, t, u

    def residual(self, p: _Point) -> Vector:
        self._load(p)
        return self.tables.residual(p.z)

    def load_derivative(self, p: _Point) -> Vector:
        """∂r/∂λ by a central difference: exact for loads in proportion."""
        h = 1e-3
        return (self.residual(_Point(p.z, p.load + h)) - self.residual(_Point(p.z, p.load - h))) / (2 * h)

    def solver(self, p: _Point) -> Callable[[Vector], Vector]:
        """b ↦ J⁻¹ b at p, until the next call."""
        self._load(p)
        self.tables.factorise(p.z)
        return self.tables.solve

    def tangent(self, p: _Point, before: tuple[Vector, float] | None) -> tuple[Vector, float]:
        """(dz/ds, dλ/ds) of length one, on in the direction of ``before``."""
        dz = -self.solver(p)(self.load_derivative(p))
        forward = before is None or self._product((dz, 1.0), before) >= 0
        return self._normalise((dz, 1.0) if forward else (-dz, -1.0))

    def _normalise(self, d: tuple[Vector, float]) -> tuple[Vector, float]:
        length = np.sqrt(self._product(d, d))
        return d[0] / length, d[1] / length

    def null_vector(self, p: _Point, mode: Vector) -> Vector:
        """Return the null vector of the tangent at p, multipliers included, by inverse iteration from the mode."""
        system, t, _ = self._load(p)
        solve, x = self.solver(p), np.zeros_like(p.z)
        x[: self.nq] = system.mass(t, p.z[: self.nq]) @ mode
        x = solve(x)
        return x * np.sign(x[: self.nq] @ mode)

    def _product(self, a: tuple[Vector, float], b: tuple[Vector, float]) -> float:
        return float(a[0][: self.nq] @ b[0][: self.nq]) / self.size**2 + a[1] * b[1]

    def _length(self, move: Vector, share: float) -> float:
        return float(np.linalg.norm(move[: self.nq])) / self.size + abs(share)

    def _is_rounding(self, move: Vector, p: _Point, shrunk: float) -> bool:
        """True if Newton's steps are small and shrink no more; near a critical point rounding is magnified."""
        largest = max(1.0, float(np.abs(p.z[: self.nq]).max()))
        return float(np.linalg.norm(move[: self.nq])) < 1e-9 * largest and shrunk > 0.5

    def step(self, ds: float) -> tuple[_Point, int] | None:
        """The point at the distance ds along the tangent; None if Newton does not get there."""
        dz, dl = self.along
        p, first = _Point(self.here.z + ds * dz, self.here.load + ds * dl), np.inf
        last = np.inf
        for k in range(_NEWTON):
            r = self.residual(p)
            if not np.isfinite(r).all():
                return None
            try:
                solve = self.solver(p)
            except SingularMatrix:
                return None
            plain, loaded = -solve(r), -solve(self.load_derivative(p))
            share = -self._product((plain, 0.0), self.along) / self._product((loaded, 1.0), self.along)
            move = plain + share * loaded
            p = _Point(p.z + move, p.load + share)
            self.iterations += 1
            far = self._length(move, share)
            first = min(first, far)
            if far < 1e-10 * max(1.0, abs(p.load)) or self._is_rounding(move, p, far / last):
                return p, k + 1
            last = far
            if not far < 10 * first:
                return None
        return None

    def stability(self, p: _Point) -> Stability:
        """Stability by inverse iteration with the tangent's own factor."""
        system, t, u = self._load(p)
        q, rest = p.z[: self.nq], np.zeros(self.nq)
        M = system.mass(t, q)
        K = system.reaction_q(t, q, p.z[self.nq :]) - system.force_q(t, q, rest, u) + self.tables.numbers.idle * M
        return nearest_zero(K, system.constraint_q(t, q), M, self.solver(p))

    def path(self, points: list[_Point], most: int, stop: Stop | None) -> LoadPath:
        """Continue the path from here; ``points`` are those already found."""
        critical: list[CriticalPoint] = []
        steady = self.stability(self.here)
        smallest = [float(steady.values[steady.nearest])] * len(points)
        while len(points) < most and self.here.load < 1.0 - 1e-12:
            found = self._advance()
            if found is None:
                raise NotConverged(
                    f"the path of {self.system.name!r} could not be followed beyond a load of "
                    f"{self.here.load * self.to:.6g}: Newton's method did not converge even with short steps. "
                    "Give a smaller first step."
                )
            point, iterations, ds = found
            now = self.stability(point)
            onwards = self.tangent(point, self.along)
            if now.negative != steady.negative:
                critical += self._locate(ds, steady, turns=onwards[1] * self.along[1] < 0)
            self.here, steady = point, now
            # a path that has gone far is followed in longer steps
            self.size = max(self.size, float(np.linalg.norm((point.z - points[0].z)[: self.nq])))
            self.along = self._normalise(onwards)
            points.append(point)
            smallest.append(float(now.values[now.nearest]))
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
                settled = self._equilibrium_near(self.here.z + share * (point.z - self.here.z))
                if settled is None:
                    ds /= 2
                    continue
                return settled, iterations, share * ds
            return point, iterations, ds
        return None

    def _equilibrium_near(self, z: Vector) -> _Point | None:
        """The equilibrium under all of the load near z, by Newton; None if there is none."""
        p, last = _Point(z, 1.0), np.inf
        for _ in range(_NEWTON):
            move = -self.solver(p)(self.residual(p))
            p = _Point(p.z + move, 1.0)
            self.iterations += 1
            far = self._length(move, 0.0)
            if far < 1e-10 or self._is_rounding(move, p, far / last):
                return p
            if not far < 1.0:
                return None
            last = far
        return None

    def _distance(self, p: _Point) -> float:
        """Distance along the tangent from here."""
        return self._product((p.z - self.here.z, p.load - self.here.load), self.along)

    def _locate(self, ds: float, before: Stability, *, turns: bool) -> list[CriticalPoint]:
        """Bisection on the number of negative eigenvalues, from here to the arc length ds.

        None where no eigenvalue passes zero there: one farther off has come into sight.
        """
        low, high, count = 0.0, ds, before.negative
        point, now = self.here, before
        while high - low > 1e-7 * ds:
            found = next((x for share in _SPLITS if (x := self.step(low + share * (high - low))) is not None), None)
            if found is None:
                break
            middle = self._distance(found[0])
            point, now = found[0], self.stability(found[0])
            low, high = (middle, high) if now.negative == count else (low, middle)
        if high - low > 1e-3 * ds:
            raise NotConverged(
                f"an eigenvalue of {self.system.name!r} passes zero near the load {point.load * self.to:.6g}, "
                "but Newton's method does not converge to the critical point. Give a smaller first step."
            )
        least = now.nearest
        if abs(now.values[least]) > 1e-3 * np.abs(before.values).max():
            return []
        kind: Literal["limit", "bifurcation"] = "limit" if turns else "bifurcation"
        q, lam = point.z[: self.nq], point.z[self.nq :]
        return [CriticalPoint(kind=kind, load=point.load * self.to, q=q, lam=lam, mode=now.modes[:, least])]

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


_Course = Callable[[float], tuple[System, float, Vector]]


def _system_under_load(system: System, load: str, t: float) -> _Course:
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
