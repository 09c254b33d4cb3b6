"""Kind of a file by its contents, and the command that takes it: for messages about a file in the wrong place."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from panhead.errors import FileError

#: files that scenarios refer to by name or path → where they are described
FILES: Mapping[str, tuple[str, str]] = {
    "line": ("panhead.railway.line.line_description", "Line"),
    "line_design": ("panhead.railway.line.line_design", "LineDesign"),
    "pantograph": ("panhead.railway.pantograph.lumped_pantograph", "LumpedPantograph"),
    "linkage": ("panhead.railway.pantograph.linkage", "Linkage"),
    "vehicle": ("panhead.railway.vehicle.vehicle_description", "Vehicle"),
    "profile": ("panhead.railway.vehicle.profiles", "Profile"),
    "irregularities": ("panhead.railway.vehicle.rail_irregularities", "Spectrum"),
    "limits": ("panhead.assess.limits", "Edition"),
    "columns": ("panhead.files.column_names", "ColumnMapping"),
    "measurement": ("panhead.desk.evidence.instrument", "Measurement"),
    "reference": ("panhead.desk.evidence.evidence_pack", "ReferenceModels"),
    "upkeep": ("panhead.desk.evidence.maintenance", "Upkeep"),
    "study": ("panhead.explore.studies.study_description", "Study"),
    "design": ("panhead.explore.designs.design_description", "Design"),
    "calibration": ("panhead.explore.calibration.calibration_description", "Calibration"),
    "route": ("panhead.explore.asbuilt.route_description", "Route"),
    "repair_work": ("panhead.explore.asbuilt.repair_work", "RepairWork"),
}
#: kind → keys that only such a file has
_SIGNS: Final = {
    "line": ("tension_lengths",),
    "run": ("train", "line"),
    "pantograph": ("stages", "static_force"),
    "linkage": ("bodies", "joints", "springs"),
    "vehicle": ("car", "bogies"),
    "study": ("base", "vary"),
    "design": ("runs", "want"),
    "calibration": ("passages", "unknowns"),
    "route": ("part", "run"),
    "repair_work": ("work", "currency"),
    "limits": ("limit",),
    "measurement": ("speed", "instrument"),
    "columns": ("columns", "units"),
}
_COMMANDS: Final = {
    "line": "`panhead new run NAME --line {file}` makes a run of it, `panhead line check {file}` checks it",
    "pantograph": "`panhead new run NAME --pantograph {file}` makes a run of it",
    "study": "use `panhead study {file}`",
    "design": "use `panhead design {file}`",
    "calibration": "use `panhead calibrate {file}`",
    "route": "use `panhead asbuilt {file}`",
    "repair_work": "name it as `work` in a route of `panhead asbuilt`",
    "measurement": "use `panhead compare result.nc {file}` or `panhead evidence … --measured {file}`",
    "columns": "use `panhead line import … --columns {file}`",
    "limits": "use `panhead line check … --limits {file}`, or `standard` in a run",
    "upkeep": "use `panhead maintain result.nc --laws {file}`",
}
_TABLES: Final = (".csv", ".tsv", ".xlsx", ".xlsm", ".xls", ".ods")


def kind_of(raw: Mapping[str, Any]) -> str | None:
    """Kind of a file by its key ``kind``, else by keys that no other kind has; None if neither tells."""
    if isinstance(raw.get("kind"), str):
        return str(raw["kind"])
    return next((kind for kind, signs in _SIGNS.items() if all(sign in raw for sign in signs)), None)


def without_kind(raw: Mapping[str, Any], wanted: str, source: object) -> dict[str, Any]:
    """The contents of a file of the kind ``wanted`` without the key ``kind``, which it may have.

    FileError with the command that takes it, if it is of another kind.
    """
    found = kind_of(raw)
    if found is not None and found != wanted:
        raise FileError(source, f"this is a {found}, not a {wanted}; {command_for(found, source)}")
    return {key: value for key, value in raw.items() if key != "kind"}


def command_for(kind: str, file: object) -> str:
    """The command that takes a file of a kind."""
    return _COMMANDS.get(kind, "use `panhead run {file}`").format(file=file)


def refuse_table(path: Path, wanted: str) -> None:
    """FileError if the file is a spreadsheet: tables become a line by ``panhead line import``."""
    if path.suffix.lower() in _TABLES:
        words = f"is a table, not a {wanted} in TOML"
        remedy = f"`panhead line import {path} --base stitched-25kv --out line.toml` makes a line of it"
        raise FileError(path, f"{words}; {remedy}, if it lists masts")
