"""``panhead line draw --dxf``: a line for CAD, in metres in model space, its sheets in millimetres as layouts.

Model space is the strung line unrolled along the track: x is the chainage, y to the left, z above rail. Masts and
droppers are blocks with attributes, so that the tables can be read out of the drawing (data extraction).
"""

from __future__ import annotations

import io
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from panhead.desk.drawing.figures import COLORS
from panhead.desk.sheets.schedules import FINE, line_tables
from panhead.desk.sheets.sheet import Anchor, Paper, PaperLine, PaperText, polylines
from panhead.desk.sheets.table_rows import DeskTable
from panhead.errors import ModelError
from panhead.files.cell_text import Cell
from panhead.railway.line.line_description import Line
from panhead.railway.line.strung_line import string
from panhead.railway.line.strung_shape import static_shape

_MASTS, _DROPPERS = "MAST", "DROPPER"
_LAYERS: Final = {"MASTS": 7, "DROPPERS": 8, "WIRE_CONTACT": 1, "WIRE_MESSENGER": 5, "WIRE_OTHER": 3, "SHEET": 7}
_WIRES: Final = {"contact": "WIRE_CONTACT", "contact2": "WIRE_CONTACT", "messenger": "WIRE_MESSENGER"}
_TEXT: Final = 0.25  # height of attributes in model space [m]
_ALIGNED: Final[Mapping[Anchor, str]] = {"start": "LEFT", "middle": "CENTER", "end": "RIGHT"}


def line_dxf(line: Line, papers: Sequence[Paper] = ()) -> bytes:
    """The content of a DXF file (R2010) of a line; ``papers`` become its layouts."""
    ezdxf = _import_ezdxf()
    document = ezdxf.new("R2010", setup=True)
    document.header["$INSUNITS"] = 6  # metres
    for name, color in _LAYERS.items():
        document.layers.add(name, color=color)
    tables = {table.name: table for table in line_tables(line)}
    _wires(document, line)
    _blocks(document, _MASTS, "MASTS", tables["supports"], "contact_height", "stagger")
    _blocks(document, _DROPPERS, "DROPPERS", tables["droppers"], "bottom_height", None)
    for number, paper in enumerate(papers, 1):
        _layout(document, paper, f"Sheet {number}")
    text = io.StringIO()
    document.write(text)
    return text.getvalue().encode("utf-8")


def _import_ezdxf() -> Any:
    try:
        import ezdxf
        import ezdxf.enums
    except ImportError:
        raise ModelError("DXF files need ezdxf: pip install 'panhead[dxf]', or use the PDF and SVG files") from None
    return ezdxf


def _wires(document: Any, line: Line) -> None:
    """Every wire as a polyline in space, x its chainage."""
    shape = static_shape(string(line), element_length=FINE)
    for wire in shape.wires:
        points = np.stack([line.chainage + wire.x, wire.y, wire.z], axis=1)
        for run in polylines(points):
            attributes = {"layer": _WIRES.get(wire.role, "WIRE_OTHER")}
            document.modelspace().add_polyline3d(run.tolist(), dxfattribs=attributes)


def _blocks(document: Any, name: str, layer: str, table: DeskTable, height: str, across: str | None) -> None:
    """A block for a kind of part, and a reference with the row's cells as attributes for each row of a table."""
    block = document.blocks.new(name)
    size = 0.15 if name == _DROPPERS else 0.4
    block.add_circle((0.0, 0.0), size, dxfattribs={"layer": layer})
    tags = [_tag(column.name) for column in table.columns]
    for k, tag in enumerate(tags):
        attributes = {"height": _TEXT, "layer": layer, "invisible": k != 1}
        block.add_attdef(tag, (size, -1.5 * _TEXT * k), dxfattribs=attributes)
    names = [column.name for column in table.columns]
    for row in table.shown():
        cells = dict(zip(names, row, strict=True))
        at = tuple(float(cells[key] or 0.0) if key else 0.0 for key in ("chainage", across, height))
        reference = document.modelspace().add_blockref(name, at, dxfattribs={"layer": layer})
        reference.add_auto_attribs({tag: _cell_text(cell) for tag, cell in zip(tags, row, strict=True)})


def _tag(name: str) -> str:
    return re.sub(r"[^A-Z0-9_]", "_", name.upper())


def _cell_text(cell: Cell) -> str:
    return "" if cell is None else f"{cell:g}" if isinstance(cell, float) and cell.is_integer() else str(cell)


def _layout(document: Any, paper: Paper, name: str) -> None:
    """A sheet as a layout of its true size; DXF counts y upwards."""
    from ezdxf.enums import TextEntityAlignment

    layout = document.layouts.new(name)
    layout.page_setup(size=(paper.width, paper.height), margins=(0, 0, 0, 0), units="mm")
    for part in paper.parts:
        attributes = {"layer": "SHEET", "true_color": _color(part.color)}
        if isinstance(part, PaperLine):
            for run in polylines(part.points):
                layout.add_lwpolyline([(x, paper.height - y) for x, y in run.tolist()], dxfattribs=attributes)
        else:
            _words(layout, paper, part, attributes, TextEntityAlignment[_ALIGNED[part.anchor]])


def _words(layout: Any, paper: Paper, text: PaperText, attributes: dict[str, Any], align: Any) -> None:
    one = layout.add_text(text.text, height=0.72 * text.size, rotation=text.angle, dxfattribs=attributes)
    one.set_placement((text.x, paper.height - text.y), align=align)


def _color(name: str) -> int:
    return int(COLORS[name][0].lstrip("#"), 16)
