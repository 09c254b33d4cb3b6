"""Shipped models of bodies and joints, by name."""

from panhead.models.four_bars import four_bars
from panhead.models.moving_load import moving_load

__all__ = ["four_bars", "moving_load"]
