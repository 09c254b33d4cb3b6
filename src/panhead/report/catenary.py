"""The page of a pantograph of bodies under a line of cables: laws side by side, limits, effort, the line.

It reads what ``panhead.run.solvers.cables.dataset`` writes, ``published`` (law, 2) in N, and the attributes speed,
start, judged_from, source; ``errors`` (JSON, law → quantity → ±) where the run was repeated on a finer mesh and step.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, final

import numpy as np

from panhead.assess import Criterion, Site, assess, low_pass
from panhead.report import figures, provenance
from panhead.report.page import Animation, Block, Curve, Page, Picture, Section, Table, Verdict
from panhead.report.words import criteria_table, number

if TYPE_CHECKING:
    import xarray as xr

_FRAMES = 150
_WINDOW = 120.0  # [m] of line in the animation


@final
@dataclass(frozen=True, slots=True)
class Judged:
    """One law in numbers."""

    name: str
    mean: float  #: [N]
    deviation: float  #: of the force as computed [N]
    filtered: float  #: of the force to 20 Hz [N]
    lumped: float  #: of the estimate in print, which leaves out the actuator [N]
    published: tuple[float, float]  #: mean and deviation [N], NaN if not in print
    peak: float  #: largest actuator force [N]
    power: float  #: largest power of the actuator, either way [W]
    energy: float  #: taken out by the actuator over the run [J]
    cut: float | None = None  #: share by which the deviation is below the first law's
    lumped_cut: float | None = None  #: the same of the estimate in print
    moved: float | None = None  #: share by which the mean is moved
    published_cut: float | None = None
    errors: dict[str, float] = field(default_factory=dict)  #: ± of mean, deviation, filtered [N]


def judged(dataset: xr.Dataset) -> list[Judged]:
    """Every law, the first being what the others are measured by; forces are positive when pressed together."""
    t = dataset["time"].to_numpy()
    now = t >= float(dataset.attrs["judged_from"]) - 1e-9
    found: list[Judged] = []
    for name in dataset["law"].to_numpy():
        one = dataset.sel(law=name)
        F = one["force"].to_numpy()
        smooth = low_pass(_from_rest(one), float(t[1] - t[0]))[now]
        mean, deviation = float(F[now].mean()), float(F[now].std())
        print_ = tuple(float(x) for x in one["published"].to_numpy())
        first = found[0] if found else None
        work = one["power"].to_numpy()
        lumped = float(in_print(one)[now].std())
        found.append(
            Judged(
                name=str(name),
                mean=mean,
                deviation=deviation,
                filtered=float(smooth.std()),
                lumped=lumped,
                published=(abs(print_[0]), print_[1]),
                peak=float(np.abs(one["actuator"]).max()),
                power=float(np.abs(work).max()),
                energy=-float(np.trapezoid(work, t)),
                cut=1 - deviation / first.deviation if first else None,
                lumped_cut=1 - lumped / first.lumped if first else None,
                moved=mean / first.mean - 1 if first else None,
                published_cut=1 - print_[1] / first.published[1] if first else None,
                errors=_errors(dataset).get(str(name), {}),
            )
        )
    return found


def _from_rest(law: xr.Dataset) -> np.ndarray:
    """The contact force with the static one at its beginning, (n,) [N].

    A filter starts in the state of its first sample, and the first instant of a load that starts where the wire
    bends has a force of its own, v² times the bend, which no instrument would have held for ever before.
    """
    force, static = law["force"].to_numpy().copy(), float(law["static_force"])
    if np.isfinite(static):
        force[0] = static
    return np.asarray(force)


def in_print(law: xr.Dataset) -> np.ndarray:
    """The estimate by which printed laws are judged, (n,) [N]: it has no term for the actuator.

    F = −m₁ (ÿ₁ + g) − k (y₁ − y₂ − l) − c (ẏ₁ − ẏ₂)                         [Pappalardo16, eq. (27)]
    """
    return np.asarray((law["estimate"] - law["actuator"]).to_numpy())


def _errors(dataset: xr.Dataset) -> dict[str, dict[str, float]]:
    """Law → quantity → difference from a run with elements and steps half as long."""
    found: dict[str, dict[str, float]] = json.loads(str(dataset.attrs.get("errors", "{}")))
    return found


def errors_against(dataset: xr.Dataset, finer: xr.Dataset) -> str:
    """What ``errors`` holds, for a run and its repeat with elements and steps half as long."""
    again, found = {law.name: law for law in judged(finer)}, {}
    limited, limited_again = criteria(dataset), criteria(finer)
    for law in judged(dataset):
        other = again[law.name]
        limits = {c.key: c.value for c in limited_again[law.name]}
        found[law.name] = {
            "mean": abs(law.mean - other.mean),
            "deviation": abs(law.deviation - other.deviation),
            "filtered": abs(law.filtered - other.filtered),
            "lumped": abs(law.lumped - other.lumped),
            **{c.key: abs(c.value - limits[c.key]) for c in limited[law.name] if c.key in limits},
        }
    return json.dumps(found)


def page(dataset: xr.Dataset) -> Page:
    """The report of one run of the scenario kind ``catenary``."""
    laws, criteria_by_law = judged(dataset), criteria(dataset)
    sections = [
        Section("Laws side by side", [*_tables(dataset, laws), _forces(dataset), _zoom(dataset)]),
        Section("Judged by EN 50367", _criteria(criteria_by_law)),
        Section("Effort of the actuator", _effort(dataset, laws)),
        Section("Numbers of the laws", _numbers(dataset)),
        Section("Head and plunger", [_heads(dataset)]),
        Section("The line", _line(dataset)),
        Section("Can the numbers be trusted?", _trust(dataset)),
        Section("About this run", provenance.blocks(dataset)),
    ]
    return Page(
        title=str(dataset.attrs.get("title", "Pantograph under a line of cables")),
        subtitle=str(dataset.attrs.get("about", "")),
        verdict=verdict(laws, criteria_by_law),
        sections=[section for section in sections if section.blocks],
    )


def verdict(laws: list[Judged], criteria_by_law: dict[str, list[Criterion]]) -> Verdict:
    """What the standard says of every law, and which evens the force out most."""
    missed = {
        name: sum(c.verdict == "not met" for c in found) for name, found in criteria_by_law.items()
    }
    first, rest = laws[0], laws[1:]
    told = (
        f"{first.name}: {number(first.mean)} N on average, deviation {number(first.deviation, 3)} N, "
        f"{_missed(missed[first.name])}"
    )
    details = [
        f"{law.name}: deviation {number(law.deviation, 3)} N, {_change(law.cut or 0.0)}, mean moved by "
        f"{number(100 * (law.moved or 0), 2)} %, {_missed(missed[law.name])}"
        for law in rest
    ]
    best = max(rest, key=lambda law: law.cut or -np.inf, default=None)
    if best is not None:
        share = number(100 * abs(best.cut or 0), 3)
        helps = (best.cut or 0) > 0
        told += f"; {best.name} cuts it by {share} %" if helps else "; no law makes it smaller"
    return Verdict("good" if 0 in missed.values() else "warning", told + ".", details)


def _missed(count: int) -> str:
    """How a count of criteria that are not met is told."""
    if count == 0:
        return "EN 50367 met"
    return f"{count} {'criterion' if count == 1 else 'criteria'} of EN 50367 not met"


def _change(cut: float) -> str:
    return f"{number(100 * abs(cut), 3)} % {'less' if cut > 0 else 'more'}"


def _tables(dataset: xr.Dataset, laws: list[Judged]) -> list[Block]:
    """What each law does to the contact force, and what print tells of it."""
    percent = lambda x: "–" if x is None else number(100 * x, 3)
    bars = "± is the difference from elements and steps half as long." if _errors(dataset) else ""
    ours = [
        [
            law.name, _barred(law, "mean", 5), percent(law.moved), _barred(law, "deviation", 4), percent(law.cut),
            _barred(law, "filtered", 4),
        ]
        for law in laws
    ]  # fmt: skip
    headings = ["Law", "Mean (N)", "moved (%)", "σ (N)", "cut (%)", "σ to 20 Hz (N)"]
    tables: list[Block] = [Table("The contact force", headings, ours, note=bars)]
    printed = [law for law in laws if not np.isnan(law.published[1])]
    if not printed:
        return tables
    rows = [
        [
            law.name, number(law.mean, 5), number(law.published[0], 5), _barred(law, "lumped", 4),
            number(law.published[1], 4), percent(law.lumped_cut), percent(law.published_cut),
        ]
        for law in printed
    ]  # fmt: skip
    headings = [
        "Law",
        "Mean (N)",
        "print (N)",
        "σ by (27) (N)",
        "print (N)",
        "cut (%)",
        "print (%)",
    ]
    note = (
        f"Print: {dataset.attrs.get('source', '')}, signs turned: a force is positive when head and wire are pressed "
        "together. Laws in print are judged by the lumped estimate, equation (27), which leaves out the actuator's own "
        "force: it shrinks where the contact force does not."
    )
    return [*tables, Table("Beside print, by the estimate", headings, rows, note=note)]


def _barred(law: Judged, what: str, digits: int) -> str:
    """A number with its error bar, if there is one."""
    told = number(getattr(law, what), digits)
    return f"{told} ± {number(law.errors[what], 2)}" if what in law.errors else told


def _forces(dataset: xr.Dataset) -> Picture:
    names = [str(n) for n in dataset["law"].to_numpy()]
    made, axes = figures.figure(len(names), height=0.6 + 1.7 * len(names), share_x=True)
    t = dataset["time"].to_numpy()
    first = dataset["force"].to_numpy()[0]
    low, high = np.percentile(dataset["force"], [0.1, 99.9])
    room = 0.15 * (high - low) + 1
    for k, (one, name) in enumerate(zip(axes, names, strict=True)):
        if k:
            one.plot(*figures.thinned(t, first), color=figures.PALE, lw=0.9, label=names[0])
        curve = dataset["force"].to_numpy()[k]
        one.plot(*figures.thinned(t, curve), color=figures.CYCLE[k % 8], lw=1.0, label=name)
        one.set_ylim(low - room, high + room)
        figures.name_axes(one, "time (s)" if k == len(names) - 1 else "", "force (N)")
        figures.legend(one)
    caption = "Contact force from the multipliers; the scale leaves out the rarest 0.2 % of peaks."
    return Picture("contact_force", "Contact force", made, caption)


def _zoom(dataset: xr.Dataset) -> Picture:
    """The last three seconds to 20 Hz, all laws together."""
    t = dataset["time"].to_numpy()
    late = t >= max(0.0, t[-1] - 3.0)
    made, (one,) = figures.figure(height=3.2)
    for name, force in zip(dataset["law"].to_numpy(), dataset["force"].to_numpy(), strict=True):
        one.plot(t[late], low_pass(force, float(t[1] - t[0]))[late], label=str(name))
    figures.name_axes(one, "time (s)", "force to 20 Hz (N)")
    figures.legend(one)
    return Picture("contact_force_filtered", "The end of the run, filtered to 20 Hz", made)


def _criteria(criteria_by_law: dict[str, list[Criterion]]) -> list[Block]:
    return [criteria_table(list(c), f"Criteria, {name}") for name, c in criteria_by_law.items()]


def criteria(dataset: xr.Dataset) -> dict[str, list[Criterion]]:
    """EN 50367 for every law."""
    t = dataset["time"].to_numpy()
    window = (float(dataset.attrs["judged_from"]), float(t[-1]))
    found, errors = {}, _errors(dataset)
    for name in dataset["law"].to_numpy():
        one = dataset.sel(law=name)
        lift = (one["contact_height"] - dataset["contact_at_rest"]).max("shape_time").to_numpy()
        uplift = lift[dataset["mast"].to_numpy()]
        site = Site(contact_height=one["head"].to_numpy(), uplift=uplift)
        of = assess(_from_rest(one), t, float(dataset.attrs["speed"]), site=site, window=window)
        known = errors.get(str(name), {})
        found[str(name)] = [replace(c, error=known.get(c.key)) for c in of]
    return found


def _effort(dataset: xr.Dataset, laws: list[Judged]) -> list[Block]:
    acting = [law for law in laws if law.peak > 0]
    if not acting:
        return []
    rows = [[law.name, number(law.peak), number(law.power), number(law.energy)] for law in acting]
    headings = ["Law", "Largest force (N)", "Largest power (W)", "Energy taken out (J)"]
    made, (one,) = figures.figure(height=3.0)
    t = dataset["time"].to_numpy()
    for law in acting:
        one.plot(
            *figures.thinned(t, dataset["actuator"].sel(law=law.name).to_numpy()),
            lw=0.9,
            label=law.name,
        )
    figures.name_axes(one, "time (s)", "actuator force (N)")
    figures.legend(one)
    return [
        Table("", headings, rows, note="A law of damping takes energy out; it needs none."),
        Picture("actuator", "Force of the actuator on the pan-head", made),
    ]


def _numbers(dataset: xr.Dataset) -> list[Block]:
    """Parameters that were given, or found by a search."""
    laws: dict[str, dict[str, float]] = json.loads(str(dataset.attrs.get("parameters", "{}")))
    rows = [[law, name, number(x)] for law, found in laws.items() for name, x in found.items()]
    note = "Whatever is not listed has the law's own number. SI units."
    return [Table("", ["Law", "Parameter", "Value"], rows, note=note)] if rows else []


def _heads(dataset: xr.Dataset) -> Picture:
    made, axes = figures.figure(2, height=4.4, share_x=True)
    t = dataset["time"].to_numpy()
    for name in dataset["law"].to_numpy():
        one = dataset.sel(law=name)
        head, plunger = one["head"].to_numpy(), one["plunger"].to_numpy()
        axes[0].plot(*figures.thinned(t, head), label=str(name))
        axes[1].plot(*figures.thinned(t, 1e3 * (head - plunger)), label=str(name))
    figures.name_axes(axes[0], "", "height of the pan-head (m)")
    figures.name_axes(axes[1], "time (s)", "above the plunger (mm)")
    figures.legend(axes[0])
    return Picture("head", "Motion of the head", made)


def _line(dataset: xr.Dataset) -> list[Block]:
    """The line as it is passed (heights stretched), and what its droppers carry."""
    one = dataset.isel(law=0)
    frames = np.unique(np.linspace(0, dataset.sizes["shape_time"] - 1, _FRAMES).astype(int))
    t = dataset["shape_time"].to_numpy()[frames]
    at = np.searchsorted(dataset["time"].to_numpy(), t - 1e-9).clip(max=dataset.sizes["time"] - 1)
    x = float(dataset.attrs["start"]) + float(dataset.attrs["speed"]) * t
    head, force = one["head"].to_numpy()[at], one["force"].to_numpy()[at]
    curves = [
        Curve(
            role,
            dataset[f"{role}_x"].to_numpy(),
            one[f"{role}_height"].to_numpy()[frames].astype(float),
            color,
        )
        for role, color in (("contact", figures.INK), ("messenger", figures.GREY))
    ]
    curves.append(
        Curve(
            "pan-head",
            x[:, None] + np.array([-0.8, 0.8]),
            np.repeat(head[:, None], 2, 1),
            figures.ORANGE,
            5.0,
        )
    )
    moving = Animation(
        "The line as the pantograph passes",
        t,
        curves,
        y_label="height (m)",
        equal_aspect=False,
        follow=x,
        width=_WINDOW,
        trace=("contact force (N)", force),
    )
    pull = dataset["dropper_force"]
    rows = [
        [str(law), number(float(pull.sel(law=law).min())), number(float(pull.sel(law=law).max()))]
        for law in dataset["law"].to_numpy()
    ]
    note = "Seen at the kept shapes; a negative force is a dropper that pushes, where droppers are bilateral."
    return [
        moving,
        Table("Droppers", ["Law", "Smallest force (N)", "Largest force (N)"], rows, note=note),
    ]


def _trust(dataset: xr.Dataset) -> list[Block]:
    rows = []
    for name in dataset["law"].to_numpy():
        one = dataset.sel(law=name)
        off = np.abs(one["force"] - one["estimate"]).max().item()
        guided = np.abs(one["force"] - one["guided"]).max().item()
        turned = float(one["dissipated"][-1]) or 1.0
        share = abs(float(one["balance"][-1])) / turned
        rows.append(
            [
                str(name),
                number(float(one["residual"].max()), 2),
                number(off, 3),
                number(guided, 3),
                number(100 * share, 2),
            ]
        )
    headings = [
        "Law",
        "Largest constraint residual (m)",
        "Lumped estimate off by (N)",
        "Balance along the guide off by (N)",
        "Energy not accounted for, of what is dissipated (%)",
    ]
    note = (
        "Energy leaves with the numerical damping of the highest frequencies of the wires. The lumped estimate takes "
        "the head's guide for vertical; the balance along the guide knows how the plunger tilts."
    )
    return [Table("", headings, rows, note=note)]
