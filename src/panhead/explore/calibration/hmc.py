"""Hamiltonian Monte Carlo in coordinates in which the Laplace approximation is standard normal.

With H = L Lᵀ and u = Lᵀ(z − ẑ) the posterior is nearly N(0, I), so that few steps go a quarter of a period. The
leapfrog rule

    p ← p − ½ ε ∇φ,   u ← u + ε p,   p ← p − ½ ε ∇φ                                   [Neal11, section 2.3]

is repeated n times, n random with n ε about π/2, and the end accepted with probability min(1, exp(−ΔH)). The step ε
is adapted by dual averaging [Hoffman14, section 3.2]. ``rotate`` takes the exact flow of the normal approximation
instead, u cos t + p sin t, which needs no gradient; its ends are accepted by the same exact φ.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

_ACCEPTED = 0.8  # share that the step is adapted to
_MOST = 8  # leapfrog steps of a trajectory


@dataclass(frozen=True, slots=True)
class MarkovChain:
    """Draws of one chain."""

    z: np.ndarray  #: (draws, size)
    potential: np.ndarray  #: (draws,) φ
    accepted: float  #: mean probability of acceptance
    step: float  #: ε
    divergent: int  #: trajectories whose energy error exceeded a thousand


@dataclass(frozen=True, slots=True)
class Whitened:
    """Coordinates u = Lᵀ(z − ẑ)."""

    centre: np.ndarray
    factor: np.ndarray  #: L, lower, of H = L Lᵀ

    def z(self, u: np.ndarray) -> np.ndarray:
        """z of u."""
        return self.centre + np.linalg.solve(self.factor.T, u)

    def slope(self, by_z: np.ndarray) -> np.ndarray:
        """∇ by u of ∇ by z."""
        return np.linalg.solve(self.factor, by_z)


PotentialGradient = Callable[[np.ndarray], tuple[float, np.ndarray]]


def sample(
    potential: PotentialGradient, space: Whitened, draws: int, warm_up: int, rng: np.random.Generator,
    told: Callable[[int], None] = lambda done: None,
) -> MarkovChain:  # fmt: skip
    """A chain of Hamiltonian Monte Carlo from a random start near the maximum."""
    size = space.centre.size

    def at(u: np.ndarray) -> tuple[float, np.ndarray]:
        value, slope = potential(space.z(u))
        return value, space.slope(slope)

    u = rng.standard_normal(size)
    value, slope = at(u)
    tuner, found, accepts, divergent = _DualAveraging(0.8 / size**0.25), [], [], 0
    for k in range(warm_up + draws):
        p = rng.standard_normal(size)
        count = min(_MOST, max(1, round(rng.uniform(0.6, 1.4) * 0.5 * np.pi / tuner.step)))
        there = _trajectory(at, (u, p, slope), tuner.step, count)
        rise = np.inf if there is None else there[2] + 0.5 * float(there[1] @ there[1]) - value - 0.5 * float(p @ p)
        probability = float(np.exp(min(0.0, -rise))) if np.isfinite(rise) else 0.0
        divergent += int(not rise < 1000.0)
        if there is not None and rng.uniform() < probability:
            u, value, slope = there[0], there[2], there[3]
        if k < warm_up:
            tuner = tuner.after(probability, last=k == warm_up - 1)
        else:
            found.append(np.concatenate([space.z(u), [value]]))
            accepts.append(probability)
        told(k + 1)
    table = np.array(found)
    return MarkovChain(table[:, :-1], table[:, -1], float(np.mean(accepts)), tuner.step, divergent)


def _trajectory(
    at: PotentialGradient, begin: tuple[np.ndarray, np.ndarray, np.ndarray], step: float, count: int
) -> tuple[np.ndarray, np.ndarray, float, np.ndarray] | None:
    """Leapfrog steps: position, momentum, φ and its gradient at the end; None if a value is not finite."""
    u, p, slope = begin
    value = np.inf
    for _ in range(count):
        p = p - 0.5 * step * slope
        u = u + step * p
        value, slope = at(u)
        if not (np.isfinite(value) and np.isfinite(slope).all()):
            return None
        p = p - 0.5 * step * slope
    return u, p, value, slope


def rotate(
    potential: Callable[[np.ndarray], float], space: Whitened, draws: int, warm_up: int, rng: np.random.Generator,
    told: Callable[[int], None] = lambda done: None,
) -> MarkovChain:  # fmt: skip
    """A chain whose trajectories are those of the normal approximation, accepted by the exact φ."""
    size = space.centre.size
    u = rng.standard_normal(size)
    off = potential(space.z(u)) - 0.5 * float(u @ u)
    found, accepts, time = [], [], 0.5 * np.pi
    for k in range(warm_up + draws):
        t = rng.uniform(0.85, 1.0) * time
        there = u * np.cos(t) + rng.standard_normal(size) * np.sin(t)
        there_off = potential(space.z(there)) - 0.5 * float(there @ there)
        rise = there_off - off
        probability = float(np.exp(min(0.0, -rise))) if np.isfinite(rise) else 0.0
        if rng.uniform() < probability:
            u, off = there, there_off
        if k < warm_up:  # shorter trajectories where the approximation is poor
            time = float(np.clip(time * (1.1 if probability > 0.5 else 0.85), 0.1, 0.5 * np.pi))
        else:
            found.append(np.concatenate([space.z(u), [off + 0.5 * float(u @ u)]]))
            accepts.append(probability)
        told(k + 1)
    table = np.array(found)
    return MarkovChain(table[:, :-1], table[:, -1], float(np.mean(accepts)), time, 0)


@dataclass(frozen=True, slots=True)
class _DualAveraging:
    """Step length that brings the mean acceptance to ``_ACCEPTED``."""

    start: float
    number: int = 0
    error: float = 0.0  #: mean of the missed acceptance
    mean: float = 0.0  #: averaged logarithm of the step
    now: float | None = None  #: logarithm of the step

    @property
    def step(self) -> float:
        return min(1.6, float(np.exp(np.log(self.start) if self.now is None else self.now)))

    def after(self, accepted: float, *, last: bool) -> _DualAveraging:
        """The tuner after a trajectory; after the last one its step is the averaged one."""
        m = self.number + 1
        error = (1.0 - 1.0 / (m + 10.0)) * self.error + (_ACCEPTED - accepted) / (m + 10.0)
        now = float(np.log(2.0 * self.start) - np.sqrt(m) / 0.3 * error)
        now = min(now, float(np.log(1.6)))  # beyond 2 a normal density is unstable
        share = m**-0.75
        mean = share * now + (1.0 - share) * self.mean
        return _DualAveraging(self.start, m, error, mean, mean if last else now)
