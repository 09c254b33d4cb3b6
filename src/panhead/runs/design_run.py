"""Run of a line design: from its name to a run at line speed with the mean force that the standard allows."""

from __future__ import annotations

import math
import re
from typing import Any, Final

from panhead.assess.criteria import DEFAULT_EDITION
from panhead.files import parse
from panhead.files.units import Metres, MetresPerSecond
from panhead.railway.line.design_line import design_line, standard_spans
from panhead.railway.line.line_design import LineDesign, read_design, shipped_designs

PANTOGRAPH: Final = "dsa380"  #: of a run that names none
_SEVERAL: Final = re.compile(r"(.+?) x([1-4])")  # "C-350 x2": two pantographs


def names_design(source: str) -> bool:
    """True for the name of a shipped design, with or without a number of pantographs ("C-350 x2")."""
    return _parts(source)[0] in shipped_designs()


def run_of_name(source: str) -> dict[str, Any]:
    """Plain data of the scenario of such a name."""
    name, count = _parts(source)
    return design_run(name, pantographs=count)


def _parts(source: str) -> tuple[str, int]:
    match = _SEVERAL.fullmatch(source)
    return (match[1], int(match[2])) if match and source not in shipped_designs() else (source, 1)


def design_run(
    design: str | LineDesign,
    *,
    speed: MetresPerSecond | None = None,
    pantograph: str = PANTOGRAPH,
    pantographs: int = 1,
    spacing: Metres = 200.0,
    standard: str = DEFAULT_EDITION,
) -> dict[str, Any]:
    """Plain data of a scenario: ``pantographs`` under the design at ``speed`` [m/s], its line speed if none is given.

    Each pantograph presses with the upper limit of the mean force at its speed. The line has the standard spans of the
    design, and as many more as the train is long.
    """
    found = read_design(design) if isinstance(design, str) else design
    v = found.line_speed if speed is None else speed
    spans = standard_spans(found)
    spans += [spans[-1]] * math.ceil((pantographs - 1) * spacing / spans[-1])
    train: list[dict[str, Any]] = [
        {"pantograph": pantograph, "mean_force": "upper limit", "behind": k * spacing} for k in range(pantographs)
    ]
    return {
        "kind": "run",
        "name": re.sub(r"[^\w.-]+", "-", found.name) + f"-x{pantographs}" * (pantographs > 1),
        "about": f"{found.name}: mean force at the upper limit, {pantographs} × {pantograph}",
        "line": parse.to_plain(design_line(found, spans)),
        "train": train,
        "speed": v,
        "standard": standard,
    }
