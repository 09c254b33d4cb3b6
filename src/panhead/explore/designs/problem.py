"""Design optimisation problem: x → objective, limits and their exact gradients through every run."""

from __future__ import annotations

import fnmatch
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from panhead.errors import ModelError, alternatives
from panhead.explore.designs.design_description import Design, Want
from panhead.explore.designs.parameters import CHANGEABLE, Values, with_dropper_lengths
from panhead.explore.designs.variables import DesignVariable, check_family, variables_of
from panhead.files.units import in_unit
from panhead.railway.line.line_description import Line
from panhead.railway.pantograph.lumped_pantograph import LumpedPantograph
from panhead.railway.pantograph.pantograph_files import resolve_pantograph
from panhead.runs import scenarios
from panhead.runs.cables.cables_options import HeadLaw
from panhead.runs.description import Run
from panhead.runs.gradients.objectives import check_objective
from panhead.runs.linear.head_law import GAINS
from panhead.runs.resolve import resolve_line
from panhead.runs.static_force_search import wants_mean_force

_FALLING = ("statistical_min", "actual_min")  # numbers that are worse when smaller


@dataclass(frozen=True, slots=True)
class ChangedParts:
    """Changeable parts of a design: line, control law of the head (each optional), and pantographs by name."""

    line: Line | None
    pantographs: Mapping[str, LumpedPantograph]
    law: HeadLaw | None = None

    def values(self, family: str) -> Values:
        """Every value of a family, by name."""
        of = CHANGEABLE[family]
        if of.part != "pantograph":
            return of.values(getattr(self, of.part))
        return {name: x for p in self.pantographs.values() for name, x in of.values(p).items()}

    def put(self, family: str, values: Mapping[str, float]) -> ChangedParts:
        """Copy with other values of a family."""
        of = CHANGEABLE[family]
        if of.part == "line":
            return replace(self, line=of.put(self.line, values))
        if of.part == "law":
            return replace(self, law=of.put(self.law, values))
        return replace(self, pantographs={name: of.put(p, values) for name, p in self.pantographs.items()})


@dataclass(frozen=True, slots=True)
class LoadedRun:
    """One run of a design, everything in it."""

    title: str
    run: Run
    pantographs: tuple[str, ...]  #: their names
    shown: bool

    def of(self, parts: ChangedParts) -> Run:
        """The run with parts of a design."""
        train = tuple(
            replace(on, pantograph=parts.pantographs[name], changes={})
            for on, name in zip(self.run.train, self.pantographs, strict=True)
        )
        line = self.run.line if parts.line is None else parts.line
        control = self.run.control if parts.law is None else parts.law
        return replace(self.run, line=line, line_changes={}, train=train, control=control)


@dataclass(frozen=True, slots=True)
class ObjectiveTerm:
    """A number of one pantograph in one run, its weight in the objective, and its limits."""

    run: int
    of: str
    pantograph: int
    weight: float = 0.0
    low: float | None = None
    high: float | None = None
    why: str = ""  #: who set the limit

    @property
    def key(self) -> tuple[int, str, int]:
        """Key of the quantity to compute."""
        return self.run, self.of, self.pantograph


@dataclass(frozen=True, slots=True)
class DesignProblem:
    """A design with its runs read and its names found."""

    name: str
    design: Design
    runs: tuple[LoadedRun, ...]
    parts: ChangedParts
    variables: tuple[DesignVariable, ...]

    @property
    def families(self) -> list[str]:
        """Families of the parameters that change."""
        return list(dict.fromkeys(v.family for v in self.variables))

    @property
    def scale(self) -> np.ndarray:
        """Δ of each variable for one unit of x."""
        return np.array([v.scale for v in self.variables])

    @property
    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """Bounds of x."""
        low, high = (np.array([getattr(v, end) for v in self.variables]) for end in ("low", "high"))
        return low / self.scale, high / self.scale

    def parts_at(self, x: np.ndarray) -> ChangedParts:
        """The parts with every variable put in."""
        parts = self.parts
        for family in self.families:
            values = parts.values(family)
            for v, change in zip(self.variables, x * self.scale, strict=True):
                if v.family == family:
                    values |= {name: values[name] + float(change) for name in v.names}
            parts = parts.put(family, values)
        return parts

    def by_x(self, slopes: Any) -> np.ndarray:
        """∂J/∂x out of a dataset of ``gradient``."""
        found: dict[tuple[str, str], float] = {}
        for family in self.families:
            own = CHANGEABLE[family].own
            names, values = slopes[f"{family}.names"].to_numpy(), slopes[family].to_numpy()
            for name, value in zip(names, values, strict=True):
                key = family, own(str(name))
                found[key] = found.get(key, 0.0) + float(value)
        whole = [sum(found.get((v.family, name), 0.0) for name in v.names) for v in self.variables]
        return np.array(whole) * self.scale


def problem_of(name: str, design: Design) -> DesignProblem:
    """Read the runs and resolve names; errors are raised here, before anything is computed."""
    for change in design.change:
        check_family(change)
    for want in design.want:
        check_objective(want.of)
    families = {c.parameter for c in design.change}
    changes_line = any(CHANGEABLE[f].part == "line" for f in families)
    runs = [_read(r.run, r.changes) for r in design.runs]
    pantographs: dict[str, LumpedPantograph] = {}
    looked = []
    for described, run in zip(design.runs, runs, strict=True):
        found = [resolve_pantograph(on.pantograph, on.changes) for on in run.train]
        for p in found:
            if not isinstance(p, LumpedPantograph):
                raise ModelError(f"design: pantograph {p.name!r} is not a chain of lumped masses; use one that is")
            if pantographs.setdefault(p.name, p) != p:
                raise ModelError(f"design: two pantographs called {p.name!r} differ; rename one of them")
        whole = replace(run, line=resolve_line(run), line_changes={})
        looked.append(LoadedRun(described.title, whole, tuple(p.name for p in found), described.shown))
    line = _line(looked, families) if changes_line else None
    law = _law(looked) if any(CHANGEABLE[f].part == "law" for f in families) else None
    parts = ChangedParts(line, pantographs, law)
    values = {family: parts.values(family) for family in families}
    return DesignProblem(name, design, tuple(looked), parts, tuple(variables_of(design.change, values, line)))


