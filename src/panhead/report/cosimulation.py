"""The page of a co-simulation: models side by side, limits, deformations by mode, and whether to trust the coupling.

It reads what ``panhead.run.solvers.coupled.compared`` writes, and the attributes speed, start, judged_from, wave_speed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import numpy as np

from panhead.assess import Criterion, Site, assess, contact_losses, force_statistics, low_pass
from panhead.report import cosimulation_animation as moving
from panhead.report import cosimulation_figures as drawn
from panhead.report import provenance
from panhead.report.page import Block, Page, Section, Table, Verdict
from panhead.report.words import criteria_table, number

if TYPE_CHECKING:
    import xarray as xr

_SLIGHT = 0.05  # share by which a deviation may change and still be called the same


@final
@dataclass(frozen=True, slots=True)
class Judged:
    """One model in numbers; of the force to 20 Hz where nothing else is said."""

    name: str
    mean: float  #: [N]
    deviation: float  #: of the force as computed [N]
    filtered: float  #: [N]
    largest: float  #: [N]
    smallest: float  #: [N]
    loss: float  #: share of the time without contact
    moment: float  #: on the lower arm [N·m]
    iterations: float  #: mean, of an exchange step
    energy_error: float  #: largest [J]
    distance: float  #: largest, from the run in one piece [N]; NaN: not computed
    change: float | None = None  #: of the deviation to 20 Hz against the first model


def judged(dataset: xr.Dataset) -> list[Judged]:
    """Every model, the first being what the others are measured by."""
    t = dataset["time"].to_numpy()
    now = t >= float(dataset.attrs["judged_from"]) - 1e-9
    found: list[Judged] = []
    for name in dataset["model"].to_numpy():
        one = dataset.sel(model=name)
        F, step = one["contact_force"].to_numpy(), float(t[1] - t[0])
        of = force_statistics(F[now], low_pass(F, step)[now], step)
        lost = contact_losses(F[now], t[now], float(dataset.attrs["speed"]))
        found.append(
            Judged(
                name=str(name),
                mean=of.mean,
                deviation=float(F[now].std()),
                filtered=of.deviation,
                largest=of.actual_max,
                smallest=of.actual_min,
                loss=lost.share,
                moment=float(one["moment"]),
                iterations=float(one["iterations"].to_numpy()[1:].mean()),
                energy_error=float(np.abs(one["interface_energy_error"]).max()),
                distance=float(one["distance_max"]),
                change=of.deviation / found[0].filtered - 1 if found else None,
            )
        )
    return found


def criteria(dataset: xr.Dataset) -> dict[str, list[Criterion]]:
    """EN 50367 for every model."""
    t, attrs = dataset["time"].to_numpy(), dataset.attrs
    window = (float(attrs["judged_from"]), float(t[-1]))
    passed = float(attrs["start"]) + float(attrs["speed"]) * np.array(window)
    x = dataset["support_x"].to_numpy()
    here = (x >= passed[0]) & (x <= passed[1])
    found = {}
    for name in dataset["model"].to_numpy():
        one = dataset.sel(model=name)
        site = Site(
            contact_height=one["strip_height"].to_numpy(),
            uplift=one["support_uplift"].to_numpy()[here],
            wave_speed=float(attrs["wave_speed"]),
        )
        force = one["contact_force"].to_numpy()
        found[str(name)] = assess(force, t, float(attrs["speed"]), site=site, window=window)
    return found


def page(dataset: xr.Dataset) -> Page:
    """The report of one run of the scenario kind ``cosimulation``."""
    models, limits = judged(dataset), criteria(dataset)
    sections = [
        Section("Models side by side", [_table(models), *drawn.forces(dataset)]),
        Section(
            "Judged by EN 50367",
            [criteria_table(list(c), f"Criteria, {name}") for name, c in limits.items()],
        ),
        Section("How the members deform", drawn.deformations(dataset)),
        Section("The contact point", drawn.contact_point(dataset)),
        Section("In motion", [*moving.line(dataset), *moving.linkage(dataset)]),
        Section(
            "Can the coupling be trusted?", [_trust(dataset, models), *drawn.coupling(dataset)]
        ),
        Section("About this run", provenance.blocks(dataset)),
    ]
    return Page(
        title=str(dataset.attrs.get("title", "Line and pantograph as two codes")),
        subtitle=str(dataset.attrs.get("about", "")),
        verdict=verdict(models, limits),
        sections=[section for section in sections if section.blocks],
    )


def verdict(models: list[Judged], limits: dict[str, list[Criterion]]) -> Verdict:
    """What the standard says of the first model, and whether flexibility matters."""
    first, rest = models[0], models[1:]
    missed = [c.name for c in limits[first.name] if c.verdict == "not met"]
    told = (
        f"{first.name}: {number(first.mean, 4)} N on average, deviation {number(first.filtered, 3)} N; "
        + ("EN 50367 met" if not missed else f"EN 50367 not met: {', '.join(missed)}")
    )
    if rest:
        most = max(abs(model.change or 0.0) for model in rest)
        slight = most <= _SLIGHT
        told += (
            f". Flexible members change the deviation by {'only ' if slight else ''}"
            f"{number(100 * most, 2)} % at most"
        )
    details = [
        f"{model.name}: {number(model.mean, 4)} N on average, deviation {number(model.filtered, 3)} N "
        f"({_against(model.change)}), {number(model.smallest, 3)} … {number(model.largest, 3)} N"
        for model in models
    ]
    return Verdict("good" if not missed else "warning", told + ".", details)


def _against(share: float | None) -> str:
    return "reference" if share is None else f"{_signed(share)} %"


def _signed(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:+.2f}".replace("-", "−")


def _table(models: list[Judged]) -> Table:
    rows = [
        [
            model.name, number(model.mean), number(model.filtered), _signed(model.change), number(model.deviation),
            number(model.largest), number(model.smallest), number(100 * model.loss, 2), number(model.moment),
        ]
        for model in models
    ]  # fmt: skip
    headings = [
        "Model", "Mean (N)", "σ, 20 Hz (N)", "change (%)", "σ, raw (N)", "Max (N)", "Min (N)", "Loss (%)", "M (N·m)",
    ]  # fmt: skip
    note = (
        "σ raw: of the force as computed; all else of the force to 20 Hz. Loss: share of time without contact. "
        "M, the moment on the lower arm, is calibrated to the static contact force; the printed 440 N·m does not "
        "carry the weight of the arms [Ambrosio11]."
    )
    return Table("", headings, rows, note=note)


def _trust(dataset: xr.Dataset, models: list[Judged]) -> Block:
    through = dataset["interface_energy_through"].to_numpy()
    rows = [
        [
            model.name, number(model.iterations, 3), number(model.energy_error, 2), number(float(total), 3),
            number(model.distance, 2),
        ]
        for model, total in zip(models, through, strict=True)
    ]  # fmt: skip
    headings = [
        "Model", "Exchanges a step", "Energy error (J)", "Energy passed (J)",
        "Off one piece (N)",
    ]  # fmt: skip
    note = (
        f"Exchange: {dataset.attrs['scheme']}, every {number(1e3 * dataset.attrs['exchange_step'], 2)} ms. The error "
        "is power on the line's side less power on the pantograph's side, integrated. One piece: the same equations "
        "in one Newton iteration, over the first part of the run."
    )
    return Table("", headings, rows, note=note)
