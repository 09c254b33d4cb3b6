"""Tables of a route: the work order, and the parts with what they cost."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from panhead.desk.sheets.table_rows import DeskTable, TableColumn

One = Mapping[str, Any]  #: assessment of one tension length


def merged_repairs(found: Iterable[One]) -> list[Mapping[str, Any]]:
    """Items of all lists in the order of chainage, each part once: of two lists the larger change."""
    items: dict[str, dict[str, Any]] = {}
    for one in found:
        for item in one["repairs"]:
            label, own = item["part"]["label"], item["part"]["name"].startswith(one["name"])
            old = items.get(label)
            length = one["name"] if own or old is None else old["length"]
            kept = item if old is None or abs(item["change"]) > abs(old["change"]) else old
            items[label] = {**kept, "length": length}
    return sorted(items.values(), key=lambda item: item["part"]["x"])


def work_order(found: Sequence[One]) -> DeskTable:
    """The work order as a table, in the order of chainage."""
    columns = [
        TableColumn("item"), TableColumn("tension length"), TableColumn("part"), TableColumn("kind"),
        TableColumn("chainage", "m", 2), TableColumn("drawn", "SI", 4), TableColumn("deviation", "SI", 4),
        TableColumn("standard deviation", "SI", 4), TableColumn("work"), TableColumn("steps"),
        TableColumn("change", "SI", 4), TableColumn("cost", "", 2), TableColumn("do"),
    ]  # fmt: skip
    rows = []
    for k, item in enumerate(merged_repairs(found), 1):
        part = item["part"]
        rows.append([
            k, item["length"], part["label"], part["kind"], part["x"], part["drawn"], part["deviation"], part["spread"],
            item["work"], item["steps"], item["change"], item["cost"], item["words"],
        ])  # fmt: skip
    return DeskTable("work order", columns, rows)


def culprits(found: Sequence[One]) -> DeskTable:
    """Every named or costly part with its shares, as a table."""
    units = {"deviation": "N", "actual_max": "N", "actual_min": "N", "uplift": "m", "contact_loss": "1"}
    titles = {"deviation": "share of σ", "actual_max": "share of the largest force", "uplift": "share of the uplift",
              "actual_min": "share of the least force", "contact_loss": "share of the losses"}  # fmt: skip
    columns = [
        TableColumn("tension length"), TableColumn("part"), TableColumn("kind"), TableColumn("chainage", "m", 2),
        TableColumn("deviation", "SI", 5), TableColumn("standard deviation", "SI", 5), TableColumn("named"),
        *(TableColumn(titles[q], unit, 5) for q, unit in units.items()), TableColumn("by"),
    ]  # fmt: skip
    rows = []
    for one in found:
        for c in one["culprits"]:
            part = c["part"]
            shares = [c["share"].get(q) for q in units]
            rows.append([
                one["name"], part["label"], part["kind"], part["x"], part["deviation"], part["spread"],
                "yes" if part["alarm"] else None, *shares, c["by"],
            ])  # fmt: skip
    return DeskTable("culprits", columns, rows)
