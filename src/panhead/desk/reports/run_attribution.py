"""Report section on peak attribution: contributions to force peaks and valleys, droppers by ∂σ/∂(length)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from panhead.assess import low_pass
from panhead.assess.filters import sampling_step
from panhead.assess.number_text import number
from panhead.desk.drawing import figures
from panhead.desk.reports.line_places import name_track, place_words
from panhead.desk.reports.page import Block, Mood, PageTable, Picture
from panhead.desk.reports.run_force import mark_supports

if TYPE_CHECKING:
    import xarray as xr

TRUSTED: Final = 0.15  #: share by which a gradient may miss what was tried before the page warns
_CLASSES: Final = 5  # sizes of dots
_LISTED: Final = 3  # parts beside each extreme
_AROUND: Final = 130.0  # of the assessed section that the map shows [m]


def blocks(dataset: xr.Dataset) -> list[Block | None]:
    """Attribution of the force extremes; otherwise how to compute it, or why it is not available."""
    if "why_force" not in dataset:
        reason = str(dataset.attrs.get("why_not", ""))
        if reason:
            return [f"The force peaks of this run were not attributed: {reason}."]
        if dataset.attrs.get("solver", "linear") != "linear":
            return [
                "Peak attribution needs gradients, which solver “linear” provides and solver "
                f"“{dataset.attrs['solver']}” does not."
            ]
        return [
            "“panhead report --why result.nc” attributes each force peak to droppers, supports and tensions; it "
            "takes about nine times as long as the run."
        ]
    if "why_checked" not in dataset:
        more = (
            "“panhead report --why result.nc” lists ten peaks and ten valleys and verifies one dropper change for "
            "each by a new run."
        )
        return [f"{sentence(dataset)} {more}", peak_drawing(dataset), replace(_line(dataset), folded=True)]
    behind: list[Picture | PageTable] = [
        _line(dataset),
        _places(dataset),
        _table(dataset, 1),
        _table(dataset, -1),
        _map(dataset),
    ]
    return [sentence(dataset), peak_drawing(dataset), *(replace(block, folded=True) for block in behind)]


def peak_drawing(dataset: xr.Dataset) -> Picture | None:
    """The line around the largest peak with the few droppers that it is most sensitive to, by name and newtons."""
    if "rest_x" not in dataset:
        return None
    chart, (side,) = figures.chart(220)
    at, force = _unlagged_place(dataset, 0), float(dataset["why_force"][0])
    low, high = _spans_around(dataset, at)
    wires, along, z = (dataset[f"rest_{name}"].to_numpy() for name in ("wire", "x", "z"))
    inside = (along >= low) & (along <= high)
    mark_supports(side, dataset, low, high)
    for wire in dict.fromkeys(wires[inside].astype(str)):
        mine = inside & (wires.astype(str) == wire)
        side.curve(along[mine], z[mine], color=figures.GREY, width=1.2, thin=False)
    cut, top, bottom = (dataset[f"cut_{name}"].to_numpy() for name in ("x", "top", "bottom"))
    near = (cut >= low) & (cut <= high)
    side.bars(cut[near], bottom[near], top[near], color=figures.PALE, width=1.4)
    for rank, (place, words, newtons) in enumerate(_placed_contributions(dataset)):
        k = int(np.argmin(np.abs(cut - place)))
        color = (figures.RED, figures.ORANGE, figures.PURPLE)[rank % 3]
        side.bars(cut[k : k + 1], bottom[k : k + 1], top[k : k + 1], f"{words}: {newtons} N", color=color, width=5.0)
    contact = inside & np.char.endswith(wires.astype(str), "contact")
    order = np.argsort(along[contact])
    height = np.interp(at, along[contact][order], z[contact][order])
    side.dots(np.array([at]), np.array([height]), f"pantograph at the peak of {number(force, 3)} N", size=6.0)
    side.x_limits = (low, high)
    name_track(side, dataset, "height (m)")
    caption = (
        "The line at rest. Coloured: the droppers whose length the peak depends on most, with the change of the peak "
        "if they are cut as stated."
    )
    return Picture("why_peak", f"Why this peak: {number(force, 3)} N at {place_words(dataset, at)}", chart, caption)


def _spans_around(dataset: xr.Dataset, at: float) -> tuple[float, float]:
    """From a span before that of a place to a span after it, as far as the line at rest is known [m]."""
    masts, along = dataset["mast_x"].to_numpy(), dataset["rest_x"].to_numpy()
    k = int(np.clip(np.searchsorted(masts, at, side="right") - 1, 0, masts.size - 2))
    ends = float(masts[max(k - 1, 0)]), float(masts[min(k + 2, masts.size - 1)])
    return max(ends[0], float(along.min())), min(ends[1], float(along.max()))


def _placed_contributions(dataset: xr.Dataset) -> Iterator[tuple[float, str, str]]:
    """Place [m], words and newtons of those contributions to the largest peak that are droppers in the drawing."""
    names, x = dataset["why_dropper"].to_numpy().astype(str), dataset["why_dropper_x"].to_numpy()
    drawn = dataset["cut_x"].to_numpy()
    for rank in range(_LISTED):
        part, change = (str(dataset[f"why_{name}"][0, rank].item()) for name in ("part", "change"))
        found = np.flatnonzero(names == part)
        if found.size and drawn.size and np.abs(drawn - x[found[0]]).min() < 0.1:
            newtons = number(float(dataset["why_newtons"][0, rank]), 2)
            yield float(x[found[0]]), f"{part}, {change.replace('-', '−')}", newtons


def sentence(dataset: xr.Dataset) -> str:
    """Sentence on the causes of the largest peak and of σ."""
    force, x = float(dataset["why_force"][0]), _unlagged_place(dataset, 0)
    named = (dataset[f"why_{name}"].to_numpy()[0] for name in ("part", "change", "newtons"))
    first, *others = (
        f"{part} ({f'{change}: {number(float(newtons), 2)} N'.replace('-', '−')})"
        for part, change, newtons in list(zip(*named, strict=True))[:_LISTED]
    )
    slope, names = dataset["why_sigma"].to_numpy(), dataset["why_dropper"].to_numpy()
    most = int(np.argmax(np.abs(slope)))
    more = number(5 * float(slope[most]), 2).replace("-", "−")
    return (
        f"The peak of {number(force, 3)} N ({place_words(dataset, x)}) is most sensitive to {first}, then to "
        f"{' and '.join(others)}. The standard deviation depends most on {names[most]}: it changes by {more} N if that "
        "dropper is 5 mm longer."
    )


def _unlagged_place(dataset: xr.Dataset, k: int) -> float:
    """Place of an extreme without the filter lag [m]; older results hold it with the lag only."""
    return float(dataset["why_place" if "why_place" in dataset else "why_x"][k])


def untrusted_gradients(dataset: xr.Dataset) -> np.ndarray:
    """(extremes,): True if the gradient differs from the verified change by more than ``TRUSTED``."""
    gradient, tried = (dataset[name].to_numpy() for name in ("why_by_gradient", "why_predicted"))
    return np.asarray(np.abs(gradient - tried) > TRUSTED * np.abs(tried))


def _places(dataset: xr.Dataset) -> Picture:
    chart, (panel,) = figures.chart(200)
    times = dataset["time"].to_numpy()
    which, sign = dataset["why_pantograph"].to_numpy(), dataset["why_sign"].to_numpy()
    x, force = dataset["why_x"].to_numpy(), dataset["why_force"].to_numpy()
    for p in np.unique(which):
        along = dataset["contact_x"].to_numpy()[p]
        smooth = low_pass(dataset["contact_force"].to_numpy()[p], sampling_step(times))
        part = (times >= dataset["judged_from"].to_numpy()[p]) & (times <= dataset["judged_to"].to_numpy()[p])
        if p == which[0]:
            mark_supports(panel, dataset, float(along[part].min()), float(along[part].max()))
        panel.curve(along[part], smooth[part], str(dataset["pantograph"].to_numpy()[p]), color=figures.hue(int(p)))
    panel.dots(x[sign > 0], force[sign > 0], "peaks", color=figures.RED, size=4)
    panel.dots(x[sign < 0], force[sign < 0], "valleys", color=figures.PURPLE, size=4)
    name_track(panel, dataset, "contact force, filtered (N)")
    caption = "Filtered to 20 Hz with a causal filter; peaks appear slightly after their cause."
    return Picture("why_extremes", "The ten largest peaks and the ten deepest valleys", chart, caption)


def _table(dataset: xr.Dataset, sign: int) -> PageTable:
    mine = np.flatnonzero(dataset["why_sign"].to_numpy() == sign)
    doubtful = untrusted_gradients(dataset)
    rows: list[list[str]] = []
    moods: list[Mood] = []
    several = dataset.sizes["pantograph"] > 1
    for k in map(int, mine):
        where = f"{_unlagged_place(dataset, k):.1f} m"
        whose = f", pantograph {int(dataset['why_pantograph'][k]) + 1}" if several else ""
        rows.append([
            where + whose, number(float(dataset["why_force"][k]), 4),
            *(_contribution_cell(dataset, k, r) for r in range(_LISTED)),
            f"{dataset['why_checked'][k].item()}, {1e3 * float(dataset['why_shift'][k]):+.0f} mm".replace("-", "−"),
            number(float(dataset["why_by_gradient"][k]), 3), number(float(dataset["why_predicted"][k]), 3),
        ])  # fmt: skip
        moods.append("warning" if doubtful[k] else "good")
    ranks = ["largest contribution", "second", "third"]
    heads = ["At", "Force (N)", *ranks, "Dropper change verified", "Predicted by gradient (N)", "Computed (N)"]
    missed = int(doubtful[mine].sum())
    note = (
        "Contributions in newtons, by gradient: change of the extreme if the part is changed as stated; for another "
        "pantograph, if it were removed. The dropper with the largest contribution was then verified: its length was "
        "changed, the line strung again and the run repeated. "
    )
    if missed:
        note += (
            f"In {missed} of {mine.size} rows, marked, the gradient differs from the computed change by more than "
            f"{100 * TRUSTED:.0f} %. Gradients hold for small changes; 5 mm can change when droppers slacken. In "
            "these rows use the computed change, and read the other contributions as orders of magnitude."
        )
    title = "Causes of the largest peaks" if sign > 0 else "Causes of the deepest valleys"
    return PageTable(title, heads, rows, moods, note)


def _contribution_cell(dataset: xr.Dataset, k: int, rank: int) -> str:
    part, change, note = (str(dataset[f"why_{name}"][k, rank].item()) for name in ("part", "change", "note"))
    newtons = number(float(dataset["why_newtons"][k, rank]), 2)
    told = f" ({note})" if note else ""
    return f"{part}{told}, {change}: {newtons} N".replace("-", "−")


def _map(dataset: xr.Dataset) -> Picture:
    """Influence map: rows are times of extremes, columns droppers, dots the influence of the dropper."""
    chart, (panel,) = figures.chart(360)
    times, extreme = dataset["time"].to_numpy(), dataset["why_time"].to_numpy()
    x, influence = dataset["why_dropper_x"].to_numpy(), dataset["why_influence"].to_numpy()
    at = dataset["why_x"].to_numpy()
    low, high = float(at.min()) - _AROUND, float(at.max()) + _AROUND
    inside = (x > low) & (x < high)
    mark_supports(panel, dataset, max(low, float(x.min())), min(high, float(x.max())))
    for p, along in enumerate(dataset["contact_x"].to_numpy()):
        shown = (times >= extreme.min() - 0.1) & (times <= extreme.max() + 0.1) & (along > low) & (along < high)
        panel.curve(along[shown], times[shown], "path of the pantograph" if p == 0 else "", color=figures.PALE)
    largest = float(np.abs(influence).max()) or 1.0
    size = np.ceil(_CLASSES * np.abs(influence) / largest)
    for sign, color, word in ((1, figures.RED, "longer raises the force"), (-1, figures.BLUE, "longer lowers it")):
        for level in range(_CLASSES, 0, -1):
            rows, columns = np.nonzero((size == level) & (np.sign(influence) == sign) & inside)
            strong = np.abs(influence[rows, columns]) > 0.03 * largest
            if strong.any():
                panel.dots(x[columns][strong], extreme[rows][strong], word, color=color, size=0.9 * level)
                word = ""  # said once, of the largest
    panel.y_limits = (float(extreme.min()) - 0.05, float(extreme.max()) + 0.05)
    name_track(panel, dataset, "time of the extreme (s)", masts=False)
    panel.x_label = f"dropper, {panel.x_label}"
    caption = (
        "Each row is the time of a force extreme, each column a dropper. The size of a dot shows the influence of "
        f"that dropper on that extreme; the largest is {number(largest, 2)} N for 5 mm. On the grey line the "
        "pantograph is below the dropper; dots beside it act through waves in the wires."
    )
    return Picture("why_map", "Influence of droppers on the force extremes", chart, caption)


def _line(dataset: xr.Dataset) -> Picture:
    """The line at rest with droppers coloured by ∂σ/∂(length), ∂σ/∂(length) as bars, influence on the largest peak."""
    chart, (side, bars, peak) = figures.chart(190, 140, 140)
    wires, along = dataset["rest_wire"].to_numpy().astype(str), dataset["rest_x"].to_numpy()
    x, slope = dataset["why_dropper_x"].to_numpy(), dataset["why_sigma"].to_numpy()
    at, force = _unlagged_place(dataset, 0), float(dataset["why_force"][0])
    low, high = min(float(along.min()), at), max(float(along.max()), at)
    for panel in (side, bars, peak):
        mark_supports(panel, dataset, low, high)
    for wire in dict.fromkeys(wires):
        mine = wires == wire
        side.curve(along[mine], dataset["rest_z"].to_numpy()[mine], color=figures.GREY, width=1.0, thin=False)
    cut = dataset["cut_x"].to_numpy()
    near = [int(np.argmin(np.abs(x - place))) for place in cut]
    strength = np.ceil(4 * np.abs(slope[near]) / (np.abs(slope).max() or 1.0))
    top, bottom = (dataset[f"cut_{end}"].to_numpy() for end in ("top", "bottom"))
    for sign, color in ((1, figures.RED), (-1, figures.BLUE)):
        mine = np.sign(slope[near]) == sign
        for level in range(1, 5):
            these = mine & (strength == level)
            if these.any():
                side.bars(cut[these], bottom[these], top[these], color=color, width=1.0 + 1.2 * level)
    inside = (x >= low) & (x <= high)
    for panel, values, what in ((bars, slope, "σ"), (peak, dataset["why_influence"].to_numpy()[0], "the peak")):
        for sign, color, word in ((1, figures.RED, "raises"), (-1, figures.BLUE, "lowers")):
            chosen = inside & (np.sign(values) == sign)
            if chosen.any():
                panel.bars(x[chosen], 0.0, values[chosen], f"longer {word} {what}", color=color, width=4.0)
        panel.rule(y=0.0)
    peak.rule(x=at)
    name_track(side, dataset, "height (m)")
    name_track(bars, dataset, "∂σ/∂length (N/mm)", masts=False)
    name_track(peak, dataset, "Δpeak for +5 mm (N)", masts=False)
    caption = (
        "Spans of the assessed section. Top and middle: thicker and longer bars mark droppers whose length has more "
        f"influence on σ. Bottom: change of the largest peak, {number(force, 3)} N at {at:.0f} m (vertical line), if a "
        "dropper is 5 mm longer."
    )
    return Picture("why_line", "Influence of dropper lengths on σ and on the largest peak", chart, caption)
