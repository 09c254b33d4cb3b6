"""Report page of a mechanism in factorized and Euler–Lagrange form: their difference and its cause.

Reads either ``torque`` (form, time, coordinate) with ``q`` and perhaps ``returned`` (time,
coordinate), or outputs (case, form, time) named in the attribute ``outputs`` with ``v``,
``kinetic`` and the external variables ``w`` (case, time, signal).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from panhead.assess.number_text import number, unit_text
from panhead.desk.drawing import figures
from panhead.desk.drawing.figures import Panel
from panhead.desk.drawing.power_graph import PowerGraph
from panhead.desk.reports.motion import animations
from panhead.desk.reports.page import Block, Page, PageSection, PageTable, PageVerdict, Picture, origin
from panhead.engine.factorized.causality import FORMS

if TYPE_CHECKING:
    import xarray as xr

_COLORS = (figures.BLUE, figures.GREEN, figures.PURPLE, figures.GOLD)
_DASHES = "8 6"  # long enough to let the curve beneath show
_SAME = 1e-9  # relative; two ways to add the same numbers


def page(dataset: xr.Dataset) -> Page:
    """The report of one run of the scenario kind ``factorized``."""
    inverse = "torque" in dataset
    sections = [
        PageSection("Motion", animations(dataset, [])),
        *(_torque_sections(dataset) if inverse else _motion_sections(dataset)),
        PageSection("Power-oriented graphs", _graphs(dataset)),
        PageSection("About this run", origin(dataset)),
    ]
    return Page(
        title=str(dataset.attrs.get("title", "Factorized form")),
        subtitle=str(dataset.attrs.get("about", "")),
        verdict=_torque_verdict(dataset) if inverse else _motion_verdict(dataset),
        sections=[section for section in sections if section.blocks],
    )


def _graphs(dataset: xr.Dataset) -> list[Block]:
    """Both models in integral causality as block diagrams."""
    if "power_graph" not in dataset.attrs:
        return []
    graph = PowerGraph.from_json(str(dataset.attrs["power_graph"]))
    return [
        Picture("graph_euler_lagrange", "Euler–Lagrange model", graph.euler_lagrange()),
        Picture(
            "graph_factorized",
            "Factorized model",
            graph.factorized(),
            "Dashed red: a pair of signals whose product is a power, the same on both sides of the factor. Dotted: "
            "measured signals; only the Euler–Lagrange model needs their rates.",
        ),
    ]


def _torque_verdict(dataset: xr.Dataset) -> PageVerdict:
    torque = dataset["torque"].to_numpy()
    apart = float(np.abs(torque[0] - torque[1]).max() / np.abs(torque).max())
    same = apart <= _SAME
    return PageVerdict(
        "good" if same else "bad",
        f"Both forms give the same torques, to within {number(apart, 2)} of the largest torque."
        if same
        else f"The forms disagree by {number(apart, 2)} of the largest torque.",
    )


def _torque_sections(dataset: xr.Dataset) -> list[PageSection]:
    given: list[Block] = [_panels(dataset, "q", "Prescribed motion", "given")]
    if "returned" in dataset:
        off = float(np.abs(dataset["returned"] - dataset["q"]).max())
        given.append(
            "Fed back into the factorized form with integral causality, these torques reproduce the motion to within "
            f"{number(off, 2)} (unit of the coordinate); the error is of second order in the time step."
        )
    return [
        PageSection("Prescribed motion", given),
        PageSection("Torques of both forms", [_torque_picture(dataset), _torque_table(dataset)]),
    ]


def _panels(dataset: xr.Dataset, name: str, title: str, stem: str) -> Picture:
    units = [str(u) for u in dataset["coordinate_units"].to_numpy()]
    chart, panels = figures.chart(*[150] * len(units))
    times, names = dataset["time"].to_numpy(), dataset["coordinate"].to_numpy()
    for k, (unit, panel) in enumerate(zip(units, panels, strict=True)):
        panel.curve(times, dataset[name].to_numpy()[:, k])
        panel.name("time (s)", f"{names[k]} ({unit_text(unit)})")
    return Picture(stem, title, chart)


def _torque_picture(dataset: xr.Dataset) -> Picture:
    names = [str(n) for n in dataset["coordinate"].to_numpy()]
    chart, panels = figures.chart(*[170] * len(names))
    times, torque = dataset["time"].to_numpy(), dataset["torque"].to_numpy()
    for k, (name, panel) in enumerate(zip(names, panels, strict=True)):
        _two_forms(panel, times, torque[1, :, k], torque[0, :, k], named=k == 0)
        panel.name("time (s)", f"torque on {name} (N·m)")
    return Picture("torques", "Torques", chart)


def _two_forms(panel: Panel, times: np.ndarray, lagrange: np.ndarray, factorized: np.ndarray, *, named: bool) -> None:
    """Euler–Lagrange in colour, factorized as a red dashed line over it, as in the paper."""
    said = ("Euler–Lagrange", "factorized") if named else ("", "")
    panel.curve(times, lagrange, said[0], color=figures.BLUE, width=2.6)
    panel.curve(times, factorized, said[1], color=figures.RED, width=1.2, dash=_DASHES)


def _torque_table(dataset: xr.Dataset) -> PageTable:
    torque = dataset["torque"].to_numpy()
    rows = []
    for k, name in enumerate(dataset["coordinate"].to_numpy()):
        apart = np.abs(torque[0, :, k] - torque[1, :, k])
        largest = np.abs(torque[0, :, k]).max()
        rows.append([str(name), number(float(largest)), number(float(apart.max()), 2)])
    return PageTable("", ["Torque on", "Largest (N·m)", "Largest difference of the forms (N·m)"], rows)


def _outputs(dataset: xr.Dataset) -> list[str]:
    return [str(n) for n in np.atleast_1d(dataset.attrs["outputs"])]


def _form_difference(dataset: xr.Dataset, case: str, name: str) -> tuple[float, float]:
    """Mean and largest difference of the forms, relative to the factorized value at the moment.

    An output that passes through zero is compared with its largest value instead.
    """
    values = dataset[name].sel(case=case).to_numpy()
    size = np.abs(values[0])
    share = np.abs(values[1] - values[0]) / (size if size.min() > 1e-2 * size.max() else size.max())
    return float(share.mean()), float(share.max())


def _motion_verdict(dataset: xr.Dataset) -> PageVerdict:
    cases = [str(c) for c in dataset["case"].to_numpy()]
    worst = {c: max(_form_difference(dataset, c, n)[1] for n in _outputs(dataset)) for c in cases}
    kinetic = dataset["kinetic"].sel(form=FORMS[0]).to_numpy()
    drift = float(np.abs(kinetic / kinetic[:, :1] - 1).max())
    told = f"The factorized form conserves kinetic energy to {number(drift, 2)}"
    if "noisy" not in worst:
        return PageVerdict(
            "good", f"{told}; the Euler–Lagrange form is within {number(100 * worst[cases[0]], 2)} % of it."
        )
    return PageVerdict(
        "good",
        f"{told}, with noise and without. The Euler–Lagrange form is within "
        f"{number(100 * worst['noise-free'], 2)} % of it without noise and deviates by up to "
        f"{number(100 * worst['noisy'], 2)} % with noise.",
    )


def _motion_sections(dataset: xr.Dataset) -> list[PageSection]:
    cases = [str(c) for c in dataset["case"].to_numpy()]
    blocks: list[Block] = [_motion_picture(dataset, case) for case in cases]
    sections = [PageSection("Both forms", [*blocks, _motion_table(dataset)])]
    if "noisy" in cases:
        sections.append(PageSection("Effect of measurement noise", [_noise_text(dataset), _noise_picture(dataset)]))
    return sections


def _motion_picture(dataset: xr.Dataset, case: str) -> Picture:
    groups: dict[str, list[str]] = {}
    for name in _outputs(dataset):
        groups.setdefault(str(dataset[name].attrs["units"]), []).append(name)
    chart, panels = figures.chart(*[260 if len(groups) == 1 else 170] * len(groups))
    times = dataset["time"].to_numpy()
    for (unit, names), panel in zip(groups.items(), panels, strict=True):
        for k, name in enumerate(names):
            lagrange, factorized = (dataset[name].sel(case=case, form=form).to_numpy() for form in FORMS[::-1])
            panel.curve(times, lagrange, str(dataset[name].attrs["long_name"]), color=_COLORS[k % 4], width=2.6)
            label = "factorized" if k == len(names) - 1 else ""
            panel.curve(times, factorized, label, color=figures.RED, width=1.2, dash=_DASHES)
        panel.name("time (s)", f"value ({unit_text(unit)})")
    caption = "Colour: Euler–Lagrange form; red, dashed: factorized form."
    return Picture(f"motion_{case.replace('-', '_')}", f"Motion, {case}", chart, caption)


def _motion_table(dataset: xr.Dataset) -> PageTable:
    rows = []
    for case in dataset["case"].to_numpy():
        for name in _outputs(dataset):
            mean, largest = _form_difference(dataset, str(case), name)
            said = str(dataset[name].attrs["long_name"])
            rows.append([str(case), said, number(100 * mean, 3), number(100 * largest, 3)])
    return PageTable(
        "Difference of the Euler–Lagrange form from the factorized form",
        ["Case", "Output", "Mean (%)", "Largest (%)"],
        rows,
        note=f"Sampled every {1e3 * float(dataset.attrs['step']):g} ms; the Euler–Lagrange form "
        f"obtains the rate of a measured signal by {dataset.attrs['scheme']} differences. An output "
        "that passes through zero is compared with its largest value.",
    )


def _noise_text(dataset: xr.Dataset) -> str:
    v = dataset["v"].isel(coordinate=0).sel(form=FORMS[0])
    ripple = float(np.abs(v.sel(case="noisy") / v.sel(case="noise-free") - 1).max())
    return (
        "A measured signal that enters the inertia makes the speed ripple with it: at each moment "
        "the factorized form is exact for the signal it is given, noise included, and deviates from the noise-free "
        f"speed by up to {number(100 * ripple, 3)} %. The ripple vanishes with the noise and does not grow. The "
        "Euler–Lagrange form integrates the differentiated signal, so its error accumulates."
    )


def _noise_picture(dataset: xr.Dataset) -> Picture:
    v = dataset["v"].isel(coordinate=0)
    reference = v.sel(case="noise-free", form=FORMS[0]).to_numpy()
    count = int(dataset.attrs["average"])

    def mean(x: np.ndarray) -> np.ndarray:
        return np.convolve(x, np.full(count, 1 / count), mode="valid")

    times = mean(dataset["time"].to_numpy())
    chart, (panel,) = figures.chart(210)
    for form, color in zip(FORMS, (figures.RED, figures.BLUE), strict=True):
        noisy = v.sel(case="noisy", form=form).to_numpy()
        panel.curve(times, 100 * (mean(noisy) / mean(reference) - 1), form, color=color)
    panel.name("time (s)", "deviation (%)")
    title = "Deviation from the noise-free speed, averaged over whole periods of the noise"
    return Picture("noise", title, chart)
