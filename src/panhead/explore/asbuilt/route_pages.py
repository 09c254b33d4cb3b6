"""Pages of a route as built: one for the manager (map by chainage), one for the crew (work order with marks)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from panhead.desk.drawing.figures import BLUE, GREY, ORANGE, RED, Chart, chart
from panhead.desk.reports.page import Block, Mood, Page, PageList, PageTable, PageVerdict, Picture, page_with
from panhead.desk.sheets.table_rows import DeskTable, TableColumn

One = Mapping[str, Any]  #: assessment of one tension length
_LISTED: Final = 40  # rows of a table on the manager's page
_TITLES: Final = {"deviation": "σ", "actual_max": "largest force", "actual_min": "least force", "uplift": "uplift"}


def manager_page(name: str, found: Sequence[One], wanted: float, currency: str) -> Page:
    """The route at a glance: where it does not comply, why, and what it takes."""
    bad = [one for one in found if not _complies(one, wanted)]
    cost = sum(item["cost"] for one in found for item in one["repairs"])
    count = sum(len(one["repairs"]) for one in found)
    short = [one for one in bad if not (one["repairs"] and one["enough"])]
    sentence = (
        f"{len(bad)} of {len(found)} tension lengths do not comply with {100 * wanted:.0f} % probability"
        if bad
        else f"All {len(found)} tension lengths comply with at least {100 * wanted:.0f} % probability"
    )
    mended = _plural(len(bad) - len(short), "tension length")
    mends = f"{_plural(count, 'adjustment')}, {cost:.1f} {currency}, bring {mended} back within limits"
    details = [mends if count else "No adjustment is needed"]
    if short:
        details.append(f"{', '.join(one['name'] for one in short)}: no adjustment of a crew is enough")
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
    return page_with(name, f"As built, {km}", PageVerdict(mood, sentence, details), sections)


def _plural(n: int, what: str) -> str:
    return f"{n} {what}{'' if n == 1 else 's'}"


def _complies(one: One, wanted: float) -> bool:
    return bool(one["probability"] <= 1.0 - wanted and not one["geometry"])


def route_chart(found: Sequence[One], wanted: float) -> Chart:
    """Probability and σ of every tension length over chainage, and the parts that cost most."""
    drawing, (chance, sigma, parts) = chart(110, 130, 130)
    for good, color, label in ((True, BLUE, "complies"), (False, RED, "does not comply")):
        mine = [one for one in found if _complies(one, wanted) is good]
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
    for one in sorted(found, key=lambda one: -one["probability"])[:_LISTED]:
        drawn, built = one["drawn"]["values"], one["built"]["values"]
        after = one["after"][-1]["values"]["deviation"] if one["after"] else built["deviation"]
        rows.append([
            one["name"], f"{one['begin'] / 1e3:.3f}", f"{100 * one['probability']:.0f} %",
            f"{drawn['deviation']:.1f}", f"{built['deviation']:.1f}", f"{after:.1f}",
            f"{1e3 * built['uplift']:.0f}", str(len(one["geometry"])), str(len(one["repairs"])),
            f"{100 * one['after_probability']:.0f} %",
        ])  # fmt: skip
        moods.append("good" if _complies(one, wanted) else "warning" if one["enough"] else "bad")
    heads = ["tension length", "km", "non-compliance", "σ drawn (N)", "σ built (N)", "σ repaired (N)", "uplift (mm)",
             "beyond geometry limits", "repairs", "non-compliance after"]  # fmt: skip
    return PageTable("Tension lengths, worst first", heads, rows, moods)


def _culprit_table(found: Sequence[One]) -> PageTable:
    every = sorted(((c, one) for one in found for c in one["culprits"]), key=lambda pair: -pair[0]["relative"])
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
    count, cost = len(order.rows), sum(item["cost"] for one in found for item in one["repairs"])
    sections: dict[str, list[Any]] = {"Work order": [_order_table(found)] if count else ["No adjustment is needed."]}
    for number, one in enumerate(o for o in found if o["repairs"]):
        sections[one["name"]] = [
            Picture(f"work-{number + 1}", f"{one['name']}: where", work_chart(one), "Marks: parts to adjust."),
            _gain_table(one),
            *(PageList("Note", one["repair_notes"]) for _ in one["repair_notes"][:1]),
        ]
    verdict = PageVerdict("neutral", f"{_plural(count, 'adjustment')}, {cost:.1f} {currency}")
    return page_with(f"{name}: work order", "In the order of chainage", verdict, sections)


def _order_table(found: Sequence[One]) -> PageTable:
    rows = [
        [
            str(k),
            one["name"],
            item["part"]["label"],
            f"{item['part']['x'] / 1e3:.3f}",
            off_text(item["part"]),
            item["words"],
        ]
        for k, (one, item) in enumerate(_sorted(found), 1)
    ]
    heads = ["item", "tension length", "part", "km", "found off by", "do"]
    return PageTable("Adjustments by chainage", heads, rows)


def _sorted(found: Sequence[One]) -> list[tuple[One, Mapping[str, Any]]]:
    return sorted(((one, item) for one in found for item in one["repairs"]), key=lambda pair: pair[1]["part"]["x"])


def _gain_table(one: One) -> PageTable:
    rows = [["none", *_values(one["built"])]]
    rows += [[f"first {after['count']}", *_values(after)] for after in one["after"]]
    heads = ["items done", *(f"{_TITLES[q]} ({'mm' if q == 'uplift' else 'N'})" for q in _TITLES)]
    items = "; ".join(f"{k}. {item['part']['label']}" for k, item in enumerate(one["repairs"], 1))
    return PageTable("What the first items gain, by runs", heads, rows, note=items)


def _values(passage: One) -> list[str]:
    return [f"{(1e3 if q == 'uplift' else 1.0) * passage['values'][q]:.1f}" for q in _TITLES]


def work_chart(one: One) -> Chart:
    """Height of the contact wire at droppers and supports, as drawn and as found, with marks where work is done."""
    drawing, (panel,) = chart(150)
    x, drawn, level = np.array(one["profile"]).T
    panel.curve(x / 1e3, drawn, "as drawn", color=GREY, width=1.2, dot=1.5)
    panel.curve(x / 1e3, level, "as found", color=BLUE, width=1.5, dot=1.5)
    marks = [item["part"] for item in one["repairs"]]
    panel.dots(
        np.array([p["x"] / 1e3 for p in marks]), np.array([p["level"] for p in marks]), "adjust", color=RED, size=5.0
    )
    panel.names = [(p["x"] / 1e3, str(k)) for k, p in enumerate(marks, 1)]
    panel.name("chainage (km)", "contact wire (m)")
    return drawing


def work_order(found: Sequence[One]) -> DeskTable:
    """The work order as a table, in the order of chainage."""
    columns = [
        TableColumn("item"), TableColumn("tension length"), TableColumn("part"), TableColumn("kind"),
        TableColumn("chainage", "m", 2), TableColumn("drawn", "SI", 4), TableColumn("deviation", "SI", 4),
        TableColumn("standard deviation", "SI", 4), TableColumn("work"), TableColumn("steps"),
        TableColumn("change", "SI", 4), TableColumn("cost", "", 2), TableColumn("do"),
    ]  # fmt: skip
    rows = []
    for k, (one, item) in enumerate(_sorted(found), 1):
        part = item["part"]
        rows.append([
            k, one["name"], part["label"], part["kind"], part["x"], part["drawn"], part["deviation"], part["spread"],
            item["work"], item["steps"], item["change"], item["cost"], item["words"],
        ])  # fmt: skip
    return DeskTable("work order", columns, rows)


def culprits(found: Sequence[One]) -> DeskTable:
    """Every named or costly part with its shares, as a table."""
    quantities = ("deviation", "actual_max", "actual_min", "uplift", "contact_loss")
    columns = [
        TableColumn("tension length"), TableColumn("part"), TableColumn("kind"), TableColumn("chainage", "m", 2),
        TableColumn("deviation", "SI", 5), TableColumn("standard deviation", "SI", 5), TableColumn("named"),
        *(TableColumn(q, "SI", 5) for q in quantities), TableColumn("by"),
    ]  # fmt: skip
    rows = []
    for one in found:
        for c in one["culprits"]:
            part = c["part"]
            shares = [c["share"].get(q) for q in quantities]
            rows.append([
                one["name"], part["label"], part["kind"], part["x"], part["deviation"], part["spread"],
                "yes" if part["alarm"] else None, *shares, c["by"],
            ])  # fmt: skip
    return DeskTable("culprits", columns, rows)
