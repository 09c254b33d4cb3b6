"""Equations of form finding: a cable line at rest whose droppers and tensions meet their targets.

    r(q, lam; T₀, L₀) = 0,   g(q) = 0        it hangs at rest
    N̄(q, T₀) = wanted                       mean tension of every cable, by its T₀
    z(q) = wanted                           height at the foot of every dropper that has one, by its length L₀

A fixed-point iteration on T₀ and L₀ comes close; Newton's method on the whole system finishes it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import final

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import splu

from panhead.engine.bodies import Cable
from panhead.engine.multibody.multibody_system import MultibodySystem
from panhead.engine.system import Vector
from panhead.runs.cables.cable_wires import Catenary

_ROUNDS = 6
_FINE = 1e-11  # [m] a step of Newton's method after which nothing is left


@final
@dataclass(frozen=True, slots=True)
class TensionSlopes:
    """Derivatives ∂N̄/∂ of a cable's mean tension; by T₀ it is 1."""

    nodes: np.ndarray  #: (nodes, 2 d) places and slopes of its nodes
    lengths: np.ndarray  #: (elements,)
    stiffness: float  #: of EA


@final
@dataclass(frozen=True, slots=True)
class FormFound:
    """Form-finding equations at one state."""

    catenary: Catenary
    system: MultibodySystem
    q: Vector
    lam: Vector

    @property
    def tensions(self) -> list[str]:
        """Cables whose T₀ is found."""
        return list(self.catenary.targets)

    @property
    def lengths(self) -> list[str]:
        """Droppers whose length is found."""
        return list(self.catenary.heights)

    def matrix(self, *, built: bool = False) -> sp.csc_array:
        """∂(r, g, N̄, z)/∂(q, lam, T₀, L₀); ``built``: droppers keep their lengths, (r, g, N̄) by (q, lam, T₀)."""
        system, q, lam = self.system, self.q, self.lam
        rest, none = np.zeros(system.nq), np.zeros(system.nu)
        whole = system.tangent((0.0, 0.0, 1.0), 0.0, q, rest, rest, lam, none)
        names = list(system.parameters)
        by_number = system.residual_p(0.0, q, rest, rest, lam, none)
        lengths = [] if built else self.lengths
        columns = [names.index(f"{c}.tension") for c in self.tensions] + [names.index(f"{d}.rest") for d in lengths]
        right = sp.vstack([by_number[:, columns], sp.csr_array((system.nc, len(columns)))])
        below = sp.lil_array((len(columns), system.nq + system.nc))
        for k, name in enumerate(self.tensions):
            places = node_places(system, self.catenary.cables[name])
            below[k, places.ravel()] = self.slopes_of(name).nodes.ravel()
        for k, name in enumerate(lengths, len(self.tensions)):
            below[k, system.place(self.catenary.heights[name][0])] = 1.0
        corner = sp.diags_array(np.arange(len(columns)) < len(self.tensions), dtype=float)
        return sp.block_array([[whole, right], [below, corner]], format="csc")

    def slopes_of(self, cable: str) -> TensionSlopes:
        """Derivatives of one cable's mean tension."""
        return tension_slopes(
            self.catenary.cables[cable], self.q[node_places(self.system, self.catenary.cables[cable])]
        )

    def missing(self) -> Vector:
        """Residual of the equations."""
        system, rest, c = self.system, np.zeros(self.system.nq), self.catenary
        G = system.constraint_q(0.0, self.q)
        r = G.T @ self.lam - system.force(0.0, self.q, rest, np.zeros(system.nu))
        places = dict(zip(system.coordinates, map(float, self.q), strict=True))
        p = system.parameters
        tensions = [mean_tension(c.cables[n], places, p[f"{n}.tension"]) - x for n, x in c.targets.items()]
        heights = [places[name] - wanted for name, wanted in c.heights.values()]
        return np.concatenate([r, system.constraint(0.0, self.q), tensions, heights])


def newton_form_finding(found: FormFound) -> dict[str, float]:
    """T₀ and L₀ by Newton's method from a state that is near; none where it does not settle, as with droppers that
    hang on the edge of slackness."""
    nq, nc = found.system.nq, found.system.nc
    names = [f"{c}.tension" for c in found.tensions] + [f"{d}.rest" for d in found.lengths]
    for _ in range(_ROUNDS):
        step = splu(found.matrix()).solve(-found.missing())
        p = found.system.parameters
        numbers = {name: p[name] + float(dx) for name, dx in zip(names, step[nq + nc :], strict=True)}
        system = found.system.changed(numbers)
        found = FormFound(found.catenary, system, found.q + step[:nq], found.lam + step[nq : nq + nc])
        if np.abs(step[:nq]).max() < _FINE:
            return numbers
    return {}


def node_places(system: MultibodySystem, cable: Cable) -> np.ndarray:
    """Indices in q of positions and slopes of a cable's nodes, (nodes, 2 d)."""
    return np.array([[system.place(n) for n in cable.node_names(k)] for k in range(len(cable.nodes))])


def mean_tension(cable: Cable, places: Mapping[str, float], tension: float) -> float:
    """Mean along the cable of N = T₀ + EA (|r′| − 1), by Simpson's rule in every element [N]."""
    nodes = np.array([[places[n] for n in cable.node_names(k)] for k in range(len(cable.nodes))])
    strain, *_ = _strain(cable, nodes)
    L = cable.lengths
    return float(tension + cable.axial_stiffness * (strain * L).sum() / L.sum())


def _strain(cable: Cable, nodes: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Mean strain of every element (n,), r′ in its middle (n, d), slopes at nodes (n + 1, d)."""
    d = cable.dimensions
    r, s, L = nodes[:, :d], nodes[:, d:], cable.lengths[:, None]
    middle = 1.5 * (r[1:] - r[:-1]) / L - 0.25 * (s[1:] + s[:-1])
    size = lambda x: np.linalg.norm(x, axis=1)
    return (size(s[:-1]) + 4 * size(middle) + size(s[1:])) / 6 - 1, middle, s


def tension_slopes(cable: Cable, nodes: np.ndarray) -> TensionSlopes:
    """∂ of the mean tension by the nodes (n, 2 d), by the elements' lengths and by EA."""
    d, L, EA = cable.dimensions, cable.lengths, cable.axial_stiffness
    strain, middle, s = _strain(cable, nodes)
    along, at = middle / np.linalg.norm(middle, axis=1)[:, None], s / np.linalg.norm(s, axis=1)[:, None]
    found, total, share = np.zeros_like(nodes), float(L.sum()), L[:, None] / 6.0
    found[1:, :d] += along
    found[:-1, :d] -= along
    found[:-1, d:] += share * (at[:-1] - along)
    found[1:, d:] += share * (at[1:] - along)
    stretch = float((strain * L).sum()) / total
    chord = (nodes[1:, :d] - nodes[:-1, :d]) / L[:, None]
    by_length = strain - (along * chord).sum(axis=1) - stretch
    return TensionSlopes(EA / total * found, EA / total * by_length, stretch)
