"""``panhead show``: curves of a result at a mast, a dropper or a place."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from panhead.assess.filters import low_pass, sampling_step
from panhead.desk.drawing import figures
from panhead.desk.drawing.figures import Chart
from panhead.errors import ModelError, alternatives
from panhead.files.variants import separate
from panhead.railway.line.line_places import MastPlaces

if TYPE_CHECKING:
    import xarray as xr

#: what is told along the track as a pantograph passes → variable, name, unit, factor
ALONG: Final = {
    "force": ("contact_force", "contact force, 0–20 Hz", "N", 1.0),
    "uplift": ("contact_uplift", "uplift of the contact wire at the pantograph", "mm", 1e3),
    "height": ("contact_z", "height of the contact point", "m", 1.0),
    "head": ("head_z", "height of the head", "m", 1.0),
}
QUANTITIES: Final = (*ALONG, "dropper")
#: why a result may lack what every support and dropper did over time, and what to do
NO_HISTORY: Final = (
    "which solver 'linear' stores over time for up to 1200 droppers if the whole line is computed; repeat the run "
    "with numerics.window = 'whole'"
)
_AROUND: Final = 1.0  # spans shown on either side of a place


@dataclass(frozen=True, slots=True)
class NamedCurve:
    """One curve with what its axes mean."""

    name: str
    x: np.ndarray  #: (n,)
    y: np.ndarray  #: (n,)
    x_label: str
    y_label: str

    def row_heads(self) -> tuple[str, str]:
        return self.x_label, f"{self.name}: {self.y_label}"


def curves_at(
    result: xr.Dataset,
    quantity: str,
    *,
    mast: str | None = None,
    dropper: str | None = None,
    place: float | str | None = None,
    variant: str = "",
) -> list[NamedCurve]:
    """The curves of one quantity: over time at a mast (uplift) or dropper, along the track around anything else."""
    one = chosen_variant(result, variant)
    require_contact(one, "show")
    if quantity not in QUANTITIES:
        raise ModelError(f"show: unknown quantity {quantity!r}; {alternatives(quantity, QUANTITIES)}")
    if sum(x is not None for x in (mast, dropper, place)) > 1:
        raise ModelError("show: give one of --mast, --dropper and --at")
    if quantity == "dropper":
        if dropper is None:
            raise ModelError("show dropper: give the dropper, e.g. --dropper 42 or --dropper T1.span5.dropper3")
        return _dropper(one, dropper)
    if quantity == "uplift" and mast is not None:
        return _mast(one, mast)
    at = None if place is None else place_in(one, place)
    if mast is not None:
        at = _mast_place(one, mast)
    elif dropper is not None:
        at = float(_need(one, "dropper_x")[_dropper_number(one, dropper)])
    return _along(one, quantity, at)


def place_in(result: xr.Dataset, place: float | str) -> float:
    """Metres from the first mast of a place in a result: a number, "512 m", "km 12+345" or "mast 12-07"."""
    return MastPlaces.from_result(result).position(place, "--at")


def require_contact(result: xr.Dataset, command: str) -> None:
    """ModelError unless a pantograph ran under a line in this result."""
    if "contact_force" not in result:
        raise ModelError(
            f"{command}: no pantograph runs under a line in this result; use “panhead report” for its page or "
            "“panhead export” for its tables"
        )


def chart_of(curves: Sequence[NamedCurve], mark: float | None = None) -> Chart:
    """All of them in one panel; ``mark``: an x to be marked."""
    chart, (panel,) = figures.chart(300)
    for curve in curves:
        panel.curve(curve.x, curve.y, curve.name)
    if mark is not None:
        panel.rule(x=mark)
    panel.name(curves[0].x_label, curves[0].y_label)
    return chart


def chosen_variant(result: xr.Dataset, variant: str) -> xr.Dataset:
    """A variant of a result by name; the first without one."""
    found = separate(result)
    if not variant:
        return next(iter(found.values()))
    if variant not in found:
        raise ModelError(f"show: the result has no variant {variant!r}; {alternatives(variant, found)}")
    return found[variant]


def _need(one: xr.Dataset, name: str) -> np.ndarray:
    if name not in one:
        raise ModelError(f"show: the result has no {name!r}, {NO_HISTORY}")
    return np.asarray(one[name].to_numpy())


def _mast_place(one: xr.Dataset, mast: str) -> float:
    """Place of the n-th mast along the track, or of the support with that name [m]."""
    masts, names = np.unique(_need(one, "mast_x")), [str(name) for name in _need(one, "support_name")]
    if mast.isdecimal() and mast not in names:
        if not 1 <= int(mast) <= masts.size:
            raise ModelError(f"show: there is no mast {mast}; masts of this result are 1 … {masts.size}")
        return float(masts[int(mast) - 1])
    if mast not in names:
        raise ModelError(f"show: there is no mast {mast!r}; {alternatives(mast, names)}")
    return float(one["support_x"].to_numpy()[names.index(mast)])


def _mast(one: xr.Dataset, mast: str) -> list[NamedCurve]:
    """Uplift over time of the supports on a mast."""
    place, x, names = _mast_place(one, mast), _need(one, "support_x"), _need(one, "support_name")
    counted = mast.isdecimal() and mast not in {str(name) for name in names}
    here = [k for k in np.flatnonzero(np.abs(x - place) < 0.01) if counted or str(names[k]) == mast]
    if not here:
        raise ModelError(f"show: no contact wire is supported at mast {mast}, at {place:g} m")
    history = _need(one, "support_history")
    labels = "time (s)", "uplift at the support (mm)"
    return [NamedCurve(str(names[k]), one["sample"].to_numpy(), 1e3 * history[:, k], *labels) for k in here]


def _dropper_number(one: xr.Dataset, dropper: str) -> int:
    names = [str(name) for name in _need(one, "dropper_name")]
    if dropper.isdecimal():
        if not 1 <= int(dropper) <= len(names):
            raise ModelError(f"show: there is no dropper {dropper}; droppers of this result are 1 … {len(names)}")
        return int(dropper) - 1
    if dropper not in names:
        raise ModelError(f"show: there is no dropper {dropper!r}; {alternatives(dropper, names)}")
    return names.index(dropper)


def _dropper(one: xr.Dataset, dropper: str) -> list[NamedCurve]:
    k = _dropper_number(one, dropper)
    name, force = str(one["dropper_name"].to_numpy()[k]), _need(one, "dropper_force")[:, k]
    return [NamedCurve(name, one["sample"].to_numpy(), force, "time (s)", "force of the dropper (N)")]


def _along(one: xr.Dataset, quantity: str, place: float | None) -> list[NamedCurve]:
    """Along the track as each pantograph passes; around a place if there is one, else everywhere."""
    variable, words, unit, factor = ALONG[quantity]
    values, x = _need(one, variable), _need(one, "contact_x")
    if quantity == "force":
        step = sampling_step(one["time"].to_numpy())
        values = np.array([low_pass(force, step, zero_phase=True) for force in values])
    low, high = (-np.inf, np.inf) if place is None else _around(one, place)
    if not ((x >= low) & (x <= high)).any():
        places = MastPlaces.from_result(one)
        at, first, last = (places.to_text(float(one)) for one in (place or 0.0, x.min(), x.max()))
        raise ModelError(f"show: no pantograph passes {at}; the run extends from {first} to {last}")
    found = []
    for name, at, of in zip(one["pantograph"].to_numpy(), x, values, strict=True):
        inside = (at >= low) & (at <= high)
        curve = NamedCurve(
            str(name), at[inside], factor * of[inside], "distance along the track (m)", f"{words} ({unit})"
        )
        found.append(curve)
    return found


def _around(one: xr.Dataset, place: float) -> tuple[float, float]:
    masts = np.unique(_need(one, "mast_x"))
    span = float(np.median(np.diff(masts)))
    return place - _AROUND * span, place + _AROUND * span


def file_stem(quantity: str, where: str) -> str:
    """A name for the files of a curve."""
    return re.sub(r"[^\w.-]+", "-", "-".join(filter(None, (quantity, where))))
