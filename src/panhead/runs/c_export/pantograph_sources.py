"""The pantographs of a run in C: chains of masses with stops, friction and the law of the head, without a line.

The step is that of the linear solver (``rig_step.step_under_contact``): contact forces in, heights of the strips out.
"""

from __future__ import annotations

from typing import Any

from panhead.engine.laws.ramp import smooth_ramp
from panhead.runs.c_export.c_layout import CLayout, record_fields, record_structs, struct_text
from panhead.runs.c_export.c_program import Program
from panhead.runs.c_export.c_tables import CTables
from panhead.runs.c_export.c_types import INT, REAL, StructType, Value
from panhead.runs.c_export.interface_sources import (
    BOUNDS,
    ELEMENTS_AT_REST,
    RigInterface,
    absent_laws,
    c_source,
    defined_sizes,
    fill,
    interface_constants,
    timetable_text,
    train_constants,
)
from panhead.runs.c_export.rig_step import pantograph_energy, step_under_contact
from panhead.runs.linear.step.step_arrays import LEDGER

_TABLES = ("contact", "element", "head", "slot")
_STATE = ("z", "contact", "element", "ledger")
_WORK = ("z", "f", "slot", "D", "P", "S", "R", "A", "r", "missed")
_SIZES = ("HEADS", "CONTACTS", "MASSES", "ELEMENTS", "SLOTS", "LEDGER_ENTRIES")


def _structs(layout: CLayout) -> dict[str, StructType]:
    """Structs that are left of a step without a line."""
    chosen = lambda name, kind, fields: StructType(name, {f: kind.fields[f] for f in fields})
    return {
        "train": layout.train,
        "way": chosen("train_way", layout.way, ("uplift", "given")),
        "state": chosen("pantograph_state", layout.state, _STATE),
        "work": chosen("work", layout.work, _WORK),
    }


def pantograph_header(own: RigInterface, *, single: bool) -> str:
    """rig_pantograph.h."""
    structs = [struct_text(own.layout.sc), *(struct_text(kind) for kind in _structs(own.layout).values())]
    return fill(
        c_source("pantograph.h"),
        own,
        FLOAT="#define RIG_FLOAT32\n" if single else "",
        SIZES=defined_sizes(own, _SIZES, single=single),
        STRUCTS="\n\n".join([record_structs(_TABLES), *structs]),
    )


def pantograph_source(own: RigInterface, *, single: bool) -> str:
    """rig_pantograph.c."""
    program, tables = _translate_interface(own, single=single), CTables(single=single)
    interface_constants(own, tables)
    scheme = own.layout.scheme
    values = [tables.number(getattr(scheme, name)) for name in own.layout.sc.fields if name != "lossless"]
    constants = [
        f"#define TIMETABLE_ROWS {len(own.timetable)}\n",
        f"static const struct scheme scheme = {{{', '.join(values)}}};\n",
        train_constants(own, tables),
    ]
    text = fill(
        c_source("pantograph.c"),
        own,
        H=tables.number(scheme.h),
        TIMETABLE=timetable_text(own),
        LEDGER_NAMES=", ".join(f'"{name}"' for name in LEDGER),
        ELEMENTS_AT_REST=ELEMENTS_AT_REST if own.elements.size else "",
    )
    head = f'#include "rig_{own.name}.h"\n\n#include <string.h>\n'
    return "\n".join([head, *constants, tables.source, program.text(), text])


def _translate_interface(own: RigInterface, *, single: bool) -> Program:
    """Translate everything that the interface calls."""
    kinds = _structs(own.layout)
    program = Program(records=record_fields(), absent=absent_laws(own), bounds=BOUNDS, single=single)
    value = lambda kind, code: Value(kind, code, pointer=kind.passed)
    train, sc = value(kinds["train"], "train"), value(own.layout.sc, "scheme")
    state, way, work = value(kinds["state"], "state"), value(kinds["way"], "way"), value(kinds["work"], "w")
    program.call(step_under_contact, [train, sc, state, way, Value(INT, "0"), work])
    program.call(pantograph_energy, [train, state])
    time: Any = Value(REAL, "t")
    program.call(smooth_ramp, [time, time])
    return program
