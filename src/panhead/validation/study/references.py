"""Study with a known answer, batched runs against single runs, a killed study that resumes.

With bilateral droppers the run is linear in the static force s: the mean of the contact force is a + b s, its variance
over time a quadratic v(s), both known from single runs. With s normal (μ, σ) the exact answers are

    E[F_m] = a + b μ,   Var[F_m] = b² σ²,   E[v] = v(μ) + ½ v″ σ²,   P(F_m > F) = Φ((a + b μ − F)/(b σ))
"""

from __future__ import annotations

import multiprocessing
import tempfile
import time
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import ndtr

from panhead.assess import judgement
from panhead.engine.jobs import Job
from panhead.explore.studies.answers import control_of, spreads
from panhead.explore.studies.control_variates import FEWEST, with_control_variates
from panhead.explore.studies.intervals import DRAWS, Control, mean_interval
from panhead.explore.studies.run_study import conduct
from panhead.explore.studies.sample_plan import Plan, Sample
from panhead.explore.studies.sample_worker import InProcess, path_of
from panhead.explore.studies.study_description import Study
from panhead.files import parse
from panhead.runs.description import Run
from panhead.runs.linear.run_driver import drive
from panhead.runs.linear.run_lanes import advance, groups
from panhead.runs.linear.session import start
from panhead.runs.resolve import resolve
from panhead.runs.simulate import simulate
from panhead.runs.streams import Streams
from panhead.validation.checks import AFTER, BEFORE, CLOSED_FORM, Check, at_least, below, listed, near

if TYPE_CHECKING:
    import xarray as xr

MEAN, DEVIATION = 120.0, 5.0  # of the static force [N]
REPEATED, SAMPLES = 100, 8
_SPANS = {"tension_lengths": [{"name": "T1", "spans": [{"length": 50.0, "count": 5, "dropper_count": 6}]}]}
_SHORT: dict[str, Any] = {
    "line_changes": _SPANS,
    "numerics": {"step": "2 ms"},
    "journey": {"judged_from": 100.0, "judged_to": 150.0, "stop": 160.0, "ramp": 0.4},
    "speed": 60.0,
}
_FORCE = "train.0.changes.static_force"
_LAW = {"kind": "normal", "mean": f"{MEAN} N", "deviation": f"{DEVIATION} N"}


