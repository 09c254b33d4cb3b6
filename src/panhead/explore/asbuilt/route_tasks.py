"""Work on one tension length of a route, in any worker: fit it; cost it and list its repairs. Each writes a file."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from panhead.assess import limits
from panhead.desk.sheets.survey_fit import samples_of
from panhead.explore.asbuilt import repair_work
from panhead.explore.asbuilt.compliance import (
    failure_probability,
    geometry_findings,
    relative_cost,
    sampled_probability,
    to_blame,
    two_worlds,
)
from panhead.explore.asbuilt.dynamic_cost import BuiltTrack, TensionLengthCost, TrainPassage, cost, passages
from panhead.explore.asbuilt.fit_tension_length import ELEMENT, TensionLengthFit, fit
from panhead.explore.asbuilt.height_model import HeightSamples
from panhead.explore.asbuilt.parts import around
from panhead.explore.asbuilt.repair_list import RepairList, repair
from panhead.explore.asbuilt.route_plan import stored_plan
from panhead.explore.asbuilt.route_records import load_arrays, load_fit, record_path, save_fit, save_json
from panhead.explore.asbuilt.survey_files import TrainReadings, gaps, mirrored
from panhead.railway.line.layout import Layout, PlacedTensionLength

_CLEAR: Final = 0.03  # m by which a wire must be drawn lower than another to be the one that is read
_COSTLIEST: Final = 12  # parts listed for each tension length


def _drawn_stagger(layout: Layout, piece: PlacedTensionLength, x: np.ndarray) -> np.ndarray:
    """Stagger as drawn (n,) at x from the line's first mast; NaN: not this tension length."""
    masts, last = layout.mast_x[piece.first : piece.stop + 1], len(piece.spans) - 1
    plans = [layout.plan(piece, piece.first + k) for k in range(last + 1)]
    y = [*(plan.left.y_contact for plan in plans), plans[-1].right.y_contact]
    return np.where((x >= masts[0]) & (x <= masts[-1]), np.interp(x, masts, y), np.nan)


def _seen(layout: Layout, own: int, x: np.ndarray, stagger: np.ndarray) -> np.ndarray:
    """(n,) bool: readings of this tension length: in an overlap those that are nearer to its wire across the track."""
    piece = layout.pieces[own]
    seen = samples_of(layout, piece, x, layout.line, _CLEAR)
    mine = np.abs(stagger - _drawn_stagger(layout, piece, x))
    for other in layout.pieces:
        if other is not piece:
            with np.errstate(invalid="ignore"):
                seen &= ~(np.abs(stagger - _drawn_stagger(layout, other, x)) < mine)
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
    read = TrainReadings(x, arrays["height"], arrays["stagger"], tuple(map(str, arrays["notes"])))
    for n in np.unique(arrays["passes"]):  # each pass has a direction of its own
        mine = arrays["passes"] == n
        turned = mirrored(read.at(mine), _drawn_stagger(layout, piece, x[mine]))
        read.stagger[mine] = turned.stagger
        if len(turned.notes) > len(read.notes):
            read = read.at(np.ones(x.size, bool), f"pass {n + 1}: {turned.notes[-1]}")
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
    save_fit(place, number, replace(found, notes=(*read.notes, *holes, *found.notes)))
    return 0


def _renumbered(passes: np.ndarray) -> np.ndarray:
    return np.unique(passes, return_inverse=True)[1].astype(int)


def _running(layout: Layout, own: int) -> tuple[float, float]:
    """Where a tension length is the one in running [m]."""
    piece = layout.pieces[own]
    first = piece.first + (0 if piece.before is None else (piece.before.spans + 1) // 2)
    last = piece.stop - (0 if piece.after is None else (piece.after.spans + 1) // 2)
    return float(layout.mast_x[first]), float(layout.mast_x[last])


def assess_task(folder: str, number: int) -> int:
    """Cost, probability and repairs of one tension length, written as plain data."""
    place = Path(folder)
    plan, lines, places = stored_plan(place)
    part, index = places[number]
    start = number - index
    last = len(lines[part].tension_lengths) - 1
    fits = {k: load_fit(place, start + k) for k in range(max(0, index - 1), min(last, index + 1) + 1)}
    track = BuiltTrack(plan.route.run, lines[part], index, fits)
    found = cost(track)
    own = fits[index]
    geometry = [] if plan.route.geometry is None else geometry_findings(
        limits.read(plan.route.geometry), lines[part].contact_height, own.parts
    )  # fmt: skip
    chance = failure_probability(found.built, found.gradient, own.covariance)
    if plan.route.samples:
        chance = _sampled(track, plan.route.samples, seed=number)
    must = to_blame(own.parts, geometry)
    crew = repair_work.read(plan.route.work, plan.folder)
    listed = repair(track, found, crew, plan.route.probability, must)
    save_json(record_path(place, "assessments", number, "json"), _plain(found, own, geometry, chance, listed))
    return 0


def _sampled(track: BuiltTrack, count: int, seed: int) -> float:
    """Probability of non-compliance from runs of lines drawn from what the fit leaves uncertain."""
    mean = np.array([p.deviation for p in track.fit.parts])
    values, vectors = np.linalg.eigh(track.fit.covariance)
    draws = np.random.default_rng(seed).standard_normal((count, mean.size))
    lines = mean + draws * np.sqrt(np.maximum(values, 0.0)) @ vectors.T
    return sampled_probability(passages([track.run_of(line) for line in lines]))


def _plain(
    found: TensionLengthCost, own: TensionLengthFit, geometry: Iterable[Any], chance: float, listed: RepairList
) -> dict[str, Any]:
    """Everything the pages and tables need of one tension length."""
    ranked = sorted(found.costs, key=lambda c: -relative_cost(found, c.share))
    wanted = [c for c in found.costs if c.part.alarm] + [c for c in ranked[:_COSTLIEST] if not c.part.alarm]
    geometry = list(geometry)
    return {
        "name": own.name,
        "begin": own.begin,
        "end": own.end,
        "rms": own.rms,
        "used": own.used,
        "notes": list(own.notes),
        "parts": len(own.parts),
        "probability": chance,
        "drawn": _passage(found.drawn),
        "built": _passage(found.built),
        "culprits": [
            {"part": _part(c.part), "share": dict(c.share), "by": c.by, "relative": relative_cost(found, c.share)}
            for c in sorted(wanted, key=lambda c: -relative_cost(found, c.share))
        ],
        "geometry": [
            {
                "label": f.part.label,
                "x": f.part.x,
                "level": f.level,
                "quantity": f.quantity,
                "value": f.value,
                "limit": f.limit,
                "clause": f.clause,
            }
            for f in geometry
        ],
        "profile": sorted(
            [p.x, p.level_drawn, p.level] for p in own.parts if p.kind in ("dropper length", "support height")
        ),
        "worlds": two_worlds(found, geometry),
        "repairs": [
            {
                "part": _part(item.part),
                "work": item.work.name,
                "words": item.words,
                "steps": item.steps,
                "change": item.change,
                "cost": item.cost,
            }
            for item in listed.items
        ],
        "after": [{"count": n, **_passage(p)} for n, p in zip(listed.after_count, listed.after, strict=True)],
        "after_probability": listed.probability,
        "enough": listed.enough,
        "repair_notes": list(listed.notes),
    }


def _part(part: Any) -> dict[str, Any]:
    return {**asdict(part), "label": part.label}


def _passage(one: TrainPassage) -> dict[str, Any]:
    return {"values": dict(one.values), "limits": [asdict(limit) | {"margin": limit.margin} for limit in one.limits]}
