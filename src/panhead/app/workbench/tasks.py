"""Tasks of a worker: draw a line, run, compute gradients, run a study, export a result."""

from __future__ import annotations

import os
import tempfile
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from panhead.app.workbench.new_lines import line_of_survey, line_of_tables, line_of_template
from panhead.app.workbench.project import OUT, Project
from panhead.engine.jobs import ErrorBars, Explain, Job
from panhead.errors import Interrupted, ModelError, RunWarning, SimulationError

if TYPE_CHECKING:
    from panhead.files.result import Result
    from panhead.runs.scenarios import Scenario

_LIVE_POINTS = 400  # points of a chunk that the page is shown while it runs
Answer = dict[str, Any]


@dataclass(frozen=True, slots=True)
class TaskContext:
    """Context of a worker's task."""

    project: Project
    aside: Path  #: private folder of this server, in which results that are not kept wait to be downloaded
    hands: int  #: processes that compute the samples of a study
    tell: Callable[[str, Answer], None]  #: an event and what it carries
    stopped: Callable[[], bool]

    def progress(self, share: float, words: str = "") -> None:
        """Report progress; stop if the page has asked for it."""
        self.tell("progress", {"share": round(share, 4), "words": words})
        if self.stopped():
            raise KeyboardInterrupt

    def watch(self, place: np.ndarray, force: np.ndarray) -> None:
        """Report the contact force while it is computed."""
        every = max(1, len(place) // _LIVE_POINTS)
        rows = {"x": np.round(place[::every].T, 3).tolist(), "force": np.round(force[::every].T, 2).tolist()}
        self.tell("live", rows)


def draw(desk: TaskContext, asked: Mapping[str, Any]) -> Answer:
    """Static shape of a line."""
    from panhead.app.workbench.line_geometry import drawing

    return drawing(asked["line"], asked["first"], asked["count"], asked["span"])


def findings(desk: TaskContext, asked: Mapping[str, Any]) -> Answer:
    """Findings of ``panhead line check``."""
    from panhead.desk.sheets.line_check import check_line
    from panhead.files import parse
    from panhead.railway.line.line_description import Line

    return check_line(parse.build(Line, asked["line"], source="line"), speed=asked["speed"]).as_plain()


def run(desk: TaskContext, asked: Mapping[str, Any]) -> Answer:
    """Simulate and assess a run; store it like ``panhead run``, or in a temporary file."""
    from panhead.app.workbench.result_json import partial_result_json, result_json
    from panhead.runs.scenarios.output_folder import run_into

    scenario, keep = scenario_of(desk.project, asked), asked.get("keep", "")
    out = desk.project.place(f"{OUT}/{keep}", end="") if keep else None
    say = lambda words: desk.tell("said", {"words": words})
    bars: ErrorBars = "described" if keep else "none"  # as on the command line; while one edits, the verdict alone
    explain: Explain = "described" if keep else "none"
    job = Job(progress=desk.progress, watch=desk.watch, out=out, say=say, error_bars=bars, explain=explain)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RunWarning)  # the result tells them
            result = scenario.simulate(job) if out is None else run_into(scenario, out, job).result
    except Interrupted as stopped:
        return _interrupted_answer(stopped, out)
    except SimulationError as failed:
        if failed.partial is None:
            raise
        return partial_result_json(failed.partial, str(failed)) | {"failed": True}
    answer = result_json(result)
    if out is not None:
        return answer | {"kept": f"{OUT}/{keep}/result.nc"}
    desk.tell("verdict", answer)  # what is asked for first; then the file, for whoever wants it later
    return {"aside": _save_temporarily(desk, result)}


def _interrupted_answer(stopped: Interrupted, out: Path | None) -> Answer:
    from panhead.app.workbench.result_json import partial_result_json
    from panhead.runs.scenarios.output_folder import can_continue

    kept = f" and stored in {OUT}/{out.name}" if out is not None else ""
    words = f"Stopped: {stopped}. The result up to that time is shown{kept}."
    if out is not None and can_continue(out):
        words += " Resume it from its checkpoint with panhead run … --resume."
    shown = (
        partial_result_json(stopped.partial, words)
        if stopped.partial is not None
        else {"sentence": words, "curves": []}
    )
    return shown | {"stopped": True}


def _save_temporarily(desk: TaskContext, result: Result) -> str:
    from panhead.files import results

    handle, name = tempfile.mkstemp(suffix=".nc", dir=desk.aside)
    os.close(handle)
    return results.save(result, Path(name)).name


