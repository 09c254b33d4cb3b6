"""Flexible pendulum (rubber rod on a hinge) against an independent solution."""

from __future__ import annotations

from collections.abc import Sequence

from panhead.validation.checks import AFTER, Check, below
from panhead.validation.motions import CONSERVATION, MINIMAL, MotionCase, extrapolate, place_checks, run_at_step


def flexible_pendulum() -> Sequence[Check]:
    """Sixteen elements of a rubber rod fall about a hinge for 1 s."""
    case = MotionCase(model="flexible-pendulum", duration=1.0, body="rod", place=(1.0,))
    coarse, fine = run_at_step(case, 5e-4), run_at_step(case, 2.5e-4)
    return [
        *place_checks(
            "tip at 1 s",
            extrapolate(coarse, fine)[:2],
            (-0.97070590918, -0.0293907736599),
            tol=2e-5,
            source=MINIMAL,
            by=AFTER,
        ),
        below("energy over 1 s at 0.25 ms, relative", fine.energy, 1e-5, "1", CONSERVATION, by=AFTER),
    ]
