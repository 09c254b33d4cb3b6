"""From the matrices of a run to the numbers of a tension length: assembly and stringing taken back."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from panhead.line.balance import Balance
from panhead.line.blocks import Numbering
from panhead.line.elements import mass_by_length, stiffness_by_length, wire_mass, wire_stiffness
from panhead.line.grid import Z_X, Z
from panhead.line.layout import Piece
from panhead.line.mesh import ALPHA, BENDING, BETA, MASS, TENSION, SpanMesh
from panhead.line.string_slopes import StringAdjoint, StringSlope, add_pull, pull_row
from panhead.runs.solvers.linear.bars import FOLDED


@dataclass(frozen=True, slots=True)
class PieceSlope:
    """∂J/∂ of one tension length's numbers."""

    piece: Piece
    balance: Balance
    drawn: StringSlope  #: droppers keep the heights wanted of them
    built: StringSlope  #: droppers keep their lengths
    table: dict[str, np.ndarray]  #: role → (elements, 8), the run's own, without stringing
    links: dict[str, np.ndarray]  #: the run's own: stiffness, damping, length, mass (links, 3)
    masts: np.ndarray  #: (masts, 3) mass, damping, stiffness on the contact wire
    ell: np.ndarray  #: (elements,) of the length of an element, stringing included


@dataclass(frozen=True, slots=True)
class SpanGiven:
    """∂J/∂ of one span, one number's share of ``bars.PartBars``."""

    diag: np.ndarray  #: (3, n + 1, b, b) of M, C, K
    off: np.ndarray  #: (3, n, b, b)
    folded: dict[str, np.ndarray]
    shape: dict[str, np.ndarray]


@dataclass(frozen=True, slots=True)
class StringGroup:
    """Spans of a tension length that were strung together, and the adjoints of that."""

    piece: Piece
    first: int  #: number of its first span in the tension length
    own: range  #: those of which the run takes its shape; the others are there to be felt
    balance: Balance
    drawn: StringAdjoint
    built: StringAdjoint

    def masts(self) -> list[int]:
        """Numbers in the tension length of the masts that are its own: a span's first, the line's last."""
        last = self.own.stop == len(self.piece.spans)
        return [*self.own, *([self.own.stop] if last else [])]


def group_slope(
    group: StringGroup, numbering: Numbering, spans: dict[int, SpanGiven], at_masts: dict[int, np.ndarray]
) -> PieceSlope:
    """∂J/∂ of the numbers of a group from those of its own spans and of its own masts (3, b)."""
    balance, piece = group.balance, group.piece
    table, ell = _tables(group, numbering, spans)
    folded = {name: np.zeros(balance.links.n) for name in FOLDED}
    q, weights = np.zeros(balance.grid.size), np.zeros((balance.links.n, 2))
    across = np.zeros((balance.links.n, 4, 4))
    for k, given in spans.items():
        mine = balance.links.span == k - group.first
        for name in FOLDED:
            folded[name][mine] = given.folded[name]
        station = balance.grid.meshes[k - group.first].link_station
        ends = [balance.links.ends[n] for n in np.flatnonzero(mine)]
        for n, (at, roles) in zip(np.flatnonzero(mine), zip(station, ends, strict=True), strict=True):
            dofs = [numbering.dof(piece.index, role) for role in roles]
            weights[n] = sum(given.diag[0, at, [d + s for d in dofs], [d + s for d in dofs]] for s in shifts(numbering))
            if numbering.lateral:
                places = [dofs[0], dofs[0] + 2, dofs[1], dofs[1] + 2]
                across[n] = given.diag[2, at][np.ix_(places, places)]
        _add_shape(balance, int(balance.grid.starts[k - group.first]), given, q)
    links = (
        _leaning(balance, folded, weights, across, q) if numbering.lateral else _unfolded(balance, folded, weights, q)
    )
    masts, by_pull = _masts(group, numbering, at_masts, q)
    add_pull(balance, by_pull, table, ell)
    by_height, by_length = (np.where(balance.by_height == on, links["N0"], 0.0) for on in (True, False))
    # a dropper at the height wanted has N₀ = N; one that keeps its length has N₀ = k (L − L₀)
    pulls = links.pop("N", np.zeros(balance.links.n))  # by which droppers are stiff sideways
    drawn = group.drawn.slope(q + _pull(balance, by_length), by_height + pulls)
    built = group.built.slope(q + _pull(balance, links["N0"]), pulls)
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
    group: StringGroup, numbering: Numbering, spans: dict[int, SpanGiven]
) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """∂J/∂ of every element's T, EI, μ, α, β, and of its length, through the matrices of the run."""
    grid = group.balance.grid
    found = {role: np.zeros_like(table) for role, table in grid.table.items()}
    lengths = np.zeros(grid.ell.size)
    for k, given in spans.items():
        mesh, piece = grid.meshes[k - group.first], group.piece.index
        here = slice(*grid.starts[k - group.first : k - group.first + 2])
        mine = list(zip(given.diag.copy(), given.off.copy(), strict=True))
        _untie(mesh, numbering, piece, mine)
        ell = np.diff(mesh.x)
        for role in grid.roles:
            first = numbering.dof(piece, role)
            M, C, K = (
                np.sum([_gathered(diag, off, first + s) for s in shifts(numbering)], axis=0) for diag, off in mine
            )
            found[role][here] = _wire(ell, mesh.wires[role], M, C, K)
            lengths[here] += _by_length(ell, mesh.wires[role], M, C, K)
    return found, lengths


