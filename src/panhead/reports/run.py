"""The page of a run under an overhead line: the verdict, then a section for whatever the result holds.

It reads what ``panhead.runs.simulate`` writes (SI units); only time, contact_force, contact_x and the judgement are
needed. With variants the contact force is drawn of all, the line and its animation of the first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from panhead.files.variants import separate
from panhead.reports import judgement, run_animation, run_force, run_line, run_pantograph, run_vehicle, series
from panhead.reports.page import Block, Page, PageVerdict, page_with
from panhead.reports.words import brief, origin

if TYPE_CHECKING:
    import xarray as xr


def page(dataset: xr.Dataset) -> Page:
    """The report of one run of the scenario kind ``run``."""
    found, results = judgement.entries(dataset), separate(dataset)
    name, first = next(iter(results.items()))
    ways = run_force.passages(dataset, found)
    of_first = f", ‘{name}’" if len(results) > 1 else ""
    sections: dict[str, Sequence[Block | None]] = {
        "Judgement": judgement.tables(dataset, found),
        "Contact force": run_force.pictures(ways, _limit(found, "actual_max")),
        "Vehicle": run_vehicle.vehicle(ways),
        "Effort of the actuator": [*run_pantograph.effort(ways), *run_pantograph.law_numbers(results)],
        "Pantograph": [
            *run_pantograph.head_motion(ways),
            *run_pantograph.contact_point(ways),
            *run_pantograph.strips(ways),
        ],
        "How the members deform": run_pantograph.deformations(results),
        f"Overhead line{of_first}": [
            *run_line.pictures(first, _limit(found, "uplift")),
            *run_line.dropper_table(results),
        ],
        f"Animation{of_first}": run_animation.animations(ways[0]),
        f"Energy{of_first}": series.energies(first),
        "Can the numbers be trusted?": run_pantograph.trust(results),
        "About this run": origin(dataset),
    }
    title = str(dataset.attrs.get("title", "Run under an overhead line"))
    return page_with(title, _subtitle(first), _verdict(dataset, found), sections)


def _limit(found: Sequence[judgement.Entry], key: str) -> float | None:
    return next((c.limit for c in found[0].criteria if c.key == key), None)


def _subtitle(first: xr.Dataset) -> str:
    about = str(first.attrs.get("about", ""))
    speed = f"{brief(3.6 * float(first.attrs['speed']))} km/h"
    count = first.sizes["pantograph"]
    carried = "one pantograph" if count == 1 else f"{count} pantographs"
    told = [about, "" if "km/h" in about else speed, carried]
    return " · ".join(text for text in told if text)


def _verdict(dataset: xr.Dataset, found: Sequence[judgement.Entry]) -> PageVerdict:
    """The judge's, unless the vehicle below left the track."""
    verdict = judgement.headline(dataset, found)
    for name, one in separate(dataset).items():
        if "ride_outcome" not in one:
            continue
        outcome, message = str(one["ride_outcome"].item()), one["ride_outcome"].attrs["long_name"]
        told = f"The vehicle's ride{f' ({name})' if name else ''}: {outcome}; {message}."
        if outcome == "on the track":
            verdict = replace(verdict, details=[*verdict.details, told])
        else:
            verdict = PageVerdict("bad", told, [verdict.sentence, *verdict.details])
    return verdict
