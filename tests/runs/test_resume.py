"""Every kind of run that is stopped goes on from where it was: the same bits as if nothing had happened."""

import os
from dataclasses import replace

import numpy as np
import pytest

from panhead.engine.jobs import Job
from panhead.errors import FileError, Interrupted
from panhead.explore.designs import actuator_bound
from panhead.runs import scenarios
from panhead.runs.cables.head_laws import Callback
from panhead.runs.checkpoints import EvaluationCache, disk
from panhead.runs.coupled import exchange_loop
from panhead.runs.description import HeadLaw, OnTrain
from panhead.runs.linear import run_driver
from panhead.runs.simulate import simulate_one
from panhead.runs.streams import Streams
from panhead.validation.line_gradient.differences import with_changes
from panhead.validation.line_gradient.rough import base
from runs.cables import builders

pytestmark = pytest.mark.filterwarnings("ignore::panhead.errors.RunWarning")
STEPS = 40  # of 1 ms
SHORT = [f"journey.duration={STEPS * 1e-3}", "journey.judged_from=51", "journey.judged_to=52", "coupling.truth=0"]
FORCE = HeadLaw(kind="force", parameters={"mean": 0.01})  # it remembers


@pytest.fixture(autouse=True)
def often(monkeypatch):
    """A checkpoint whenever one may be, on a disk that is quick."""
    monkeypatch.setattr(disk, "INTERVAL", 0.0)
    monkeypatch.setattr(exchange_loop, "_PROGRESS", 5)
    monkeypatch.setattr(os, "fsync", lambda handle: None)


def stop(fraction, message=""):
    if fraction >= 0.5:
        raise KeyboardInterrupt


def assert_goes_on(simulate, folder):
    """Whole, and stopped half-way: the same, and not begun anew."""
    whole, seen = simulate(Job()), []
    with pytest.raises(Interrupted):
        simulate(Job(out=folder, progress=stop))
    again = simulate(Job(out=folder, resume=True, progress=lambda f, m="": seen.append(f)))
    assert seen[0] > 0.4
    assert [n for n in whole.variables if whole[n].values.tobytes() != again[n].values.tobytes()] == []


def cx(name="rigid", *settings, **changes):
    run = scenarios.read("s4-cx", [*SHORT, *settings]).description
    return replace(run.variant(next(v for v in run.variants if v.name == name)), **changes)


COUPLED = {
    "linkage": cx,
    "flexible head": lambda: cx("flexible head"),
    "gear": lambda: cx("rigid", "coupling.integration=gear"),
    "side by side": lambda: cx("rigid", "coupling.scheme=jacobi"),
    "with a law": lambda: cx(control=FORCE),
}


@pytest.mark.parametrize(
    "kind", [pytest.param(k, marks=() if k == "with a law" else pytest.mark.slow) for k in COUPLED]
)
def test_two_codes_go_on_with_the_same_bits(tmp_path, kind):
    run = COUPLED[kind]()
    assert_goes_on(lambda job: simulate_one(run, job), tmp_path)


def test_cables_with_a_law_that_remembers_go_on_with_the_same_bits(tmp_path):
    """It used to begin anew, and nobody said so."""
    run = replace(builders.run(duration=0.06, keep=0.01), control=FORCE)
    assert_goes_on(lambda job: simulate_one(run, job), tmp_path)


def test_what_is_made_in_python_begins_anew_and_says_so(tmp_path):
    """Another callable would look the same: the second half of a run would be that of another controller."""
    push = HeadLaw(kind="own", feedback=Callback(lambda t, m: 0.0))
    run, said = replace(builders.run(duration=0.06), control=push), []
    with pytest.raises(Interrupted):
        simulate_one(run, Job(out=tmp_path, progress=stop))
    other = replace(run, control=replace(push, feedback=Callback(lambda t, m: 50.0)))
    again = simulate_one(other, Job(out=tmp_path, resume=True, say=said.append))
    assert said == ["checkpoints cannot store a part that is made in Python. The run starts from the beginning"]
    assert np.array_equal(again["actuator_force"].to_numpy()[0, 1:], np.full(60, 50.0))


def test_a_checkpoint_of_another_coupled_run_is_refused(tmp_path):
    with pytest.raises(Interrupted):
        simulate_one(cx(), Job(out=tmp_path, progress=stop))
    with pytest.raises(FileError, match="belongs to another run"):
        simulate_one(cx(speed=70.0), Job(out=tmp_path, resume=True))


