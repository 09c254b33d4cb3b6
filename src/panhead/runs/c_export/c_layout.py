"""Layout of the arrays of a step (``step_arrays``) in C: sizes, rows of tables, structs of constants and state."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from panhead.runs.c_export.c_types import (
    INT,
    REAL,
    ArrayType,
    Dim,
    RecordType,
    StructType,
    Value,
    declare,
    declare_field,
    empty,
)
from panhead.runs.linear.step.step_arrays import (
    CONTACT,
    DROPPER,
    ELEMENT,
    HEAD,
    LEDGER,
    PATH,
    SLOT,
    Scheme,
    TrainArrays,
)

TABLES = {"dropper": DROPPER, "contact": CONTACT, "element": ELEMENT, "head": HEAD, "path": PATH, "slot": SLOT}
EVENTS = 64  #: slackenings that are written down
_NEVER = Value(INT, "0", 0)


def record_fields() -> dict[str, dict[str, Any]]:
    """Fields of every table's row: their types, or the value that all rows share."""
    found: dict[str, dict[str, Any]] = {}
    for name, table in TABLES.items():
        found[name] = fields = {}
        for field in table.names or ():
            kind = table[field]
            number = REAL if kind.base.kind == "f" else INT
            fields[field] = ArrayType(number, tuple(Dim(n) for n in kind.shape)) if kind.shape else number
    found["dropper"]["bows"] = _NEVER
    return found


def written_fields(name: str) -> list[str]:
    """Fields of a row that are in C: without those of physics that is refused."""
    fields = record_fields()[name]
    return [f for f, kind in fields.items() if not isinstance(kind, Value) and not f.startswith("bow")]


def record_structs(names: Iterable[str] = tuple(TABLES)) -> str:
    """Definitions of the rows of tables."""
    parts = []
    for name in names:
        fields = record_fields()[name]
        lines = [f"    {declare_field(fields[f], f)};" for f in written_fields(name)]
        parts.append("\n".join([f"struct {name} {{", *lines, "};"]))
    return "\n\n".join(parts)


