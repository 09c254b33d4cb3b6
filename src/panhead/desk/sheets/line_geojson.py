"""``panhead line export --geojson``: masts and tension lengths on a map, where longitude and latitude are known."""

from __future__ import annotations

import json
from typing import Any

from panhead.errors import ModelError
from panhead.files.chainage import format_chainage
from panhead.railway.line.layout import Layout, PlacedTensionLength
from panhead.railway.line.line_description import Line, Mast
from panhead.railway.line.span_plan import post_of


def line_geojson(line: Line) -> str:
    """GeoJSON (RFC 7946, WGS 84): a point for each mast of each tension length, a line along each tension length."""
    layout = Layout(line)
    features: list[dict[str, Any]] = []
    for piece in layout.pieces:
        places = {
            mast.at % (len(piece.spans) + 1): mast for mast in piece.described.masts if mast.longitude is not None
        }
        points = [_mast(layout, piece, local, places[local]) for local in sorted(places)]
        features += points
        if len(points) > 1:
            track = [point["geometry"]["coordinates"] for point in points]
            said = {"kind": "tension length", "name": piece.name, "spans": len(piece.spans)}
            features.append(_feature("LineString", track, said))
    if not features:
        raise ModelError(
            f"Line {line.name!r}: no mast has coordinates; give longitude and latitude of masts, columns of the table "
            "that `panhead line import` reads"
        )
    return json.dumps({"type": "FeatureCollection", "name": line.name, "features": features}, ensure_ascii=False)


def _mast(layout: Layout, piece: PlacedTensionLength, local: int, mast: Mast) -> dict[str, Any]:
    post, number = post_of(layout, piece, local), piece.first + local
    chainage = layout.line.chainage + float(layout.mast_x[number])
    said = {
        "kind": "mast", "name": layout.mast_name(piece, number), "tension_length": piece.name,
        "chainage": round(chainage, 6), "km": format_chainage(chainage, 2),
        "contact_height": post.z_contact + post.lift, "stagger": post.y_contact,
        "encumbrance": post.support.encumbrance, "anchor": post.anchor,
    }  # fmt: skip
    return _feature("Point", [mast.longitude, mast.latitude], said)


def _feature(kind: str, coordinates: Any, properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "Feature", "geometry": {"type": kind, "coordinates": coordinates}, "properties": properties}
