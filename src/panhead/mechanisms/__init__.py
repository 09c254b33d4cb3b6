"""Shipped mechanisms in generalised coordinates, by name."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence

from panhead.errors import ModelError
from panhead.symbolic.mechanism import Mechanism

_MODULES = {
    "double-pendulum": "double_pendulum",
    "planar-pantograph": "planar_pantograph",
    "pendulum": "pendulum",
    "four-bars": "four_bars",
    "crank-rod": "crank_rod",
    "variator": "variator",
    "two-link-robot": "two_link_robot",
}


def names() -> Sequence[str]:
    """Every shipped mechanism."""
    return list(_MODULES)


def mechanism(name: str) -> Mechanism:
    """The mechanism called ``name`` with its published parameters."""
    if name not in _MODULES:
        raise ModelError(f"no mechanism is called {name!r}; shipped: {', '.join(_MODULES)}")
    build: Callable[[], Mechanism] = importlib.import_module(
        f"panhead.mechanisms.{_MODULES[name]}"
    ).build
    return build()
