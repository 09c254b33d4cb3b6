"""Tables that look right and are not: correct ones, drawn, then damaged as a person would.

Each must give the geometry that was drawn, or be refused or doubted by row or column. The truth is what was drawn; it
shares nothing with what reads the tables.
"""

import io
import random
import re
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl

from panhead.desk.sheets.from_tables import line_from_tables
from panhead.errors import FileError, PanheadError
from panhead.railway.line import Line
from panhead.railway.line.layout import Layout

from .books import base, packed, parts_of

#: what a message must name; what is wrong with a file as a whole names the file
PLACE = re.compile(r"row \d+|column [A-Z']|column \w+ |tension length '.*', span \d+")
WHOLE = re.compile(r"save it as UTF-8|has no rows")


@dataclass
class Drawn:
    """A table of masts: columns of numbers in metres, how it is written, and what it says."""

    names: list[str]
    columns: dict[str, list[float]]
    scale: dict[str, str]  #: column → unit it is written in
    heads: dict[str, str] = field(default_factory=dict)  #: column → another name in the first row
    brackets: bool = False  #: units in brackets, not in a row of their own
    units: bool = True  #: whether they are told at all
    kind: str = "csv"  #: or "xlsx"
    cut: str = ","
    mark: str = "."
    encoding: str = "utf-8"
    cells: dict[tuple[int, str], Any] = field(default_factory=dict)  #: (mast, column) → what stands there instead
    first: list[list[Any]] = field(default_factory=list)  #: rows above the heads
    last: list[list[Any]] = field(default_factory=list)
    order: list[str] = field(default_factory=list)
    sheet: list[Any] = field(default_factory=list)  #: what is done to the sheet of masts
    xml: list[Any] = field(default_factory=list)  #: what is done to its XML
    hung: Any = lambda row: row  #: what is done to span and position of a dropper; a span < 0 is left out
    hung_unit: str = "m"
    quoted: bool = True  #: cells in quotes where they hold what divides cells


FACTOR = {"m": 1.0, "mm": 1e3, "cm": 1e2, "km": 1e-3}


def drawn(rng: random.Random) -> Drawn:
    """Three to six masts with everything that is usual."""
    n = rng.randint(3, 6)
    begin = rng.choice((0.0, 1200.0, 12_345.5))
    spans = [rng.choice((45.0, 50.5, 54.25, 60.0, 63.0)) for _ in range(n - 1)]
    side = rng.choice((-1, 1))
    size = rng.choice((0.15, 0.2, 0.25, 0.3))
    columns = {
        "chainage": [begin + sum(spans[:k]) for k in range(n)],
        "stagger": [side * size * (-1) ** k for k in range(n)],
        "contact_height": [rng.choice((5.08, 5.3, 5.5, 5.75)) for _ in range(n)],
        "encumbrance": [rng.choice((1.2, 1.4, 1.6)) for _ in range(n)],
    }
    scale = {name: rng.choice(("m", "m", "mm", "cm")) for name in columns} | {"chainage": rng.choice(("m", "m", "km"))}
    kind = rng.choice(("csv", "csv", "xlsx"))
    cut, mark = rng.choice(((",", "."), (";", ","), (";", "."), ("\t", ","), ("\t", ".")))
    order = ["mast", *columns]
    rng.shuffle(order)
    names = [f"{rng.choice(('M', 'Mast ', '12-'))}{k:02d}" for k in range(n)]
    return Drawn(names, columns, scale, kind=kind, cut=cut, mark=mark, order=order, brackets=rng.random() < 0.4)


def number(made: Drawn, name: str, k: int) -> float:
    return round(FACTOR[made.scale[name]] * made.columns[name][k], 7)


def shown(made: Drawn, name: str, k: int) -> Any:
    """A cell as it is written: a number in Excel, text in CSV."""
    if (k, name) in made.cells:
        return made.cells[k, name]
    if name == "mast":
        return made.names[k]
    value = number(made, name, k)
    return value if made.kind == "xlsx" else f"{value:.7f}".rstrip("0").rstrip(".").replace(".", made.mark)


