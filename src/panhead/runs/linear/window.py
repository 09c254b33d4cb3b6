"""Computed part of the line: all of it, or a window that moves with the train."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from panhead.engine.kernels.block_tridiagonal import product
from panhead.railway.line.line_matrices import LinearLine
from panhead.runs.linear.kernel_arrays import column_width, dropper_table, line_arrays, work_space
from panhead.runs.linear.step.ledger import energy_of_line
from panhead.runs.linear.step.step_arrays import (
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

_QUIET = 1e-60  # a wire at rest: not zero, which would fade into slow denormal numbers


@dataclass(frozen=True, slots=True)
class Window:
    """Part of the line as arrays, with its scratch space."""

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
        """Positions of the droppers [m]."""
        return np.asarray(self.row_x[self.shown])


@dataclass(frozen=True, slots=True)
class PackedLine:
    """Part of the line as constant arrays, which runs may share."""

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
    """Part of the line with scratch space for the pantographs under it."""
    linear, line, drop = packed.linear, packed.line, packed.drop
    shape = (linear.ns, line.F.shape[2], 4)
    return Window(
        linear=linear,
        line=line,
        drop=drop,
        work=work_space(
            shape,
            train,
            elements,
            line.path.size,
            drop.size,
            packed.width,
            sc.C_u,
            1 + linear.numbering.rods + 3 * int(drop["bows"].any()),
            (far_modes(line), line.far.row.shape[1]),
        ),
        path_keys=tuple((p.piece, p.dof_w) for p in linear.paths),
        shown=np.flatnonzero(linear.droppers.part[packed.order] <= 1),
        residual=linear.droppers.residual[packed.order],
        **_names(linear, packed.order),
    )


def far_modes(line: LineArrays) -> int:
    """Modes of all far spans."""
    return int(line.far.modes[line.far.kind].sum())


def moved_window(window: Window, linear: LinearLine) -> Window:
    """Same arrays and scratch space moved to equal spans (``LinearLine.alike``) elsewhere."""
    order = np.argsort(linear.droppers.station, kind="stable")
    line = window.line._replace(x=np.ascontiguousarray(linear.x))
    return replace(window, linear=linear, line=line, **_names(linear, order))


def _names(linear: LinearLine, order: np.ndarray) -> dict[str, Any]:
    """Names and positions of a window's rows; order: of the droppers."""
    droppers, supports = linear.droppers, linear.supports
    return {
        "row_keys": tuple(zip(droppers.span[order].tolist(), [droppers.names[k] for k in order], strict=True)),
        "row_x": droppers.x[order],
        "support_keys": tuple(zip(supports.mast.tolist(), supports.names, strict=True)),
    }


def resting_state(window: Window, train: TrainArrays, elements: np.ndarray, z: np.ndarray) -> LineState:
    """State at rest: line, and pantograph masses at z (nm,); elements: their table."""
    q = np.zeros((4, *window.work.s.shape))
    state = LineState(
        q=q,
        flat=q.reshape(4, -1),
        eta=np.zeros((3, far_modes(window.line))),
        z=np.zeros((3, z.size)),
        drop=window.drop.copy(),
        contact=np.zeros(train.head.size * window.line.path.size, CONTACT),
        element=elements.copy(),
        support=np.zeros(len(window.support_keys), SUPPORT),
        ledger=np.zeros(len(LEDGER)),
    )
    state.q[U] = _QUIET
    product(window.line.C, state.q[U], state.q[CS])
    state.eta[U] = _QUIET
    state.z[0] = z
    state.element["g"] = train.direction @ z - elements["gap"]
    state.contact["impact"] = np.repeat(train.head["impact"], window.line.path.size)
    state.support["station"] = window.linear.supports.station
    state.support["dof"] = window.linear.supports.dof
    return state


def remember_damping(window: Window, state: LineState, sc: Scheme) -> None:
    """Update C s/C_u of the state for the window's damping; see ``Scheme``."""
    q = state.q
    s = q[U] + (sc.C_v * q[V] + sc.C_a * q[A]) / sc.C_u
    product(window.line.C, s, q[CS])


def line_energy(window: Window, state: LineState) -> float:
    """Kinetic and potential energy of the line and its droppers about the strung shape [J]."""
    return float(energy_of_line(window.line, state, window.work.s, window.work.s_flat, window.work.masts))
