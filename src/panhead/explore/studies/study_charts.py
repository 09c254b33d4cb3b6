"""Charts of a study page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from panhead.assess.criteria import shown_unit
from panhead.assess.number_text import number
from panhead.desk.drawing import figures
from panhead.desk.reports.page import PageTable, Picture
from panhead.explore.studies import answers, sampling
from panhead.explore.studies.sample_index import unit_as_written
from panhead.explore.studies.study_description import in_words

if TYPE_CHECKING:
    import xarray as xr

    from panhead.explore.studies.sample_plan import Plan

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
_DASHED = "Dashed: the limit, in the colour of its curve where it is not the same for all."


def _column(index: xr.Dataset, key: str) -> tuple[np.ndarray, np.ndarray, str, str]:
    """Values and limits (sample, pantograph) of a criterion as shown, its name and unit."""
    k = [str(x) for x in index["criterion"].to_numpy()].index(key)
    unit, scale = shown_unit(str(index["criterion_unit"].to_numpy()[k]))
    values, limits = (index[name].to_numpy()[:, :, k] * scale for name in ("value", "limit"))
    return values, limits, str(index["criterion_name"].to_numpy()[k]), unit


def shown_keys(index: xr.Dataset) -> list[str]:
    """The criteria that are drawn and tabled: the usual ones, and whichever misses its limit in some sample."""
    known = [str(k) for k in index["criterion"].to_numpy()]
    missed = np.any(index["failed"].to_numpy(), axis=(0, 1)).tolist()
    return [k for k in SHOWN if k in known] + [k for k, m in zip(known, missed, strict=True) if m and k not in SHOWN]


def curves(index: xr.Dataset) -> Picture:
    """Every assessed quantity over one varied input with its limit: a curve for each value of the others, a column for
    each pantograph."""
    x, label, words = _across(index)
    rest = np.delete(index["input"].to_numpy(), words[0], axis=1)
    groups = {" · ".join(row): (rest == row).all(axis=1) for row in rest}
    keys, pantographs = shown_keys(index), index["pantograph"].to_numpy()
    chart, panels = figures.chart(*[150] * len(keys), columns=len(pantographs))
    for k, panel in enumerate(panels):
        row, p = divmod(k, len(pantographs))
        values, limits, name, unit = _column(index, keys[row])
        _group_curves(panel, x, values[:, p], limits[:, p], groups, named=k == 0)
        panel.name(label, f"{name} ({unit})")
        panel.y_limits = _common(values, limits)
        panel.title = str(pantographs[p]) if len(pantographs) > 1 and row == 0 else ""
    return Picture("curves", f"Assessed quantities over {words[1]}", chart, words[2])


def _common(*found: np.ndarray) -> figures.Limits:
    """One scale for all pantographs, 5 % wider than what is drawn."""
    known = np.concatenate([np.ravel(x) for x in found])
    known = known[np.isfinite(known)]
    room = 0.05 * np.ptp(known) if known.size else 0.0
    if known.size and not known.any():
        return 0.0, 1.0
    return (float(known.min() - room), float(known.max() + room)) if room > 0.0 else (None, None)


def _across(index: xr.Dataset) -> tuple[np.ndarray, str, tuple[int, str, str]]:
    """The input that curves run over: that of most values, of numbers if there is one; (sample,), its label, and its
    place, name and what is said below. Words are numbered in the order they come."""
    inputs, numbers = index["input"].to_numpy(), index["number"].to_numpy()
    counts = np.array([len(set(column)) for column in inputs.T])
    k = int(np.lexsort((counts, np.isfinite(numbers).all(axis=0)))[-1])
    varied = in_words(str(index["varied"].to_numpy()[k]))
    if np.isfinite(numbers[:, k]).all():
        return numbers[:, k], f"{varied} ({unit_as_written(inputs[0, k]) or '1'})", (k, varied, _DASHED)
    known = list(dict.fromkeys(inputs[:, k]))
    said = "; ".join(f"{n}: {word}" for n, word in enumerate(known, 1))
    x = np.array([known.index(word) + 1.0 for word in inputs[:, k]])
    return x, f"{varied}, as numbered below (1)", (k, varied, f"{said}. {_DASHED}")


def _group_curves(
    panel: figures.Panel,
    x: np.ndarray,
    values: np.ndarray,
    limits: np.ndarray,
    groups: Mapping[str, np.ndarray],
    *,
    named: bool,
) -> None:
    """One curve for each group of samples; the limit once where it is the same for all, else in each group's colour."""
    bounds = []
    for n, (name, mine) in enumerate(groups.items()):
        order = np.flatnonzero(mine)[np.argsort(x[mine], kind="stable")]
        panel.curve(x[order], values[order], name if named else "", dot=2.5, color=figures.hue(n))
        bounds.append((x[order], limits[order]))
    same = all(np.array_equal(one, bounds[0], equal_nan=True) for one in bounds)
    for n, (at, limit) in enumerate(bounds[:1] if same else bounds):
        if np.isfinite(limit).any():
            label = "limit" if named and same else ""
            panel.curve(at, limit, label, color=figures.RED if same else figures.hue(n), dash=figures.DASHED)


