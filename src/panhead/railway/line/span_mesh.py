"""Finite-element mesh of one span: stations, and each wire's properties between them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from panhead.errors import ModelError
from panhead.railway.line.alignment import curvature_and_tilt
from panhead.railway.line.layout import Link, SpanPlan, roles_of
from panhead.railway.line.wires import Wire

#: Columns of a wire's element table: what it is made of between two stations.
TENSION, BENDING, MASS, ALPHA, BETA, AXIAL, SIDE, AIR = range(8)
_MOST = 20_000  # elements between two marks of a span


@dataclass(frozen=True, slots=True)
class SpanMesh:
    """The stations of one span and each wire's properties per element (mass 0: no wire there)."""

    plan: SpanPlan
    x: np.ndarray  #: (n + 1,) stations from the span's first mast, both masts included [m]
    wires: dict[str, np.ndarray]  #: role → (n, 8), columns as above
    links: tuple[Link, ...]
    link_station: np.ndarray  #: (n_links,) int64
    spot_station: np.ndarray  #: (n_spots,) int64
    bow: np.ndarray  #: (n, 3) κ_z, κ_y [1/m], φ [rad] of the track; see ``alignment``


def mesh_span(plan: SpanPlan, element_length: float) -> SpanMesh:
    """Cut a span into elements of about ``element_length`` with stations at all its marks."""
    x = stations(plan.marks, element_length)
    middle = 0.5 * (x[1:] + x[:-1])
    wires = {role: _wire_table(plan, role, middle) for role in roles_of(plan.wires)}
    return SpanMesh(
        plan=plan,
        x=x,
        wires=wires,
        links=plan.links,
        link_station=np.array([_nearest(x, link.x) for link in plan.links], dtype=np.int64),
        spot_station=np.array([_nearest(x, spot[0]) for spot in plan.spots], dtype=np.int64),
        bow=np.stack(curvature_and_tilt(plan.track, middle), axis=1) if plan.track else np.zeros((middle.size, 3)),
    )


def stations(marks: tuple[float, ...], element_length: float) -> np.ndarray:
    """Stations at every mark and, between marks, at equal distances close to ``element_length``."""
    pieces = [np.array([marks[0]])]
    for a, b in pairwise(marks):
        n = max(1, int((b - a) / element_length + 0.5))
        if n > _MOST:
            raise ModelError(
                f"elements of {element_length:g} m cut {b - a:g} m of line into {n} elements; give longer elements "
                f"(numerics.element_length), at most {_MOST} are allowed between two marks"
            )
        pieces.append(np.linspace(a, b, n + 1)[1:])
    return np.concatenate(pieces)


def _nearest(x: np.ndarray, place: float) -> int:
    return int(np.argmin(np.abs(x - place)))


def wire_of(plan: SpanPlan, role: str) -> Wire:
    """The wire of a role in a span."""
    wires = plan.wires
    chosen: dict[str, Wire | None] = {
        "contact": wires.contact,
        "contact2": wires.contact,
        "messenger": wires.messenger,
        "auxiliary": wires.auxiliary,
        "stitch": wires.stitch.wire if wires.stitch else None,
    }
    wire = chosen[role]
    assert wire is not None  # roles_of lists only wires that exist
    return wire


def _wire_table(plan: SpanPlan, role: str, x: np.ndarray) -> np.ndarray:
    wires, wire = plan.wires, wire_of(plan, role)
    row = [wire.tension, wire.EI, wire.mu, wire.mass_damping, wire.stiffness_damping, wire.EA]
    row += [wire.side_load, wire.air_damping]
    table = np.tile(row, (x.size, 1))
    stitched = (x < plan.stitch[0]) | (x > plan.stitch[1])
    if role == "stitch":
        table[~stitched, MASS] = 0.0
    if role == "messenger" and wires.stitch is not None:
        table[stitched, TENSION] -= wires.stitch.wire.tension
    if role.startswith("contact"):
        for start, end, remaining in plan.worn:
            inside = (x > start) & (x < end)
            table[inside, MASS] *= remaining
            table[inside, AXIAL] *= remaining
            table[inside, BENDING] *= remaining**2
        for start, end, mass, stiffness, _, _ in plan.let_in:
            inside = (x > start) & (x < end)
            table[inside, MASS] += mass / wires.contact_count
            table[inside, BENDING] += stiffness / wires.contact_count
    return table
