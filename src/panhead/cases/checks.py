"""A check: one quantity, computed anew, beside its reference."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any


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


def as_json(checks: Sequence[Check]) -> dict[str, dict[str, Any]]:
    """quantity → value, unit, reference, low, high, ok, source."""
    table = {}
    for check in checks:
        entry = asdict(check) | {"ok": check.ok}
        table[entry.pop("quantity")] = entry
    return table
