"""A line with one dropper of another length."""

from dataclasses import replace

from panhead.railway.line.line_defects import DropperError
from panhead.railway.line.line_description import Line
from panhead.railway.line.line_variants import expand_spans


def with_one_dropper_changed(line: Line, tension_length: str, span: int, dropper: int, change: float) -> Line:
    """Return a line with one dropper longer by ``change`` [m]; span and dropper count from 1."""
    single = expand_spans(line)
    lengths = [
        replace(tl, dropper_errors=_with_error(tl.dropper_errors, span, dropper, change))
        if tl.name == tension_length
        else tl
        for tl in single.tension_lengths
    ]
    return replace(single, tension_lengths=tuple(lengths))


def _with_error(
    errors: tuple[DropperError, ...], span: int, dropper: int, change: float
) -> tuple[DropperError, ...]:  # fmt: skip
    """Add one dropper error, on top of the one the dropper already has."""
    mine = [e for e in errors if (e.span, e.dropper) == (span, dropper)]
    others = tuple(e for e in errors if e not in mine)
    return (*others, DropperError(span=span, dropper=dropper, error=sum(e.error for e in mine) + change))
