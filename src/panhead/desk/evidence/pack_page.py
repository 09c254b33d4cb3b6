"""Report page of an evidence pack: one printable file that states the result and command behind every table."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from panhead.assess import Criterion, judge, judgement, limits, overall
from panhead.assess.criteria import group_verdicts
from panhead.assess.number_text import number, percent
from panhead.assess.reference_model import of_a_standard, with_bars_of
from panhead.assess.verdict_of_cases import verdict_of_cases
from panhead.assess.verdict_sentence import in_words
from panhead.desk.drawing import figures
from panhead.desk.evidence.evidence_pack import EvidencePack, PackedRun
from panhead.desk.evidence.instrument import Agreement, Measurement, agreement
from panhead.desk.evidence.method_statement import AGREED, CLAIM, LIMITS, METHOD
from panhead.desk.reports.judgement import (
    MOODS,
    criteria_table,
    entries,
    information_table,
    mood_of,
    ranges_table,
    unbroken,
)
from panhead.desk.reports.line_places import name_track
from panhead.desk.reports.page import Block, Mood, Page, PageTable, PageVerdict, Picture, page_with
from panhead.desk.reports.run_force import mark_supports, passages
from panhead.files import results
from panhead.railway.line.line_speed import share_allowed

if TYPE_CHECKING:
    import xarray as xr

_WORST_FIRST: Final[tuple[Mood, ...]] = ("bad", "warning", "good", "neutral")
_AGREES: Final = {True: "agrees", False: "does not agree", None: "for information"}
_CONVERGED: Final = ("mean_force", "deviation", "actual_max", "actual_min", "uplift")
_TENTH: Final = 0.1  # of a number, of the mean force for extremes: a change that a finer mesh or step must not make


def pack_page(pack: EvidencePack) -> Page:
    """Everything the pack holds, in the order EN 50318 asks."""
    beside = [row for m, folder in pack.measurements for row in _measurement_block(pack, m, folder)]
    sections: dict[str, Sequence[Block | None]] = {
        "Purpose and contents": [CLAIM, _runs(pack)],
        "Method and limits of application": _method(pack),
        "Reference models": [_reference_note(pack), *(_reference(run) for run in pack.of("reference"))],
        "Convergence": _convergence(pack),
        "Agreement with measurements": [block for block, _ in beside] or ["No measurement was given."],
        "Verdicts by edition and supply": [_editions(pack)],
        "Results by speed": [block for run in pack.of("line") for block in _of_speed(run)],
        "Inputs and their sources": _inputs(pack),
        "Versions and files": [_versions(pack), _files(pack)],
    }
    return page_with("Evidence", _subtitle(pack), _verdict(pack, [a for _, found in beside for a in found]), sections)


def from_run(run: PackedRun) -> str:
    """Reference to the result and command of a run."""
    return f"{run.key}: {run.file}, computed by `{run.command}`"


def _subtitle(pack: EvidencePack) -> str:
    speeds = ", ".join(f"{3.6 * v:.4g}" for v in sorted(pack.wanted.speeds))
    count = len(pack.wanted.pantographs)
    many = f"{count} pantographs" if count > 1 else "1 pantograph"
    return f"{pack.of('line')[0].result.attrs['line']} · {many} · {speeds} km/h"


def _verdict(pack: EvidencePack, measured: Sequence[Agreement]) -> PageVerdict:
    """Verdict for the signatory: contact quality first, then setting, reference models, convergence, measurements.

    Warnings are those of the runs under the line; reference runs are checked by their ranges, and convergence runs are
    coarse on purpose.
    """
    judged = verdict_of_cases({_speed(run): run.result for run in pack.of("line")})
    told: list[tuple[Mood, str]] = [(MOODS[one.verdict], unbroken(one.sentence)) for one in judged]
    setting = {sentence for one, (_, sentence) in zip(judged, told, strict=True) if one.group == "setting"}
    told.append(_reference_verdict(pack))
    moved = list(_not_converged(pack))
    told.append(("warning", " ".join(moved)) if moved else ("good", _converged_words(pack)))
    if measured:
        missed, values = sum(a.agrees is False for a in measured), sum(a.agrees is not None for a in measured)
        told.append(("bad" if missed else "good", f"{values - missed} of {values} measured values agree."))
    # a mean force outside its limits is set right by the static force: a warning
    moods = {"warning" if mood == "bad" and sentence in setting else mood for mood, sentence in told}
    worst = next(mood for mood in _WORST_FIRST if mood in moods)
    return PageVerdict(worst, told[0][1], list(_warnings(pack)), told[1:])


def _reference_verdict(pack: EvidencePack) -> tuple[Mood, str]:
    """Whether the reference models are within the ranges of their standard."""
    reference = [c for run in pack.of("reference") for c in _criteria(run.result) if of_a_standard(c)]
    outside = sum(c.verdict == "not met" for c in reference)
    found = f"outside {outside} of {len(reference)} ranges" if outside else "within all ranges"
    found = found if reference else "not assessed: no range is known"
    return "bad" if outside or not reference else "good", f"The reference models of {pack.reference.name} are {found}."


def _speed(run: PackedRun) -> str:
    return f"{3.6 * float(run.result.attrs['speed']):.4g} km/h"


def _converged_words(pack: EvidencePack) -> str:
    return f"Converged: half the mesh or step changes no figure at {_speed(pack.of('line')[-1])} by more than a tenth."


def _warnings(pack: EvidencePack) -> Iterator[str]:
    """Warnings of the runs under the line, each once with the speeds it holds for."""
    said: dict[str, list[str]] = {}
    for run in pack.of("line"):
        attrs = run.result.attrs
        for words in dict.fromkeys(
            [*json.loads(str(attrs.get("warnings", "[]"))), *json.loads(str(attrs.get("doubts", "[]")))]
        ):
            said.setdefault(words, []).append(_speed(run))
    for words, speeds in said.items():
        yield f"Warning at {in_words(speeds)}: {words}."


def _standard(edition: str) -> str:
    return limits.read(edition).name


def _criteria(result: xr.Dataset) -> list[Criterion]:
    return [c for of in judgement(result).values() for criteria in of.values() for c in criteria]


def _runs(pack: EvidencePack) -> PageTable:
    rows = [[run.key, run.name, run.file, run.command] for run in pack.runs]
    note = f"Run the commands in the folder of this page. This pack was created by `{pack.started_with}`."
    return PageTable("Runs of this pack", ["", "Run", "Result", "Command to repeat it"], rows, note=note)


def _method(pack: EvidencePack) -> list[Block]:
    solvers = dict.fromkeys(str(run.result.attrs["solver"]) for run in pack.runs)
    words = [text for solver in solvers for text in METHOD[solver]]
    first = pack.of("line")[0].result.attrs
    fast = max(pack.wanted.speeds)
    here = "This line is a conductor rail without tension; the wave speed limit does not apply."
    if "wave_speed" in first:
        wave = float(first["wave_speed"])
        here = (
            f"This line: {3.6 * fast:.4g} km/h is {100 * fast / wave:.0f} % of the wave speed of {3.6 * wave:.4g} km/h"
        )
        rule = share_allowed(str(first["edition"]), fast, str(first["supply"]))
        here += f"; {rule.clause} allows {100 * rule.at(fast):.3g} %."
    return [*words, PageTable("Limits of application", ["What", "Holds"], [list(row) for row in LIMITS], note=here)]


def _reference_note(pack: EvidencePack) -> str:
    who = pack.reference.completed_by
    origin = f"COMPLETED BY THE USER ({who}), not shipped with the program" if who else "shipped with the program"
    return f"{pack.reference.name}: runs and ranges {origin}."


def _reference(run: PackedRun) -> PageTable:
    return ranges_table(run.name, [c for c in _criteria(run.result) if of_a_standard(c)], from_run(run))


def _convergence(pack: EvidencePack) -> list[Block]:
    """Mesh and step doubled and halved, one at a time, at the highest speed."""
    base = pack.of("line")[-1]
    blocks: list[Block] = []
    for group, attribute, unit, scale in (("mesh", "element_length", "m", 1.0), ("step", "step", "ms", 1e3)):
        runs = sorted([base, *pack.of(group)], key=lambda run: -float(run.result.attrs[attribute]))
        for k, name in enumerate(judgement(base.result)[""]):
            found = [{c.key: c for c in list(judgement(run.result)[""].values())[k]} for run in runs]
            rows = [
                _row(run, of, float(run.result.attrs[attribute]) * scale, found[-1])
                for run, of in zip(runs, found, strict=True)
            ]
            heads = [
                f"{group} ({unit})",
                "from",
                *(f"{base_name} (change)" for base_name in ("Mean (N)", "σ (N)", "Max (N)", "Min (N)", "Uplift (mm)")),
            ]
            note = "Changes are relative to the finest. " + "; ".join(from_run(run) for run in runs)
            blocks.append(PageTable(f"{name}: {group}", heads, rows, note=note))
    return [*blocks, _curves(pack, base)]


def _not_converged(pack: EvidencePack) -> Iterator[str]:
    """Numbers that a finer mesh or step moves by more than a tenth."""
    base = pack.of("line")[-1]
    for group, attribute in (("mesh", "element_length"), ("step", "step")):
        runs = [base, *pack.of(group)]
        sizes = [float(run.result.attrs[attribute]) for run in runs]
        finest = runs[sizes.index(min(sizes))]
        both = (judgement(run.result)[""] for run in (base, finest))
        for (name, mine), best in zip(next(both).items(), next(both).values(), strict=True):
            ours, theirs = ({c.key: c for c in of} for of in (mine, best))
            for key in (key for key in _CONVERGED if key in ours and key in theirs):
                size = theirs["mean_force" if key.startswith("actual") else key].value
                if abs(ours[key].value - theirs[key].value) > _TENTH * abs(size):
                    (value, _, _, unit), (fine, *_) = ours[key].shown(), theirs[key].shown()
                    yield (
                        f"Not converged: {ours[key].name} of {name}, {number(value)} {unit} in {base.name}, is "
                        f"{number(fine)} {unit} with a finer {group}; use the finer value for all runs."
                    )


def _row(run: PackedRun, found: dict[str, Criterion], size: float, finest: dict[str, Criterion]) -> list[str]:
    cells = []
    for key in _CONVERGED:
        if key not in found:
            cells.append("–")
            continue
        value, best = found[key].shown()[0], finest[key].shown()[0]
        cells.append(f"{number(value)} ({percent(value / best - 1.0 if best else 0.0)} %)")
    return [f"{size:g}", run.key, *cells]


def _curves(pack: EvidencePack, base: PackedRun) -> Picture:
    chart, (panel,) = figures.chart(260)
    for k, run in enumerate([base, *pack.of("mesh")]):
        way = passages(run.result, entries(run.result))[-1]
        if not k:
            part = way.curve("contact_x")[way.judged]
            low, high = float(part[0]), float(min(part[-1], part[0] + 200.0))
            mark_supports(panel, way.result, low, high)
        x = way.curve("contact_x")
        inside = (x >= low) & (x <= high)
        panel.curve(x[inside], way.smooth[inside], f"{run.key} {run.name}", color=figures.hue(k))
    name_track(panel, way.result, "contact force (N)")
    return Picture(
        "convergence", "Force to 20 Hz of the last pantograph, by mesh", chart, "The beginning of the assessed section."
    )


def _measurement_block(
    pack: EvidencePack, measurement: Measurement, folder: Path
) -> Iterator[tuple[Block, list[Agreement]]]:
    """A measurement beside the run of the nearest speed, through the virtual instrument."""
    run = min(pack.of("line"), key=lambda r: abs(float(r.result.attrs["speed"]) - measurement.speed))
    one = run.result.isel(pantograph=measurement.pantograph - 1)
    found = agreement(one, measurement, folder)
    scale = lambda a, x: number(1e3 * x if a.unit == "m" else x)
    rows = [
        [a.name, scale(a, a.measured), scale(a, a.computed), "–" if a.allowed is None else f"± {scale(a, a.allowed)}",
         "mm" if a.unit == "m" else a.unit, _AGREES[a.agrees]]
        for a in found
    ]  # fmt: skip
    moods: list[Mood] = [{True: "good", False: "bad", None: "neutral"}[a.agrees] for a in found]  # type: ignore[misc]
    i = measurement.instrument
    corrected = i.mass_above if i.mass_corrected is None else i.mass_corrected
    note = (
        f"Measured: {measurement.source or 'no source is given'}. Computed: {from_run(run)}, at "
        f"{3.6 * float(run.result.attrs['speed']):.4g} km/h (measured at {3.6 * measurement.speed:.4g} km/h), through "
        f"an instrument with {i.mass_above:g} kg above its sensors, {corrected:g} kg of it corrected, a Butterworth "
        f"filter of order {i.order} at {i.cutoff:g} Hz, {i.sampling:g} samples per second, sensors "
        f"{i.sensor_spacing:g} m apart (largest force on one sensor {i.largest_on_a_sensor(one):.0f} N). {AGREED}"
    )
    heads = ["Quantity", "Measured", "Computed", "Allowed", "Unit", ""]
    yield PageTable(measurement.name, heads, rows, moods, note), found


def _editions(pack: EvidencePack) -> PageTable:
    """The verdict of every run by every edition, and what decides it."""
    rows: list[list[str]] = []
    moods: list[Mood] = []
    for run in pack.of("line"):
        for edition in pack.wanted.standards:
            judged = judge(run.result.assign_attrs(edition=limits.to_json(edition)))
            for name, criteria in with_bars_of(judged, run.result).items():
                quality, setting, why = _by_edition(criteria)
                unsure = f"{sum(c.standing == 'recalled' for c in criteria if c.limit is not None)}"
                supply = str(run.result.attrs["supply"])
                rows.append([_standard(edition), supply, run.name, name, quality, setting, why, unsure, run.key])
                moods.append("neutral" if quality == "not assessed" else mood_of(quality, setting))
    heads = ["Edition", "Supply", "Run", "Pantograph", "Contact quality", "Setting (mean force)"]
    heads += ["Governing criterion", "Limits recalled", "from"]
    note = "The same result assessed by each edition; add `--set standard=EDITION` to the run's command."
    return PageTable("", heads, rows, moods, note)


def _by_edition(criteria: Sequence[Criterion]) -> tuple[str, str, str]:
    """Verdicts on contact quality and setting, and what decides them; an edition without numbers gives none."""
    if not any(of_a_standard(c) for c in criteria):
        return "not assessed", "not assessed", "its values are not shipped; complete them in a limits file"
    of, verdict = group_verdicts(criteria), overall(criteria)
    governing = "" if verdict == "met" else ", ".join(dict.fromkeys(c.name for c in criteria if c.verdict == verdict))
    return of["contact quality"], of["setting"], governing


def _of_speed(run: PackedRun) -> list[Block]:
    """Every criterion of every pantograph, and the force."""
    blocks: list[Block] = []
    for entry in entries(run.result):
        for table in (criteria_table(entry), information_table(entry)):
            blocks.append(
                replace(
                    table,
                    title=f"{run.name}, {entry.name}: {table.title}",
                    note=" ".join(filter(None, (table.note, from_run(run)))),
                )
            )
    chart, (panel,) = figures.chart(220)
    for way in passages(run.result, entries(run.result)):
        panel.curve(way.curve("contact_x")[way.judged], way.smooth[way.judged], way.name, color=way.color)
    name_track(panel, way.result, "contact force (N)")
    return [*blocks, Picture(f"force_{run.key}", f"{run.name}: contact force to 20 Hz", chart, from_run(run))]


def _inputs(pack: EvidencePack) -> list[Block]:
    from panhead.railway.line import read_line
    from panhead.railway.pantograph.pantograph_files import read_pantograph

    parts = [("line", read_line(pack.wanted.line))]
    parts += [(f"pantograph {k}", read_pantograph(p)) for k, p in enumerate(pack.wanted.pantographs, 1)]
    said = [
        [part, str(found.name), "; ".join(getattr(found, "sources", ())) or "no source is given in the file"]
        for part, found in parts
    ]
    sources = PageTable("Sources of the inputs", ["Part", "Name", "Sources"], said)
    rows = [[file, source] for file, source in pack.inputs.items()]
    note = "evidence.json contains the SHA-256 of each file. Every result.nc also contains its complete inputs."
    return [sources, PageTable("Input files in this folder", ["File", "Source"], rows, note=note)]


def _versions(pack: EvidencePack) -> PageTable:
    first = pack.runs[0].result.attrs
    rows = [[name, version] for name, version in results.versions().items()]
    rows += [["processor", str(first["cpu"])], ["system", str(first["system"])]]
    older = {json.loads(str(run.result.attrs["versions"]))["panhead"] for run in pack.runs} - {
        results.versions()["panhead"]
    }
    note = f"Some results were computed by other versions: {', '.join(sorted(older))}." if older else ""
    return PageTable("", ["", "Version"], rows, note=note)


def _files(pack: EvidencePack) -> PageTable:
    rows = [[run.key, run.file, run.sha256[:16], str(run.result.attrs["created"])] for run in pack.runs]
    return PageTable("Results", ["", "File", "SHA-256 (beginning)", "Computed"], rows)
