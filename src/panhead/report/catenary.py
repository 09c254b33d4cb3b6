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

if TYPE_CHECKING:
    import xarray as xr


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
