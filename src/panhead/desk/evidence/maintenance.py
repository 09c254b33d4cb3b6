"""Maintenance quantities of a run: dropper fatigue, contact wire wear, uplift against uplift space at supports."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from panhead.assess.assessment_inputs import judged_window
from panhead.assess.rainflow import equivalent_range, rainflow
from panhead.assess.wear import WearLaw
from panhead.desk.evidence.curves import NO_HISTORY, require_contact
from panhead.errors import ModelError, require_not_negative, require_positive
from panhead.files.units import Amperes, Dimensionless, Metres, Pascals, SquareMetres

if TYPE_CHECKING:
    import xarray as xr


@dataclass(frozen=True, slots=True, kw_only=True)
class DropperFatigue:
    """Fatigue strength of a dropper rope: N = cycles · (category/Δσ)^slope, Miner's rule.

    The defaults are a rope of bronze of 10 mm² taken as a spiral strand of EN 1993-1-11 (category 150 MPa at 2·10⁶
    cycles, slope 4; recalled): an assumption, since that text is for steel. Bending of a slack dropper at
    its clamp, which breaks most of them, is not included; the number of slackenings is reported beside it.
    """

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    area: SquareMetres = 10e-6  #: metallic cross-section of the rope
    category: Pascals = 150e6  #: stress range endured for ``cycles``
    cycles: Dimensionless = 2e6  #: number of cycles at ``category``
    slope: Dimensionless = 4.0  #: exponent of the fatigue curve

    def __post_init__(self) -> None:
        require_positive(self, "area", "category", "cycles", "slope")

    def passages(self, equivalent: np.ndarray) -> np.ndarray:
        """Train passages to failure, from equivalent force ranges per passage (n,) [N]; inf: unlimited."""
        stress = np.asarray(equivalent, float) / self.area
        with np.errstate(divide="ignore"):
            return np.asarray(self.cycles * (self.category / stress) ** self.slope)


@dataclass(frozen=True, slots=True, kw_only=True)
class Upkeep:
    """Fatigue and wear laws (kind of file "upkeep")."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    current: Amperes = 300.0  #: through each pantograph, rms
    cell: Metres = 1.0  #: of the wire, over which wear is averaged
    wear: WearLaw = field(default_factory=WearLaw)
    dropper: DropperFatigue = field(default_factory=DropperFatigue)
    sources: tuple[str, ...] = ()  #: where the numbers come from

    def __post_init__(self) -> None:
        require_not_negative(self, "current")
        require_positive(self, "cell")


@dataclass(frozen=True, slots=True)
class DropperLife:
    """One dropper in one passage of the train."""

    name: str
    place: float  #: [m]
    cycles: float  #: counted by rainflow
    largest: float  #: range of force [N]
    equivalent: float  #: range of one cycle that does the same damage [N]
    passages: float  #: until Miner's sum is 1
    slackenings: int


def dropper_lives(one: xr.Dataset, law: DropperFatigue) -> list[DropperLife]:
    """Droppers of the assessed section, shortest life first."""
    require_contact(one, "maintain")
    if "dropper_force" not in one:
        raise ModelError(f"maintain: the result has no 'dropper_force', {NO_HISTORY}")
    x, names = one["dropper_x"].to_numpy(), one["dropper_name"].to_numpy()
    begin, end = judged_places(one)
    slack = one["slack_dropper"].to_numpy() if "slack_dropper" in one else np.zeros(0)
    lives = []
    for k in np.flatnonzero((x >= begin) & (x <= end)):
        ranges, counts = rainflow(one["dropper_force"].to_numpy()[:, k])
        same = equivalent_range(ranges, counts, law.slope)
        life = float(law.passages(np.array([same]))[0])
        most = float(ranges.max(initial=0.0))
        lives.append(
            DropperLife(str(names[k]), float(x[k]), float(counts.sum()), most, same, life, int((slack == k).sum()))
        )
    return sorted(lives, key=lambda life: life.passages)


def missed_range(one: xr.Dataset) -> float:
    """Largest share of a dropper's force range (maximum − minimum over all steps) that stored samples miss."""
    kept = np.ptp(one["dropper_force"].to_numpy(), axis=0)
    whole = (one["dropper_max_force"] - one["dropper_min_force"]).to_numpy()
    return float((1.0 - np.divide(kept, whole, out=np.ones_like(whole), where=whole > 1.0)).max(initial=0.0))


def judged_places(one: xr.Dataset) -> tuple[float, float]:
    """First and last position at which the first pantograph is assessed [m]."""
    begin, end = judged_window(one.isel(pantograph=0))
    return tuple(float(v) for v in np.interp([begin, end], one["time"], one["contact_x"].to_numpy()[0]))  # type: ignore[return-value]


def wear_along(one: xr.Dataset, upkeep: Upkeep) -> tuple[np.ndarray, np.ndarray]:
    """Middles of the cells (n,) [m] of the assessed section, wear index (n,) of one passage of all pantographs."""
    begin, end = judged_places(one)
    edges = np.arange(begin, end + 0.5 * upkeep.cell, upkeep.cell)
    if edges.size < 2:
        raise ModelError(
            f"maintain: the assessed section of {end - begin:.3g} m is shorter than a cell of {upkeep.cell:g} m"
        )
    total = np.zeros(edges.size - 1)
    speed = one["speed_of_train"].to_numpy() if "speed_of_train" in one else float(one.attrs["speed"])
    for x, force in zip(one["contact_x"].to_numpy(), one["contact_force"].to_numpy(), strict=True):
        index = upkeep.wear.index(force, upkeep.current, np.broadcast_to(speed, force.shape))
        counts, sums = np.histogram(x, edges)[0], np.histogram(x, edges, weights=index)[0]
        total += np.divide(sums, counts, out=np.zeros(counts.size), where=counts > 0)
    return 0.5 * (edges[:-1] + edges[1:]), total


@dataclass(frozen=True, slots=True)
class UpliftRoom:
    """The largest uplift at one support beside the room for it."""

    name: str
    place: float  #: [m]
    uplift: float  #: [m]
    room: float | None  #: [m]; None: the line does not say

    @property
    def factor(self) -> float | None:
        """Uplift space over uplift; EN 50119 requires 2 (recalled), 1.5 with an uplift stop."""
        return None if self.room is None or self.uplift <= 0 else self.room / self.uplift


def uplift_rooms(one: xr.Dataset) -> list[UpliftRoom]:
    """Every assessed support, the one with the largest uplift first."""
    if "support_uplift" not in one:
        return []
    room = one.attrs.get("uplift_space")
    judged = one["support_judged"].to_numpy() > 0
    columns = (one[name].to_numpy()[judged] for name in ("support_name", "support_x", "support_uplift"))
    found = [
        UpliftRoom(str(n), float(x), float(u), None if room is None else float(room))
        for n, x, u in zip(*columns, strict=True)
    ]
    return sorted(found, key=lambda support: -support.uplift)
