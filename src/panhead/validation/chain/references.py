"""Chain of twenty links on ball joints against an independent solution."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from panhead.validation.checks import AFTER, BEFORE, Check, below, near
from panhead.validation.motions import (
    CONSERVATION,
    JOINTS,
    MINIMAL,
    MotionCase,
    extrapolate,
    observed_order,
    place_checks,
    run_at_step,
)


def chain() -> Sequence[Check]:
    """Twenty links on ball joints fall for 1 s: second order, and the position of the tip."""
    case = MotionCase(model="chain", duration=1.0, body="link19", place=(0.25, 0.0, 0.0))
    reference = np.array([-0.172059384928, 1.23881969006, -7.44600600004])
    coarse, fine = run_at_step(case, 1e-3), run_at_step(case, 5e-4)
    return [
        # two terms of the error are gone; what is left shrinks with the fourth power of the step
        *place_checks("tip at 1 s", extrapolate(coarse, fine), reference, tol=5e-7, source=MINIMAL, by=AFTER),
        near("order of convergence", observed_order(coarse, fine, reference), 2.0, "1", "the method's order",
            tol=0.05, by=BEFORE),
        below("energy over 1 s at 0.5 ms, relative", fine.energy, 5e-4, "1", CONSERVATION, by=AFTER),
        below("constraint residual", fine.residual, 1e-10, "m", JOINTS, by=BEFORE),
    ]  # fmt: skip
