"""Outcome of the vehicle below a run, as far as the verdict depends on it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from panhead.assess.criteria import Verdict
from panhead.files.variants import separate

if TYPE_CHECKING:
    import xarray as xr

_ON_TRACK: Final = "on the track"
_LIFTED: Final = "a wheel lifted"  # the vehicle runs on; every other outcome ends its run


def ride_warnings(dataset: xr.Dataset) -> list[str]:
    """One sentence for each variant whose vehicle did not stay on the track with all wheels."""
    return [
        f"Vehicle{f' (‘{variant}’)' if variant else ''}: {outcome}; {message}."
        for variant, outcome, message in _outcomes(dataset)
        if outcome != _ON_TRACK
    ]


def verdict_of_ride(dataset: xr.Dataset, verdict: Verdict) -> Verdict:
    """The verdict on the contact force, which cannot be "met" where the vehicle did not arrive.

    A vehicle that derailed, left its track or could not be computed leaves the roof's motion after that unknown.
    """
    ended = any(outcome not in (_ON_TRACK, _LIFTED) for _, outcome, _ in _outcomes(dataset))
    return "undecided" if verdict == "met" and ended else verdict


def _outcomes(dataset: xr.Dataset) -> Iterator[tuple[str, str, str]]:
    """Variant, outcome and message of every vehicle."""
    for variant, one in separate(dataset).items():
        if "ride_outcome" in one:
            found = one["ride_outcome"]
            yield variant, str(found.item()), str(found.attrs.get("long_name", ""))
