"""Tables of the line in C: every window that a train passes, each different array once."""

from __future__ import annotations

import numpy as np

from panhead.runs.c_export.c_layout import CLayout, record_structs
from panhead.runs.c_export.c_tables import CTables
from panhead.runs.c_export.c_types import declare
from panhead.runs.c_export.windows import WindowTables
from panhead.runs.linear.step.step_arrays import Ends

_WINDOW = """\
/* A part of the line that moves with the train, and how the state comes over from the one before. */
struct window {
    struct line_tables line;
    struct absorbing_ends ends;
    const struct dropper *drop; /* at rest */
    const unsigned char (*held)[TILES][4];
    const int *dropper_from; /* row before, or -1 */
    const int *wire_from;
    int first_before, first_now, common; /* stations that both have */
    real begin; /* place of the first pantograph from which it is used [m] */
};

extern const struct window windows[WINDOWS];
extern const struct scheme scheme;
"""


def line_header(layout: CLayout, windows: int, *, single: bool) -> str:
    """line_tables.h."""
    names = ("STATIONS", "TILES", "COORDINATES", "WIRES", "DROPPERS")
    sizes = [f"#define {name} {layout.sizes[name].value}" for name in names] + [f"#define WINDOWS {windows}"]
    sizes += [f"#define TIES_{m} {layout.sizes[f'TIES_{m}'].value}" for m in "MCK"]
    first = ["#define RIG_FLOAT32"] if single else []
    parts = [
        "/* Matrices, droppers and contact wires of the line, by stations (nodes along the track). */",
        "#ifndef LINE_TABLES_H\n#define LINE_TABLES_H\n",
        *first,
        '#include "rig_math.h"\n',
        *sizes,
        "",
        record_structs(),
        "",
        layout.line_structs(),
        "",
        _WINDOW,
        "#endif\n",
    ]
    return "\n".join(parts)


def line_source(layout: CLayout, windows: list[WindowTables], tables: CTables) -> str:
    """line_tables.c."""
    rows = [_window(layout, each, tables) for each in windows]
    values = [tables.number(getattr(layout.scheme, name)) for name in layout.sc.fields if name != "lossless"]
    parts = [
        '#include "line_tables.h"\n',
        tables.source,
        f"const struct scheme scheme = {{{', '.join(values)}}};\n",
        "const struct window windows[WINDOWS] = {\n" + ",\n".join(rows) + "};\n",
    ]
    return "\n".join(parts)


def _window(layout: CLayout, window: WindowTables, tables: CTables) -> str:
    """Initialiser of one window; its arrays are added to the tables."""
    a, fields = window.arrays, layout.line.fields
    names: dict[str, str] = {}
    for name, array in a.items():
        matrix, _, field = name.partition("_")
        if name == "drop":
            names[name] = tables.add("drop", array, "struct dropper {}[DROPPERS]")
        elif name == "held":
            names[name] = tables.add("held", array, "unsigned char {}[STATIONS][TILES][4]")
        elif array.size == 0:
            names[name] = "NULL"
        else:
            kind = fields[matrix].fields[field] if field else fields[name]
            dims = "".join(f"[{d.c}]" for d in kind.dims)
            base = declare(kind, "@").split("(")[0].split("*")[0].replace("const ", "").strip()
            names[name] = tables.add(name, array, f"{base} {{}}{dims}")
    pairs = [
        "{" + ", ".join([names[f"{m}_pair"], names[f"{m}_place"], names[f"{m}_value"]][: 3 if _ties(a, m) else 1]) + "}"
        for m in "MCK"
    ]
    line = "{" + ", ".join([names["x"], *pairs, names["F"], names["path"], names["shape"]]) + "}"
    dropper_from = tables.add("dropper_from", window.dropper_from, "int {}[DROPPERS]")
    wire_from = tables.add("wire_from", window.wire_from, "int {}[WIRES]")
    common = ", ".join(map(str, window.common))
    begin = tables.number(float(np.maximum(window.begin, -1e30)))
    rest = [names["drop"], names["held"], dropper_from, wire_from, common, begin]
    return "    {" + ", ".join([line, _ends(window.ends, tables), *rest]) + "}"


def _ties(arrays: dict[str, np.ndarray], matrix: str) -> bool:
    return arrays[f"{matrix}_value"].size > 0


def _ends(ends: Ends, tables: CTables) -> str:
    return "{" + ", ".join([str(ends.every), *(tables.number(float(x)) for x in ends[1:])]) + "}"
