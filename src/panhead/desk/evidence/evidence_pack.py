"""``panhead evidence``: compute all runs of an evidence pack into one folder, from copies of their input files."""

from __future__ import annotations

import hashlib
import json
import shlex
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Final

from panhead.assess import limits
from panhead.assess.criteria import DEFAULT_EDITION
from panhead.desk.evidence.instrument import Measurement, read_columns, read_measurement
from panhead.engine.jobs import Job
from panhead.errors import FileError, ModelError, RunWarning
from panhead.files import library, parse, results
from panhead.files.atomic_files import write_atomic
from panhead.files.file_kinds import without_kind
from panhead.files.result import Result
from panhead.files.units import MetresPerSecond
from panhead.railway.line import read_line
from panhead.railway.line.layout import Layout
from panhead.railway.pantograph.pantograph_files import read_pantograph
from panhead.runs import scenarios
from panhead.runs.resolve import resolve_line
from panhead.runs.scenarios.output_folder import run_into

INPUTS, RESULTS, PAGE, MANIFEST = "inputs", "results", "evidence.html", "evidence.json"
SHIPPED_REFERENCE: Final = "en50318-2002"
STANDARDS: Final = (DEFAULT_EDITION, "en50367-2006", "en50367-2020")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceModels:
    """The reference models of an edition of EN 50318 (kind of file "reference"): runs, and ranges for them."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    name: str
    runs: tuple[str, ...]  #: shipped names or files of runs, relative to this file
    ranges: str  #: edition of limits with the acceptance ranges: shipped name or file
    completed_by: str = ""  #: who copied the numbers from the standard; empty: shipped

    def __post_init__(self) -> None:
        if not self.runs:
            raise ModelError("ReferenceModels: there are no runs")


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceWanted:
    """Inputs of an evidence pack."""

    line: str
    pantographs: tuple[str, ...]
    speeds: tuple[MetresPerSecond, ...]
    spacing: float = 200.0  #: between pantographs [m]
    reference: str = SHIPPED_REFERENCE
    standards: tuple[str, ...] = STANDARDS  #: the first judges the runs, all are told
    measured: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()  #: of every run of the line, "a.b=value"
    finer: bool = False  #: error bars by finer repeats


@dataclass(frozen=True, slots=True)
class PackedRun:
    """One run of the pack: what is printed beside its numbers."""

    key: str  #: R1, R2 …
    name: str
    group: str  #: "reference", "line", "mesh", "step"
    command: str  #: in the folder of the pack
    file: str  #: of the result, in that folder
    result: Result
    sha256: str = ""  #: of the result's file


@dataclass(frozen=True, slots=True)
class EvidencePack:
    """Contents of the page: runs, measurements and their files."""

    wanted: EvidenceWanted
    folder: Path
    reference: ReferenceModels
    runs: Sequence[PackedRun]
    measurements: Sequence[tuple[Measurement, Path]]
    inputs: Mapping[str, str]  #: file in the pack → where it came from
    started_with: str  #: the command that made it

    def of(self, *groups: str) -> list[PackedRun]:
        """The runs of some groups."""
        return [run for run in self.runs if run.group in groups]


def read_reference(source: str) -> ReferenceModels:
    """The reference models of an edition: the shipped ones of 2002, or a user's file."""
    if source == SHIPPED_REFERENCE:
        return ReferenceModels(name="EN 50318:2002", runs=("en50318-250", "en50318-300"), ranges=SHIPPED_REFERENCE)
    path = Path(source)
    found = parse.build(ReferenceModels, without_kind(parse.read_toml(path), "reference", path), source=path)
    if not found.completed_by:
        raise FileError(path, "completed_by: state who took the values from the standard; the page shows it")
    here = lambda name: str(path.parent / name) if (path.parent / name).is_file() else name
    return replace(found, runs=tuple(here(run) for run in found.runs), ranges=here(found.ranges))


