"""From the matrices of a run to the numbers of its line: assembly and stringing taken back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from panhead.errors import ModelError
from panhead.kernels.interaction_slopes import Slope
from panhead.laws.hermite import shape
from panhead.line.balance import Balance
from panhead.line.blocks import BlockPart, Numbering
from panhead.line.elements import locate, mass_by_length, stiffness_by_length, wire_at, wire_mass, wire_stiffness
from panhead.line.grid import Z_X, Z
from panhead.line.layout import Piece
from panhead.line.linear import LinearLine, parts_of
from panhead.line.mesh import ALPHA, BENDING, BETA, MASS, TENSION, mesh_span
from panhead.line.string_slopes import StringAdjoint, StringSlope, add_pull, pull_row
from panhead.line.stringing import balanced
from panhead.runs.solvers.linear.adjoint import RunTape

_MOST = 40  # spans of a tension length that is strung as one


@dataclass(frozen=True, slots=True)
class PieceSlope:
    """∂J/∂ of one tension length's numbers."""

    piece: Piece
    balance: Balance
    drawn: StringSlope  #: droppers keep the heights wanted of them
    built: StringSlope  #: droppers keep their lengths
    table: dict[str, np.ndarray]  #: role → (elements, 6), the run's own, without stringing
    links: dict[str, np.ndarray]  #: the run's own: stiffness, damping, length, mass (links, 3)
    masts: np.ndarray  #: (masts, 3) mass, damping, stiffness on the contact wire
    ell: np.ndarray  #: (elements,) of the length of an element, stringing included


def line_slopes(tape: RunTape, slopes: Sequence[tuple[Slope, np.ndarray]]) -> list[list[PieceSlope]]:
    """∂J/∂ of the numbers of every tension length, for every slope and what goes with where its masses begin."""
    linear, line = tape.session.window.linear, tape.session.window.line
    if linear.numbering.lateral:
        raise ModelError("gradient: lateral motion cannot be taken back yet; set lateral = false")
    strings = strings_of(tape)
    found = []
    for slope, first in slopes:
        blocks = [
            _blocks(linear, slope.M, line.M.place, slope.M_rest),
            _blocks(linear, slope.C, line.C.place, slope.C_rest),
            _blocks(linear, slope.K, line.K.place, slope.K_rest),
        ]
        wires, links = slope.shape + _beginning(tape, slope, first), _links_of_run(tape, slope)
        found.append([_piece(s, linear, blocks, wires, {k: v[s.links] for k, v in links.items()}) for s in strings])
    return found


@dataclass(frozen=True, slots=True)
class Strings:
    """A tension length as it was strung, and the adjoints of that."""

    piece: Piece
    parts: list[BlockPart]
    links: np.ndarray  #: which droppers of the window are its own
    balance: Balance
    drawn: StringAdjoint
    built: StringAdjoint


def strings_of(tape: RunTape) -> list[Strings]:
    """Every tension length of a recorded run."""
    linear, model = tape.session.window.linear, tape.session.model
    layout, element_length = model.strung.layout, model.run.numerics.element_length
    parts, _, _ = parts_of(linear.source, linear.first_span, linear.stop_span)
    found = []
    for piece in layout.pieces:
        if len(piece.spans) > _MOST:
            raise ModelError(f"gradient: {piece.name} has {len(piece.spans)} spans; at most {_MOST} can be taken back")
        plans = [layout.plan(piece, number) for number in range(piece.first, piece.stop)]
        names = [f"{piece.name}, span {k + 1}," for k in range(len(plans))]
        balance = balanced([mesh_span(plan, element_length) for plan in plans], names)
        adjoints = (StringAdjoint(balance, lengths=on) for on in (False, True))
        mine = [p for p in parts if p.piece.index == piece.index]
        found.append(Strings(piece, mine, _of(parts, piece), balance, *adjoints))
    return found


def _of(parts: list[BlockPart], piece: Piece) -> np.ndarray:
    """Which droppers of a window, in the order of its parts, belong to a tension length."""
    sizes = [(p.piece.index == piece.index, p.blocks.links["x"].size) for p in parts]
    return np.concatenate([np.full(n, mine) for mine, n in sizes])


