"""Derivatives by dropper positions: a moved dropper moves its station and shifts those between its neighbours.

With the stations xᵢ of a span at equal distances between its marks, a mark that moves by δ moves them by hᵢ δ, h the
hat over the two gaps beside it. Stations are felt through the lengths of elements and by every contact point between.
"""

from __future__ import annotations

import numpy as np

from panhead.engine.laws.hermite import shape, shape_x
from panhead.railway.line.layout import Link, PlacedTensionLength
from panhead.railway.line.span_mesh import AIR, SpanMesh
from panhead.railway.line.span_plan import height_slope, own_marks
from panhead.railway.line.wire_elements import locate
from panhead.runs.gradients.line_gradient import beginnings, lowest_wire
from panhead.runs.gradients.run_cotangents import Named, Slopes
from panhead.runs.gradients.tension_lengths import TensionLengthGradient


def positions(s: Slopes) -> Named:
    """∂J/∂ of every dropper's position along its span, target heights kept; NaN: another item shares its station, the
    track changes under the span, or air damps the wires, whose share of C by lengths is not known."""
    layout, begin = s.model.strung.layout, _beginnings(s)
    ell: dict[int, np.ndarray] = {}  # of all tension lengths that pass a span
    for piece in s.pieces:
        starts = piece.balance.grid.starts
        for k in range(len(piece.piece.spans)):
            number, own = piece.piece.first + k, piece.ell[starts[k] : starts[k + 1]]
            ell[number] = ell.get(number, 0.0) + own
    for piece in s.pieces:
        first_link = 0
        for k, mesh in enumerate(piece.balance.grid.meshes):
            number = piece.piece.first + k
            here = s.given.x(number) + begin.get(number, 0.0) + np.concatenate([[0.0], ell[number]])
            here[:-1] -= ell[number]
            heights = dict(zip(mesh.links, piece.drawn.height[first_link : first_link + len(mesh.links)], strict=True))
            first_link += len(mesh.links)
            for links in _droppers(mesh):
                value = float(_hat(mesh, links[0].x) @ here)
                value += sum(heights[one] * height_slope(layout, piece.piece, number, one) for one in links)
                alone = not (_is_shared_station(s, piece, number, mesh, links) or _geometry_changes(mesh))
                side = " auxiliary" if links[0].lower == "auxiliary" else ""
                name = f"{piece.piece.name}, span {k + 1}, dropper {links[0].number}{side}"
                yield name, value if alone else np.nan


def _beginnings(s: Slopes) -> dict[int, np.ndarray]:
    """∂J/∂ of station positions through the initial heights of the pantographs: span → (n + 1,)."""
    linear, model = s.tape.start.linear, s.model
    touch, _ = beginnings(s.tape, s.slope, s.first)
    found: dict[int, np.ndarray] = {}
    for p, x in enumerate(model.timetable.start - model.behind):
        path, e = linear.paths[lowest_wire(linear, float(x))], int(locate(x, linear.x))
        ell = linear.x[e + 1] - linear.x[e]
        xi, odd = (x - linear.x[e]) / ell, np.array([0.0, 1.0, 0.0, 1.0])
        nodes = np.array([path.z0[e], path.z0_x[e], path.z0[e + 1], path.z0_x[e + 1]])
        N, N_x = np.array(shape(xi, ell)), np.array(shape_x(xi, ell))
        number = linear.first_span + int(np.searchsorted(linear.masts, e, side="right")) - 1
        stations = linear.stations(number)
        own = found.setdefault(number, np.zeros(stations.stop - stations.start))
        own[e - stations.start] += touch[p] * float((-(1.0 - xi) * N_x - odd * N / ell) @ nodes)
        own[e + 1 - stations.start] += touch[p] * float((-xi * N_x + odd * N / ell) @ nodes)
    return found


def _droppers(mesh: SpanMesh) -> list[list[Link]]:
    """Links of each dropper: two if it carries both contact wires."""
    found: dict[tuple[int, bool], list[Link]] = {}
    for link in mesh.links:
        found.setdefault((link.number, link.lower == "auxiliary"), []).append(link)
    return list(found.values())


def _hat(mesh: SpanMesh, place: float) -> np.ndarray:
    """Displacement of each station per displacement of a mark; (stations,)."""
    marks = np.array(mesh.plan.marks)
    k = int(np.argmin(np.abs(marks - place)))
    return np.interp(mesh.x, marks[k - 1 : k + 2], [0.0, 1.0, 0.0])


def _is_shared_station(s: Slopes, piece: TensionLengthGradient, number: int, mesh: SpanMesh, links: list[Link]) -> bool:
    """True if another dropper, a clamp, a worn part or the other tension length has its station there."""
    layout, plan, x = s.model.strung.layout, mesh.plan, links[0].x
    others: list[PlacedTensionLength] = [p for p in layout.tension_lengths_at(number) if p.index != piece.piece.index]
    places = {link.x for link in mesh.links if link not in links} | set(plan.stitch) | {spot[0] for spot in plan.spots}
    places |= {end for worn in plan.worn for end in worn[:2]} | {corner[0] for corner in plan.track}
    places = {round(place, 6) for place in places}
    return x in places.union(*(own_marks(layout, p, number) for p in others))


def _geometry_changes(mesh: SpanMesh) -> bool:
    """True if moving elements meet another curvature or cant, or air damps them."""
    return bool(np.ptp(mesh.bow, axis=0).any() or any(table[:, AIR].any() for table in mesh.wires.values()))
