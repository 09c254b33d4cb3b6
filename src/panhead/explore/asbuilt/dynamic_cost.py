"""What the deviations of a tension length cost under a train: shares of σ, extremes, uplift and losses.

The line as built and as drawn run under the same train, with their neighbours. A part p that is off by θ_p changes a
quantity J by ∂J/∂θ_p θ_p, by one backward sweep for all parts. Where that is not to be trusted (a part so far off that
it is named, a slack dropper, whose derivative is zero) the run is repeated with that part alone as drawn:

    share = J(as built) − J(as built but p as drawn)
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np

from panhead.assess import judgement
from panhead.desk.sheets.survey_lengths import height_rows
from panhead.explore.asbuilt.fit_tension_length import TensionLengthFit
from panhead.explore.asbuilt.parts import FAMILY, BuiltPart, around, built, parabola
from panhead.files import parse
from panhead.railway.line.layout import Layout
from panhead.railway.line.line_description import Line
from panhead.railway.line.span_mesh import mesh_span
from panhead.railway.line.stringing import string_spans
from panhead.runs.description import Journey, Run
from panhead.runs.gradients.gradient import families_of, objective_cotangents, tape_for_gradient
from panhead.runs.gradients.objectives import objective
from panhead.runs.simulate import simulate

QUANTITIES: Final = ("deviation", "actual_max", "actual_min", "uplift")  #: with gradients
UNITS: Final = {"deviation": "N", "actual_max": "N", "actual_min": "N", "uplift": "m", "contact_loss": "1"}
_MOST_TRIALS: Final = 7  # parts of one tension length that are tried alone
_RUN_IN: Final = 400.0  # m before the tension length, or less where there is none
_AHEAD, _BEHIND = 1200.0, 800.0  # m of the moving window; twice as much changes σ by less than 1e-6 of itself


@dataclass(frozen=True, slots=True)
class LimitedQuantity:
    """A quantity with its limit."""

    key: str
    value: float
    limit: float
    bound: str
    clause: str = ""
    name: str = ""
    unit: str = ""

    @property
    def words(self) -> str:
        """Quantity, value and limit: "uplift 131 mm (limit 120 mm)"."""
        factor, unit = {"m": (1e3, " mm"), "1": (100.0, " %")}.get(self.unit, (1.0, f" {self.unit}".rstrip()))
        return f"{self.name or self.key} {factor * self.value:.4g}{unit} (limit {factor * self.limit:.4g}{unit})"

    @property
    def margin(self) -> float:
        """Room to the limit; negative beyond it."""
        return self.limit - self.value if self.bound == "upper" else self.value - self.limit


@dataclass(frozen=True, slots=True)
class TrainPassage:
    """What a train meets under one line."""

    values: Mapping[str, float]  #: of QUANTITIES, mean_force and contact_loss
    limits: tuple[LimitedQuantity, ...]


@dataclass(frozen=True, slots=True)
class PartCost:
    """What one part costs: change of every quantity because it is off."""

    part: BuiltPart
    share: Mapping[str, float]
    by: str  #: "gradient" or "trial"
    gain: Mapping[str, float] = field(default_factory=dict)  #: by trial: room to each limit that it takes


@dataclass(frozen=True, slots=True)
class TensionLengthCost:
    """A tension length under a train: as drawn, as built, and what its parts cost."""

    name: str
    drawn: TrainPassage
    built: TrainPassage
    costs: tuple[PartCost, ...]  #: of every part, in the order of the track
    gradient: np.ndarray  #: (quantities, parts) ∂J/∂θ about the line as built


class BuiltTrack:
    """A tension length between its neighbours, of which lines with other parts are made and run.

    Its parts are its own, in the order of the fit, and after them those parts of its neighbours that are named: a
    fault there is met in the overlap.
    """

    def __init__(self, run: Mapping[str, Any], line: Line, index: int, fits: Mapping[int, TensionLengthFit]) -> None:
        plain = parse.build(Run, {"line": line, **run}, source="route.run")
        self.base, self.fit = plain, fits[index]
        self.short, self.index = around(line, index, element_length=plain.numerics.element_length)
        self.layout = Layout(self.short)
        self.piece = self.layout.pieces[self.index]
        self._fits = {k - index + self.index: fit for k, fit in fits.items()}
        near = [(k, p) for k, fit in self._fits.items() if k != self.index for p in fit.parts if p.alarm]
        self.owners = [self.index] * len(self.fit.parts) + [k for k, _ in near]
        self.parts = (*self.fit.parts, *(p for _, p in near))
        spreads = np.concatenate([np.zeros(len(self.fit.parts)), [p.spread for _, p in near]])
        self.covariance = np.diag(spreads**2)
        own = len(self.fit.parts)
        self.covariance[:own, :own] = self.fit.covariance

    @property
    def deviations(self) -> np.ndarray:
        """(parts,) as found."""
        return np.array([p.deviation for p in self.parts])

    def line_of(self, deviations: Sequence[float] | np.ndarray) -> Line:
        """The line with its parts off by so much, in the order of ``parts``."""
        line = self.short
        for k, fit in self._fits.items():
            off = {(p.kind, p.place): (p, p.deviation) for p in fit.parts}
            for owner, part, value in zip(self.owners, self.parts, map(float, deviations), strict=True):
                if owner == k:
                    off[part.kind, part.place] = part, value
            line = built(line, k, off.values())
        return line

    def run_of(self, deviations: Sequence[float] | np.ndarray) -> Run:
        """The run under the line with its parts off by so much, in the order of ``parts``."""
        return self._run(self.line_of(deviations))

    def levels(self, deviations: Sequence[float] | np.ndarray) -> np.ndarray:
        """Height of its contact wire (own parts,) at its parts, with them off by so much [m]."""
        layout = Layout(self.line_of(deviations))
        plans = [layout.plan(layout.pieces[self.index], n) for n in range(self.piece.first, self.piece.stop)]
        meshes = [mesh_span(plan, self.base.numerics.element_length) for plan in plans]
        balance = string_spans(meshes, [f"{self.piece.name}, span {k + 1}," for k in range(len(plans))])
        begin = layout.line.chainage + float(layout.mast_x[self.piece.first])
        return np.asarray(height_rows(balance, np.array([p.x for p in self.fit.parts]) - begin) @ balance.q)

    def run_as_drawn(self) -> Run:
        """The run under the line with every part as drawn, the neighbours too."""
        return self._run(self.short)

    def _run(self, line: Line) -> Run:
        x, piece = self.layout.mast_x, self.piece
        first = piece.first + (0 if piece.before is None else (piece.before.spans + 1) // 2)
        last = piece.stop - (0 if piece.after is None else (piece.after.spans - 1) // 2)
        half = 0.5 * float(x[1] - x[0])
        start = max(half, float(x[first]) - _RUN_IN)
        lead = start + min(_RUN_IN, float(x[last] - start) / 2)
        begin = float(x[np.searchsorted(x, max(float(x[first]), lead) - 1e-6)])
        stop = min(float(x[last]) + half, float(x[-1]) - half)
        end = float(x[np.searchsorted(x, stop + 1e-6) - 1])
        journey = Journey(start=start, stop=stop, judged_from=min(begin, end - 2 * half), judged_to=end)
        ahead, behind = math.ceil(0.5 * _AHEAD / half), math.ceil(0.5 * _BEHIND / half)
        numerics = replace(self.base.numerics, repeat="none", explain="none")
        if numerics.window != "whole":
            numerics = replace(numerics, window="moving", ahead=ahead, behind=behind)
        return replace(self.base, line=line, journey=journey, numerics=numerics)


def passages(runs: Sequence[Run]) -> list[TrainPassage]:
    """What a train meets in each run; one by one in a moving window, which costs half of what lanes do here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [_passage(simulate(run)) for run in runs]


