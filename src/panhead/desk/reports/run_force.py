"""Figures of the contact force: along the track, close-up, comparison of variants, spectrum and histogram."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from panhead.assess import histogram, low_pass, spectrum
from panhead.assess.assessment_inputs import judged_window
from panhead.assess.filters import sampling_step
from panhead.assess.number_text import number
from panhead.desk.drawing import figures
from panhead.desk.drawing.figures import DASHED, DOTTED, Panel
from panhead.desk.reports.judgement import Entry
from panhead.desk.reports.line_places import name_track
from panhead.desk.reports.page import Block, Picture
from panhead.files.variants import separate

if TYPE_CHECKING:
    import xarray as xr

_ZOOM_SPANS: Final = 3
_BIN: Final = 5.0  # [N]
_PIECE: Final = 20.0  # [s]
_MOST_SUPPORTS, _MOST_DROPPERS = 120, 400  # more marks than that are a grey area

Window = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Passage:
    """Passage of one pantograph of one variant along the line."""

    name: str
    color: str
    variant: str  #: "" where there is one run alone
    pantograph: str
    result: xr.Dataset  #: of its variant
    number: int  #: of the pantograph
    step: float  #: [s]
    smooth: np.ndarray  #: force to 20 Hz without the lag of an instrument (n,) [N]

    def curve(self, name: str) -> np.ndarray:
        """A variable of this pantograph over time, such as ``contact_force``."""
        return np.asarray(self.result[name].to_numpy()[self.number])

    @property
    def times(self) -> np.ndarray:
        return np.asarray(self.result["time"].to_numpy())

    @property
    def judged(self) -> np.ndarray:
        """(n,): True for samples in the assessed section."""
        begin, end = judged_window(self.result.isel(pantograph=self.number))
        return np.asarray((self.times >= begin - 1e-9) & (self.times <= end + 1e-9))


def passages(dataset: xr.Dataset, found: Sequence[Entry]) -> list[Passage]:
    """Every pantograph of every variant, in the order of ``found``."""
    results, ways = separate(dataset), []
    for k, one in enumerate(found):
        result = results[one.figures.variant]
        number_ = [str(n) for n in result["pantograph"].to_numpy()].index(one.figures.pantograph)
        step = sampling_step(result["time"].to_numpy())
        smooth = low_pass(result["contact_force"].to_numpy()[number_], step, zero_phase=True)
        whose = one.figures.variant, one.figures.pantograph
        ways.append(Passage(one.name, figures.hue(k), *whose, result, number_, step, smooth))
    return ways


def pictures(ways: Sequence[Passage]) -> list[Block]:
    """Figures of the contact force beside that along the track."""
    window = _close_up(ways[0])
    several = ways[0].variant != ways[-1].variant
    return [
        *([_near(ways, window)] if window else []),
        *(_compare_variants(ways) if several else []),
        _spectrum(ways),
        _histogram(ways),
    ]


def unjudged_force(result: xr.Dataset) -> list[Block]:
    """Unfiltered contact force along the track of a failed run."""
    if not all(name in result and result[name].size for name in ("contact_force", "contact_x")):
        return []
    chart, (panel,) = figures.chart(260)
    for name, x, force in zip(
        *(result[n].to_numpy() for n in ("pantograph", "contact_x", "contact_force")), strict=True
    ):
        panel.curve(x, force, str(name), width=1.1)
    name_track(panel, result, "contact force (N)")
    return [Picture("force_track", "Contact force up to the failure, unfiltered", chart)]


def force_along_track(
    ways: Sequence[Passage], largest: float | None, points: int | None = figures.ZOOM_POINTS
) -> Picture:
    """The contact force of every pantograph over its place; ``largest``: its limit [N], points: kept of a curve."""
    chart, (panel,) = figures.chart(260, zoom=True)
    first = ways[0]
    part = first.curve("contact_x")[first.judged]
    panel.band(float(part[0]), float(part[-1]), "assessed section")
    x = np.concatenate([one.curve("contact_x")[[0, -1]] for one in ways])
    mark_supports(panel, first.result, x.min(), x.max())
    _draw_forces(panel, ways, (-np.inf, np.inf), raw=len(ways) == 1, points=points)
    if largest is not None:
        panel.rule(f"limit {largest:.0f} N", y=largest, color=figures.RED, dash=DASHED)
    name_track(panel, first.result, "contact force (N)")
    caption = (
        "Filtered to 20 Hz according to EN 50317 (sixth-order Butterworth), drawn without filter lag. Vertical lines "
        "mark supports, the numbers above are their masts; the assessed section is shaded."
    )
    return Picture("force_track", "Contact force along the track", chart, caption)


def _draw_forces(
    panel: Panel, ways: Sequence[Passage], window: Window, *, raw: bool, points: int | None = None
) -> None:
    """Every filtered force over its own place; the unfiltered one pale behind it. points: kept of a curve."""
    for k, one in enumerate(ways):
        x = one.curve("contact_x")
        inside = (x >= window[0]) & (x <= window[1])
        if raw:
            force = one.curve("contact_force")[inside]
            panel.curve(x[inside], force, "unfiltered", color=figures.PALE, width=1.1, points=points)
        label = "filtered" if len(ways) == 1 else one.name
        width = min(3.0, 1.5 + 0.5 * (len(ways) - 1 - k))  # coinciding curves show beneath
        panel.curve(x[inside], one.smooth[inside], label, color=one.color, width=width, points=points)


def _close_up(first: Passage) -> Window | None:
    """Three spans in the middle of the assessed section, if the whole is longer than that."""
    if "support_x" not in first.result:
        return None
    x, supports = first.curve("contact_x"), first.result["support_x"].to_numpy()
    part = x[first.judged]
    inside = supports[(supports >= part.min() - 0.5) & (supports <= part.max() + 0.5)]
    if inside.size < 2 or np.sum((supports > x.min()) & (supports < x.max())) <= _ZOOM_SPANS:
        return None
    begin = max(0, (inside.size - 1 - _ZOOM_SPANS) // 2)
    return float(inside[begin]), float(inside[min(inside.size - 1, begin + _ZOOM_SPANS)])


def _near(ways: Sequence[Passage], window: Window) -> Picture:
    """Force and height of the contact point over a few spans."""
    heights = "contact_z" in ways[0].result
    chart, panels = figures.chart(*([230, 130] if heights else [230]))
    for panel in panels:
        mark_supports(panel, ways[0].result, *window)
        mark_droppers(panel, ways[0].result, *window)
        panel.x_limits = window
    _draw_forces(panels[0], ways, window, raw=len(ways) == 1)
    name_track(panels[0], ways[0].result, "contact force (N)")
    if heights:
        for one in ways:
            x = one.curve("contact_x")
            inside = (x >= window[0]) & (x <= window[1])
            panels[1].curve(x[inside], one.curve("contact_z")[inside], color=one.color)
        name_track(panels[1], ways[0].result, "contact point height (m)", masts=False)
    caption = "Vertical lines mark supports, short ticks at the bottom mark droppers."
    caption += " Below: height of the contact point above rail." if heights else ""
    return Picture("force_spans", "Close-up", chart, caption)


def _compare_variants(ways: Sequence[Passage]) -> list[Block]:
    """Each variant unfiltered in the middle of the assessed section above the first, and filtered less the first."""
    first = ways[0]
    t = first.times
    middle = float(t[first.judged].mean())
    near = np.abs(t - middle) <= 0.75
    chart, panels = figures.chart(*[120] * len(ways))
    for one, panel in zip(ways, panels, strict=True):
        if one is not first:
            panel.curve(t[near], first.curve("contact_force")[near], first.name, color=figures.PALE)
        part = np.abs(one.times - middle) <= 0.75
        panel.curve(one.times[part], one.curve("contact_force")[part], one.name, color=one.color)
        panel.name("time (s)", "force (N)")
    blocks: list[Block] = [Picture("force_raw", "Unfiltered, close-up", chart)]
    others = [one for one in ways[1:] if one.times.shape == t.shape]
    if others:
        chart, (panel,) = figures.chart(190)
        for one in others:
            label = f"{one.name} minus {first.name}"
            panel.curve(t, one.smooth - first.smooth, label, color=one.color, width=1.2)
        panel.name("time (s)", "difference, filtered to 20 Hz (N)")
        blocks.append(Picture("force_difference", "Differences between the variants", chart))
    return blocks


def _averaged_spectrum(values: np.ndarray, step: float) -> tuple[np.ndarray, np.ndarray]:
    """Power spectrum of a record; for a long one the mean over segments of 20 s."""
    size = values.size // max(1, int(values.size * step / _PIECE))
    pieces = values[: values.size // size * size].reshape(-1, size)
    found = [spectrum(piece, step) for piece in pieces]
    return found[0][0], np.mean([density for _, density in found], axis=0)


def _spectrum(ways: Sequence[Passage]) -> Picture:
    chart, (panel,) = figures.chart(250)
    top = 0.0
    for one in ways:
        frequency, density = _averaged_spectrum(one.curve("contact_force")[one.judged], one.step)
        shown = (frequency > 0) & (frequency <= 30)
        label = one.name if len(ways) > 1 else "contact force"
        panel.curve(frequency[shown], np.maximum(density[shown], 1e-6), label, color=one.color)
        top = max(top, float(density[shown].max(initial=0.0)))
    panel.y_log, panel.y_limits = True, (max(1e-6, 1e-7 * top), 3 * max(top, 1e-5))
    panel.rule("20 Hz cut-off", x=20.0, color=figures.RED, dash=DASHED)
    marks = (("support_x", "span passing", figures.ORANGE), ("dropper_x", "dropper passing", figures.GREEN))
    said = [_mark_frequency(panel, ways[0].result, *mark) for mark in marks]
    panel.name("frequency (Hz)", "power density (N²/Hz)")
    caption = " ".join(filter(None, ["Unfiltered force in the assessed section.", *said]))
    return Picture("spectrum", "Spectrum of the contact force", chart, caption)


def _mark_frequency(panel: Panel, result: xr.Dataset, places: str, what: str, color: str) -> str:
    """Mark how often supports or droppers are passed, by their median distance."""
    if places not in result or result[places].size < 2:
        return ""
    gaps = np.diff(np.sort(result[places].to_numpy()))
    distance = float(np.median(gaps[gaps > 0.1]))
    frequency = float(result.attrs["speed"]) / distance
    panel.rule(what, x=frequency, color=color, dash=DOTTED, width=1.6)
    return f"{what.capitalize()}: {number(frequency, 3)} Hz (every {number(distance, 3)} m)."


def _histogram(ways: Sequence[Passage]) -> Picture:
    chart, (panel,) = figures.chart(220)
    alone = len(ways) == 1
    for one in ways:
        values = low_pass(one.curve("contact_force"), one.step)[one.judged]
        edges, shares = histogram(values, _BIN)
        label = "share of time" if alone else one.name
        panel.steps(edges, 100 * shares, label, color=one.color, fill=0.35 if alone else 0.0)
        mean, sigma = values.mean(), values.std()
        panel.rule("mean" if alone else "", x=mean, color=one.color, width=1.6)
        for side in (-3, 3):
            label = "mean ± 3σ" if alone and side > 0 else ""
            panel.rule(label, x=mean + side * sigma, color=one.color, dash=DASHED)
    panel.y_limits = (0.0, None)
    panel.name("contact force, filtered (N)", f"share of time per {_BIN:.0f} N (%)")
    caption = "Assessed section. Solid line: mean; dashed: mean ± 3σ."
    return Picture("histogram", "Histogram of the contact force", chart, caption)


def places_between(dataset: xr.Dataset, name: str, low: float, high: float) -> np.ndarray:
    """The places called ``name`` between two distances; none if the dataset does not have them."""
    if name not in dataset:
        return np.empty(0)
    places = dataset[name].to_numpy()
    return places[(places >= low - 1e-6) & (places <= high + 1e-6)]


def mark_supports(panel: Panel, dataset: xr.Dataset, low: float, high: float) -> None:
    """A grey vertical line at each support."""
    places = places_between(dataset, "support_x", low, high)
    if 0 < places.size <= _MOST_SUPPORTS:
        panel.bars(places, 0.0, 1.0, color=figures.PALE, width=1.0, share=True)


def mark_droppers(panel: Panel, dataset: xr.Dataset, low: float, high: float) -> None:
    """A short tick at the bottom of the axes for each dropper."""
    places = places_between(dataset, "dropper_x", low, high)
    if 0 < places.size <= _MOST_DROPPERS:
        panel.bars(places, 0.0, 0.045, color=figures.GREEN, share=True)
