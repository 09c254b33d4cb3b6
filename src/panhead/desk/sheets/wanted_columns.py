"""Columns of the tables of masts and droppers: names, units, usual ranges, meaning."""

from __future__ import annotations

from typing import Final

from panhead.files.column_names import with_languages
from panhead.files.sheet_rows import ColumnWanted

_W = ColumnWanted
MASTS: Final = with_languages(
    (
        _W("tension_length", kind="text", others=("section",)),
        _W("mast", kind="text", others=("name", "pole", "support_number")),
        _W("chainage", "m", others=("km", "kilometrage", "x"), stations=True),
        _W("span", "m", others=("span_length",)),
        _W("contact_height", "m", others=("height", "contact_wire_height"), usual=(3.0, 8.0)),
        _W("lift", "m", usual=(0.0, 3.0), largest=0.005),
        _W("stagger", "m", usual=(0.0, 1.0), largest=0.01),
        _W("messenger_stagger", "m", usual=(0.0, 1.0), largest=0.01),
        _W("encumbrance", "m", others=("system_height",), usual=(0.1, 5.0)),
        _W("support", kind="text", others=("support_type",)),
        _W("presag", "m", others=("pre_sag",), usual=(0.0, 0.5), largest=0.001),
        _W("curve_radius", "m", others=("radius", "curve"), usual=(0.0, 100_000.0)),
        _W("cant", "m", others=("superelevation",), usual=(0.0, 0.3), largest=0.005),
        _W("gradient", others=("track_gradient",), usual=(0.0, 0.15)),
        _W("longitude", "deg", others=("lon", "long"), usual=(0.0, 180.0)),
        _W("latitude", "deg", others=("lat",), usual=(0.0, 90.0)),
    ),
    "masts",
)
DROPPERS: Final = with_languages(
    (
        _W("tension_length", kind="text", others=("section",)),
        _W("mast", kind="text", others=("pole", "support_number")),
        _W("span", kind="whole", others=("span_number",)),
        _W("position", "m", others=("x",), required=True, largest=1.0),
        _W("length", "m", usual=(0.02, 5.0)),
        _W("height", "m", usual=(3.0, 9.0)),
        _W("length_error", "m", usual=(0.0, 0.2)),
        _W("clamp", kind="text", others=("kind", "type")),
        _W("wire", kind="text"),
    ),
    "droppers",
)
#: column → what it holds, as a template tells it
MEANING: Final = {
    "masts": {
        "tension_length": "name of the tension length, in every row; left out: there is one",
        "mast": "number or name of the mast",
        "chainage": "along the track; 12+345 is understood too",
        "span": "to the next mast; left out: the difference of chainages",
        "contact_height": "contact wire above rail; empty: the line's",
        "lift": "how much higher all wires are, where they leave the running height at an overlap",
        "stagger": "of the contact wire, + to the left looking along the line",
        "messenger_stagger": "of the messenger, + to the left",
        "encumbrance": "messenger above contact wire; empty: the support's",
        "support": "one of the line's support_kinds; empty: its support",
        "presag": "of the contact wire in the span that begins here",
        "curve_radius": "of the track, + to the left; empty: straight",
        "cant": "height of the outer rail above the inner one",
        "gradient": "of the track, + uphill",
        "longitude": "of the mast, WGS 84",
        "latitude": "of the mast, WGS 84",
    },
    "droppers": {
        "tension_length": "as in the table of masts; left out: there is one",
        "mast": "mast at which the span begins; or give the number of the span",
        "span": "number of the span in its tension length, 1 is the first",
        "position": "from the span's first mast",
        "length": "unstretched, clamp to clamp; or give the height, or neither",
        "height": "of the contact wire at this dropper, above rail",
        "length_error": "installed longer (+) or shorter than it should be",
        "clamp": "one of the line's dropper_kinds; empty: its dropper",
        "wire": "left or right of two contact wires, or auxiliary; empty: the contact wire",
    },
}
