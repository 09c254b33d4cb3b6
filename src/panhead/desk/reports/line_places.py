"""Places along the line as a drawing office names them: masts and chainage."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from panhead.files.chainage import format_chainage

if TYPE_CHECKING:
    import xarray as xr

    from panhead.desk.drawing.figures import Panel


def station(result: xr.Dataset) -> float | None:
    """Chainage of the first mast [m]; None if the line has none and counts from there."""
    found = float(result.attrs.get("chainage", 0.0))
    return found or None


def track_label(result: xr.Dataset) -> str:
    """Label of an axis along the track."""
    return "distance along the track (m)" if station(result) is None else "chainage (km + m)"


def name_track(panel: Panel, result: xr.Dataset, y_label: str, *, masts: bool = True) -> None:
    """Name the axes of a panel along the track: chainage where the line has it, ``masts``: their names above it."""
    panel.names, panel.station = mast_labels(result) if masts else [], station(result)
    panel.name(track_label(result), y_label)


def mast_labels(result: xr.Dataset) -> list[tuple[float, str]]:
    """Place along the track [m] and short name of every mast; numbers from 1 where the result does not name them."""
    if "mast_x" not in result:
        return []
    places = result["mast_x"].to_numpy()
    if "mast_name" not in result:
        return [(float(x), str(k)) for k, x in enumerate(places, 1)]
    names = [str(name) for name in result["mast_name"].to_numpy()]
    several = len({name.partition(".mast")[0] for name in names if ".mast" in name}) > 1
    # "T2.mast3" becomes 3, or T2.3 on a line of several tension lengths; other names stay
    short = [name.replace(".mast", ".", 1) if several else name.split(".mast", 1)[-1] for name in names]
    return [(float(x), name) for x, name in zip(places, short, strict=True)]


def place_words(result: xr.Dataset, x: float) -> str:
    """A place in words: "km 12+801, between masts 7 and 8"."""
    start, masts = station(result), mast_labels(result)
    words = [f"{x:.1f} m" if start is None else format_chainage(start + x)]
    if masts:
        places = np.array([place for place, _ in masts])
        near = int(np.argmin(np.abs(places - x)))
        k = int(np.clip(np.searchsorted(places, x, side="right") - 1, 0, places.size - 2))
        at = f"at mast {masts[near][1]}" if abs(places[near] - x) < 0.5 else ""
        words.append(at or f"between masts {masts[k][1]} and {masts[k + 1][1]}")
    return ", ".join(words)
