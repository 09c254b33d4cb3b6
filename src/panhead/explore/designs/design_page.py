"""Report page of a design: improvement, changed parameters, active limits and bounds, convergence."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from panhead.assess.criteria import shown_unit
from panhead.assess.number_text import brief, number, percent, unit_text
from panhead.assess.verdict_of_cases import verdict_of_cases
from panhead.desk.reports.judgement import MOODS, entries
from panhead.desk.reports.page import Block, Mood, Page, PageTable, PageVerdict, page_with
from panhead.explore.designs import design_charts
from panhead.explore.designs.problem import unit_of
from panhead.explore.designs.run_design import DesignOutcome, Passages, numbers_of
from panhead.explore.designs.search import KeptLimit
from panhead.runs.gradients.parameter_families import FAMILIES

_MOST_ROWS = 60
_COARSE = 0.15  # a change that a finer mesh alters by more than this share of itself is not trusted


def page(outcome: DesignOutcome) -> Page:
    """The report of one design."""
    sections: dict[str, Sequence[Block | None]] = {
        "Before and after": [
            _comparison(outcome),
            *(design_charts.force(p, k) for k, p in enumerate(outcome.passages)),
        ],
        "Changed parameters": [*design_charts.changes(outcome), _variables(outcome)],
        "Sensitivity to the limits": [_limits(outcome), _first_order(outcome)],
        "Optimisation": [_starts(outcome), design_charts.descent(outcome)],
        "Files": [
            "Written: " + ", ".join(path.name for path in outcome.files) + ". The header of each file lists its "
            "changes."
        ],
    }
    name = outcome.problem.name
    return page_with(name, outcome.problem.design.about or "design", verdict(outcome), sections)


def verdict(outcome: DesignOutcome) -> PageVerdict:
    """Improvement achieved by the design, on the finer mesh."""
    own, finer = (_objective(outcome, mesh) for mesh in ("own", "finer"))
    missed = [c for c, room, _ in outcome.prices.limits if room < -1e-4]
    details = [_run_row(p) for p in outcome.passages]
    if missed:
        names = "; ".join(_limit_name(outcome, c) for c in missed)
        return PageVerdict("bad", f"No feasible point was found; violated limits: {names}.", details)
    if own > 1.0 - 1e-3:
        return PageVerdict("warning", "No improvement was found within the bounds and limits.", details)
    judged = verdict_of_cases({p.title: p.results["after", "finer"] for p in outcome.passages})
    beside: list[tuple[Mood, str]] = [(MOODS[one.verdict], one.sentence) for one in judged]
    beyond = _violated_limits(outcome)
    kept = "all limits of the design are satisfied" + " on the optimisation mesh" * bool(beyond)
    kept = kept if outcome.aim.limits else "the design sets no limits"
    sentence = f"The objective falls by {number(100 * (1 - finer), 3)} % (verified on a finer mesh); {kept}."
    details += [f"On the finer mesh {what} is violated by {number(100 * by, 2)} %." for what, by in beyond]
    if abs(finer - own) > _COARSE * abs(1 - own):
        fell = number(100 * (1 - own), 3)
        details.append(
            f"On the optimisation mesh the objective fell by {fell} %. The result depends on the mesh; "
            "optimise on a finer one."
        )
        return PageVerdict("warning", sentence, details, beside)
    return PageVerdict("good" if all(mood == "good" for mood, _ in beside) else "warning", sentence, details, beside)


def _violated_limits(outcome: DesignOutcome) -> list[tuple[str, float]]:
    """Limits that the written files violate on the finer mesh, and by which share."""
    found = []
    for c in outcome.aim.limits:
        w = c.wish
        now = outcome.passages[w.run].value("after", "finer", w.of, w.pantograph)
        if c.room({w.key: now}) < -1e-4:
            found.append((_limit_name(outcome, c), -c.room({w.key: now})))
    return found


def _objective(outcome: DesignOutcome, mesh: str) -> float:
    """Σ w J/J₀ / Σ |w| of runs of the files as written, on a mesh."""
    wishes = [w for w in outcome.aim.wishes if w.weight]
    ratios = []
    for w in wishes:
        old, new = (outcome.passages[w.run].value(when, mesh, w.of, w.pantograph) for when in ("before", "after"))
        ratios.append(w.weight * new / abs(old))
    return sum(ratios) / sum(abs(w.weight) for w in wishes)


def _run_row(p: Passages) -> str:
    """One run in a line."""
    old, new = (numbers_of(p.results[when, "finer"])["deviation"].value for when in ("before", "after"))
    seen = " (not part of the optimisation)" if p.shown else ""
    return f"{p.title}{seen}: σ {number(old)} → {number(new)} N, {percent(new / old - 1)} %"


def _comparison(outcome: DesignOutcome) -> PageTable:
    rows: list[list[str]] = []
    moods: list[Mood] = []
    for p in outcome.passages:
        after = entries(p.results["after", "finer"])
        for k in range(p.results["before", "own"].sizes["pantograph"]):
            found = {at: numbers_of(r, k) for at, r in p.results.items()}
            rows.append([_title(p, k), *_cells(found), after[k].verdict])
            old, new = (found[when, "finer"]["deviation"].value for when in ("before", "after"))
            moods.append(after[k].mood if new < old else "warning")
    heads = [
        "Run", "σ before (N)", "after (N)", "change (%)", "finer: before (N)", "after (N)", "change (%)",
        "Mean, after (N)", "Max, after (N)", "Uplift (mm)", "after (mm)", "Verdict after",
    ]  # fmt: skip
    note = (
        "Finer: runs from the written files with half the time step and half the element length. σ filtered to 20 Hz."
    )
    return PageTable("", heads, rows, moods, note)


def _title(p: Passages, pantograph: int) -> str:
    several = p.results["before", "own"].sizes["pantograph"] > 1
    seen = " (not part of the optimisation)" if p.shown else ""
    return f"{p.title}{f', pantograph {pantograph + 1}' if several else ''}{seen}"


def _cells(found: dict[tuple[str, str], dict[str, object]]) -> list[str]:
    value = lambda when, mesh, key: float(found[when, mesh][key].value)  # type: ignore[attr-defined]
    cells = []
    for mesh in ("own", "finer"):
        old, new = (value(when, mesh, "deviation") for when in ("before", "after"))
        cells += [number(old), number(new), percent(new / old - 1)]
    cells += [number(value("after", "finer", key)) for key in ("mean_force", "actual_max")]
    return cells + [number(1e3 * value(when, "finer", "uplift"), 3) for when in ("before", "after")]


def _variables(outcome: DesignOutcome) -> PageTable:
    problem = outcome.problem
    rows: list[list[str]] = []
    moods: list[Mood] = []
    deltas = outcome.x * problem.scale
    order = np.argsort(-np.abs(outcome.x))[:_MOST_ROWS]
    for k in sorted(order):
        v = problem.variables[k]
        unit, scale = _unit_label(FAMILIES[v.family].unit)
        at = int(outcome.prices.bounds[k])
        price = outcome.prices.bound_prices[k]
        rows.append([
            v.title, v.family, unit_text(unit), _before(outcome, k, scale), number(scale * deltas[k], 3),
            f"{brief(scale * v.low)} … {brief(scale * v.high)}", {-1: "lower", 0: "–", 1: "upper"}[at],
            number(-100 * price / scale, 2) if price else "–",
        ])  # fmt: skip
        moods.append("warning" if price else "neutral")
    left = len(problem.variables) - len(rows)
    note = (
        "Multiplier: change of the objective in per cent if the bound is relaxed by one unit."
        + (f" {left} smaller changes are not shown; the written files list all of them." if left else "")
    )  # fmt: skip
    heads = [
        "Variable",
        "Parameter",
        "Unit",
        "Before",
        "Change",
        "Allowed change",
        "At its bound",
        "Multiplier (%/unit)",
    ]
    return PageTable("Variables", heads, rows, moods, note)


def _before(outcome: DesignOutcome, k: int, scale: float) -> str:
    v = outcome.problem.variables[k]
    values = outcome.problem.parts.values(v.family)
    mine = [scale * values[name] for name in v.names]
    return number(mine[0], 5) if max(mine) - min(mine) < 1e-9 else f"{number(min(mine), 5)} … {number(max(mine), 5)}"


def _unit_label(unit: str) -> tuple[str, float]:
    return shown_unit(unit) if unit in ("m", "N") else (unit, 1.0)


def _limit_name(outcome: DesignOutcome, c: KeptLimit) -> str:
    w = c.wish
    unit, scale = shown_unit(unit_of(w.of))
    sign = "≤" if c.sign > 0 else "≥"
    return f"{outcome.passages[w.run].title}: {w.of.replace('_', ' ')} {sign} {brief(scale * c.value)} {unit}"


def _limits(outcome: DesignOutcome) -> PageTable | str:
    if not outcome.prices.limits:
        return "There are no limits on quantities, only bounds on parameters."
    found = outcome.aim.evaluator.numbers(outcome.x, outcome.aim.keys) or {}
    rows: list[list[str]] = []
    moods: list[Mood] = []
    for c, room, price in outcome.prices.limits:
        unit, scale = shown_unit(unit_of(c.wish.of))
        active = room < 2e-3
        rows.append([
            _limit_name(outcome, c), number(scale * outcome.aim.before[c.wish.key]),
            number(scale * found[c.wish.key]), "yes" if active else "no",
            f"{number(-100 * price / scale, 3)} %/{unit}" if price else "–", c.wish.why,
        ])  # fmt: skip
        moods.append("bad" if room < -1e-4 else "warning" if price else "good")
    note = "Multiplier: decrease of the objective if the limit is relaxed by one unit; – marks inactive limits."
    return PageTable("", ["Limit", "Before", "After", "Active", "Price", "Source"], rows, moods, note)


def _first_order(outcome: DesignOutcome) -> str:
    rest = 100 * outcome.prices.residual
    held = "a local minimum to first order" if rest < 10 else "a small further decrease is possible"
    return (
        f"Active limits and bounds balance the gradient of the objective except for {number(rest, 2)} %: {held}. "
        "At kinks from dropper slackening or contact loss the gradient need not vanish."
    )


def _starts(outcome: DesignOutcome) -> PageTable:
    rows = []
    for k, end in enumerate(outcome.ends):
        first = "original design" if k == 0 else f"random start {k}"
        room = "–" if np.isinf(end.worst) else "kept" if end.worst > -1e-4 else f"violated by {-100 * end.worst:.2g} %"
        rows.append([first, number(end.objective), room, str(end.iterations), end.message.rstrip(".")])
    evaluated = len(outcome.aim.evaluator.ledger.values)
    note = (
        f"{evaluated} points were evaluated; the best feasible one is taken. The objective is 1 for the original "
        "design."
    )
    return PageTable("Starts", ["From", "Objective", "Limits", "Iterations", "Stopping reason"], rows, note=note)
