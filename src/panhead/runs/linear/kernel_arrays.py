"""Kernel arrays of a linear line and its pantographs."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np

from panhead.engine.kernels.block_tridiagonal import factor, factors, paired, reach
from panhead.engine.laws.alpha_coefficients import coefficients
from panhead.engine.laws.contact import hysteresis
from panhead.errors import ModelError, SimulationError
from panhead.railway.line.line_matrices import LinearLine
from panhead.railway.line.lru import LruCache
from panhead.railway.pantograph.lumped_pantograph import LumpedPantograph
from panhead.runs.description import ContactLaw
from panhead.runs.linear.far_spans import far_arrays
from panhead.runs.linear.step.active_set import TINY
from panhead.runs.linear.step.dropper import rest_droppers
from panhead.runs.linear.step.step_arrays import (
    DROPPER,
    ELEMENT,
    HEAD,
    PATH,
    SLOT,
    LineArrays,
    Scheme,
    TrainArrays,
    Work,
)
from panhead.runs.linear.step.unilateral import CONTACT, FRICTION, LANKARANI, STOP

_MOST_SLACK = 96  # droppers that may be slack at once
_WIDTHS: LruCache[int] = LruCache(64)  # of columns, by their factors


def scheme(step: float, spectral_radius: float = 1.0) -> Scheme:
    """Generalized-α coefficients for a spectral radius at infinite frequency."""
    if not 0.0 <= spectral_radius <= 1.0:
        raise ModelError(f"spectral_radius must be between 0 and 1, got {spectral_radius!r}")
    h, (a_m, a_f, gamma, beta) = step, coefficients(spectral_radius)
    return Scheme(
        h=h,
        alpha_f=a_f,
        alpha_m=a_m,
        M_u=(1 - a_m) / ((1 - a_f) * beta * h * h),
        M_v=(1 - a_m) / (beta * h),
        M_a=(1 - a_m) * (0.5 / beta - 1.0) - a_m,
        C_u=gamma / (beta * h),
        C_v=(1 - a_f) * (gamma / beta - 1.0) - a_f,
        C_a=(1 - a_f) * h * (0.5 * gamma / beta - 1.0),
        v_v=1.0 - gamma / beta,
        v_a=h * (1.0 - 0.5 * gamma / beta),
        a_u=1.0 / (beta * h * h),
        a_v=-1.0 / (beta * h),
        a_a=1.0 - 0.5 / beta,
        lossless=spectral_radius == 1.0,
    )


def dropper_table(line: LinearLine, *, bilateral: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """Droppers at rest, sorted by station, and the order that sorts them.

    Bilateral ones begin with the pull that the strung line gives them, also where that is none. Beside a superelement,
    whose droppers are springs, those that pull at rest are bilateral.
    """
    d = line.droppers
    order = np.argsort(d.station, kind="stable")
    table = np.zeros(order.size, DROPPER)
    table["station"] = d.station[order]
    table["dof"] = np.stack([d.dof_top, d.dof_bottom, d.dof_top_y, d.dof_bottom_y], axis=1)[order]
    table["weight"] = np.stack([d.nz, -d.nz, d.ny, -d.ny], axis=1)[order]
    table["k"], table["c"] = d.stiffness[order], d.damping[order]
    table["N0"], table["bilateral"] = d.static_tension[order], bilateral
    table["bows"] = d.bow_mass[order] > 0.0
    for name in ("bow_rest", "bow_mass", "bow_drag", "bow_pull", "bow_bend"):
        table[name] = getattr(d, name)[order]
    table["bow"][:, 0] = table["bow_rest"]
    table["N0"] = np.where(table["bows"] == 1, np.maximum(table["N0"], 0.0), table["N0"])
    far = np.isfinite([np.inf, *line.bands, np.inf])
    beside_far = [line.first_span + k for k in range(len(line.bands)) if far[k] or far[k + 2]]
    edge = np.isin(d.span[order], beside_far) & (table["N0"] > 0.0)
    table["bilateral"] |= edge
    if bilateral:
        table["N0"] = np.maximum(table["N0"], 0.0)
    rest_droppers(table, bilateral)
    return table, order


def line_arrays(line: LinearLine, drop: np.ndarray, sc: Scheme) -> LineArrays:
    """M, C, K of the wires, the factorised step matrix with taut droppers, and the contact wires."""
    A_diag = sc.M_u * line.M_diag + sc.C_u * line.C_diag + line.K_diag
    A_off = sc.M_u * line.M_off + sc.C_u * line.C_off + line.K_off
    far = far_arrays(line, sc, A_diag, A_off)
    return LineArrays(
        np.ascontiguousarray(line.x),
        paired(line.M_diag, line.M_off),
        paired(line.C_diag, line.C_off),
        paired(line.K_diag, line.K_off),
        _factorise(line, drop, sc, A_diag, A_off),
        bool(line.C_diag.any()),
        *contact_paths(line),
        gusts=np.zeros((0, 0)),
        gust_steps=1.0,
        gust_first=0,
        far=far,
    )


def _factorise(line: LinearLine, drop: np.ndarray, sc: Scheme, A_diag: np.ndarray, A_off: np.ndarray) -> np.ndarray:
    D = np.zeros((drop.size, line.b))  # a taut dropper is a spring (and damper) in its station's block
    for k in range(4):
        np.add.at(D, (np.arange(drop.size), drop["dof"][:, k]), drop["weight"][:, k])
    stiffness = drop["k"] + sc.C_u * drop["c"]
    np.add.at(A_diag, drop["station"], stiffness[:, None, None] * D[:, :, None] * D[:, None, :])
    D_inv, U = np.empty_like(A_diag), np.empty_like(A_off)
    failed = factor(A_diag, A_off, np.empty((line.b, line.b)), D_inv, U)
    if failed >= 0:
        raise SimulationError(
            f"the line's step matrix is not positive definite at x = {line.x[failed]:.2f} m; check the line there"
        )
    return factors(D_inv, U)


def contact_paths(line: LinearLine) -> tuple[np.ndarray, np.ndarray]:
    """Contact wires, and their static shape (nw, ns, 4)."""
    table = np.zeros(len(line.paths), PATH)
    shape = np.zeros((len(line.paths), line.ns, 4))
    for k, p in enumerate(line.paths):
        table[k] = p.first, p.last, p.dof_w, -1 if p.dof_y is None else p.dof_y
        shape[k] = np.stack([p.z0, p.z0_x, p.y0, p.y0_x], axis=1)
    return table, shape


def train_arrays(
    pantographs: Sequence[LumpedPantograph],
    heights: Sequence[float],
    law: ContactLaw,
    sc: Scheme,
    damping: np.ndarray | float = 0.0,
) -> tuple[TrainArrays, np.ndarray]:
    """All pantographs as one system, and their elements.

    heights: of the wire at which each pantograph rests [m]; damping: that of a law, beside theirs (nm, nm) [N·s/m].
    """
    first = np.concatenate([[0], np.cumsum([p.size for p in pantographs])])
    nm = int(first[-1])
    M, C, K = np.zeros((3, nm, nm))
    directions: list[np.ndarray] = []
    elements: list[tuple[int, float, float, float]] = []
    for p, start, stop in zip(pantographs, first[:-1], first[1:], strict=True):
        M[start:stop, start:stop], C[start:stop, start:stop], K[start:stop, start:stop] = p.matrices()
        for d, element in elements_of(p):
            directions.append(np.concatenate([np.zeros(start), d, np.zeros(nm - stop)]))
            elements.append(element)
    table = np.zeros(len(elements), ELEMENT)
    for name, column_ in zip(("kind", "k", "c", "gap"), zip(*elements, strict=True), strict=False):
        table[name] = column_
    head = np.concatenate([_heads(p, start, z, law) for p, start, z in zip(pantographs, first, heights, strict=False)])
    head["power"], head["chi"] = law.exponent, hysteresis(law.restitution)
    head["impact"] = law.least_impact_speed
    C += damping
    A_inv = np.linalg.inv(sc.M_u * M + sc.C_u * C + K)
    return TrainArrays(M, C, K, A_inv, head, np.array(directions).reshape(-1, nm)), table


def _heads(p: LumpedPantograph, first: int, height: float, law: ContactLaw) -> np.ndarray:
    """Strips of a pantograph whose coordinates begin at ``first``."""
    head = np.zeros(len(p.heads), HEAD)
    head["mass"] = [first + strip.mass for strip in p.heads]
    head["roll"] = [0 if strip.roll is None else first + strip.roll + 1 for strip in p.heads]
    head["height"] = height
    head["kind"] = LANKARANI if law.kind == "lankarani-nikravesh" else CONTACT
    head["k"] = p.contact_stiffness if law.given_stiffness is None else law.given_stiffness
    head["c"] = p.contact_damping if law.damping is None else law.damping
    return head


def elements_of(p: LumpedPantograph) -> list[tuple[np.ndarray, tuple[int, float, float, float]]]:
    """Direction over the pantograph's masses and (kind, k, c, gap) of each stop and friction element."""
    found = []
    for k, stage in enumerate(p.stages, p.size - len(p.stages)):
        d = np.zeros(p.size)
        d[k] = 1.0
        d[k + 1 : k + 2] = -1.0
        for sign, travel in ((1.0, stage.stop_up), (-1.0, stage.stop_down)):
            if travel is not None:
                found.append((sign * d, (STOP, stage.stop_stiffness, 0.0, travel)))
        if stage.friction > 0.0:
            found.append((d, (FRICTION, stage.friction, stage.friction_speed, 0.0)))
    return found


