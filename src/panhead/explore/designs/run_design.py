"""Run a design: assess the original, optimise, write the new files, assess them on a finer mesh."""

from __future__ import annotations

import hashlib
import json
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from panhead import __version__
from panhead.assess import judgement
from panhead.engine.jobs import ignore_progress
from panhead.errors import FileError, RunWarning, alternatives
from panhead.explore.designs.design_description import Design
from panhead.explore.designs.design_files import check_free, read_parts, round_values, write_parts
from panhead.explore.designs.evaluate import DesignEvaluations, Evaluator
from panhead.explore.designs.multipliers import Multipliers, multipliers_at
from panhead.explore.designs.problem import (
    ChangedParts,
    DesignProblem,
    LoadedRun,
    ObjectiveTerm,
    numbers_wanted,
    objective_terms,
    problem_of,
)
from panhead.explore.designs.search import ObjectiveFunctions, SearchEnd, search
from panhead.files import library, parse
from panhead.files.file_kinds import command_for, kind_of
from panhead.files.result import Result
from panhead.runs.description import Run
from panhead.runs.gradients.gradient import tape_for_gradient
from panhead.runs.gradients.objectives import objective
from panhead.runs.simulate import simulate

if TYPE_CHECKING:
    import xarray as xr

#: criterion of the judge → the number whose gradient is known
_LIMITED = {
    "mean_force": "mean_force",
    "mean_force_lower": "mean_force",
    "statistical_max": "statistical_max",
    "statistical_min": "statistical_min",
    "actual_max": "actual_max",
    "deviation_ratio": "deviation_ratio",
    "uplift": "uplift",
}


@dataclass(frozen=True, slots=True)
class Passages:
    """One run before and after, on its own mesh and on a finer one, each assessed."""

    title: str
    shown: bool
    runs: Mapping[tuple[str, str], Run]  #: ("before" or "after", "own" or "finer") → run
    results: Mapping[tuple[str, str], Result]

    def value(self, when: str, mesh: str, of: str, pantograph: int) -> float:
        """Value of a criterion or, where no criterion has that name, of an objective of gradients."""
        judged = numbers_of(self.results[when, mesh], pantograph)
        if of in judged:
            return float(judged[of].value)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RunWarning)
            return objective(tape_for_gradient(self.runs[when, mesh]), of, pantograph).value


@dataclass(frozen=True, slots=True)
class DesignOutcome:
    """Result of a design, as shown on its page."""

    problem: DesignProblem
    aim: ObjectiveFunctions
    x: np.ndarray
    ends: list[SearchEnd]
    prices: Multipliers
    after: ChangedParts
    passages: list[Passages]
    files: list[Path]
    runs: int  #: simulated by the search


def conduct(
    problem: DesignProblem, folder: Path, told: Callable[[float, str], None] = ignore_progress
) -> DesignOutcome:
    """Optimise, write the files, and assess before and after; evaluations are cached in the folder."""
    check_free(folder)
    told(0.0, "before")
    before = [_run_judged(r.of(problem.parts)) for r in problem.runs]
    evaluator = Evaluator(problem, DesignEvaluations(folder / "search.json", _hash(problem)))
    limits = _standard_limits(problem, before) if problem.design.standard else []
    keys = list(dict.fromkeys([*numbers_wanted(problem), *(w.key for w in limits)]))
    start = np.zeros(len(problem.variables))
    found = evaluator.numbers(start, keys)
    if found is None:
        raise FileError(
            problem.name, f"the runs of the original design fail: {evaluator.ledger.failures[start.tobytes().hex()]}"
        )
    aim = ObjectiveFunctions(evaluator, objective_terms(problem, found, limits), found)
    ends = search(aim, lambda share, words: told(0.9 * share, words))
    x = aim.best()
    told(0.9, "written and assessed on a finer mesh")
    parts = round_values(problem, problem.parts_at(x))
    files = write_parts(problem, parts, folder)
    after = read_parts(problem.parts, files)
    passages = [_passages(r, problem.parts, after, one) for r, one in zip(problem.runs, before, strict=True)]
    return DesignOutcome(problem, aim, x, ends, multipliers_at(aim, x), after, passages, files, evaluator.runs)


def _passages(looked: LoadedRun, old: ChangedParts, new: ChangedParts, before: Result) -> Passages:
    runs = {("before", "own"): looked.of(old), ("after", "own"): looked.of(new)}
    runs |= {(when, "finer"): _finer(run) for (when, _), run in runs.items()}
    results = {at: _run_judged(run) for at, run in runs.items() if at != ("before", "own")}
    return Passages(looked.title, looked.shown, runs, {("before", "own"): before, **results})


def _finer(run: Run) -> Run:
    """Half the step, half the element."""
    n = run.numerics
    return replace(run, numerics=replace(n, step=0.5 * n.step, element_length=0.5 * n.element_length))


def _run_judged(run: Run) -> Result:
    """An assessed run; its warnings are in its attributes."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RunWarning)
        return Result.of(simulate(run))


def _standard_limits(problem: DesignProblem, before: list[Result]) -> list[ObjectiveTerm]:
    found = []
    for k, (looked, result) in enumerate(zip(problem.runs, before, strict=True)):
        if looked.shown:
            continue
        for p, criteria in enumerate(next(iter(judgement(result).values())).values()):
            for c in criteria:
                if c.limit is None or c.key not in _LIMITED or (c.key == "uplift" and p):
                    continue
                low, high = (None, c.limit) if c.bound == "upper" else (c.limit, None)
                found.append(ObjectiveTerm(k, _LIMITED[c.key], p, low=low, high=high, why=c.clause or "standard"))
    return found


def numbers_of(result: xr.Dataset, pantograph: int = 0) -> dict[str, Any]:
    """Criteria of an assessed run by key."""
    found = list(next(iter(judgement(result).values())).values())
    return {c.key: c for c in found[pantograph]}


def _hash(problem: DesignProblem) -> str:
    """Hash of everything that determines the values of an optimisation."""
    plain = parse.to_plain(
        [__version__, problem.design, [r.of(problem.parts) for r in problem.runs], [r.title for r in problem.runs]]
    )
    return hashlib.sha256(json.dumps(plain, sort_keys=True, ensure_ascii=False).encode()).hexdigest()


def read(source: str) -> DesignProblem:
    """The design of a TOML file, or a shipped one by name."""
    known = library.shipped("designs")
    path = known.get(source, Path(source))
    if source not in known and path.suffix != ".toml" and not parse.path_exists(path):
        raise FileError(source, f"is neither a file nor the name of a shipped design; {alternatives(source, known)}")
    raw = parse.read_toml(path)
    if raw.get("kind") != "design":
        found = kind_of(raw)
        words = f"this is a {found}, not a design; {command_for(found, path)}" if found else ""
        raise FileError(path, words or 'kind: must be "design" here; panhead run FILE computes a single run')
    del raw["kind"]
    name = str(raw.pop("name", path.stem))
    return problem_of(name, _resolve_paths(parse.build(Design, raw, source=path), path.parent))


def _resolve_paths(design: Design, folder: Path) -> Design:
    """Resolve paths of runs relative to the folder of the design."""
    runs = tuple(replace(r, run=str(folder / r.run)) if (folder / r.run).is_file() else r for r in design.runs)
    return replace(design, runs=runs)
