"""Report page of an optimal control: achieved reduction, control effort, convergence of the optimiser.

Reads everything a mechanism's page reads for the controlled motion; ``uncontrolled_q``,
``uncontrolled_v`` and ``uncontrolled_NAME`` of every output for the motion without control;
``cost_history``, ``gradient_history`` (iteration); ``u`` (time, control); ``tuned_value`` (tuned).
Attributes: cost, cost_uncontrolled, cost_parts, terms, converged, reason, optimiser, evaluations,
judged (an output, or empty), published… (mean and deviation in print).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from panhead.assess.number_text import long_name, number, unit_of, unit_text
from panhead.desk.drawing import figures
from panhead.desk.drawing.figures import Chart
from panhead.desk.reports import series
from panhead.desk.reports.motion import animations, outputs
from panhead.desk.reports.page import Block, Page, PageTable, PageVerdict, Picture, origin, page_with
from panhead.engine.control.control_comparison import our_numbers, printed_numbers

if TYPE_CHECKING:
    import xarray as xr

_WITHOUT, _WITH = figures.GREY, figures.BLUE


def page(dataset: xr.Dataset) -> Page:
    """The report of one run of the scenario kind ``control``."""
    sections: dict[str, Sequence[Block | None]] = {
        "What the control achieves": _achieved_rows(dataset),
        "The optimal control": [_controls(dataset), _effort(dataset)],
        "Optimisation": _search(dataset),
        "Motion without and with control": _motion(dataset),
        "The controlled mechanism": animations(dataset, outputs(dataset)),
        "Energy with control": series.energies(dataset),
        "About this run": origin(dataset),
    }
    title = str(dataset.attrs.get("title", "Optimal control"))
    return page_with(title, str(dataset.attrs.get("about", "")), verdict(dataset), sections)


def verdict(dataset: xr.Dataset) -> PageVerdict:
    """Achieved reduction and control effort in one sentence; a warning if the optimiser stopped early."""
    attrs = dataset.attrs
    said = f"The cost falls from {number(float(attrs['cost_uncontrolled']))} to {number(float(attrs['cost']))}"
    if attrs["judged"]:
        j = our_numbers(dataset)
        said = (
            f"The control cuts the deviation of the {j.label} by {number(j.cut, 3)} % "
            f"and moves its mean by {number(j.moved, 2)} %"
        )
    largest = float(np.abs(dataset["u"].to_numpy()).max())
    said += f", with at most {number(largest, 3)} N (or N·m) of control."
    if attrs["converged"]:
        return PageVerdict("good", said)
    return PageVerdict(
        "warning",
        f"{said} The optimiser did not converge: {attrs['reason']}.",
        ["Set optimiser.restart to this result, or run again with --resume, to continue from here."],
    )


def _achieved_rows(dataset: xr.Dataset) -> list[Block]:
    if not dataset.attrs["judged"]:
        return []
    name = str(dataset.attrs["judged"])
    both = _pair(dataset, [name], [long_name(dataset, name)], [unit_of(dataset, name)])
    return [
        _comparison(dataset),
        Picture("judged", f"{long_name(dataset, name).capitalize()} without and with control", both),
    ]


def _comparison(dataset: xr.Dataset) -> PageTable:
    """Mean and deviation without and with control, ours and published."""
    ours, print_ = our_numbers(dataset), printed_numbers(dataset)
    unit = unit_text(ours.unit)
    headings = ["Motion", f"Mean ({unit})", f"Deviation ({unit})"]
    if print_:
        headings += [f"Published mean ({unit})", f"Published deviation ({unit})"]
    several = [c for c in (ours, print_) if c]
    rows = []
    for word in ("uncontrolled", "controlled"):
        rows.append([word.capitalize(), *(number(x, 5) for c in several for x in getattr(c, word))])
    rows.append(["Change (%)", *(number(x) for c in several for x in (c.moved, c.cut))])
    note = f"Published: {print_.label}; the source gives neither weights nor control effort." if print_ else ""
    return PageTable("", headings, rows, note=note)


def _controls(dataset: xr.Dataset) -> Picture:
    names = [str(n) for n in dataset["control"].to_numpy()]
    chart, panels = figures.chart(*[170] * len(names))
    for k, (name, panel) in enumerate(zip(names, panels, strict=True)):
        panel.curve(dataset["time"].to_numpy(), dataset["u"].to_numpy()[:, k], color=_WITH)
        panel.name("time (s)", f"control {name} (N, N·m)")
    return Picture("control", "Control over time", chart)


def _effort(dataset: xr.Dataset) -> PageTable:
    t, u = dataset["time"].to_numpy(), dataset["u"].to_numpy()
    rows = []
    for k, name in enumerate(dataset["control"].to_numpy()):
        square = float(np.trapezoid(u[:, k] ** 2, t))
        rows.append(
            [
                str(name),
                number(float(np.sqrt(square / (t[-1] - t[0])))),
                number(float(u[:, k].min())),
                number(float(u[:, k].max())),
                number(square),
            ]
        )
    work = float(dataset["work_controls"].to_numpy()[-1])
    return PageTable(
        "Control effort",
        ["Control", "Root mean square (N)", "Smallest (N)", "Largest (N)", "∫u² dt (N²·s)"],
        rows,
        note=f"All controls together do {number(work)} J of work over the run. Values of control moments are in N·m.",
    )


def _search(dataset: xr.Dataset) -> list[Block]:
    attrs = dataset.attrs
    parts = zip(np.atleast_1d(attrs["terms"]), np.atleast_1d(attrs["cost_parts"]), strict=True)
    rows = [["total, without control", number(float(attrs["cost_uncontrolled"]), 6)]]
    rows += [["total, with control", number(float(attrs["cost"]), 6)]]
    rows += [[f"share of {name}", number(float(share), 6)] for name, share in parts]
    for name, value in zip(dataset["tuned"].to_numpy(), dataset["tuned_value"].to_numpy(), strict=True):
        rows.append([f"tuned parameter {name}", number(float(value), 6)])
    steps = dataset.sizes["iteration"] - 1
    note = (
        f"{attrs['optimiser']}: {steps} iterations, {attrs['evaluations']} gradients, "
        f"stopped because: {attrs['reason']}."
    )
    return [_convergence(dataset), PageTable("Cost", ["Term", "Value"], rows, note=note)]


def _convergence(dataset: xr.Dataset) -> Picture:
    """Cost and norm of its gradient over the iterations; a direct method has no gradient."""
    shown = [("cost_history", "cost (1)", figures.INK)]
    if np.isfinite(dataset["gradient_history"].to_numpy()).all():
        shown.append(("gradient_history", "norm of the gradient (1)", figures.ORANGE))
    chart, panels = figures.chart(*[170] * len(shown))
    steps = dataset["iteration"].to_numpy().astype(float)
    for (name, label, color), panel in zip(shown, panels, strict=True):
        panel.y_log = True
        panel.curve(steps, dataset[name].to_numpy(), color=color, dot=2.0)
        panel.name("iteration (1)", label)
    return Picture("convergence", "Convergence of the cost", chart)


def _motion(dataset: xr.Dataset) -> list[Block]:
    """Outputs that the control changes, then coordinates and rates."""
    changed = [
        name
        for name in outputs(dataset)
        if name != dataset.attrs["judged"]
        and not np.allclose(dataset[name], dataset[f"uncontrolled_{name}"], rtol=1e-9)
    ]
    blocks: list[Block] = []
    if changed:
        labels = [long_name(dataset, name) for name in changed]
        made = _pair(dataset, changed, labels, [unit_of(dataset, name) for name in changed])
        blocks.append(Picture("outputs", "Outputs", made))
    names = [str(n) for n in dataset["coordinate"].to_numpy()]
    units = [str(u) for u in dataset["coordinate_units"].to_numpy()]
    for variable, title, per in (("q", "Coordinates", ""), ("v", "Rates of the coordinates", "/s")):
        prefix = "rate of " if per else ""
        made = _pair(dataset, [variable], [f"{prefix}{n}" for n in names], [u + per for u in units])
        blocks.append(Picture(title.split()[0].lower(), title, made))
    return blocks


def _pair(dataset: xr.Dataset, variables: list[str], labels: list[str], units: list[str]) -> Chart:
    """One panel for each column of the variables: without control beneath, with control above."""
    times = dataset["time"].to_numpy()
    stacked = lambda prefix: np.column_stack([dataset[prefix + name] for name in variables])
    without, controlled = stacked("uncontrolled_"), stacked("")
    chart, panels = figures.chart(*[190 if len(labels) < 3 else 130] * len(labels))
    for k, panel in enumerate(panels):
        said = ("without", "with control") if k == 0 else ("", "")
        panel.curve(times, without[:, k], said[0], color=_WITHOUT, width=1.3)
        panel.curve(times, controlled[:, k], said[1], color=_WITH, width=1.7)
        panel.name("time (s)", f"{labels[k]} ({unit_text(units[k])})")
    return chart
