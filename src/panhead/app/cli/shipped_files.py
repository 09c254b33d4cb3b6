"""``panhead list``: what ships with the package, all of it or of one kind."""

from __future__ import annotations

from typing import Final

from panhead.errors import ModelError, alternatives

#: kind → folder of data
_FOLDERS: Final = {
    "line": "lines",
    "pantograph": "pantographs",
    "linkage": "linkages",
    "vehicle": "vehicles",
    "limits": "limits",
    "study": "studies",
    "design": "designs",
    "repair_work": "repair_work",
}
_CASES: Final = "validation"
_DESIGNS: Final = "line_design"
_DESIGN_HEADS: Final = ("design", "supply", "line speed", "contact wires, messenger")


def print_shipped(kind: str = "") -> None:
    """Print scenarios, components and validation cases; ``kind``: only these, in singular or plural."""
    from panhead import validation
    from panhead.app.cli.terminal_output import print_table
    from panhead.files import library, parse
    from panhead.runs import scenarios

    wanted = _known_kind(kind, scenarios.kinds())
    files = [parse.read_toml(path) | {"stem": name} for name, path in scenarios.shipped().items()]
    shown = [raw for raw in files if wanted in ("", "scenario", raw.get("kind"))]
    if shown:
        rows = [(raw["stem"], raw.get("kind", ""), raw.get("about", "")) for raw in shown]
        print_table("Scenarios (panhead run NAME)", ("scenario", "kind", "what it shows"), rows)
    rows = [
        (one, name, parse.read_toml(path).get("name", ""))
        for one, folder in _FOLDERS.items()
        for name, path in library.shipped(folder).items()
        if wanted in ("", one)
    ]
    if rows:
        print_table("Components a scenario can refer to", ("kind", "name", "full name"), rows)
    if wanted in ("", _DESIGNS):
        title = "Line designs (panhead run NAME, panhead new line FILE --design NAME)"
        print_table(title, _DESIGN_HEADS, _design_rows())
    if wanted in ("", _CASES):
        print("validation cases (panhead validate NAME): " + ", ".join(validation.names()))


def _design_rows() -> list[tuple[str, ...]]:
    from panhead.railway.line.line_design import read_design, shipped_designs

    rows: list[tuple[str, ...]] = []
    for name in shipped_designs():
        design = read_design(name)
        wires = f"{design.contact_count} × {design.contact.wire}, {design.messenger.wire}"
        stitched = ", stitched" if design.stitch else ""
        rows.append((name, str(design.supply), f"{3.6 * design.line_speed:.0f} km/h", f"{wires}{stitched}"))
    return rows


def _known_kind(kind: str, scenarios: tuple[str, ...]) -> str:
    plural = {folder: one for one, folder in _FOLDERS.items()} | {"scenarios": "scenario"}
    wanted = plural.get(kind, kind)
    known = ("scenario", *_FOLDERS, *scenarios, _DESIGNS, _CASES)
    if wanted and wanted not in known:
        raise ModelError(f"--kind: {kind!r} is not known; {alternatives(kind, known)}")
    return wanted
