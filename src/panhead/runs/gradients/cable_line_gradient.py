"""Derivatives by the description of a cable line: adjoint of form finding, items and stringing.

Form finding solves F(q, lam, T₀, L₀) = 0 (``cables.form_finding``); with (∂F/∂(q, lam, T₀, L₀))ᵀ ψ = J̄ every
other parameter has dJ/dp = ∂J/∂p − ψᵀ ∂F/∂p. For the derivative by a dropper's length all L₀ are given and only
the tensions are found. Elements are as long as the polygon of the strung shape, whose adjoint is
``StringingAdjoint``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
from scipy.sparse.linalg import splu

from panhead.engine.bodies import Cable
from panhead.engine.joints import Held
from panhead.engine.laws.hermite import gauss
from panhead.railway.line.element_slopes import ElementDerivatives
from panhead.railway.line.layout import PlacedTensionLength
from panhead.railway.line.span_grid import Y, Z
from panhead.railway.line.span_mesh import ALPHA, AXIAL, BENDING, BETA, MASS, TENSION, mesh_span
from panhead.railway.line.stringing import string_spans
from panhead.railway.line.stringing_adjoint import StringingAdjoint
from panhead.railway.line.stringing_equations import Balance
from panhead.runs.cables.cables_adjoint import CableSlopes
from panhead.runs.cables.cables_tape import CableTape
from panhead.runs.gradients.tension_lengths import TensionLengthGradient

_DAMPER_POINTS = 3  # of a Cable


@final
@dataclass(frozen=True, slots=True)
class CableLineCotangents:
    """Cotangents ∂J/∂ of the line's parameters by name, one entry per element; of lengths, targets and heights."""

    numbers: dict[str, np.ndarray]
    lengths: dict[str, np.ndarray]  #: cable → (elements,) beside those among its numbers
    stiffness: dict[str, float]  #: cable → of EA beside those among its numbers
    tensions: dict[str, float]  #: cable → of the mean tension wanted
    heights: dict[str, float]  #: dropper → of the height wanted at its foot

    def of(self, name: str) -> np.ndarray:
        """Nothing in the model is called so: NaN."""
        return self.numbers.get(name, np.array([np.nan]))


def cable_line_cotangents(tape: CableTape, slopes: CableSlopes, *, built: bool) -> CableLineCotangents:
    """Adjoint of form finding; ``built``: droppers keep their lengths."""
    whole, found = tape.whole, tape.whole.line.found
    line, system = found.system, whole.system
    p = np.zeros(line.tables.p.size)
    for name, places in line.places_of_numbers.items():
        p[places] = slopes.p[system.places_of_numbers[name]]
    heights = [] if built else found.lengths
    q = _line_state(tape, slopes)
    named = [f"{c}.tension" for c in found.tensions] + [f"{d}.rest" for d in heights]
    load = np.concatenate([q, np.zeros(line.nc), [p[line.places_of_numbers[name]].sum() for name in named]])
    psi = splu(found.matrix(built=built)).solve(load, trans="T")
    rest, none, at = np.zeros(line.nq), np.zeros(line.nu), line.nq + line.nc
    p -= line.weighed_by_number(psi[:at], 0.0, found.q, rest, rest, found.lam, none)
    by_tension = dict(zip(found.tensions, psi[at:], strict=False))
    lengths, stiffness = _on_wires(tape, slopes), {}
    for name, felt in by_tension.items():
        own = found.slopes_of(name)
        lengths[name] -= felt * own.lengths
        stiffness[name] = -felt * own.stiffness
    return CableLineCotangents(
        {name: p[places] for name, places in line.places_of_numbers.items()},
        lengths,
        stiffness,
        {name: float(x) for name, x in by_tension.items()},
        dict(zip(heights, map(float, psi[at + len(found.tensions) :]), strict=True)),
    )


def _line_state(tape: CableTape, slopes: CableSlopes) -> np.ndarray:
    """∂J/∂ of the equilibrium of the line alone, from which uplift is measured."""
    whole, line = tape.whole, tape.whole.line.found.system
    found = np.zeros(line.nq)
    np.add.at(found, [line.place(s.height) for s in whole.line.catenary.supports], slopes.rest)
    return found


def _on_wires(tape: CableTape, slopes: CableSlopes) -> dict[str, np.ndarray]:
    """∂J/∂ of element lengths through the sliders on them."""
    cables, first = tape.whole.line.catenary.cables, 0
    found = {name: np.zeros(len(cable.lengths)) for name, cable in cables.items()}
    wires = [name for name in cables if name.startswith("contact")]
    for k in range(len(tape.whole.contacts)):
        name = wires[k % len(wires)]
        found[name] += slopes.lengths[first : first + len(found[name])]
        first += len(found[name])
    return found


