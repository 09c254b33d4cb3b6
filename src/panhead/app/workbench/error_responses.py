"""Errors as JSON: the message of the command line, with the field or dropper it concerns."""

from __future__ import annotations

import re
from typing import Any

from panhead.errors import FileError, PanheadError

_FIELD = re.compile(r"([A-Za-z_][\w-]*(?:\.[\w -]+)*): (.+)", re.DOTALL)
_DROPPER = re.compile(r"(?P<piece>.+?)(?:, span |\.span)(?P<span>\d+),? (?:auxiliary )?dropper (?P<dropper>\d+)")
_SPAN = re.compile(r"(?P<piece>.+?)(?:, span |\.span)(?P<span>\d+)")


def error_json(error: PanheadError) -> dict[str, Any]:
    """Full message, and each problem with the path of its field or the dropper it concerns."""
    problems = error.problems if isinstance(error, FileError) else [str(error)]
    return {"text": str(error), "problems": [_problem_json(words) for words in problems]}


def _problem_json(words: str) -> dict[str, Any]:
    found = _FIELD.fullmatch(words)
    says = found[2] if found else words
    about = _DROPPER.match(says) or _SPAN.match(says)
    place = {k: v if k == "piece" else int(v) for k, v in about.groupdict().items()} if about else {}
    return {"where": found[1] if found else "", "says": says, "place": place}