def rows_of(made: Drawn) -> list[list[Any]]:
    unit = lambda name: made.scale.get(name, "") if made.units else ""
    heads = [made.heads.get(name, name) for name in made.order]
    if made.brackets and made.units:
        heads = [f"{head} [{unit(name)}]" if unit(name) else head for head, name in zip(heads, made.order, strict=True)]
    rows = [*made.first, heads]
    if made.units and not made.brackets:
        rows.append([unit(name) for name in made.order])
    rows += [[shown(made, name, k) for name in made.order] for k in range(len(made.names))]
    return rows + made.last


PLACES = (10.5, 30.0)  # droppers of every span [m]


def droppers_of(made: Drawn) -> str:
    rows = [(k + 1, x) for k in range(len(made.names) - 1) for x in PLACES]
    return f"span,position\n,{made.hung_unit}\n" + "".join(f"{n},{x:.7g}\n" for n, x in map(made.hung, rows) if n >= 0)


def write(made: Drawn, folder: Path) -> tuple[Path, Path]:
    """The files of masts and droppers."""
    (folder / "droppers.csv").write_text(droppers_of(made))
    path = folder / f"masts.{made.kind}"
    if made.kind == "csv":
        quote = lambda c: f'"{c}"' if made.quoted and made.cut in c else c
        text = "".join(made.cut.join(quote("" if c is None else str(c)) for c in row) + "\n" for row in rows_of(made))
        path.write_bytes(text.encode(made.encoding))
        return path, folder / "droppers.csv"
    book = openpyxl.Workbook()
    for row in rows_of(made):
        book.active.append([None if c == "" else c for c in row])
    for change in made.sheet:
        change(book.active)
    out = io.BytesIO()
    book.save(out)
    parts = parts_of(out.getvalue())
    for change in made.xml:
        parts["xl/worksheets/sheet1.xml"] = change(parts["xl/worksheets/sheet1.xml"].decode()).encode()
    path.write_bytes(packed(parts))
    return path, folder / "droppers.csv"


def cell_name(made: Drawn, name: str, k: int) -> str:
    """C4, as the spreadsheet calls it."""
    above = len(made.first) + 1 + (made.units and not made.brackets)
    return f"{chr(65 + made.order.index(name))}{above + k + 1}"


def outcome(made: Drawn, folder: Path) -> str:
    """Same, refused or doubted, the last two by their place; else what is wrong."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            line = line_from_tables(*write(made, folder), base=base())
        except PanheadError as error:
            whole = isinstance(error, FileError) and WHOLE.search(str(error))
            return "refused" if whole or PLACE.search(str(error)) else f"names no place: {error}"
    wrong = differences(made, line)
    if not wrong and not told:
        return "same"
    if any(PLACE.search(str(w.message)) for w in told):
        return "doubted"
    return (
        f"another line without a word: {', '.join(wrong)}" if wrong else f"a doubt without a place: {told[0].message}"
    )


def differences(made: Drawn, line: Line) -> list[str]:
    """Columns that are not as they were drawn."""
    masts = line.tension_lengths[0].masts
    column = lambda name: np.array([getattr(m, name) for m in masts], dtype=float)
    found = {name: column(name) for name in made.columns if name != "chainage"}
    found["chainage"] = line.chainage + Layout(line).mast_x
    same = lambda a, b: a.shape == b.shape and np.allclose(a, b, rtol=0, atol=1e-6)
    wrong = [name for name, values in made.columns.items() if not same(np.array(values), found[name])]
    hung = [[d.position for d in span.droppers] for span in line.tension_lengths[0].spans]
    return wrong if hung == [list(PLACES)] * (len(made.names) - 1) else [*wrong, "droppers"]
