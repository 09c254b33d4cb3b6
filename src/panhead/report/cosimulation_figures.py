"""Figures and the animation of a co-simulation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from panhead.assess import low_pass
from panhead.report import figures
from panhead.report.page import Block, Picture, Table
from panhead.report.words import number

if TYPE_CHECKING:
    import xarray as xr

_ZOOM = 1.5  # [s] of the close-up
_SHOWN = 6  # modes in a figure
_IDLE = 1e-4  # share of the largest below which a mode is not listed
MEMBERS = ("top arm", "head")


def filtered(dataset: xr.Dataset) -> np.ndarray:
    t = dataset["time"].to_numpy()
    return np.array(
        [
            low_pass(F, float(t[1] - t[0]), zero_phase=True)
            for F in dataset["contact_force"].to_numpy()
        ]
    )


def _names(dataset: xr.Dataset) -> list[str]:
    return [str(n) for n in dataset["model"].to_numpy()]


def _late(dataset: xr.Dataset) -> np.ndarray:
    """The close-up: the middle of the judged part."""
    t = dataset["time"].to_numpy()
    middle = 0.5 * (float(dataset.attrs["judged_from"]) + t[-1])
    return np.abs(t - middle) <= _ZOOM / 2


def forces(dataset: xr.Dataset) -> list[Block]:
    """Contact force of all models, filtered, along the way; close up; and each flexible model less the first."""
    x, names, smooth = dataset["contact_x"].to_numpy(), _names(dataset), filtered(dataset)
    made, (one,) = figures.figure(height=3.4)
    for name, F in zip(names, smooth, strict=True):
        one.plot(*figures.thinned(x, F), lw=1.0, label=name)
    at = float(np.interp(dataset.attrs["judged_from"], dataset["time"], x))
    one.axvspan(at, x[-1], color=figures.PALE, alpha=0.25, lw=0)
    figures.name_axes(one, "distance along the track (m)", "force to 20 Hz (N)")
    figures.legend(one)
    whole = Picture(
        "contact_force",
        "Contact force",
        made,
        "Without the lag of an instrument; the judged part is shaded.",
    )
    return [
        whole,
        _close_up(dataset, names),
        *_each_strip(dataset, names),
        *_differences(dataset, names),
    ]


def _close_up(dataset: xr.Dataset, names: list[str]) -> Picture:
    part, t = _late(dataset), dataset["time"].to_numpy()
    made, axes = figures.figure(len(names), height=0.8 + 1.9 * len(names), share_x=True)
    first = dataset["contact_force"].to_numpy()[0][part]
    for k, (one, name) in enumerate(zip(axes, names, strict=True)):
        if k:
            one.plot(t[part], first, color=figures.GREY, lw=1.0, label=names[0])
        F = dataset["contact_force"].to_numpy()[k][part]
        one.plot(t[part], F, color=figures.CYCLE[k], lw=1.0, label=name)
        figures.name_axes(one, "time (s)" if k == len(names) - 1 else "", "force (N)")
        figures.legend(one)
    words = "As computed, unfiltered [Ambrosio11, figs 15 and 17]."
    return Picture("contact_force_close", "Contact force, close up", made, words)


def _each_strip(dataset: xr.Dataset, names: list[str]) -> list[Block]:
    """How two strips share the force of the first model; nothing for one."""
    if "strip_force" not in dataset:
        return []
    part, t = _late(dataset), dataset["time"].to_numpy()
    made, (one,) = figures.figure(height=2.8)
    for k, F in enumerate(dataset["strip_force"].to_numpy()[0]):
        one.plot(t[part], F[part], lw=1.0, label=f"{('front', 'rear')[k]} strip, {names[0]}")
    figures.name_axes(one, "time (s)", "force (N)")
    figures.legend(one)
    return [Picture("strips", "How the strips share the force, close up", made)]


def _differences(dataset: xr.Dataset, names: list[str]) -> list[Block]:
    if len(names) < 2:
        return []
    t, F = dataset["time"].to_numpy(), filtered(dataset)
    made, (one,) = figures.figure(height=2.8)
    for k in range(1, len(names)):
        label = f"{names[k]} less {names[0]}"
        one.plot(*figures.thinned(t, F[k] - F[0]), color=figures.CYCLE[k], lw=0.9, label=label)
    figures.name_axes(one, "time (s)", "difference, to 20 Hz (N)")
    figures.legend(one)
    return [Picture("contact_force_difference", "What flexibility changes", made)]


def deformations(dataset: xr.Dataset) -> list[Block]:
    """Of every flexible member: deformation by mode in time, and how much each mode takes part."""
    blocks: list[Block] = []
    for member in MEMBERS:
        if f"{member} deformation" in dataset:
            blocks += [_modes_in_time(dataset, member), _modes_table(dataset, member)]
    return blocks


def _ranked(dataset: xr.Dataset, member: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Curves (mode, time) [mm] about their mean, means, and modes by the size of their motion."""
    t = dataset["time"].to_numpy()
    now = t >= float(dataset.attrs["judged_from"])
    w = 1e3 * dataset[f"{member} deformation"].to_numpy()
    mean = w[:, now].mean(axis=1)
    return w, mean, np.argsort(-(np.abs(mean) + w[:, now].std(axis=1)))


