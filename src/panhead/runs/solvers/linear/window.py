"""The part of the line that is computed: all of it, or a window that moves with the train."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from panhead.kernels.block_tridiagonal import product
from panhead.kernels.interaction_arrays import (
    CONTACT,
    CS,
    LEDGER,
    SUPPORT,
    A,
    LineArrays,
    LineState,
    Scheme,
    TrainArrays,
    U,
    V,
    Work,
)
from panhead.laws.dropper import energy
from panhead.line.linear import LinearLine
from panhead.runs.solvers.linear.packing import column_width, dropper_table, line_arrays, work_space

_QUIET = 1e-60  # a wire at rest: not zero, which would fade into slow denormal numbers
_DROPPER_MEMORY = ("mode", "p", "e", "N", "N_min", "N_max", "slack", "since")


@dataclass(frozen=True, slots=True)
class Window:
    """A part of the line as arrays, with its scratch space."""

    linear: LinearLine
    line: LineArrays
    drop: np.ndarray  #: its droppers at rest
    work: Work
    path_keys: tuple[tuple[int, int], ...]  #: tension length and coordinate of every contact wire
    row_keys: tuple[tuple[int, str], ...]  #: span and name of every row of the table, parts of rods too
    row_x: np.ndarray  #: [m]
    shown: np.ndarray  #: rows that tell a dropper's force: springs, and the top parts of rods
    residual: np.ndarray  #: of every row, in its pull but not in the dropper [N]
    support_keys: tuple[tuple[int, str], ...]  #: mast and name

    @property
    def dropper_keys(self) -> tuple[tuple[int, str], ...]:
        """Span and name of every dropper."""
        return tuple(self.row_keys[k] for k in self.shown)

    @property
    def dropper_x(self) -> np.ndarray:
        """Its place [m]."""
        return np.asarray(self.row_x[self.shown])


@dataclass(frozen=True, slots=True)
class PackedLine:
    """A part of the line as arrays; nothing in it changes, so that runs may share it."""

    linear: LinearLine
    line: LineArrays
    drop: np.ndarray  #: its droppers at rest
    order: np.ndarray  #: that sorts them by station
    width: int  #: of the columns of A⁻¹


def pack_line(linear: LinearLine, sc: Scheme, *, bilateral: bool = False, width: int | None = None) -> PackedLine:
    """Matrices and droppers of a part of the line. width: if known from another part of it."""
    drop, order = dropper_table(linear, bilateral=bilateral)
    line = line_arrays(linear, drop, sc)
    return PackedLine(linear, line, drop, order, width or column_width(line.F))


def open_window(packed: PackedLine, sc: Scheme, train: TrainArrays, elements: np.ndarray) -> Window:
    """A part of the line with scratch space for the pantographs under it."""
    linear, line, drop = packed.linear, packed.line, packed.drop
    shape = (linear.ns, line.F.shape[2], 4)
    return Window(
        linear,
        line,
        drop,
        work_space(shape, train, elements, line.path.size, drop.size, packed.width, sc.C_u, 1 + linear.numbering.rods),
        tuple((p.piece, p.dof_w) for p in linear.paths),
        tuple((int(linear.droppers.span[k]), linear.droppers.names[k]) for k in packed.order),
        linear.droppers.x[packed.order],
        np.flatnonzero(linear.droppers.part[packed.order] <= 1),
        linear.droppers.residual[packed.order],
        tuple(zip(linear.supports.mast.tolist(), linear.supports.names, strict=True)),
    )


def resting_state(window: Window, train: TrainArrays, elements: np.ndarray, z: np.ndarray) -> LineState:
    """Line at rest, pantograph masses at rest at z (nm,); elements: their table."""
    q = np.zeros((4, *window.work.s.shape))
    state = LineState(
        q=q,
        flat=q.reshape(4, -1),
        z=np.zeros((3, z.size)),
        drop=window.drop.copy(),
        contact=np.zeros(train.head.size * window.line.path.size, CONTACT),
        element=elements.copy(),
        support=np.zeros(len(window.support_keys), SUPPORT),
        ledger=np.zeros(len(LEDGER)),
    )
    state.q[U] = _QUIET
    state.z[0] = z
    state.element["g"] = train.direction @ z - elements["gap"]
    state.contact["impact"] = np.repeat(train.head["impact"], window.line.path.size)
    state.support["station"] = window.linear.supports.station
    state.support["dof"] = window.linear.supports.dof
    return state


def carried_over(old: Window, state: LineState, new: Window, train: TrainArrays, sc: Scheme) -> LineState:
    """The state of a window that has moved: what both have in common is copied, the rest is at rest."""
    fresh = resting_state(new, train, state.element, state.z[0])
    fresh.z[:], fresh.element[:], fresh.ledger[:] = state.z, state.element, state.ledger
    shift = _copy_stations(old, state, new, fresh)
    source, target = _common(old.row_keys, new.row_keys)
    for name in _DROPPER_MEMORY:
        fresh.drop[name][target] = state.drop[name][source]
    source, target = _common(old.support_keys, new.support_keys)
    for name in ("uplift", "time"):
        fresh.support[name][target] = state.support[name][source]
    heads = range(train.head.size)
    source, target = _common(
        [(p, key) for p in heads for key in old.path_keys], [(p, key) for p in heads for key in new.path_keys]
    )
    fresh.contact[target] = state.contact[source]
    fresh.contact["station"][target] += shift
    remember_damping(new, fresh, sc)
    return fresh


def remember_damping(window: Window, state: LineState, sc: Scheme) -> None:
    """Bring C s/C_u of the state up to date with the window's damping; see ``Scheme``."""
    q = state.q
    s = q[U] + (sc.C_v * q[V] + sc.C_a * q[A]) / sc.C_u
    product(window.line.C, s, q[CS])


def line_energy(window: Window, state: LineState) -> float:
    """Kinetic and potential energy of the line and its droppers about the strung shape [J]."""
    line, out = window.line, np.zeros_like(window.work.s)
    product(line.M, state.q[V], out)
    total = 0.5 * float(np.vdot(state.q[V], out))
    product(line.K, state.q[U], out)
    total += 0.5 * float(np.vdot(state.q[U], out))
    k, e, N0 = (state.drop[name] for name in ("k", "e", "N0"))
    stored = energy(N0 + k * e, k) - energy(N0, k) - np.maximum(N0, 0.0) * e
    return total + float(np.where(state.drop["bilateral"] == 1, 0.5 * k * e**2, stored).sum())


def _copy_stations(old: Window, state: LineState, new: Window, fresh: LineState) -> int:
    """Copy u, v, a of the stations both have; returns by how much their numbers differ."""
    first = max(old.linear.first_span, new.linear.first_span)
    masts = (w.linear.masts[first - w.linear.first_span] for w in (new, old))
    shift = int(next(masts) - next(masts))
    a, b = max(0, shift), min(new.linear.ns, old.linear.ns + shift)
    fresh.q[:, a:b] = state.q[:, a - shift : b - shift]
    held = ~new.linear.active  # the new end of the window may hold what was free
    flat = fresh.q.reshape(4, new.linear.ns, -1)
    flat[:, :, : held.shape[1]][:, held] = 0.0
    return shift


def _common(old_keys: Sequence[object], new_keys: Sequence[object]) -> tuple[np.ndarray, np.ndarray]:
    """Where the keys both have are in the old and in the new list."""
    place = {key: i for i, key in enumerate(old_keys)}
    pairs = [(place[key], i) for i, key in enumerate(new_keys) if key in place]
    source, target = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    return source, target
