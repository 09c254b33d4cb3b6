"""Shipped models of bodies and joints, by name."""

from __future__ import annotations

from panhead.models.chain import chain
from panhead.models.flexible_pendulum import flexible_pendulum
from panhead.models.four_bars import four_bars
from panhead.models.moving_load import moving_load
from panhead.models.registry import Shipped, names, shipped
from panhead.models.slider_crank import slider_crank
from panhead.models.sliding_mass import sliding_mass
from panhead.models.spatial_slider_crank import spatial_slider_crank

__all__ = [
    "Shipped",
    "chain",
    "flexible_pendulum",
    "four_bars",
    "moving_load",
    "names",
    "shipped",
    "slider_crank",
    "sliding_mass",
    "spatial_slider_crank",
]