def convergence(index: xr.Dataset) -> Picture:
    """The estimated probability over the number of samples."""
    n, share = answers.running_estimate(index)
    chart, (panel,) = figures.chart(190)
    x = np.concatenate([n, n[::-1]])
    y = 100 * np.concatenate([share[:, 0], share[::-1, 2]])
    panel.strokes.append(figures.Stroke(x.astype(float), y, figures.BLUE, 0.0, "95 % interval", fill=0.15))
    panel.curve(n.astype(float), 100 * share[:, 1], "estimate", color=figures.BLUE)
    panel.y_limits = (0.0, None)
    panel.name("samples (1)", "share violating a limit (%)")
    return Picture("convergence", "Convergence of the probability", chart)


def force_by_span(index: xr.Dataset) -> Picture:
    """Largest and smallest filtered force in every judged span: median and range of the samples, beside the limits."""
    use, names = answers.good(index), index["pantograph"].to_numpy()
    chart, (panel,) = figures.chart(220)
    number_ = index["span"].to_numpy().astype(float)
    for p, name in enumerate(names):
        x = number_ + 0.12 * (p - 0.5 * (len(names) - 1))
        for of, words in (("span_max", "largest"), ("span_min", "smallest")):
            low, middle, high = _sample_range(index[of].to_numpy()[use, p])
            label = f"{words}, {name}" if len(names) > 1 else words
            color = figures.hue(2 * p + (of == "span_min"))
            panel.bars(x, low, high, color=color, width=5.0)
            panel.dots(x, middle, label, color=color, size=5.0)
    for key in ("actual_max", "actual_min"):
        limit = _span_limit(index, key)
        if limit is not None:
            panel.rule(f"limit {limit:.0f} N", y=limit, color=figures.RED, dash=figures.DASHED)
    middle, half = (number_.min() + number_.max()) / 2.0, max(3.0, np.ptp(number_) / 2.0 + 0.5)
    panel.x_limits = (middle - half, middle + half)
    panel.name("span number (1)", "contact force to 20 Hz (N)")
    caption = "Dots: median of the samples; bars: from the smallest to the largest sample."
    return Picture("force_by_span", "Extremes of the contact force by span", chart, caption)


