"""Report page of a pantograph run under an overhead line: verdict and summary, then one section per topic.

It reads what ``panhead.runs.simulate`` writes (SI units); only time, contact_force, contact_x and the judgement are
needed. With variants the contact force is drawn of all, line, animation and energy of the first three.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from panhead.assess.number_text import brief, unit_text
from panhead.assess.ride_outcome import ride_warnings
from panhead.desk.reports import (
    judgement,
    run_actuator_bound,
    run_animation,
    run_attribution,
    run_force,
    run_line,
    run_pantograph,
    run_summary,
    series,
)
from panhead.desk.reports.page import Block, Page, PageTable, PageVerdict, Picture, origin, page_with
from panhead.files.variants import separate

if TYPE_CHECKING:
    import xarray as xr

_SHOWN: Final = 3  # variants of which line, animation and energy are drawn
#: a field of an item of a list, or of one of the wires
_LISTED: Final = re.compile(r"(?P<of>.*wires)\.(contact|messenger|auxiliary|stitch\.wire)\.(\w+)|(.+)\.(\d+)\.(\w+)")
#: sections that a reader opens: long, or seldom read
_FOLDED: Final = (
    "Pantograph",
    "Deformation of flexible members",
    "Energy",
    "Numerical checks",
    "Inputs",
    "About this run",
)
Inventory = dict[str, list[list[Any]]]  #: part → path, value, unit of every input


def page(dataset: xr.Dataset) -> Page:
    """The report of one run of the scenario kind ``run``."""
    if "criteria" not in dataset.attrs and _failures(dataset):
        return _failed_run(dataset)
    found, results = judgement.entries(dataset), separate(dataset)
    ways = run_force.passages(dataset, found)
    shown = dict(list(results.items())[:_SHOWN])
    sections: dict[str, Sequence[Block | None]] = {
        "Summary": run_summary.blocks(found, ways, results, _limit(found, "actual_max")),
        "Assessment": judgement.tables(dataset, found),
        "Best possible actuator force": run_actuator_bound.blocks(dataset, found),
        "Contact force": run_force.pictures(ways),
        "Causes of force peaks": _per_variant(shown, run_attribution.blocks),
        "Vehicle": run_pantograph.vehicle(ways),
        "Actuator effort": [*run_pantograph.effort(ways), *run_pantograph.law_numbers(results)],
        "Pantograph": [
            *run_pantograph.head_motion(ways),
            *run_pantograph.contact_point(ways),
            *run_pantograph.strips(ways),
        ],
        "Deformation of flexible members": run_pantograph.deformations(results),
        "Overhead line": [
            *_per_variant(shown, lambda one: run_line.pictures(one, _limit(found, "uplift"))),
            *run_line.dropper_table(results),
        ],
        "Animation": [
            block for name in shown for block in run_animation.animations([w for w in ways if w.variant == name])
        ],
        "Energy": _per_variant(shown, series.energies),
        "Numerical checks": run_pantograph.trust(results),
        "Inputs": [*_inputs(results), *run_line.cut_droppers(next(iter(results.values())))],
        "About this run": origin(dataset),
    }
    title = str(dataset.attrs.get("title", "Run under an overhead line"))
    return page_with(title, _subtitle(next(iter(results.values()))), _verdict(dataset, found), sections, _FOLDED)


def _failures(dataset: xr.Dataset) -> list[str]:
    return [str(one.attrs["failure"]) for one in separate(dataset).values() if "failure" in one.attrs]


def _failed_run(dataset: xr.Dataset) -> Page:
    """Page of a failed run: the reason, the force up to the failure, the inputs; nothing is assessed."""
    results = separate(dataset)
    sections: dict[str, Sequence[Block | None]] = {
        "Contact force": _per_variant(results, run_force.unjudged_force),
        "Overhead line": _per_variant(results, lambda one: run_line.pictures(one, None)),
        "Inputs": _inputs(results),
        "About this run": origin(dataset),
    }
    verdict = PageVerdict("bad", f"The run failed and was not assessed: {'; '.join(_failures(dataset))}.")
    title = str(dataset.attrs.get("title", "Run under an overhead line"))
    return page_with(title, _subtitle(next(iter(results.values()))), verdict, sections)


def _per_variant(
    results: dict[str, xr.Dataset], blocks: Callable[[xr.Dataset], Sequence[Block | None]]
) -> list[Block | None]:
    """Blocks of several variants, titled with their names; pictures of the first keep their file names."""
    found: list[Block | None] = []
    for k, (variant, one) in enumerate(results.items()):
        for block in blocks(one):
            if variant and isinstance(block, Picture):
                stem = f"{block.name}_{k + 1}" if k else block.name
                block = replace(block, name=stem, title=f"{block.title}, {variant}")
            elif variant and isinstance(block, PageTable):
                block = replace(block, title=f"{block.title}, {variant}")
            found.append(f"{variant}: {block}" if variant and isinstance(block, str) else block)
    return found


def _inputs(results: dict[str, xr.Dataset]) -> list[Block]:
    """Inputs of the first variant, and the changes of the others."""
    every = {name: json.loads(str(one.attrs.get("inventory", "{}"))) for name, one in results.items()}
    first, *others = every
    blocks: list[Block] = [block for part, rows in every[first].items() for block in _inputs_tables(part, rows)]
    changed = [row for name in others for row in input_changes(every[first], every[name], name)]
    note = f"All other inputs are those of ‘{first}’, listed above."
    if changed:
        headings = ["Variant", "Part", "Input", f"{first}", "here", "Unit"]
        blocks.append(PageTable("Inputs changed by the variants", headings, changed, note=note))
    return blocks


def input_changes(first: Inventory, other: Inventory, name: str) -> Iterator[list[str]]:
    """Rows of the inputs in which a variant differs from the first."""
    for part in dict.fromkeys([*first, *other]):
        before, now = ({path: (x, unit) for path, x, unit in of.get(part, [])} for of in (first, other))
        for path in dict.fromkeys([*before, *now]):
            old, new = before.get(path, ("–", "")), now.get(path, ("–", ""))
            if old != new:
                yield [name, part, _words(path), _cell(old[0]), _cell(new[0]), unit_text(new[1] or old[1])]


def _inputs_tables(part: str, rows: Sequence[Sequence[Any]]) -> list[Block]:
    """One table of single values, and one for each list, such as stages or spans."""
    single: dict[str, list[str]] = {}
    lists: dict[str, dict[str, dict[str, tuple[Any, str]]]] = {}
    for path, value, unit in rows:
        found = _LISTED.fullmatch(path)
        if found:
            of, item, name = found.groups()[:3] if found["of"] else found.groups()[3:]
            lists.setdefault(of, {}).setdefault(_words(item), {})[name] = value, unit
        else:
            value, unit = (3.6 * value, "km/h") if path == "speed" else (value, unit)
            single[path] = [_words(path), _cell(value), unit_text(unit) if unit else ""]
    alike: dict[str, list[str]] = {}
    for of, items in lists.items():
        alike.setdefault(json.dumps(items), []).append(of)
    tables: list[Block] = []
    for of, *others in alike.values():  # with equal values, such as the droppers of equal spans
        more = f" … {_words(others[-1])}, {len(others) + 1} with the same values" if others else ""
        columns = {name: unit for fields in lists[of].values() for name, (_, unit) in fields.items()}
        heads = [f"{_words(name)} ({unit_text(unit)})" if unit else _words(name) for name, unit in columns.items()]
        cells = [
            [item, *(_cell(named[name][0]) if name in named else "–" for name in columns)]
            for item, named in lists[of].items()
        ]
        tables.append(PageTable(f"{part}: {_words(of)}{more}", ["", *heads], cells))
    return [PageTable(part, ["Input", "Value", "Unit"], list(single.values())), *tables]


def _words(path: str) -> str:
    return path.replace("_", "\u00a0").replace(".", ", ")


def _cell(value: Any) -> str:
    if isinstance(value, list):
        return "; ".join(_cell(x) for x in value) if any(isinstance(x, str) for x in value) else ", ".join(
            f"({_cell(x)})" if isinstance(x, list) else _cell(x) for x in value
        )  # fmt: skip
    if isinstance(value, bool):
        return "yes" if value else "no"
    return brief(value, 8) if isinstance(value, (int, float)) else str(value)


def _limit(found: Sequence[judgement.Entry], key: str) -> float | None:
    return next((c.limit for c in found[0].criteria if c.key == key), None)


def _subtitle(first: xr.Dataset) -> str:
    about = str(first.attrs.get("about", ""))
    speed = f"{brief(3.6 * float(first.attrs['speed']))} km/h"
    count = first.sizes["pantograph"]
    carried = "one pantograph" if count == 1 else f"{count} pantographs"
    line = str(first.attrs.get("line", ""))
    told = [about, "" if line in about else f"line {line}", "" if "km/h" in about else speed, carried]
    return " · ".join(text for text in told if text)


def _verdict(dataset: xr.Dataset, found: Sequence[judgement.Entry]) -> PageVerdict:
    """The assessment verdict; bad if a vehicle did not stay on the track with all wheels."""
    verdict = judgement.headline(dataset, found)
    for name, one in separate(dataset).items():
        if "ride_outcome" in one and str(one["ride_outcome"].item()) == "on the track":
            told = f"Vehicle{f' ({name})' if name else ''}: on the track; {one['ride_outcome'].attrs['long_name']}."
            verdict = replace(verdict, details=[*verdict.details, told])
    return replace(verdict, mood="bad") if ride_warnings(dataset) else verdict
