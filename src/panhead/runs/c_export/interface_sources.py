"""One interface of the rig in C: its step, translated, and the functions a program calls."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources

import numpy as np

from panhead import __version__
from panhead.engine.laws.ramp import smooth_ramp
from panhead.runs.c_export.c_layout import CLayout, record_fields
from panhead.runs.c_export.c_program import Program, source_of
from panhead.runs.c_export.c_tables import CTables
from panhead.runs.c_export.c_types import INT, REAL, ArrayType, Dim, RecordType, StructType, Value, empty
from panhead.runs.c_export.rig_step import STEPS, wire_motion
from panhead.runs.linear.step.absorbing_ends import fade
from panhead.runs.linear.step.active_set import empty_slots
from panhead.runs.linear.step.contact import record_contact
from panhead.runs.linear.step.dropper import hold_taut, set_in_mode
from panhead.runs.linear.step.ledger import energies, line_energy
from panhead.runs.linear.step.line import remember_damping
from panhead.runs.linear.step.step_arrays import D_ABSORBED, ENERGIES, LEDGER, TrainArrays
from panhead.runs.linear.step.unilateral import BOWED, FRICTION, LANKARANI, STOP

PANTOGRAPH = "pantograph"
LIFTED = ("closed", PANTOGRAPH)  #: interfaces with the masses of the pantographs
#: bounds of the work of a step: rounds of new droppers, sweeps of all modes, Gauss–Seidel sweeps after them
BOUNDS: Mapping[str, int] = {"ROUNDS": 8, "SWEEPS": 12, "RELAXATIONS": 40}


@dataclass(frozen=True, slots=True)
class RigInterface:
    """Constants of one interface."""

    name: str
    about: str
    layout: CLayout
    train: TrainArrays
    elements: np.ndarray
    rest_z: np.ndarray  #: (masses,) where they start [m]
    fixed: tuple[np.ndarray, np.ndarray, np.ndarray]  #: D, P and S of contacts and elements
    behind: np.ndarray  #: (heads,) [m]
    timetable: np.ndarray  #: (rows, 4) time, speed, way so far, acceleration
    start: float
    ramp: float
    uplift: np.ndarray  #: (masses, 3) constant, by speed², at rest
    ends: tuple[float, float]  #: of the line [m]
    chunk: int
    record: int
    moving: bool
    steps: int  #: of the exported run
    height: float  #: of the wire above the first strip at the start [m]


def interface_header(own: RigInterface, *, single: bool) -> str:
    """rig_NAME.h."""
    names = ("HEADS", "CONTACTS", "MASSES", "ELEMENTS", "SLOTS", "COLUMN_STATIONS", "EVENTS", "LEDGER_ENTRIES")
    text = select_branches(c_source("interface.h"), own.name)
    return fill(text, own, SIZES=defined_sizes(own, names, single=single), STRUCTS=own.layout.structs())


def defined_sizes(own: RigInterface, names: Sequence[str], *, single: bool) -> str:
    """Sizes as constants, and the height at which the first strip starts [m], where the wire is at rest."""
    sizes = [f"#define {name} {own.layout.sizes[name].value}" for name in names]
    height = CTables(single=single).number(own.height)
    return "\n".join([*sizes, f"#define RECORD {own.record}", f"#define RIG_REST_HEIGHT {height} /* of strip 1 [m] */"])


def interface_source(own: RigInterface, *, single: bool) -> str:
    """rig_NAME.c."""
    program, tables = translate_interface(own, single=single), CTables(single=single)
    interface_constants(own, tables)
    text = select_branches(c_source("interface.c"), own.name)
    marks = {
        "H": tables.number(own.layout.scheme.h),
        "QUIET": "1e-30f" if single else "1e-60",
        "ENERGY_NAMES": ", ".join(f'"{name}"' for name in (*ENERGIES, *LEDGER)),
        "TIMETABLE": timetable_text(own),
        "DAMPING": _DAMPING if own.layout.damped else "    (void)rig;",
        "ABSORB": _ABSORB if own.moving else "    (void)rig;",
        "ELEMENTS_AT_REST": ELEMENTS_AT_REST if own.elements.size else "",
    }
    numbers = {"CHUNK": own.chunk, "TIMETABLE_ROWS": len(own.timetable), "D_ABSORBED": D_ABSORBED}
    defines = "".join(f"#define {name} {n}\n" for name, n in numbers.items())
    body = program.text().replace(f"#define D_ABSORBED {D_ABSORBED}\n", "")
    wanted = {"CONTACT": 0, "OPEN": 0, "DISPLACEMENT": 0}
    more = "".join(f"#define {name} {n}\n" for name, n in wanted.items() if f"#define {name} " not in body)
    head = f'#include "rig_{own.name}.h"\n\n#include <string.h>\n\n{defines}{more}'
    parts = [head, train_constants(own, tables), tables.source, body, _glue(own), fill(text, own, **marks)]
    return "\n".join(parts)


def interface_program(own: RigInterface) -> str:
    """main_NAME.c: a program that runs the exported run, and times its steps."""
    alone = own.name == PANTOGRAPH
    tables, shown = ("", "height") if alone else ("line_tables.c ", "force")
    return fill(select_branches(c_source("program.c"), own.name), own, STEPS=str(own.steps), TABLES=tables, SHOWN=shown)


def translate_interface(own: RigInterface, *, single: bool) -> Program:
    """Translate everything that the interface calls."""
    L = own.layout
    program = Program(records=record_fields(), absent=absent_laws(own), bounds=BOUNDS, single=single)
    v = lambda kind, code: Value(kind, code, pointer=isinstance(kind, StructType) and kind.passed)
    line, train, sc, state = v(L.line, "line"), v(L.train, "train"), v(L.sc, "scheme"), v(L.state, "state")
    w, way, out = v(L.work, "w"), v(L.way, "way"), v(L.out, "out")
    q0, f0, q1, f1 = v(L.motion, "q0"), v(L.flat, "f0"), v(L.motion, "q1"), v(L.flat, "f1")
    n, none = Value(INT, "0"), Value(None, "", parts=())
    row = v(ArrayType(REAL, L.motion.dims[1:]), "u")
    program.call(empty_slots, [w])
    program.call(STEPS[own.name], [line, train, sc, state, q0, f0, q1, f1, way, n, n, n, w, none, out])
    program.call(wire_motion, [Value(RecordType("slot"), "s", pointer=True), Value(REAL, "speed"), q0])
    program.call(record_contact, [
        line, Value(RecordType("contact"), "c", pointer=True), n, row, v(ArrayType(REAL, (Dim(4),)), "told")
    ])  # fmt: skip
    program.call(energies, [line, train, state, q0, f0, w, v(ArrayType(REAL, (Dim(13),)), "out")])
    scratch, masts = L.work.fields, ArrayType(REAL, (Dim(3), Dim(0)))
    s, s_flat = v(scratch["s"], "w->s"), v(scratch["s_flat"].type, "s_flat")
    eta, drop = v(L.state.fields["eta"], "eta"), v(L.state.fields["drop"], "drop")
    program.call(line_energy, [line, q0, f0, eta, drop, s, s_flat, v(masts, "masts")])
    program.call(set_in_mode, [drop, q0])
    program.call(hold_taut, [drop])
    if L.damped:
        program.call(remember_damping, [line, sc, q0, f0, s, s_flat])
    if own.moving:
        real = Value(REAL, "x")
        record = v(L.out.fields["record"], "record")
        ends = v(L.ends, "ends")
        program.call(fade, [line, sc, ends, real, real, q0, f0, eta, drop, real, w, record])
    if own.name == "closed":
        program.call(smooth_ramp, [real_ := Value(REAL, "t"), real_])
    return program


def timetable_text(own: RigInterface) -> str:
    """Function for place, speed and uplift of the exported run."""
    return fill(select_branches(c_source("timetable.c"), own.name), own)


def absent_laws(own: RigInterface) -> frozenset[int]:
    """Kinds of unilateral laws that the run does not have."""
    return frozenset({LANKARANI, BOWED, STOP, FRICTION} - set(own.elements["kind"].tolist()))


def _glue(own: RigInterface) -> str:
    """Calls of translated functions with the arguments that are left of them."""
    step = source_of(STEPS[own.name]).name
    return _GLUE.replace("@NAME@", own.name).replace("@STEP@", step)


def interface_constants(own: RigInterface, tables: CTables) -> None:
    """Tables of an interface beside those of the line: fixed slots, rest, timetable, uplift."""
    D, P, S = own.fixed
    rows = "[CONTACTS + ELEMENTS]"
    tables.add("FIXED_D", D, f"real {{}}{rows}[MASSES]")
    tables.add("FIXED_P", P, f"real {{}}{rows}[MASSES] ")
    tables.add("FIXED_S", S, f"real {{}}{rows}{rows}")
    tables.add("REST_Z", own.rest_z, "real {}[MASSES]")
    tables.add("TIMETABLE", own.timetable, "real {}[TIMETABLE_ROWS][4]")
    if own.name in LIFTED:
        tables.add("UPLIFT", own.uplift, "real {}[MASSES][3]")
        tables.add("RAMP", np.array(own.ramp), "real {}")
    tables.add("START", np.array(own.start), "real {} ")
    if own.name != PANTOGRAPH:
        tables.add("BEHIND", own.behind, "real {}[HEADS]")
        tables.add("LINE_BEGIN", np.array(own.ends[0]), "real {}  ")
        tables.add("LINE_END", np.array(own.ends[1]), "real {}   ")
    if own.elements.size:
        tables.add("ELEMENTS_AT_REST", own.elements, "struct element {}[ELEMENTS]")


def train_constants(own: RigInterface, tables: CTables) -> str:
    """The pantographs as one constant object."""
    fields = own.layout.train.fields
    values = [tables.text(np.asarray(getattr(own.train, name))) for name, kind in fields.items() if not empty(kind)]
    return f"static const struct train train = {{{', '.join(values)}}};\n"


def c_source(name: str) -> str:
    """Text of a file of ``sources``."""
    return resources.files("panhead.runs.c_export").joinpath("sources", name).read_text(encoding="utf-8")


def select_branches(text: str, name: str) -> str:
    """The text with the parts between @if and @end that are for this interface."""
    lines, on = [], True
    for line in text.splitlines():
        if line.startswith("@if "):
            on = name in line.split()[1:]
        elif line == "@end":
            on = True
        elif on:
            lines.append(line)
    return "\n".join(lines) + "\n"


def fill(text: str, own: RigInterface, **marks: str) -> str:
    """The text with @MARKS@ replaced: name, description and version, and those given."""
    known = {"NAME": own.name, "ABOUT": own.about, "VERSION": __version__, **marks}
    return re.sub(r"@([A-Z_]+)@", lambda found: known[found[1]], text)


_GLUE = """\
/* ---- The translated step with the arguments it still has. */

