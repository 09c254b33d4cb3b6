"""Adjoint of the cable solver: taped run and backward sweep, ∂J/∂ of every parameter of the model.

The steps are those of generalized-α over tables of elements (``methods.alpha_adjoint``), with border, sliding joints,
droppers and contacts in the mode of the step. Between two checkpoints states are recomputed, so that memory grows with
the square root of the number of steps. Newton's method is iterated to round-off, with a new factorization every step.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import final

import numpy as np

from panhead.engine.kernels.element_families import PAR, P
from panhead.engine.kernels.sliders import BEGIN, ELEMENT, FAMILY, FIRST
from panhead.engine.methods.alpha_adjoint import Instant, backward_step, zero_cotangents
from panhead.engine.methods.integrators import GeneralizedAlpha
from panhead.engine.methods.integrators.table_alpha import TabledMarch
from panhead.engine.methods.table_matrix import TabledMatrix
from panhead.engine.methods.trajectory import Problem
from panhead.engine.multibody.model_outputs import Observer
from panhead.engine.multibody.output_derivatives import OutputAdjoint, StateCotangents
from panhead.errors import ModelError
from panhead.runs.cables.cable_wires import ONSET
from panhead.runs.cables.cables_assembly import CableSystem, assemble, resting_line
from panhead.runs.cables.cables_march import METHOD
from panhead.runs.cables.cables_options import CableOptions
from panhead.runs.cables.cables_tape import CableCheckpoint, CableTape
from panhead.runs.cables.initial_state_adjoint import accelerations_back, rates_back, rest_back
from panhead.runs.cables.observers import contact_columns, joint_force
from panhead.runs.linear.step.adjoint_arrays import OutputCotangents
from panhead.runs.resolve import ResolvedRun, starts_settled

_STATE = ("q", "v", "a", "acceleration", "lam")


@final
@dataclass(frozen=True, slots=True)
class CableSlopes:
    """Derivatives ∂J/∂ after a backward sweep."""

    p: np.ndarray  #: of every number in the tables of the whole system
    rest: np.ndarray  #: (supports,) of the heights uplift is counted from
    lengths: np.ndarray  #: (elements of the wires under sliders,) of their lengths, through what slides on them
    push: np.ndarray  #: (steps + 1, masses) of a force on each mass of the chains, upwards
    rest_push: np.ndarray  #: (masses,) of a force on each mass, through where everything rests at the start
    start: np.ndarray  #: (nq,) of the rates before they are moved onto ġ = 0


def refuse(resolved: ResolvedRun) -> None:
    """ModelError for a run of cables that is not differentiable, with the remedy."""
    resolved.require("cable-taped")
    run, options = resolved.run, resolved.run.cables or CableOptions()
    if run.control is not None and (run.control.controller() is not None or run.control.search is not None):
        raise ModelError(
            "gradient: with solver 'cables', a sampled control law or one with searched parameters is not "
            "differentiable; use a damper (kind derivative, bang-bang or exponential), or solver 'linear' for kind "
            "rates"
        )
    if not starts_settled(run):
        raise ModelError(
            "gradient: with solver 'cables' the run must start in equilibrium; remove journey.settled = false"
        )
    if options.straight or options.displaced or options.mast_elements > 1:
        raise ModelError(
            "gradient: the options `straight`, `displaced` and `mast_elements` of `cables` are not differentiable; "
            "remove them"
        )


def record(resolved: ResolvedRun) -> CableTape:
    """Run a model of the solver "cables" to its end with a tape for the backward sweep."""
    refuse(resolved)
    whole = assemble(resolved, resting_line(resolved), resolved.run.control)
    method = replace(
        METHOD, spectral_radius=resolved.run.numerics.radius("cables"), tolerance=1e-13, factor="each step"
    )
    n = resolved.steps
    every = max(1, math.isqrt(n))
    marks, march = (*range(0, n, every), n), _march(whole, method, every)
    watch, states, rows = _ObservedOutputs(whole), [], []
    for first, stop in pairwise(marks):
        states.append(_save(whole, march))
        _run(march, first, stop)
        rows += [watch.row(_instant(march, k)) for k in range(0 if first == 0 else 1, stop - first + 1)]
    columns = [np.array(x) for x in zip(*rows, strict=True)]
    return CableTape(whole, method, marks, tuple(states), *columns)


def _march(whole: CableSystem, method: GeneralizedAlpha, every: int) -> TabledMarch:
    dt = whole.resolved.run.numerics.step
    t = np.arange(every + 1) * dt
    problem = Problem(system=whole.system, start=whole.start, t=t, u=np.zeros((len(t), 0)))
    return TabledMarch(method, problem, whole.system.families)


def _run(march: TabledMarch, first: int, stop: int) -> None:
    """Compute a stretch of steps, storing every state."""
    dt = float(march.problem.t[1] - march.problem.t[0])
    march.motion.factor[:] = 0.0, 1.0
    before = march.motion.counts[2]
    for rows, name in zip(march.kept, ("q", "v", "acceleration", "lam"), strict=False):
        rows[0] = getattr(march.motion, name)
    t = (first + np.arange(stop - first + 1)) * dt
    march.problem = replace(march.problem, t=t, u=np.zeros((len(t), 0)))
    march.trajectory()
    if march.motion.counts[2] > before:
        raise ModelError(
            f"gradient: between t = {t[0]:.4g} s and {t[-1]:.4g} s the run had to shorten its steps to "
            "converge, which is not differentiable; reduce numerics.step"
        )


def _save(whole: CableSystem, march: TabledMarch) -> CableCheckpoint:
    return CableCheckpoint(tuple(getattr(march.motion, name).copy() for name in _STATE), whole.system.slides.arc.copy())


def _restore(whole: CableSystem, march: TabledMarch, mark: CableCheckpoint, t: float) -> None:
    for name, values in zip(_STATE, mark.motion, strict=True):
        getattr(march.motion, name)[:] = values
    system = whole.system
    system.slides.arc[:] = mark.arc
    system.follow(t, march.motion.q)
    march.matrix = TabledMatrix(march.tabled, system.nq + system.nc)  # sliders are on other elements than they were
    march.model = march.order_pivots(t, np.zeros(0))


def _instant(march: TabledMarch, k: int) -> Instant:
    """Row k of a stretch."""
    q, v, c, lam = (march.kept[i][k].copy() for i in range(4))
    return Instant(float(march.problem.t[k]), q, v, c, lam, np.zeros(0))


class _ObservedOutputs:
    """Forces, uplifts and dropper forces of a state, and the adjoint of their weights."""

    def __init__(self, whole: CableSystem) -> None:
        self.whole, self.system = whole, whole.system
        self.columns = contact_columns(whole)
        catenary = whole.line.catenary
        pushes = [] if whole.joint else [f"{c.name}.normal force" for c in whole.contacts]
        names = [*(f"{d.name}.force" for d in catenary.droppers), *pushes]
        slack = whole.resolved.run.droppers != "bilateral"
        self.stretches = Observer(whole.system, [f"{d.name}.stretch" for d in catenary.droppers] if slack else [])
        self.outputs, self.droppers = OutputAdjoint(whole.system, names), len(catenary.droppers)
        self.supports = np.array([whole.system.place(s.height) for s in catenary.supports])
        self.rest = np.array([whole.line.places[s.height] for s in catenary.supports])
        self.owner = np.array([c.pantograph for c in whole.contacts])

    def row(self, here: Instant) -> tuple[np.ndarray, ...]:
        """Force, height, uplift, dropper forces, modes."""
        shown = self.outputs.observer.at(here.t, here.q, here.v)
        forces = shown[self.droppers :]
        if self.whole.joint:
            forces = np.array([joint_force(here.lam[c][None])[0] for c in self.columns])
        force = np.bincount(self.owner, forces, minlength=len(self.whole.mechanics))
        x = self.stretches.at(here.t, here.q, here.v)
        taut = (x > 0.0).astype(int) + (x >= ONSET) if x.size else np.full(self.droppers, 2)
        modes = np.concatenate([taut, force > 0.0])
        return force, np.zeros(0), here.q[self.supports] - self.rest, shown[: self.droppers], modes

    def back(self, here: Instant, wanted: tuple[np.ndarray, ...], bars: StateCotangents) -> np.ndarray:
        """Add the adjoint of one row's weights to the cotangents of q, v and parameters; return ∂J/∂lam."""
        force, _, support, dropper = wanted
        lam = np.zeros(self.system.nc)
        np.add.at(bars.q, self.supports, support)
        felt = force[self.owner]
        if self.whole.joint:
            for weight, columns in zip(felt, self.columns, strict=True):
                mine = here.lam[columns]
                lam[columns] += weight * mine / joint_force(mine[None])[0]
        weights = np.concatenate([dropper, np.zeros(0) if self.whole.joint else felt])
        if weights.any():
            self.outputs.add(weights, here.t, here.q, here.v, here.u, bars)
        return lam


