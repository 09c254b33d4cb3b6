"""Parameter families of the line: from ∂J/∂ of elements, droppers and masts to the terms of a drawing."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from panhead.railway.line.presag import sag_at
from panhead.railway.line.span_grid import Y, Z
from panhead.railway.line.span_mesh import MASS, TENSION
from panhead.railway.line.stringing_adjoint import pull_row
from panhead.runs.gradients.run_cotangents import LineSlopes, Named
from panhead.runs.gradients.tension_lengths import TensionLengthGradient


def droppers(values: Callable[[TensionLengthGradient], np.ndarray]) -> Callable[[LineSlopes], Named]:
    def of(s: LineSlopes) -> Named:
        for piece in s.pieces:
            links = [(k, link) for k, mesh in enumerate(piece.balance.grid.meshes) for link in mesh.links]
            for (k, link), value in zip(links, values(piece), strict=True):
                side = {"contact2": " left", "auxiliary": " auxiliary"}.get(link.lower, "")
                yield f"{piece.piece.name}, span {k + 1}, dropper {link.number}{side}", float(value)

    return of


def wires(column: int) -> Callable[[LineSlopes], Named]:
    def of(s: LineSlopes) -> Named:
        for piece in s.pieces:
            for role in piece.balance.grid.roles:
                if role == "contact2":
                    continue
                roles = [r for r in piece.balance.grid.roles if r.rstrip("2") == role]
                whole = sum(piece.table[r][:, column] + piece.drawn.table[r][:, column] for r in roles)
                total = float(np.sum(whole))
                if role == "stitch" and column == TENSION:  # which the messenger does not carry there
                    there = piece.balance.grid.table["stitch"][:, MASS] > 0
                    m = piece.table["messenger"][:, column] + piece.drawn.table["messenger"][:, column]
                    total -= float(m[there].sum())
                yield f"{piece.piece.name}, {role}", total

    return of


def masts(values: Callable[[TensionLengthGradient], np.ndarray]) -> Callable[[LineSlopes], Named]:
    def of(s: LineSlopes) -> Named:
        layout = s.model.strung.layout
        for piece in s.pieces:
            for k, value in enumerate(values(piece)):
                yield layout.mast_name(piece.piece, piece.piece.first + k), float(value)

    return of


def heights(piece: TensionLengthGradient) -> np.ndarray:
    """Derivatives by contact wire heights at masts, which move all wires there and the nominal heights beside them."""
    grid, drawn = piece.balance.grid, piece.drawn
    found = np.zeros(len(grid.posts))
    for mast in range(found.size):
        for role in grid.roles:
            if role != "stitch":
                found[mast] += drawn.held[int(grid.dof(grid.starts[mast], role, Z))]
    links = [(k, link.x / mesh.plan.length) for k, mesh in enumerate(grid.meshes) for link in mesh.links]
    for (k, xi), height in zip(links, drawn.height, strict=True):
        found[k] += (1.0 - xi) * height
        found[k + 1] += xi * height
    return found


def encumbrances(piece: TensionLengthGradient) -> np.ndarray:
    """Derivative by the encumbrance, vertical also where the track is canted."""
    grid, tilt = piece.balance.grid, np.array([post.tilt for post in piece.balance.grid.posts])
    over, aside = (piece.drawn.held[grid.dof(grid.starts, "messenger", c)] for c in (Z, Y))
    return np.asarray(np.cos(tilt) * over - np.sin(tilt) * aside)


def arms(values: Callable[[TensionLengthGradient], np.ndarray]) -> Callable[[LineSlopes], Named]:
    """Derivative by a parameter of the masts that have a steady arm."""
    every = masts(values)

    def of(s: LineSlopes) -> Named:
        posts = [post for piece in s.pieces for post in piece.balance.grid.posts]
        for post, pair in zip(posts, every(s), strict=True):
            if post.support.steady_arm is not None and not post.anchor:
                yield pair

    return of


def arm_masses(piece: TensionLengthGradient) -> np.ndarray:
    """Derivative by arm mass: a third of an arm moves with the wire, half of its weight hangs on it."""
    return np.asarray(piece.masts[:, 0] / 3.0 + piece.drawn.arm[:, 0])


def arm_lengths(piece: TensionLengthGradient) -> np.ndarray:
    """Derivative by arm length, through the stiffness R L²/(L² − h²)^{3/2} and the lift R h/√(L² − h²)."""
    found = piece.drawn.arm[:, 1].copy()
    for mast, post in enumerate(piece.balance.grid.posts):
        arm = post.support.steady_arm
        if arm is not None and not post.anchor:
            _, pull = pull_row(piece.balance, mast)
            under = arm.length**2 - arm.rise**2
            found[mast] += (
                piece.masts[mast, 2] * pull * (2.0 * arm.length / under**1.5 - 3.0 * arm.length**3 / under**2.5)
            )
    return found


def staggers(piece: TensionLengthGradient) -> np.ndarray:
    """Derivative by the lateral position of the contact wires; an auxiliary wire follows them."""
    grid = piece.balance.grid
    moved = [role for role in grid.roles if role.startswith("contact") or role == "auxiliary"]
    return np.sum([piece.drawn.held[grid.dof(grid.starts, role, Y)] for role in moved], axis=0)


def presag(s: LineSlopes) -> Named:
    total = 0.0
    for piece in s.pieces:
        links = [(link.x, mesh.plan.length) for mesh in piece.balance.grid.meshes for link in mesh.links]
        for (x, length), height in zip(links, piece.drawn.height, strict=True):
            total -= sag_at(1.0, x, length) * float(height)
    yield "line", total
