"""Declared uplift of certified lines beside the uplift computed from their printed parameters.

What was expected, and why, was written down before the first run: ``expectations.toml``. No parameter is fitted.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from panhead.railway.line.line_design import read_design
from panhead.validation.checks import BEFORE, Check, between, listed, listed_with_range, near
from panhead.validation.declared_values.uplift_runs import Reading, stored_predictions, uplift

EXPECTED: Final[dict[str, Any]] = tomllib.loads(
    Path(__file__).with_name("expectations.toml").read_text(encoding="utf-8")
)
_SIMPLE_AC: Final = ("CA-200/25kV", "C-350-TR-200")
_TWIN_DC: Final = ("CA-160/3kV A", "CA-220/3kV")
_BOTH, _ONE = Reading(), Reading(one_wire=True)


def declared_uplift() -> Sequence[Check]:
    """Uplift at the steady arm at line speed beside S₀, for the four lines whose S₀ is public."""
    return [*(row for name in _SIMPLE_AC for row in _simple(name)), *(row for name in _TWIN_DC for row in _twin(name))]


def _declared(name: str) -> float:
    declared = read_design(name).declared
    assert declared is not None
    assert declared.uplift is not None
    return 1e3 * declared.uplift


def _simple(name: str) -> Iterator[Check]:
    bound, reason = EXPECTED["uplift"]["simple_ac"], EXPECTED["uplift"]["simple_ac_reason"]
    found = uplift(read_design(name))
    yield near(f"{name}: uplift at the steady arm", found, _declared(name), "mm", reason, rel=bound, by=BEFORE)
    yield _spread(name)


def _twin(name: str) -> Iterator[Check]:
    design, declared, stored = read_design(name), _declared(name), stored_predictions()[name]
    both, one = uplift(design, _BOTH), uplift(design, _ONE)
    readings = (both, one, stored["two pantographs"])
    margin, reason = EXPECTED["uplift"]["twin_dc"], EXPECTED["uplift"]["twin_dc_reason"]
    bounds = (1.0 - margin) * min(readings), (1.0 + margin) * max(readings)
    yield between(f"{name}: declared uplift, within the readings", declared, bounds, "mm", reason, by=BEFORE)
    why = "S0 as declared; how it was obtained is not printed"
    yield listed(f"{name}: uplift, force on both contact wires", both, declared, "mm", why)
    yield listed(f"{name}: uplift, force on one contact wire", one, declared, "mm", why)
    yield _spread(name)


def _spread(name: str) -> Check:
    """Declared value beside the stored range over what no text prints."""
    stored = stored_predictions()[name]
    inside = stored["spread"][0] <= _declared(name) <= stored["spread"][1]
    words = "inside" if inside else "outside"
    return listed_with_range(
        f"{name}: declared uplift and the spread of what is not printed",
        _declared(name),
        (stored["spread"][0], stored["spread"][1]),
        "mm",
        f"{words} the spread: twelve runs with other droppers, steady arms, damping, pantographs and pre-sag, "
        "computed by panhead.validation.declared_values.uplift_runs",
        reference=stored["median"],
    )
