"""Derivatives by the parameters of a tension length: adjoint of droppers, masts and stringing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from panhead.railway.line.layout import PlacedTensionLength
from panhead.railway.line.span_cotangents import FOLDED, SpanCotangents
from panhead.railway.line.span_grid import Z_X, Z
from panhead.railway.line.span_matrices import Numbering
from panhead.railway.line.stringing_adjoint import StringingAdjoint, StringingCotangents, add_pull, pull_row
from panhead.railway.line.stringing_equations import Balance


@dataclass(frozen=True, slots=True)
class TensionLengthGradient:
    """∂J/∂ of one tension length's numbers."""

    piece: PlacedTensionLength
    balance: Balance
    drawn: StringingCotangents  #: droppers keep the heights wanted of them
    built: StringingCotangents  #: droppers keep their lengths
    table: dict[str, np.ndarray]  #: role → (elements, 8), the run's own, without stringing
    links: dict[str, np.ndarray]  #: the run's own: stiffness, damping, length, mass (links, 3)
    masts: np.ndarray  #: (masts, 3) mass, damping, stiffness on the contact wire
    ell: np.ndarray  #: (elements,) of the length of an element, stringing included


@dataclass(frozen=True, slots=True)
class StringGroup:
    """Spans of a tension length that were strung together, and the adjoints of that."""

    piece: PlacedTensionLength
    first: int  #: number of its first span in the tension length
    own: range  #: those of which the run takes its shape; the others are there to be felt
    balance: Balance
    drawn: StringingAdjoint
    built: StringingAdjoint

    def masts(self) -> list[int]:
        """Numbers of the masts that belong to the group: the first of each span, the last of the line."""
        last = self.own.stop == len(self.piece.spans)
        return [*self.own, *([self.own.stop] if last else [])]


def group_slope(
    group: StringGroup, numbering: Numbering, spans: dict[int, SpanCotangents], at_masts: dict[int, np.ndarray]
) -> TensionLengthGradient:
    """∂J/∂ of the parameters of a group from those of its own spans, for one objective, and of its own masts (3, b)."""
    balance, piece, n = group.balance, group.piece, group.balance.links.n
    table = {role: np.zeros_like(own) for role, own in balance.grid.table.items()}
    ell, q = np.zeros(balance.grid.ell.size), np.zeros(balance.grid.size)
    folded, weights = {name: np.zeros(n) for name in FOLDED}, np.zeros((n, 2))
    across = np.zeros((n, 4, 4))
    for k, given in spans.items():
        here, mine = slice(*balance.grid.starts[k - group.first :][:2]), balance.links.span == k - group.first
        for role, own in given.table.items():
            table[role][here] = own
        ell[here], weights[mine] = given.ell, given.weights
        for name in FOLDED:
            folded[name][mine] = given.folded[name]
        if numbering.lateral:
            across[mine] = given.across
        for role, shape in given.shape.items():
            stations = here.start + np.arange(len(shape))
            q[balance.grid.dof(stations, role, Z)] += shape[:, 0]
            q[balance.grid.dof(stations, role, Z_X)] += shape[:, 1]
    links = (
        _leaning_dropper_gradients(balance, folded, weights, across, q)
        if numbering.lateral
        else _dropper_gradients(balance, folded, weights, q)
    )
    masts, by_pull = _masts(group, numbering, at_masts, q)
    add_pull(group.drawn.elements, by_pull, table, ell)
    by_height, by_length = (np.where(balance.by_height == on, links["N0"], 0.0) for on in (True, False))
    # a dropper at the height wanted has N₀ = N; one that keeps its length has N₀ = k (L − L₀)
    pulls = links.pop("N", np.zeros(n))  # by which droppers are stiff sideways
    drawn = group.drawn.slope(q + _pull(balance, by_length), by_height + pulls)
    built = group.built.slope(q + _pull(balance, links["N0"]), pulls)
    links["length"] = -balance.links.k * links["N0"]
    return TensionLengthGradient(piece, balance, drawn, built, table, links, masts, ell + drawn.ell)


def _pull(balance: Balance, by_N0: np.ndarray) -> np.ndarray:
    """∂J/∂q through N₀ = k (L − L₀) of droppers that keep their lengths; (size,)."""
    (_, n), links, q = balance.geometry(), balance.links, np.zeros(balance.grid.size)
    for c, dofs in enumerate((links.z, links.y)):
        np.add.at(q, dofs[:, 0], by_N0 * links.k * n[:, c])
        np.add.at(q, dofs[:, 1], -by_N0 * links.k * n[:, c])
    return q


def _dropper_gradients(
    balance: Balance, folded: dict[str, np.ndarray], weights: np.ndarray, q: np.ndarray
) -> dict[str, np.ndarray]:
    """Derivatives by dropper parameters in the vertical plane; to q ∂J/∂ of the shape through their slope and length.

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


def _leaning_dropper_gradients(
    balance: Balance, folded: dict[str, np.ndarray], weights: np.ndarray, across: np.ndarray, q: np.ndarray
) -> dict[str, np.ndarray]:
    """Derivatives by dropper parameters with lateral motion: droppers act along n = (n_z, n_y), and across it with N/L.

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


def _masts(
    group: StringGroup, numbering: Numbering, at_masts: dict[int, np.ndarray], q: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """∂J/∂ of mass, damping and stiffness of a mast on the contact wires; and of the pull at it, which gives an arm its
    stiffness and goes to the shape q here."""
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