static tuple_real_real energy_of_line(struct rig_@NAME@ *rig)
{
    real (*q)[STATIONS][TILES][4] = rig->q[rig->now];
    return line_energy(&windows[rig->window].line, q, (real (*)[COORDINATES])q, rig->state.drop, rig->work.s,
                       (real *)rig->work.s);
}

static int advance_rig(struct rig_@NAME@ *rig, int number)
{
    real (*q0)[STATIONS][TILES][4] = rig->q[rig->now];
    real (*q1)[STATIONS][TILES][4] = rig->q[1 - rig->now];
    return @STEP@(&windows[rig->window].line, &rig->state, q0, (real (*)[COORDINATES])q0, q1,
                (real (*)[COORDINATES])q1, &rig->way, 0, number, 0, &rig->work, &rig->out);
}
"""
_DAMPING = """\
    real (*q)[STATIONS][TILES][4] = rig->q[rig->now];
    remember_damping(&windows[rig->window].line, q, (real (*)[COORDINATES])q, rig->work.s, (real *)rig->work.s);"""
_ABSORB = """\
    const struct window *window = &windows[rig->window];
    if ((window->ends.every > 0) && (rig->step % window->ends.every == 0)) {
        real (*q)[STATIONS][TILES][4] = rig->q[rig->now];
        const tuple_real_real e0 = energy_of_line(rig);
        tuple_real_real e1;
        fade(&window->line, &window->ends, rig->way.position[1][0], rig->way.position[1][HEADS - 1], q,
             (real (*)[COORDINATES])q, rig->state.drop, (real)rig->step * scheme.h, &rig->work,
             &rig->out.record);
        e1 = energy_of_line(rig);
        rig->state.ledger[D_ABSORBED] += e0.v[0] + e0.v[1] - e1.v[0] - e1.v[1];
    }"""
ELEMENTS_AT_REST = """\
    for (int k = 0; k < ELEMENTS; ++k) {
        struct slot *s = &rig->work.slot[CONTACTS + k];
        struct element *e = &rig->state.element[k];
        *e = ELEMENTS_AT_REST[k];
        s->kind = e->kind;
        s->k = e->k;
        s->c = e->c;
        s->on = 1;
    }"""
