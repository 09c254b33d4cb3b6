"""Runs side by side: each as if it were alone, bit for bit, and as the single run has it."""

import numpy as np
import pytest

from panhead.engine.jobs import Job
from panhead.errors import ModelError
from panhead.runs import scenarios
from panhead.runs.batch import simulate_batch
from panhead.runs.linear.run_driver import drive
from panhead.runs.linear.run_lanes import advance, groups, same_matrix
from panhead.runs.linear.session import start
from panhead.runs.linear.step.active_set import OK
from panhead.runs.resolve import resolve
from panhead.runs.streams import Streams

LINE = {"tension_lengths": [{"name": "T1", "spans": [{"length": 50.0, "count": 5, "dropper_count": 6}]}]}
VISCOUS = LINE | {"dropper": {"damping": 20.0}}


def run(**changes):
    """Five spans in which droppers slacken and the head leaves the wire."""
    raw = {
        "kind": "run", "line": "en50318-2002", "line_changes": LINE, "speed": 75.0,
        "train": [{"pantograph": "en50318-2002", "changes": {"static_force": 170.0}}],
        "numerics": {"step": 2e-3, "coarse": True},
        "journey": {"judged_from": 100.0, "judged_to": 150.0, "stop": 180.0, "ramp": 0.2},
    }  # fmt: skip
    return scenarios.from_plain(raw | changes, source="trial").description


def with_tension(tension):
    return run(line_changes=LINE | {"wires": {"contact": {"tension": tension}}})


def pressing(force):
    return run(train=[{"pantograph": "en50318-2002", "changes": {"static_force": force}}])


def stitched(speed):
    return run(line="stitched-25kv", speed=speed)


def alone(given):
    """Contact force of the single run (steps,), and how many slackenings it has."""
    model, streams = resolve(given), Streams(None)
    _, failure = drive(model, streams, Job())
    assert failure is None
    return streams.table("contact").reshape(model.steps, 5)[:, 1], len(streams.table("slack"))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("which", ["one matrix", "matrices of their own", "viscous, sideways", "stitched"])
def test_lanes_have_the_bits_of_single_runs(which):
    runs = {
        "one matrix": [pressing(165.0), run(speed=70.0), run()],
        "matrices of their own": [with_tension(19e3), with_tension(20e3), with_tension(21e3)],
        "viscous, sideways": [run(lateral=True, line_changes=VISCOUS, speed=v) for v in (70.0, 75.0)],
        "stitched": [stitched(70.0), stitched(75.0)],  # whose matrices are not all pairs
    }[which]  # fmt: skip
    sessions = [start(resolve(r)) for r in runs]
    assert same_matrix(sessions) == (which != "matrices of their own")
    record, state = advance(sessions)
    assert not state.status.any()
    slack = 0
    for lane, given in enumerate(runs):
        force, slackenings = alone(given)
        assert np.array_equal(record[: force.size, lane, 0, 0], force)
        slack += slackenings
    assert slack > 3
    if which == "one matrix":
        assert (record[: force.size, 2, 0, 0] == 0.0).any()  # the head leaves the wire


@pytest.mark.filterwarnings("ignore")
def test_the_bits_of_a_run_do_not_depend_on_its_company():
    mine = start(resolve(run()))
    n = mine.model.steps
    record, state = advance([mine])
    for others in ([pressing(150.0), run(speed=65.0)], [with_tension(18e3)]):
        company = [start(resolve(r)) for r in others]
        found, ends = advance([*company, mine])
        lane = len(company)
        assert np.array_equal(found[:n, lane], record[:n, 0])
        assert np.array_equal(ends.uplift[:, lane], state.uplift[:, 0])
        assert np.array_equal(ends.uplift_time[:, lane], state.uplift_time[:, 0])


@pytest.mark.filterwarnings("ignore")
def test_a_run_that_fails_takes_nobody_with_it():
    good = start(resolve(run()))
    bad = start(resolve(run()))
    bad.state.z[:] = np.nan
    assert len(groups([good, bad])) == 1
    record, state = advance([bad, good])
    assert [s == OK for s in state.status[:2]] == [False, True]
    assert np.array_equal(record[:, 1], advance([good])[0][:, 0])


@pytest.mark.filterwarnings("ignore")
def test_together_is_judged_like_alone():
    """The result of a lane holds what is judged; a run that lanes cannot take is computed by itself."""
    from panhead.assess import judgement
    from panhead.runs.simulate import simulate

    apart = run(numerics={"step": 2e-3, "coarse": True, "spectral_radius": 0.9})
    off = run(train=[{"pantograph": "en50318-2002", "changes": {"static_force": -50.0}}])
    ours, other, failed = simulate_batch([run(), apart, off])
    assert isinstance(failed, ModelError)
    for found, given in ((ours, run()), (other, apart)):
        wanted = judgement(simulate(given))[""]
        for name, criteria in judgement(found)[""].items():
            assert [c.key for c in criteria] == [c.key for c in wanted[name]]
            for a, b in zip(criteria, wanted[name], strict=True):
                assert a.value == b.value
                assert a.verdict == b.verdict
