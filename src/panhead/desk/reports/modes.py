"""Report page of a pantograph's modes: comparison with published frequencies, assembly of joints, mode shapes.

What it reads: per member (``top_arm``, ``head``) ``_words``, ``_printed``, ``_frequency`` (mode), ``_shape``
(mode, node, axis), ``_point`` (node, axis), ``_edges`` (edge, end), ``_inertia`` and ``_printed_inertia``
(property); ``open_before``, ``open_after`` (joint); ``moved``, ``turned`` (body); ``moment`` (model, force);
``whole_*`` (whole) and ``experiment_*`` (experiment). Attributes: height, printed_moment, rank, printed_rank,
corrections, remarks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from panhead.assess.number_text import number, percent
from panhead.desk.drawing import figures
from panhead.desk.drawing.figures import Panel
from panhead.desk.reports.page import Block, Mood, Page, PageTable, PageVerdict, Picture, origin, page_with

if TYPE_CHECKING:
    import xarray as xr

_MET = 0.05  # how near a printed number must be to count as met
_CLOSED = 1e-10  # [m]
_SHOWN = {"top_arm": 0.15, "head": 0.06}  # how far the point that moves most is drawn from its place [m]
_NAMES = {"top_arm": "Top arm", "head": "Head"}
_MODELS = {"none": "rigid", "top arm": "flexible top arm (model 2)", "head": "flexible head (model 4)"}


def page(dataset: xr.Dataset) -> Page:
    """The report of one run of the scenario kind ``modes``."""
    sections: dict[str, list[Block]] = {
        name: [_frequencies(dataset, key), _inertias(dataset, key), _shapes(dataset, key)]
        for key, name in _NAMES.items()
    }
    sections |= {
        "Assembly": _assembly(dataset),
        "At rest under the wire": [_moments(dataset)],
        "Modes of the whole pantograph": _whole(dataset),
        "About this run": origin(dataset),
    }
    title, about = (str(dataset.attrs.get(k, d)) for k, d in (("title", "Modes"), ("about", "")))
    return page_with(title, about, verdict(dataset), sections)


def _frequency_errors(dataset: xr.Dataset, key: str) -> np.ndarray:
    """Relative difference of every mode, computed / published − 1."""
    return np.asarray(dataset[f"{key}_frequency"].values / dataset[f"{key}_printed"].values - 1)


def verdict(dataset: xr.Dataset) -> PageVerdict:
    """Verdict: number of published frequencies matched, and closure of the joints."""
    off = np.concatenate([_frequency_errors(dataset, key) for key in _NAMES])
    met, first = int((np.abs(off) <= _MET).sum()), [abs(_frequency_errors(dataset, key)[0]) for key in _NAMES]
    after = float(dataset["open_after"].max())
    before = 1e3 * float(dataset["open_before"].max())
    good = max(first) <= _MET and after < _CLOSED
    mood: Mood = "good" if good and met == len(off) else "warning" if good else "bad"
    sentence = (
        f"{met} of {len(off)} published frequencies are matched to within {100 * _MET:.0f} %, the first bending of "
        "top arm and "
        f"head to {100 * first[0]:.1f} % and {100 * first[1]:.1f} %. Joint gaps of up to {number(before, 3)} mm in "
        f"the published positions close to {number(after, 2)} m."
    )
    return PageVerdict(mood, sentence)


def _frequencies(dataset: xr.Dataset, key: str) -> PageTable:
    off = _frequency_errors(dataset, key)
    met = np.abs(off) <= _MET
    columns = zip(
        dataset[f"{key}_words"].values,
        dataset[f"{key}_printed"].values,
        dataset[f"{key}_frequency"].values,
        off,
        met,
        strict=True,
    )
    rows = [
        [str(words), f"{p:.1f}", f"{f:.1f}", f"{percent(o)} %", "met" if ok else "not met"]
        for words, p, f, o, ok in columns
    ]
    moods: list[Mood] = ["good" if ok else "bad" for ok in met]
    note = (
        "The sixth mode is published as “translation + bending X” and taken as the third vertical bending mode. In a "
        "beam that matches the first two modes its frequency is far lower; no other mode corresponds to it."
        if key == "head"
        else "Cross-sections along the members are not published; they are fitted by least squares."
    )
    headings = ["Mode, free in space", "Published (Hz)", "Computed (Hz)", "Difference", "Verdict"]
    return PageTable("Frequencies", headings, rows, moods, note)


def _inertias(dataset: xr.Dataset, key: str) -> PageTable:
    trio = (dataset[x].values for x in ("property", f"{key}_printed_inertia", f"{key}_inertia"))
    rows = [
        [str(name), f"{p:g}", number(float(f), 4), f"{percent(f / p - 1)} %"] for name, p, f in zip(*trio, strict=True)
    ]
    return PageTable("Mass and inertia about its centre", ["", "Printed", "Computed", "Difference"], rows)


def _shapes(dataset: xr.Dataset, key: str) -> Picture:
    """Every mode in the view that shows it: at rest in grey, deformed in blue."""
    words = [str(w) for w in dataset[f"{key}_words"].values]
    chart, panels = figures.chart(150, 150, 150, columns=2)
    for k, panel in enumerate(panels):
        _shape(panel, dataset, key, k)
        panel.title = f"{words[k]}, {float(dataset[f'{key}_frequency'][k]):.1f} Hz"
    caption = "Grey: at rest. Blue: deformed, nodes as dots, greatly exaggerated; torsion is shown as an angle."
    return Picture(f"{key}_modes", "Shapes", chart, caption)


def _shape(panel: Panel, dataset: xr.Dataset, key: str, k: int) -> None:
    points, shape = dataset[f"{key}_point"].values, dataset[f"{key}_shape"].values[k]
    edges, words = dataset[f"{key}_edges"].values, str(dataset[f"{key}_words"].values[k])
    along, across = _view(key, words)
    if words.endswith("torsion"):
        order = np.argsort(points[:, 1])
        panel.rule(y=0.0, color=figures.PALE, width=3.0)
        panel.curve(points[order, 1], shape[order, 1], color=figures.BLUE, dot=2.0)
        panel.name("y (m)", "turn about y (relative)")
        return
    moved = points + _SHOWN[key] * shape
    gap = np.full((len(edges), 1), np.nan)
    for p, color, width, dot in ((points, figures.PALE, 3.0, 0.0), (moved, figures.BLUE, 1.4, 2.0)):
        x, y = (np.hstack([p[edges, axis], gap]).ravel() for axis in (along, across))
        panel.curve(x, y, color=color, width=width, dot=dot, thin=False)
    panel.name(f"{'xyz'[along]} (m)", f"{'xyz'[across]} (m)")
    spread = float(np.abs([points[:, across], moved[:, across]]).max()) + 0.03
    panel.y_limits = (-spread, spread)


def _view(key: str, words: str) -> tuple[int, int]:
    """Horizontal and vertical axis of the picture."""
    if key == "top_arm":
        return (0, 2) if words.endswith("about y") else (0, 1)
    return (1, 0) if words.endswith("about z") else (1, 2)


def _assembly(dataset: xr.Dataset) -> list[Block]:
    trio = (dataset[x].values for x in ("joint", "open_before", "open_after"))
    joints = [[str(n), number(1e3 * float(a), 3), number(float(b), 2)] for n, a, b in zip(*trio, strict=True)]
    moods: list[Mood] = ["good" if x < _CLOSED else "bad" for x in dataset["open_after"].values]
    trio = (dataset[x].values for x in ("body", "moved", "turned"))
    bodies = [[str(n), number(1e3 * float(a), 3), number(1e3 * float(b), 3)] for n, a, b in zip(*trio, strict=True)]
    note = "The nearest configuration that closes every joint, starting from positions published to two decimals."
    listed = lambda name: [[str(x)] for x in np.atleast_1d(dataset.attrs[name])]
    ranks = [
        ["as printed", *_rank(str(dataset.attrs["printed_rank"]))],
        ["determinate", *_rank(str(dataset.attrs["rank"]))],
    ]
    return [
        PageTable("Joints", ["Joint", "Gap as published (mm)", "Gap after assembly (m)"], joints, moods, note),
        PageTable("Bodies", ["Body", "Moved (mm)", "Turned (mrad)"], bodies),
        PageTable("Rank between rigid bodies", ["Joints", "Count", "Redundant"], ranks),
        PageTable("Misprints corrected", ["Where, and what was printed"], listed("corrections")),
        PageTable("Joints that differ between rigid bodies", ["Where, and why"], listed("remarks")),
    ]


def _rank(text: str) -> list[str]:
    head, *lines = text.splitlines()
    redundant = [line.removeprefix("redundant: ") for line in lines if line.startswith("redundant")]
    return [head, "; ".join(redundant) or "none"]


def _moments(dataset: xr.Dataset) -> PageTable:
    rows = [
        [_MODELS[str(model)], *(number(float(x), 5) for x in dataset["moment"].values[k])]
        for k, model in enumerate(dataset["model"].values)
    ]
    height, printed = dataset.attrs["height"], dataset.attrs["printed_moment"]
    note = (
        f"Strip {height:g} m above the base. The moment is chosen so that the head applies the required contact "
        f"force; the published value is {printed:g} N·m."
    )
    headings = ["Model", *(f"for {f:g} N (N·m)" for f in dataset["force"].values)]
    return PageTable("Moment on the lower arm", headings, rows, note=note)


def _whole(dataset: xr.Dataset) -> list[Block]:
    four = (dataset[f"whole_{x}"].values for x in ("model", "frequency", "damping", "moves"))
    rows = [
        [_MODELS[str(model)], number(float(f), 4), number(float(z), 2), str(moves)]
        for model, f, z, moves in zip(*four, strict=True)
    ]
    pair = (dataset[f"experiment_{x}"].values for x in ("frequency", "words"))
    shaken = [[f"{f:.1f}", str(words)] for f, words in zip(*pair, strict=True)]
    note = "Under a constant contact force that follows the head; for information."
    return [
        PageTable("Computed", ["Model", "Frequency (Hz)", "Damping ratio", "Kinetic energy in"], rows, note=note),
        PageTable(
            "Measured on the real pantograph (Ambrósio et al., table 1)", ["Frequency (Hz)", "What moves"], shaken
        ),
    ]