def _read(source: str, changes: Mapping[str, Any]) -> Run:
    found = scenarios.read(source, changes=changes).with_contents().description
    if not isinstance(found, Run) or found.variants:
        raise ModelError(f"design: {source!r} must be a single run under a line without variants")
    if found.solver not in ("linear", "cables"):
        raise ModelError(f'design: run {source!r} has solver {found.solver!r}; use solver = "linear" or "cables"')
    if wants_mean_force(found):
        raise ModelError(f"design: run {source!r} sets mean_force; set static_force of its pantograph instead")
    return found


def _line(looked: Sequence[LoadedRun], families: set[str]) -> Line:
    first = looked[0].run
    for one in looked[1:]:
        if one.run.line != first.line:
            raise ModelError(
                f"design: the line changes, and {one.title!r} has a different line from {looked[0].title!r}"
            )
    others = sorted(f for f in families if CHANGEABLE[f].part == "line" and f != "dropper.length")
    for one in looked:
        if one.run.conditions is not None and others:
            raise ModelError(
                f"design: {others[0]} changes, but {one.title!r} has conditions, for which this gradient is not "
                "available; remove `conditions`, or change dropper.length"
            )
    assert isinstance(first.line, Line)  # resolved above
    if "dropper.length" in families and any(one.run.solver == "cables" for one in looked):
        _require_lengths(first.line)
    return with_dropper_lengths(first.line, families, first.numerics.element_length)


def _law(looked: Sequence[LoadedRun]) -> HeadLaw:
    """The law of the head that all runs share."""
    first = looked[0].run.control
    for one in looked:
        law = one.run.control
        kinds = {"linear": tuple(GAINS), "cables": ("derivative", "history")}.get(one.run.solver, ())
        if law is None or law.kind not in kinds:
            raise ModelError(
                f"design: control.gain changes, but {one.title!r} has no law of the head that is differentiable; give "
                f"it a `control` of kind {' or '.join(map(repr, GAINS))} with solver 'linear', or of kind 'derivative' "
                "or 'history' with solver 'cables'"
            )
        if one.run.control != first:
            raise ModelError(
                f"design: the law changes, and {one.title!r} has a different control law from {looked[0].title!r}"
            )
    assert first is not None  # seen to above
    return first


def _require_lengths(line: Line) -> None:
    """With solver 'cables' lengths that may change must be given in the line, since cables yield other lengths."""
    spans = [span for tl in line.tension_lengths for span in tl.spans]
    if not all(span.droppers and all(d.length for d in span.droppers) for span in spans):
        raise ModelError(
            "design: with solver 'cables' dropper.length can change only if the line gives every dropper length; give "
            "them, or use solver 'linear'"
        )


def objective_terms(
    problem: DesignProblem, before: Mapping[tuple[int, str, int], float], limits: Sequence[ObjectiveTerm]
) -> list[ObjectiveTerm]:
    """Objective terms and limits as numbers: ``before`` are the original values, ``limits`` those of the standard."""
    found = []
    for want in problem.design.want:
        for wish in _places(problem, want):
            low, high = (_limit(want, x) for x in (want.at_least, want.at_most))
            if want.no_worse and want.of in _FALLING:
                low = before[wish.key]
            elif want.no_worse:
                high = before[wish.key]
            why = "no worse than the original" if want.no_worse else "given" if want.limited else ""
            found.append(replace(wish, weight=want.share, low=low, high=high, why=why))
    return [*found, *limits]


def numbers_wanted(problem: DesignProblem) -> list[tuple[int, str, int]]:
    """Keys of all numbers that the design itself names."""
    return list(dict.fromkeys(w.key for want in problem.design.want for w in _places(problem, want)))


def _places(problem: DesignProblem, want: Want) -> list[ObjectiveTerm]:
    titles = {r.title: k for k, r in enumerate(problem.runs) if not r.shown}
    chosen = fnmatch.filter(titles, want.runs)
    if not chosen:
        raise ModelError(f"want {want.of!r}: no run is called {want.runs!r}; {alternatives(want.runs, titles)}")
    found = []
    for title in chosen:
        count = len(problem.runs[titles[title]].pantographs)
        if want.pantograph is not None and want.pantograph >= count:
            raise ModelError(f"want {want.of!r}: run {title!r} has pantographs 0 to {count - 1}, not {want.pantograph}")
        mine = range(count) if want.pantograph is None else (want.pantograph,)
        found += [ObjectiveTerm(titles[title], want.of, p) for p in ((0,) if want.of.startswith("uplift") else mine)]
    return found


def unit_of(number: str) -> str:
    """SI unit of a number that has a gradient."""
    if number in ("deviation_ratio", "contact_loss_smooth"):
        return "1"
    return "m" if number.startswith("uplift") else "N"


def _limit(want: Want, given: float | str | None) -> float | None:
    if given is None:
        return None
    unit = unit_of(want.of)
    try:
        return in_unit(given, unit)
    except ValueError as error:
        raise ModelError(f"want {want.of!r}: {error}") from None
