"""Backpropagation from superelements to the matrices of their spans, span by span."""

from __future__ import annotations

import numpy as np

from panhead.railway.line.layout import PlacedTensionLength
from panhead.railway.line.line_matrices import SpanCache
from panhead.railway.line.lru import LruCache
from panhead.railway.line.span_cotangents import PartCotangents
from panhead.railway.line.superelement_cotangents import NarrowBandAdjoint, SuperelementCotangents, WideBandAdjoint
from panhead.railway.line.superelements import WIDEST, Superelement, tied_droppers

_KINDS = 4  # distinct spans of which modes and factors are kept at hand; each takes some megabytes
_BANDS = 4  # narrower bands of each

FarBars = dict[float, tuple[Superelement, SuperelementCotangents]]  #: band [Hz] → a span with that band, and ∂J/∂ of it


class FarSpanAdjoint:
    """Backpropagation of cotangents gathered by far spans; equal spans share everything but their cotangents.

    The cotangents of all bands of a span become those of its widest superelement, which is backpropagated once.
    """

    def __init__(self, source: SpanCache) -> None:
        self.source = source
        self._wide: LruCache[WideBandAdjoint] = LruCache(_KINDS)
        self._narrow: LruCache[NarrowBandAdjoint] = LruCache(_KINDS * _BANDS)

    def widen(self, piece: PlacedTensionLength, number: int, far: FarBars, but: float) -> None:
        """Move the cotangents of span ``number`` of a tension length to its widest band, from all others but one."""
        narrower = [band for band in far if band < WIDEST and band != but]
        if not narrower:
            return
        wide = self.source.superelement(piece, number, WIDEST)
        for band in narrower:
            span, bars = far.pop(band)
            lanes = bars.stiffness.shape[-1]
            if WIDEST not in far:
                far[WIDEST] = wide, SuperelementCotangents.of(wide, lanes)
            # what is kept holds its spans, so while it is here no other one has their ids
            make = lambda span=span: NarrowBandAdjoint(wide, span)
            way = self._narrow.get((id(wide), id(span)), make)
            for lane in range(lanes):
                one = bars.lane(lane)
                if one.any():
                    far[WIDEST][1].lane(lane).add(way.back(one))

    def add(self, piece: PlacedTensionLength, number: int, far: FarBars, own: PartCotangents) -> None:
        """Add the cotangents of a span, with any band, to those of its matrices."""
        self.widen(piece, number, far, WIDEST)
        wide = self.source.superelement(piece, number, WIDEST)
        way = self._wide.get(id(wide), lambda: WideBandAdjoint(wide, bilateral=self.source.bilateral))
        for lane in range(own.diag.shape[-1]):
            one = far[WIDEST][1].lane(lane)
            if one.any():
                self._add_matrices(own, wide, way.back(one), lane)

    def _add_matrices(self, own: PartCotangents, wide: Superelement, bars: list[np.ndarray], lane: int) -> None:
        n, b = wide.whole.active.shape
        here = np.arange(n)
        for m, bar in enumerate(bars):
            full = bar.reshape(n, b, n, b)
            own.diag[m, ..., lane] += full[here, :, here]
            own.off[m, ..., lane] += full[here[:-1], :, here[1:]] + full[here[1:], :, here[:-1]].transpose(0, 2, 1)
            if m:
                self._add_droppers(own, wide, m, full, lane)

    def _add_droppers(self, own: PartCotangents, wide: Superelement, m: int, full: np.ndarray, lane: int) -> None:
        """Add droppers of a far span, which are springs (m = 2) and dampers (m = 1) along e: k e eᵀ."""
        links = wide.whole.links
        size = links["stiffness" if m == 2 else "damping"]
        for k, station, e in tied_droppers(wide.whole, bilateral=self.source.bilateral):
            here = full[station, :, station]
            own.folded["k" if m == 2 else "c"][k, lane] += e @ here @ e
            if self.source.numbering.lateral:
                e_bar = size[k] * (here + here.T) @ e
                own.folded["nz"][k, lane] += e_bar[links["dof_top"][k]] - e_bar[links["dof_bottom"][k]]
                own.folded["ny"][k, lane] += e_bar[links["dof_top_y"][k]] - e_bar[links["dof_bottom_y"][k]]