def study() -> list[Check]:
    """All rows."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [*_known_answer(), *_batch_rows(), *_resumption_rows()]


def _plan(**given: Any) -> Plan:
    raw = {"base": "en50318-300", "changes": _SHORT, "form": "tolerance"} | given
    return Plan.of("study", parse.build(Study, raw, source="study"))


def _known_answer() -> Iterator[Check]:
    """Repeat the study a hundred times with different seeds and compare with the exact answers."""
    with tempfile.TemporaryDirectory() as place:
        yield from _repeated(Path(place))


def _repeated(tangents: Path) -> Iterator[Check]:
    tried = MEAN + DEVIATION * np.array([-1.0, 0.0, 1.0])
    judged = [_judged(_linear(0).run_of(Sample(-1, (f"{s} N",)))) for s in tried]
    force, limit = np.array([one["mean_force"][0] for one in judged]), judged[0]["mean_force"][1]
    square = np.array([one["deviation"][0] for one in judged]) ** 2
    slope = (force[2] - force[0]) / 2  # of one standard deviation of s
    missed = float(ndtr((force[1] - limit) / slope))
    variance = float(square[1] + 0.5 * (square[0] - 2 * square[1] + square[2]))
    inside, means, sharpened = np.zeros(3, int), [], []
    for seed in range(REPEATED):
        with tempfile.TemporaryDirectory() as folder:
            index = conduct(_linear(seed), Path(folder), InProcess(), controls=False)
        sharpened.append(_control_variate_rows(_linear(seed), index, tangents))
        found = {s.key: s for s in spreads(_squared(index))}
        mean, of_square = found["mean_force"], found["deviation"]
        inside[0] += abs(mean.mean - force[1]) <= mean.mean_error
        inside[1] += abs(of_square.mean - variance) <= of_square.mean_error
        inside[2] += mean.failing.low <= missed <= mean.failing.high
        means += index["value"].sel(criterion="mean_force").to_numpy()[:, 0].tolist()
    asked = f"95 % intervals of 100 studies of {SAMPLES} plain random samples; 93 asked for"
    rows = ("mean force", "a + b μ"), ("force's variance", "v(μ) + ½ v″σ²"), ("share over the limit", f"{missed:.4f}")
    for (words, exact), count in zip(rows, inside, strict=True):
        yield at_least(f"{words} in its interval, of 100", count, 93, "1", f"{asked}; exact: {exact}", by=BEFORE)
    three = 3.0 / np.sqrt(2.0 * len(means))
    source = f"b σ; three standard errors of {len(means)} independent samples"
    yield near(
        "deviation of the mean force", float(np.std(means, ddof=1)), slope, "N", source, by=CLOSED_FORM, rel=three
    )
    bend = abs(force[0] - 2 * force[1] + force[2]) / 2  # of E[F_m], if the run were not linear
    hundredth = 0.01 * slope / np.sqrt(SAMPLES)
    source = "1 % of the standard error of a study's mean: exact enough to assess its interval"
    yield below("mean force, what the run's bend in the static force adds", bend, hundredth, "N", source, by=AFTER)
    yield _coverage(force[1], slope)
    yield from _controlled(np.array(sharpened), square)


def _control_variate_rows(plan: Plan, index: xr.Dataset, tangents: Path) -> list[tuple[float, float]]:
    """Mean of σ and half-width of its interval, from samples alone and with the gradient as control variate."""
    index = with_control_variates(plan, index, tangents, compute=True)
    k = list(index["criterion"].to_numpy()).index("deviation")
    sigma = index["value"].to_numpy()[:, 0, k]
    return [mean_interval(sigma), mean_interval(sigma, control_of(index, k, np.nan))]


def _controlled(found: np.ndarray, square: np.ndarray) -> Iterator[Check]:
    """found (100, 2, 2): plain and controlled, mean and half of the interval; square (3,): v at −σ, 0 and +σ of s."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(40)
    parabola = np.polyfit([-1.0, 0.0, 1.0], square, 2)
    sigma = lambda x: np.sqrt(np.polyval(parabola, x))
    exact = float(weights @ sigma(nodes) / weights.sum())
    source = (
        f"E[√v] = {exact:.5g} N; missed: 93 of 100 were asked for before, 10 of 12 were seen, by a straight line and "
        f"residuals taken as alike; {SAMPLES} samples are too few for a control, which a study uses from 64 on"
    )
    inside = int((np.abs(found[:, 1, 0] - exact) <= found[:, 1, 1]).sum())
    yield listed("mean of σ with its gradient as control, in its interval, of 100", inside, 95, "1", source)
    yield _control_coverage(sigma, exact)
    gain = float(found[:, 0, 0].var() / found[:, 1, 0].var())
    words = "variance of the mean of σ, samples alone over control variate"
    yield at_least(words, gain, 10, "1", "of the 100 studies; v is nearly linear in s", by=BEFORE)


def _control_coverage(sigma: Any, exact: float) -> Check:
    """How often the interval of the fewest samples that get a control holds E[σ]; the control's mean and deviation are
    those of so many draws, as in a study."""
    random, inside, times = np.random.default_rng(0), 0, 2000
    for _ in range(times):
        x, (mean, deviation) = random.standard_normal(FEWEST), random.standard_normal(2) / np.sqrt([DRAWS, 2 * DRAWS])
        found, half = mean_interval(sigma(x), Control(x, mean, 1.0 + deviation, np.zeros(3)))
        inside += abs(found - exact) <= half
    words = f"mean of σ with its gradient as control, in its interval, of {times} times {FEWEST} random samples"
    return at_least(words, inside / times, 0.93, "1", "law √v(s), v the parabola; requirement: 93 of 100", by=AFTER)


def _linear(seed: int) -> Plan:
    vary = [{"input": _FORCE, "distribution": _LAW}]
    return _plan(changes=_SHORT | {"droppers": "bilateral"}, samples=SAMPLES, sampling="random", seed=seed, vary=vary)


def _coverage(mean: float, deviation: float) -> Check:
    """Coverage of the interval of plain random samples of the law a + b s."""
    drawn = mean + deviation * np.random.default_rng(0).standard_normal((10_000, SAMPLES))
    found = np.array([mean_interval(x) for x in drawn])
    share = float((np.abs(found[:, 0] - mean) <= found[:, 1]).mean())
    error = 3.0 * np.sqrt(0.95 * 0.05 / len(drawn))
    words = f"mean in its interval, of 10 000 times {SAMPLES} random samples"
    return near(words, share, 0.95, "1", "law a + b s; three standard errors", by=CLOSED_FORM, tol=error)