def _modes_in_time(dataset: xr.Dataset, member: str) -> Picture:
    t, part = dataset["time"].to_numpy(), _late(dataset)
    w, _, order = _ranked(dataset, member)
    frequency = dataset[f"{member} frequency"].to_numpy()
    made, (one,) = figures.figure(height=3.2)
    for k in order[:_SHOWN]:
        one.plot(t[part], w[k][part], lw=1.1, label=f"mode {k + 1}, {frequency[k]:.4g} Hz")
    figures.name_axes(one, "time (s)", "largest displacement (mm)")
    figures.legend(one, columns=3)
    figure = {"top arm": 13, "head": 16}[member]
    words = (
        f"Each mode alone, where it moves the {member} most; the {min(_SHOWN, len(order))} largest "
        f"[Ambrosio11, fig. {figure}]."
    )
    return Picture(
        f"{member.replace(' ', '_')}_modes", f"Deformation of the {member} by mode", made, words
    )


def _modes_table(dataset: xr.Dataset, member: str) -> Table:
    t = dataset["time"].to_numpy()
    now = t >= float(dataset.attrs["judged_from"])
    w, mean, order = _ranked(dataset, member)
    size = np.abs(mean) + w[:, now].std(axis=1)
    order = order[size[order] > _IDLE * size.max()]
    words = dataset[f"{member} words"].to_numpy()
    frequency = dataset[f"{member} frequency"].to_numpy()
    rows = [
        [
            str(k + 1), str(words[k]), number(float(frequency[k])), number(float(mean[k]), 3),
            number(float(w[k][now].std()), 3),
        ]
        for k in order
    ]  # fmt: skip
    headings = ["Mode", "What it is", "Frequency (Hz)", "Mean (mm)", "σ (mm)"]
    left = len(size) - len(order)
    note = f"{left} more move it by less than {_IDLE:g} of the first." if left else ""
    return Table(f"Modes of the {member}, the largest first", headings, rows, note=note)


def contact_point(dataset: xr.Dataset) -> list[Block]:
    """Where the contact sits: height of the strip under the wire, and place across the strip."""
    t, names = dataset["time"].to_numpy(), _names(dataset)
    part = _late(dataset)
    made, axes = figures.figure(2, height=4.6)
    for k, name in enumerate(names):
        z = dataset["strip_height"].to_numpy()[k]
        axes[0].plot(t[part], z[part], lw=1.1, color=figures.CYCLE[k], label=name)
    figures.name_axes(axes[0], "time (s)", "height of the strip (m)")
    figures.legend(axes[0])
    lateral = 1e3 * dataset["lateral"].to_numpy()[0]
    axes[1].plot(*figures.thinned(dataset["contact_x"].to_numpy(), lateral), color=figures.INK)
    figures.name_axes(axes[1], "distance along the track (m)", "contact across the strip (mm)")
    words = "Above: close up [Ambrosio11, fig. 14]. Below: the stagger carries the contact from side to side."
    return [Picture("contact_point", "The contact point", made, words)]


def coupling(dataset: xr.Dataset) -> list[Block]:
    """Interface energy error in time."""
    t = dataset["time"].to_numpy()
    made, (one,) = figures.figure(height=2.6)
    for name, E in zip(_names(dataset), dataset["interface_energy_error"].to_numpy(), strict=True):
        one.plot(*figures.thinned(t, 1e6 * E), lw=1.0, label=name)
    figures.name_axes(one, "time (s)", "interface energy error (µJ)")
    figures.legend(one)
    return [Picture("interface_energy", "Energy that the exchange makes or loses", made)]