def _passage(result: Any) -> TrainPassage:
    """The worst pantograph of a run: the one with the largest σ."""
    every = next(iter(judgement(result).values()))
    by_key = [{c.key: c for c in criteria} for criteria in every.values()]
    worst = max(by_key, key=lambda c: c["deviation_ratio"].value * c["mean_force"].value)
    value = {key: float(c.value) for key, c in worst.items()}
    value["deviation"] = value["deviation_ratio"] * value["mean_force"]
    limits = tuple(
        LimitedQuantity(c.key, float(c.value), float(c.limit), c.bound, c.clause, c.name, c.unit)
        for c in worst.values()
        if c.limit is not None and not c.unjudged and not c.key.startswith("mean_force")
    )
    kept = (*QUANTITIES, "mean_force", "contact_loss", "deviation_ratio")
    return TrainPassage({key: value[key] for key in kept if key in value}, limits)


def cost(track: BuiltTrack) -> TensionLengthCost:
    """Runs as drawn and as built, gradients by every part, and a run for each part that is named."""
    parts, found = track.parts, track.deviations
    named = sorted((k for k, p in enumerate(parts) if p.alarm), key=lambda k: -_severity(parts[k]))[:_MOST_TRIALS]
    trials = [np.where(np.arange(found.size) == k, 0.0, found) for k in named]
    drawn, as_built, *tried = passages([track.run_as_drawn(), *(track.run_of(d) for d in (found, *trials))])
    gradient = gradients(track, found)
    room = {limit.key: limit.margin for limit in as_built.limits}
    costs = []
    for k, part in enumerate(parts):
        if k in named:
            other = tried[named.index(k)]
            share = {q: as_built.values[q] - other.values[q] for q in UNITS if q in other.values}
            gain = {limit.key: limit.margin - room[limit.key] for limit in other.limits if limit.key in room}
            costs.append(PartCost(part, share, "trial", gain))
        else:
            share = {q: float(gradient[i, k] * part.deviation) for i, q in enumerate(QUANTITIES)}
            costs.append(PartCost(part, share, "gradient"))
    return TensionLengthCost(track.fit.name, drawn, as_built, tuple(costs), gradient)


def _severity(part: BuiltPart) -> float:
    return abs(part.deviation) / max(part.prior, 1e-12)


def gradients(track: BuiltTrack, deviations: np.ndarray) -> np.ndarray:
    """∂J/∂θ (quantities, parts) about a line: one taped run, and a backward sweep for each quantity."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tape = tape_for_gradient(track.run_of(deviations))
        wanted = [objective(tape, q) for q in QUANTITIES]
        swept = objective_cotangents(tape, [w.wanted for w in wanted])
        families = families_of(tape)
        named = [{f: dict(families[f].of(whole)) for f in set(FAMILY.values())} for whole, _, _ in swept]
    found = np.zeros((len(QUANTITIES), len(track.parts)))
    own = list(enumerate(track.fit.parts))
    sag = [k for k, p in own if p.kind == "pre-sag"]
    droppers = [(k, _share_of_sag(track, p)) for k, p in own if p.kind == "dropper length"]
    for i, tables in enumerate(named):
        for k, part in enumerate(track.parts):
            if part.kind in FAMILY:
                found[i, k] = tables[FAMILY[part.kind]].get(part.name, 0.0)
        for k in sag:
            found[i, k] = sum(found[i, j] * share for j, share in droppers)
    return found


def _share_of_sag(track: BuiltTrack, part: BuiltPart) -> float:
    span, number = part.place
    described = track.piece.spans[span]
    return parabola(described.droppers[number - 1].position, float(described.length or 1.0))
