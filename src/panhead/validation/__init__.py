"""Validation cases: each computes its quantities anew and sets them beside a reference.

A case is a function without arguments that returns checks; the table below names it. Nothing here
reads a stored result.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from panhead.errors import FileError

_CASES = {
    "double-pendulum": "panhead.validation.mechanisms:double_pendulum",
    "planar-pantograph": "panhead.validation.mechanisms:planar_pantograph",
    "planar-pantograph-control": "panhead.validation.control:planar_pantograph_control",
    "crank-rod": "panhead.validation.factorized:crank_rod",
    "variator": "panhead.validation.factorized:variator",
    "two-link-robot": "panhead.validation.factorized:two_link_robot",
    "iftomm-a01": "panhead.validation.mechanisms:iftomm_a01",
    "iftomm-a02": "panhead.validation.mechanisms:iftomm_a02",
    "en50318-250": "panhead.validation.interaction:en50318_250",
    "en50318-300": "panhead.validation.interaction:en50318_300",
    "contact-restitution": "panhead.validation.cosimulation:contact_restitution",
    "cosimulation": "panhead.validation.cosimulation:cosimulation",
    "moving-load-string": "panhead.validation.interaction:moving_load_string",
    "moving-load-beam": "panhead.validation.interaction:moving_load_beam",
    "linear-vs-ancf": "panhead.validation.linear_vs_ancf:linear_vs_ancf",
    "line-statics": "panhead.validation.line:line_statics",
    "pendulum-on-beam": "panhead.validation.pendulum_on_beam:pendulum_on_beam_case",
    "wheel-rail": "panhead.validation.wheel_rail:wheel_rail",
    "klingel": "panhead.validation.wheel_rail:klingel",
    "vehicle-statics": "panhead.validation.vehicle:vehicle_statics",
    "vehicle-straight": "panhead.validation.vehicle:vehicle_straight",
    "chain": "panhead.validation.multibody:chain",
    "four-bar-n": "panhead.validation.multibody:four_bar_n",
    "slider-crank": "panhead.validation.multibody:slider_crank",
    "ancf-cantilever": "panhead.validation.beams:ancf_cantilever",
    "flexible-pendulum": "panhead.validation.multibody:flexible_pendulum",
    "floating-frame": "panhead.validation.floating_frame:floating_frame",
    "sliding-mass-on-cable": "panhead.validation.sliding:sliding_mass_on_cable",
    "cx-modes": "panhead.validation.cx:cx_modes",
    "s4-cx": "panhead.validation.s4:s4_cx",
    "s1-statics": "panhead.validation.catenary:s1_statics",
    "s1-low-uplift": "panhead.validation.catenary:s1_low_uplift",
    "s1-high-uplift": "panhead.validation.catenary:s1_high_uplift",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One quantity beside its reference; it is right if low ≤ value ≤ high."""

    quantity: str
    value: float
    unit: str
    reference: float | None  #: the published or independently computed number, if there is one
    low: float | None  #: None: no lower bound
    high: float | None  #: None: no upper bound
    source: str  #: where the reference comes from

    @property
    def ok(self) -> bool:
        """Whether the value is finite and inside its bounds."""
        above = self.low is None or self.value >= self.low
        below = self.high is None or self.value <= self.high
        return bool(math.isfinite(self.value) and above and below)


def near(
    quantity: str,
    value: float,
    reference: float,
    *,
    unit: str,
    source: str,
    rel: float = 0.0,
    tol: float = 0.0,
) -> Check:
    """A check that ``value`` is within ``rel``·|reference| + ``tol`` of ``reference``."""
    slack = rel * abs(reference) + tol
    return Check(
        quantity=quantity,
        value=float(value),
        unit=unit,
        reference=float(reference),
        low=reference - slack,
        high=reference + slack,
        source=source,
    )


def below(quantity: str, value: float, limit: float, *, unit: str, source: str) -> Check:
    """A check that an error or residual |value| stays below ``limit``."""
    return Check(
        quantity=quantity,
        value=float(abs(value)),
        unit=unit,
        reference=0.0,
        low=0.0,
        high=float(limit),
        source=source,
    )


def at_least(
    quantity: str,
    value: float,
    limit: float,
    *,
    unit: str,
    source: str,
    reference: float | None = None,
) -> Check:
    """A check that ``value`` does not fall below ``limit``."""
    return Check(
        quantity=quantity,
        value=float(value),
        unit=unit,
        reference=reference,
        low=float(limit),
        high=None,
        source=source,
    )


def listed(
    quantity: str, value: float, reference: float | None, *, unit: str, source: str
) -> Check:
    """A quantity set beside its reference without bounds; ``source`` says why it has none."""
    return Check(
        quantity=quantity,
        value=float(value),
        unit=unit,
        reference=reference,
        low=None,
        high=None,
        source=source,
    )


def names() -> list[str]:
    """Every case's name, in the order the cases are told."""
    return list(_CASES)


def run(name: str) -> Sequence[Check]:
    """Compute one case."""
    if name not in _CASES:
        raise FileError(name, f"is not a validation case. Cases: {', '.join(_CASES)}")
    module, function = _CASES[name].split(":")
    case: Callable[[], Sequence[Check]] = getattr(importlib.import_module(module), function)
    return case()


def as_json(checks: Sequence[Check]) -> dict[str, dict[str, Any]]:
    """quantity → value, unit, reference, low, high, ok, source."""
    table = {}
    for check in checks:
        entry = asdict(check) | {"ok": check.ok}
        table[entry.pop("quantity")] = entry
    return table
