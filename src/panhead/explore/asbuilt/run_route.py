"""Run the as-built assurance of a route: read surveys, fit, assess and repair every tension length, in workers.

Each stage writes one file for each tension length; what is there is not done again, so that an interrupted route
continues. A worker holds three tension lengths at a time, however long the route is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from panhead.errors import ModelError, PanheadError, SimulationError
from panhead.explore.asbuilt.route_plan import RoutePlan, prepare, stored_plan
from panhead.explore.asbuilt.route_records import load_json, record_path, save_arrays
from panhead.explore.asbuilt.route_tasks import assess_task, fit_task, verify_task
from panhead.explore.asbuilt.survey_files import clean, read_pass
from panhead.explore.asbuilt.survey_rows import TrainReadings
from panhead.explore.studies.sample_worker import Workers
from panhead.railway.line.layout import Layout
from panhead.railway.line.line_description import Line

Told = Callable[[float, str], None]  #: share done, and what is being done


def conduct(
    plan: RoutePlan, folder: Path, workers: Workers, told: Told = lambda share, words: None, *, fit_only: bool = False
) -> int:
    """Do what is missing of a route; returns the number of tension lengths. ``fit_only``: no runs, no repairs."""
    told(0.0, "reading the route")
    prepare(plan, folder)
    _, lines, places = stored_plan(folder)
    _read_surveys(plan, folder, lines, told)
    n = len(places)
    fitted = lambda done: told(0.1 + 0.3 * done / n, f"fitted {done} of {n} tension lengths")
    _all(folder, "fits", n, fit_task, workers, fitted)
    if not any(load_json(record_path(folder, "fits", k, "json")).get("used", 1) for k in range(n)):
        raise ModelError(
            f"{plan.name}: no readings lie on its lines, which begin at chainage {lines[0].chainage:.0f} m; check the "
            "chainage of lines and surveys"
        )
    if not fit_only:
        assessed = lambda done: told(0.4 + 0.5 * done / n, f"assessed {done} of {n} tension lengths")
        _all(folder, "assessments", n, assess_task, workers, assessed)
        verified = lambda done: told(0.9 + 0.1 * done / n, f"ran {done} of {n} tension lengths with all repairs done")
        _all(folder, "verified", n, verify_task, workers, verified)
    return n


def _all(
    folder: Path, kind: str, n: int, task: Callable[[str, int], int], workers: Workers, told: Callable[[int], None]
) -> None:
    """Do a task for every tension length whose file is missing."""
    missing = [k for k in range(n) if not record_path(folder, kind, k, "json").exists()]
    done = n - len(missing)
    waiting: dict[Any, int] = {}
    again: set[int] = set()  # tasks whose worker died: they are begun once more
    told(done)
    while missing or waiting:
        while missing and len(waiting) < workers.ahead * workers.count:
            k = missing.pop(0)
            waiting[workers.submit(task, str(folder), k)] = k
        for future in workers.done(list(waiting))[0]:
            k = waiting.pop(future)
            error = future.exception()
            if isinstance(error, workers.lost) and k not in again:
                again.add(k)
                missing.append(k)
                continue
            if error is not None:
                raise error if isinstance(error, PanheadError) else SimulationError(f"tension length {k + 1}: {error}")
            done += 1
            told(done)


def _read_surveys(plan: RoutePlan, folder: Path, lines: Sequence[Line], told: Told) -> None:
    """Read every file once and write the readings of each tension length."""
    first = 0
    for p, line in enumerate(lines):
        n = len(line.tension_lengths)
        if any(not record_path(folder, "readings", first + k, "npz").exists() for k in range(n)):
            given = plan.route.part[p]
            read = []
            for number, one in enumerate(given.passes):
                told(0.1 * (p + number / len(given.passes)) / len(lines), f"reading {one.file}")
                read.append(clean(read_pass(one, plan.folder), Layout(line)))
            _write_readings(folder, first, line, read)
        first += n


def _write_readings(folder: Path, first: int, line: Line, read: Sequence[TrainReadings]) -> None:
    layout = Layout(line)
    for k, piece in enumerate(layout.pieces):
        begin, end = (line.chainage + float(layout.mast_x[m]) for m in (piece.first, piece.stop))
        mine = [r.at((r.x >= begin) & (r.x <= end)) for r in read]
        notes = [f"{r.name}: {note}" for r in read for note in r.notes]
        arrays = {
            "x": np.concatenate([r.x for r in mine]),
            "height": np.concatenate([r.height for r in mine]),
            "stagger": np.concatenate([r.stagger for r in mine]),
            "passes": np.concatenate([np.full(r.x.size, n) for n, r in enumerate(mine)]).astype(int),
            "notes": np.array(notes, dtype=str),
        }
        save_arrays(record_path(folder, "readings", first + k, "npz"), arrays)


def assessments(folder: Path) -> list[Mapping[str, Any]]:
    """The assessments of a route's folder, in order, with what runs and geometry are after all repairs."""
    paths = sorted((folder / "assessments").glob("*.json"))
    return [load_json(path) | {"verified": load_json(folder / "verified" / path.name)} for path in paths]
