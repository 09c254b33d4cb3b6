"""Drawings of a study."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from panhead.assess.criteria import shown_unit
from panhead.drawing import figures
from panhead.reports.page import PageTable, Picture
from panhead.reports.words import number
from panhead.studies import answers, sampling

if TYPE_CHECKING:
    import xarray as xr

    from panhead.studies.plan import Plan

SHOWN = (
    "mean_force",
    "deviation",
    "deviation_ratio",
    "statistical_max",
    "actual_max",
    "actual_min",
    "contact_loss",
    "uplift",
)
_TORNADO = 15


def _column(index: xr.Dataset, key: str) -> tuple[np.ndarray, np.ndarray, str, str]:
    """Values and limits (sample, pantograph) of a criterion as shown, its name and unit."""
    k = [str(x) for x in index["criterion"].to_numpy()].index(key)
    unit, scale = shown_unit(str(index["criterion_unit"].to_numpy()[k]))
    values, limits = (index[name].to_numpy()[:, :, k] * scale for name in ("value", "limit"))
    return values, limits, str(index["criterion_name"].to_numpy()[k]), unit


def _keys(index: xr.Dataset) -> list[str]:
    known = {str(k) for k in index["criterion"].to_numpy()}
    return [k for k in SHOWN if k in known]


def curves(index: xr.Dataset, unit: str) -> Picture:
    """Every judged number over the one varied input, beside its limit."""
    x = index["number"].to_numpy()[:, 0]
    order = np.argsort(x)
    keys = _keys(index)
    chart, panels = figures.chart(*[150] * len(keys))
    several = index.sizes["pantograph"] > 1
    for key, panel in zip(keys, panels, strict=True):
        values, limits, name, shown = _column(index, key)
        for p, pantograph in enumerate(index["pantograph"].to_numpy()):
            said = str(pantograph) if several and key == keys[0] else ""
            panel.curve(x[order], values[order, p], said, dot=2.5, color=figures.hue(p))
        if np.isfinite(limits).any():
            label = "limit" if key == keys[0] else ""
            panel.curve(x[order], limits[order, 0], label, color=figures.RED, dash=figures.DASHED)
        panel.name(f"{index['varied'].to_numpy()[0]} ({unit or '1'})", f"{name} ({shown})")
    return Picture("curves", f"Judged numbers over {index['varied'].to_numpy()[0]}", chart, "Dashed: the limit.")


def factors(index: xr.Dataset) -> Picture:
    """Deviation and mean of every run, one dot each."""
    keys = [k for k in ("mean_force", "deviation") if k in _keys(index)]
    chart, panels = figures.chart(*[170] * len(keys))
    n = index["sample"].to_numpy().astype(float)
    for key, panel in zip(keys, panels, strict=True):
        values, limits, name, unit = _column(index, key)
        for p, pantograph in enumerate(index["pantograph"].to_numpy()):
            several = index.sizes["pantograph"] > 1 and key == keys[0]
            panel.dots(n, values[:, p], str(pantograph) if several else "", color=figures.hue(p), size=4.0)
        if np.isfinite(limits).any():
            panel.curve(n, limits[:, 0], "limit", color=figures.RED, dash=figures.DASHED)
        panel.name("number of the run (1)", f"{name} ({unit})")
    return Picture("runs", "Every run", chart, "The table below says which run has which inputs.")


def convergence(index: xr.Dataset) -> Picture:
    """The estimated probability over the number of samples."""
    n, share = answers.running(index)
    chart, (panel,) = figures.chart(190)
    x = np.concatenate([n, n[::-1]])
    y = 100 * np.concatenate([share[:, 0], share[::-1, 2]])
    panel.strokes.append(figures.Stroke(x.astype(float), y, figures.BLUE, 0.0, "95 % interval", fill=0.15))
    panel.curve(n.astype(float), 100 * share[:, 1], "estimate", color=figures.BLUE)
    panel.y_limits = (0.0, None)
    panel.name("samples (1)", "share that misses a limit (%)")
    return Picture("convergence", "How sure the probability is", chart)


def spans(index: xr.Dataset) -> Picture:
    """The probability that the force leaves its limits, span by span."""
    chart, (panel,) = figures.chart(170)
    for p, name in enumerate(index["pantograph"].to_numpy()):
        number_, shares = answers.by_span(index, p)
        x = number_.astype(float) + 0.12 * p
        low, value, high = 100 * np.array([[s.low, s.value, s.high] for s in shares]).reshape(-1, 3).T
        panel.bars(x, low, high, color=figures.hue(p), width=2.0)
        panel.dots(x, value, str(name) if index.sizes["pantograph"] > 1 else "", color=figures.hue(p), size=4.0)
    panel.y_limits = (0.0, None)
    panel.name("number of the span (1)", "force outside its limits (%)")
    return Picture(
        "spans", "Where the force leaves its limits", chart, "Bars: 95 % intervals. Force filtered to 20 Hz."
    )


def histograms(index: xr.Dataset) -> Picture:
    """How the main numbers are distributed."""
    keys = _keys(index)[:6]
    use = answers.good(index)
    chart, panels = figures.chart(*[130] * -(-len(keys) // 2), columns=2)
    for key, panel in zip(keys, panels, strict=False):
        values, limits, name, unit = _column(index, key)
        x = values[use].ravel()
        if x.size:
            counts, edges = np.histogram(x, bins=min(30, max(5, int(np.sqrt(x.size)))))
            panel.steps(edges, counts.astype(float), color=figures.BLUE, fill=0.25)
        if np.isfinite(limits[use]).any():
            panel.rule(x=float(np.nanmax(limits[use])), color=figures.RED, dash=figures.DASHED)
        panel.name(f"{name} ({unit})", "samples (1)")
    for panel in panels[len(keys) :]:
        panel.name("(1)", "(1)")
    return Picture("histograms", "Distribution of the judged numbers", chart, "Dashed: the limit.")


def _inputs(plan: Plan, index: xr.Dataset) -> tuple[list[str], np.ndarray]:
    """Names and values of everything that is random, (samples, inputs)."""
    names = [str(v) for v in index["varied"].to_numpy()]
    columns = [index["number"].to_numpy()]
    if plan.built is not None:
        known = {s.number: s for s in plan.samples()}
        rows = [np.concatenate(plan.built.errors(np.array(known[int(n)].shares))) for n in index["sample"].to_numpy()]
        columns.append(np.array(rows))
        names += [f"{s.of}: {n}" for s, at in zip(plan.built.scatter, plan.built.at, strict=True) for n in at.names]
    return names, np.concatenate(columns, axis=1)


def tornado(plan: Plan, index: xr.Dataset) -> PageTable:
    """The inputs whose rank goes most with that of the force's deviation."""
    use = answers.good(index)
    names, inputs = _inputs(plan, index)
    values = _column(index, "deviation")[0][use].max(axis=1)
    rho = answers.ranks(inputs[use], values)
    order = np.argsort(-np.abs(rho))[:_TORNADO]
    bar = answers.significant(int(use.sum()))
    rows = [
        [names[k], f"{rho[k]:+.2f}".replace("-", "−"), _bar(rho[k]), "yes" if abs(rho[k]) > bar else "may be chance"]
        for k in order
    ]
    return PageTable(
        "What goes with a larger deviation of the force",
        ["Input", "Rank correlation", "", "More than chance"], rows,
        note=f"Spearman's ρ with σ; unrelated inputs stay below {number(bar, 2)} in nineteen cases of twenty.",
    )  # fmt: skip


