"""The page of a train: that of its run under the line, and what the moving roof does to the contact force.

Besides what ``report.line`` reads: ``contact_force_level`` (pantograph, time); ``roof_vertical``,
``roof_lateral`` (roof_time) in m; attributes outcome and message of the vehicle's ride.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from panhead.assess import spectrum
from panhead.report import figures, line
from panhead.report.page import Block, Page, Picture, Section, Table, Verdict
from panhead.report.words import number

if TYPE_CHECKING:
    import xarray as xr

_HIGHEST = 20.0  # [Hz]


def page(dataset: xr.Dataset, forces: Mapping[str, np.ndarray]) -> Page:
    """``forces``: contact force with the roof moving and level, in the judged part."""
    plain = line.page(dataset)
    ours = Section("Roof and contact", _blocks(dataset, forces))
    told = f"The vehicle's ride: {dataset.attrs['outcome']}; {dataset.attrs['message']}."
    good = dataset.attrs["outcome"] == "on the track"
    verdict = Verdict(
        plain.verdict.mood if good else "bad",
        plain.verdict.sentence if good else told,
        [*plain.verdict.details, told],
    )
    return replace(plain, verdict=verdict, sections=[ours, *plain.sections])


def _blocks(dataset: xr.Dataset, forces: Mapping[str, np.ndarray]) -> list[Block]:
    rows = [
        [name, *(number(float(x)) for x in (f.mean(), f.std(), f.min(), f.max()))]
        for name, f in forces.items()
    ]
    headings = ["Contact force", "Mean (N)", "Deviation (N)", "Smallest (N)", "Largest (N)"]
    note = "Unfiltered, in the judged part of the way."
    return [
        Table("", headings, rows, note=note),
        _curves(dataset, forces),
        _spectra(dataset, forces),
    ]


def _curves(dataset: xr.Dataset, forces: Mapping[str, np.ndarray]) -> Picture:
    made, (roof, force, apart) = figures.figure(3, height=6.4, share_x=True)
    times = dataset["roof_time"].to_numpy()
    for name, label in (("roof_vertical", "up"), ("roof_lateral", "to the left")):
        roof.plot(*figures.thinned(times, 1e3 * dataset[name].to_numpy()), label=label)
    figures.name_axes(roof, "", "roof (mm)")
    figures.legend(roof)
    times = dataset["time"].to_numpy()
    part = (times >= dataset.attrs["judged_from"]) & (times <= dataset.attrs["judged_to"])
    for name, values in forces.items():
        force.plot(*figures.thinned(times[part], values), label=name, lw=1.0)
    figures.name_axes(force, "", "contact force (N)")
    figures.legend(force)
    moving, level = forces.values()
    apart.plot(*figures.thinned(times[part], moving - level), color=figures.PURPLE, lw=1.0)
    figures.name_axes(apart, "time (s)", "difference (N)")
    return Picture("roof", "The roof under the pantograph, and the contact force", made)


def _spectra(dataset: xr.Dataset, forces: Mapping[str, np.ndarray]) -> Picture:
    step = float(np.diff(dataset["time"].to_numpy()).mean())
    made, (axes,) = figures.figure(height=3.2)
    for name, values in forces.items():
        f, density = spectrum(values, step)
        shown = (f > 0.05) & (f <= _HIGHEST)
        axes.semilogy(f[shown], density[shown], label=name, lw=1.0)
    figures.name_axes(axes, "frequency (Hz)", "density (N²/Hz)")
    figures.legend(axes)
    return Picture("roof_spectrum", "Spectrum of the contact force", made)
