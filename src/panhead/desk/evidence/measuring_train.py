"""Files of a measuring train in the Finnish channel layout: one row every 0.25 m, two kinds of file.

    force     F 1.1, F 1.2, F 2.1, F 2.2 of four sensors, accelerations AccZ of the same places, sums FInt and FExt,
              FComp corrected for inertia, speed, stagger, height above the car
    geometry  stagger, height and residual thickness of two contact wires, residual area, gradient, pole

Relations between the channels are checked, not assumed:

    FInt = F 1.1 + F 1.2,   FExt = F 2.1 + F 2.2,   FComp = FInt + FExt ∓ m ā

The sign of the inertia term is not documented: it is an option, and the mass m that fits best is told.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

import numpy as np

from panhead.errors import FileError
from panhead.files.sheet_rows import ColumnWanted
from panhead.files.tables import compared_names, read_rows, require_names
from panhead.files.units import Kilograms, Newtons

Kind = Literal["force", "geometry"]
SUM_TOLERANCE: Final = 0.1  #: of sums of two sensors, as the channels are rounded [N]
_PLACES: Final = ("1_1", "1_2", "2_1", "2_2")
_LOCATION: Final = re.compile(r"\s*(\d+)\s*\+\s*(\d+(?:[.,]\d+)?)\s*")  # km+m

_FORCE: Final = (
    ColumnWanted("location", kind="text", required=True),
    ColumnWanted("track", kind="text"),
    ColumnWanted("speed", "m/s"),
    *(ColumnWanted(f"accz_{k}", "m/s**2", others=(f"acc_z_{k}",)) for k in _PLACES),
    *(ColumnWanted(f"f_{k}", "N", others=(f"f{k}",)) for k in _PLACES),
    ColumnWanted("fint", "N", others=("f_int",)),
    ColumnWanted("fext", "N", others=("f_ext",)),
    ColumnWanted("fcomp", "N", others=("f_comp",), required=True),
    ColumnWanted("stagger", "m"),
    ColumnWanted("height", "m"),
)
_GEOMETRY: Final = (
    ColumnWanted("location", kind="text", required=True),
    ColumnWanted("track", kind="text"),
    *(ColumnWanted(f"{name}_{k}", "m") for name in ("stagger", "height") for k in (1, 2)),
    *(ColumnWanted(f"residual_thickness_{k}", "m") for k in (1, 2)),
    ColumnWanted("residual_area", "m**2"),
    ColumnWanted("height_gradient", ""),
    ColumnWanted("pole", kind="text", others=("pole_number",)),
)
WANTED: Final[Mapping[Kind, tuple[ColumnWanted, ...]]] = {"force": _FORCE, "geometry": _GEOMETRY}


@dataclass(frozen=True, slots=True)
class TrainRecord:
    """Channels of one file, in SI units, in the order of the file."""

    kind: Kind
    place: np.ndarray  #: (n,) along the track, from km+m [m]
    channels: dict[str, np.ndarray]  #: (n,) each; empty cells are NaN
    missing: tuple[str, ...]  #: channels of the layout that the file does not have
    poles: tuple[tuple[float, str], ...] = ()  #: place and number of each pole
    tracks: tuple[str, ...] = ()  #: track of every row; nothing: the file does not say


@dataclass(frozen=True, slots=True)
class ChannelRelation:
    """A relation between channels, and how far the file keeps it."""

    name: str
    largest: float  #: largest deviation [N]
    allowed: float | None  #: None: told, not judged
    rows: int  #: that have all its channels
    beyond: int  #: rows beyond what is allowed
    note: str = ""

    @property
    def holds(self) -> bool | None:
        return None if self.allowed is None else self.beyond == 0


def read_train_record(path: str | Path, kind: Kind, columns: Mapping[str, str] | None = None) -> TrainRecord:
    """Read a file of a measuring train; ``columns`` says what columns with other names are (``compared_names``)."""
    wanted = WANTED[kind]
    named = compared_names(columns, wanted)
    found = read_rows(path, "measurement", wanted, named, strict=False)
    require_names(named, [found])
    place = []
    for row, cells in found.rows:
        x = _metres(cells["location"])
        if x is None:
            found.add_error(row, "location", f"{cells['location']!r} is not km+m, such as 123+0456.25")
        place.append(np.nan if x is None else x)
    found.raise_errors()
    if not place:
        raise FileError(path, "holds no rows below its names and units")
    texts = [c.name for c in wanted if c.kind == "text"]
    channels = {
        c.name: np.array([np.nan if cells[c.name] is None else cells[c.name] for _, cells in found.rows], float)
        for c in wanted
        if c.name not in texts and c.name in found.places
    }
    poles = tuple((x, str(cells["pole"])) for x, (_, cells) in zip(place, found.rows, strict=True) if cells.get("pole"))
    missing = tuple(c.name for c in wanted if c.name not in found.places)
    tracks = tuple(str(cells["track"] or "") for _, cells in found.rows) if "track" in found.places else ()
    return TrainRecord(kind, np.array(place), channels, missing, poles, tracks)


def _metres(text: object) -> float | None:
    """Place of "123+0456.25" [m]."""
    match = _LOCATION.fullmatch(str(text))
    return None if match is None else 1e3 * float(match[1]) + float(match[2].replace(",", "."))


def relations(record: TrainRecord, *, inertia_sign: Literal[-1, 1] = -1) -> Iterator[ChannelRelation]:
    """Deviations from the relations between the channels of a force file, as far as it has the channels.

    ``inertia_sign``: −1 for FComp = FInt + FExt − m ā, 1 for + m ā.
    """
    c = record.channels
    for name, parts in (("fint", ("f_1_1", "f_1_2")), ("fext", ("f_2_1", "f_2_2"))):
        if {name, *parts} <= c.keys():
            yield _relation(f"{name} = {' + '.join(parts)}", c[name] - c[parts[0]] - c[parts[1]], SUM_TOLERANCE)
    accelerations = [c[f"accz_{k}"] for k in _PLACES if f"accz_{k}" in c]
    if {"fint", "fext", "fcomp"} <= c.keys() and accelerations:
        yield _inertia(c["fint"] + c["fext"] - c["fcomp"], np.mean(accelerations, axis=0), inertia_sign)
    step = np.diff(record.place)
    if step.size:
        yield _relation("equal distances of rows", np.abs(step) - np.median(np.abs(step)), None, "deviation in metres")


def _relation(name: str, off: np.ndarray, allowed: float | None, note: str = "") -> ChannelRelation:
    known = np.abs(off[np.isfinite(off)])
    largest = float(known.max()) if known.size else float("nan")
    beyond = 0 if allowed is None else int((known > allowed + 1e-9).sum())
    return ChannelRelation(name, largest, allowed, int(known.size), beyond, note)


def _inertia(difference: np.ndarray, acceleration: np.ndarray, sign: int) -> ChannelRelation:
    """FInt + FExt − FComp = −sign · m ā with the mass that fits best (least squares)."""
    known = np.isfinite(difference) & np.isfinite(acceleration)
    a, d = acceleration[known], -sign * difference[known]
    mass = _fitted_mass(a, d)
    shown = "−" if sign < 0 else "+"
    note = f"mass {mass:.3g} kg fits best" + ("; it is negative: try the other sign" if mass < 0.0 else "")
    return _relation(f"fcomp = fint + fext {shown} m ā", d - mass * a, None, note)


def _fitted_mass(acceleration: np.ndarray, inertia: np.ndarray) -> Kilograms:
    """Mass with which acceleration (n,) gives the inertia force (n,), by least squares [kg]."""
    square = float(acceleration @ acceleration)
    return float(acceleration @ inertia) / square if square > 0.0 else float("nan")


def contact_force(record: TrainRecord) -> tuple[np.ndarray, np.ndarray]:
    """Place (n,) [m] and contact force FComp (n,) [N] of a force file, rows without a force left out."""
    force: np.ndarray = record.channels["fcomp"]
    known = np.isfinite(force)
    return record.place[known], force[known]


def mean_and_deviation(record: TrainRecord) -> tuple[Newtons, Newtons]:
    """Mean and standard deviation of the contact force [N]."""
    _, force = contact_force(record)
    return float(force.mean()), float(force.std())