def _judged(run: Run) -> dict[str, tuple[float, float]]:
    """Value and limit of every assessed quantity, from the single run."""
    criteria = next(iter(judgement(simulate(run))[""].values()))
    return {c.key: (c.value, np.nan if c.limit is None else c.limit) for c in criteria}


def _squared(index: xr.Dataset) -> xr.Dataset:
    """The index with the variance of the force instead of its deviation."""
    return index.assign(value=index["value"].where(index["criterion"] != "deviation", index["value"] ** 2))


def _batch_rows() -> Iterator[Check]:
    """Ten spans with scattered droppers, forces and speeds (one matrix), scattered tensions (their own), beside single
    runs."""
    hard = {"numerics": {"step": "2 ms", "coarse": True}, "speed": 78.0}
    law = {"kind": "normal", "mean": 0.0, "deviation": "4 mm"}
    pressing = {"input": _FORCE, "distribution": _LAW | {"mean": "80 N"}}
    fast = {"input": "speed", "distribution": {"kind": "uniform", "low": "76 m/s", "high": "80 m/s"}}
    pulls = {"of": "contact tension", "distribution": {"kind": "normal", "mean": 0.0, "deviation": "0.5 kN"}}
    droppers = {"of": "dropper length", "distribution": law}
    for words, count, scatter in (("one matrix", 8, [droppers]), ("matrices of their own", 4, [droppers, pulls])):
        plan = _plan(changes=hard, samples=count, vary=[pressing, fast], scatter=scatter)
        apart, slack, lost = _apart([plan.run_of(s) for s in plan.samples()])
        source = f"single runs of ten spans; {slack} slackenings, {lost} steps without contact"
        yield below(f"lanes with {words}, largest difference of force", apart, 1e-9, "N", source, by=BEFORE)
        yield at_least(f"lanes with {words}, slackenings", slack, 1, "1", "must occur in the batch", by=BEFORE)
        yield at_least(f"lanes with {words}, steps without contact", lost, 1, "1", "must occur in the batch", by=BEFORE)


def _apart(runs: Sequence[Run]) -> tuple[float, int, int]:
    """Largest difference of the contact force from the single run's; slackenings and steps without contact."""
    sessions = [start(resolve(run)) for run in runs]
    apart, slack, lost = 0.0, 0, 0
    for group in groups(sessions):
        record, _ = advance(group)
        for lane, session in enumerate(group):
            streams = Streams(None)
            drive(session.model, streams, Job())
            force = streams.table("contact")[:, 1]
            apart = max(apart, float(np.abs(record[: force.size, lane, 0, 0] - force).max()))
            slack += len(streams.table("slack"))
            lost += int((force[round(0.3 / session.sc.h) :] == 0.0).sum())  # lifted by then
    return apart, slack, lost


def _resumption_rows() -> Iterator[Check]:
    """Study that is killed and resumed, against an uninterrupted one and one in another order."""
    scatter = [{"of": "dropper length", "distribution": {"kind": "normal", "mean": 0.0, "deviation": "4 mm"}}]
    plan = _plan(samples=24, vary=[{"input": _FORCE, "distribution": _LAW}], scatter=scatter)
    with tempfile.TemporaryDirectory() as place:
        folder, other = Path(place) / "killed", Path(place) / "whole"
        worker = multiprocessing.get_context("spawn").Process(target=_conduct, args=(plan, folder))
        worker.start()
        while worker.is_alive() and len(list((folder / "samples").glob("*.nc"))) < 3:
            time.sleep(0.02)
        worker.kill()
        worker.join()
        kept = len(list((folder / "samples").glob("*.nc")))
        index, whole = conduct(plan, folder, InProcess()), conduct(plan, other, InProcess())
        path_of(other, plan.key(plan.samples()[17])).unlink()  # then alone, not among seven others
        again = conduct(plan, other, InProcess())
    differing = sum(not index[name].equals(one[name]) for one in (whole, again) for name in index.data_vars)
    source = f"bits; killed with {kept} of 24 samples written"
    yield below("study killed and gone on with, variables that differ", differing, 0.5, "1", source, by=BEFORE)


def _conduct(plan: Plan, folder: Path) -> None:
    conduct(plan, folder, InProcess())
