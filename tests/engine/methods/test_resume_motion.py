"""A motion that was stopped goes on from its checkpoint: the same bits as if nothing had happened."""

import os

import numpy as np
import pytest

from panhead.engine.jobs import Job
from panhead.errors import FileError, Interrupted, ModelError
from panhead.runs import scenarios
from panhead.runs.checkpoints import disk
from panhead.runs.streams import Streams

# what each leaves from one step to the next: nothing but y; length and rate of a step; independent coordinates; pivots;
# also a factor and the element under a slider; the step's own length; closed contacts and strikes; where wheels stood
MOTIONS = {
    "runge-kutta": ("double-pendulum", ["run.duration=1 s"]),
    "adaptive": ("double-pendulum", ["run.duration=0.25 s", "run.method=DOP853"]),
    "embedded": ("planar-pantograph", ["run.formulation=embedded"]),
    "alpha": ("slider-crank", []),
    "sliding": ("sliding-mass-on-cable", ["run.factor=while it serves"]),
    "own steps": ("sliding-mass-on-cable", ["run.duration=1 s", "run.local_error=1e-6"]),
    "strikes": ("pendulum-leaves-beam", ["run.duration=0.3 s"]),
}
VEHICLE = ("vehicle-curve", ["duration=0.4 s"])


@pytest.fixture
def often(monkeypatch):
    """A checkpoint whenever one may be, on a disk that is quick."""
    monkeypatch.setattr(disk, "INTERVAL", 0.0)
    monkeypatch.setattr(os, "fsync", lambda handle: None)


def stop(fraction, message=""):
    if fraction >= 0.5:
        raise KeyboardInterrupt


def in_two_pieces(name, settings, folder):
    """The whole run, and the same stopped half-way and gone on with."""
    scenario, seen = scenarios.read(name, settings), []
    whole = scenario.simulate()
    with pytest.raises(Interrupted, match="interrupted at t = ") as stopped:
        scenario.simulate(Job(out=folder, progress=stop))
    assert 0 < stopped.value.partial.sizes["time"] < whole.sizes["time"]  # what was computed is told
    again = scenario.simulate(Job(out=folder, resume=True, progress=lambda f, m="": seen.append(f)))
    assert min(f for f in seen if f) >= 0.2  # it did not begin anew
    return whole, again


def assert_same_bits(whole, again):
    differing = [n for n in whole.variables if whole[n].values.tobytes() != again[n].values.tobytes()]
    assert differing == []


@pytest.mark.parametrize("motion", MOTIONS)
def test_a_motion_goes_on_with_the_same_bits(often, tmp_path, motion):
    assert_same_bits(*in_two_pieces(*MOTIONS[motion], tmp_path))


def test_a_ride_goes_on_with_the_same_bits(often, tmp_path):
    """Stopped by a person it is no ride that has ended: it used to be kept as a finished one."""
    whole, again = in_two_pieces(*VEHICLE, tmp_path)
    assert_same_bits(whole, again)
    assert again.attrs["outcome"] == whole.attrs["outcome"] == "on the track"


@pytest.mark.slow
@pytest.mark.parametrize("name", [n for n, p in scenarios.shipped().items() if 'kind = "motion"' in p.read_text()])
def test_every_shipped_motion_goes_on_with_the_same_bits(often, tmp_path, name):
    assert_same_bits(*in_two_pieces(name, [], tmp_path))


def stopped_crank(folder):
    scenario = scenarios.read("slider-crank", ["run.duration=0.2 s"])
    with pytest.raises(Interrupted):
        scenario.simulate(Job(out=folder, progress=stop))
    return scenario


def test_checkpoints_of_another_motion_are_refused(often, tmp_path):
    stopped_crank(tmp_path)
    with pytest.raises(FileError, match="belongs to another run"):
        scenarios.read("slider-crank", ["run.duration=0.3 s"]).simulate(Job(out=tmp_path, resume=True))


@pytest.mark.parametrize("wrong", ["row_of", "column", "q", "step"])
def test_a_crafted_checkpoint_is_refused(often, tmp_path, wrong):
    """Places that kernels would read beyond their arrays, lengths and steps that are none of this run's."""
    scenario = stopped_crank(tmp_path)
    streams = Streams(tmp_path)
    arrays, facts = streams.restore()
    if wrong == "step":
        facts["step"] = 10**9
    else:
        arrays[wrong] = arrays[wrong][:-1] if wrong == "q" else arrays[wrong] + 10**9
    streams.save(arrays, facts)
    with pytest.raises(ModelError, match=r"does not belong to this run[\s\S]*run without --resume"):
        scenario.simulate(Job(out=tmp_path, resume=True))


def test_a_method_with_a_history_says_that_it_starts_anew(often, tmp_path):
    said = []
    settings = ["run.duration=0.1 s", "run.method=LSODA"]
    again = scenarios.read("double-pendulum", settings).simulate(Job(out=tmp_path, resume=True, say=said.append))
    assert said == ["checkpoints cannot store the history that LSODA keeps. The run starts from the beginning"]
    assert np.isfinite(again["q"]).all()
