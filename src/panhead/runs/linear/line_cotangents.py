"""Derivatives ∂J/∂ of a line, span by span, summed over the windows of a backward sweep; lanes last.

The matrices of a window are sums over its spans, masts and superelements, so each has the derivative of the sum. When
the backward sweep leaves a span, the cotangents of its superelements are propagated to its matrices, and those to the
parameters of its elements and droppers (``far_span_cotangents``, ``span_cotangents``), which is all that is stored.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from panhead.railway.line.far_span_cotangents import FarBars, FarSpanAdjoint
from panhead.railway.line.layout import PlacedTensionLength
from panhead.railway.line.line_matrices import LinearLine, SpanCache
from panhead.railway.line.span_cotangents import FOLDED, PartCotangents, SpanCotangents, assembly_adjoint
from panhead.railway.line.superelement_cotangents import SuperelementCotangents
from panhead.railway.line.superelements import Superelement
from panhead.runs.linear.step.adjoint_arrays import Slope
from panhead.runs.linear.step.step_arrays import LineArrays

Key = tuple[int, int]  #: tension length, and span or mast
#: What of a ``Slope`` belongs to a window; the rest is the train's, and goes on from one to the next.
OF_WINDOW = ("M", "C", "K", "M_rest", "C_rest", "K_rest", "k", "c", "N0", "weight", "shape", "x", "fading")


class GatheredLine:
    """∂J/∂ of all spans of a line that were ever in a window; lanes: those of smooth steps, then those at kinks."""

    def __init__(self, source: SpanCache, lanes: int, *, asked: bool = True) -> None:
        """asked: True if derivatives of the line are requested; otherwise the sums of a span are dropped."""
        self.source, self.lanes, self.asked = source, lanes, asked
        self.spans: dict[Key, SpanCotangents] = {}  #: those that are closed
        self.masts: dict[Key, np.ndarray] = {}  #: (3, b, L), diagonal of M, C, K
        self.x: dict[int, np.ndarray] = {}  #: span → (n + 1, L) of the places of its stations
        self.fading: dict[int, np.ndarray] = {}  #: tension length → (2, L) of T and μ that set the rate of fading
        self._open: dict[Key, PartCotangents] = {}
        self._far: dict[Key, FarBars] = {}
        self._back = FarSpanAdjoint(source)

    def span(self, piece: PlacedTensionLength, number: int) -> SpanCotangents:
        """Sums of one closed span; zero for one that was in no window."""
        found = self.spans.get((piece.index, number))
        return self._numbers(piece, number, self._nothing(piece, number)) if found is None else found

    def part(self, piece: PlacedTensionLength, number: int) -> PartCotangents:
        """Sums of one open span."""
        key = piece.index, number
        if key not in self._open:
            self._open[key] = self._nothing(piece, number)
        return self._open[key]

    def far(self, piece: int, number: int, span: Superelement, band: float) -> SuperelementCotangents:
        """Sums of one superelement of an open span."""
        bands = self._far.setdefault((piece, number), {})
        if band not in bands:
            bands[band] = span, SuperelementCotangents.of(span, self.lanes)
        return bands[band][1]

    def close(self, first: int = 0, bands: Sequence[float] = ()) -> None:
        """Close all spans but those from ``first`` on that have these bands, and of those all other bands."""
        pieces, stop = self.source.strung.layout.pieces, first + len(bands)
        for piece, number in sorted({*self._open, *self._far}):
            key = piece, number
            if not first <= number < stop:
                self._close(pieces[piece], number, self.part(pieces[piece], number), self._far.pop(key, {}))
                del self._open[key]
            elif self.asked and key in self._far:
                self._back.widen(pieces[piece], number, self._far[key], bands[number - first])

    def _close(self, piece: PlacedTensionLength, number: int, own: PartCotangents, far: FarBars) -> None:
        if not self.asked:
            return
        if far:
            self._back.add(piece, number, far, own)
        found, key = self._numbers(piece, number, own), (piece.index, number)
        if key in self.spans:
            self.spans[key].add(found)
        else:
            self.spans[key] = found

    def _nothing(self, piece: PlacedTensionLength, number: int) -> PartCotangents:
        return PartCotangents.of(self.source.blocks(piece, number), self.lanes)

    def _numbers(self, piece: PlacedTensionLength, number: int, own: PartCotangents) -> SpanCotangents:
        return assembly_adjoint(self.source.blocks(piece, number), self.source.numbering, piece.index, own)

    def leave(self, linear: LinearLine, line: LineArrays, shares: Sequence[Slope], rate: float) -> None:
        """Take over the sums of a window, in smooth steps and at kinks; rate: of its absorbing ends.

        line: the arrays of the window with the masts of far spans in them.
        """
        joined = lambda name: np.concatenate([getattr(share, name)["lanes"] for share in shares], axis=-1)
        slope = shares[0]._replace(**{name: joined(name) for name in OF_WINDOW})
        self._leave_matrices(linear, line, slope)
        self._leave_links(linear, slope)
        self._leave_shapes(linear, slope)
        for number in range(linear.first_span, linear.stop_span):
            if np.isinf(linear.bands[number - linear.first_span]):
                rows = slope.x[linear.stations(number)]
                self.x[number] = self.x.get(number, 0.0) + rows
        path = max(linear.paths, key=lambda p: p.tension / p.mass_per_length)
        by = slope.fading[0] * 0.5 * rate
        more = np.stack([by / path.tension, -by / path.mass_per_length])
        self.fading[path.piece] = self.fading.get(path.piece, 0.0) + more

    def _leave_matrices(self, linear: LinearLine, line: LineArrays, slope: Slope) -> None:
        bands = dict(zip(range(linear.first_span, linear.stop_span), linear.bands, strict=True))
        far = {(part.piece.index, part.number): span for part, span in linear.far}
        for m, (pair, rest, matrix) in enumerate((
            (slope.M, slope.M_rest, line.M), (slope.C, slope.C_rest, line.C),
            (slope.K, slope.K_rest, line.K),
        )):  # fmt: skip
            diag, off = _blocks(linear, pair, matrix.place, rest)
            ends: dict[tuple[int, int], int] = {}
            for part in linear.parts:
                piece, rows = part.piece.index, slice(part.start, part.stop)
                ends |= {(piece, part.number): part.start, (piece, part.number + 1): part.stop - 1}
                if np.isinf(bands[part.number]):
                    mine = self.part(part.piece, part.number)
                    mine.diag[m] += diag[rows]
                    mine.off[m] += off[part.start : part.stop - 1]
                else:
                    span, b = far[piece, part.number], linear.b
                    bars = self.far(piece, part.number, span, bands[part.number]).masts[m]
                    bars[:b, :b] += diag[part.start]
                    bars[b:, b:] += diag[part.start + 1]
                    bars[:b, b:] += 0.5 * off[part.start]
                    bars[b:, :b] += 0.5 * off[part.start].transpose(1, 0, 2)
            for key, station in ends.items():
                here = self.masts.setdefault(key, np.zeros((3, linear.b, self.lanes)))
                here[m] += np.einsum("iil->il", diag[station])

    def _leave_links(self, linear: LinearLine, slope: Slope) -> None:
        order = np.argsort(linear.droppers.station, kind="stable")
        weight = slope.weight if slope.weight.size else np.zeros((order.size, 4, self.lanes))
        found = {name: getattr(slope, name) for name in FOLDED[:3]}
        found |= {"nz": weight[:, 0] - weight[:, 1], "ny": weight[:, 2] - weight[:, 3]}
        for name, sorted_values in found.items():
            values = np.zeros((order.size, self.lanes))
            values[order] = sorted_values
            done = 0
            for part in linear.parts:
                n = part.blocks.links["x"].size
                if n:
                    self.part(part.piece, part.number).folded[name] += values[done : done + n]
                    done += n

    def _leave_shapes(self, linear: LinearLine, slope: Slope) -> None:
        """Take over ∂J/∂ of static shapes; at a mast between two spans the later one's shape counts."""
        roles = [r for r in linear.numbering.roles if r.startswith("contact")]
        paths: dict[tuple[int, str], int] = {}
        for k, path in enumerate(linear.paths):
            paths[path.piece, next(r for r in roles if linear.numbering.dof(path.piece, r) == path.dof_w)] = k
        last = {part.piece.index: part.number for part in linear.parts}
        for part in linear.parts:
            piece, own = part.piece.index, self.part(part.piece, part.number)
            rows = [*range(part.start, part.stop)][: None if part.number == last[piece] else -1]
            full = np.array([0, len(own.diag[0]) - 1]) if part.stop - part.start == 2 else np.arange(len(own.diag[0]))
            for role, shape in own.shape.items():
                shape[full[: len(rows)]] += slope.shape[paths[piece, role], rows, :2]


