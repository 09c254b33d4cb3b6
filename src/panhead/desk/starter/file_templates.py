"""``panhead new``: write a commented file that states every number and runs unchanged."""

from __future__ import annotations

import math
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any

from panhead.desk.starter.prompts import complete_answers
from panhead.errors import FileError, ModelError
from panhead.files.units import to_si

_SWEEP = 160.0  # length of a wave of a rail's stagger [m]


def new_text(kind: str, name: str, given: Mapping[str, str | None] | None = None) -> str:
    """The text of a new file of a kind of ``QUESTIONS``; what is not ``given`` has its default.

    >>> "my line" in new_text("line", "my line", {"span": "50 m"})
    True
    """
    import jinja2

    answers: dict[str, Any] = complete_answers(kind, given or {}) | {"name": name}
    answers |= {"line": _places, "run": _pantograph_distances}.get(kind, lambda _: {})(answers)
    template = str(answers["type"]) if answers.get("type") in ("rail", "trolley") else kind
    source = (resources.files("panhead") / "desk" / "starter" / "templates" / f"{template}.toml.jinja").read_text(
        encoding="utf-8"
    )
    made = jinja2.Environment(trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined, autoescape=False)
    text = made.from_string(source).render(answers) + "\n"
    _require_readable(kind, text)
    return text


def write_new(
    kind: str, path: str | Path, given: Mapping[str, str | None] | None = None, *, replace: bool = False
) -> Path:
    """Write a new file; replace an existing one only on demand."""
    path = _new_path(kind, path, replace=replace)
    return _write(path, new_text(kind, path.stem, given))


def write_design_line(
    path: str | Path, design: str, given: Mapping[str, str | None] | None = None, *, replace: bool = False
) -> Path:
    """Write a line of a design (``line_design.read_design``) with the spans of ``given``, such as "64 m x 20"."""
    path = _new_path("line", path, replace=replace)
    return _write(path, design_text(path.stem, design, given))


def design_text(name: str, design: str, given: Mapping[str, str | None] | None = None) -> str:
    """Text of the file of a line strung by the rules of a design.

    >>> "C-350" in design_text("mine", "C-350", {"spans": "64 m x 20"})
    True
    """
    import dataclasses

    from panhead.desk.sheets.line_file import line_text
    from panhead.railway.line.design_line import design_line, parse_spans
    from panhead.railway.line.line_design import read_design

    chosen = read_design(design)
    answers = {key: value for key, value in (given or {}).items() if value is not None}
    for key in answers:
        if key not in ("spans", "tension_lengths"):
            raise ModelError(
                f"{key}: the design {chosen.name} states this; leave it out, or change it in the file afterwards"
            )
    repeat = answers.get("tension_lengths", "1")
    if not (repeat.isascii() and repeat.isdigit() and 1 <= int(repeat) <= 50):
        raise ModelError(f"tension_lengths: must be a whole number from 1 to 50, got {repeat!r}")
    line = design_line(chosen, parse_spans(answers["spans"]) if "spans" in answers else None, repeat=int(repeat))
    line = dataclasses.replace(line, name=name if name == chosen.name else f"{name}, {chosen.name}")
    said = f"A line of the design {chosen.name}, strung by its rules. Sources of its numbers stand in `sources`."
    return line_text(line, said)


def _new_path(kind: str, path: str | Path, *, replace: bool) -> Path:
    """Path of a new file; an existing one only on demand."""
    path = Path(path)
    path = path if path.suffix == ".toml" else path.with_name(path.name + ".toml")
    if not path.stem.isprintable() or any(letter in path.stem for letter in '"\\'):
        raise ModelError(
            f"new {kind}: the name {path.stem!r} must not contain quotes, backslashes or control characters"
        )
    if not replace and path.exists():
        raise FileError(path, "already exists; choose another name, or give --replace")
    return path


def _write(path: Path, text: str) -> Path:
    from panhead.files.atomic_files import write_atomic

    path.parent.mkdir(parents=True, exist_ok=True)
    return write_atomic(path, text.encode())