def make_pack(
    wanted: EvidenceWanted, folder: Path, command: str, progress: Callable[[float, str], None], *, resume: bool = True
) -> EvidencePack:
    """Write the inputs, compute every run that is not there yet, and gather the results."""
    _check(wanted)
    reference = read_reference(wanted.reference)
    inputs: dict[str, str] = {}
    plan = [*_reference_plan(reference, folder, inputs), *_line_plan(wanted, folder, inputs)]
    measurements = [_copied_measurement(folder, source, inputs) for source in wanted.measured]
    for measurement, where in measurements:
        _require_run(wanted, measurement, where)
    runs, cost = [], [_cost(folder / file, group, wanted.finer) for _, group, file in plan]
    for k, (name, group, file) in enumerate(plan):
        before, mine = sum(cost[:k]) / sum(cost), cost[k] / sum(cost)
        share = lambda f, m="", b=before, c=mine, name=name: progress(b + c * f, f"{name} {m}")
        runs.append(_pack_run(f"R{k + 1}", name, group, folder, file, wanted.finer, share, resume=resume))
    return EvidencePack(wanted, folder, reference, runs, measurements, inputs, command)


def _cost(file: Path, group: str, finer: bool) -> float:
    """Cost of a run relative to others: elements times steps, and what its error bars add."""
    run = scenarios.read(str(file)).description
    length = float(Layout(resolve_line(run)).mast_x[-1])
    bars = (
        {"mesh": 0.0, "step": 0.0}.get(group, 0.25) if not finer else 4.25
    )  # repeats of twice and half the mesh and step
    return (1.0 + bars) * length**2 / (run.numerics.element_length * run.numerics.step * (run.speed or 1.0))


def _check(wanted: EvidenceWanted) -> None:
    if not wanted.speeds:
        raise ModelError('evidence: give at least one speed: --speed "250 km/h"')
    if not wanted.pantographs:
        raise ModelError("evidence: give at least one pantograph after the line")
    for edition in wanted.standards:
        limits.read(edition)


def _pack_run(
    key: str,
    name: str,
    group: str,
    folder: Path,
    file: str,
    finer: bool,
    progress: Callable[..., None],
    *,
    resume: bool,
) -> PackedRun:
    """One run, from its file in the pack."""
    bars = " --error-bars" if finer else " --no-error-bars" if group in ("mesh", "step") else ""
    out = f"{RESULTS}/{name}"
    scenario = scenarios.read(str(folder / file))
    job = Job(
        progress=progress, out=folder / out, resume=resume,
        error_bars="finer" if finer else "none" if group in ("mesh", "step") else "coarser", explain="described",
    )  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RunWarning)  # the result holds them, and the page tells them
        kept = run_into(scenario, folder / out, job)
    digest = hashlib.sha256(kept.saved.read_bytes()).hexdigest()
    command = f"panhead run {file} --out {out}{bars}"
    return PackedRun(key, name, group, command, f"{out}/result.nc", kept.result, digest)


def _reference_plan(reference: ReferenceModels, folder: Path, inputs: dict[str, str]) -> list[tuple[str, str, str]]:
    """The reference runs with the ranges as their standard, whole: no file beside them is needed."""
    plan = []
    for source in reference.runs:
        scenario = scenarios.read(source, [f"standard={reference.ranges}"]).with_contents()
        name = f"reference-{Path(source).stem}"
        plan.append((name, "reference", _write_input(folder, name, scenario.inputs() | {"name": name}, source, inputs)))
    return plan


def _line_plan(wanted: EvidenceWanted, folder: Path, inputs: dict[str, str]) -> list[tuple[str, str, str]]:
    """The line at every speed, then mesh and step changed one at a time at the highest."""
    line = _copy_input(folder, wanted.line, "line", "lines", read_line, inputs)
    train = [
        {
            "pantograph": _copy_input(folder, p, f"pantograph-{k + 1}", "pantographs", read_pantograph, inputs),
            "behind": k * wanted.spacing,
        }
        for k, p in enumerate(wanted.pantographs)
    ]
    raw: dict[str, Any] = {"kind": "run", "line": line, "train": train, "standard": wanted.standards[0]}
    raw = parse.with_overrides(raw, list(wanted.settings))
    plan = []
    for speed in sorted(wanted.speeds):
        name = f"speed-{3.6 * speed:.4g}"
        plan.append(
            (
                name,
                "line",
                _write_input(folder, name, raw | {"speed": f"{3.6 * speed:.6g} km/h"}, "this command", inputs),
            )
        )
    fast = raw | {"speed": f"{3.6 * max(wanted.speeds):.6g} km/h"}
    numerics = dict(raw.get("numerics", {}))
    built = scenarios.from_plain(fast | {"name": "speed"}, source=folder / INPUTS / "speed.toml").description.numerics
    for key, unit, scale, group in (("element_length", "m", 1.0, "mesh"), ("step", "ms", 1e3, "step")):
        for factor in (2.0, 0.5):
            value = f"{scale * factor * getattr(built, key):.6g} {unit}"
            changed = fast | {"numerics": numerics | {key: value, "coarse": True}}
            name = f"{group}-{value.replace(' ', '')}"
            plan.append((name, group, _write_input(folder, name, changed, "this command", inputs)))
    return plan