def _untie(mesh: SpanMesh, numbering: Numbering, piece: int, mine: list[tuple[np.ndarray, np.ndarray]]) -> None:
    """What a stitch wire's ends, which are the messenger's, feel: as the messenger."""
    if "stitch" not in mesh.wires:
        return
    there = mesh.wires["stitch"][:, MASS] > 0
    s, m = numbering.dof(piece, "stitch"), numbering.dof(piece, "messenger")
    for station in np.flatnonzero(there[1:] != there[:-1]) + 1:
        for diag, off in mine:
            for view in (off[station - 1].T, off[station], diag[station].T, diag[station]):
                for shift in shifts(numbering):
                    view[s + shift] = view[m + shift]


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
    balance: Balance, folded: dict[str, np.ndarray], weights: np.ndarray, q: np.ndarray
) -> dict[str, np.ndarray]:
    """Droppers' own numbers from those of the vertical plane; to q ∂J/∂ of the shape through their slope and length.

    weights (links, 2): ∂J/∂ of the masses at their ends.
    """
    links = balance.links
    (L, n), kinds = balance.geometry(), [link.kind for mesh in balance.grid.meshes for link in mesh.links]
    nz, ny = n.T
    c = np.array([kind.damping for kind in kinds])
    N0 = np.where(balance.by_height, balance.tension, links.k * (L - np.nan_to_num(balance.given)))
    by_nz = 2.0 * nz * (folded["k"] * links.k + folded["c"] * c) + folded["N0"] * N0
    # ∂n_z/∂(z, y) = (n_y², −n_z n_y)/L
    for dofs, share in ((links.z, ny**2 / L), (links.y, -nz * ny / L)):
        np.add.at(q, dofs[:, 0], by_nz * share)
        np.add.at(q, dofs[:, 1], -by_nz * share)
    top, bottom = weights.T
    half = 0.5 * links.mass[:, 0] * (top + bottom)  # a longer dropper is heavier
    for dofs, share in ((links.z, nz), (links.y, ny)):
        np.add.at(q, dofs[:, 0], half * share)
        np.add.at(q, dofs[:, 1], -half * share)
    by_N0 = folded["N0"] * nz
    return {
        "k": folded["k"] * nz**2 + np.where(balance.by_height, 0.0, by_N0 * (L - np.nan_to_num(balance.given))),
        "c": folded["c"] * nz**2,
        "N0": by_N0,
        "mass": np.stack([0.5 * L * (top + bottom), top, bottom], axis=1),
    }