def _sample_range(values: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Smallest, median and largest of samples (n, spans), without those that do not know a span."""
    return np.nanmin(values, axis=0), np.nanmedian(values, axis=0), np.nanmax(values, axis=0)


def _span_limit(index: xr.Dataset, key: str) -> float | None:
    keys = [str(k) for k in index["criterion"].to_numpy()]
    limits = index["limit"].to_numpy()[:, :, keys.index(key)] if key in keys else np.empty(0)
    known = limits[np.isfinite(limits)]
    return float(known[0]) if known.size else None


def spans(index: xr.Dataset) -> Picture:
    """The probability that the force leaves its limits, span by span."""
    chart, (panel,) = figures.chart(170)
    for p, name in enumerate(index["pantograph"].to_numpy()):
        number_, shares = answers.by_span(index, p)
        x = number_.astype(float) + 0.12 * p
        low, value, high = 100 * np.array([[s.low, s.value, s.high] for s in shares]).reshape(-1, 3).T
        panel.bars(x, low, high, color=figures.hue(p), width=2.0)
        panel.dots(x, value, str(name) if index.sizes["pantograph"] > 1 else "", color=figures.hue(p), size=4.0)
    known = index["span"].to_numpy() if index.sizes["span"] else np.zeros(1)
    middle, half = (known.min() + known.max()) / 2.0, max(3.0, np.ptp(known) / 2.0 + 0.5)  # ticks at whole numbers
    panel.x_limits = (middle - half, middle + half)
    panel.y_limits = (0.0, None)
    panel.name("span number (1)", "force outside its limits (%)")
    return Picture(
        "spans",
        "Probability of violating the force limits by span",
        chart,
        "Bars: 95 % intervals. Force filtered to 20 Hz.",
    )


def histograms(index: xr.Dataset) -> Picture:
    """Histograms of the main quantities."""
    keys = shown_keys(index)[:6]
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
    chart = replace(chart, panels=panels[: len(keys)])
    return Picture("histograms", "Distribution of the assessed quantities", chart, "Dashed: the limit.")


def _inputs(plan: Plan, index: xr.Dataset) -> tuple[list[str], np.ndarray]:
    """Names and values of everything that is random, (samples, inputs)."""
    names = [in_words(str(v)) for v in index["varied"].to_numpy()]
    columns = [index["number"].to_numpy()]
    if plan.built is not None:
        known = plan.samples()
        columns += plan.built.many_errors(np.array([known[n].shares for n in index["sample"].to_numpy()]))
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
        "Correlation of the inputs with σ of the contact force",
        ["Input", "Rank correlation", "", "Significance"], rows,
        note=f"Spearman's ρ with σ; unrelated inputs are below {number(bar, 2)} in 95 % of cases.",
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
    chart, panels = figures.chart(*[150] * -(-len(names) // 2), columns=min(2, len(names)), share_x=False)
    for k, (varied, panel) in enumerate(zip(names, panels, strict=False)):
        panel.dots(index["number"].to_numpy()[use, k], values[use].max(axis=1), color=figures.BLUE, size=2.0)
        written = unit_as_written(index["input"].to_numpy()[0, k]) or "1"
        panel.name(f"{in_words(varied)} ({written})", f"{name} ({unit})")
    chart = replace(chart, panels=panels[: len(names)])
    return Picture("scatter", "Standard deviation over each input", chart)


def index_table(plan: Plan, index: xr.Dataset) -> PageTable:
    """Sensitivity indices of the force's deviation."""
    values = _column(index, "deviation")[0].max(axis=1)
    known = {s.number: s for s in plan.samples()}
    if not np.isfinite(values).all() or len(known) != values.size:
        return PageTable("Sensitivity indices", ["Input"], [["all samples are needed, but some are missing or failed"]])
    points = sampling.sensitivity_points(plan.study)
    found = sampling.indices(plan.study, points, values)
    heads = ["Input", *found]
    rows = [
        [v.input, *(number(float(column[k]), 3) for column in found.values())] for k, v in enumerate(plan.study.vary)
    ]
    return PageTable(
        "Sensitivity indices of σ",
        heads,
        rows,
        note="S1: first-order effect; ST: total effect with interactions; mu_star: mean elementary effect.",
    )
