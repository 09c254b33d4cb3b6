"""Line with construction tolerances: random errors at droppers, masts or tension lengths, correlated along the track.

With ξ independent and normal and R = L Lᵀ the correlation matrix of the places, z = L ξ is a normal field with that
correlation; an error is F⁻¹(Φ(z)), so each has the specified distribution [Nataf62].
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from panhead.errors import ModelError
from panhead.explore.studies.study_description import PART_UNITS, Scatter
from panhead.railway.line.layout import Layout, PlacedTensionLength
from panhead.railway.line.line_description import Line, Mast, TensionLength
from panhead.railway.line.line_variants import with_cut_lengths
from panhead.railway.line.parts import Dropper
from panhead.railway.line.span_plan import post_of


@dataclass(frozen=True, slots=True)
class ErrorPlaces:
    """Places of the errors of one part."""

    names: tuple[str, ...]
    x: np.ndarray  #: (n,) along the track [m]
    keys: tuple[tuple[int, ...], ...]  #: tension length, then span and dropper, or mast


def places(line: Line, part: str) -> ErrorPlaces:
    """Every place of a part along a line whose tension lengths are written one by one."""
    layout, found = Layout(line), []
    for k, piece in enumerate(layout.pieces):
        found += [(name, x, (k, *key)) for name, x, key in _places_in_tension_length(layout, piece, part)]
    return ErrorPlaces(tuple(f[0] for f in found), np.array([f[1] for f in found]), tuple(f[2] for f in found))


def _places_in_tension_length(
    layout: Layout, piece: PlacedTensionLength, part: str
) -> list[tuple[str, float, tuple[int, ...]]]:
    masts = layout.mast_x[piece.first : piece.stop + 1]
    if part == "dropper length":
        return [
            (f"{piece.name}, span {s + 1}, dropper {d + 1}", float(masts[s]) + dropper.position, (s, d))
            for s, span in enumerate(piece.spans)
            for d, dropper in enumerate(span.droppers)
        ]
    if part in ("contact height", "stagger"):
        return [(layout.mast_name(piece, piece.first + m), float(x), (m,)) for m, x in enumerate(masts)]
    return [(piece.name, float(masts.mean()), ())]


def field_root(scatter: Scatter, x: np.ndarray) -> np.ndarray:
    """L of R = L Lᵀ, (n, n); identity where every place is for itself."""
    if not scatter.correlation and not scatter.spectrum:
        return np.eye(x.size)
    distance = np.abs(x[:, None] - x[None, :])
    if scatter.correlation:
        R = np.exp(-distance / scatter.correlation)
    else:
        kappa, density = np.array(scatter.spectrum).T
        R = np.trapezoid(density * np.cos(kappa * distance[:, :, None]), kappa) / np.trapezoid(density, kappa)
    values, vectors = np.linalg.eigh(R)  # a field of few wavenumbers has R of less than full rank
    return np.asarray(vectors * np.sqrt(np.maximum(values, 0.0)))


@dataclass(frozen=True)
class AsBuilt:
    """The line as drawn, and where each kind of error sits; ``line(p)`` builds one of it."""

    drawn: Line  #: droppers by length, tension lengths one by one
    scatter: tuple[Scatter, ...]
    at: tuple[ErrorPlaces, ...]
    roots: tuple[np.ndarray, ...]

    @classmethod
    def of(cls, line: Line, scatter: Sequence[Scatter], element_length: float) -> AsBuilt:
        """Prepare a line for building; strings it once."""
        drawn = with_cut_lengths(line, element_length=element_length)
        at = tuple(places(drawn, s.of) for s in scatter)
        return cls(drawn, tuple(scatter), at, tuple(field_root(s, p.x) for s, p in zip(scatter, at, strict=True)))

    @cached_property
    def layout(self) -> Layout:
        """Layout of the nominal line."""
        return Layout(self.drawn)

    @cached_property
    def _error_indices(self) -> list[list[list[tuple[int, tuple[int, ...]]]]]:
        """Indices of the errors of every part and tension length, and their positions in it."""
        count = len(self.layout.pieces)
        return [[[(n, key[1:]) for n, key in enumerate(p.keys) if key[0] == k] for k in range(count)] for p in self.at]

    @property
    def dimension(self) -> int:
        """Number of random numbers per line."""
        return sum(len(p.names) for p in self.at)

    def errors(self, p: np.ndarray) -> list[np.ndarray]:
        """Errors of each part in SI units from uniform shares p (dimension,)."""
        from scipy.special import ndtr, ndtri

        found, first = [], 0
        for s, places_, root in zip(self.scatter, self.at, self.roots, strict=True):
            n = len(places_.names)
            z = root @ ndtri(p[first : first + n])
            share = np.clip(ndtr(z), 1e-16, 1 - 1e-16)
            found.append(s.distribution.values(share, PART_UNITS[s.of]))
            first += n
        return found

    def many_errors(self, p: np.ndarray) -> list[np.ndarray]:
        """``errors`` of many lines at once: p (n, dimension), each part (n, places)."""
        from scipy.special import ndtr, ndtri

        ends = np.cumsum([len(places_.names) for places_ in self.at])[:-1]
        shares = [ndtr(ndtri(part) @ root.T) for part, root in zip(np.split(p, ends, axis=1), self.roots, strict=True)]
        return [s.distribution.values(x, PART_UNITS[s.of]) for s, x in zip(self.scatter, shares, strict=True)]

    def check_tensions(self, shares: np.ndarray) -> None:
        """Refuse a scatter that leaves a wire without tension in some of the samples (n, dimension)."""
        lengths = self.drawn.tension_lengths
        for s, errors in zip(self.scatter, self.many_errors(shares), strict=True):
            if not s.of.endswith("tension"):
                continue
            name = s.of.partition(" ")[0]
            drawn = np.array([getattr(tl.wires or self.drawn.wires, name).tension for tl in lengths])
            found = drawn + errors
            wrong = int((found <= 0.0).any(axis=1).sum())
            if wrong:
                raise ModelError(
                    f"scatter {s.of!r}: in {wrong} of {len(shares)} samples the wire would be slack (down to "
                    f"{found.min():.4g} N of {drawn.min():.4g} N nominal); reduce the deviation, or use the kind "
                    '"truncated" with a low'
                )

    def line(self, p: np.ndarray) -> Line:
        """The line built with the shares p (dimension,)."""
        lengths = list(self.drawn.tension_lengths)
        for s, at, errors in zip(self.scatter, self._error_indices, self.errors(p), strict=True):
            for k, (piece, mine) in enumerate(zip(self.layout.pieces, at, strict=True)):
                found = {key: float(errors[n]) for n, key in mine}
                lengths[k] = _change_part(lengths[k], s.of, found, self.layout, piece)
        return replace(self.drawn, tension_lengths=tuple(lengths))


def _change_part(
    tl: TensionLength, part: str, errors: dict[tuple[int, ...], float], layout: Layout, piece: PlacedTensionLength
) -> TensionLength:
    if part == "dropper length":
        spans = [
            replace(span, droppers=_with_length_errors(span.droppers, s, errors)) for s, span in enumerate(tl.spans)
        ]
        return replace(tl, spans=tuple(spans))
    if part in ("contact height", "stagger"):
        return replace(tl, masts=_masts(tl, part, errors, layout, piece))
    wires, name = tl.wires or layout.line.wires, part.partition(" ")[0]
    wire = getattr(wires, name)
    changed: Any = {name: replace(wire, tension=wire.tension + errors[()])}
    return replace(tl, wires=replace(wires, **changed))


def _with_length_errors(
    droppers: Sequence[Dropper], span: int, errors: dict[tuple[int, ...], float]
) -> tuple[Dropper, ...]:
    """The droppers of a span with their errors; ``with_cut_lengths`` has given each its length."""
    return tuple(replace(d, length=float(d.length or 0.0) + errors[span, k]) for k, d in enumerate(droppers))


def _masts(
    tl: TensionLength, part: str, errors: dict[tuple[int, ...], float], layout: Layout, piece: PlacedTensionLength
) -> tuple[Mast, ...]:
    n = len(tl.spans) + 1
    known = {m.at % n: m for m in tl.masts}
    masts = []
    for at in range(n):
        mast, post = known.get(at, Mast(at=at)), post_of(layout, piece, at)
        if part == "stagger":
            masts.append(replace(mast, at=at, stagger=post.y_contact + errors[at,]))
        else:
            masts.append(replace(mast, at=at, contact_height=post.z_contact + errors[at,]))
    return tuple(masts)
