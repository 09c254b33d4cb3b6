"""Write the designed line, pantograph or control law to files, with every change in the comments."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from dataclasses import MISSING, replace
from pathlib import Path
from typing import Any

from panhead.errors import FileError
from panhead.explore.designs.parameters import CHANGEABLE
from panhead.explore.designs.problem import ChangedParts, DesignProblem
from panhead.files import parse
from panhead.files.atomic_files import write_atomic
from panhead.railway.line.line_description import Line, Span
from panhead.railway.line.line_files import read_line
from panhead.railway.pantograph.lumped_pantograph import read_pantograph
from panhead.runs.cables.cables_options import HeadLaw
from panhead.runs.gradients.parameter_families import FAMILIES

_BY_DESIGN = "found by panhead design"  # in the first line of each file


def round_values(problem: DesignProblem, parts: ChangedParts) -> ChangedParts:
    """Values as a person would write them: lengths to a tenth of a millimetre, all else to five figures."""
    for family in problem.families:
        of, before, values = CHANGEABLE[family], problem.parts.values(family), parts.values(family)
        fine = {name: _round(x, of.finest) if x != before[name] else x for name, x in values.items()}
        parts = parts.put(family, fine)
    return parts


def _round(value: float, finest: float | None) -> float:
    return float(f"{value:.5g}") if finest is None else round(round(value / finest) * finest, 9)


def check_free(folder: Path) -> None:
    """FileError if a file stands where a design may write one, and no design has written it: perhaps its own input."""
    for path in (*folder.glob("line.toml"), *folder.glob("law.toml"), *folder.glob("pantograph-*.toml")):
        with path.open(encoding="utf-8", errors="replace") as file:
            if _BY_DESIGN not in file.readline():
                raise FileError(path, "already exists and was not written by a design; choose another --out")


def write_parts(problem: DesignProblem, parts: ChangedParts, folder: Path) -> list[Path]:
    """Write what has changed; each file says by what, and reads back as an equal description."""
    written = []
    if parts.line is not None:
        sources = (*parts.line.sources, f"what differs from {parts.line.name!r}: panhead design {problem.name}")
        line = replace(parts.line, name=f"{parts.line.name}, {problem.name}", sources=sources)
        changes = [*_changes(problem, parts, "line")]
        written.append(_write(folder / "line.toml", line.name, _plain(_merge_equal_spans(line)), changes, problem))
    for name, p in parts.pantographs.items():
        if p != problem.parts.pantographs[name]:
            changes = [c for c in _changes(problem, parts, "pantograph") if c.startswith(name) or f" {name}" in c]
            stem = re.sub(r"\W+", "-", name).strip("-")
            written.append(_write(folder / f"pantograph-{stem}.toml", p.name, _plain(p), changes, problem))
    if parts.law is not None:
        changes, law = [*_changes(problem, parts, "law")], {"control": _plain(parts.law)}
        written.append(_write(folder / "law.toml", "A law of the head, to be put into a run", law, changes, problem))
    return written


def read_parts(parts: ChangedParts, files: list[Path]) -> ChangedParts:
    """The parts as the files say them."""
    line, pantographs, law = parts.line, dict(parts.pantographs), parts.law
    for path in files:
        if path.name == "line.toml":
            line = read_line(path)
        elif path.name == "law.toml":
            law = parse.build(HeadLaw, parse.read_toml(path)["control"], source=path)
        else:
            found = read_pantograph(path)
            pantographs[found.name] = found
    return ChangedParts(line, pantographs, law)


def _changes(problem: DesignProblem, parts: ChangedParts, part: str) -> Iterator[str]:
    for family in problem.families:
        if CHANGEABLE[family].part != part:
            continue
        before, unit = problem.parts.values(family), FAMILIES[family].unit
        for name, x in parts.values(family).items():
            if x != before[name]:
                yield f"{family}, {name}: {before[name]:.6g} {unit} before, {x - before[name]:+.4g} {unit}"


def _write(path: Path, name: str, plain: Any, changes: list[str], problem: DesignProblem) -> Path:
    import tomli_w

    head = [f"{name}: {_BY_DESIGN} {problem.name}.", *changes]
    text = "".join(f"# {words}\n" for words in head) + "\n" + tomli_w.dumps(plain)
    return write_atomic(path, text.encode())


def _plain(description: Any) -> Any:
    """Plain data without entries that equal their defaults."""
    if dataclasses.is_dataclass(description) and not isinstance(description, type):
        pairs = ((f, getattr(description, f.name)) for f in dataclasses.fields(description))
        return {f.name: _plain(x) for f, x in pairs if x is not None and x != _default(f)}
    if isinstance(description, dict):
        return {name: _plain(x) for name, x in description.items()}
    return [_plain(x) for x in description] if isinstance(description, (list, tuple)) else parse.to_plain(description)


def _default(field: dataclasses.Field[Any]) -> Any:
    return field.default if field.default_factory is MISSING else field.default_factory()


def _merge_equal_spans(line: Line) -> Line:
    """Copy of the line with equal consecutive spans written once."""
    lengths = tuple(replace(tl, spans=_span_counts(tl.spans)) for tl in line.tension_lengths)
    return replace(line, tension_lengths=lengths)


def _span_counts(spans: tuple[Span, ...]) -> tuple[Span, ...]:
    found: list[Span] = []
    for span in spans:
        if found and replace(found[-1], count=1) == replace(span, count=1):
            found[-1] = replace(found[-1], count=found[-1].count + span.count)
        else:
            found.append(span)
    return tuple(found)
