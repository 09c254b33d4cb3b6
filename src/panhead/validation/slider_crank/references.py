"""Slider-crank with an elastic rod against an independent solution."""

from __future__ import annotations

from collections.abc import Sequence

from panhead.validation.checks import AFTER, BEFORE, Check, below, near
from panhead.validation.motions import CONSERVATION, JOINTS, MINIMAL, MotionCase, extrapolate, place_checks, run_at_step


def slider_crank() -> Sequence[Check]:
    """Eight elements of an elastic rod for 0.5 s, almost two turns of the crank."""
    case = MotionCase(model="slider-crank", duration=0.5, body="rod", place=(0.25,))
    coarse, fine = run_at_step(case, 1e-4), run_at_step(case, 5e-5)
    return [
        # waves along the rod are faster than the step: their small part does not extrapolate
        *place_checks(
            "middle of the rod at 0.5 s",
            extrapolate(coarse, fine)[:2],
            (0.321798357552, -0.153603162511),
            tol=5e-6,
            source=MINIMAL,
            by=AFTER,
        ),
        near("crank angle at 0.5 s",
            float(fine.motion.q[-1, 2] + (fine.motion.q[-1, 2] - coarse.motion.q[-1, 2]) / 3), 11.540011381, "rad",
            MINIMAL, tol=5e-6, by=AFTER),
        below("energy over 0.5 s at 50 µs, relative", fine.energy, 1e-4, "1", CONSERVATION, by=AFTER),
        below("constraint residual", fine.residual, 1e-10, "m", JOINTS, by=BEFORE),
    ]  # fmt: skip
