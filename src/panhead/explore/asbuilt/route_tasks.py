"""Work on one tension length of a route, in any worker: fit it; cost it and list its repairs. Each writes a file."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

import numpy as np

from panhead.assess import limits
from panhead.desk.sheets.survey_fit import samples_of
from panhead.explore.asbuilt import repair_work
from panhead.explore.asbuilt.assessment_record import assessment_record, finding_record, passage_record
from panhead.explore.asbuilt.compliance import (
    GeometryFinding,
    failure_probability,
    geometry_findings,
    sampled_probability,
    to_blame,
)
from panhead.explore.asbuilt.dynamic_cost import BuiltTrack, cost, passages
from panhead.explore.asbuilt.fit_tension_length import ELEMENT, TensionLengthFit, fit
from panhead.explore.asbuilt.height_model import HeightSamples
from panhead.explore.asbuilt.parts import BuiltPart, around
from panhead.explore.asbuilt.repair_list import repair
from panhead.explore.asbuilt.route_plan import RoutePlan, stored_plan
from panhead.explore.asbuilt.route_records import load_arrays, load_fit, load_json, record_path, save_fit, save_json
from panhead.explore.asbuilt.route_tables import merged_repairs
from panhead.explore.asbuilt.survey_files import gaps, mirrored
from panhead.explore.asbuilt.survey_rows import TrainReadings
from panhead.explore.asbuilt.survey_tracks import chainage_shift, drawn_stagger
from panhead.railway.line.layout import Layout
from panhead.railway.line.line_description import Line

_CLEAR: Final = 0.03  # m by which a wire must be drawn lower than another to be the one that is read


def _seen(layout: Layout, own: int, x: np.ndarray, stagger: np.ndarray) -> np.ndarray:
    """(n,) bool: readings of this tension length: in an overlap those that are nearer to its wire across the track."""
    piece = layout.pieces[own]
    seen = samples_of(layout, piece, x, layout.line, _CLEAR)
    mine = np.abs(stagger - drawn_stagger(layout, piece, x))
    for other in layout.pieces:
        if other is not piece:
            with np.errstate(invalid="ignore"):
                seen &= ~(np.abs(stagger - drawn_stagger(layout, other, x)) < mine)
    return seen


def fit_task(folder: str, number: int) -> int:
    """Fit one tension length and write it."""
    place = Path(folder)
    plan, lines, places = stored_plan(place)
    part, index = places[number]
    short, own = around(lines[part], index, element_length=ELEMENT)
    arrays = load_arrays(record_path(place, "readings", number, "npz"))
    layout = Layout(short)
    piece = layout.pieces[own]
    x = arrays["x"] - short.chainage
    read = TrainReadings(x, arrays["height"], arrays["stagger"])
    notes = list(map(str, arrays["notes"]))
    for n in np.unique(arrays["passes"]):  # each pass has a direction and a chainage of its own
        mine = arrays["passes"] == n
        wires = [drawn_stagger(layout, one, x[mine]) for one in layout.pieces]
        turned = mirrored(replace(read.at(mine), notes=()), *wires)
        shift = chainage_shift(turned, layout, piece)
        read.stagger[mine], x[mine] = turned.stagger, x[mine] - shift
        notes += [f"pass {n + 1}: {note}" for note in turned.notes]
        if shift:
            notes.append(f"pass {n + 1}: its chainage is {shift:+.1f} m off by the stagger, and was moved back")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        seen = _seen(layout, own, x, read.stagger)
        begin = float(layout.mast_x[piece.first])
        samples = HeightSamples(
            x[seen] - begin, read.height[seen], read.stagger[seen], _renumbered(arrays["passes"][seen])
        )
        found = fit(short, own, samples, plan.route.spread, plan.route.alarm)
    spans = np.diff(layout.mast_x[piece.first : piece.stop + 1])
    holes = [
        f"nothing was read from km {(short.chainage + a) / 1e3:.3f} to {(short.chainage + b) / 1e3:.3f}"
        for a, b in gaps(x[seen], *_running(layout, own), 0.5 * float(spans.min()))
    ]
    save_fit(place, number, replace(found, notes=(*notes, *holes, *found.notes)))
    return 0


def _renumbered(passes: np.ndarray) -> np.ndarray:
    return np.unique(passes, return_inverse=True)[1].astype(int)


def _running(layout: Layout, own: int) -> tuple[float, float]:
    """Where a tension length is the one in running [m]."""
    piece = layout.pieces[own]
    first = piece.first + (0 if piece.before is None else (piece.before.spans + 1) // 2)
    last = piece.stop - (0 if piece.after is None else (piece.after.spans + 1) // 2)
    return float(layout.mast_x[first]), float(layout.mast_x[last])


def _near(folder: Path, number: int) -> tuple[RoutePlan, Line, int, dict[int, TensionLengthFit]]:
    """Plan, line, number on the line, and the fits of a tension length and its neighbours."""
    plan, lines, places = stored_plan(folder)
    part, index = places[number]
    last = len(lines[part].tension_lengths) - 1
    around_it = range(max(0, index - 1), min(last, index + 1) + 1)
    return plan, lines[part], index, {k: load_fit(folder, number - index + k) for k in around_it}


def assess_task(folder: str, number: int) -> int:
    """Cost, probability and repairs of one tension length, written as plain data."""
    place = Path(folder)
    plan, line, index, fits = _near(place, number)
    track = BuiltTrack(plan.route.run, line, index, fits)
    found = cost(track)
    geometry = _geometry(plan, track, track.fit.parts)
    chance = failure_probability(found.built, found.gradient, track.covariance)
    if plan.route.samples:
        chance = _sampled(track, plan.route.samples, seed=number)
    crew = repair_work.read(plan.route.work, plan.folder)
    listed = repair(track, found, crew, plan.route.probability, to_blame(track.parts, geometry))
    save_json(
        record_path(place, "assessments", number, "json"), assessment_record(found, track.fit, geometry, chance, listed)
    )
    return 0


def _geometry(plan: RoutePlan, track: BuiltTrack, parts: Sequence[BuiltPart]) -> list[GeometryFinding]:
    """Parts beyond the geometry limits of a route, to the middle of the overlaps."""
    if plan.route.geometry is None:
        return []
    piece, x = track.piece, track.layout.mast_x + track.short.chainage
    begin, end = float(x[piece.first]), float(x[piece.stop])
    if piece.before is not None:
        begin = 0.5 * (begin + float(x[piece.first + piece.before.spans]))
    if piece.after is not None:
        end = 0.5 * (end + float(x[piece.stop - piece.after.spans]))
    return geometry_findings(limits.read(plan.route.geometry), track.short.contact_height, parts, (begin, end))


def verify_task(folder: str, number: int) -> int:
    """Run one tension length with all repairs done, its own and its neighbours', and look at its geometry again."""
    place = Path(folder)
    plan, line, index, fits = _near(place, number)
    told = {k: load_json(record_path(place, "assessments", number - index + k, "json")) for k in fits}
    changes = {item["part"]["label"]: item["change"] for item in merged_repairs(told.values())}
    after = {k: replace(fit, parts=tuple(_repaired(p, changes) for p in fit.parts)) for k, fit in fits.items()}
    track = BuiltTrack(plan.route.run, line, index, after)
    shown, left = told[index]["built"], told[index]["geometry"]
    if changes:
        shown = passage_record(passages([track.run_of(track.deviations)])[0])
        levels = track.levels(track.deviations) if plan.route.geometry is not None else np.zeros(len(track.fit.parts))
        parts = [replace(p, level=float(z)) for p, z in zip(track.fit.parts, levels, strict=True)]
        left = [finding_record(f) for f in _geometry(plan, track, parts)]
    save_json(record_path(place, "verified", number, "json"), {"passage": shown, "geometry": left})
    return 0


def _repaired(part: BuiltPart, changes: Mapping[str, float]) -> BuiltPart:
    return replace(part, deviation=part.deviation + changes.get(part.label, 0.0))


def _sampled(track: BuiltTrack, count: int, seed: int) -> float:
    """Probability of non-compliance from runs of lines drawn from what the fit leaves uncertain."""
    mean = track.deviations
    values, vectors = np.linalg.eigh(track.covariance)
    draws = np.random.default_rng(seed).standard_normal((count, mean.size))
    lines = mean + draws * np.sqrt(np.maximum(values, 0.0)) @ vectors.T
    return sampled_probability(passages([track.run_of(line) for line in lines]))
