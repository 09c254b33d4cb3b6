"""Report sections on the pantograph, the vehicle below it and the co-simulation with the line."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from panhead.assess import spectrum
from panhead.assess.number_text import number
from panhead.desk.drawing import figures
from panhead.desk.reports import series
from panhead.desk.reports.line_places import name_track
from panhead.desk.reports.page import Block, PageTable, Picture
from panhead.desk.reports.run_force import Passage

if TYPE_CHECKING:
    import xarray as xr

_ZOOM: Final = 1.5  # [s] of a close-up
_SHOWN: Final = 6  # modes in a figure
_IDLE: Final = 1e-4  # share of the largest below which a mode is not listed
_HIGHEST: Final = 20.0  # of a roof's spectrum [Hz]
_ANOTHER: Final = 50.0  # between two samples [mm]: the contact has passed to another wire


def _close_up_range(one: Passage) -> np.ndarray:
    """The close-up: the middle of the assessed section."""
    t = one.times
    return np.asarray(np.abs(t - t[one.judged].mean()) <= _ZOOM / 2)


def effort(ways: Sequence[Passage]) -> list[Block]:
    """Force, power and energy of the head actuators; empty without actuators."""
    acting = [one for one in ways if "actuator_force" in one.result and one.curve("actuator_force").any()]
    if not acting:
        return []
    chart, (panel,) = figures.chart(200)
    rows = []
    for one in acting:
        force = one.curve("actuator_force")
        numbers = [float(np.abs(force).max()), np.nan, np.nan]
        if "actuator_power" in one.result:
            power = one.curve("actuator_power")
            numbers[1:] = float(np.abs(power).max()), -float(np.trapezoid(power, one.times))
        rows.append([one.name, *(number(x) for x in numbers)])
        panel.curve(one.times, force, one.name, color=one.color, width=1.1)
    panel.name("time (s)", "actuator force (N)")
    headings = ["", "Largest force (N)", "Largest power (W)", "Energy dissipated (J)"]
    note = "A damping law dissipates energy and needs no supply."
    return [
        PageTable("", headings, rows, note=note),
        Picture("actuator", "Force of the actuator on the pan-head", chart),
    ]


def law_numbers(results: dict[str, xr.Dataset]) -> list[Block]:
    """Parameters of the laws of the head, given or found by a search."""
    laws = {name: json.loads(str(one.attrs.get("control") or "{}")) for name, one in results.items()}
    rows = [[law, name, number(x)] for law, of in laws.items() for name, x in of.items()]
    note = "Parameters not listed have their default values. SI units."
    headings = ["Law", "Parameter", "Value"]
    return [PageTable("Parameters of the control laws", headings, rows, note=note)] if rows else []


def head_motion(ways: Sequence[Passage]) -> list[Block]:
    """Height of the head, and how far it is above the plunger."""
    known = [one for one in ways if "head_z" in one.result]
    if not known:
        return []
    plunged = all("plunger_z" in one.result for one in known)
    chart, panels = figures.chart(*[170] * (1 + plunged))
    for one in known:
        head = one.curve("head_z")
        label = one.name if len(known) > 1 else ""
        panels[0].curve(one.times, head, label, color=one.color)
        if plunged:
            above = 1e3 * (head - one.curve("plunger_z"))
            panels[1].curve(one.times, above, color=one.color)
    panels[0].name("time (s)", "height of the pan-head (m)")
    if plunged:
        panels[1].name("time (s)", "head relative to plunger (mm)")
    return [Picture("head", "Motion of the head", chart)]


def strips(ways: Sequence[Passage]) -> list[Block]:
    """Distribution of the force between the strips of the first pantograph; empty for one strip."""
    first = ways[0]
    if first.result.sizes.get("strip", 1) < 2 or "strip_force" not in first.result:
        return []
    chart, (panel,) = figures.chart(190)
    near, forces = _close_up_range(first), first.curve("strip_force")
    words = ("front strip", "rear strip") if len(forces) == 2 else None
    for k, force in enumerate(forces):
        label = words[k] if words else f"strip {k + 1}"
        panel.curve(first.times[near], force[near], f"{label}, {first.name}", width=1.2)
    panel.name("time (s)", "force (N)")
    return [Picture("strips", "Force distribution between the strips, close-up", chart)]


def contact_point(ways: Sequence[Passage]) -> list[Block]:
    """Height of the contact strip and lateral position of the contact point on it."""
    risen = [one for one in ways if "strip_z" in one.result]
    across = "contact_y" in ways[0].result and bool(ways[0].result["contact_y"].any())
    if not (risen or across):
        return []
    chart, panels = figures.chart(*[170] * (bool(risen) + across), share_x=False)
    for one in risen:
        near = _close_up_range(one)
        z = one.curve("strip_z").reshape(-1, one.times.size)[0]
        label = one.name if len(risen) > 1 else ""
        panels[0].curve(one.times[near], z[near], label, color=one.color, width=1.2)
        panels[0].name("time (s)", "height of the strip (m)")
    if across:
        for one in ways:
            y = 1e3 * one.curve("contact_y").reshape(-1, one.times.size)[0]
            y[1:][np.abs(np.diff(y)) > _ANOTHER] = np.nan  # no line from one wire to the other
            label = one.name if len(ways) > 1 else ""
            panels[-1].curve(one.curve("contact_x"), y, label, color=one.color, width=1.2)
        name_track(panels[-1], ways[0].result, "lateral contact position (mm)")
    caption = "Height: close-up from the middle of the assessed section. " if risen else ""
    caption += "The lateral position follows the stagger." if across else ""
    return [Picture("contact_point", "Contact point", chart, caption)]


def deformations(results: dict[str, xr.Dataset]) -> list[Block]:
    """Deformation of every flexible member by mode over time, and modal participation."""
    blocks: list[Block] = []
    for variant, result in results.items():
        for name in map(str, result.data_vars):
            if name.endswith("_deformation"):
                blocks += _member(result, name.removesuffix("_deformation"), variant)
    return blocks


def _member(result: xr.Dataset, key: str, variant: str) -> list[Block]:
    t, attrs = result["time"].to_numpy(), result.attrs
    now = (t >= float(attrs["judged_from"])) & (t <= float(attrs["judged_to"]))
    w = 1e3 * result[f"{key}_deformation"].to_numpy()  # (mode, time) [mm]
    mean, spread = w[:, now].mean(axis=1), w[:, now].std(axis=1)
    size = np.abs(mean) + spread
    order = np.argsort(-size)
    frequency = result[f"{key}_frequency"].to_numpy()
    member = key.replace("_", " ")
    near = np.abs(t - t[now].mean()) <= _ZOOM / 2
    chart, (panel,) = figures.chart(220)
    for k in order[:_SHOWN]:
        panel.curve(t[near], w[k][near], f"mode {k + 1}, {frequency[k]:.4g} Hz", width=1.2)
    panel.name("time (s)", "largest displacement (mm)")
    suffix = f", {variant}" if variant else ""
    caption = (
        f"Each mode at the point where it displaces the {member} most; the {min(_SHOWN, len(order))} largest modes."
    )
    stem = "".join(c if c.isalnum() else "_" for c in f"{key}_modes_{variant}").strip("_")
    listed = order[size[order] > _IDLE * size.max()]
    said = result[f"{key}_words"].to_numpy() if f"{key}_words" in result else [""] * len(size)
    rows = [
        [str(k + 1), str(said[k]), number(float(frequency[k])), number(float(mean[k]), 3), number(float(spread[k]), 3)]
        for k in listed
    ]  # fmt: skip
    left = len(size) - len(listed)
    note = f"{left} more modes contribute less than {_IDLE:g} of the first." if left else ""
    headings = ["Mode", "Description", "Frequency (Hz)", "Mean (mm)", "σ (mm)"]
    return [
        Picture(stem, f"Deformation of the {member} by mode{suffix}", chart, caption),
        PageTable(f"Modes of the {member}{suffix}, the largest first", headings, rows, note=note),
    ]


#: heading → what the result must hold, and the number it tells
_TRUST: Final[dict[str, tuple[str, Callable[[xr.Dataset], float]]]] = {
    "Largest constraint residual (m)": ("constraint_residual", lambda one: float(one["constraint_residual"].max())),
    "Error of the lumped estimate (N)": ("force_estimate", lambda one: _error_cell(one, "force_estimate")),
    "Residual along the guide (N)": ("force_by_balance", lambda one: _error_cell(one, "force_by_balance")),
    "Iterations per step": ("iterations", lambda one: float(one["iterations"][..., 1:].mean())),
    "Interface energy error (J)": (
        "interface_energy_error",
        lambda one: float(np.abs(one["interface_energy_error"]).max()),
    ),
    "Energy transferred (J)": ("interface_energy", lambda one: float(one["interface_energy"][..., -1].sum())),
    "Difference from monolithic solution (N)": ("distance_max", lambda one: float(one.attrs["distance_max"])),
}
_SAID: Final = {
    "Error of the lumped estimate (N)": "The lumped estimate assumes a vertical guide of the head; the residual along "
    "the guide accounts for the tilt of the plunger.",
    "Interface energy error (J)": "Interface energy error: power on the line side minus power on the pantograph side, "
    "integrated over time.",
    "Difference from monolithic solution (N)": "Monolithic solution: the same equations in one Newton iteration, for "
    "the first part of the run.",
}


def _error_cell(one: xr.Dataset, name: str) -> float:
    return float(np.abs(one["contact_force"] - one[name]).max())


def trust(results: dict[str, xr.Dataset]) -> list[Block]:
    """Numerical checks: constraint residuals, force estimates and co-simulation errors; a row for each variant."""
    columns = {}
    for heading, (needed, of) in _TRUST.items():
        held = [needed in one.variables or needed in one.attrs for one in results.values()]
        if any(held):
            pairs = zip(held, results.values(), strict=True)
            columns[heading] = [of(one) if there else np.nan for there, one in pairs]
    if not columns:
        return []
    columns["Energy imbalance (%)"] = [
        100 * (series.energy_imbalance(one) if "balance" in one else np.nan)  # type: ignore[operator]
        for one in results.values()
    ]
    rows = [
        [name or "the run", *(number(values[k], 2) for values in columns.values())] for k, name in enumerate(results)
    ]
    first = next(iter(results.values()))
    said = [text for heading, text in _SAID.items() if heading in columns]
    if "scheme" in first.attrs:
        step = number(1e3 * float(first.attrs["exchange_step"]), 2)
        said.insert(0, f"Co-simulation: {first.attrs['scheme']}, every {step} ms.")
    return [PageTable("", ["", *columns], rows, note=" ".join(said)), *_interface(results)]


def _interface(results: dict[str, xr.Dataset]) -> list[Block]:
    """Interface energy error in time."""
    known = {name: one for name, one in results.items() if "interface_energy_error" in one}
    if not known:
        return []
    chart, (panel,) = figures.chart(170)
    for name, one in known.items():
        error = one["interface_energy_error"].to_numpy()
        panel.curve(one["time"].to_numpy(), 1e6 * error.reshape(-1, error.shape[-1])[0], name, width=1.2)
    panel.name("time (s)", "interface energy error (µJ)")
    return [Picture("interface_energy", "Interface energy error of the co-simulation", chart)]


def vehicle(ways: Sequence[Passage]) -> list[Block]:
    """Motion of the roof under the pantograph over time and frequency, and wheel loads."""
    moving = next((one.result for one in ways if "roof_z" in one.result), None)
    if moving is None:
        return []
    t = moving["roof_time"].to_numpy()
    chart, (panel,) = figures.chart(180)
    spectra, (density,) = figures.chart(180)
    density.y_log = True
    for name, label in (("roof_z", "up"), ("roof_y", "lateral, + left")):
        if name not in moving:
            continue
        values = 1e3 * moving[name].to_numpy()
        panel.curve(t, values, label)
        f, power = spectrum(values, float(np.diff(t).mean()))
        shown = (f > 0.05) & (f <= _HIGHEST)
        density.curve(f[shown], np.maximum(power[shown], 1e-12), label)
    panel.name("time (s)", "roof (mm)")
    density.name("frequency (Hz)", "density (mm²/Hz)")
    return [
        Picture("roof", "Motion of the roof under the pantograph", chart),
        Picture("roof_spectrum", "Spectrum of the roof motion", spectra),
        *_wheels(moving),
    ]


def _wheels(moving: xr.Dataset) -> list[Block]:
    """Wheel loads of a vehicle coupled to its pantograph."""
    if "wheel_load" not in moving:
        return []
    t, load = moving["roof_time"].to_numpy(), 1e-3 * moving["wheel_load"].to_numpy()
    chart, (panel,) = figures.chart(180)
    rows = []
    for k, axle in enumerate(map(str, moving["axle_name"].to_numpy())):
        panel.curve(t, load[:, k].sum(axis=1), axle)
        for j, side in enumerate(map(str, moving["wheel_name"].to_numpy())):
            one, still = load[:, k, j], 1e-3 * float(moving["static_wheel_load"][k, j])
            rows.append([f"{axle}, {side}", *(number(x) for x in (still, one.mean(), one.min(), one.max()))])
    panel.name("time (s)", "load of both wheels (kN)")
    headings = ["Wheel", "Static (kN)", "Mean (kN)", "Minimum (kN)", "Maximum (kN)"]
    return [Picture("wheel_loads", "Axle loads", chart), PageTable("Wheel loads", headings, rows)]
