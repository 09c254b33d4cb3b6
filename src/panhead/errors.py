"""Exceptions and warnings of the package, and the checks that raise them.

PanheadError
├── ModelError            the description is wrong; raised while building, never while running
│   ├── FileError         a file is wrong: which file, which field, what value, what is allowed
│   └── ConstraintError   joints or closures contradict or repeat one another
│       └── RedundantConstraints   they repeat one another, and none contradicts
└── SimulationError       the numbers went wrong; carries the state it happened in
    ├── NotConverged      an iteration stopped: where, by how much, which equation, what to try
    └── Interrupted       the user stopped the run; what was computed is kept

RunWarning (a UserWarning): a doubt about a run that continues nevertheless.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable
from typing import Any


class PanheadError(Exception):
    """Root of the tree: catch this to catch everything the package raises on purpose."""


class ModelError(PanheadError, ValueError):
    """A component was described with values that cannot be a mechanism or a line."""


class FileError(ModelError):
    """A file cannot be used. The message names path, field, value and what is allowed."""

    def __init__(self, path: object, problems: list[str] | str) -> None:
        self.path = str(path)
        self.problems = [problems] if isinstance(problems, str) else list(problems)
        shown = self.path if len(self.path) <= 500 else self.path[:499] + "…"
        super().__init__(f"{shown}\n" + "\n".join(f"  {p}" for p in self.problems))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle by path and problems, so that it crosses processes unchanged."""
        return type(self), (self.path, self.problems)


class ConstraintError(ModelError):
    """Constraints are redundant or contradictory; the message names them in words."""


class RedundantConstraints(ConstraintError):
    """Constraints repeat one another without a contradiction: the motion is unique, single reactions are not."""


class SimulationError(PanheadError, RuntimeError):
    """A run failed. ``partial`` holds the result up to the failure, if there is one."""

    def __init__(self, message: str, *, partial: Any = None) -> None:
        super().__init__(message)
        self.partial = partial


class NotConverged(SimulationError):
    """An iteration did not reach its tolerance."""


class Interrupted(SimulationError):
    """The user stopped the run."""


class RunWarning(UserWarning):
    """A doubt about a run that must be known before its report is signed; stored in the result and shown there."""


def require_positive(owner: object, *fields: str, why: str = "") -> None:
    """Raise ModelError, with the reason ``why``, unless every named field is finite and > 0 (NaN fails too)."""
    for field in fields:
        value = _number(owner, field)
        if not (value > 0 and math.isfinite(value)):
            reason = f"; {why}" if why else ""
            raise ModelError(f"{label(owner)}: {field} must be finite and > 0, got {value!r}{reason}")


def require_not_negative(owner: object, *fields: str) -> None:
    """Raise ModelError unless every named field of ``owner`` is finite and ≥ 0 (NaN fails too)."""
    for field in fields:
        value = _number(owner, field)
        if not (value >= 0 and math.isfinite(value)):
            raise ModelError(f"{label(owner)}: {field} must be finite and ≥ 0, got {value!r}")


def require_finite(owner: object, *fields: str) -> None:
    """Raise ModelError unless every named field of ``owner`` is a finite number, or None."""
    for field in fields:
        value = getattr(owner, field)
        if value is not None and not math.isfinite(_number(owner, field)):
            raise ModelError(f"{label(owner)}: {field} must be finite, got {value!r}")


_LONGEST = 1000  # binary digits of an integer that fits into a float


def _number(owner: object, field: str) -> Any:
    """Value of a field that must be a number; text with a unit is allowed in files only."""
    value = getattr(owner, field)
    if isinstance(value, str | list | tuple | dict) or value is None:
        raise ModelError(f"{label(owner)}: {field} must be a number in SI units, got {value!r:.60}")
    if isinstance(value, int) and value.bit_length() > _LONGEST:
        raise ModelError(f"{label(owner)}: {field} has more than {_LONGEST} binary digits; correct the typing error")
    return value


def require_parts(owner: object, kind: type, *fields: str) -> None:
    """Raise ModelError unless every named field of ``owner`` is a tuple of ``kind``."""
    for field in fields:
        value = getattr(owner, field)
        wrong = (
            value if not isinstance(value, tuple | list) else next((x for x in value if not isinstance(x, kind)), None)
        )
        if wrong is not None:
            raise ModelError(f"{label(owner)}: {field} must be a tuple of {kind.__name__}, got {wrong!r:.60}")


def require_kind(owner: object, kind: type, *fields: str) -> None:
    """Raise ModelError unless every named field of ``owner`` is a ``kind``."""
    for field in fields:
        if not isinstance(getattr(owner, field), kind):
            raise ModelError(f"{label(owner)}: {field} must be a {kind.__name__}, got {getattr(owner, field)!r:.60}")


def require_one_of(owner: object, known: Iterable[object], field: str) -> None:
    """Raise ModelError unless the named field of ``owner`` is one of the known words."""
    value, words = getattr(owner, field), list(known)
    if value not in words:
        raise ModelError(f"{label(owner)}: {field} must be {' or '.join(map(repr, words))}, got {value!r:.60}")


def require_at_most(owner: object, most: float, *fields: str) -> None:
    """Raise ModelError if a named field of ``owner`` exceeds ``most``."""
    for field in fields:
        value = getattr(owner, field)
        if value > most:
            raise ModelError(f"{label(owner)}: {field} must be at most {most:g}, got {value:.10g}")


def label(owner: object) -> str:
    """Return the name of an object for messages: its class, and its own name if it has one."""
    name = getattr(owner, "name", "")
    return f"{type(owner).__name__} {name!r}" if name else type(owner).__name__


_SCREENFUL = 60  # names that a message lists


def alternatives(name: object, known: Iterable[object]) -> str:
    """Suggest names in place of an unknown one: the closest match, then all known names, at most 60."""
    names = [str(k) for k in known]
    shown = names if len(names) <= _SCREENFUL else [*names[:_SCREENFUL], f"… ({len(names)} in all)"]
    near = difflib.get_close_matches(str(name)[:80], names, 1, 0.6)
    meant = f"did you mean {near[0]!r}? " if near else ""
    return f"{meant}Known: {', '.join(shown) or 'none'}"
