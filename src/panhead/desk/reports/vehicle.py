"""Report page of a rail vehicle on its track: outcome, stability, car body motion, wheel–rail forces, modes.

It reads what ``panhead.railway.vehicle.ride_dataset`` writes beside the motion of a model: ``place``, ``lateral``,
``axle_yaw`` (time, axle); ``wheel_force`` (time, axle, wheel, direction) in N; ``status`` (time, axle, wheel);
``static_load`` (axle, wheel); ``watched_…``, ``lateral_force``, ``lateral_needed`` (time); modes at rest and at
speed. Attributes: outcome, message, weight, growth.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from panhead.assess import spectrum
from panhead.assess.number_text import long_name, number
from panhead.desk.drawing import figures
from panhead.desk.reports import motion, series
from panhead.desk.reports.page import (
    Animation,
    Block,
    Page,
    PageTable,
    PageVerdict,
    Picture,
    Polyline,
    RunningCurve,
    origin,
    page_with,
)

if TYPE_CHECKING:
    import xarray as xr

_TRUSTED_ENERGY = 0.01  # of what is turned over: contacts store energy on changing curvature
_MOODS = {"on the track": "good", "the track ended": "warning", "a wheel lifted": "warning"}
_CAR = ("bounce", "pitch", "roll", "yaw", "sway", "surge")
_LARGER = 20.0  # vertical motion in the animation
_FRAMES = 300
_HIGHEST = 30.0  # of spectra [Hz]


def page(dataset: xr.Dataset) -> Page:
    """The report of one run of the scenario kind ``vehicle``."""
    sections = {
        "Motion": _motion(dataset),
        "Car body": _car_body(dataset),
        "Wheels on rails": _wheels(dataset),
        "Modes": _modes(dataset),
        "Energy": series.energies(dataset),
        "About this run": origin(dataset),
    }
    title, about = (str(dataset.attrs.get(k, d)) for k, d in (("title", "Vehicle"), ("about", "")))
    return page_with(title, about, _verdict(dataset), sections)


def _verdict(dataset: xr.Dataset) -> PageVerdict:
    outcome, message = str(dataset.attrs["outcome"]), str(dataset.attrs["message"])
    trust = motion.verdict(dataset, _TRUSTED_ENERGY, 1e-8)
    growth = float(dataset.attrs["growth"])
    hunting = (
        f"Stable: small motions decay at this speed (slowest decay rate {number(-growth, 2)} 1/s)."
        if growth < 0
        else f"Unstable (hunting): small motions grow at this speed (growth rate {number(growth, 2)} 1/s)."
    )
    mood = _MOODS.get(outcome, "bad")
    if mood == "good" and (trust.mood in ("warning", "bad") or growth >= 0):
        mood = "warning"
    sentence = f"Outcome: {outcome}; {message}."
    return PageVerdict(mood, sentence, [trust.sentence, hunting, *trust.details])  # type: ignore[arg-type]


def column(dataset: xr.Dataset, name: str) -> np.ndarray:
    """One coordinate over time."""
    return np.asarray(dataset["q"].sel(coordinate=name).to_numpy())


def _motion(dataset: xr.Dataset) -> list[Block]:
    """Animation of the vehicle from its right side in moving coordinates; vertical motion magnified."""
    every = max(1, dataset.sizes["time"] // _FRAMES)
    some = dataset.isel(time=slice(None, None, every))
    if some.sizes["time"] < 2:
        return []
    place = some["place"].to_numpy()
    middle = place.mean(axis=1)
    pitched = [n.removesuffix(".e2") for n in map(str, some["coordinate"].to_numpy()) if n.endswith(".e2")]
    start = {name: column(some, f"{name}.x")[0] - middle[0] for name in pitched}
    curves = [
        _bar(some, name, middle + start[name], 0.45 * drawn_length(some, name))
        for name in pitched
        if "equalizer" not in name
    ]
    turn = np.linspace(0.0, 2.0 * np.pi, 25)
    for k, axle in enumerate(map(str, some["axle"].to_numpy())):
        z = _lift_z(_height(some, axle))
        radius = float(column(some, f"{axle}.z")[0])
        curves.append(
            Polyline(
                axle, place[:, k, None] + radius * np.cos(turn), z[:, None] + radius * np.sin(turn), color=figures.GREY
            )
        )
    level = np.array([place.min() - 5.0, place.max() + 5.0])
    curves.append(Polyline("rails", level, np.zeros(2), color=figures.INK, width=1.0))
    return [
        Animation(
            "Side view",
            some["time"].to_numpy(),
            curves,
            "along the track (m)",
            "height (m)",
            follow=middle,
            width=float(np.ptp(place[0])) + 8.0,
            traces=[
                RunningCurve(
                    "vertical motion of the observed point (m)",
                    *figures.thin_curve(dataset["time"].to_numpy(), dataset["watched_vertical"].to_numpy()),
                )
            ],
            caption=f"Vertical motion and pitch are magnified {_LARGER:.0f} times.",
        )
    ]


def _height(dataset: xr.Dataset, name: str) -> np.ndarray:
    """Height of a body above the track centre line."""
    return np.asarray(column(dataset, f"{name}.z") - dataset["track_height"].to_numpy())


def _lift_z(z: np.ndarray) -> np.ndarray:
    return np.asarray(z[0] + _LARGER * (z - z[0]))


def drawn_length(dataset: xr.Dataset, name: str) -> float:
    """Length at which a body is drawn when its description gives none [m]."""
    place = dataset["place"].to_numpy()[0]
    if name == "car body":
        return float(np.ptp(place)) + 4.0
    return 2.6 if "frame" in name else 1.2


def _bar(dataset: xr.Dataset, name: str, x: np.ndarray, half: float) -> Polyline:
    """A body as a beam, or a box if it is the car body."""
    z = _lift_z(_height(dataset, name))
    up = 1.3 if name == "car body" else 0.08
    pitch = _LARGER * 2.0 * column(dataset, f"{name}.e2")  # small, > 0 nose down
    outline = np.array([[-half, -up], [half, -up], [half, up], [-half, up], [-half, -up]]).T
    return Polyline(
        name,
        x[:, None] + outline[0],
        z[:, None] + outline[1] - pitch[:, None] * outline[0],
        color=figures.BLUE if name == "car body" else figures.ORANGE,
    )


def _car_body(dataset: xr.Dataset) -> list[Block]:
    names = ["watched_vertical", "watched_lateral"]
    blocks: list[Block] = [
        series.statistics(dataset, names),
        *series.by_unit(dataset, names, stem="watched", title="Motion of the observed point"),
    ]
    return [*blocks, _spectra(dataset)] if dataset.sizes["time"] > 100 else blocks


def _spectra(dataset: xr.Dataset) -> Picture:
    step = float(np.diff(dataset["time"].to_numpy()).mean())
    chart, (panel,) = figures.chart(210)
    panel.x_log = panel.y_log = True
    for name, label in (("watched_vertical", "vertical"), ("watched_lateral", "lateral")):
        f, density = spectrum(dataset[name].to_numpy(), step)
        shown = (f > 0) & (f <= _HIGHEST) & (density > 0)
        panel.curve(f[shown], 1e6 * density[shown], label)
    panel.name("frequency (Hz)", "density (mm²/Hz)")
    return Picture("watched_spectrum", "Spectrum of the observed point", chart)


def _wheels(dataset: xr.Dataset) -> list[Block]:
    up = dataset["wheel_force"].sel(direction="up").to_numpy()
    across = dataset["wheel_force"].sel(direction="across").to_numpy()
    axles = [str(a) for a in dataset["axle"].to_numpy()]
    rows = [
        [
            axle,
            wheel,
            number(float(dataset["static_load"][k, w]) / 1e3),
            number(up[:, k, w].min() / 1e3),
            number(up[:, k, w].max() / 1e3),
            number(np.abs(across[:, k, w]).max() / 1e3),
            number(np.abs(across[:, k, w] / np.maximum(up[:, k, w], 1.0)).max(), 3),
        ]
        for k, axle in enumerate(axles)
        for w, wheel in enumerate(("left", "right"))
    ]
    headings = ["Axle", "Wheel", "Standing", "Least", "Largest", "Lateral", "Ratio"]
    note = "Wheel loads and largest lateral force in kN; largest ratio of lateral to vertical force."
    blocks: list[Block] = [PageTable("", headings, rows, note=note)]
    times = dataset["time"].to_numpy()
    chart, (loads, sides) = figures.chart(190, 190)
    for k, axle in enumerate(axles):
        loads.curve(times, up[:, k, 0] / 1e3, f"{axle}, left", width=1.2)
        sides.curve(times, 1e3 * dataset["lateral"].to_numpy()[:, k], width=1.2)
    loads.name("time (s)", "wheel load (kN)")
    sides.name("time (s)", "lateral displacement (mm)")
    blocks.append(Picture("wheels", "Loads of the left wheels, and lateral displacement of the axles", chart))
    return [*blocks, _balance(dataset)] if dataset["lateral_needed"].to_numpy().any() else blocks


def _balance(dataset: xr.Dataset) -> Picture:
    times = dataset["time"].to_numpy()
    chart, (panel,) = figures.chart(200)
    for name, width in (("lateral_force", 1.8), ("lateral_needed", 1.3)):
        panel.curve(times, dataset[name].to_numpy() / 1e3, long_name(dataset, name), width=width)
    panel.name("time (s)", "lateral force (kN)")
    caption = "Sum over all wheels in the plane of the rails, compared with m (κ v² cos φ + g sin φ)."
    if "curve_needed" in dataset.attrs:
        found, asked = float(dataset.attrs["curve_lateral"]), float(dataset.attrs["curve_needed"])
        caption += (
            f" In the steady curve the computed force is {number(found / 1e3)} kN, the required one "
            f"{number(asked / 1e3)} kN: "
            f"{number(100 * (found / asked - 1), 2)} % apart."
        )
    return Picture("curve_balance", "Lateral force in the curve", chart, caption)


def _modes(dataset: xr.Dataset) -> list[Block]:
    """The car body's modes first, at rest and at speed."""
    blocks: list[Block] = []
    for when, title in (("rest", "Standing"), ("speed", "At the initial speed")):
        names = [str(n) for n in dataset[f"mode_at_{when}"].to_numpy()]
        rows = [
            [
                name if name in _CAR else f"mostly {name}",
                number(float(dataset[f"frequency_at_{when}"][k]), 3),
                number(float(dataset[f"damping_at_{when}"][k]), 2),
                number(100.0 * float(dataset[f"car_share_at_{when}"][k]), 2),
            ]
            for k, name in enumerate(names)
        ]
        rows.sort(key=lambda row: row[0] not in _CAR)
        headings = ["Mode", "Frequency (Hz)", "Damping ratio", "Car body's share (%)"]
        blocks.append(PageTable(title, headings, rows))
    return blocks
