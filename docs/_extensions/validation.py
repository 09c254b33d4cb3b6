"""Validation on pages: cases of the registry, their numbers, and the line that README shows.

``<!-- validation-line -->``, ``<!-- validation-cases -->`` and ``<!-- validation-numbers -->`` become text and tables.
The numbers are those of ``panhead validate --json``, recorded by ``scripts/validation_record``.
"""

import json
import re
import tomllib
from pathlib import Path

DOCS = Path(__file__).parents[1]
RECORD, CASES, UNMET = DOCS / "validation_results.json", DOCS / "validation_cases.toml", DOCS / "unmet.md"
VERDICTS = {True: "met", False: "**not met**", None: "listed"}


def record():
    """Case → quantity → row, as recorded."""
    return json.loads(RECORD.read_text(encoding="utf-8"))


def counts(table):
    """Rows judged, rows met, rows listed of one case."""
    found = [row["ok"] for row in table.values()]
    return sum(ok is not None for ok in found), found.count(True), found.count(None)


def differences():
    """How many differences from the sources the page of known differences has."""
    text = UNMET.read_text(encoding="utf-8")
    tables = re.findall(r"^\| published \| here .*\n\|[-|]+\|\n((?:\|.*\n?)+)", text, re.MULTILINE)
    return sum(len(table.splitlines()) for table in tables)


def line():
    """The one line of README: rows judged, rows met, claims not met."""
    judged, met, _ = map(sum, zip(*map(counts, record().values()), strict=True))
    return (
        f"**{judged} validation rows judged, {met} met; {differences()} of the sources' claims not met, or met only by fitting** "
        "([and why](docs/unmet.md))."
    )


def cases():
    """One row for each case of the registry."""
    told, found = tomllib.loads(CASES.read_text(encoding="utf-8")), record()
    rows = ["| case | what is compared | with what | judged | met | listed |", "|---|---|---|---|---|---|"]
    for name, words in told.items():
        judged, met, listed = counts(found[name])
        link = f"[`{name}`](validation_numbers.md#{name})"
        rows.append(f"| {link} | {words['compared']} | {words['with']} | {judged} | {met} | {listed} |")
    return "\n".join(rows) + "\n"


def _number(value):
    return "" if value is None else f"{value:.5g}"


def _bounds(row):
    low, high = row["low"], row["high"]
    if low is None and high is None:
        return ""
    return f"≤ {high:.5g}" if low is None else f"≥ {low:.5g}" if high is None else f"{low:.5g} … {high:.5g}"


def _text(words):
    return re.sub(r"([|*_<`\[$])", r"\\\1", words)


def numbers():
    """Every row of every case."""
    parts = []
    for name, table in record().items():
        parts += [f"({name})=", f"## {name}", "", "| quantity | value | reference | bounds | | bound set by | source |"]
        parts.append("|---|---|---|---|---|---|---|")
        for quantity, row in table.items():
            unit = "" if row["unit"] in ("", "1") else f" {_text(row['unit'])}"
            cells = (_text(quantity), _number(row["value"]) + unit, _number(row["reference"]), _bounds(row))
            told = (VERDICTS[row["ok"]], row["bound_by"] or "", _text(row["source"]))
            parts.append("| " + " | ".join((*cells, *told)) + " |")
        parts.append("")
    return "\n".join(parts)


MADE = {"validation-cases": cases, "validation-numbers": numbers, "validation-line": line}


def fill(app, docname, source):
    """Write what a page asks for."""
    for mark, make in MADE.items():
        if f"<!-- {mark} -->\n" in source[0]:
            source[0] = source[0].replace(f"<!-- {mark} -->\n", make().replace("docs/unmet.md", "unmet.md") + "\n")


def setup(app):
    app.connect("source-read", fill)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