def _places(answers: Mapping[str, str]) -> dict[str, Any]:
    """Dropper positions of a span, rounded to 1 cm, with half a spacing at the masts."""
    from panhead.railway.line.line_speed import EDITION, share_allowed
    from panhead.railway.line.wires import Wire

    if answers["type"] == "rail":
        return _rail_staggers(answers)
    if answers["type"] == "trolley":
        return _trolley_numbers(answers)
    length, n = to_si(answers["span"], "m"), int(answers["droppers"])
    pitch = length / n if n else length
    lower = [round(pitch * (k + 0.5), 2) for k in range(n)]
    upper = [round(0.5 * (a + b), 2) for a, b in zip(lower[::2], lower[1::2], strict=False)]
    tension, area = to_si(answers["contact_tension"], "N"), to_si(answers["contact_area"], "m**2")
    if not (tension > 0 and area > 0):
        raise ModelError(f"contact_tension and contact_area must be > 0, got {tension:g} N and {area:g} m²")
    return {
        "positions": lower,
        "auxiliary_positions": upper,
        "reach": f"{min(7.5, 0.15 * length):g} m",
        "stress": f"{tension / area / 1e6:.0f}",
        "share": f"{100 * share_allowed(EDITION, 0.0, answers['supply']).value:.3g}",
        "wave_speed": f"{3.6 * Wire(tension=tension, material='copper', area=area).wave_speed:.0f}",
    }


def _trolley_numbers(answers: Mapping[str, str]) -> dict[str, Any]:
    """Sag μ g l²/8H, stress and wave speed of a contact wire alone; half a cross-span."""
    from panhead.engine.laws.gravity import GRAVITY
    from panhead.railway.line.wires import Wire

    tension, area = to_si(answers["contact_tension"], "N"), to_si(answers["contact_area"], "m**2")
    if not area > 0:
        raise ModelError(f"contact_area must be > 0, got {area:g} m²")
    wire, length = Wire(tension=tension, material="copper", area=area), to_si(answers["span"], "m")
    return {
        "sag": f"{1e3 * wire.mu * GRAVITY * length**2 / (8.0 * tension):.0f}",
        "stress": f"{tension / area / 1e6:.0f}",
        "wave_speed": f"{3.6 * wire.wave_speed:.0f}",
        "half_rope": f"{0.5 * to_si(answers['rope'], 'm'):g}",
    }


def _rail_staggers(answers: Mapping[str, str]) -> dict[str, Any]:
    """The stagger of a rail at every mast [mm]: it sweeps slowly over the head instead of jumping from mast to mast."""
    length, most = to_si(answers["span"], "m"), to_si(answers["stagger"], "m")
    bend = to_si(answers["rail_stiffness"], "N*m**2")
    sweep = [1e3 * most * math.sin(2.0 * math.pi * length * k / _SWEEP) for k in range(int(answers["spans"]) + 1)]
    return {
        "staggers": [f"{y:.0f}" for y in sweep],
        "joint": f"{0.6 * bend:.4g}",
        "first": f"{0.6 * to_si(answers['bar'], 'm'):.4g}",
    }


def _pantograph_distances(answers: Mapping[str, str]) -> dict[str, Any]:
    """Distance of each pantograph of a train behind the first [m]."""
    spacing = to_si(answers["spacing"], "m")
    return {"behind": [f"{spacing * k:g}" for k in range(int(answers["pantographs"]))]}


def _require_readable(kind: str, text: str) -> None:
    """Check that the written text can be read, so that a wrong answer is refused now and not when it is run."""
    import tomllib

    from panhead.files import parse
    from panhead.files.schema import description

    raw = tomllib.loads(text)
    if kind in ("run", "study"):
        del raw["kind"], raw["name"]  # whoever reads a scenario takes them out first
    made: Any = parse.build(description(kind), raw, source=f"new {kind}")
    if kind == "line":
        from panhead.railway.line.strung_line import string

        strung = string(made)
        for piece in strung.layout.pieces:
            strung.spans(piece)
