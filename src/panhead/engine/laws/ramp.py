"""Smooth ramp functions."""

from __future__ import annotations

from typing import Any


def smooth_ramp(x: Any, over: float) -> Any:
    """From 0 at x = 0 to 1 at x = ``over`` with no jump up to the second derivative; a step if ``over`` is 0.

    τ³ (10 − 15 τ + 6 τ²),   τ = x / over, not below 0 nor above 1
    """
    tau = x / over if over > 0.0 else 1.0 * (x >= 0.0)
    tau = tau * (tau > 0.0) * (tau < 1.0) + 1.0 * (tau >= 1.0)
    return tau**3 * (10.0 - 15.0 * tau + 6.0 * tau**2)
