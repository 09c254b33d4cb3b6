"""Adjoint derivatives of element outputs and constraint rates with respect to q, v and parameters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

import numpy as np

from panhead.engine.kernels.element_families import LANES, PAR, LaneRoom, evaluate
from panhead.engine.multibody.model_outputs import Observer
from panhead.engine.multibody.multibody_system import MultibodySystem
from panhead.engine.system import Vector
from panhead.engine.tables.named_parameters import places_of


@final
class StateCotangents:
    """Cotangents ∂J/∂ of a state and of every number in the tables."""

    def __init__(self, system: MultibodySystem) -> None:
        self.q, self.v = np.zeros((2, system.nq))
        self.p = np.zeros(system.tables.p.size)


def _room(system: MultibodySystem, outputs: int) -> LaneRoom:
    return LaneRoom(system.work.x, np.zeros(max(system.work.y.size, LANES * outputs)))


@final
class OutputAdjoint:
    """Adjoint of Σ weight · output; ``names`` as of an Observer."""

    def __init__(self, system: MultibodySystem, names: Sequence[str]) -> None:
        self.system, self.observer = system, Observer(system, names)

    def add(self, weights: Vector, t: float, q: Vector, v: Vector, u: Vector, bars: StateCotangents) -> None:
        """bars += Σ weight · ∂output/∂(q, v, p) at a state; weights (names,)."""
        system = self.system
        system.follow(t, q)
        rest, nothing = np.zeros(system.nq), np.zeros(system.nc)
        for f, (rows, columns, places) in self.observer.wanted.items():
            felt = np.zeros((len(system.packed.families[f].owners), len(system.packed.families[f].law.terms.outputs)))
            felt[rows, columns] = weights[places]
            if felt.any():
                law = system.packed.families[f].law
                width = felt.shape[1] * (2 * law.n + len(law.numbers))
                found = evaluate(
                    system.tables, _room(system, width), f, law.output_slopes.address, width, t, q, v, rest, nothing, u
                )
                _scatter(system, f, np.einsum("eo,eox->ex", felt, found.reshape(*felt.shape, -1)), bars)


def add_rate_adjoint(
    system: MultibodySystem, weights: np.ndarray, t: float, q: Vector, v: Vector, bars: StateCotangents
) -> None:
    """bars += Σ weight · ∂(ġ, gamma)/∂(q, v, p); weights (2, nc)."""
    system.follow(t, q)
    rest, nothing, none = np.zeros(system.nq), np.zeros(system.nc), np.zeros(system.nu)
    for f, family in enumerate(system.packed.families):
        n, m, law = family.law.n, family.law.m, family.law
        if m:
            rows = places_of(system.tables, f)[:, n : n + m] - system.nq
            felt = np.concatenate([weights[0][rows], weights[1][rows]], axis=1)
            if felt.any():
                width = 2 * m * (2 * n + len(law.numbers))
                found = evaluate(
                    system.tables, _room(system, width), f, law.rate_slopes.address, width, t, q, v, rest, nothing, none
                )
                _scatter(system, f, np.einsum("eo,eox->ex", felt, found.reshape(*felt.shape, -1)), bars)


def _scatter(system: MultibodySystem, f: int, found: np.ndarray, bars: StateCotangents) -> None:
    """found (elements, 2 n + np): by q, v and numbers of each element."""
    n, tables = system.packed.families[f].law.n, system.tables
    places = places_of(tables, f)[:, :n]
    np.add.at(bars.q, places, found[:, :n])
    np.add.at(bars.v, places, found[:, n : 2 * n])
    first = int(tables.sizes[f, PAR])
    bars.p[first : first + found.shape[0] * (found.shape[1] - 2 * n)] += found[:, 2 * n :].ravel()
