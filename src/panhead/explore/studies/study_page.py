"""Report page of a study: the answer, statistics, influences, worst samples."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from panhead.assess.criteria import shown_unit
from panhead.assess.number_text import brief, number, with_bar
from panhead.desk.reports.page import Block, Mood, Page, PageTable, PageVerdict, page_with
from panhead.explore.studies import answers, study_charts
from panhead.explore.studies.control_variates import quantity_of
from panhead.explore.studies.intervals import samples_without_a_miss
from panhead.explore.studies.sample_plan import Plan
from panhead.explore.studies.sentences import ALLOWED, SENTENCES, setting_sentence, share_mood, with_undecided
from panhead.explore.studies.study_description import Study, in_words
from panhead.files import parse

if TYPE_CHECKING:
    import xarray as xr

_MOODS: dict[str, Mood] = {"met": "good", "not met": "bad"}
_FAILED = 0.05  # a study of which more fails says so on top
_WORST = 10
_INPUTS = 3  # named of a sample
_NO_SPREAD = 1e-6  # of a quantity: a deviation that is rounding


def page(index: xr.Dataset, folder: str = "") -> Page:
    """The report of one study; ``folder`` is named in the commands that replay a sample."""
    plan = plan_of(index)
    study, found = plan.study, answers.spreads(index, seed=plan.study.seed) if _has_random_samples(plan, index) else []
    sections: dict[str, Sequence[Block | None]] = {
        "Result": _answer(plan, index, found),
        "Distributions": _spread(index, found),
        "Influence of the inputs": _drivers(plan, index),
        "Worst samples": [_worst(index, folder)],
        "Failed samples": [_failures(index)],
        "About this study": _about(plan, index),
    }
    return page_with(plan.name, study.about or f"{study.form} study of {study.base}", verdict(plan, index), sections)


def plan_of(index: xr.Dataset) -> Plan:
    """The study an index was collected from."""
    raw = json.loads(index.attrs["study"])
    return Plan(raw["name"], parse.build(Study, raw["study"], source="index"), raw["base"])


def verdict(plan: Plan, index: xr.Dataset) -> PageVerdict:
    """The answer in a sentence; missing and failed samples are stated first."""
    done, wanted = index.sizes["sample"], int(index.attrs["wanted"])
    failed = int((~answers.good(index)).sum())
    details = [] if done == wanted else [f"{wanted - done} of {wanted} samples have not been computed yet."]
    if failed:
        details.append(f"{failed} of {done} samples failed; they are listed below.")
    if failed > _FAILED * max(1, done):
        return PageVerdict(
            "bad",
            f"{100 * failed / done:.0f} % of the samples failed; find the cause before using the others.",
            details,
        )
    if failed == done:
        return PageVerdict("warning", "No sample has been computed yet.", details)
    mood, sentence = with_undecided(index, *SENTENCES[plan.study.form](plan, index))
    setting = setting_sentence(index.isel(sample=answers.good(index)))
    return PageVerdict(mood, sentence, details, [] if setting is None else [setting])


def _has_random_samples(plan: Plan, index: xr.Dataset) -> bool:
    """True if the samples are random and some have been computed."""
    return "value" in index and plan.study.form in ("tolerance", "sensitivity")


def _answer(plan: Plan, index: xr.Dataset, found: list[answers.Spread]) -> list[Block | None]:
    if "value" not in index:
        return []
    form = plan.study.form
    if form in ("speed", "limit", "compare"):
        return [study_charts.curves(index), _curve_table(index)]
    missed = bool((answers.judged(index) == "not met").any())  # else these show nothing but an interval
    charts = [study_charts.convergence(index), study_charts.spans(index)] if missed else []
    return [_probability_table(index, found), study_charts.force_by_span(index), *charts]


def _curve_table(index: xr.Dataset) -> PageTable:
    """Every run and its assessed quantities."""
    keys = [str(k) for k in index["criterion"].to_numpy()]
    shown = study_charts.shown_keys(index)
    units = [shown_unit(str(index["criterion_unit"].to_numpy()[keys.index(k)])) for k in shown]
    names = [str(index["criterion_name"].to_numpy()[keys.index(k)]) for k in shown]
    varied = [in_words(str(v)) for v in index["varied"].to_numpy()]
    several = index.sizes["pantograph"] > 1
    heads = [
        *varied,
        *(["pantograph"] if several else []),
        *(f"{n} ({u})" for n, (u, _) in zip(names, units, strict=True)),
    ]
    rows: list[list[str]] = []
    moods: list[Mood] = []
    order = np.lexsort(index["number"].to_numpy().T[::-1])
    for k in order:
        for p, name in enumerate(index["pantograph"].to_numpy()):
            values = index["value"].to_numpy()[k, p]
            cells = [number(values[keys.index(key)] * scale, 4) for key, (_, scale) in zip(shown, units, strict=True)]
            rows.append(
                [
                    *map(str, index["input"].to_numpy()[k]),
                    *([str(name).partition(":")[0]] if several else []),
                    *cells,
                    *(str(index[of].to_numpy()[k]).replace(" ", "\u00a0") for of in ("quality", "setting")),  # one line
                ]
            )
            moods.append(_MOODS.get(str(answers.judged(index)[k]), "warning"))
    return PageTable("Every run", [*heads, "contact quality", "setting"], rows, moods)


def _probability_table(index: xr.Dataset, found: list[answers.Spread]) -> PageTable:
    """Every limit: how many samples miss it, how far the worst of them stays away, and what that shows."""
    rows: list[list[str]] = []
    moods: list[Mood] = []
    for s in found:
        if s.limit is None:
            continue
        unit, scale = shown_unit(s.unit)
        f = s.failing
        share = "" if f.controlled is None else f"{100 * f.value:.3g} %, "
        varies = s.deviation > _NO_SPREAD * max(abs(s.mean), abs(s.limit))
        away = number(abs(s.limit - s.mean) / s.deviation, 2) if varies else "–"
        rows.append(
            [
                s.name,
                f"{brief(s.limit * scale)} {unit}",
                f"{f.count} of {f.of}",
                f"{share}{100 * f.low:.3g} … {100 * f.high:.3g} %",
                f"{number(s.worst * scale)} {unit}".strip(),
                away,
            ]
        )
        moods.append(share_mood(f))
    needed = samples_without_a_miss(ALLOWED)
    note = (
        f"95 % intervals by Wilson. ✓: the whole interval lies below 5 %, which takes {needed} samples without a miss; "
        "i: no sample misses it, but there are fewer; !: some do, and 5 % lies in the interval; ✕: the whole "
        "interval lies above. Last column: distance of the mean from the limit in standard deviations; "
        "–: it does not vary."
    )
    heads = ["Criterion", "Limit", "Missed", "Probability, 95 % interval", "Worst sample", "Distance (σ)"]
    return PageTable("Limits over all samples", heads, rows, moods, note=note + answers.variates_text(index))


def _spread(index: xr.Dataset, found: list[answers.Spread]) -> list[Block | None]:
    if not found:
        return []
    rows, keys = [], [s.key for s in found]
    for s in found:
        if quantity_of(s.key, keys) != s.key:
            continue  # the same numbers beside their other limit
        unit, scale = shown_unit(s.unit)
        cells = [with_bar(s.mean * scale, s.mean_error * scale), number(s.deviation * scale)]
        for q, (a, b) in zip(s.quantiles, s.intervals, strict=True):
            cells.append(f"{number(q * scale)} [{number(a * scale)}, {number(b * scale)}]")
        rows.append([s.name, unit, *cells])
    heads = ["Number", "Unit", "Mean", "Deviation", "5 % quantile", "Median", "95 % quantile"]
    note = "In brackets and after ±: 95 % intervals, of the quantiles by resampling." + answers.variates_text(index)
    return [study_charts.histograms(index), PageTable("Over all samples", heads, rows, note=note)]


def _drivers(plan: Plan, index: xr.Dataset) -> list[Block | None]:
    if not _has_random_samples(plan, index):
        return []
    blocks: list[Block | None] = [study_charts.tornado(plan, index), study_charts.scatter(index)]
    if plan.study.form == "sensitivity":
        blocks.insert(0, study_charts.index_table(plan, index))
    return blocks


def _worst(index: xr.Dataset, folder: str) -> PageTable | None:
    """The samples with the largest deviation of the force, and the command that replays each."""
    if "value" not in index:
        return None
    keys = [str(k) for k in index["criterion"].to_numpy()]
    sigma = np.nanmax(
        np.where(answers.good(index)[:, None], index["value"].to_numpy()[:, :, keys.index("deviation")], -1), axis=1
    )
    order = np.argsort(-sigma)[:_WORST]
    inputs = min(index.sizes["varied"], _INPUTS)
    rows = [
        [
            str(index["sample"].to_numpy()[k]),
            *map(str, index["input"].to_numpy()[k, :inputs]),
            number(float(sigma[k])),
            str(index["quality"].to_numpy()[k]),
            f"panhead study rerun {folder or 'FOLDER'} {index['sample'].to_numpy()[k]}",
        ]
        for k in order
        if sigma[k] >= 0
    ]
    heads = [in_words(str(v)) for v in index["varied"].to_numpy()[:inputs]]
    return PageTable("", ["Sample", *heads, "Largest σ (N)", "Contact quality", "Command to repeat it"], rows)


def _failures(index: xr.Dataset) -> PageTable | None:
    bad = np.flatnonzero(~answers.good(index))
    if not bad.size:
        return None
    rows = [[str(index["sample"].to_numpy()[k]), str(index["message"].to_numpy()[k])] for k in bad[:50]]
    return PageTable("", ["Sample", "Reason"], rows, note=f"{bad.size} in all." if bad.size > 50 else "")


def _about(plan: Plan, index: xr.Dataset) -> list[Block | None]:
    study = plan.study
    rows = [
        ["Base run", study.base],
        ["Form", study.form],
        ["Samples", f"{index.sizes['sample']} of {index.attrs['wanted']}"],
    ]
    if study.form in ("tolerance", "sensitivity"):
        rows += [["Sampling", f"{study.sampling}, seed {study.seed}"]]
    for v in study.vary:
        rows.append([f"Varies: {v.input}", _stated_part(parse.to_plain(v), "input")])
    for s in study.scatter:
        rows.append([f"Scatters: {s.of}", _stated_part(parse.to_plain(s), "of")])
    rows.append(["Version", str(json.loads(index.attrs["study"])["version"])])
    return [
        PageTable(
            "",
            ["Item", "Value"],
            rows,
            note="Each sample has its own file in samples/; index.nc and index.csv contain all samples.",
        )
    ]


def _stated_part(plain: Mapping[str, Any], *known: str) -> str:
    """Settings of a part of the study, without defaults and values shown elsewhere."""
    said = []
    for key, value in plain.items():
        if isinstance(value, Mapping):
            said.append(_stated_part(value))
        elif key not in known and value not in (None, [], 0.0):
            listed = ", ".join(map(str, value)) if isinstance(value, list) else value
            unit = " m" if key == "correlation" else ""
            said.append(str(listed) if key == "kind" else f"{key} {listed}{unit}")
    return "; ".join(said)
