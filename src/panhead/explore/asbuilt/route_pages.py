"""Pages of a route as built: one for the manager (map by chainage), one for the crew (work order with marks)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from panhead.desk.drawing.figures import BLUE, GREY, ORANGE, RED, Chart, chart
from panhead.desk.reports.page import Block, Mood, Page, PageList, PageTable, PageVerdict, Picture, page_with
from panhead.explore.asbuilt.route_tables import merged_repairs, work_order

One = Mapping[str, Any]  #: assessment of one tension length
_LISTED: Final = 40  # rows of a table on the manager's page
_SHOWN: Final = 0.005  # share of σ or uplift below which a part that is not named is left to the table
_TITLES: Final = {"deviation": "σ", "actual_max": "largest force", "actual_min": "least force", "uplift": "uplift"}


def manager_page(name: str, found: Sequence[One], wanted: float, currency: str) -> Page:
    """The route at a glance: where it does not comply, why, and what it takes."""
    bad = [one for one in found if not complies(one, wanted)]
    short = [one for one in bad if not mended(one)]
    sentence = (
        f"{len(bad)} of {len(found)} tension lengths do not comply with {100 * wanted:.0f} % probability"
        if bad
        else f"All {len(found)} tension lengths comply with at least {100 * wanted:.0f} % probability"
    )
    mood: Mood = "bad" if short else "warning" if bad else "good"
    sections: dict[str, list[Block | None]] = {
        "Where it matters": [
            Picture(
                "route", "Probability of non-compliance and σ along the route", route_chart(found, wanted),
                "Red: a tension length that does not comply with the probability asked for; orange: a part that costs "
                "more than 2 % of σ or uplift.",
            ),
            _lengths_table(found, wanted),
        ],
        "What it comes from": [_culprit_table(found)],
        "Geometry and dynamics": [_worlds_table(found)],
        "Readings": [_notes_list(found)],
    }  # fmt: skip
    km = f"km {found[0]['begin'] / 1e3:.3f} to {found[-1]['end'] / 1e3:.3f}" if found else ""
    details = _details(found, bad, short, wanted, currency)
    return page_with(name, f"As built, {km}", PageVerdict(mood, sentence, details), sections)


def _details(
    found: Sequence[One], bad: Sequence[One], short: Sequence[One], wanted: float, currency: str
) -> list[str]:  # fmt: skip
    """What is broken, what mends it, and what nothing mends."""
    order = merged_repairs(found)
    if not bad:
        return ["No adjustment is needed"]
    only = sum(one["probability"] <= 1.0 - wanted for one in bad)
    told = [f"{len(bad) - only} by the run of the train, {only} by geometry limits only"]
    if order:
        cost = sum(item["cost"] for item in order)
        mends = _plural(len(bad) - len(short), "tension length")
        told.append(f"{_plural(len(order), 'adjustment')}, {cost:.1f} {currency}, bring {mends} back within limits")
    for one in short[:_LISTED]:
        told.append(f"{one['name']} is not brought back: {why_not(one)}")
    return told


def _plural(n: int, what: str) -> str:
    return f"{n} {what}{'' if n == 1 else 's'}"


def complies(one: One, wanted: float) -> bool:
    """True if a tension length is within limits as built."""
    return bool(one["probability"] <= 1.0 - wanted and not one["geometry"])


def mended(one: One) -> bool:
    """True if a tension length is within limits in the run and the geometry with all repairs done."""
    after = one["verified"]
    return not after["geometry"] and all(limit["margin"] >= 0.0 for limit in after["passage"]["limits"])


def why_not(one: One) -> str:
    """Why a tension length is beyond limits after all repairs."""
    if one["repair_notes"]:
        return "; ".join(one["repair_notes"])
    broken = [limit["words"] for limit in one["verified"]["passage"]["limits"] if limit["margin"] < 0.0]
    return "; ".join([*broken, *map(_beyond, one["verified"]["geometry"][:2])])


def _beyond(finding: Mapping[str, Any]) -> str:
    what = finding["quantity"].replace("_", " ")
    return (
        f"{what} {1e3 * finding['value']:.0f} mm at {finding['label']} ({finding['level']} limit "
        f"{1e3 * finding['limit']:.0f} mm): no part near it is certainly off"
    )


def broken_text(one: One) -> str:
    """What a tension length breaks as built."""
    broken = [limit["words"] for limit in one["built"]["limits"] if limit["margin"] < 0.0]
    places = f"geometry at {_plural(len(one['geometry']), 'place')}" if one["geometry"] else ""
    return "; ".join([*broken, *([places] if places else [])]) or "–"


def route_chart(found: Sequence[One], wanted: float) -> Chart:
    """Probability and σ of every tension length over chainage, and the parts that cost most."""
    drawing, (chance, sigma, parts) = chart(110, 130, 130)
    for good, color, label in ((True, BLUE, "complies"), (False, RED, "does not comply")):
        mine = [one for one in found if complies(one, wanted) is good]
        if mine:
            x, y = _bars(mine, lambda one: 100.0 * one["probability"])
            chance.curve(x, y, label, color=color, width=5.0, thin=False)
            x, y = _bars(mine, lambda one: one["built"]["values"]["deviation"])
            sigma.curve(x, y, f"as built, {label}", color=color, width=4.0, thin=False)
    x, y = _bars(found, lambda one: one["drawn"]["values"]["deviation"])
    sigma.curve(x, y, "as drawn", color=GREY, width=1.5, thin=False)
    chance.rule(f"{100 * (1 - wanted):.0f} %", y=100.0 * (1.0 - wanted))
    costly = [(c["part"]["x"] / 1e3, 100 * c["relative"]) for one in found for c in one["culprits"]]
    for low, high, color, label in ((0.0, 2.0, GREY, "below 2 %"), (2.0, np.inf, ORANGE, "part that costs over 2 %")):
        mine_ = [(a, b) for a, b in costly if low <= b < high]
        if mine_:
            at, up = np.array(mine_).T
            parts.bars(at, 0.0, up, label, color=color, width=2.0)
    chance.name("", "non-compliance (%)")
    chance.y_limits = (-3.0, 103.0)
    sigma.name("", "σ (N)")
    parts.name("chainage (km)", "share of σ or uplift (%)")
    return drawing


def _bars(found: Sequence[One], value: Any) -> tuple[np.ndarray, np.ndarray]:
    """Level lines, one for each tension length, with gaps between them."""
    x = np.array([[one["begin"] / 1e3, one["end"] / 1e3, np.nan] for one in found]).ravel()
    y = np.array([[value(one), value(one), np.nan] for one in found]).ravel()
    return x, y


def _lengths_table(found: Sequence[One], wanted: float) -> PageTable:
    rows: list[list[str]] = []
    moods: list[Mood] = []
    for one in sorted(found, key=lambda one: (complies(one, wanted), -one["probability"]))[:_LISTED]:
        drawn, built = one["drawn"]["values"], one["built"]["values"]
        after = one["verified"]["passage"]["values"]
        rows.append([
            one["name"], f"{one['begin'] / 1e3:.3f}", f"{100 * one['probability']:.0f} %", broken_text(one),
            f"{drawn['deviation']:.1f}", f"{built['deviation']:.1f}", f"{after['deviation']:.1f}",
            f"{1e3 * built['uplift']:.0f}", str(len(one["repairs"])), "yes" if mended(one) else "no",
        ])  # fmt: skip
        moods.append("good" if complies(one, wanted) else "warning" if mended(one) else "bad")
    heads = ["tension length", "km", "non-compliance", "broken", "σ drawn (N)", "σ built (N)", "σ repaired (N)",
             "uplift (mm)", "repairs", "within limits after"]  # fmt: skip
    return PageTable("Tension lengths, worst first", heads, rows, moods)


def _culprit_table(found: Sequence[One]) -> PageTable:
    pairs = [(c, one) for one in found for c in one["culprits"] if c["part"]["alarm"] or c["relative"] > _SHOWN]
    every = sorted(pairs, key=lambda pair: -pair[0]["relative"])
    rows = []
    for c, one in every[:_LISTED]:
        part, base = c["part"], one["drawn"]["values"]
        shares = [c["share"].get(q, 0.0) for q in ("deviation", "actual_max", "actual_min", "uplift", "contact_loss")]
        rows.append([
            part["label"], f"{part['x'] / 1e3:.3f}", off_text(part), f"{100 * shares[0] / base['deviation']:+.1f} %",
            f"{shares[1]:+.1f}", f"{shares[2]:+.1f}", f"{1e3 * shares[3]:+.1f}", f"{100 * shares[4]:+.2f} %", c["by"],
        ])  # fmt: skip
    heads = [
        "part",
        "km",
        "off by",
        "share of σ",
        "largest force (N)",
        "least force (N)",
        "uplift (mm)",
        "losses",
        "by",
    ]
    return PageTable("Parts by what they cost at line speed", heads, rows)


def off_text(part: Mapping[str, Any]) -> str:
    """Deviation with its standard deviation."""
    slack = ", slack" if part["slack"] else ""
    if part["kind"].endswith("tension"):
        share = 100.0 / part["drawn"]
        return f"{share * part['deviation']:+.1f} ± {share * part['spread']:.1f} %"
    return f"{1e3 * part['deviation']:+.0f} ± {1e3 * part['spread']:.0f} mm{slack}"


def _worlds_table(found: Sequence[One]) -> PageTable | None:
    words = {
        "geometry only": "beyond a geometry limit, costs less than 2 %",
        "dynamics only": "within geometry limits, costs more than 2 %",
        "both": "both",
    }
    rows = [
        [one["name"], words[kind], ", ".join(one["worlds"][kind][:8]) + (" …" if len(one["worlds"][kind]) > 8 else "")]
        for kind in words
        for one in found
        if one["worlds"][kind]
    ]
    return PageTable("What each world sees", ["tension length", "", "parts"], rows) if rows else None


def _notes_list(found: Sequence[One]) -> PageList | None:
    told = list(dict.fromkeys(f"{one['name']}: {note}" for one in found for note in one["notes"]))
    return PageList("What the readings had, and what they cannot tell", told[:_LISTED]) if told else None


def crew_page(name: str, found: Sequence[One], currency: str) -> Page:
    """What to do, where, in the order of chainage; and what is gained by the first items."""
    order = work_order(found)
    numbers = {item["part"]["label"]: k for k, item in enumerate(merged_repairs(found), 1)}
    count, cost = len(order.rows), sum(item["cost"] for item in merged_repairs(found))
    sections: dict[str, list[Any]] = {"Work order": [_order_table(found)] if count else ["No adjustment is needed."]}
    for number, one in enumerate(o for o in found if o["repairs"]):  # each with the work that it needs
        sections[one["name"]] = [
            Picture(
                f"work-{number + 1}",
                f"{one['name']}: where",
                work_chart(one, numbers),
                "Marks: items of the work order.",
            ),
            _gain_table(one, numbers),
            *(PageList("Note", one["repair_notes"]) for _ in one["repair_notes"][:1]),
        ]
    verdict = PageVerdict("neutral", f"{_plural(count, 'adjustment')}, {cost:.1f} {currency}")
    return page_with(f"{name}: work order", "In the order of chainage", verdict, sections)


def _order_table(found: Sequence[One]) -> PageTable:
    rows = [
        [
            str(k),
            item["length"],
            item["part"]["label"],
            f"{item['part']['x'] / 1e3:.3f}",
            off_text(item["part"]),
            item["words"],
        ]
        for k, item in enumerate(merged_repairs(found), 1)
    ]
    heads = ["item", "tension length", "part", "km", "found off by", "do"]
    return PageTable("Adjustments by chainage", heads, rows)


def _gain_table(one: One, numbers: Mapping[str, int]) -> PageTable:
    rows = [["none", *_values(one["built"])]]
    rows += [[f"first {after['count']}", *_values(after)] for after in one["after"]]
    heads = ["items done", *(f"{_TITLES[q]} ({'mm' if q == 'uplift' else 'N'})" for q in _TITLES)]
    labels = [item["part"]["label"] for item in one["repairs"]]
    items = "In this order: " + "; ".join(f"item {numbers[label]}, {label}" for label in labels)
    return PageTable("What the first items gain, by runs", heads, rows, note=items)


def _values(passage: One) -> list[str]:
    return [f"{(1e3 if q == 'uplift' else 1.0) * passage['values'][q]:.1f}" for q in _TITLES]


def work_chart(one: One, numbers: Mapping[str, int]) -> Chart:
    """Height of the contact wire at droppers and supports, as drawn and as found, with marks where work is done."""
    drawing, (panel,) = chart(150)
    x, drawn, level = np.array(one["profile"]).T
    panel.curve(x / 1e3, drawn, "as drawn", color=GREY, width=1.2, dot=1.5)
    panel.curve(x / 1e3, level, "as found", color=BLUE, width=1.5, dot=1.5)
    marks = [item["part"] for item in one["repairs"]]
    panel.dots(
        np.array([p["x"] / 1e3 for p in marks]), np.array([p["level"] for p in marks]), "adjust", color=RED, size=5.0
    )
    panel.names = [(p["x"] / 1e3, str(numbers[p["label"]])) for p in marks]
    panel.name("chainage (km)", "contact wire (m)")
    return drawing