@pytest.mark.parametrize("wrong", ["step", "spans", "q"])
def test_a_checkpoint_that_does_not_fit_the_run_is_refused(tmp_path, monkeypatch, wrong):
    """A step beyond the end used to be believed, and the statistics of a run without steps failed."""
    monkeypatch.setattr(run_driver, "_CHECKPOINT", 1)
    run = with_changes(base(), {})
    with pytest.raises(Interrupted):
        simulate_one(run, Job(out=tmp_path, progress=stop))
    streams = Streams(tmp_path)
    state, facts = streams.restore()
    if wrong == "step":
        facts["step"] = 10**9
    else:
        state[wrong] = state[wrong] + 1000 if wrong == "spans" else state[wrong][:-1]
    streams.save(state, facts)
    with pytest.raises(FileError, match=r"\.run[\s\S]*does not belong to this run[\s\S]*run without --resume"):
        simulate_one(run, Job(out=tmp_path, resume=True))


def counted(monkeypatch, module, name):
    """How often a function is called."""
    calls, inner = [], getattr(module, name)
    monkeypatch.setattr(module, name, lambda *a, **k: (calls.append(1), inner(*a, **k))[1])
    return calls


@pytest.mark.slow
def test_the_ceiling_goes_on_with_the_same_bits(tmp_path, monkeypatch):
    asked = actuator_bound.Ceiling(run=with_changes(base(), {}), force=20.0, interval=0.02, lead=0.2, iterations=3)
    runs = counted(monkeypatch, actuator_bound, "tape_run")
    whole = actuator_bound.simulate(asked, Job())
    needed = len(runs)

    def late(fraction, message=""):
        if fraction > 0.6:
            raise KeyboardInterrupt

    with pytest.raises((KeyboardInterrupt, Interrupted)):
        actuator_bound.simulate(asked, Job(out=tmp_path, progress=late))
    runs.clear()
    again = actuator_bound.simulate(asked, Job(out=tmp_path, resume=True))
    assert len(runs) < needed - 1
    assert [n for n in whole.variables if whole[n].values.tobytes() != again[n].values.tobytes()] == []


def test_the_search_for_a_static_force_is_not_repeated(tmp_path):
    train = (OnTrain(pantograph="en50318-2002", mean_force=130.0),)
    run, heard = replace(with_changes(base(), {}), train=train), []

    def late(fraction, message=""):
        if fraction > 0.75:
            raise KeyboardInterrupt

    whole = simulate_one(run)
    with pytest.raises(Interrupted):
        simulate_one(run, Job(out=tmp_path, progress=late))
    again = simulate_one(run, Job(out=tmp_path, resume=True, progress=lambda f, m="": heard.append(m)))
    assert not any("static force" in words for words in heard)
    assert whole["contact_force"].to_numpy().tobytes() == again["contact_force"].to_numpy().tobytes()


def test_an_optimal_control_goes_on_with_the_same_bits(tmp_path):
    few = ["run.duration=0.2 s", "run.step=4 ms", "optimiser.iterations=8", "optimiser.method=l-bfgs"]
    scenario, heard = scenarios.read("planar-pantograph-control", few), []

    def impatient(fraction, message=""):
        heard.append(message)
        if len(heard) == 4:
            raise KeyboardInterrupt

    whole = scenario.simulate()
    assert scenario.simulate(Job(out=tmp_path, progress=impatient)).attrs["reason"] == "interrupted"
    again = scenario.simulate(Job(out=tmp_path, resume=True))
    assert [n for n in whole.variables if whole[n].values.tobytes() != again[n].values.tobytes()] == []


def test_trials_are_answered_once(tmp_path):
    asked = []

    def f(x):
        return lambda: asked.append(x) or np.array([x @ x])

    points = [np.array([1.0, 2.0]), np.array([0.1, 0.2])]
    first = EvaluationCache(Job(out=tmp_path), "search", "a run")
    answers = [first.at(x, f(x)) for x in (*points, points[0])]
    assert len(asked) == 2
    again = EvaluationCache(Job(out=tmp_path, resume=True), "search", "a run")
    assert [again.at(x, f(x)) for x in points] == answers[:2]
    assert len(asked) == 2
    with pytest.raises(FileError, match="belongs to another run"):
        EvaluationCache(Job(out=tmp_path, resume=True), "search", "another run")
