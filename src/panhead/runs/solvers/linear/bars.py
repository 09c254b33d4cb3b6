"""∂J/∂ of a line, span by span, from the windows of it that were taken back; lanes last.

A window's matrices are sums over its spans, masts and superelements: of a sum everyone has the whole derivative. What
superelements became goes back to the matrices of their spans at the end (``line/super_slopes``).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from panhead.kernels.interaction_slopes import Slope
from panhead.line.blocks import BlockPart
from panhead.line.linear import LinearLine, SpanStore, parts_of
from panhead.line.super_slopes import SuperBars, span_back, widened
from panhead.line.superelements import WIDEST, SuperSpan, tied_droppers
from panhead.runs.solvers.linear.far_spans import with_far
from panhead.runs.solvers.linear.window import Window

FOLDED = ("k", "c", "N0", "nz", "ny")  #: of a dropper; without lateral motion n_z and n_y are folded into the others


@dataclass(slots=True)
class PartBars:
    """∂J/∂ of one span of one tension length."""

    diag: np.ndarray  #: (3, n + 1, b, b, L) of M, C, K
    off: np.ndarray  #: (3, n, b, b, L) of the upper blocks, which stand for the lower too
    folded: dict[str, np.ndarray]  #: (links, L) of k, c and N₀ of droppers, as the run has them, and of n_z, n_y
    shape: dict[str, np.ndarray]  #: contact wire → (n + 1, 2, L) of its static z and z′

    @classmethod
    def of(cls, part: BlockPart, lanes: int) -> PartBars:
        """Nothing yet; part: with all its stations."""
        n, b = part.blocks.active.shape
        contact = [role for role in part.blocks.strung.mesh.wires if role.startswith("contact")]
        return cls(
            np.zeros((3, n, b, b, lanes)),
            np.zeros((3, n - 1, b, b, lanes)),
            {name: np.zeros((part.blocks.links["x"].size, lanes)) for name in FOLDED},
            {role: np.zeros((n, 2, lanes)) for role in contact},
        )


class GatheredLine:
    """∂J/∂ of all spans of a line that were ever in a window."""

    def __init__(self, source: SpanStore, lanes: int) -> None:
        self.source, self.lanes = source, lanes
        self.parts: dict[tuple[int, int], PartBars] = {}  #: tension length and span
        self.masts: dict[tuple[int, int], np.ndarray] = {}  #: tension length and mast → (3, b, L), diagonal of M, C, K
        self.x: dict[int, np.ndarray] = {}  #: span → (n + 1, L) of the places of its stations
        self.fading: dict[int, np.ndarray] = {}  #: tension length → (2, L) of T and μ that set the rate of fading
        self._far: dict[tuple[int, int, float], tuple[SuperSpan, SuperBars]] = {}

    def part(self, piece: int, number: int) -> PartBars:
        """Of one span."""
        if (piece, number) not in self.parts:
            whole = next(p for p in parts_of(self.source, number, number + 1)[0] if p.piece.index == piece)
            self.parts[piece, number] = PartBars.of(whole, self.lanes)
        return self.parts[piece, number]

    def far(self, piece: int, number: int, span: SuperSpan, band: float) -> SuperBars:
        """Of one superelement."""
        key = piece, number, band
        if key not in self._far:
            self._far[key] = span, SuperBars.of(span, self.lanes)
        return self._far[key][1]

    def leave(self, window: Window, slope: Slope, rate: float) -> None:
        """Take over what a window has gathered; rate: of its fading."""
        linear = window.linear
        parts = parts_of(linear.source, linear.first_span, linear.stop_span, linear.bands)[0]
        self._leave_matrices(linear, window, slope, parts)
        self._leave_links(linear, slope, parts)
        self._leave_shapes(linear, slope, parts)
        for number in range(linear.first_span, linear.stop_span):
            if np.isinf(linear.bands[number - linear.first_span]):
                rows = slope.x["lanes"][linear.stations(number)]
                self.x[number] = self.x.get(number, 0.0) + rows
        path = max(linear.paths, key=lambda p: p.tension / p.mass_per_length)
        by = slope.fading["lanes"][0] * 0.5 * rate
        more = np.stack([by / path.tension, -by / path.mass_per_length])
        self.fading[path.piece] = self.fading.get(path.piece, 0.0) + more

    def _leave_matrices(self, linear: LinearLine, window: Window, slope: Slope, parts: list[BlockPart]) -> None:
        bands = dict(zip(range(linear.first_span, linear.stop_span), linear.bands, strict=True))
        line = with_far(linear, window.line)
        for m, (pair, rest, matrix) in enumerate((
            (slope.M, slope.M_rest, line.M), (slope.C, slope.C_rest, line.C),
            (slope.K, slope.K_rest, line.K),
        )):  # fmt: skip
            diag, off = _blocks(linear, pair["lanes"], matrix.place, rest["lanes"])
            ends: dict[tuple[int, int], int] = {}
            for part in parts:
                piece, rows = part.piece.index, slice(part.start, part.stop)
                ends |= {(piece, part.number): part.start, (piece, part.number + 1): part.stop - 1}
                if np.isinf(bands[part.number]):
                    mine = self.part(piece, part.number)
                    mine.diag[m] += diag[rows]
                    mine.off[m] += off[part.start : part.stop - 1]
                else:
                    span = next(s for p, s in linear.far if (p.piece.index, p.number) == (piece, part.number))
                    bars, b = self.far(piece, part.number, span, bands[part.number]).masts[m], linear.b
                    bars[:b, :b] += diag[part.start]
                    bars[b:, b:] += diag[part.start + 1]
                    bars[:b, b:] += 0.5 * off[part.start]
                    bars[b:, :b] += 0.5 * off[part.start].transpose(1, 0, 2)
            for key, station in ends.items():
                here = self.masts.setdefault(key, np.zeros((3, linear.b, self.lanes)))
                here[m] += np.einsum("iil->il", diag[station])

    def _leave_links(self, linear: LinearLine, slope: Slope, parts: list[BlockPart]) -> None:
        order = np.argsort(linear.droppers.station, kind="stable")
        weight = slope.weight["lanes"] if slope.weight.size else np.zeros((order.size, 4, self.lanes))
        found = {name: getattr(slope, name)["lanes"] for name in FOLDED[:3]}
        found |= {"nz": weight[:, 0] - weight[:, 1], "ny": weight[:, 2] - weight[:, 3]}
        for name, sorted_values in found.items():
            values = np.zeros((order.size, self.lanes))
            values[order] = sorted_values
            done = 0
            for part in parts:
                n = part.blocks.links["x"].size
                if n:
                    self.part(part.piece.index, part.number).folded[name] += values[done : done + n]
                    done += n

    def _leave_shapes(self, linear: LinearLine, slope: Slope, parts: list[BlockPart]) -> None:
        """At a mast between two spans the later one's shape counts."""
        roles = [r for r in linear.numbering.roles if r.startswith("contact")]
        paths: dict[tuple[int, str], int] = {}
        for k, path in enumerate(linear.paths):
            paths[path.piece, next(r for r in roles if linear.numbering.dof(path.piece, r) == path.dof_w)] = k
        last = {part.piece.index: part.number for part in parts}
        for part in parts:
            piece, own = part.piece.index, self.part(part.piece.index, part.number)
            rows = [*range(part.start, part.stop)][: None if part.number == last[piece] else -1]
            full = np.array([0, len(own.diag[0]) - 1]) if part.stop - part.start == 2 else np.arange(len(own.diag[0]))
            for role, shape in own.shape.items():
                shape[full[: len(rows)]] += slope.shape["lanes"][paths[piece, role], rows, :2]

    def closed(self) -> None:
        """Take superelements back to the matrices of their spans; nothing may be added afterwards."""
        for (piece, number, band), (span, bars) in self._far.items():
            part = next(p for p in self.source.strung.layout.pieces_at(number) if p.index == piece)
            wide, own = self.source.reduced(part, number, WIDEST), self.part(piece, number)
            for lane in range(self.lanes):
                one = bars.lane(lane)
                one = one if band >= WIDEST else widened(wide, span, one)
                self._add_span(own, wide, one, lane)
        self._far.clear()

    def _add_span(self, own: PartBars, wide: SuperSpan, bars: SuperBars, lane: int) -> None:
        n, b = wide.whole.active.shape
        here = np.arange(n)
        for m, bar in enumerate(span_back(wide, bars, bilateral=self.source.bilateral)):
            full = bar.reshape(n, b, n, b)
            own.diag[m, ..., lane] += full[here, :, here]
            own.off[m, ..., lane] += full[here[:-1], :, here[1:]] + full[here[1:], :, here[:-1]].transpose(0, 2, 1)
            if m:
                self._add_droppers(own, wide, m, full, lane)

    def _add_droppers(self, own: PartBars, wide: SuperSpan, m: int, full: np.ndarray, lane: int) -> None:
        """Droppers of a far span, which are springs (m = 2) and dampers (m = 1) along e: k e eᵀ."""
        links = wide.whole.links
        size = links["stiffness" if m == 2 else "damping"]
        for k, station, e in tied_droppers(wide.whole, bilateral=self.source.bilateral):
            here = full[station, :, station]
            own.folded["k" if m == 2 else "c"][k, lane] += e @ here @ e
            if self.source.numbering.lateral:
                e_bar = size[k] * (here + here.T) @ e
                own.folded["nz"][k, lane] += e_bar[links["dof_top"][k]] - e_bar[links["dof_bottom"][k]]
                own.folded["ny"][k, lane] += e_bar[links["dof_top_y"][k]] - e_bar[links["dof_bottom_y"][k]]


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
