"""Samples per second of a study: batched and single runs in one process, whole samples, one and two workers."""

import tempfile
import warnings
from dataclasses import replace
from pathlib import Path
from time import perf_counter, process_time

import numpy as np
from timing import ratio, spread

from panhead.engine.jobs import Job
from panhead.explore.studies.dispatch import compute_all
from panhead.explore.studies.sample_plan import Plan, read
from panhead.explore.studies.sample_worker import compute, local_workers, outcomes_of
from panhead.runs.linear import run_driver as single
from panhead.runs.linear.run_lanes import advance, groups
from panhead.runs.linear.session import start
from panhead.runs.resolve import resolve
from panhead.runs.streams import Streams

REPEATS = 3
_WARM, _MANY = 16, 256  # samples: before the clock, and by it


def measure() -> dict[str, object]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        own = read("erection-tolerances")
        shared = replace(own, study=replace(own.study, scatter=own.study.scatter[:1]))
        figures: dict[str, object] = {}
        for words, plan in (("one matrix", shared), ("own matrices", own)):
            figures |= _steps(words, plan) | _samples(words, plan)
        return figures | _workers(own)


def _steps(words: str, plan: Plan) -> dict[str, object]:
    """µs per step and run of the kernels alone, eight runs of ten spans."""
    sessions = [start(resolve(plan.run_of(s))) for s in plan.samples()[:8]]
    steps = sum(s.model.steps for s in sessions)
    parts = groups(sessions)
    lanes, alone = [], []
    for k in range(REPEATS + 1):
        begin = process_time()
        for part in parts:
            advance(part)
        middle = process_time()
        taken = _single(sessions)
        if k:  # the first compiles
            lanes.append((middle - begin) / steps)
            alone.append(taken / steps)
    return {
        f"{words}: single run, µs a step": spread(np.array(alone), unit=1e-6),
        f"{words}: lanes, µs a step and run": spread(np.array(lanes), unit=1e-6),
        f"{words}: lanes, times faster than single runs": ratio(alone, lanes),
    }


def _single(sessions) -> float:
    """Seconds in the kernel of single runs, without everything around it."""
    seconds, kernel = 0.0, single.run_plain

    def timed(*given):
        nonlocal seconds
        begin = process_time()
        found = kernel(*given)
        seconds += process_time() - begin
        return found

    single.run_plain = timed
    try:
        for s in sessions:
            single.drive(s.model, Streams(None), Job())
    finally:
        single.run_plain = kernel
    return seconds


def _samples(words: str, plan: Plan) -> dict[str, object]:
    """Whole samples, from description to assessment."""
    taken = []
    for k in range(1, REPEATS + 1):
        begin = process_time()
        list(outcomes_of(plan, plan.samples()[8 * k : 8 * k + 8]))
        taken.append((process_time() - begin) / 8)
    return {
        f"{words}: whole sample, ms": spread(np.array(taken), unit=1e-3),
        f"{words}: 10 000 samples on two cores, minutes": float(np.median(taken)) * 10_000 / 2 / 60,
    }


def _workers(plan: Plan) -> dict[str, object]:
    """Samples with one and two processes, both already started, and the speed-up possible on this machine."""
    from panhead.explore.studies.run_study import prepare

    plan = replace(plan, study=replace(plan.study, samples=_WARM + _MANY))
    told, seconds = (lambda done, of, failed: None), {}
    for count in (1, 2):
        with tempfile.TemporaryDirectory() as place, local_workers(count) as hands:
            prepare(plan, Path(place))
            compute_all(Path(place), plan, plan.samples()[:_WARM], hands, told)
            begin = perf_counter()
            compute_all(Path(place), plan, plan.samples()[_WARM:], hands, told)
            seconds[count] = perf_counter() - begin
    return {
        f"two workers, {_MANY} samples, times faster than one": seconds[1] / seconds[2],
        "two processes that share nothing, times one": _apart(plan),
    }


def _apart(plan: Plan) -> float:
    """Ideal speed-up: twice the time of one process over that of two running at the same time."""
    from panhead.explore.studies.run_study import prepare

    samples = plan.samples()[: _MANY // 4]
    keys, seconds = [plan.key(s) for s in samples], []
    with local_workers(2) as hands:
        for count in (2, 1, 2, 1):  # the first two times warm up
            with tempfile.TemporaryDirectory() as place:
                folders = [Path(place) / str(k) for k in range(count)]
                for folder in folders:
                    prepare(plan, folder)
                begin = perf_counter()
                waiting = [hands.submit(compute, str(folder), samples, keys) for folder in folders]
                while waiting:
                    waiting = hands.done(waiting)[1]
                seconds.append(perf_counter() - begin)
    return 2.0 * seconds[3] / seconds[2]