class CLayout:
    """Types of everything that a step is given, for known sizes."""

    def __init__(self, sizes: Mapping[str, int], scheme: Scheme, *, damped: bool) -> None:
        self.sizes = {name: Dim(value, name) for name, value in sizes.items()}
        self.scheme, self.damped = scheme, damped
        d, four = self.sizes, Dim(4)
        wires = (d["STATIONS"], d["TILES"], four)
        self.motion = self.array(four, *wires)
        self.flat = self.array(four, d["COORDINATES"])
        self.line = StructType("line_tables", self._line(d), const=True)
        self.ends = StructType("absorbing_ends", self._ends(), const=True)
        self.sc = StructType("scheme", self._scheme(), const=True, passed=False)
        self.train = StructType("train", self._train(d), const=True, passed=False)
        self.state = StructType("line_state", self._state(d))
        self.work = StructType("work", self._work(d, wires))
        self.way = StructType("train_way", self._way(d))
        record = {"slack": self.array(d["EVENTS"], Dim(3)), "events": ArrayType(INT, (Dim(1),))}
        self.out = StructType("output", {"record": StructType("slackenings", record)}, passed=True)

    def array(self, *dims: Dim, const: bool = False) -> ArrayType:
        """An array of reals."""
        return ArrayType(REAL, dims, const)

    def table(self, name: str, size: str, *, const: bool = False) -> ArrayType:
        """A table of records."""
        return ArrayType(RecordType(name, const), (self.sizes[size],), const)

    def _line(self, d: Mapping[str, Dim]) -> dict[str, Any]:
        none = Dim(0)
        found: dict[str, Any] = {"x": self.array(d["STATIONS"], const=True)}
        for name in "MCK":
            ties = d[f"TIES_{name}"]
            fields = {
                "pair": self.array(d["STATIONS"], Dim(2), d["TILES"], Dim(8), const=True),
                "place": ArrayType(INT, (ties, Dim(4)), const=True),
                "value": self.array(ties, const=True),
            }
            found[name] = StructType(f"paired_{name}", fields, const=True)
        found["F"] = self.array(d["STATIONS"], Dim(2), d["TILES"], d["TILES"], Dim(16), const=True)
        found["damped"] = Value(INT, str(int(self.damped)), self.damped)
        found["path"] = self.table("path", "WIRES", const=True)
        found["shape"] = self.array(d["WIRES"], d["STATIONS"], Dim(4), const=True)
        found["gusts"] = self.array(none, none)
        found["far"] = StructType("far", {"base": ArrayType(INT, (none,))}, passed=False)
        return found

    def _ends(self) -> dict[str, Any]:
        reals = ("rate", "front_begin", "front_length", "rear_begin", "rear_length")
        return {"every": INT, **dict.fromkeys(reals, REAL)}

    def _scheme(self) -> dict[str, Any]:
        found: dict[str, Any] = {name: REAL for name in Scheme._fields if name != "lossless"}
        return found | {"lossless": Value(INT, str(int(self.scheme.lossless)), self.scheme.lossless)}

    def _train(self, d: Mapping[str, Dim]) -> dict[str, Any]:
        square = self.array(d["MASSES"], d["MASSES"], const=True)
        return {
            **dict.fromkeys(("M", "C", "K", "A_inv"), square),
            "head": self.table("head", "HEADS", const=True),
            "direction": self.array(d["ELEMENTS"], d["MASSES"], const=True),
        }

    def _state(self, d: Mapping[str, Dim]) -> dict[str, Any]:
        return {
            "eta": self.array(Dim(3), Dim(0)),
            "z": self.array(Dim(3), d["MASSES"]),
            "drop": self.table("dropper", "DROPPERS"),
            "contact": self.table("contact", "CONTACTS"),
            "element": self.table("element", "ELEMENTS"),
            "ledger": self.array(d["LEDGER_ENTRIES"]),
        }

    def _work(self, d: Mapping[str, Dim], wires: tuple[Dim, ...]) -> dict[str, Any]:
        m, column = d["SLOTS"], (d["COLUMN_STATIONS"], d["TILES"], Dim(4))
        flat = self.array(d["COORDINATES"])
        return {
            "s": self.array(*wires),
            "rhs": self.array(*wires),
            "s_flat": Value(flat, "((real *)@->s)"),
            "rhs_flat": Value(flat, "((real *)@->rhs)"),
            "z": self.array(Dim(3), d["MASSES"]),
            "f": self.array(d["MASSES"]),
            "slot": self.table("slot", "SLOTS"),
            "slot_of": ArrayType(INT, (d["DROPPERS"],)),
            "count": ArrayType(INT, (Dim(1),)),
            "D": self.array(m, d["MASSES"]),
            "P": self.array(m, d["MASSES"]),
            "X": self.array(m, *column),
            "S": self.array(m, m),
            "R": self.array(m, m),
            "A": self.array(m, m),
            "r": self.array(m),
            "load": self.array(Dim(2), d["TILES"], Dim(4)),
            "y": self.array(*column),
            "push": self.array(Dim(0)),
            "far": self.array(Dim(3), Dim(0)),
            "masts": self.array(Dim(3), Dim(0)),
            "missed": ArrayType(INT, (Dim(1),)),
        }

    def _way(self, d: Mapping[str, Dim]) -> dict[str, Any]:
        two, heads = Dim(2), d["HEADS"]
        return {
            "position": self.array(two, heads),
            "speed": self.array(two),
            "uplift": self.array(two, d["MASSES"]),
            "given": self.array(two, heads, two),
        }

    def line_structs(self) -> str:
        """Definitions of the structs of the line's tables."""
        pairs = [self.line.fields[name] for name in "MCK"]
        parts = [struct_text(kind, by_address=True) for kind in (*pairs, self.line)]
        return "\n\n".join([*parts, struct_text(self.ends), struct_text(self.sc)])

    def structs(self) -> str:
        """Definitions of the structs of one interface."""
        record = self.out.fields["record"]
        kinds = (self.train, record, self.out, self.way, self.state, self.work)
        return "\n\n".join(struct_text(kind) for kind in kinds)


def struct_text(kind: StructType, *, by_address: bool = False) -> str:
    """Definition of a struct; by_address: its arrays are constants elsewhere."""
    lines = []
    for name, field in kind.fields.items():
        if isinstance(field, Value) or empty(field) or (isinstance(field, StructType) and not field.passed):
            continue
        text = declare(field, name) if by_address and isinstance(field, ArrayType) else declare_field(field, name)
        lines.append(f"    {text.replace('const ', '', 0 if by_address else 1)};")
    return "\n".join([f"struct {kind.name} {{", *lines, "};"])


def line_sizes(arrays: Mapping[str, np.ndarray]) -> dict[str, int]:
    """Sizes of the line's tables by their names in C."""
    ns, tiles = arrays["F"].shape[0], arrays["F"].shape[2]
    return {
        "STATIONS": ns,
        "TILES": tiles,
        "COORDINATES": ns * tiles * 4,
        "WIRES": arrays["path"].size,
        "DROPPERS": arrays["drop"].size,
        **{f"TIES_{name}": arrays[f"{name}_value"].size for name in "MCK"},
    }


def interface_sizes(train: TrainArrays, elements: np.ndarray, slots: int, width: int, wires: int) -> dict[str, int]:
    """Sizes of the state of one interface."""
    return {
        "HEADS": train.head.size,
        "CONTACTS": train.head.size * wires,
        "MASSES": train.M.shape[0],
        "ELEMENTS": elements.size,
        "SLOTS": slots,
        "COLUMN_STATIONS": width,
        "EVENTS": EVENTS,
        "LEDGER_ENTRIES": len(LEDGER),
    }
