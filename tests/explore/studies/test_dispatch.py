"""Samples whose worker died are computed again, in the end one by one; the one to blame is kept as failed."""

import os
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import pytest

from panhead.errors import SimulationError
from panhead.explore.studies import sample_file
from panhead.explore.studies.dispatch import compute_all
from panhead.explore.studies.sample_outcome import failure
from panhead.explore.studies.sample_worker import Processes, path_of, write

from .test_samples import planned


class Mortal:
    """A worker that dies of some samples, having written those before; ``begun`` counts how often each was tried."""

    count = ahead = 1
    lost = (BrokenProcessPool,)

    def __init__(self, deadly):
        self.deadly, self.begun = deadly, {}

    def submit(self, task, folder, samples, keys):
        future = Future()
        for sample, key in zip(samples, keys, strict=True):
            self.begun[sample.number] = self.begun.get(sample.number, 0) + 1
            if sample.number in self.deadly:
                future.set_exception(BrokenProcessPool("killed"))
                return future
            write(Path(folder), sample, key, failure("as good as done"))
        future.set_result(0)
        return future

    def done(self, waiting):
        return list(waiting), []


def speeds(count):
    return planned(form="compare", vary=[{"input": "speed", "first": 50.0, "last": 60.0, "steps": count}])


def test_a_sample_that_kills_its_worker_costs_itself(tmp_path):
    plan, hands, seen = speeds(16), Mortal({5}), []
    compute_all(tmp_path, plan, plan.samples(), hands, lambda *said: seen.append(said))
    assert seen[-1] == (16, 16, 1)
    said = {s.number: sample_file.load(path_of(tmp_path, plan.key(s))).attrs["message"] for s in plan.samples()}
    blamed = said.pop(5)
    assert "its worker died every time" in blamed
    assert plan.key(plan.samples()[5]) in blamed  # the file to be deleted
    assert set(said.values()) == {"as good as done"}
    assert hands.begun.pop(5) == 4  # twice with others, twice alone
    assert set(hands.begun.values()) == {1}  # what was written was not computed again


def test_workers_that_all_die_end_the_study_and_say_so(tmp_path):
    plan = speeds(40)
    with pytest.raises(SimulationError, match=r"9 samples in a row died.*Repeat the command to continue"):
        compute_all(tmp_path, plan, plan.samples(), Mortal(set(range(40))), lambda *said: None)


def test_a_process_that_dies_takes_no_other_with_it():
    crew = Processes(2)
    try:
        bad, good = crew.submit(os._exit, 1), crew.submit(abs, -7)
        assert good.result() == 7
        assert isinstance(bad.exception(), crew.lost)
        assert [crew.submit(abs, -k).result() for k in range(3)] == [0, 1, 2]  # a new one in its place
    finally:
        crew.close()
