"""Figures of a run under an overhead line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from panhead.assess import Criterion, histogram, low_pass, spectrum
from panhead.assess.filters import sampling_step
from panhead.report import figures
from panhead.report.line_marks import mark_droppers, mark_supports, shade_judged
from panhead.report.page import Block, Picture
from panhead.report.words import number

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes

_ZOOM_SPANS = 3
_BIN = 5.0  # [N]
_PIECE = 20.0  # [s]


def force_pictures(
    dataset: xr.Dataset, judgement: Mapping[str, Sequence[Criterion]]
) -> list[Block]:
    """Contact force along the track, close up, as a spectrum and as a histogram."""
    largest = next((c.limit for c in next(iter(judgement.values())) if c.key == "actual_max"), None)
    blocks: list[Block] = [_along_track(dataset, largest)]
    window = _close_up(dataset)
    if window is not None:
        blocks.append(_near(dataset, window))
    blocks += [_spectrum(dataset), _histogram(dataset)]
    return blocks


def _filtered(dataset: xr.Dataset, *, zero_phase: bool) -> np.ndarray:
    """(pantograph, time), by EN 50317; over the track without the instrument's lag."""
    step = sampling_step(dataset["time"].to_numpy())
    forces = dataset["contact_force"].to_numpy()
    return np.array([low_pass(one, step, zero_phase=zero_phase) for one in forces])


def judged(dataset: xr.Dataset) -> np.ndarray:
    """(time,): whether a sample belongs to the part that is judged."""
    times = dataset["time"].to_numpy()
    first = float(dataset.attrs.get("judged_from", times[0]))
    last = float(dataset.attrs.get("judged_to", times[-1]))
    return (times >= first) & (times <= last)


def _along_track(dataset: xr.Dataset, largest: float | None) -> Picture:
    made, (axes,) = figures.figure(height=3.6)
    x = dataset["contact_x"].to_numpy()
    _draw_forces(axes, dataset, (-np.inf, np.inf), raw=dataset.sizes["pantograph"] == 1)
    if largest is not None:
        axes.axhline(largest, color=figures.RED, lw=1.1, ls="--", label=f"limit {largest:.0f} N")
    shade_judged(axes, dataset)
    mark_supports(axes, dataset, x.min(), x.max())
    figures.name_axes(axes, "distance along the track (m)", "contact force (N)")
    figures.legend(axes)
    return Picture(
        "force_track",
        "Contact force along the track",
        made,
        "Filtered to 20 Hz as EN 50317 has it (sixth-order Butterworth), drawn without the "
        "lag of an instrument. "
        "Vertical lines are supports; the judged part of the first pantograph's way is shaded.",
    )


