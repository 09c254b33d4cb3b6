"""Static equilibrium and form finding of a cable line: dropper lengths for target heights, wires for target
tensions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import final

import numpy as np
from scipy.interpolate import CubicHermiteSpline

from panhead.engine.bodies import Cable
from panhead.engine.methods.equilibrium import equilibrium
from panhead.engine.methods.linear_solvers import saddle_matrix, solver_for
from panhead.engine.multibody import Model
from panhead.engine.multibody.model_outputs import Observer
from panhead.engine.multibody.multibody_system import MultibodySystem
from panhead.engine.roles import Triple
from panhead.engine.system import Vector
from panhead.errors import NotConverged
from panhead.runs.cables.cable_wires import Catenary
from panhead.runs.cables.form_finding import FormFound, mean_tension, newton_form_finding

_HEIGHT, _TENSION = 1e-5, 0.2  # how well heights [m] and mean tensions [N] are met
_CLOSE = 5e-3, 200.0  # [m], [N] from where Newton's method on everything at once is tried
_ROUNDS, _ITERATIONS = 25, 60
IDLE = 1e-3  # [1/s²] of the mass added to the stiffness, so that idle spins of links stay where they are
_LONGEST = 0.2  # [m, rad] longest Newton step


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class RestingLine:
    """Line at rest: the parameters found, and the positions of its nodes."""

    catenary: Catenary
    numbers: Mapping[str, float]  #: parameters of the model, changed by form finding
    places: Mapping[str, float]  #: coordinate → value
    tensions: Mapping[str, float]  #: cable → mean tension reached [N]
    dropper_forces: Mapping[str, float]  #: dropper → its pull [N]
    found: FormFound  #: the equations of form finding, solved

    def height(self, wire: Cable, x: float) -> float:
        """Height of a wire's rest shape at a position along the line [m]."""
        d = wire.dimensions
        nodes = np.array([[self.places[n] for n in wire.node_names(k)] for k in range(len(wire.nodes))])
        shape = CubicHermiteSpline(wire.breaks, nodes[:, d - 1], nodes[:, 2 * d - 1])
        return float(shape(x - wire.nodes[0][0]))


def equilibrium_of_cables(
    system: MultibodySystem, guess: Vector, *, u: Vector | None = None, t: float = 0.0
) -> tuple[Vector, Vector]:
    """Static equilibrium of a large model: q and lam with f(t, q, 0, u) = g_qᵀ lam, g = 0.

    Newton on the sparse saddle matrix; directions without stiffness (a link's own spin) are left alone. Where it
    stops, ``equilibrium`` finds its way with step halving and load steps, or says where it ends.
    """
    nq = len(system.coordinates)
    q, rest = np.array(guess, float), np.zeros(nq)
    lam = np.zeros(len(system.constraints))
    u = np.zeros(len(system.controls)) if u is None else u
    for _ in range(_ITERATIONS):
        G = system.constraint_q(t, q)
        r = np.concatenate([G.T @ lam - system.force(t, q, rest, u), system.constraint(t, q)])
        K = system.reaction_q(t, q, lam) - system.force_q(t, q, rest, u) + IDLE * system.mass(t, q)
        step = solver_for(saddle_matrix(K, G)).solve(-r)
        size = float(np.abs(step[:nq]).max())
        share = min(1.0, _LONGEST / size) if size > 0 else 1.0
        q, lam = q + share * step[:nq], lam + share * step[nq:]
        if size < 1e-11:
            return q, lam
    q, lam = equilibrium(system, guess, t=t, u=u)
    return q, lam


def hang(catenary: Catenary, gravity: Triple, *, form_finding: bool = True) -> RestingLine:
    """Find the equilibrium of the line; adjust droppers and wires until heights and tensions match their targets."""
    system = Model(name="line", items=catenary.all_items(), gravity=gravity).system()
    q, sharp = system.start.q, not form_finding
    numbers: dict[str, float] = {}
    for _ in range(_ROUNDS):
        q, lam = equilibrium_of_cables(system, q)
        places = dict(zip(system.coordinates, map(float, q), strict=True))
        tension0 = {name: system.parameters[f"{name}.tension"] for name in catenary.cables}
        tensions = {name: mean_tension(cable, places, tension0[name]) for name, cable in catenary.cables.items()}
        high = {name: places[c] - wanted for name, (c, wanted) in catenary.heights.items()}
        off = max((abs(tensions[n] - t) for n, t in catenary.targets.items()), default=0.0)
        wrong = max(map(abs, high.values()), default=0.0)
        if not sharp and off < _CLOSE[1] and wrong < _CLOSE[0]:
            sharp = True
            if finer := newton_form_finding(FormFound(catenary, system, q, lam)):
                numbers |= finer
                system = system.changed(numbers)
                continue
        if not form_finding or (off < _TENSION and wrong < _HEIGHT):
            pulls = Observer(system, [f"{d.name}.force" for d in catenary.droppers]).at(0.0, q)
            return RestingLine(
                catenary=catenary,
                numbers=numbers,
                places=places,
                tensions=tensions,
                dropper_forces={d.name: float(f) for d, f in zip(catenary.droppers, pulls, strict=True)},
                found=FormFound(catenary, system, q, lam),
            )
        for name, error in high.items():
            numbers[f"{name}.rest"] = system.parameters[f"{name}.rest"] + error
        for name, wanted in catenary.targets.items():
            numbers[f"{name}.tension"] = tension0[name] + wanted - tensions[name]
        system = system.changed(numbers)
    raise NotConverged(
        f"form finding did not converge in {_ROUNDS} rounds: heights differ by {wrong:.2g} m and tensions by "
        f"{off:.2g} N. Check the dropper stiffness, or hang the line without form finding."
    )
