"""The linear line: matrices about the strung shape, numbered by station.

    M q̈ + C q̇ + K q = f + droppers + contact

Every matrix is block tridiagonal: A[i, i] = A_diag[i], A[i, i+1] = A_off[i], A[i+1, i] = A_off[i]ᵀ with
blocks of b × b, one per station. Droppers are not in K; they are a table, because they slacken:

    N = max(0, N₀ + k e + c ė) and zero if N₀ + k e ≤ 0,   e = n_z (w_top − w_bottom) + n_y (y_top − y_bottom)

and act with −N (n_z, n_y) on the upper and +N (n_z, n_y) on the lower wire, added to the static
pull N₀ that the strung shape already balances. Coordinates that do not exist or are held have M = 1 and
a positive K on their diagonal and nothing else, and must never be loaded.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np

from panhead.errors import ModelError
from panhead.line.blocks import MastBlock, Numbering, SpanBlocks, span_blocks
from panhead.line.layout import ROLES, Piece, roles_of
from panhead.line.strung import Strung

Ends = Literal["fixed", "absorbing"]
_HELD_STIFFNESS = 1e4  # N/m on the diagonal of a held coordinate: near the other entries


class Droppers(NamedTuple):
    """One entry per dropper of the window; plain arrays for the kernels, then names."""

    station: np.ndarray  #: int64
    dof_top: np.ndarray  #: int64, index in the block of w of the upper wire
    dof_bottom: np.ndarray  #: int64, of the lower wire
    dof_top_y: np.ndarray  #: int64, of y; without lateral motion again w, and ny = 0
    dof_bottom_y: np.ndarray
    nz: np.ndarray  #: direction from the lower to the upper end
    ny: np.ndarray
    stiffness: np.ndarray  #: k [N/m]
    damping: np.ndarray  #: c [N·s/m]
    static_tension: np.ndarray  #: N₀ [N]; negative: slack at rest, taut once k e exceeds −N₀
    x: np.ndarray  #: [m]
    span: np.ndarray  #: int64, number of the span along the line
    names: tuple[str, ...]


class ContactPath(NamedTuple):
    """One contact wire inside the window. Arrays hold every station; use first … last only."""

    name: str
    piece: int  #: number of its tension length
    first: int  #: its first station
    last: int  #: its last station
    dof_w: int  #: index in the block; the slope is the next
    dof_y: int | None  #: None without lateral motion
    z0: np.ndarray  #: (ns,) static height [m]
    z0_x: np.ndarray  #: its slope
    y0: np.ndarray  #: stagger [m]
    y0_x: np.ndarray
    tension: float  #: [N]
    mass_per_length: float  #: new section [kg/m]


class Supports(NamedTuple):
    """Contact wires at masts, where uplift is told."""

    station: np.ndarray  #: int64
    dof: np.ndarray  #: int64, index in the block of w of the contact wire
    x: np.ndarray  #: [m]
    mast: np.ndarray  #: int64, number of the mast along the line
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LinearLine:
    """The spans ``first_span`` … ``stop_span`` − 1 of a line as matrices about the strung shape."""

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
    ends: Ends
    numbering: Numbering
    source: SpanStore

    @property
    def b(self) -> int:
        """Coordinates of one station."""
        return self.numbering.b

    @property
    def ns(self) -> int:
        """Stations."""
        return self.x.size

    def window(self, first_span: int, stop_span: int) -> LinearLine:
        """The same line for other spans, ``first_span`` … ``stop_span`` − 1 of the whole line."""
        return _assemble(self.source, first_span, stop_span, self.ends)


def linear_line(
    strung: Strung, *, element_length: float = 1.0, lateral: bool = False,
    spans: tuple[int, int] | None = None, ends: Ends = "fixed",
) -> LinearLine:
    """The linear model of a strung line.

    spans: first and one beyond the last span; all of them if None. Where such a window cuts wires
    that run on, ``ends`` holds them ("fixed") or lets waves leave ("absorbing", a dashpot √(Hμ)).
    """
    if not element_length > 0:
        raise ModelError(f"element_length must be > 0, got {element_length!r}")
    source = SpanStore(strung, element_length=element_length, lateral=lateral)
    first, stop = spans or (0, strung.layout.n_spans)
    return _assemble(source, first, stop, ends)


class SpanStore:
    """Blocks of every distinct span, made once; windows are joined from them."""

    def __init__(self, strung: Strung, *, element_length: float, lateral: bool) -> None:
        self.strung, self.element_length = strung, element_length
        used = {role for p in strung.layout.pieces
                for role in roles_of(p.described.wires or strung.line.wires)}
        self.numbering = Numbering(
            roles=tuple(role for role in ROLES if role in used),
            sets=min(2, len(strung.layout.pieces)), lateral=lateral,
        )
        self._blocks: dict[tuple[int, int], SpanBlocks] = {}

    def blocks(self, piece: Piece, number: int) -> SpanBlocks:
        """Blocks of span ``number`` of one tension length."""
        strung = self.strung.span(piece, number, element_length=self.element_length)
        key = id(strung), piece.index % self.numbering.sets  # the block keeps strung alive, so its id is its own
        if key not in self._blocks:
            self._blocks[key] = span_blocks(strung, self.numbering, piece.index)
        return self._blocks[key]


class _Part(NamedTuple):
    """One span of one tension length inside a window."""

    piece: Piece
    number: int  #: of the span along the line
    start: int  #: its first station in the window
    blocks: SpanBlocks


def _assemble(source: SpanStore, first: int, stop: int, ends: Ends) -> LinearLine:
    layout = source.strung.layout
    if not 0 <= first < stop <= layout.n_spans:
        raise ModelError(f"spans {first} … {stop - 1} are not in the line, which has 0 … {layout.n_spans - 1}")
    parts, masts, x = _parts(source, first, stop)
    b, ns = source.numbering.b, x.size
    matrices = [np.zeros((ns - k, b, b)) for _ in range(3) for k in (0, 1)]
    active = np.zeros((ns, b), dtype=bool)
    for part in parts:
        n = part.blocks.active.shape[0]
        for k, (whole, piece) in enumerate(zip(matrices, part.blocks.matrices, strict=True)):
            whole[part.start : part.start + n - k % 2] += piece
        active[part.start : part.start + n] |= part.blocks.active
    window = LinearLine(
        x, *matrices, active, _droppers(parts, layout.mast_x), _paths(source, parts, ns), _supports(source, parts),
        masts, first, stop, ends, source.numbering, source,
    )
    _add_masts(window, parts)
    _hold(window)
    return window


def _parts(source: SpanStore, first: int, stop: int) -> tuple[list[_Part], np.ndarray, np.ndarray]:
    layout, parts, masts, x = source.strung.layout, [], [0], []
    for number in range(first, stop):
        here = [(piece, source.blocks(piece, number)) for piece in layout.pieces_at(number)]
        parts += [_Part(piece, number, masts[-1], blocks) for piece, blocks in here]
        local = here[0][1].strung.mesh.x
        x.append(layout.mast_x[number] + local[:-1])
        masts.append(masts[-1] + local.size - 1)
    x.append(layout.mast_x[stop : stop + 1])
    return parts, np.array(masts, dtype=np.int64), np.concatenate(x)


def _mast_blocks(parts: list[_Part]) -> dict[tuple[int, int], tuple[int, MastBlock]]:
    """(tension length, mast) → station and what the mast adds there, each mast once."""
    found = {}
    for part in parts:
        last = part.start + part.blocks.active.shape[0] - 1
        found[part.piece.index, part.number] = part.start, part.blocks.left
        found[part.piece.index, part.number + 1] = last, part.blocks.right
    return found


def _add_masts(window: LinearLine, parts: list[_Part]) -> None:
    diagonal = np.arange(window.b)
    for (piece, mast), (station, block) in _mast_blocks(parts).items():
        window.M_diag[station, diagonal, diagonal] += block.M
        window.C_diag[station, diagonal, diagonal] += block.C
        window.K_diag[station, diagonal, diagonal] += block.K
        window.active[station] &= ~block.fixed
        layout = window.source.strung.layout
        cut = mast in (window.first_span, window.stop_span) and (
            layout.pieces[piece].first < mast < layout.pieces[piece].stop)
        if cut and window.ends == "fixed":
            window.active[station] &= block.through == 0.0
        elif cut:
            window.C_diag[station, diagonal, diagonal] += block.through


def _hold(window: LinearLine) -> None:
    """Empty the rows and columns of coordinates that are held or do not exist."""
    on = window.active
    both = on[:, :, None] & on[:, None, :]
    next_to = on[:-1, :, None] & on[1:, None, :]
    station, dof = np.nonzero(~on)
    for diag, off, value in (
        (window.M_diag, window.M_off, 1.0), (window.C_diag, window.C_off, 0.0),
        (window.K_diag, window.K_off, _HELD_STIFFNESS),
    ):
        diag *= both
        off *= next_to
        diag[station, dof, dof] = value


def _droppers(parts: list[_Part], mast_x: np.ndarray) -> Droppers:
    columns: dict[str, list[np.ndarray]] = {name: [] for name in Droppers._fields[:-1]}
    names: list[str] = []
    for part in parts:
        links = part.blocks.links
        for name, values in links.items():
            columns[name].append(values)
        columns["station"][-1] = links["station"] + part.start
        columns["x"][-1] = links["x"] + mast_x[part.number]
        columns["span"].append(np.full(links["x"].size, part.number, dtype=np.int64))
        names += [_link_name(part, k) for k in range(links["x"].size)]
    return Droppers(*(np.concatenate(columns[name]) for name in Droppers._fields[:-1]), names=tuple(names))


def _link_name(part: _Part, k: int) -> str:
    link = part.blocks.strung.mesh.links[k]
    tail = {"contact2": " left", "auxiliary": " auxiliary"}.get(link.lower, "")
    return f"{part.piece.name}.span{part.number - part.piece.first + 1}.dropper{link.number}{tail}"


def _paths(source: SpanStore, parts: list[_Part], ns: int) -> tuple[ContactPath, ...]:
    paths: dict[tuple[int, str], ContactPath] = {}
    for part in parts:
        shape = part.blocks.strung.shape
        stop = part.start + part.blocks.active.shape[0]
        for role in (r for r in shape if r.startswith("contact")):
            key = part.piece.index, role
            if key not in paths:
                paths[key] = _new_path(source, part, role, ns)
            path = paths[key]._replace(last=stop - 1)
            for column, target in enumerate((path.z0, path.z0_x, path.y0, path.y0_x)):
                target[part.start : stop] = shape[role][:, column]
            paths[key] = path
    return tuple(paths.values())


def _new_path(source: SpanStore, part: _Part, role: str, ns: int) -> ContactPath:
    dof = source.numbering.dof(part.piece.index, role)
    wire = (part.piece.described.wires or source.strung.line.wires).contact
    return ContactPath(
        f"{part.piece.name} {role}", part.piece.index, part.start, part.start, dof,
        dof + 2 if source.numbering.lateral else None, *(np.zeros(ns) for _ in range(4)), wire.tension, wire.mu,
    )


def _supports(source: SpanStore, parts: list[_Part]) -> Supports:
    rows = []
    layout = source.strung.layout
    roles = [role for role in source.numbering.roles if role.startswith("contact")]
    for (piece, mast), (station, _) in sorted(_mast_blocks(parts).items(), key=lambda item: item[0][::-1]):
        owner = layout.pieces[piece]
        own = roles_of(owner.described.wires or source.strung.line.wires)
        for role in (r for r in roles if r in own):
            name = layout.mast_name(owner, mast) + (" left" if role == "contact2" else "")
            rows.append((station, source.numbering.dof(piece, role), layout.mast_x[mast], mast, name))
    station, dof, x, mast, names = zip(*rows, strict=True)
    return Supports(np.array(station, dtype=np.int64), np.array(dof, dtype=np.int64), np.array(x),
                    np.array(mast, dtype=np.int64), tuple(names))


def with_ends(line: LinearLine, ends: Ends) -> LinearLine:
    """The same window with its cut ends held differently."""
    return _assemble(replace(line, ends=ends).source, line.first_span, line.stop_span, ends)
