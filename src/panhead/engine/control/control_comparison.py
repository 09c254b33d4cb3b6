"""Compare a force with and without control: change of mean, reduction of standard deviation, published values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, final

if TYPE_CHECKING:
    import xarray as xr


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Mean and standard deviation of one output, without and with control."""

    label: str
    unit: str
    uncontrolled: tuple[float, float]  #: mean, deviation
    controlled: tuple[float, float]  #: mean, deviation

    @property
    def moved(self) -> float:
        """Change of the mean, in % of the uncontrolled mean."""
        before, after = self.uncontrolled[0], self.controlled[0]
        return 100 * abs(after - before) / abs(before)

    @property
    def cut(self) -> float:
        """Reduction of the standard deviation, in %."""
        return 100 * (1 - self.controlled[1] / self.uncontrolled[1])


def our_numbers(result: xr.Dataset) -> Comparison:
    """Computed values over the whole run, of the output named by the attribute ``our_numbers``."""
    name = str(result.attrs["judged"])
    without, controlled = result[f"uncontrolled_{name}"], result[name]
    return Comparison(
        label=str(controlled.attrs["long_name"]),
        unit=str(controlled.attrs["units"]),
        uncontrolled=(float(without.mean()), float(without.std())),
        controlled=(float(controlled.mean()), float(controlled.std())),
    )


def printed_numbers(result: xr.Dataset) -> Comparison | None:
    """Published values that a scenario carries, if it does."""
    if "published" not in result.attrs:
        return None
    (m0, s0), (m1, s1) = (result.attrs[f"published_{which}"] for which in ("uncontrolled", "controlled"))
    return Comparison(
        label=str(result.attrs["published"]),
        unit="",
        uncontrolled=(float(m0), float(s0)),
        controlled=(float(m1), float(s1)),
    )
