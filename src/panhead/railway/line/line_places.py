"""Places along a line: metres from its first mast, chainages (km 12+345) and names of masts, each from each.

Inside the package a place is x, metres from the first mast. People write ``"km 12+345"``, ``"mast 12-07"`` or
``"512 m"``; this module is where one becomes the other, for files, the command line, tables and pages.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Final

import numpy as np

from panhead.errors import ModelError, alternatives
from panhead.files.chainage import format_chainage, is_chainage, parse_chainage
from panhead.files.units import Unit, to_si
from panhead.railway.line.layout import Layout

if TYPE_CHECKING:
    import xarray as xr

_MAST: Final = "mast "
_AT: Final = 0.05  # a place is at a mast if it is no further away [m]


class PlaceUnit(Unit):
    """Metres from the first mast, or text that ``MastPlaces.position`` reads: a chainage or "mast NAME"."""

    __slots__ = ()

    def parse(self, value: Any) -> Any:
        """Convert lengths to metres; leave chainages and masts as text for whoever knows the line."""
        if isinstance(value, str) and (is_chainage(value) or value.strip().lower().startswith(_MAST)):
            return value.strip()
        return Unit.parse(self, value)


LinePlace = Annotated[float | str, PlaceUnit("m")]


@dataclass(frozen=True, slots=True)
class MastPlaces:
    """Where the masts of a line stand and what they are called."""

    x: np.ndarray  #: (n,) from the first mast, increasing [m]
    names: tuple[tuple[str, ...], ...]  #: of every mast, one for each tension length on it; the first is shown
    chainage: float = 0.0  #: of the first mast [m]
    named: bool = True  #: whether the names are a person's

    @classmethod
    def from_layout(cls, layout: Layout) -> MastPlaces:
        """Masts of a line."""
        names: list[list[str]] = [[] for _ in layout.mast_x]
        for piece in layout.pieces:
            for number in range(piece.first, piece.stop + 1):
                names[number].append(layout.mast_name(piece, number))
        named = any(mast.name for tl in layout.line.tension_lengths for mast in tl.masts)
        return cls(layout.mast_x, tuple(map(tuple, names)), layout.line.chainage, named)

    @classmethod
    def from_result(cls, result: xr.Dataset) -> MastPlaces:
        """Supports of a stored result."""
        found: dict[float, list[str]] = {}
        if "support_x" in result:
            for x, name in zip(result["support_x"].to_numpy(), result["support_name"].to_numpy(), strict=True):
                found.setdefault(round(float(x), 6), []).append(str(name))
        x = np.array(sorted(found))
        names = tuple(tuple(found[at]) for at in sorted(found))
        named = any(".mast" not in name for some in names for name in some)
        return cls(x, names, float(result.attrs.get("chainage", 0.0)), named)

    def position(self, place: float | str, what: str = "place") -> float:
        """Metres from the first mast of a number, a length, a chainage or a mast; ModelError if it is none."""
        if not isinstance(place, str):
            return float(place)
        text = place.strip()
        if is_chainage(text):
            return _parse_place(lambda: parse_chainage(text), what) - self.chainage
        name = text[len(_MAST) :].strip() if text.lower().startswith(_MAST) else text
        for x, names in zip(self.x, self.names, strict=True):
            if name in names:
                return float(x)
        if text.lower().startswith(_MAST):
            raise ModelError(f"{what}: there is no mast {name!r}; {alternatives(name, self._all_names())}")
        return _parse_place(lambda: to_si(text, "m"), what)

    def _all_names(self) -> Sequence[str]:
        return [name for names in self.names for name in names]

    def to_text(self, x: float, digits: int = 0) -> str:
        """A place for people: its chainage if the line has one, with the metres from the first mast."""
        metres = f"{x:.{max(digits, 1)}f} m"
        return f"{format_chainage(self.chainage + x, digits)} ({metres})" if self.chainage else metres

    def describe(self, x: float, digits: int = 0) -> str:
        """A place with the mast before it, where masts have names."""
        if not self.named or not self.x.size:
            return self.to_text(x, digits)
        k = max(0, int(np.searchsorted(self.x, x + _AT, side="right")) - 1)
        away, name = x - float(self.x[k]), self.names[k][0]
        where = f"mast {name}" if abs(away) <= _AT else f"{away:.1f} m after mast {name}"
        return f"{self.to_text(x, digits)}, {where}"


def _parse_place(read: Any, what: str) -> float:
    try:
        return float(read())
    except ValueError as error:
        words = 'give metres from the first mast ("512 m"), a chainage ("km 12+345") or a mast ("mast 12-07")'
        raise ModelError(f"{what}: {error}; {words}") from None
