"""Linear line model: mass, damping and stiffness matrices about the strung shape, numbered by station.

    M q̈ + C q̇ + K q = f + droppers + contact

Every matrix is block tridiagonal: A[i, i] = A_diag[i], A[i, i+1] = A_off[i], A[i+1, i] = A_off[i]ᵀ
with blocks of b × b, one per station. Droppers are not in K but in a table, because they slacken:

    e = n_z (w_top − w_bottom) + n_y (y_top − y_bottom)
    N = N₀ + k e + c ė while this and N₀ + k e are positive, else 0                     (``unilateral_spring``)

and act with −(N − N₀)(n_z, n_y) on the upper and +(N − N₀)(n_z, n_y) on the lower wire: the strung
shape balances the static N₀ already (a dropper slack at rest has N₀ < 0 and acts with N alone).
Coordinates that do not exist or are held have M = 1 and a positive K on their diagonal and nothing
else; no dropper hangs on them, and they must not be loaded.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from panhead.errors import ModelError
from panhead.railway.line.layout import ROLES, PlacedTensionLength, roles_of
from panhead.railway.line.line_arrays import (
    ContactPath,
    Droppers,
    Supports,
    contact_paths,
    dropper_table,
    support_table,
)
from panhead.railway.line.lru import LruCache
from panhead.railway.line.rods import inner_nodes
from panhead.railway.line.span_matrices import BlockPart, Numbering, SpanBlocks, span_blocks
from panhead.railway.line.strung_line import Strung
from panhead.railway.line.superelements import WIDEST, Superelement, narrow_band, superelement

_BLOCKS = 256  # distinct spans whose matrices are kept at hand
_PARTS = 1024  # spans along the line of which it is known which of these they have
_HELD_STIFFNESS = 1e4  # N/m on the diagonal of a held coordinate: near the other entries


@dataclass(frozen=True, slots=True)
class LinearLine:
    """The spans ``first_span`` … ``stop_span`` − 1 of a line as matrices about the strung shape.

    Where the window cuts wires that run on, they are held. Spans that are superelements are not in the matrices.
    """

    x: np.ndarray  #: (ns,) stations, from the line's first mast [m]
    M_diag: np.ndarray  #: (ns, b, b)
    M_off: np.ndarray  #: (ns − 1, b, b)
    C_diag: np.ndarray
    C_off: np.ndarray
    K_diag: np.ndarray
    K_off: np.ndarray
    active: np.ndarray  #: (ns, b) bool: coordinates that exist and are not held
    droppers: Droppers
    paths: tuple[ContactPath, ...]
    supports: Supports
    masts: np.ndarray  #: (n_spans + 1,) int64: station of every mast, ends included
    first_span: int
    stop_span: int
    bands: tuple[float, ...]  #: highest frequency of every span's modes [Hz]; infinite: it has all its stations
    parts: tuple[BlockPart, ...]  #: every span of every tension length
    far: tuple[tuple[BlockPart, Superelement], ...]  #: those that are superelements
    numbering: Numbering
    source: SpanCache

    @property
    def b(self) -> int:
        """Coordinates of one station."""
        return self.numbering.b

    @property
    def ns(self) -> int:
        """Stations."""
        return self.x.size

    def stations(self, number: int) -> slice:
        """Stations of span ``number`` of the whole line, both masts included."""
        first, last = self.masts[number - self.first_span : number - self.first_span + 2]
        return slice(int(first), int(last) + 1)

    def window(self, first_span: int, stop_span: int, bands: Sequence[float] | None = None) -> LinearLine:
        """Linear model of other spans, ``first_span`` … ``stop_span`` − 1 of the whole line.

        bands: highest frequency of the modes of each, if it is to be a superelement, else infinite [Hz].
        """
        return _assemble(self.source, first_span, stop_span, bands, self)

    def alike(self, other: LinearLine) -> bool:
        """Return whether both have equal matrices and tables except for their place: equal spans, cut alike."""
        if self.source is not other.source or self.bands != other.bands or len(self.parts) != len(other.parts):
            return False
        same = (p.blocks is q.blocks and p.piece is q.piece for p, q in zip(self.parts, other.parts, strict=True))
        return all(same) and self._cut_ends() == other._cut_ends()

    def _cut_ends(self) -> list[tuple[bool, bool]]:
        """Ends at which the window cuts each of its tension lengths."""
        ends = {part.piece.index: part.piece for part in self.parts}.values()
        return [(p.first < self.first_span < p.stop, p.first < self.stop_span < p.stop) for p in ends]


def linear_line(
    strung: Strung,
    *,
    element_length: float = 1.0,
    lateral: bool = False,
    bilateral: bool = False,
    spans: tuple[int, int] | None = None,
    bands: Sequence[float] | None = None,
) -> LinearLine:
    """Build the linear model of a strung line; ``spans``: first and one beyond the last, or all; bands: see ``window``.

    bilateral: whether droppers of superelements push as well.
    """
    if not element_length > 0:
        raise ModelError(f"element_length must be > 0, got {element_length!r}")
    source = SpanCache(strung, element_length=element_length, lateral=lateral, bilateral=bilateral)
    first, stop = spans or (0, strung.layout.n_spans)
    return _assemble(source, first, stop, bands)


class SpanCache:
    """Cache of the blocks of every distinct span; windows are assembled from them."""

    def __init__(self, strung: Strung, *, element_length: float, lateral: bool, bilateral: bool) -> None:
        self.strung, self.element_length, self.bilateral = strung, element_length, bilateral
        pieces = strung.layout.pieces
        used = {role for p in pieces for role in roles_of(p.described.wires or strung.line.wires)}
        self.numbering = Numbering(
            roles=tuple(role for role in ROLES if role in used),
            sets=min(2, len(pieces)),
            lateral=lateral,
            rods=(inner := inner_nodes(strung.line)),
            rods_at=(("contact2" in used) + ("auxiliary" in used) + 1) * (inner > 0),
        )
        self._blocks: LruCache[SpanBlocks] = LruCache(_BLOCKS)
        self._reduced: LruCache[Superelement] = LruCache(_BLOCKS)
        self._parts: LruCache[tuple[SpanBlocks, Superelement | None]] = LruCache(_PARTS)

    def blocks(self, piece: PlacedTensionLength, number: int) -> SpanBlocks:
        """Blocks of span ``number`` of one tension length."""
        strung = self.strung.span(piece, number, element_length=self.element_length)
        # blocks keep their strung span alive, so while they are here no other one has its id
        key = id(strung), piece.index % self.numbering.sets
        return self._blocks.get(key, lambda: span_blocks(strung, self.numbering, piece.index))

    def part(self, piece: PlacedTensionLength, number: int, band: float) -> tuple[SpanBlocks, Superelement | None]:
        """Blocks of a span with all its stations or, if the band is finite, of its masts and the superelement."""

        def make() -> tuple[SpanBlocks, Superelement | None]:
            if np.isinf(band):
                return self.blocks(piece, number), None
            span = self.superelement(piece, number, band)
            return span.blocks, span

        return self._parts.get((piece.index, number, band), make)

    def superelement(self, piece: PlacedTensionLength, number: int, band: float) -> Superelement:
        """Superelement of the same span."""
        whole = self.blocks(piece, number)
        if band < WIDEST:
            make = lambda: narrow_band(self.superelement(piece, number, WIDEST), band)
        else:
            make = lambda: superelement(whole, band, bilateral=self.bilateral)
        return self._reduced.get((id(whole), band), make)  # as above


def _assemble(
    source: SpanCache, first: int, stop: int, bands: Sequence[float] | None, like: LinearLine | None = None
) -> LinearLine:
    """Assemble the spans of a window; like: another window, whose matrices are reused if they are equal."""
    layout, numbering = source.strung.layout, source.numbering
    if not 0 <= first < stop <= layout.n_spans:
        last = layout.n_spans - 1
        raise ModelError(f"spans {first} … {stop - 1} do not all exist; the line has spans 0 … {last}")
    bands = tuple(bands or [np.inf] * (stop - first))
    parts, masts, x, far = _join_spans(source, first, bands)
    b, ns = numbering.b, x.size
    M_diag, M_off, C_diag, C_off, K_diag, K_off = [np.zeros((0, b, b))] * 6
    window = LinearLine(
        x=x,
        M_diag=M_diag,
        M_off=M_off,
        C_diag=C_diag,
        C_off=C_off,
        K_diag=K_diag,
        K_off=K_off,
        active=np.zeros((0, b), dtype=bool),
        droppers=dropper_table(parts, layout.mast_x),
        paths=contact_paths(parts, numbering, ns),
        supports=support_table(parts, numbering, layout),
        masts=masts,
        first_span=first,
        stop_span=stop,
        bands=bands,
        parts=tuple(parts),
        far=far,
        numbering=numbering,
        source=source,
    )
    return _with_matrices(window, like)


def _with_matrices(window: LinearLine, like: LinearLine | None) -> LinearLine:
    """Complete a window with its matrices; like: another window that may have the same."""
    if like is not None and window.alike(like):
        return _fill_window(window, like.active, matrices_of(like))
    b, ns = window.b, window.ns
    matrices = [np.zeros((ns - k, b, b)) for _ in range(3) for k in (0, 1)]
    active = np.zeros((ns, b), dtype=bool)
    for part in window.parts:
        if np.isinf(window.bands[part.number - window.first_span]):
            for k, (whole, piece) in enumerate(zip(matrices, part.blocks.matrices, strict=True)):
                whole[part.start : part.stop - k % 2] += piece
        active[part.start : part.stop] |= part.blocks.active
    window = _fill_window(window, active, matrices)
    _add_masts(window)
    _hold(window)
    return window


def matrices_of(window: LinearLine) -> list[np.ndarray]:
    """M, C and K of a window, diagonal and off-diagonal blocks."""
    return [window.M_diag, window.M_off, window.C_diag, window.C_off, window.K_diag, window.K_off]


def _fill_window(window: LinearLine, active: np.ndarray, matrices: list[np.ndarray]) -> LinearLine:
    """Return the window with matrices in the order of ``matrices_of``."""
    M_diag, M_off, C_diag, C_off, K_diag, K_off = matrices
    return replace(
        window, active=active, M_diag=M_diag, M_off=M_off, C_diag=C_diag, C_off=C_off, K_diag=K_diag, K_off=K_off
    )


def parts_of(source: SpanCache, first: int, stop: int) -> list[BlockPart]:
    """The spans of a window, each with all its stations."""
    return _join_spans(source, first, [np.inf] * (stop - first))[0]


def _join_spans(
    source: SpanCache, first: int, bands: Sequence[float]
) -> tuple[list[BlockPart], np.ndarray, np.ndarray, tuple[tuple[BlockPart, Superelement], ...]]:
    """Spans of a window, station of every mast, x of every station, and the superelements among the spans."""
    layout = source.strung.layout
    parts: list[BlockPart] = []
    far = []
    masts, x = [0], []
    for number, band in enumerate(bands, first):
        for piece in layout.tension_lengths_at(number):
            blocks, span = source.part(piece, number, band)
            parts.append(BlockPart(piece, number, masts[-1], blocks))
            if span is not None:
                far.append((parts[-1], span))
        local = parts[-1].blocks.strung.mesh.x
        x.append(layout.mast_x[number] + local[:-1])
        masts.append(masts[-1] + local.size - 1)
    stop = first + len(bands)
    x.append(layout.mast_x[stop : stop + 1])
    return parts, np.array(masts, dtype=np.int64), np.concatenate(x), tuple(far)


def _add_masts(window: LinearLine) -> None:
    """Add springs, masses and fixed coordinates of every mast, once for every tension length on it."""
    found = {}
    for part in window.parts:  # of two spans that share a mast the later one's word counts; they agree
        found[part.piece.index, part.number] = part.piece, part.start, part.blocks.left
        found[part.piece.index, part.number + 1] = part.piece, part.stop - 1, part.blocks.right
    diagonal = np.arange(window.b)
    stations, blocks = np.array([s for _, s, _ in found.values()])[:, None], [block for _, _, block in found.values()]
    for matrix, added in (
        (window.M_diag, [b.M for b in blocks]),
        (window.C_diag, [b.C for b in blocks]),
        (window.K_diag, [b.K for b in blocks]),
    ):
        np.add.at(matrix, (stations, diagonal, diagonal), np.stack(added))
    for (_, mast), (piece, station, block) in found.items():
        cut = mast in (window.first_span, window.stop_span) and piece.first < mast < piece.stop
        window.active[station] &= ~(block.displacements if cut else block.fixed)


def _hold(window: LinearLine) -> None:
    """Clear the rows and columns of coordinates that are fixed or do not exist."""
    on = window.active
    both = on[:, :, None] & on[:, None, :]
    next_to = on[:-1, :, None] & on[1:, None, :]
    station, dof = np.nonzero(~on)
    for diag, off, value in (
        (window.M_diag, window.M_off, 1.0),
        (window.C_diag, window.C_off, 0.0),
        (window.K_diag, window.K_off, _HELD_STIFFNESS),
    ):
        diag *= both
        off *= next_to
        diag[station, dof, dof] = value