def column_width(F: np.ndarray) -> int:
    """Number of stations that a column of A⁻¹ needs, found by sampling the window; F: tiled factors."""
    key = hashlib.sha256(F.tobytes()).digest()  # runs of one study often have the same factors
    return _WIDTHS.get(key, lambda: _column_width(F))


def _column_width(F: np.ndarray) -> int:
    ns, _, nt, *_ = F.shape
    some = np.unique(np.linspace(0, ns - 2, 25).astype(np.int64))
    y, x = np.zeros((2, 2 * ns + 2, nt, 4))
    return min(2 * ns + 2, 2 * int(1.3 * reach(F, some, TINY, np.zeros((2, nt, 4)), y, x) + 8))


def work_space(
    shape: tuple[int, int, int],
    train: TrainArrays,
    elements: np.ndarray,
    wires: int,
    nd: int,
    width: int,
    C_u: float,
    parts: int = 1,
    far: tuple[int, int] = (0, 0),
) -> Work:
    """Scratch space for vectors of ``shape`` (ns, nt, 4), ``wires`` contact wires and nd droppers.

    parts: of a dropper; far: modes of far spans and coordinates at the masts of one. The slots of contacts and
    elements already hold what never changes in them.
    """
    nm, nt = train.M.shape[0], shape[1]
    m = train.head.size * wires + elements.size + min(nd, _MOST_SLACK * parts)
    slot, D, S = constant_slots(train, elements, wires, m)
    q, s, rhs = np.zeros((4, *shape)), np.zeros(shape), np.zeros(shape)
    return Work(
        q=q,
        flat=q.reshape(4, -1),
        s_flat=s.reshape(-1),
        rhs_flat=rhs.reshape(-1),
        s=s,
        rhs=rhs,
        z=np.zeros((3, nm)),
        f=np.zeros(nm),
        slot=slot,
        slot_of=np.full(nd, -1, dtype=np.int64),
        count=np.zeros(1, dtype=np.int64),
        D=D,
        P=np.ascontiguousarray(D @ train.A_inv.T),
        X=np.zeros((m, width, nt, 4)),
        S=S,
        R=C_u * S,
        A=np.zeros((m, m)),
        r=np.zeros(m),
        load=np.zeros((2, nt, 4)),
        y=np.zeros((width, nt, 4)),
        push=np.zeros(0),
        far=np.zeros((3, far[0] + 2 * far[1])),
        masts=np.zeros((3, far[1])),
    )


def constant_slots(
    train: TrainArrays, elements: np.ndarray, wires: int, m: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """m slots, with the constant parts of D and S for contacts and elements."""
    nc, ne = train.head.size * wires, elements.size
    slot, D, S = np.zeros(m, SLOT), np.zeros((m, train.M.shape[0])), np.zeros((m, m))
    for name in ("kind", "k", "c", "power", "chi"):
        slot[name][:nc] = np.repeat(train.head[name], wires)
    for name in ("kind", "k", "c"):
        slot[name][nc : nc + ne] = elements[name]
    slot["on"][nc : nc + ne] = 1
    D[np.arange(nc), np.repeat(train.head["mass"], wires)] = 1.0
    D[nc : nc + ne] = train.direction
    S[nc : nc + ne, nc : nc + ne] = train.direction @ train.A_inv @ train.direction.T
    return slot, D, S
