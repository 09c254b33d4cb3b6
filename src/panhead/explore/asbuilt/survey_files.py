"""Read passes of a measuring train, and survive what is wrong with them: each fault is named, none stops the fit.

unit          heights a thousand or a hundred times too large or small
direction     chainage that falls: a run the other way, whose stagger is mirrored; or that jumps back within a run
track         rows of another track: by the column of the file, or by their distance from the drawing
gap           places without a row for more than half a span
outliers      single values far from their neighbours
"""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Final

import numpy as np
from scipy.ndimage import median_filter

from panhead.desk.evidence.measuring_train import read_train_record
from panhead.desk.evidence.train_record_csv import lower_wire
from panhead.desk.sheets.survey_fit import SURVEY_COLUMNS
from panhead.errors import FileError
from panhead.explore.asbuilt.route_description import TrainPass
from panhead.explore.asbuilt.survey_rows import TrainReadings
from panhead.explore.asbuilt.survey_tracks import in_metres_of_line, one_of_two_tracks, usual_stagger
from panhead.files.number_columns import read_numbers
from panhead.files.tables import compared_names
from panhead.railway.line.layout import Layout

#: factor that makes metres of heights in a unit
_FACTORS: Final = {1e-3: "mm", 1e-2: "cm", 0.3048: "ft", 0.0254: "in", 1e3: "m among millimetres"}
_HEIGHTS: Final = (3.0, 8.0)  # of a contact wire [m]
_ASIDE: Final = (0.02, 2.0)  # median stagger of a wire that is not straight over the track, and of none [m]
_JUMP: Final = 0.05  # m over the median of neighbours: no wire does that in a metre
_NEIGHBOURS: Final = 9  # samples of which the median is taken
_MIXED: Final = 0.02  # share of outliers from which they are a second track
_TWICE: Final = 0.2  # share of rows seen before from which the file holds a second look at the line
_MIRRORED: Final = 0.5  # share of the mean distance across below which the other sign is the right one


def read_pass(given: TrainPass, folder: Path) -> TrainReadings:
    """Rows of a file in its order, with what was said about tracks."""
    path = folder / given.file
    if given.layout == "finnish":
        record = read_train_record(path, "geometry", dict(given.columns) or None)
        z, y = lower_wire(record)
        found = TrainReadings(record.place, np.where(np.isinf(z), np.nan, z), y, name=given.file)
        return _one_track(found, record.tracks, given.track)
    named = compared_names(dict(given.columns) or None, SURVEY_COLUMNS)
    loose = tuple(replace(c, usual=None, largest=0.0) for c in SURVEY_COLUMNS)
    columns = read_numbers(path, "survey", loose, named)
    if not columns["chainage"].size:
        raise FileError(path, "has no row with a chainage and a height")
    x, z, y = (columns[c.name] for c in SURVEY_COLUMNS)
    return TrainReadings(x, z, y, name=given.file)


def clean(found: TrainReadings, layout: Layout) -> TrainReadings:
    """A pass in metres, in order of chainage, without the rows that no wire of the line as drawn can have."""
    known = np.isfinite(found.x) & np.isfinite(found.height)
    missing = int((~known).sum())
    found = found.at(known, *([f"{missing} rows without chainage or height"] if missing else []))
    found = in_metres_of_line(_forwards(_in_metres(found, usual_stagger(layout))), layout)
    return _without_outliers(one_of_two_tracks(found, layout), layout.line.contact_height)


def _one_track(found: TrainReadings, tracks: tuple[str, ...], wanted: str | None) -> TrainReadings:
    counts = Counter(t for t in tracks if t)
    if len(counts) < 2 and wanted is None:
        return found
    chosen = wanted or counts.most_common(1)[0][0]
    mine = np.array([t in (chosen, "") for t in tracks], bool) if tracks else np.ones(found.x.size, bool)
    others = ", ".join(f"{n} of track {name}" for name, n in counts.items() if name != chosen)
    return found.at(mine, *([f"two tracks mixed: kept track {chosen}, left out {others}"] if others else []))


