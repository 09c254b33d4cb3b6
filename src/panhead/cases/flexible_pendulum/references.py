"""A rubber rod on a hinge beside an independent solution."""

from __future__ import annotations

from collections.abc import Sequence

from panhead.cases.checks import Check, below
from panhead.cases.motions import CONSERVATION, MINIMAL, MotionCase, extrapolated, places, simulated


def flexible_pendulum() -> Sequence[Check]:
    """Sixteen elements of a rubber rod fall about a hinge for 1 s."""
    case = MotionCase(model="flexible-pendulum", duration=1.0, body="rod", place=(1.0,))
    coarse, fine = simulated(case, 5e-4), simulated(case, 2.5e-4)
    return [
        *places(
            "tip at 1 s",
            extrapolated(coarse, fine)[:2],
            (-0.97070590918, -0.0293907736599),
            tol=2e-5,
            source=MINIMAL,
        ),
        below("energy over 1 s at 0.25 ms, relative", fine.energy, 1e-5, "1", CONSERVATION),
    ]