def _bar(share: float) -> str:
    return ("▮" if share > 0 else "▯") * max(1, round(20 * abs(share)))


def scatter(index: xr.Dataset) -> Picture | None:
    """Deviation over each varied input."""
    names = [str(v) for v in index["varied"].to_numpy()][:6]
    if not names:
        return None
    use = answers.good(index)
    values, _, name, unit = _column(index, "deviation")
    chart, panels = figures.chart(*[150] * -(-len(names) // 2), columns=2, share_x=False)
    for k, (varied, panel) in enumerate(zip(names, panels, strict=False)):
        panel.dots(index["number"].to_numpy()[use, k], values[use].max(axis=1), color=figures.BLUE, size=2.0)
        panel.name(f"{varied} (as written)", f"{name} ({unit})")
    for panel in panels[len(names) :]:
        panel.name("(1)", "(1)")
    return Picture("scatter", "Deviation over each input", chart)


def index_table(plan: Plan, index: xr.Dataset) -> PageTable:
    """Sensitivity indices of the force's deviation."""
    values = _column(index, "deviation")[0].max(axis=1)
    known = {s.number: s for s in plan.samples()}
    if not np.isfinite(values).all() or len(known) != values.size:
        return PageTable("Sensitivity indices", ["Input"], [["every sample is needed; some are missing or failed"]])
    points = sampling.sensitivity_points(plan.study)
    found = sampling.indices(plan.study, points, values)
    heads = ["Input", *found]
    rows = [
        [v.input, *(number(float(column[k]), 3) for column in found.values())] for k, v in enumerate(plan.study.vary)
    ]
    return PageTable(
        "Sensitivity indices of σ", heads, rows, note="S1: alone; ST: with all it interacts with; mu_star: mean effect."
    )