def _in_metres(found: TrainReadings, usual: float) -> TrainReadings:
    """Heights and staggers in metres: a whole file, or the part of it that was written in another unit.

    A stagger is in the unit of the heights if that brings it nearer to the usual one [m].
    """
    notes, z, y = [], found.height.copy(), found.stagger.copy()
    for factor, unit in _FACTORS.items():
        odd = (z * factor >= _HEIGHTS[0]) & (z * factor <= _HEIGHTS[1]) & ((z > 1.2 * _HEIGHTS[1]) | (z < 0.1))
        if odd.any():
            z[odd] *= factor
            aside = _median(y[odd])
            if factor < 1.0 and aside * factor > _ASIDE[0] and aside**2 * factor > usual**2:
                y[odd] *= factor
            notes.append(f"{int(odd.sum())} heights were in {unit}")
    if _median(y) > _ASIDE[1]:
        y *= 1e-3
        notes.append("staggers were in mm")
    return replace(found, height=z, stagger=y, notes=(*found.notes, *notes))


def _median(y: np.ndarray) -> float:
    """Median size of what was measured; 0 of nothing."""
    known = np.abs(y[np.isfinite(y)])
    return float(np.median(known)) if known.size else 0.0


def _forwards(found: TrainReadings) -> TrainReadings:
    """In order of chainage; a run that goes back over what it has seen loses the second look."""
    step = np.diff(found.x)
    if not step.size or not (step < 0).any():
        return found
    if np.median(step) < 0:
        turned = found.at(np.arange(found.x.size)[::-1], "chainage falls: the train ran the other way")
        return _forwards(turned)
    ahead = found.x > np.concatenate([[-np.inf], np.maximum.accumulate(found.x)[:-1]])
    back = int((~ahead).sum())
    if back > _TWICE * found.x.size:
        return found.at(np.argsort(found.x, kind="stable"), f"chainage runs backwards: {back} places were read twice")
    return found.at(ahead, f"chainage runs backwards: {back} rows that were seen before are left out")


def _without_outliers(found: TrainReadings, nominal: float) -> TrainReadings:
    if found.x.size < _NEIGHBOURS:
        return found
    smooth = median_filter(found.height, _NEIGHBOURS, mode="nearest")
    good = np.abs(found.height - smooth) <= _JUMP
    good &= np.abs(found.height - nominal) <= 1.5  # a tunnel, a level crossing; not a bridge
    bad = int((~good).sum())
    if not bad:
        return found
    kind = "two lines mixed, or many outliers" if bad > _MIXED * good.size else "outliers"
    return found.at(
        good, f"{kind}: {bad} of {good.size} heights are more than {1e3 * _JUMP:.0f} mm off their neighbours"
    )


def mirrored(found: TrainReadings, *drawn: np.ndarray) -> TrainReadings:
    """Stagger with the sign of the drawing; drawn: staggers at the rows of every wire that may be seen there [m].

    In an overlap the other wire may be read, so that a row counts by the wire that is nearest to it.
    """
    known = np.isfinite(found.stagger)
    if known.sum() < _NEIGHBOURS:
        return found
    off = [np.fmin.reduce([np.abs(sign * found.stagger - one) for one in drawn])[known] for sign in (1.0, -1.0)]
    as_read, turned = (float(np.nanmean(np.minimum(one, _ASIDE[1]))) for one in off)
    if not turned < _MIRRORED * as_read:
        return found
    notes = (*found.notes, "the stagger has the other sign: mirrored")
    return replace(found, stagger=-found.stagger, notes=notes)


def gaps(x: np.ndarray, begin: float, end: float, longest: float) -> list[tuple[float, float]]:
    """Stretches from begin to end without a row for more than ``longest`` [m]."""
    places = np.concatenate([[begin], np.sort(x[(x >= begin) & (x <= end)]), [end]])
    return [(float(a), float(b)) for a, b in itertools.pairwise(places) if b - a > longest]