def _close_up(dataset: xr.Dataset) -> tuple[float, float] | None:
    """Three spans in the middle of the judged part, if the whole is longer than that."""
    if "support_x" not in dataset:
        return None
    part = judged(dataset)
    x = dataset["contact_x"].to_numpy()[0]
    supports = dataset["support_x"].to_numpy()
    inside = supports[(supports >= x[part].min() - 0.5) & (supports <= x[part].max() + 0.5)]
    if inside.size < 2 or np.sum((supports > x.min()) & (supports < x.max())) <= _ZOOM_SPANS:
        return None
    first = max(0, (inside.size - 1 - _ZOOM_SPANS) // 2)
    return float(inside[first]), float(inside[min(inside.size - 1, first + _ZOOM_SPANS)])


def _near(dataset: xr.Dataset, window: tuple[float, float]) -> Picture:
    paths = "contact_z" in dataset
    made, axes = figures.figure(
        1 + paths, height=3.4 + 1.8 * paths, share_x=True, ratios=[1.8, 1] if paths else None
    )
    _draw_forces(axes[0], dataset, window, raw=True)
    figures.name_axes(axes[0], "" if paths else "distance along the track (m)", "contact force (N)")
    if paths:
        for number_, (x, z) in enumerate(_paths(dataset, window)):
            axes[1].plot(x, z, color=figures.CYCLE[number_])
        figures.name_axes(axes[1], "distance along the track (m)", "contact point (m)")
    for one in axes:
        mark_supports(one, dataset, *window)
        mark_droppers(one, dataset, *window)
        one.set_xlim(*window)
    figures.legend(axes[0])
    return Picture(
        "force_spans",
        "Close up",
        made,
        "Vertical lines are supports, short ticks at the bottom are droppers. Below: "
        "height of the contact point above rail."
        if paths
        else "",
    )


def _paths(dataset: xr.Dataset, window: tuple[float, float]) -> list[tuple[np.ndarray, np.ndarray]]:
    x, z = dataset["contact_x"].to_numpy(), dataset["contact_z"].to_numpy()
    masks = [(one >= window[0]) & (one <= window[1]) for one in x]
    return [(x[k][m], z[k][m]) for k, m in enumerate(masks)]


def _draw_forces(
    axes: Axes, dataset: xr.Dataset, window: tuple[float, float], *, raw: bool
) -> None:
    """Every pantograph's filtered force over its own place; the unfiltered one pale behind it."""
    x, force = dataset["contact_x"].to_numpy(), dataset["contact_force"].to_numpy()
    smooth = _filtered(dataset, zero_phase=True)
    names = [str(name) for name in dataset["pantograph"].to_numpy()]
    for k, name in enumerate(names):
        inside = (x[k] >= window[0]) & (x[k] <= window[1])
        if raw:
            axes.plot(
                *figures.thinned(x[k][inside], force[k][inside]),
                color=figures.PALE,
                lw=0.9,
                label="unfiltered" if k == 0 else None,
            )
        label = "filtered" if len(names) == 1 else name
        axes.plot(
            *figures.thinned(x[k][inside], smooth[k][inside]), color=figures.CYCLE[k], label=label
        )


def _averaged(values: np.ndarray, step: float) -> tuple[np.ndarray, np.ndarray]:
    """The spectrum of a record; of a long one the mean over pieces of 20 s."""
    size = values.size // max(1, int(values.size * step / _PIECE))
    pieces = values[: values.size // size * size].reshape(-1, size)
    found = [spectrum(piece, step) for piece in pieces]
    return found[0][0], np.mean([density for _, density in found], axis=0)


def _spectrum(dataset: xr.Dataset) -> Picture:
    made, (axes,) = figures.figure(height=3.4)
    part, step = judged(dataset), sampling_step(dataset["time"].to_numpy())
    for k, name in enumerate(dataset["pantograph"].to_numpy()):
        frequency, density = _averaged(dataset["contact_force"].to_numpy()[k][part], step)
        shown = (frequency > 0) & (frequency <= 30)
        axes.semilogy(
            frequency[shown],
            np.maximum(density[shown], 1e-6),
            color=figures.CYCLE[k],
            label=str(name) if dataset.sizes["pantograph"] > 1 else "contact force",
        )
    top = axes.get_ylim()[1]
    axes.set_ylim(max(axes.get_ylim()[0], top * 1e-7), top * 3)
    axes.axvline(20.0, color=figures.RED, lw=1.0, ls="--", label="20 Hz filter")
    said = [
        _mark_frequency(axes, dataset, *mark)
        for mark in (
            ("support_x", "span passing", figures.ORANGE),
            ("dropper_x", "dropper passing", figures.GREEN),
        )
    ]
    figures.name_axes(axes, "frequency (Hz)", "power density (N²/Hz)")
    figures.legend(axes, columns=5)
    return Picture(
        "spectrum",
        "Spectrum of the contact force",
        made,
        "Unfiltered force of the judged part. " + " ".join(filter(None, said)),
    )


def _mark_frequency(axes: Axes, dataset: xr.Dataset, places: str, what: str, color: str) -> str:
    """Mark how often supports or droppers are passed, by their median distance."""
    if places not in dataset or dataset[places].size < 2:
        return ""
    gaps = np.diff(np.sort(dataset[places].to_numpy()))
    distance = float(np.median(gaps[gaps > 0.1]))
    frequency = float(dataset.attrs["speed"]) / distance
    axes.axvline(frequency, color=color, lw=1.0, ls=":", label=what)
    return f"{what.capitalize()}: {number(frequency, 3)} Hz (every {number(distance, 3)} m)."


def _histogram(dataset: xr.Dataset) -> Picture:
    made, (axes,) = figures.figure(height=3.2)
    part, smooth = judged(dataset), _filtered(dataset, zero_phase=False)
    several = smooth.shape[0] > 1
    for k, name in enumerate(dataset["pantograph"].to_numpy()):
        values = smooth[k][part]
        edges, shares = histogram(values, _BIN)
        axes.stairs(
            100 * shares,
            edges,
            fill=not several,
            color=figures.CYCLE[k],
            alpha=1.0 if several else 0.45,
            lw=1.6,
            label=str(name) if several else "share of time",
        )
        mean, sigma = values.mean(), values.std()
        axes.axvline(mean, color=figures.CYCLE[k], lw=1.4, label=None if several else "mean")
        for side in (-3, 3):
            axes.axvline(
                mean + side * sigma,
                color=figures.CYCLE[k],
                lw=1.1,
                ls="--",
                label="mean ± 3σ" if side == 3 and not several else None,
            )
    figures.name_axes(axes, "contact force, filtered (N)", f"share of time per {_BIN:.0f} N (%)")
    figures.legend(axes)
    return Picture(
        "histogram",
        "Histogram of the contact force",
        made,
        "Judged part. Solid line: mean; dashed: mean ± 3σ.",
    )


def line_pictures(dataset: xr.Dataset) -> list[Block]:
    """Uplift at the supports, slack of the droppers, elasticity."""
    from panhead.report import line_state

    made = (
        line_state.uplift(dataset),
        line_state.slack_map(dataset),
        line_state.dropper_forces(dataset),
        line_state.elasticity(dataset),
    )
    return [block for block in made if block is not None]