def _write_input(folder: Path, name: str, raw: Mapping[str, Any], source: str, inputs: dict[str, str]) -> str:
    file = f"{INPUTS}/{name}.toml"
    write_atomic(folder / file, parse.write_toml({"kind": raw["kind"]} | dict(raw)).encode())
    inputs[file] = source
    return file


def _copy_input(
    folder: Path, source: str, name: str, shipped: str, read: Callable[[str], Any], inputs: dict[str, str]
) -> str:
    """A file of the user's, or a shipped one, as it is in the pack; what a run file beside it calls it."""
    read(source)  # refused now, with the user's own name of it
    path = library.shipped(shipped).get(source, Path(source))
    file = f"{INPUTS}/{name}{path.suffix}"
    write_atomic(folder / file, path.read_bytes())
    inputs[file] = f"shipped {source}" if source in library.shipped(shipped) else source
    return Path(file).name


def _copied_measurement(folder: Path, source: str, inputs: dict[str, str]) -> tuple[Measurement, Path]:
    path = Path(source)
    found = read_measurement(path)
    for name in filter(None, (path.name, found.force, found.uplift)):
        file = f"{INPUTS}/{Path(name).name}"
        if inputs.get(file, str(path.parent / name)) != str(path.parent / name):
            raise FileError(path.parent / name, f"has the same name as {inputs[file]}; rename one of them")
        write_atomic(folder / file, (path.parent / name).read_bytes())
        inputs[file] = str(path.parent / name)
    return found, folder / INPUTS


def _require_run(wanted: EvidenceWanted, measurement: Measurement, folder: Path) -> None:
    """Refuse measurements that no run can be compared with, before anything is computed."""
    if measurement.pantograph > len(wanted.pantographs):
        raise ModelError(
            f"measurement {measurement.name!r}: pantograph {measurement.pantograph} of {len(wanted.pantographs)}"
        )
    end = float(Layout(read_line(wanted.line)).mast_x[-1])
    for name, column in ((measurement.force, "force"), (measurement.uplift, "uplift")):
        if name is None:
            continue
        place = read_columns(folder / Path(name).name, "place", column)[0]
        if place.min() < 0.0 or place.max() > end:
            raise ModelError(
                f"measurement {measurement.name!r}: {name} covers {place.min():g} … {place.max():g} m, but the line "
                f"extends from 0 to {end:g} m from its first mast; check unit and origin of the chainage"
            )


def write_manifest(pack: EvidencePack) -> Path:
    """Hashes of every file, commands and versions, for programs."""
    digest = lambda file: hashlib.sha256((pack.folder / file).read_bytes()).hexdigest()
    content = {
        "command": pack.started_with,
        "versions": results.versions(),
        "inputs": {file: {"from": source, "sha256": digest(file)} for file, source in pack.inputs.items()},
        "runs": {
            r.key: {"name": r.name, "command": r.command, "result": r.file, "sha256": r.sha256} for r in pack.runs
        },
        "page": {"file": PAGE, "sha256": digest(PAGE)},
    }
    return write_atomic(pack.folder / MANIFEST, json.dumps(content, indent=1, ensure_ascii=False).encode())


def started_with(words: Sequence[str]) -> str:
    """The command line as given."""
    return shlex.join(["panhead", *words])