def _leaning(
    balance: Balance, folded: dict[str, np.ndarray], weights: np.ndarray, across: np.ndarray, q: np.ndarray
) -> dict[str, np.ndarray]:
    """The same with lateral motion: droppers act along n = (n_z, n_y), and across it with N/L.

    across (links, 4, 4): ∂J/∂ of the stiffness between (w, y) of the upper and of the lower end, N/L · a aᵀ,
    a = (n_y, −n_z, −n_y, n_z).
    """
    links, (L, n), N = balance.links, balance.geometry(), balance.tension
    nz, ny = n.T
    a = np.stack([ny, -nz, -ny, nz], axis=1)
    felt = np.einsum("ni,nij,nj->n", a, across, a)
    a_bar = (N / L)[:, None] * np.einsum("nij,nj->ni", across + across.transpose(0, 2, 1), a)
    by_z, by_y = folded["nz"] - a_bar[:, 1] + a_bar[:, 3], folded["ny"] + a_bar[:, 0] - a_bar[:, 2]
    top, bottom = weights.T
    by_L = 0.5 * links.mass[:, 0] * (top + bottom) - felt * N / L**2
    # ∂n_z/∂(z, y) = (n_y², −n_z n_y)/L, ∂n_y/∂(z, y) = (−n_z n_y, n_z²)/L
    of_z = by_L * nz + (by_z * ny**2 - by_y * nz * ny) / L
    of_y = by_L * ny + (by_y * nz**2 - by_z * nz * ny) / L
    for dofs, share in ((links.z, of_z), (links.y, of_y)):
        np.add.at(q, dofs[:, 0], share)
        np.add.at(q, dofs[:, 1], -share)
    by_length = np.where(balance.by_height, 0.0, L - np.nan_to_num(balance.given))
    return {
        "k": folded["k"] + folded["N0"] * by_length,
        "c": folded["c"],
        "N0": folded["N0"],
        "N": felt / L,
        "mass": np.stack([0.5 * L * (top + bottom), top, bottom], axis=1),
    }


def shifts(numbering: Numbering) -> range:
    """Of the coordinates of a wire: w, and with lateral motion y."""
    return range(0, numbering.per_wire, 2)


def _add_shape(balance: Balance, first: int, given: SpanGiven, q: np.ndarray) -> None:
    """∂J/∂ of the static shape of the contact wires of a span that begins at station ``first``."""
    for role, shape in given.shape.items():
        stations = first + np.arange(len(shape))
        q[balance.grid.dof(stations, role, Z)] += shape[:, 0]
        q[balance.grid.dof(stations, role, Z_X)] += shape[:, 1]


def _masts(
    group: StringGroup, numbering: Numbering, at_masts: dict[int, np.ndarray], q: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """∂J/∂ of mass, damping and stiffness that a mast puts on the contact wires; and of the pull at it, by which an
    arm is stiff, and which goes to the shape q here."""
    balance, grid = group.balance, group.balance.grid
    found, by_pull = np.zeros((len(grid.posts), 3)), np.zeros(len(grid.posts))
    dofs = [numbering.dof(group.piece.index, role) for role in grid.contact]
    for number, given in at_masts.items():
        mast = number - group.first
        post = grid.posts[mast]
        if post.anchor:
            continue
        found[mast] = given[:, dofs].mean(axis=1)
        arm = post.support.steady_arm
        if arm is not None:
            row, _ = pull_row(balance, mast)
            by_pull[mast] = found[mast, 2] * arm.length**2 / (arm.length**2 - arm.rise**2) ** 1.5
            q += by_pull[mast] * np.asarray(row.todense()).ravel()
    return found, by_pull