@final
class _Sums:
    """Sums of the backward sweep, at smooth rows and at kinks."""

    def __init__(self, tape: CableTape) -> None:
        system = tape.whole.system
        slides = system.slides
        self.system, self.p = system, np.zeros((2, system.tables.p.size))
        self.lengths = np.zeros((2, slides.elements.shape[0]))
        self.masses = np.array([system.place(name) for name in tape.masses().values()], dtype=int)
        self.push = np.zeros((2, tape.steps + 1, self.masses.size))

    def add(self, kink: int, p: np.ndarray) -> None:
        """Add to the sums; parameters of a slider's own line are those of the element it is on."""
        tables, slides = self.system.tables, self.system.slides
        for row, here in zip(slides.rows, slides.here, strict=True):
            at = int(tables.sizes[row[FAMILY], PAR] + row[ELEMENT] * tables.sizes[row[FAMILY], P] + row[BEGIN])
            first = int(row[FIRST])
            self.lengths[kink, first : first + here] += p[at]
            self.lengths[kink, first + here] += p[at + 1]
            p[at : at + 2] = 0.0
        self.p[kink] += p


def sweep(tape: CableTape, wanted: OutputCotangents) -> tuple[CableSlopes, CableSlopes]:
    """Backward sweep: ∂J/∂ of everything, the whole and the contribution of steps at kinks."""
    whole, system = tape.whole, tape.whole.system
    kinks, sums, watch = tape.kinks, _Sums(tape), _ObservedOutputs(tape.whole)
    march = _march(whole, tape.method, max(b - a for a, b in pairwise(tape.marks)))
    bar, c = zero_cotangents(system.nq, system.nc), tape.method.coefficients
    for k in range(len(tape.states) - 1, -1, -1):
        first, stop = tape.marks[k], tape.marks[k + 1]
        _restore(whole, march, tape.states[k], first * tape.step)
        _run(march, first, stop)
        rows = [_instant(march, i) for i in range(stop - first + 1)]
        for i in range(stop - first, 0, -1):
            row, here, seen = first + i, rows[i], StateCotangents(system)
            lam = watch.back(here, tuple(x[row] for x in wanted), seen)
            sums.add(int(kinks[row]), seen.p)
            bar = {**bar, "q": bar["q"] + seen.q, "v": bar["v"] + seen.v, "lam": bar["lam"] + lam}
            mu4, mu5, bar = backward_step(system, c, tape.step, here, bar)
            x = here.t, here.q, here.v, here.c, here.lam, here.u
            sums.add(int(kinks[row]), -system.weighed_by_number(np.concatenate([mu4, mu5]), *x))
            sums.push[int(kinks[row]), row] = mu4[sums.masses]
    found = _start(tape, rows[0], tuple(x[0] for x in wanted), bar, watch, sums)
    rest = -wanted.support.sum(axis=0)
    at_kinks = -wanted.support[kinks].sum(axis=0)
    return (
        CableSlopes(sums.p.sum(axis=0), rest, sums.lengths.sum(axis=0), sums.push.sum(axis=0), *found),
        CableSlopes(sums.p[1], at_kinks, sums.lengths[1], sums.push[1], 0.0 * found[0], 0.0 * found[1]),
    )


def _start(
    tape: CableTape, here: Instant, wanted: tuple[np.ndarray, ...], bar: dict[str, np.ndarray], watch: _ObservedOutputs,
    sums: _Sums,
) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    """Adjoint of row 0: accelerations, rates and equilibrium; parameters go to the smooth sums; ``rest_push``,
    ``start``."""
    whole, system = tape.whole, tape.whole.system
    bars = StateCotangents(system)
    bars.q += bar["q"]
    bars.v += bar["v"]
    lam = bar["lam"] + watch.back(here, wanted, bars)
    system.follow(0.0, here.q)
    sums.push[0, 0] = accelerations_back(system, here.q, here.v, here.c, here.lam, bar["c"] + bar["a"], lam, bars)[
        sums.masses
    ]
    start = rates_back(system, here.q, whole.before, here.v, bars)
    rest = rest_back(system, here.q, whole.lam, bars)
    sums.add(0, bars.p)
    return rest[sums.masses], start
