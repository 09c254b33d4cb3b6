"""Designs, predictions, highest speeds and limits on a page: lines ``<!-- … -->`` become tables of the shipped data."""

import json
from pathlib import Path

from panhead.assess import limits
from panhead.assess.limits_overview import core_gaps, overview_rows
from panhead.railway.line.line_design import read_design, shipped_designs
from panhead.validation.declared_values.uplift_runs import stored_predictions

SPEEDS = Path(__file__).parents[1] / "catalogue.json"


def designs():
    """Every design with its wires and what of it is assumed."""
    rows = [
        "| design | supply | line speed | contact wires | messenger | spans | assumed |",
        "|---|---|---|---|---|---|---|",
    ]
    for name in shipped_designs():
        d = read_design(name)
        contact = f"{d.contact_count} × {d.contact.wire}, {d.contact.tension / 1e3:g} kN"
        messenger = f"{d.messenger.wire}, {d.messenger.tension / 1e3:g} kN" + (", stitched" if d.stitch else "")
        assumed = sorted({path.split(".")[0].replace("_", " ") for path in d.assumptions()})
        spans = f"{d.shortest_span:g}–{d.longest_span:g} m"
        cells = (name, d.supply, f"{3.6 * d.line_speed:.0f} km/h", contact, messenger, spans, ", ".join(assumed))
        rows.append("| " + " | ".join(cells) + " |")
    return "\n".join(rows)


def predictions():
    """Uplift of every certified line: declared, computed, spread."""
    heads = ("line", "declared S₀", "computed", "two pantographs", "one contact wire", "spread", "S₀ in the spread")
    rows = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    for name, found in stored_predictions().items():
        declared = read_design(name).declared
        s0 = None if declared is None or declared.uplift is None else 1e3 * declared.uplift
        low, high = found["spread"]
        inside = "" if s0 is None else "inside" if low <= s0 <= high else "outside"
        one = f"{found['one wire']:g}" if "one wire" in found else ""
        cells = (name, "not public" if s0 is None else f"{s0:.0f}", f"{found['one pantograph']:g}",
                 f"{found['two pantographs']:g}", one, f"{low:g} … {high:g}", inside)  # fmt: skip
        rows.append("| " + " | ".join(cells) + " |")
    return "\n".join(rows)


def speeds():
    """Highest speed of every design with one and two pantographs, as far as computed."""
    known = json.loads(SPEEDS.read_text(encoding="utf-8")) if SPEEDS.exists() else {}
    rows = [
        "| design | line speed | one pantograph | decided by | two, 200 m apart | decided by |",
        "|---|---|---|---|---|---|",
    ]
    for name in shipped_designs():
        cells = [name, f"{3.6 * read_design(name).line_speed:.0f} km/h"]
        for base in (name, f"{name} x2"):
            cells += _speed(known.get(base))
        rows.append("| " + " | ".join(cells) + " |")
    return "\n".join(rows)


def _speed(found):
    if found is None:
        return ["not computed", ""]
    if found["met"] is None:
        return [f"below {found['missed']:.0f} km/h", found["decided_by"]]
    if found["missed"] is None:
        return [f"at least {found['met']:.0f} km/h", "wave speed"]
    bar = ""
    if found["low"] is not None and found["high"] is not None:
        bar = f" ({found['low']:.0f} … {found['high']:.0f})"
    return [f"{found['met']:.0f} km/h{bar}", found["decided_by"]]


def editions():
    """Every shipped edition of limits, by standing."""
    rows = [
        "| name | edition | region | limits by standing | missing | judges a run alone |",
        "|---|---|---|---|---|---|",
    ]
    for name, full, region, held, missing in overview_rows():
        rows.append(
            f"| `{name}` | {full} | {region} | {held} | {missing} | {'no' if core_gaps(limits.read(name)) else 'yes'} |"
        )
    return "\n".join(rows)


MADE = {"design-table": designs, "prediction-table": predictions, "speed-table": speeds, "edition-table": editions}


def fill(app, docname, source):
    """Write the tables where a page asks for them."""
    for mark, make in MADE.items():
        if f"<!-- {mark} -->\n" in source[0]:
            source[0] = source[0].replace(f"<!-- {mark} -->\n", make() + "\n")


def setup(app):
    app.connect("source-read", fill)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
