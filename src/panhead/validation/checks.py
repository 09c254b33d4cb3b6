"""Validation checks: compare a computed quantity with its reference and bounds."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

import numpy as np

from panhead.errors import ModelError


class BoundBy(StrEnum):
    """Origin of a bound; a bound set after seeing the result does not count as a test."""

    PRINT = "print"  #: printed range or claim, or the digits of a printed number
    CLOSED_FORM = "closed form"  #: identity or formula; what rounding, steps and neglected terms leave
    INDEPENDENT = "independent computation"  #: its own digits, rounding and discretisation
    BEFORE = "choice before the run"  #: asked for before there was a result; tightened later counts as asked
    AFTER = "after seeing results"  #: or not proven to be earlier: the row is only listed


PRINT, CLOSED_FORM, INDEPENDENT, BEFORE, AFTER = BoundBy


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One quantity and its reference; it passes if low ≤ value ≤ high.

    Without bounds, or with bounds set after the result was seen, it is only listed.
    """

    quantity: str
    value: float
    unit: str
    reference: float | None = None  #: the published or independently computed number, if any
    low: float | None = None  #: None: no lower bound
    high: float | None = None  #: None: no upper bound
    source: str  #: where the reference comes from
    bound_by: BoundBy | None = None  #: who set the bounds; None: none, or shown without a judgement

    @property
    def ok(self) -> bool | None:
        """True if the value is finite and inside its bounds; None if it is only listed."""
        if self.bound_by in (None, AFTER):
            return None if math.isfinite(self.value) else False
        above = self.low is None or self.value >= self.low
        below = self.high is None or self.value <= self.high
        return bool(math.isfinite(self.value) and above and below)


def near(
    quantity: str,
    value: float,
    reference: float,
    unit: str,
    source: str,
    *,
    by: BoundBy,
    rel: float = 0.0,
    tol: float = 0.0,
) -> Check:
    """Check that ``value`` is within ``rel``·|reference| + ``tol`` of ``reference``."""
    slack = rel * abs(reference) + tol
    low, high = float(reference - slack), float(reference + slack)
    return _check(quantity, value, unit, source, reference, by, low=low, high=high)


def below(quantity: str, value: float, limit: float, unit: str, source: str, *, by: BoundBy) -> Check:
    """Check that an error or residual |value| stays below ``limit``."""
    return _check(quantity, abs(value), unit, source, 0.0, by, low=0.0, high=float(limit))


def at_least(
    quantity: str, value: float, limit: float, unit: str, source: str, *, by: BoundBy, reference: float | None = None
) -> Check:
    """Check that ``value`` does not fall below ``limit``."""
    return _check(quantity, value, unit, source, reference, by, low=float(limit))


def at_most(quantity: str, value: float, limit: float, unit: str, source: str, *, by: BoundBy) -> Check:
    """Check that ``value``, of either sign, does not exceed ``limit``."""
    return _check(quantity, value, unit, source, None, by, high=float(limit))


def between(
    quantity: str,
    value: float,
    bounds: tuple[float, float],
    unit: str,
    source: str,
    *,
    by: BoundBy,
    reference: float | None = None,
) -> Check:
    """Check that ``value`` lies in a range, such as one printed in a standard."""
    low, high = map(float, bounds)
    return _check(quantity, value, unit, source, reference, by, low=low, high=high)


def listed(quantity: str, value: float, reference: float | None, unit: str, source: str) -> Check:
    """List a quantity and its reference without bounds; ``source`` says why it has none."""
    return _check(quantity, value, unit, source, reference)


def listed_with_range(
    quantity: str, value: float, bounds: tuple[float, float], unit: str, source: str, *, reference: float | None = None
) -> Check:
    """List a quantity and a printed range without judging it; ``source`` says why."""
    low, high = map(float, bounds)
    return _check(quantity, value, unit, source, reference, low=low, high=high)


def _check(
    quantity: str,
    value: float,
    unit: str,
    source: str,
    reference: float | None,
    by: BoundBy | None = None,
    *,
    low: float | None = None,
    high: float | None = None,
) -> Check:
    return Check(
        quantity=quantity,
        value=float(value),
        unit=unit,
        reference=None if reference is None else float(reference),
        low=low,
        high=high,
        source=source,
        bound_by=by,
    )


def as_json(checks: Sequence[Check]) -> dict[str, dict[str, Any]]:
    """quantity → value, unit, reference, low, high, ok (null: only listed), source, bound_by.

    ModelError if two rows have the same name: the second would hide the first.
    """
    table: dict[str, dict[str, Any]] = {}
    for check in checks:
        entry = asdict(check) | {"ok": check.ok}
        name = entry.pop("quantity")
        if name in table:
            raise ModelError(f"two rows of a validation case have the name {name!r}; give each row a unique name")
        table[name] = entry
    return table


def largest(values: Iterable[float]) -> float:
    """Largest of some errors; NaN if one is NaN, which Python's ``max`` drops unless it comes first."""
    found = np.array(list(values), float)
    return float(found.max()) if found.size else math.nan


def check_row_count(checks: Sequence[Check], judged: int, listed: int) -> list[Check]:
    """Add a failing row if the number of judged or listed rows differs from the expected one."""
    found = [sum(c.bound_by not in (None, AFTER) for c in checks), len(checks)]
    found[1] -= found[0]
    told = "expected number of rows: detects a row that is missing, or listed instead of judged"
    pairs = zip(("judged", "listed"), found, (judged, listed), strict=True)
    off = [near(f"rows that are {what}", x, pinned, "1", told, by=BEFORE) for what, x, pinned in pairs if x != pinned]
    return [*checks, *off]
