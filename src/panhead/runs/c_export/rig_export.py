"""Export of a run as C99: the line in real time, without Python (``panhead export c``)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from panhead.errors import ModelError
from panhead.files.atomic_files import write_atomic
from panhead.runs.c_export.c_layout import CLayout, interface_sizes, line_sizes
from panhead.runs.c_export.c_tables import CTables
from panhead.runs.c_export.interface_sources import (
    LIFTED,
    PANTOGRAPH,
    RigInterface,
    c_source,
    interface_header,
    interface_program,
    interface_source,
)
from panhead.runs.c_export.line_sources import line_header, line_source
from panhead.runs.c_export.pantograph_sources import pantograph_header, pantograph_source
from panhead.runs.c_export.windows import WindowTables, windows_of
from panhead.runs.capabilities import require
from panhead.runs.description import Run
from panhead.runs.linear.kernel_arrays import constant_slots
from panhead.runs.linear.run_driver import chunk_steps
from panhead.runs.linear.session import Session, start, strips_behind
from panhead.runs.linear.step.step_arrays import ELEMENT, TrainArrays
from panhead.runs.resolve import capability_query, resolve
from panhead.runs.timetable import Timetable

INTERFACES = {
    "closed": "Pantographs under the line: the run itself. Uplift forces in, contact forces out.",
    "motion": "The line above strips that are moved: their heights and rates in, contact forces out.",
    "force": "The line under given forces: height of the wire above every strip and its rate out.",
    "pantograph": "The pantographs without the line: contact forces in, heights and rates of their strips out.",
}

_LONGEST_RECORD = 1_000_000
_LARGEST_TABLES = 128e6  # bytes


@dataclass(frozen=True, slots=True)
class RigSources:
    """Text of every file of an export, and what it takes."""

    files: dict[str, str]
    table_bytes: int
    windows: int


def rig_sources(
    run: Run, interfaces: Sequence[str] = tuple(INTERFACES), *, single: bool = False, record: int = 1024
) -> RigSources:
    """C sources of a run; single: in float32; record: rows of the ring in which a rig writes its last steps."""
    _check(run, interfaces, record)
    session = start(resolve(run))
    windows = _checked_windows(windows_of(session), session, interfaces)
    sizes, tables = line_sizes(windows[0].arrays), CTables(single=single)
    files = {"rig_math.h": c_source("rig_math.h")}
    described = [_interface(name, session, sizes, record) for name in interfaces]
    for own in described:
        alone = own.name == PANTOGRAPH
        header, source = (pantograph_header, pantograph_source) if alone else (interface_header, interface_source)
        files[f"rig_{own.name}.h"] = header(own, single=single)
        files[f"rig_{own.name}.c"] = source(own, single=single)
        files[f"main_{own.name}.c"] = interface_program(own)
    if lines := [own for own in described if own.name != PANTOGRAPH]:
        files["line_tables.h"] = line_header(lines[0].layout, len(windows), single=single)
        files["line_tables.c"] = line_source(lines[0].layout, windows, tables)
    return RigSources(files, tables.bytes, len(windows))


def _check(run: Run, interfaces: Sequence[str], record: int) -> None:
    """Refuse what the export does not have."""
    require(capability_query(run), "c-export")
    if run.solver != "linear":
        raise ModelError(f"solver: the C export (panhead export c) has solver 'linear', not {run.solver!r}; change it")
    unknown = [name for name in interfaces if name not in INTERFACES]
    if unknown or not interfaces:
        raise ModelError(f"export c: no interface {', '.join(map(repr, unknown))}; there are: {', '.join(INTERFACES)}")
    if not 1 <= record <= _LONGEST_RECORD:
        raise ModelError(f"export c: the record must have between 1 and {_LONGEST_RECORD} rows, got {record}")


def _checked_windows(windows: list[WindowTables], session: Session, interfaces: Sequence[str]) -> list[WindowTables]:
    """Windows without superelements, of which the tables are not too large."""
    if session.window.linear.far or any(w.far for w in windows):
        n = session.model.run.numerics
        raise ModelError(
            "numerics.near: the C export (panhead export c) does not support far spans as superelements; set "
            f"numerics.near = {max(n.ahead, n.behind)}, or fewer spans `ahead` and `behind`"
        )
    size = sum(x.nbytes for x in {id(x): x for w in windows for x in w.arrays.values()}.values())
    if size > _LARGEST_TABLES:
        raise ModelError(
            f"export c: the tables of {len(windows)} windows take {size / 1e6:.0f} MB, more than "
            f"{_LARGEST_TABLES / 1e6:.0f} MB; use a shorter journey, fewer spans in the window or longer elements"
        )
    if "force" in interfaces and windows[0].arrays["path"].size > 1:
        raise ModelError(
            "line.tension_lengths: interface 'force' of the C export does not support two contact wires side by side "
            "(overlaps); use interface 'motion'"
        )
    if PANTOGRAPH in interfaces and session.train.head["roll"].any():
        raise ModelError(
            "pantograph.strips.roll_inertia: interface 'pantograph' of the C export does not support strips that roll; "
            "remove it, or use interface 'closed'"
        )
    return windows


def _interface(name: str, session: Session, sizes: dict[str, int], record: int) -> RigInterface:
    model, sc, wires = session.model, session.sc, 1 if name == PANTOGRAPH else sizes["WIRES"]
    behind = strips_behind(model)
    elements, z, train = session.elements, session.state.z[0].copy(), session.train
    if name not in LIFTED:
        heads = behind.size
        still, law = np.zeros((heads, heads)), _contact_law(session)
        train, elements = TrainArrays(still, still, still, still, law, np.zeros((0, heads))), np.zeros(0, ELEMENT)
        z = np.zeros(heads)
    fixed = train.head.size * wires + elements.size
    slots = fixed + (0 if name == PANTOGRAPH else min(sizes["DROPPERS"], 96))
    _, D, S = constant_slots(train, elements, wires, fixed)
    width = session.window.work.y.shape[0]
    layout = CLayout(
        sizes | interface_sizes(train, elements, slots, width, wires), sc, damped=bool(session.window.line.damped)
    )
    x = model.strung.layout.mast_x
    return RigInterface(
        name=name,
        about=INTERFACES[name],
        layout=layout,
        train=train,
        elements=elements,
        rest_z=z,
        fixed=(D, np.ascontiguousarray(D @ train.A_inv.T), S),
        behind=behind,
        timetable=_timetable_rows(model.timetable),
        start=model.timetable.start,
        ramp=model.timetable.ramp if model.timetable.ramp > 1e-12 else 0.0,
        uplift=_uplift(session),
        ends=(float(x[0]), float(x[-1])),
        chunk=chunk_steps(model, sc.h),
        record=record,
        moving=model.moving,
        steps=model.steps,
        height=float(session.state.z[0][session.train.head["mass"][0]] + session.train.head["height"][0]),
    )


def _contact_law(session: Session) -> np.ndarray:
    """Contact of every strip, whose height is given as it is."""
    head = session.train.head.copy()
    head["mass"], head["height"], head["roll"] = np.arange(head.size), 0.0, 0
    return head


def _timetable_rows(timetable: Timetable) -> np.ndarray:
    """Time, speed, way passed and acceleration of every row."""
    steps = np.diff(timetable.times)
    passed = np.concatenate([[0.0], np.cumsum(0.5 * steps * (timetable.speeds[1:] + timetable.speeds[:-1]))])
    slope = np.append(np.diff(timetable.speeds) / steps, 0.0)
    return np.stack([timetable.times, timetable.speeds, passed, slope], axis=1)


def _uplift(session: Session) -> np.ndarray:
    """Uplift of every mass: constant part, part by speed², and what holds it where it starts."""
    pantographs = session.model.pantographs
    constant = np.concatenate([p.uplift(0.0) for p in pantographs])
    quadratic = np.concatenate([p.uplift(1.0) for p in pantographs]) - constant
    return np.stack([constant, quadratic, session.rest], axis=1)


def write_rig(sources: RigSources, out: Path) -> list[Path]:
    """Write all files of an export into a folder."""
    out.mkdir(parents=True, exist_ok=True)
    return [write_atomic(out / name, text.encode()) for name, text in sources.files.items()]