def _blocks(linear: LinearLine, pair: np.ndarray, place: np.ndarray, rest: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """∂J/∂ of the diagonal blocks (ns, b, b) and of the upper ones (ns − 1, b, b), which stand for the lower too."""
    ns, b = linear.ns, linear.b
    nt = pair.shape[2]
    diag, off = np.zeros((ns, 4 * nt, 4 * nt)), np.zeros((ns - 1, 4 * nt, 4 * nt))
    for t in range(nt):
        for k in range(4):
            r = 4 * t + k
            for c, column in ((r, k), (4 * t + (k ^ 1), 4 + k)):
                diag[:, r, c] += pair[:, 0, t, column]
                off[:, r, c] += pair[:-1, 2, t, column]
                off[:, c, r] += pair[1:, 1, t, column]
    for (i, d, j, e), value in zip(place, rest, strict=True):
        if i == j:
            diag[i, d, e] += value
        elif j == i + 1:
            off[i, d, e] += value
        else:
            off[j, e, d] += value
    on = linear.active
    diag, off = diag[:, :b, :b], off[:, :b, :b]
    return diag * (on[:, :, None] & on[:, None, :]), off * (on[:-1, :, None] & on[1:, None, :])


def _beginning(tape: RunTape, slope: Slope, first: np.ndarray) -> np.ndarray:
    """∂J/∂ of the wires' static shape through where the pantographs begin; (nw, ns, 4)."""
    linear, model = tape.session.window.linear, tape.session.model
    touch, height = beginnings(tape, slope, first)
    found, masts = np.zeros_like(slope.shape), linear.x[linear.masts]
    for p, x in enumerate(model.timetable.start - model.behind):
        mast = masts[max(0, int(np.searchsorted(masts, x, side="right")) - 1)]
        for share, at in ((touch[p], float(x)), (height[p], float(mast))):
            lowest = lowest_wire(linear, at)
            e = int(locate(at, linear.x))
            ell = linear.x[e + 1] - linear.x[e]
            for k, n in enumerate(shape((at - linear.x[e]) / ell, ell)):
                found[lowest, e + (k >> 1), k & 1] += share * n
    return found


def lowest_wire(linear: LinearLine, x: float) -> int:
    """Which contact wire is the lowest above x."""
    there = [k for k, w in enumerate(linear.paths) if linear.x[w.first] <= x < linear.x[w.last]]
    return min(there, key=lambda k: wire_at(x, linear.x, linear.paths[k].z0, linear.paths[k].z0_x))


def beginnings(tape: RunTape, slope: Slope, first: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """∂J/∂ of the height at which each head begins, and of the height its coordinate counts from; (np,) each."""
    session, model = tape.session, tape.session.model
    masses = [len(p.stages) for p in model.pantographs]
    share = 1.0 - model.timetable.lifted(np.arange(tape.steps + 1) * session.sc.h)
    rest = share @ slope.uplift  # of the lifting forces that hold the masses where they start
    by_z = first + session.train.K.T @ rest
    touch = np.add.reduceat(by_z, np.concatenate([[0], np.cumsum(masses)[:-1]]))
    return touch, slope.head[:, 0] - touch


def _links_of_run(tape: RunTape, slope: Slope) -> dict[str, np.ndarray]:
    """∂J/∂ of the droppers' folded numbers in the order of the window's parts."""
    linear = tape.session.window.linear
    order = np.argsort(linear.droppers.station, kind="stable")
    found = {}
    for name in ("k", "c", "N0"):
        values = np.zeros(order.size)
        values[order] = getattr(slope, name)
        found[name] = values
    return found


def _piece(
    strings: Strings, linear: LinearLine, blocks: list[tuple[np.ndarray, np.ndarray]], wires: np.ndarray,
    folded: dict[str, np.ndarray],
) -> PieceSlope:  # fmt: skip
    piece, balance, parts = strings.piece, strings.balance, strings.parts
    numbering, offset = linear.numbering, parts[0].start
    table, ell = _tables(balance, numbering, piece, parts, blocks)
    links, q = _unfolded(balance, folded, numbering, piece, blocks[0][0], offset)
    _add_shape(balance, linear, piece, wires, offset, q)
    masts, by_pull = _masts(balance, numbering, piece, blocks, linear, offset, q)
    add_pull(balance, by_pull, table, ell)
    by_height, by_length = (np.where(balance.by_height == on, links["N0"], 0.0) for on in (True, False))
    # a dropper at the height wanted has N₀ = N; one that keeps its length has N₀ = k (L − L₀)
    drawn = strings.drawn.slope(q + _pull(balance, by_length), by_height)
    built = strings.built.slope(q + _pull(balance, links["N0"]), np.zeros(balance.links.n))
    links["length"] = -balance.links.k * links["N0"]
    return PieceSlope(piece, balance, drawn, built, table, links, masts, ell + drawn.ell)


def _pull(balance: Balance, by_N0: np.ndarray) -> np.ndarray:
    """∂J/∂q through N₀ = k (L − L₀) of droppers that keep their lengths; (size,)."""
    (_, n), links, q = balance.geometry(), balance.links, np.zeros(balance.grid.size)
    for c, dofs in enumerate((links.z, links.y)):
        np.add.at(q, dofs[:, 0], by_N0 * links.k * n[:, c])
        np.add.at(q, dofs[:, 1], -by_N0 * links.k * n[:, c])
    return q


def _tables(
    balance: Balance, numbering: Numbering, piece: Piece, parts: list[BlockPart],
    blocks: list[tuple[np.ndarray, np.ndarray]],
) -> tuple[dict[str, np.ndarray], np.ndarray]:  # fmt: skip
    """∂J/∂ of every element's T, EI, μ, α, β, and of its length, through the matrices of the run."""
    found: dict[str, list[np.ndarray]] = {role: [] for role in balance.grid.roles}
    lengths = np.zeros(balance.grid.ell.size)
    for part, mesh in zip(parts, balance.grid.meshes, strict=True):
        rows = slice(part.start, part.stop), slice(part.start, part.stop - 1)
        mine = [(diag[rows[0]].copy(), off[rows[1]].copy()) for diag, off in blocks]
        _untie(part, numbering, piece, mine)
        ell = np.diff(mesh.x)
        for role in balance.grid.roles:
            first = numbering.dof(piece.index, role)
            M, C, K = (_gathered(diag, off, first) for diag, off in mine)
            found[role].append(_wire(ell, mesh.wires[role], M, C, K))
            here = slice(part.start - parts[0].start, part.stop - 1 - parts[0].start)
            lengths[here] += _by_length(ell, mesh.wires[role], M, C, K)
    return {role: np.concatenate(tables) for role, tables in found.items()}, lengths


def _untie(part: BlockPart, numbering: Numbering, piece: Piece, mine: list[tuple[np.ndarray, np.ndarray]]) -> None:
    """What a stitch wire's ends, which are the messenger's, feel: as the messenger."""
    wires = part.blocks.strung.mesh.wires
    if "stitch" not in wires:
        return
    there = wires["stitch"][:, MASS] > 0
    s, m = numbering.dof(piece.index, "stitch"), numbering.dof(piece.index, "messenger")
    for station in np.flatnonzero(there[1:] != there[:-1]) + 1:
        for diag, off in mine:
            for view in (off[station - 1].T, off[station], diag[station].T, diag[station]):
                view[s] = view[m]


def _gathered(diag: np.ndarray, off: np.ndarray, first: int) -> np.ndarray:
    """∂J/∂ of each element's matrix, (ne, 4, 4); the upper right corner stands for both."""
    here = slice(first, first + 2)
    element = np.zeros((off.shape[0], 4, 4))
    element[:, :2, :2] = diag[:-1, here, here]
    element[:, 2:, 2:] = diag[1:, here, here]
    element[:, :2, 2:] = off[:, here, here]
    return element


def _wire(ell: np.ndarray, table: np.ndarray, M: np.ndarray, C: np.ndarray, K: np.ndarray) -> np.ndarray:
    found = np.zeros_like(table)
    there = table[:, MASS] != 0.0
    one, none = np.ones_like(ell), np.zeros_like(ell)
    alpha, beta = (table[:, c, None, None] for c in (ALPHA, BETA))
    dot = lambda a, b: np.einsum("eij,eij->e", a, b)
    stiff, heavy = K + beta * C, M + alpha * C
    found[:, TENSION] = dot(stiff, wire_stiffness(ell, one, none))
    found[:, BENDING] = dot(stiff, wire_stiffness(ell, none, one))
    found[:, MASS] = dot(heavy, wire_mass(ell, one))
    found[:, ALPHA] = dot(C, wire_mass(ell, table[:, MASS]))
    found[:, BETA] = dot(C, wire_stiffness(ell, table[:, TENSION], table[:, BENDING]))
    return np.where(there[:, None], found, 0.0)


def _by_length(ell: np.ndarray, table: np.ndarray, M: np.ndarray, C: np.ndarray, K: np.ndarray) -> np.ndarray:
    """∂J/∂ of each element's length through one wire's matrices."""
    alpha, beta = (table[:, c, None, None] for c in (ALPHA, BETA))
    found = np.einsum("eij,eij->e", M + alpha * C, mass_by_length(ell, table[:, MASS]))
    found += np.einsum("eij,eij->e", K + beta * C, stiffness_by_length(ell, table[:, TENSION], table[:, BENDING]))
    return np.where(table[:, MASS] != 0.0, found, 0.0)


def _unfolded(
    balance: Balance, folded: dict[str, np.ndarray], numbering: Numbering, piece: Piece, M: np.ndarray, offset: int
) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Droppers' own numbers from those of the vertical plane, and ∂J/∂ of the shape through their slope and length."""
    links, q = balance.links, np.zeros(balance.grid.size)
    (L, n), kinds = balance.geometry(), [link.kind for mesh in balance.grid.meshes for link in mesh.links]
    nz, ny = n.T
    c = np.array([kind.damping for kind in kinds])
    N0 = np.where(balance.by_height, balance.tension, links.k * (L - np.nan_to_num(balance.given)))
    by_nz = 2.0 * nz * (folded["k"] * links.k + folded["c"] * c) + folded["N0"] * N0
    # ∂n_z/∂(z, y) = (n_y², −n_z n_y)/L
    for dofs, share in ((links.z, ny**2 / L), (links.y, -nz * ny / L)):
        np.add.at(q, dofs[:, 0], by_nz * share)
        np.add.at(q, dofs[:, 1], -by_nz * share)
    top, bottom = (
        np.array([M[i + offset, d, d] for i, d in zip(links.station, dofs, strict=True)])
        for dofs in ([numbering.dof(piece.index, up) for up, _ in links.ends],
                     [numbering.dof(piece.index, low) for _, low in links.ends])
    )  # fmt: skip
    half = 0.5 * links.mass[:, 0] * (top + bottom)  # a longer dropper is heavier
    for dofs, share in ((links.z, nz), (links.y, ny)):
        np.add.at(q, dofs[:, 0], half * share)
        np.add.at(q, dofs[:, 1], -half * share)
    by_N0 = folded["N0"] * nz
    found = {
        "k": folded["k"] * nz**2 + np.where(balance.by_height, 0.0, by_N0 * (L - np.nan_to_num(balance.given))),
        "c": folded["c"] * nz**2,
        "N0": by_N0,
        "mass": np.stack([0.5 * L * (top + bottom), top, bottom], axis=1),
    }
    return found, q


def _add_shape(
    balance: Balance, linear: LinearLine, piece: Piece, wires: np.ndarray, offset: int, q: np.ndarray
) -> None:
    grid = balance.grid
    stations = np.arange(grid.n)
    mine = [k for k, path in enumerate(linear.paths) if path.piece == piece.index]
    for k, role in zip(mine, grid.contact, strict=True):
        q[grid.dof(stations, role, Z)] += wires[k, offset : offset + grid.n, 0]
        q[grid.dof(stations, role, Z_X)] += wires[k, offset : offset + grid.n, 1]


def _masts(
    balance: Balance, numbering: Numbering, piece: Piece, blocks: list[tuple[np.ndarray, np.ndarray]],
    linear: LinearLine, offset: int, q: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    """∂J/∂ of mass, damping and stiffness that a mast puts on the contact wires; and of the pull at it, by which an
    arm is stiff, and which goes to the shape q here."""
    grid = balance.grid
    found, by_pull = np.zeros((len(grid.posts), 3)), np.zeros(len(grid.posts))
    for mast, post in enumerate(grid.posts):
        if post.anchor:
            continue
        station = int(grid.starts[mast]) + offset
        dofs = [numbering.dof(piece.index, role) for role in grid.contact]
        for k, (diag, _) in enumerate(blocks):
            found[mast, k] = np.mean([diag[station, d, d] for d in dofs])
        arm = post.support.steady_arm
        if arm is not None:
            row, _ = pull_row(balance, mast)
            by_pull[mast] = found[mast, 2] * arm.length**2 / (arm.length**2 - arm.rise**2) ** 1.5
            q += by_pull[mast] * np.asarray(row.todense()).ravel()
    return found, by_pull