def _blocks(linear: LinearLine, pair: np.ndarray, place: np.ndarray, rest: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """∂J/∂ of the diagonal blocks (ns, b, b, L) and of the upper ones (ns − 1, b, b, L), lower ones too."""
    ns, b, nt, lanes = linear.ns, linear.b, pair.shape[2], pair.shape[-1]
    diag, off = np.zeros((ns, 4 * nt, 4 * nt, lanes)), np.zeros((ns - 1, 4 * nt, 4 * nt, lanes))
    for t in range(nt):
        for k in range(4):
            r = 4 * t + k
            for c, column in ((r, k), (4 * t + (k ^ 1), 4 + k)):
                diag[:, r, c] += pair[:, 0, t, column]
                off[:, r, c] += pair[:-1, 2, t, column]
                off[:, c, r] += pair[1:, 1, t, column]
    i, d, j, e = place.reshape(-1, 4).T
    for chosen, target, at in (
        (i == j, diag, (i, d, e)), (j == i + 1, off, (i, d, e)), (j == i - 1, off, (j, e, d)),
    ):  # fmt: skip
        np.add.at(target, tuple(x[chosen] for x in at), rest[chosen])
    on = linear.active
    diag, off = diag[:, :b, :b], off[:, :b, :b]
    inside, beside = on[:, :, None] & on[:, None, :], on[:-1, :, None] & on[1:, None, :]
    return diag * inside[..., None], off * beside[..., None]
