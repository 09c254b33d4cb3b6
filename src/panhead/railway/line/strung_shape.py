"""Static shape of a strung line: wire curves and the dropper (installation) table."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from panhead.railway.line.strung_line import Strung


@dataclass(frozen=True, slots=True)
class WireCurve:
    """One wire of one tension length."""

    name: str
    role: str  #: contact, contact2, messenger, auxiliary or stitch
    x: np.ndarray  #: (n,) along the line [m]
    y: np.ndarray  #: to the left [m]; NaN: no wire there
    z: np.ndarray  #: above rail [m]


@dataclass(frozen=True, slots=True)
class DropperTable:
    """Dropper lengths to cut, and dropper forces; each (n,)."""

    names: tuple[str, ...]
    x: np.ndarray  #: along the line [m]
    z_top: np.ndarray  #: [m]
    z_bottom: np.ndarray
    length: np.ndarray  #: unstretched [m]
    tension: np.ndarray  #: [N]


@dataclass(frozen=True, slots=True)
class StaticShape:
    """Wire curves and dropper table of a strung line."""

    wires: tuple[WireCurve, ...]
    droppers: DropperTable
    mast_x: np.ndarray  #: [m]


def static_shape(strung: Strung, *, spans: tuple[int, int] | None = None, element_length: float = 1.0) -> StaticShape:
    """Curves of all wires and the table of droppers; ``spans``: first and one beyond the last."""
    layout = strung.layout
    first, stop = spans or (0, layout.n_spans)
    curves: dict[tuple[str, str], list[np.ndarray]] = {}
    rows: list[tuple[str, float, float, float, float, float]] = []
    for number in range(first, stop):
        for piece in layout.tension_lengths_at(number):
            span = strung.span(piece, number, element_length=element_length)
            x = layout.mast_x[number] + span.mesh.x
            for role, values in span.shape.items():
                points = np.stack([x, values[:, 2], values[:, 0]])
                curves.setdefault((piece.name, role), []).append(points)
            place = f"{piece.name}.span{number - piece.first + 1}"
            for k, link in enumerate(span.mesh.links):
                i = span.mesh.link_station[k]
                top, bottom = (float(span.shape[r][i, 0]) for r in (link.upper, link.lower))
                cut, pull = float(span.unstretched[k]), float(span.tension[k])
                rows.append((f"{place} {link.label}", float(x[i]), top, bottom, cut, pull))
    wires = tuple(WireCurve(name, role, *np.concatenate(points, axis=1)) for (name, role), points in curves.items())
    names, *columns = zip(*rows, strict=True) if rows else ((), (), (), (), (), ())
    table = DropperTable(tuple(names), *(np.array(column) for column in columns))
    return StaticShape(wires, table, layout.mast_x[first : stop + 1].copy())
