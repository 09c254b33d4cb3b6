"""Rows of the table of droppers, each put into the span it hangs in."""

from __future__ import annotations

from typing import Any

from panhead.errors import ModelError, alternatives
from panhead.files.sheet_rows import SheetRows
from panhead.railway.line.parts import Dropper

Hung = dict[str, dict[int, list[dict[str, Any]]]]  #: tension length → span → droppers


def droppers_by_span(found: SheetRows, masts: SheetRows) -> tuple[SheetRows, Hung]:
    """Droppers by tension length and span, each looked at in its own row.

    A row names its span by number, or by the mast at which the span begins.
    """
    _number_spans(found, masts)
    hung: Hung = {}
    for row, cells in found.rows:
        if cells["span"] is None or cells["position"] is None:
            if not found.problems:
                found.add_error(row, "position" if cells["span"] else "span", "is empty")
            continue
        span = hung.setdefault(cells["tension_length"] or "", {}).setdefault(cells["span"], [])
        dropper = {
            "position": cells["position"],
            "length": cells["length"],
            "height": cells["height"],
            "length_error": cells["length_error"] or 0.0,
            "kind": cells["clamp"],
            "wire": cells["wire"] or "contact",
        }
        try:
            if dropper["wire"] not in ("contact", "left", "right", "auxiliary"):
                raise ModelError(f"wire {dropper['wire']!r} is not one of contact, left, right, auxiliary")
            Dropper(**(dropper | {"wire": "contact"}))
        except ModelError as error:
            found.add_error(row, "wire" if "wire" in str(error) else "length", str(error))
        span.append(dropper | {"row": row})
    found.raise_errors()
    return found, hung


def _number_spans(found: SheetRows, masts: SheetRows) -> None:
    """Give every dropper that names a mast the number of the span that begins there, and its tension length."""
    if not {"span", "mast"} & set(found.places):
        found.problems.append("no column span or mast; a dropper needs the number of its span, or the mast before it")
    found.raise_errors()
    begins = _spans_by_mast(masts)
    for row, cells in found.rows:
        name = cells["mast"]
        if name is None:
            continue
        there = [at for at in begins.get(name, []) if cells["tension_length"] in (None, at[0])]
        if len(there) != 1:
            several = "begins spans of several tension lengths; give tension_length"
            found.add_error(
                row, "mast", f"{name!r} {several if there else f'begins no span; {alternatives(name, begins)}'}"
            )
        elif cells["span"] not in (None, there[0][1]):
            found.add_error(row, "span", f"is {cells['span']}, but mast {name!r} begins span {there[0][1]}")
        else:
            cells["tension_length"], cells["span"] = there[0]
    found.raise_errors()


def _spans_by_mast(masts: SheetRows) -> dict[str, list[tuple[str, int]]]:
    """Name of a mast → tension length and number of each span that begins there; the last mast begins none."""
    names: dict[str, list[str | None]] = {}
    for _, cells in masts.rows:
        names.setdefault(cells["tension_length"] or "", []).append(cells["mast"])
    begins: dict[str, list[tuple[str, int]]] = {}
    for length, row in names.items():
        for number, name in enumerate(row[:-1], 1):
            if name is not None:
                begins.setdefault(name, []).append((length, number))
    return begins