def scenario_of(project: Project, asked: Mapping[str, Any]) -> Scenario:
    """Scenario of the run and line on the page; FileError if it refers to a file outside the project."""
    from panhead.files import parse
    from panhead.files.embed import with_absolute_paths
    from panhead.runs import scenarios

    path, raw = asked.get("path", ""), dict(asked["run"])
    own = path and not path.startswith("shipped:")
    folder = project.place(path).parent if own else project.folder
    raw = with_absolute_paths(parse.check_plain(raw, path or "run"), folder)
    if asked.get("line") is not None:
        raw["line"] = asked["line"]
    project.require_inside(raw)
    name = Path(path.rpartition("/")[2]).stem or "run"
    return scenarios.from_plain({"name": name} | raw, source=path or "run")


def gradient(desk: TaskContext, asked: Mapping[str, Any]) -> Answer:
    """∂σ/∂(length) of every dropper and ∂σ/∂(height) of every support."""
    from panhead.runs.description import Run
    from panhead.runs.gradients.gradient import gradient as slopes

    described = scenario_of(desk.project, asked).with_contents().description
    if not isinstance(described, Run) or described.variants:
        raise ModelError("sensitivity arrows need a pantograph run without variants; open a run without `variants`")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RunWarning)
        found = slopes(described, asked["of"], ["dropper.length", "support.height"])
    pairs = {
        family: dict(zip(map(str, found[f"{family}.names"].to_numpy()), found[family].to_numpy().tolist(), strict=True))
        for family in ("dropper.length", "support.height")
    }
    return {"of": asked["of"], "value": float(found.attrs["value"]), "unit": str(found.attrs["units"]), "slopes": pairs}


def show(desk: TaskContext, asked: Mapping[str, Any]) -> Answer:
    """Open a stored result."""
    from panhead.app.workbench.result_json import result_json
    from panhead.files import results

    path = desk.project.place(asked["path"], end=".nc")
    result = results.load(path)
    with results.damaged_file_error(path, "is not the result of an assessed pantograph run"):
        return result_json(result) | {"kept": asked["path"]}


def export(desk: TaskContext, asked: Mapping[str, Any]) -> Answer:
    """Export a result as CSV or report into the private folder, or return its animation frames."""
    from panhead.app.workbench.result_json import as_csv, frames
    from panhead.files import results

    source = Path(asked["source"])
    result = results.load(source)
    with results.damaged_file_error(source, "cannot be shown"):
        if asked["form"] == "frames":
            return frames(result)
        if asked["form"] == "csv":
            content = as_csv(result)
        else:
            from panhead.desk.reports import page_of
            from panhead.desk.reports.render import html

            content = html(page_of(result))
    handle, name = tempfile.mkstemp(dir=desk.aside)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(content)
    return {"file": Path(name).name}


def study(desk: TaskContext, asked: Mapping[str, Any]) -> Answer:
    """Run a study into out/NAME; finished samples are reused."""
    from panhead.app.workbench.study_curves import curves
    from panhead.explore.studies import sample_plan as plans
    from panhead.explore.studies.run_study import conduct_into
    from panhead.explore.studies.sample_worker import local_workers

    path = asked["path"]
    shipped = path.startswith("shipped:study/")
    source = path.removeprefix("shipped:study/") if shipped else str(desk.project.place(path))
    if not shipped:
        desk.project.check(desk.project.read(path).raw, desk.project.place(path))
    plan = plans.read(source)
    folder = desk.project.place(f"{OUT}/{plan.name}", end="")

    def on_samples(done: int, of: int, failed: int) -> None:
        said = f", {failed} failed" if failed else ""
        desk.progress(done / max(1, of), f"{done} of {of} samples{said}")

    say = lambda words: desk.tell("said", {"words": words})
    try:
        found = conduct_into(plan, folder, local_workers(desk.hands), lambda _: on_samples, say, f"{OUT}/{plan.name}")
    except KeyboardInterrupt:
        return {"stopped": True, "sentence": f"Stopped. Finished samples are stored in {OUT}/{plan.name}."}
    verdict = found.page.verdict
    said = {"sentence": verdict.sentence, "details": [*(words for _, words in verdict.beside), *verdict.details]}
    return said | {"curves": curves(found.index), "report": f"{OUT}/{plan.name}/report.html"}


def warm(desk: TaskContext, asked: Mapping[str, Any]) -> Answer:
    """Warm up: load and compile everything that the first drawing or run needs."""
    from panhead.app.workbench.result_json import result_json
    from panhead.runs import scenarios

    if asked["lane"] == "quick":
        draw(desk, {"line": desk.project.read("shipped:line/en50318-2002").raw, "first": 0, "count": 1, "span": None})
        return {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RunWarning)
        result_json(scenarios.read("en50318-300").simulate())
    return {}


#: name of a task → its function
TASKS: Mapping[str, Callable[[TaskContext, Mapping[str, Any]], Answer]] = {
    "draw": draw,
    "findings": findings,
    "run": run,
    "gradient": gradient,
    "show": show,
    "export": export,
    "study": study,
    "warm": warm,
    "template": line_of_template,
    "tables": line_of_tables,
    "survey": line_of_survey,
}
