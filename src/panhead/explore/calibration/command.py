"""A calibration from a file or from options, into a folder."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from panhead.desk.reports.page import Page
from panhead.desk.reports.render import write
from panhead.engine.jobs import ignore_progress
from panhead.errors import FileError, ModelError
from panhead.explore.calibration.calibration_description import Calibration, MeasuredPassage, UnknownParameter
from panhead.explore.calibration.calibration_files import write_files
from panhead.explore.calibration.calibration_page import page
from panhead.explore.calibration.calibration_problem import problem_of
from panhead.explore.calibration.run_calibration import CalibrationOutcome, conduct
from panhead.files import parse
from panhead.files.atomic_files import claim_folder
from panhead.files.file_kinds import without_kind

#: what is unknown of a run if nothing is said: a common set that one force trace tells
USUAL = (
    UnknownParameter(parameter="pantograph.mass", names="*stage 1", within="20 %"),
    UnknownParameter(parameter="pantograph.stiffness", names="*stage 1", within="20 %"),
    UnknownParameter(parameter="pantograph.static_force", within="10 %"),
    UnknownParameter(parameter="wire.tension", names="contact", within="5 %"),
)


@dataclass(frozen=True, slots=True)
class WrittenCalibration:
    """A calibration and what was written of it."""

    outcome: CalibrationOutcome
    page: Page
    files: list[Path]
    report: Path


def read_calibration(source: Path) -> tuple[str, Calibration, Path]:
    """Name, description and folder of the records of a calibration file."""
    raw = without_kind(parse.read_toml(source), "calibration", source)
    name = str(raw.pop("name", source.stem))
    calibration = parse.build(Calibration, raw, source=source)
    for passage in calibration.passages:
        for file in passage.measured:
            if not (source.parent / file).is_file():
                raise FileError(source, f"{file!r}: file not found beside it")
    return name, calibration, source.parent


def calibration_of_options(
    run: Path, measured: Sequence[Path], unknown: Sequence[str], noise: Sequence[str]
) -> tuple[str, Calibration, Path]:
    """A calibration of one run and its records, each a passage."""
    if not measured:
        raise ModelError("calibrate: give a calibration (TOML), or a run and at least one record (CSV)")
    folder = Path.cwd()
    pairs = dict(_pair(text, "--noise") for text in noise)
    passages = tuple(
        MeasuredPassage(
            run=str(run.resolve()) if run.is_file() else str(run),
            measured=(str(path.resolve()),),
            name=path.stem,
            noise=pairs,
        )
        for path in measured
    )
    unknowns = tuple(_unknown(text) for text in unknown) or USUAL
    return f"{run.stem}-calibrated", Calibration(passages=passages, unknowns=unknowns), folder


def _unknown(text: str) -> UnknownParameter:
    """ "pantograph.mass:*stage 1=20 %" → the parameter."""
    what, within = _pair(text, "--unknown")
    parameter, _, names = what.partition(":")
    return UnknownParameter(parameter=parameter.strip(), names=names.strip() or "*", within=within)


def _pair(text: str, option: str) -> tuple[str, str]:
    what, sign, value = text.rpartition("=")
    if not (sign and what.strip() and value.strip()):
        raise ModelError(f"{option} {text!r}: write NAME=VALUE")
    return what.strip(), value.strip()


def calibrate_into(
    name: str, calibration: Calibration, records: Path, folder: Path, workers: int = 1,
    told: Callable[[float, str], None] = ignore_progress,
) -> WrittenCalibration:  # fmt: skip
    """Calibrate, write files and a report into a folder."""
    with claim_folder(folder, not_of_a_run=True):
        told(0.0, "records")
        outcome = conduct(problem_of(name, calibration, records), folder, records, workers=workers, told=told)
        files = write_files(outcome, folder)
        found = page(outcome, [path.name for path in files])
        return WrittenCalibration(outcome, found, files, write(found, folder))


def with_posterior(calibration: Calibration, kind: str) -> Calibration:
    """The calibration with another posterior."""
    return parse.build(Calibration, parse.to_plain(calibration) | {"posterior": kind}, source="posterior")
