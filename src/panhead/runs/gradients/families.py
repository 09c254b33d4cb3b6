"""Families of parameters: from the slopes of a run to named numbers of its line, pantographs and train."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from panhead.kernels.interaction_slopes import Back, Slope
from panhead.line.grid import Y, Z
from panhead.line.mesh import ALPHA, BENDING, BETA, MASS, TENSION
from panhead.runs.gradients.line import PieceSlope
from panhead.runs.solvers.linear.adjoint import RunTape


@dataclass(frozen=True, slots=True)
class Slopes:
    """Everything known of ∂J/∂ after a sweep back."""

    tape: RunTape
    slope: Slope
    back: Back
    pieces: list[PieceSlope]


Named = Iterator[tuple[str, float]]


@dataclass(frozen=True, slots=True)
class ParameterFamily:
    """Parameters of one kind: what each is called and ∂J/∂ of it."""

    unit: str
    about: str
    of: Callable[[Slopes], Named]


def _droppers(values: Callable[[PieceSlope], np.ndarray]) -> Callable[[Slopes], Named]:
    def of(s: Slopes) -> Named:
        for piece in s.pieces:
            links = [(k, link) for k, mesh in enumerate(piece.balance.grid.meshes) for link in mesh.links]
            for (k, link), value in zip(links, values(piece), strict=True):
                side = {"contact2": " left", "auxiliary": " auxiliary"}.get(link.lower, "")
                yield f"{piece.piece.name}, span {k + 1}, dropper {link.number}{side}", float(value)

    return of


def _wires(column: int) -> Callable[[Slopes], Named]:
    def of(s: Slopes) -> Named:
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


def _masts(values: Callable[[PieceSlope], np.ndarray]) -> Callable[[Slopes], Named]:
    def of(s: Slopes) -> Named:
        layout = s.tape.session.model.strung.layout
        for piece in s.pieces:
            for k, value in enumerate(values(piece)):
                yield layout.mast_name(piece.piece, piece.piece.first + k), float(value)

    return of


def _heights(piece: PieceSlope) -> np.ndarray:
    """The height of the contact wire at a mast moves all wires held there, and the heights wanted beside it."""
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


def _staggers(piece: PieceSlope) -> np.ndarray:
    grid = piece.balance.grid
    rows = [[int(grid.dof(grid.starts[m], role, Y)) for role in grid.contact] for m in range(len(grid.posts))]
    return np.array([piece.drawn.held[row].sum() for row in rows])


def _presag(s: Slopes) -> Named:
    total = 0.0
    for piece in s.pieces:
        links = [(link.x, mesh.plan.length) for mesh in piece.balance.grid.meshes for link in mesh.links]
        for (x, length), height in zip(links, piece.drawn.height, strict=True):
            total -= 4.0 * x * (length - x) / length**2 * float(height)
    yield "line", total


def _stages(value: Callable[[Slopes, int, int], float]) -> Callable[[Slopes], Named]:
    """value(slopes, number of the mass, number of the one below or −1)."""

    def of(s: Slopes) -> Named:
        first = 0
        for name, p in zip(s.tape.session.model.names, s.tape.session.model.pantographs, strict=True):
            for k in range(len(p.stages)):
                below = first + k + 1 if k + 1 < len(p.stages) else -1
                yield f"{name}, stage {k + 1}", value(s, first + k, below)
            first += len(p.stages)

    return of


def _between(matrix: np.ndarray, i: int, j: int) -> float:
    """∂J/∂ of a spring between masses i and j (−1: the roof)."""
    return float(matrix[i, i] if j < 0 else matrix[i, i] - matrix[i, j] - matrix[j, i] + matrix[j, j])


def _stiffness(s: Slopes, i: int, j: int) -> float:
    """K also holds the masses where they start, by forces that fade while the pantograph is lifted."""
    model, session = s.tape.session.model, s.tape.session
    share = 1.0 - model.timetable.lifted(np.arange(s.tape.steps + 1) * session.sc.h)
    rest = np.outer(share @ s.slope.uplift, s.tape.states[0].z[0])
    return _between(s.slope.K_train + rest, i, j)


def _heads(column: int) -> Callable[[Slopes], Named]:
    def of(s: Slopes) -> Named:
        yield from zip(s.tape.session.model.names, map(float, s.slope.head[:, column]), strict=True)

    return of


def _lift(power: int) -> Callable[[Slopes], Named]:
    def of(s: Slopes) -> Named:
        model = s.tape.session.model
        times = np.arange(s.tape.steps + 1) * s.tape.session.sc.h
        share = model.timetable.lifted(times) * model.timetable.speed(times) ** power
        last = np.cumsum([len(p.stages) for p in model.pantographs]) - 1
        yield from zip(model.names, map(float, share @ s.slope.uplift[:, last]), strict=True)

    return of


def _spacing(s: Slopes) -> Named:
    for p, name in enumerate(s.tape.session.model.names[1:], 1):
        yield name, -float(s.slope.position[:, p].sum())


FAMILIES: Mapping[str, ParameterFamily] = {
    "dropper.length": ParameterFamily("m", "unstretched length of a dropper, as it is cut; all others keep theirs",
                             _droppers(lambda p: p.links["length"] + p.built.length)),
    "dropper.stiffness": ParameterFamily("N/m", "stiffness of a dropper",
                                _droppers(lambda p: p.links["k"] + p.drawn.stiffness)),
    "dropper.damping": ParameterFamily("N*s/m", "damping of a dropper", _droppers(lambda p: p.links["c"])),
    "dropper.mass": ParameterFamily("kg", "mass of the lower clamp of a dropper",
                           _droppers(lambda p: p.links["mass"][:, 2] + p.drawn.mass[:, 2])),
    "wire.tension": ParameterFamily("N", "tension of a wire; droppers restore the heights wanted", _wires(TENSION)),
    "wire.mass": ParameterFamily("kg/m", "mass per length of a wire", _wires(MASS)),
    "wire.bending": ParameterFamily("N*m**2", "bending stiffness of a wire", _wires(BENDING)),
    "wire.mass_damping": ParameterFamily("1/s", "damping of a wire by its mass, α", _wires(ALPHA)),
    "wire.stiffness_damping": ParameterFamily("s", "damping of a wire by its stiffness, β", _wires(BETA)),
    "support.height": ParameterFamily("m", "height of the contact wire at a mast", _masts(_heights)),
    "support.stagger": ParameterFamily("m", "stagger at a mast", _masts(_staggers)),
    "support.mass": ParameterFamily("kg", "mass on the contact wire at a mast", _masts(lambda p: p.masts[:, 0])),
    "support.damping": ParameterFamily("N*s/m", "damping at a mast", _masts(lambda p: p.masts[:, 1])),
    "support.stiffness": ParameterFamily("N/m", "contact wire's spring at a mast", _masts(lambda p: p.masts[:, 2])),
    "presag": ParameterFamily("m", "pre-sag of the contact wire at mid-span", _presag),
    "pantograph.mass": ParameterFamily("kg", "mass of a stage", _stages(lambda s, i, j: float(s.slope.M_train[i, i]))),
    "pantograph.stiffness": ParameterFamily("N/m", "suspension of a stage", _stages(_stiffness)),
    "pantograph.damping": ParameterFamily("N*s/m", "damper of a stage",
                                 _stages(lambda s, i, j: _between(s.slope.C_train, i, j))),
    "pantograph.static_force": ParameterFamily("N", "static force", _lift(0)),
    "pantograph.aerodynamic": ParameterFamily("N*s**2/m**2", "uplift per speed squared", _lift(2)),
    "contact.stiffness": ParameterFamily("N/m", "contact between head and wire", _heads(1)),
    "contact.damping": ParameterFamily("N*s/m", "damping of the contact", _heads(2)),
    "train.behind": ParameterFamily("m", "distance of a pantograph behind the first", _spacing),
}  # fmt: skip
