"""Optimisation variables: tied parameters share one variable, within bounds that all of them satisfy."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from panhead.errors import ModelError, alternatives
from panhead.explore.designs.design_description import Change
from panhead.explore.designs.parameters import CHANGEABLE, Values
from panhead.files.units import in_unit
from panhead.railway.line.line_description import Line
from panhead.runs.gradients.parameter_families import FAMILIES

_LISTED = 12  # names in a message


@dataclass(frozen=True, slots=True)
class DesignVariable:
    """A change Δ that one or several parameters of a family make together."""

    family: str
    names: tuple[str, ...]
    low: float  #: least Δ
    high: float  #: largest Δ

    @property
    def scale(self) -> float:
        """Δ of one unit of the search."""
        return max(abs(self.low), abs(self.high))

    @property
    def title(self) -> str:
        """Title: the common part of its names."""
        if len(self.names) == 1:
            return self.names[0]
        words = [re.split(r"(\d+)", name) for name in self.names]
        if len({len(w) for w in words}) > 1:
            return f"{self.names[0]} and {len(self.names) - 1} more"
        return "".join(w[0] if len(set(w)) == 1 else _several(w) for w in zip(*words, strict=True))


def _several(words: Sequence[str]) -> str:
    found = sorted({int(w) for w in words if w.isdigit()})
    if not found:
        return "…"
    if len(found) > 2 and found == list(range(found[0], found[-1] + 1)):
        return f"{found[0]}–{found[-1]}"
    return "/".join(map(str, found[:3])) + ("…" if len(found) > 3 else "")


def variables_of(changes: Sequence[Change], values: Mapping[str, Values], line: Line | None) -> list[DesignVariable]:
    """All variables of a design; ``values`` are those that each family has now, ``line`` is the one that changes."""
    found = [v for change in changes for v in _of_change(change, values[change.parameter], line)]
    seen: set[tuple[str, str]] = set()
    for v in found:
        for name in v.names:
            if (v.family, name) in seen:
                raise ModelError(f"design: {v.family} of {name!r} is in two changes; name it in one only")
            seen.add((v.family, name))
    return found


def check_family(change: Change) -> None:
    """ModelError unless a design can change this family."""
    if change.parameter not in CHANGEABLE:
        known = " It has a gradient, but no input to write it to." if change.parameter in FAMILIES else ""
        raise ModelError(
            f"design: {change.parameter!r} cannot be changed.{known} {alternatives(change.parameter, CHANGEABLE)}"
        )


def _of_change(change: Change, values: Values, line: Line | None) -> list[DesignVariable]:
    names = fnmatch.filter(values, change.names)
    if not names:
        more = f" … {len(values) - _LISTED} more" if len(values) > _LISTED else ""
        known = "; ".join(list(values)[:_LISTED])
        raise ModelError(
            f"change {change.parameter!r}: {change.names!r} matches no parameter. Available: {known}{more}"
        )
    groups: dict[object, list[str]] = {}
    for name in names:
        groups.setdefault(_key(change, name, line), []).append(name)
    found = [_bounds(change, group, values) for group in groups.values()]
    if all(v.low == v.high for v in found):
        raise ModelError(f"change {change.parameter!r}: its bounds leave no room for a change; widen them")
    return [v for v in found if v.low < v.high]


def _bounds(change: Change, names: list[str], values: Values) -> DesignVariable:
    pair = change.by if change.by is not None else change.between
    assert pair is not None  # Change requires one
    unit = FAMILIES[change.parameter].unit
    try:
        low, high = (in_unit(x, unit) for x in pair)
    except ValueError as error:
        raise ModelError(f"change {change.parameter!r}: {error}") from None
    if not low <= high:
        raise ModelError(f"change {change.parameter!r}: lower bound {pair[0]!r} is above upper bound {pair[1]!r}")
    if change.between is not None:
        outside = [n for n in names if not low <= values[n] <= high]
        if outside:
            raise ModelError(
                f"change {change.parameter!r}: {outside[0]!r} is {values[outside[0]]:.6g} {unit} now, outside "
                f"{pair[0]} to {pair[1]}; widen between"
            )
        low, high = max(low - values[n] for n in names), min(high - values[n] for n in names)
    elif not low <= 0.0 <= high:
        raise ModelError(
            f"change {change.parameter!r}: by {pair[0]!r} to {pair[1]!r} excludes the current value; it must include 0"
        )
    return DesignVariable(change.parameter, tuple(names), low, high)


def _key(change: Change, name: str, line: Line | None) -> object:
    """Equal for parameters that change together."""
    if not change.tie:
        return name
    if "all alike" in change.tie:
        return ""
    found = re.fullmatch(r"(.*), span (\d+), dropper (\d+)", name)
    if found is None or line is None:
        raise ModelError(f"change {change.parameter!r}: {' and '.join(map(repr, change.tie))} applies to droppers only")
    tension_length, span, number = found[1], int(found[2]), int(found[3])
    tl = next(t for t in line.tension_lengths if t.name == tension_length)
    described = tl.spans[span - 1]
    places = tuple(round(d.position, 6) for d in described.droppers)
    length = float(described.length or 0.0)
    if "symmetric" in change.tie:
        if any(abs(a + b - length) > 1e-6 for a, b in zip(places, places[::-1], strict=True)):
            raise ModelError(
                f"change {change.parameter!r}: the droppers of {tension_length}, span {span} are not symmetric; "
                'leave "symmetric" out of `tie`'
            )
        number = min(number, len(places) + 1 - number)
    where = (length, places) if "spans alike" in change.tie else (tension_length, span)
    return (*where, number)