@final
class _DescriptionCotangents:
    """Cotangents of one tension length's description, while they are summed."""

    def __init__(self, tape: CableTape, balance: Balance, bars: CableLineCotangents) -> None:
        self.tape, self.balance, self.bars, self.grid = tape, balance, bars, balance.grid
        self.cables = tape.whole.line.catenary.cables
        self.q, self.N = np.zeros(self.grid.size), np.zeros(balance.links.n)
        self.held = np.zeros(self.grid.size)
        self.table = {role: np.zeros((self.grid.ell.size, 6)) for role in self.grid.roles}

    def at(self, role: str, node: int, axis: str) -> int:
        """Coordinate of the strung shape for a node's y or z."""
        return int(self.grid.dof(node, role, Z if axis == "z" else Y))

    def wires(self) -> None:
        """∂J/∂ of every element's T, EI, μ, α, β, EA, and of the shape through its length."""
        for role in self.grid.roles:
            cable, own = self.cables[role], self.table[role]
            row, n = self.grid.table[role][0], len(self.cables[role].lengths)
            of = lambda name, cable=cable: self.bars.of(f"{cable.name}.{name}")
            lengths = self.bars.lengths[role] + of("length")[:n]
            own[:, MASS], own[:, BENDING] = of("m"), of("EI")
            own[:, AXIAL] = of("EA") + self.bars.stiffness.get(role, 0.0) / n
            own[:, TENSION] = self.bars.tensions.get(role, 0.0) / n
            if f"{role}.drag" in self.bars.numbers:
                lengths += self._dampers(cable, row, own)
            else:
                own[:, [ALPHA, BETA]] = np.nan
            self._polygon(role, cable, lengths)

    def _dampers(self, cable: Cable, row: np.ndarray, own: np.ndarray) -> np.ndarray:
        """Damping α μ, β EA and β EI of every element; return their contribution to its length."""
        n, L = len(cable.lengths), cable.lengths
        points = gauss(_DAMPER_POINTS)
        z, w = (np.array([point[k] for point in points]) for k in (0, 1))
        of = lambda name: self.bars.of(f"{cable.name}.{name}")[-n * len(points) :].reshape(n, -1)
        cA, cI, drag = (of(name) @ w * L for name in ("cA", "cI", "drag"))
        own[:, MASS] += row[ALPHA] * drag
        own[:, ALPHA] += row[MASS] * drag
        own[:, BENDING] += row[BETA] * cI
        own[:, AXIAL] += row[BETA] * cA
        own[:, BETA] += row[AXIAL] * cA + row[BENDING] * cI
        whole = cable.stretch_damping * cA + cable.bend_damping * cI + cable.drag * drag
        return np.asarray(of("x") @ z + of("length").sum(axis=1) + whole / L)

    def _polygon(self, role: str, cable: Cable, lengths: np.ndarray) -> None:
        """Element lengths as those of the polygon of nodes."""
        along = np.diff(np.array(cable.nodes), axis=0) / cable.lengths[:, None]
        stations = np.arange(len(cable.nodes))
        for column, component in ((1, Y), (2, Z)):
            dofs, felt = self.grid.dof(stations, role, component), lengths * along[:, column]
            self.q[dofs[1:]] += felt
            self.q[dofs[:-1]] -= felt

    def holds(self) -> None:
        """Nodes fixed at masts on the strung shape; heights of held contact wires."""
        (item,) = (i for i in self.tape.whole.line.catenary.items if isinstance(i, Held))
        ends = {0, self.grid.n - 1}
        for name, value in zip(item.values, self.bars.of("holds.value"), strict=True):
            role, _, place = name.rpartition(".")
            node, axis = int(place[:-1]), place[-1]
            if axis == "x":
                continue
            free = role.startswith("contact") and axis == "z" and node not in ends
            (self.held if free else self.q)[self.at(role, node, axis)] += value

    def droppers(self, *, built: bool) -> dict[str, np.ndarray]:
        """∂J/∂ of stiffness, damping, length and masses of droppers; found lengths pass theirs on to the shape."""
        balance, links = self.balance, self.balance.links
        (L, n), of = balance.geometry(), self.bars.of
        kept = np.ones(links.n, dtype=bool) if built else ~balance.by_height
        unstretched = np.where(balance.by_height, L - balance.tension / links.k, np.nan_to_num(balance.given))
        found = {name: np.zeros(links.n) for name in ("k", "c", "length")} | {"mass": np.zeros((links.n, 3))}
        for j, name in enumerate(self._dropper_names()):
            foot, head = (float(of(f"{name} {end}.mass")[0]) for end in ("foot", "head"))
            both = float(np.nansum([foot, head]))
            per_length = float(links.mass[j, 0])
            heavier = 0.5 * per_length * both
            found["k"][j], found["c"][j] = of(f"{name}.stiffness")[0], of(f"{name}.damping")[0]
            found["mass"][j] = 0.5 * float(unstretched[j]) * both, head, foot
            if kept[j]:
                found["length"][j] = of(f"{name}.rest")[0] + heavier
            elif heavier:
                self._add_length(j, heavier, n[j], found["k"])
        return found

    def _add_length(self, j: int, felt: float, n: np.ndarray, by_k: np.ndarray) -> None:
        """∂J/∂ of a length found by stringing, L₀ = L(q) − N/k."""
        links = self.balance.links
        self.N[j] -= felt / links.k[j]
        by_k[j] += felt * self.balance.tension[j] / links.k[j] ** 2
        for dofs, share in ((links.z[j], n[0]), (links.y[j], n[1])):
            self.q[dofs[0]] += felt * share
            self.q[dofs[1]] -= felt * share

    def _dropper_names(self) -> list[str]:
        pairs = [(s, k) for s, mesh in enumerate(self.grid.meshes, 1) for k in range(1, len(mesh.links) + 1)]
        return [f"dropper {s}-{k}" for s, k in pairs]

    def heights(self) -> np.ndarray:
        """∂J/∂ of the target heights, (links,)."""
        return np.array([self.bars.heights.get(name, 0.0) for name in self._dropper_names()])

    def masts(self) -> tuple[np.ndarray, np.ndarray]:
        """∂J/∂ of mass, damping, stiffness on the contact wires, and of mass and length of steady arms."""
        found, arms = np.full((len(self.grid.posts), 3), np.nan), np.full((len(self.grid.posts), 2), np.nan)
        of = lambda name: float(self.bars.of(name)[0])
        for mast, post in enumerate(self.grid.posts):
            if post.anchor:
                continue
            node, name = int(self.grid.starts[mast]), f"mast {mast}"
            self._add(f"{name} messenger.rest", "messenger", node, "z")
            roles = self.grid.contact
            keys = ("arm.mass", "spring.damping", "spring.stiffness")
            found[mast] = [sum(of(f"{name} {role} {key}") for role in roles) for key in keys]
            for role in roles:
                self._add(f"{name} {role} spring.rest", role, node, "z")
                self._add(f"{name} {role} hold.rest", role, node, "y")
            if post.support.steady_arm is not None:
                each = [self._arm(f"{name} {role} steady arm", role, node, post.support.steady_arm) for role in roles]
                arms[mast] = found[mast, 0] / 3.0, sum(each)
        return found, arms

    def _add(self, name: str, role: str, node: int, axis: str) -> None:
        if name in self.bars.numbers:
            self.q[self.at(role, node, axis)] += float(self.bars.of(name)[0])

    def _arm(self, name: str, role: str, node: int, arm: object) -> float:
        """Geometry of a steady arm: heel √(L² − h²) aside and h above; return ∂J/∂ of its length."""
        length, rise = arm.length, arm.rise  # type: ignore[attr-defined]
        reach = float(np.sqrt(length**2 - rise**2))
        self._add(f"{name}.0.p.1", role, node, "y")
        self._add(f"{name}.0.p.2", role, node, "z")
        heel = self.tape.whole.line.found.system.parameters[f"{name}.0.p.1"]
        side = float(np.sign(heel - self.cables[role].nodes[node][1]))
        return float(self.bars.of(f"{name}.length")[0] + self.bars.of(f"{name}.0.p.1")[0] * side * length / reach)


