"""Unilateral spring–damper for ropes, stops and linear contacts.

    N = k x + c ẋ   where x > 0 and k x + c ẋ > 0, else 0                                              (1)
    V = ½ k x₊²,   D = (N − k x₊) ẋ ≥ 0,   N ẋ = dV/dt + D                                             (2)

x is the stretch beyond the free length of a rope, or the depth behind the face of a stop; x₊ = max(x, 0).
The functions take the elastic pull k x and the viscous pull c ẋ: a rope that is taut from the start has the pull N₀
before anything moves, and then k x is N₀ + k e.

Why a slack rope does not pull, however fast its ends part: its damper lies in the rope beside its spring, and a
rope shorter than its free length carries neither. N = max(0, k x + c ẋ) without x > 0 has no jump at x = 0 and takes
out energy as well (there N ẋ ≥ 0), but it pulls with 1 kN at x = −1 cm, ẋ = 0.2 m/s, k = 10⁵ N/m, c = 10⁴ N·s/m:
a rope that is still loose. Benchmarks let slack ropes carry nothing             [Bruni15, Ambrosio11].

At x = 0 eq. (1) jumps by c ẋ where the rope comes taut (without damping it does not). An implicit step has one answer
all the same once the jump is filled, N between 0 and c ẋ at x = 0: ``unilateral`` solves for it. Newton's
method on smooth expressions cannot: it hops over the jump. There the damper engages over a short stretch, c ẋ times
``engagement(x, onset)``, which keeps eq. (2): D = c ẋ² min(1, x/onset) ≥ 0 while it pulls.

A bilateral one is a spring with a damper, N = k x + c ẋ and V = ½ k x², on both sides.
"""

from __future__ import annotations

from typing import Any


def pulls(elastic: Any, viscous: Any) -> Any:
    """1 if it pulls, else 0: eq. (1) for the pulls k x and c ẋ [N]."""
    return (elastic > 0) * (elastic + viscous > 0)


def engagement(x: Any, onset: Any) -> Any:
    """The share of the damper that acts at a stretch x [m]: from 0 at x = 0 to 1 from x = ``onset`` on."""
    share = x / onset
    return share * ((share > 0) * (share < 1)) + 1.0 * (share >= 1)


def tension(elastic: Any, viscous: Any) -> Any:
    """N of eq. (1) [N]."""
    N = elastic + viscous
    return N * ((elastic > 0) * (N > 0))


def damper(elastic: Any, viscous: Any) -> Any:
    """N − k x₊, the part of the pull that has no potential [N]; times ẋ it is D of eq. (2) [W]."""
    N = elastic + viscous
    return N * ((elastic > 0) * (N > 0)) - elastic * (elastic > 0)


def energy(elastic: Any, k: Any) -> Any:
    """V = (k x)₊² / 2k of eq. (2) [J]."""
    return elastic * elastic * (elastic > 0) / (2.0 * k)
