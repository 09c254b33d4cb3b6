"""Sample plan of a study: values, run and file name of every sample.

A sample is named by a hash of what decides its numbers: the base run with everything in it, the values, the scatter and
the version. So results never mix, and "which files exist" is all that resuming needs to know.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from panhead import __version__
from panhead.errors import FileError, ModelError, PanheadError, alternatives
from panhead.explore.studies.sampling import draw_value, factors, sensitivity_points, unit_points
from panhead.explore.studies.scatter import AsBuilt
from panhead.explore.studies.study_description import Study
from panhead.files import parse
from panhead.files.file_kinds import command_for, kind_of
from panhead.railway.pantograph.pantograph_files import resolve_pantograph
from panhead.runs import scenarios
from panhead.runs.description import Run
from panhead.runs.resolve import resolve_line

STORED = "study.json"  #: the file of a study's plan
#: another way is another name: before "keys checked" two studies in one folder could mix
_COMPUTED = "strung from straight wires, lanes with the bits of single runs, checksums, keys checked"
_TRIED = 8  # samples looked at before any is computed: a wrong name is wrong in all of them, a wrong value in some


@dataclass(frozen=True, slots=True)
class Sample:
    """One run of a study."""

    number: int  #: from 0
    values: tuple[Any, ...]  #: of the varied inputs, as written into the run
    shares: tuple[float, ...] = ()  #: 0 … 1, from which the errors of the line as built follow


@dataclass(frozen=True)
class Plan:
    """A study with its base run read."""

    name: str
    study: Study
    base: Mapping[str, Any]  #: plain data of the base run, everything in it

    @classmethod
    def of(cls, name: str, study: Study, folder: Path | None = None) -> Plan:
        """Read the base run; ``folder`` is where its path begins."""
        beside = None if folder is None else folder / study.base
        source = str(beside) if beside is not None and beside.exists() else study.base
        base = scenarios.read(source, changes=study.changes)
        if not isinstance(base.description, Run):
            raise ModelError(f"study: base {study.base!r} is of kind {base.kind.name!r}; use a run under a line")
        if base.description.variants:
            raise ModelError(f"study: base {study.base!r} has variants; use vary for the inputs that differ")
        study = parse.build(Study, parse.to_plain(study), source=name)  # 0 and 0.0 make the same hash
        return cls(name, study, base.with_contents().inputs())

    @classmethod
    def read_stored(cls, folder: Path) -> Plan:
        """The plan of a study's folder."""
        path = folder / STORED
        try:
            return cls.from_text(path.read_text(encoding="utf-8"), path)
        except FileNotFoundError:
            raise FileError(folder, "is not a study folder; create one with panhead study FILE.toml") from None
        except (OSError, ValueError) as error:
            raise error if isinstance(error, FileError) else FileError(path, f"cannot be read: {error}") from None

    @classmethod
    def from_text(cls, text: str, path: Path) -> Plan:
        """The plan of what ``path``, a ``study.json``, holds."""
        try:
            raw = json.loads(text)
            study = parse.build(Study, raw["study"], source=path)
            return cls(str(raw["name"]), study, raw["base"])
        except (ValueError, KeyError, TypeError) as error:
            raise FileError(path, f"cannot be read: {error}") from None

    def plain(self) -> dict[str, Any]:
        """Plain data, as read by ``read_stored``."""
        return {"name": self.name, "study": parse.to_plain(self.study), "base": dict(self.base), "version": __version__}

    @cached_property
    def built(self) -> AsBuilt | None:
        """The line as drawn, ready to be built with errors; None without scatter."""
        if not self.study.scatter:
            return None
        run = self.run_of(Sample(-1, ()), built=False)
        return AsBuilt.of(resolve_line(run), self.study.scatter, run.numerics.element_length)

    def samples(self) -> list[Sample]:
        """All samples of a study whose points are known beforehand; a study of the form "limit" asks as it goes."""
        return list(self._samples_given)

    @cached_property
    def _samples_given(self) -> list[Sample]:
        study, n = self.study, len(self.study.vary)
        if study.form in ("speed", "compare"):
            return [Sample(k, values) for k, values in enumerate(factors(study))]
        if study.form == "sensitivity":
            points = sensitivity_points(study)
        else:
            places = 0 if self.built is None else self.built.dimension
            points = unit_points(study.sampling, study.samples, n + places, study.seed)
        return [
            Sample(
                k, tuple(draw_value(v, p) for v, p in zip(study.vary, row[:n], strict=True)), tuple(row[n:].tolist())
            )
            for k, row in enumerate(points)
        ]

    @cached_property
    def _common(self) -> Any:
        """The hash of what all samples share."""
        scatter = parse.to_plain(list(self.study.scatter))
        inputs = [v.input for v in self.study.vary]
        text = json.dumps(
            [__version__, _COMPUTED, dict(self.base), scatter, inputs], sort_keys=True, ensure_ascii=False
        )
        return hashlib.sha256(text.encode())

    def key(self, sample: Sample) -> str:
        """The name of a sample's file."""
        mine = self._common.copy()
        mine.update(json.dumps([sample.values, sample.shares], ensure_ascii=False).encode())
        return str(mine.hexdigest()[:24])

    def inputs(self, sample: Sample, *, built: bool = True) -> dict[str, Any]:
        """The plain data of a sample's run, everything in it."""
        if not built or self.built is None:
            return parse.with_values(self.base, self._values_of(sample))
        return parse.to_plain(self.run_of(sample)) | {"kind": "run", "name": f"{self.name}-{sample.number}"}

    def _values_of(self, sample: Sample) -> Sequence[tuple[str, Any]]:
        return list(zip((v.input for v in self.study.vary), sample.values, strict=False))

    def run_of(self, sample: Sample, *, built: bool = True) -> Run:
        """The run of a sample."""
        if not built or self.built is None:
            return self._read(self.inputs(sample, built=False), sample)
        raw = parse.with_values(self._without_line, self._values_of(sample))  # the line is ours: it needs no reading
        line = self.built.line(np.array(sample.shares))
        return replace(self._read(raw | {"line": line.name}, sample), line=line)

    def _read(self, raw: dict[str, Any], sample: Sample) -> Run:
        found = scenarios.from_plain(raw, source=f"sample {sample.number}").description
        assert isinstance(found, Run)
        return found

    @cached_property
    def _without_line(self) -> dict[str, Any]:
        return {k: v for k, v in self.base.items() if k not in ("line", "line_changes")}

    def check(self) -> None:
        """Refuse unknown inputs, or inputs without any valid value, before anything is computed."""
        drawn = [v.input for v in self.study.vary if v.input.partition(".")[0] in ("line", "line_changes")]
        if drawn and self.study.scatter:
            raise ModelError(
                f"study: vary {drawn[0]!r} changes the nominal line that scatter is applied to; use scatter for "
                'that part (of = "contact tension" etc.), or remove one of the two'
            )
        if self.study.form == "limit":
            from panhead.explore.studies.limit_search import ends

            samples = ends(self)
        else:
            samples = self.samples()
        if self.built is not None:
            self.built.check_tensions(np.array([s.shares for s in samples]))
        wrong = [error for error in map(self._refusal, samples[:_TRIED]) if error is not None]
        if len(wrong) == len(samples[:_TRIED]):
            raise wrong[0]

    def _refusal(self, sample: Sample) -> PanheadError | None:
        """Reason why the run of a sample is invalid, checked without stringing the line."""
        try:
            run = self.run_of(sample)
            resolve_line(run)
            for p in run.train:
                resolve_pantograph(p.pantograph, p.changes)
        except PanheadError as error:
            return error
        return None


def read(source: str) -> Plan:
    """The study of a TOML file, or a shipped one by name."""
    path = shipped().get(source, Path(source))
    if path.suffix != ".toml" and not parse.path_exists(path):
        raise FileError(source, f"is neither a file nor the name of a shipped study; {alternatives(source, shipped())}")
    raw = parse.read_toml(path)
    if raw.get("kind") != "study":
        found = kind_of(raw)
        words = f"this is a {found}, not a study; {command_for(found, path)}" if found else ""
        raise FileError(path, words or 'kind: must be "study" here; panhead run FILE computes a single run')
    del raw["kind"]
    name = str(raw.pop("name", path.stem))
    return Plan.of(name, parse.build(Study, raw, source=path), path.parent)


def shipped() -> dict[str, Path]:
    """Name → file of every study that comes with the package."""
    from panhead.files import library

    return library.shipped("studies")
