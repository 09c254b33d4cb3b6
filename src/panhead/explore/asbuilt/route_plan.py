"""Plan of a route: its file, its lines as drawn, and what an output folder was made from."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Final

from panhead import __version__
from panhead.assess import limits
from panhead.assess.limits import Edition
from panhead.errors import FileError, ModelError
from panhead.explore.asbuilt import repair_work
from panhead.explore.asbuilt.repair_work import RepairWork
from panhead.explore.asbuilt.route_description import Route
from panhead.explore.asbuilt.route_records import load_json
from panhead.files import parse
from panhead.files.atomic_files import write_atomic
from panhead.files.embed import with_embedded_files
from panhead.files.file_kinds import without_kind
from panhead.railway.line import read_line
from panhead.railway.line.line_description import Line
from panhead.railway.line.line_variants import expand_spans
from panhead.runs.description import Run

STORED: Final = "route.json"


@dataclass(frozen=True)
class RoutePlan:
    """A route with its lines read."""

    name: str
    folder: Path  #: where its paths begin
    route: Route

    @classmethod
    def read(cls, path: str | Path) -> RoutePlan:
        """Read a route file."""
        file = Path(path).resolve()  # paths in it are those beside it, wherever the command runs
        raw = without_kind(parse.read_toml(file), "route", file)
        plan = cls(file.stem, file.parent, parse.build(Route, raw, source=file))
        plan.assessed_by()  # what is wrong with it is told before surveys are read and fitted
        return plan

    def assessed_by(self) -> tuple[Run, RepairWork, Edition | None]:
        """What assesses the route, with the contents of all files it names: run, work of a crew, geometry limits."""
        given = {"line": self.line(0), **self.route.run}
        run = with_embedded_files(parse.build(Run, given, source=f"{self.folder / self.name}.toml: run"))
        edition = None if self.route.geometry is None else limits.read(self.route.geometry)
        if edition is not None and not edition.survey:
            raise ModelError(f"route: geometry: {edition.name} has no survey limits; name limits that have, as no-trv")
        return run, repair_work.read(self.route.work, self.folder), edition

    def line(self, part: int) -> Line:
        """Line of a part as drawn, every tension length written out."""
        given = self.route.part[part]
        beside = self.folder / given.line
        line = expand_spans(read_line(str(beside) if beside.exists() else given.line))
        lengths = line.tension_lengths
        if given.name:
            lengths = tuple(replace(tl, name=f"{given.name} {tl.name}") for tl in lengths)
        chainage = line.chainage if given.chainage is None else given.chainage
        return replace(line, tension_lengths=lengths, chainage=chainage)

    def key(self) -> str:
        """Hash of everything that decides the results, files by their contents."""
        plain = parse.to_plain([__version__, self.route, *self.assessed_by()])
        files = [self.folder / p.file for part in self.route.part for p in part.passes]
        lines = [self.folder / part.line for part in self.route.part]
        own = [hashlib.sha256(f.read_bytes()).hexdigest() for f in (*files, *lines) if f.is_file()]
        return hashlib.sha256(json.dumps([plain, own], sort_keys=True, default=str).encode()).hexdigest()


@lru_cache(2)
def _plan(folder: str, text: str) -> tuple[RoutePlan, tuple[Line, ...], list[tuple[int, int]]]:
    """Plan, lines, and (part, tension length) of every number."""
    stored = json.loads(text)
    plan = RoutePlan(stored["name"], Path(stored["folder"]), parse.build(Route, stored["route"], source=folder))
    lines = tuple(plan.line(k) for k in range(len(plan.route.part)))
    places = [(p, k) for p, line in enumerate(lines) for k in range(len(line.tension_lengths))]
    return plan, lines, places


def stored_plan(folder: Path) -> tuple[RoutePlan, tuple[Line, ...], list[tuple[int, int]]]:
    """What an output folder was made from."""
    try:
        text = (folder / STORED).read_text(encoding="utf-8")
    except OSError:
        raise FileError(
            folder, "is not a folder of panhead asbuilt; make one with panhead asbuilt ROUTE.toml"
        ) from None
    return _plan(str(folder), text)


def prepare(plan: RoutePlan, folder: Path) -> None:
    """Write what the folder is made from; results of another route in it are removed."""
    key, path = plan.key(), folder / STORED
    stored = {"name": plan.name, "folder": str(plan.folder), "route": parse.to_plain(plan.route), "key": key}
    text = json.dumps(stored, ensure_ascii=False, default=str)
    if path.exists() and load_json(path).get("key") != key:
        for kind in ("readings", "fits", "assessments", "verified"):
            for file in sorted((folder / kind).glob("*")):
                file.unlink()
    write_atomic(path, text.encode())
