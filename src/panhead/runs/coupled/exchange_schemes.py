"""Coupling schemes of an exchange step: Jacobi, Gauss–Seidel, or iterated to convergence.

Each scheme is a value with a ``step``; ``Exchange`` holds what both sides know at an exchange time.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Literal, NamedTuple, final

import numpy as np

from panhead.engine.system import Vector
from panhead.errors import ModelError, NotConverged, require_positive
from panhead.runs.coupled.participant import Participant

Extrapolation = Literal["constant", "linear"]
_NEW = 1e-2  # of a difference: a smaller part that points another way is more noise and kink than slope


#: Changes of the residual r = G(x) − x, and of G(x), that were seen together: slopes of the interface.
Slopes = tuple[tuple[Vector, Vector], ...]


class Exchange(NamedTuple):
    """Values at an exchange time: contacts from the line, strips from the pantograph."""

    contact: Vector
    strip: Vector
    slopes: Slopes = ()  #: seen on the way, where the step was repeated


class ExchangeStep(NamedTuple):
    """Inputs of each side over an exchange step, at both ends, their outputs, and the number of iterations."""

    strip_given: tuple[Vector, Vector]  #: to the line
    contact_given: tuple[Vector, Vector]  #: to the pantograph
    after: Exchange
    iterations: int


def extrapolate(kind: Extrapolation, now: Vector, before: Vector | None) -> tuple[Vector, Vector]:
    """Inputs at both ends of the next step, from the last two exchange times."""
    if kind == "constant" or before is None:
        return now, now
    return now, 2.0 * now - before


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Jacobi:
    """Both sides advance in parallel, each with extrapolated inputs; nothing is repeated.

    The coupling error falls as dt with constant and as dt² with linear extrapolation.
    """

    extrapolation: Extrapolation = "constant"

    def step(
        self, line: Participant, pantograph: Participant, dt: float, now: Exchange, before: Exchange | None
    ) -> ExchangeStep:  # fmt: skip
        """Advance one exchange step."""
        strip = extrapolate(self.extrapolation, now.strip, before and before.strip)
        contact = extrapolate(self.extrapolation, now.contact, before and before.contact)
        new_contact = line.advance(dt, *strip)
        new_strip = pantograph.advance(dt, *contact)
        return ExchangeStep(strip, contact, Exchange(new_contact, new_strip), 1)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class GaussSeidel:
    """One side advances with extrapolated inputs, then the other with the outputs of the first.

    With the line first this is the exchange of [Ambrosio11, fig. 6]: predicted strips, contact force, pantograph.
    """

    extrapolation: Extrapolation = "constant"
    first: Literal["line", "pantograph"] = "line"

    def step(
        self, line: Participant, pantograph: Participant, dt: float, now: Exchange, before: Exchange | None
    ) -> ExchangeStep:  # fmt: skip
        """Advance one exchange step."""
        if self.first == "line":
            strip = extrapolate(self.extrapolation, now.strip, before and before.strip)
            new_contact = line.advance(dt, *strip)
            contact = now.contact, new_contact
            new_strip = pantograph.advance(dt, *contact)
        else:
            contact = extrapolate(self.extrapolation, now.contact, before and before.contact)
            new_strip = pantograph.advance(dt, *contact)
            strip = now.strip, new_strip
            new_contact = line.advance(dt, *strip)
        return ExchangeStep(strip, contact, Exchange(new_contact, new_strip), 1)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Iterated:
    """Repeat the step until contacts given and contacts found agree within ``tolerance``.

        x ↦ G(x): pantograph under contacts x, then the line over its strips;   G(x) = x

    Plain repetition contracts by about k β dt²/m for a soft contact and by the mass of the wire that a step feels
    over that of the head for a stiff one: it fails under a light head. ``aitken`` scales each correction by the last
    two [Kuttler08]; ``quasi-newton`` finds the slope of the interface from all repetitions of the step by least
    squares [Degroote09].
    """

    tolerance: float = 1e-8  #: of contact forces [N]; places and rates of contact points in m and m/s likewise
    max_iterations: int = 50
    acceleration: Literal["none", "aitken", "quasi-newton"] = "quasi-newton"

    def __post_init__(self) -> None:
        require_positive(self, "tolerance", "max_iterations")
        if self.acceleration not in ("none", "aitken", "quasi-newton"):
            raise ModelError(f"Iterated: acceleration must be none, aitken or quasi-newton, got {self.acceleration!r}")

    def step(
        self, line: Participant, pantograph: Participant, dt: float, now: Exchange, before: Exchange | None
    ) -> ExchangeStep:  # fmt: skip
        """Advance one exchange step."""
        starts = line.copy_state(), pantograph.copy_state()
        x = extrapolate("linear", now.contact, before and before.contact)[1]
        history: list[tuple[Vector, Vector]] = []
        for k in range(1, self.max_iterations + 1):
            if k > 1:
                line.restore_copy(starts[0])
                pantograph.restore_copy(starts[1])
            strip = pantograph.advance(dt, now.contact, x)
            found = line.advance(dt, now.strip, strip)
            size = float(np.abs(found - x).max())
            history.append((x, found))
            if size <= self.tolerance:
                after = Exchange(found, strip, _independent(history, now.slopes))
                return ExchangeStep((now.strip, strip), (now.contact, x), after, k)
            x = self._next(history, now.slopes)
        raise NotConverged(
            f"the exchange did not converge after t = {line.time - dt:.6g} s within {self.max_iterations} iterations; "
            f"contact forces still change by {size:.3g} N. Shorten the exchange step, or raise the tolerance"
        )

    def _next(self, history: list[tuple[Vector, Vector]], known: Slopes) -> Vector:
        if self.acceleration == "quasi-newton":
            return _secant(history, known)
        if self.acceleration == "aitken" and len(history) > 1:
            return _aitken(history)
        return history[-1][1]


def _aitken(history: list[tuple[Vector, Vector]]) -> Vector:
    """x + ω r, ω = −Δx·Δr/Δr·Δr from the last two residuals r = G(x) − x."""
    (x0, y0), (x1, y1) = history[-2:]
    r, change = y1 - x1, (y1 - x1) - (y0 - x0)
    size = float(change @ change)
    return y1 if size == 0.0 else x1 - float((x1 - x0) @ change) / size * r


def _secant(history: list[tuple[Vector, Vector]], known: Slopes) -> Vector:
    """Newton step with the last observed interface derivatives: r(x + Σ c Δx) ≈ r + Σ c Δr = 0, least squares."""
    x, y = history[-1]
    slopes = _independent(history, known)
    if not slopes:
        return y
    dR, dY = (np.stack(columns, axis=1) for columns in zip(*slopes, strict=True))
    return np.asarray(y + dY @ np.linalg.lstsq(dR, x - y, rcond=None)[0])


def _independent(history: list[tuple[Vector, Vector]], known: Slopes) -> Slopes:
    """Differences between a step's iterations, newest first, then those of earlier steps.

    Where a contact closes or opens slopes jump; of differences that point the same way only the newest counts.
    """
    seen = [((y1 - x1) - (y0 - x0), y1 - y0) for (x0, y0), (x1, y1) in reversed(list(itertools.pairwise(history)))]
    basis: list[Vector] = []
    kept: list[tuple[Vector, Vector]] = []
    for dr, dy in (*seen, *known):
        rest = dr - sum(((b @ dr) * b for b in basis), np.zeros_like(dr))
        size = float(np.linalg.norm(rest))
        if size > _NEW * float(np.linalg.norm(dr)):
            basis.append(rest / size)
            kept.append((dr, dy))
    return tuple(kept)


CouplingScheme = Jacobi | GaussSeidel | Iterated
