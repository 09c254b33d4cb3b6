"""From a linear line and pantographs to the arrays the kernels read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from panhead.errors import ModelError, SimulationError
from panhead.interaction.description import ContactLaw
from panhead.kernels.block_tridiagonal import column, factor, tiles
from panhead.kernels.interaction_arrays import (
    DropperArrays,
    LineArrays,
    PantographArrays,
    PathArrays,
    Scheme,
    Slots,
    State,
    Work,
)
from panhead.kernels.unilateral import CONTACT, FRICTION, LANKARANI, N_PARAMETERS, STOP
from panhead.line.linear import LinearLine
from panhead.pantograph.lumped import LumpedPantograph

TINY = 1e-18  # columns of the influence matrix are cut where they are this small a part of their peak
_MOST_SLACK = 96  # droppers that may be slack at once


def scheme(step: float, spectral_radius: float = 1.0) -> Scheme:
    """Generalized-α with the wanted spectral radius at infinite frequency [Chung93, eq. (25)].

    α_m = (2ρ − 1)/(ρ + 1), α_f = ρ/(ρ + 1), γ = ½ − α_m + α_f, β = (1 − α_m + α_f)²/4. ρ = 1 is the
    trapezoidal rule (Newmark's average acceleration), which loses no energy.
    """
    if not 0.0 <= spectral_radius <= 1.0:
        raise ModelError(f"spectral_radius must be between 0 and 1, got {spectral_radius!r}")
    h, rho = step, spectral_radius
    a_m, a_f = (2.0 * rho - 1.0) / (rho + 1.0), rho / (rho + 1.0)
    gamma, beta = 0.5 - a_m + a_f, 0.25 * (1.0 - a_m + a_f) ** 2
    return Scheme(
        h=h, alpha_f=a_f, alpha_m=a_m,
        M_u=(1 - a_m) / ((1 - a_f) * beta * h * h), M_v=(1 - a_m) / (beta * h),
        M_a=(1 - a_m) * (0.5 / beta - 1.0) - a_m,
        C_u=gamma / (beta * h), C_v=(1 - a_f) * (gamma / beta - 1.0) - a_f,
        C_a=(1 - a_f) * h * (0.5 * gamma / beta - 1.0),
        v_v=1.0 - gamma / beta, v_a=h * (1.0 - 0.5 * gamma / beta),
        a_u=1.0 / (beta * h * h), a_v=-1.0 / (beta * h), a_a=1.0 - 0.5 / beta,
        lossless=rho == 1.0,
    )


def dropper_arrays(line: LinearLine) -> tuple[DropperArrays, np.ndarray]:
    """Droppers sorted by station, and the order that sorts them."""
    d = line.droppers
    order = np.argsort(d.station, kind="stable")
    dof = np.stack([d.dof_top, d.dof_bottom, d.dof_top_y, d.dof_bottom_y], axis=1)[order]
    weight = np.stack([d.nz, -d.nz, d.ny, -d.ny], axis=1)[order]
    par = np.zeros((order.size, N_PARAMETERS))
    par[:, 0], par[:, 1], par[:, 2] = d.stiffness[order], d.damping[order], d.static_tension[order]
    arrays = DropperArrays(
        np.ascontiguousarray(d.station[order], np.int64), np.ascontiguousarray(dof, np.int64),
        np.ascontiguousarray(weight), par)
    return arrays, order


def path_arrays(line: LinearLine) -> PathArrays:
    """The contact wires of a window."""
    paths = line.paths

    def ints(values: Any) -> np.ndarray:
        return np.array(list(values), dtype=np.int64)

    return PathArrays(
        ints(p.first for p in paths), ints(p.last for p in paths), ints(p.dof_w for p in paths),
        ints(-1 if p.dof_y is None else p.dof_y for p in paths),
        *(np.ascontiguousarray([getattr(p, name) for p in paths]) for name in ("z0", "z0_x", "y0", "y0_x")),
    )


def line_arrays(
    line: LinearLine, drop: DropperArrays, sc: Scheme, absorption: np.ndarray | None = None
) -> LineArrays:
    """Tiles of M, C, K with taut droppers, and of the factorised step matrix.

    absorption (ns,): rate σ [1/s] of extra damping √σᵢ√σⱼ Mᵢⱼ that lets waves die towards the ends of
    a window; zero inside it.
    """
    C_diag, C_off, K_diag = line.C_diag.copy(), line.C_off.copy(), line.K_diag.copy()
    for r, i in enumerate(drop.station):  # A taut dropper is a spring in its station's block
        d = np.zeros(line.b)
        np.add.at(d, drop.dof[r], drop.weight[r])
        K_diag[i] += drop.par[r, 0] * np.outer(d, d)
        C_diag[i] += drop.par[r, 1] * np.outer(d, d)
    ns, inside = line.ns, np.array([0, line.ns], dtype=np.int64)
    if absorption is not None and absorption.any():
        root = np.sqrt(absorption)
        C_diag += absorption[:, None, None] * line.M_diag
        C_off += (root[:-1] * root[1:])[:, None, None] * line.M_off
        quiet = np.flatnonzero(absorption == 0.0)
        inside[:] = quiet[0], quiet[-1] + 1
    A_diag = sc.M_u * line.M_diag + sc.C_u * C_diag + K_diag
    A_off = sc.M_u * line.M_off + sc.C_u * C_off + line.K_off
    D_inv, U = np.empty_like(A_diag), np.empty_like(A_off)
    failed = factor(A_diag, A_off, D_inv, U)
    if failed >= 0:
        raise SimulationError(f"the line's matrix is not positive definite at x = {line.x[failed]:.2f} m")
    return LineArrays(
        np.ascontiguousarray(line.x), *_three(line.M_diag, line.M_off), *_three(C_diag, C_off),
        *_three(K_diag, line.K_off), tiles(D_inv), tiles(U.transpose(0, 2, 1)), tiles(U),
        _damped(C_diag, C_off, inside, ns), inside, TINY,
    )


def _three(diag: np.ndarray, off: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return tiles(diag), tiles(off.transpose(0, 2, 1)), tiles(off)


def _damped(C_diag: np.ndarray, C_off: np.ndarray, inside: np.ndarray, ns: int) -> np.ndarray:
    """Where C is not zero: nowhere, everywhere, or in the absorbing ends only."""
    there = C_diag.any(axis=(1, 2))
    if not there.any():
        return np.zeros(4, dtype=np.int64)
    a, b = inside
    if there[a:b].any():
        return np.array([0, ns, 0, 0], dtype=np.int64)
    return np.array([0, a, b, ns], dtype=np.int64)


def pantograph_arrays(
    pantographs: Sequence[LumpedPantograph], heights: Sequence[float], law: ContactLaw, sc: Scheme
) -> PantographArrays:
    """All pantographs as one system; ``heights`` are those of the wire at which each one rests."""
    sizes = [len(p.stages) for p in pantographs]
    first = np.concatenate([[0], np.cumsum(sizes)])
    M, C, K = np.zeros((3, first[-1], first[-1]))
    direction, gap, kind, par = [], [], [], []
    for p, start, stop in zip(pantographs, first[:-1], first[1:], strict=True):
        here = slice(start, stop)
        M[here, here], C[here, here], K[here, here] = p.matrices()
        for k, stage in enumerate(p.stages):
            d = np.zeros(first[-1])
            d[start + k] = 1.0
            if k + 1 < len(p.stages):
                d[start + k + 1] = -1.0
            for sign, travel in ((1.0, stage.stop_up), (-1.0, stage.stop_down)):
                if travel is not None:
                    direction.append(sign * d)
                    gap.append(travel)
                    kind.append(STOP)
                    par.append([stage.stop_stiffness, 0.0])
            if stage.friction > 0.0:
                direction.append(d)
                gap.append(0.0)
                kind.append(FRICTION)
                par.append([stage.friction, stage.friction_speed])
    element_par = np.zeros((len(par), N_PARAMETERS))
    element_par[:, :2] = np.array(par).reshape(-1, 2)
    contact_par = np.array([_contact_par(p, law) for p in pantographs])
    return PantographArrays(
        M, C, K, np.linalg.inv(sc.M_u * M + sc.C_u * C + K), first[:-1].astype(np.int64),
        np.array(heights, dtype=float), np.array(direction).reshape(-1, first[-1]), np.array(gap, dtype=float),
        np.array(kind, dtype=np.int64), element_par,
        np.full(len(sizes), LANKARANI if law.kind == "lankarani-nikravesh" else CONTACT, dtype=np.int64),
        contact_par,
    )


def _contact_par(p: LumpedPantograph, law: ContactLaw) -> list[float]:
    """k, c, –, n, χ and the least impact speed of one pantograph's contact."""
    k = p.contact_stiffness if law.stiffness is None else law.stiffness
    c = p.contact_damping if law.damping is None else law.damping
    chi = 0.75 * (1.0 - law.restitution**2)
    return [k, c, 0.0, law.exponent, chi, law.least_impact_speed]


def column_width(arrays: LineArrays, drop: DropperArrays) -> int:
    """How many stations a column of A⁻¹ needs, found by taking some along the window."""
    ns, nt = arrays.D_inv.shape[:2]
    y, x = np.zeros((2, 2 * ns + 2, nt, 4))
    load, widest = np.zeros((2, nt, 4)), 0
    for station in np.unique(np.linspace(0, ns - 2, 25).astype(int)):
        for dof in range(0, 4 * nt, 2):
            load[:] = 0.0
            load[0, dof // 4, dof % 4] = 1.0
            _, first, last = column(
                arrays.D_inv, arrays.lower, arrays.upper, station, load, arrays.tiny, y, x)
            widest = max(widest, station + 1 - first, last - station)
    return min(2 * ns + 2, 2 * int(1.3 * widest + 8))


def slots(nc: int, ne: int, nm: int, nt: int, width: int) -> Slots:
    """Empty slots for ``nc`` contacts, ``ne`` elements and the droppers that go slack."""
    m = nc + ne + _MOST_SLACK

    def ints(*shape: int) -> np.ndarray:
        return np.zeros(shape, dtype=np.int64)

    def real(*shape: int) -> np.ndarray:
        return np.zeros(shape)

    return Slots(
        kind=ints(m), mode=ints(m), on=ints(m), ref=ints(m), par=real(m, N_PARAMETERS), station=ints(m, 4),
        dof=ints(m, 4), weight=real(m, 4), weight_x=real(m, 4), z=real(m), z_x=real(m), D=real(m, nm),
        P=real(m, nm), X=real(m, width, nt, 4), base=ints(m), first=ints(m), last=ints(m), g_free=real(m),
        g_dot_free=real(m), g=real(m), g_dot=real(m), lam=real(m), S=real(m, m), R=real(m, m), A=real(m, m),
        r=real(m),
    )


def work_space(state: State, width: int) -> Work:
    """Scratch space that fits a state."""
    like, nd = state.u, state.p.size
    nt = like.shape[1]
    return Work(
        *(np.zeros_like(like) for _ in range(7)), *(np.zeros_like(state.z) for _ in range(4)),
        np.zeros(nd), np.zeros(nd), np.full(nd, -1, dtype=np.int64), np.zeros(1, dtype=np.int64),
        np.zeros((2, nt, 4)), np.zeros((width, nt, 4)),
    )