def tension_length_gradient(tape: CableTape, slopes: CableSlopes) -> tuple[TensionLengthGradient, np.ndarray]:
    """∂J/∂ of the parameters of the only tension length, and of mass and length of its steady arms, (masts, 2)."""
    layout, element_length = tape.model.strung.layout, tape.model.run.numerics.element_length
    (piece,) = layout.pieces
    balance = _balance(tape, piece, element_length)
    drawn, built = (
        _DescriptionCotangents(tape, balance, cable_line_cotangents(tape, slopes, built=lengths))
        for lengths in (False, True)
    )
    links, cut = drawn.droppers(built=False), built.droppers(built=True)
    masts, arms = drawn.masts()
    for taken in (drawn, built):
        taken.wires()
        taken.holds()
    built.masts()
    elements = ElementDerivatives(balance)
    by_drawing = StringingAdjoint(balance, elements, lengths=False).slope(drawn.q, drawn.N)
    by_erector = StringingAdjoint(balance, elements, lengths=True).slope(built.q, np.zeros(balance.links.n))
    by_drawing.held[:] += drawn.held
    by_drawing.height[:] += drawn.heights()
    own = {**links, "length": cut["length"]}
    return TensionLengthGradient(
        piece, balance, by_drawing, by_erector, drawn.table, own, masts, by_drawing.ell
    ), arms + by_drawing.arm


def _balance(tape: CableTape, piece: PlacedTensionLength, element_length: float) -> Balance:
    layout = tape.model.strung.layout
    plans = [layout.plan(piece, number) for number in range(piece.first, piece.stop)]
    names = [f"{piece.name}, span {k + 1}," for k in range(len(plans))]
    return string_spans([mesh_span(plan, element_length) for plan in plans], names)
