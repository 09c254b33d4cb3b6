"""Whole runs under a line: what must hold whatever the numbers are."""

from dataclasses import replace

import numpy as np
import pytest

from panhead.engine.jobs import Job
from panhead.errors import ModelError, PanheadError
from panhead.railway.line import Span, read_line
from panhead.runs import scenarios
from panhead.runs.resolve import resolve
from panhead.runs.simulate import simulate


def reference(*settings):
    return scenarios.read("en50318-300", list(settings)).description


@pytest.fixture(scope="module")
def plain():
    return simulate(reference())


def judged(result):
    part = result.sel(time=slice(result.attrs["judged_from"], result.attrs["judged_to"]))
    return part["contact_force"].values[0]


def test_contact_never_pulls_and_droppers_never_push(plain):
    assert plain["contact_force"].min() >= 0.0
    assert plain["dropper_min_force"].min() >= 0.0
    assert plain["dropper_slack_time"].max() > 0.0  # it was tried: droppers do slacken


def test_power_balance(plain):
    """The ledger of the trapezoidal rule closes to round-off, far below the 1e-6 asked for."""
    turned = np.abs(plain["work_train"]).max() + np.abs(plain["work_uplift"]).max()
    assert np.abs(plain["balance"]).max() < 1e-9 * turned


def test_mean_force_is_the_static_force_less_what_the_wires_take(plain):
    """Momentum: averaged over whole spans the wire carries what the pantograph lifts, 120 N less the
    frame spring's 50 N/m times its rise of some centimetres."""
    assert judged(plain).mean() == pytest.approx(120.0 - 50.0 * 0.075, abs=2.0)


@pytest.fixture(scope="module")
def bilateral():
    return simulate(replace(reference(), droppers="bilateral"))


def test_slackening_matters(plain, bilateral):
    """Droppers that push as well make the deviation visibly larger."""
    assert judged(bilateral).std() > 1.1 * judged(plain).std()


def test_force_of_bilateral_droppers(plain, bilateral):
    """Before the train they carry what the strung line gives them; later some push, none slackens; energy balances."""
    force, rest = bilateral["dropper_force"].values, bilateral["dropper_static_force"].values
    np.testing.assert_array_equal(rest, plain["dropper_static_force"].values)
    assert force[0, -1] == pytest.approx(rest[-1], rel=1e-3)  # the last one, at the first sample
    assert np.abs(force).max() < 1000.0
    assert bilateral["dropper_min_force"].min() < -10.0
    assert (force.min(axis=0) >= bilateral["dropper_min_force"].values - 1e-9).all()
    assert (force.max(axis=0) <= bilateral["dropper_max_force"].values + 1e-9).all()
    assert bilateral["dropper_slack_time"].max() == 0.0
    turned = np.abs(bilateral["work_train"]).max() + np.abs(bilateral["work_uplift"]).max()
    assert np.abs(bilateral["balance"]).max() < 1e-9 * turned


def test_halving_step_and_mesh_changes_little(plain):
    fine = simulate(reference("numerics.step=0.5 ms", "numerics.element_length=0.5 m"))
    assert judged(fine).std() == pytest.approx(judged(plain).std(), rel=0.02)


def test_lankarani_nikravesh_contact_agrees_with_the_linear_law_in_the_mean(plain):
    """Another contact law, much the same contact: the wire's compliance dominates the contact's."""
    other = simulate(reference("contact.kind=lankarani-nikravesh", "contact.stiffness=5e6 N/m", "contact.exponent=1.5"))
    assert other["contact_force"].min() >= 0.0
    assert judged(other).mean() == pytest.approx(judged(plain).mean(), rel=0.02)


def test_a_killed_run_continues_with_the_same_answer(plain, tmp_path):
    def killer(fraction, message=""):
        if fraction > 0.97:
            raise KeyboardInterrupt

    with pytest.raises((KeyboardInterrupt, PanheadError)):
        simulate(reference(), Job(out=tmp_path, progress=killer))
    seen = []
    again = simulate(reference(), Job(out=tmp_path, resume=True, progress=lambda f, m="": seen.append(f)))
    assert seen[0] > 0.5  # it went on, it did not start again
    np.testing.assert_array_equal(again["contact_force"], plain["contact_force"])
    np.testing.assert_array_equal(again["balance"], plain["balance"])


@pytest.mark.parametrize(
    "settings, words",
    [
        (["speed=500 km/h"], "wave"),
        (["train.0.behind=-3 m"], "behind"),
        (["journey.stop=2 km"], "stop|line"),
        (["line=no-such-line"], "no-such-line"),
        (["speed=nan"], "speed"),
        (["numerics.step=-1 ms"], "step"),
        (["contact.restitution=2"], "restitution"),
    ],
)
def test_bad_input_names_the_part(settings, words):
    with pytest.raises(ModelError, match=rf"(?i){words}"):
        simulate(reference(*settings))


def test_a_pantograph_that_never_touches():
    """A pantograph that is pulled down is refused before the run, by name."""
    from panhead.railway.pantograph.lumped_pantograph import read_pantograph

    run = reference()
    shipped = read_pantograph("en50318-2002")
    head = replace(shipped.stages[0], static_force=-50.0)
    weak = replace(shipped, static_force=0.0, stages=(head, *shipped.stages[1:]))
    with pytest.raises(PanheadError, match=r"EN 50318:2002 reference pantograph.*never touches"):
        simulate(replace(run, train=(replace(run.train[0], pantograph=weak),)))


def test_a_line_without_droppers_is_warned_of():
    """Such a contact wire hangs on its supports alone, which is seldom meant: the first such span is named."""
    run = reference()
    (length,) = read_line("en50318-2002").tension_lengths
    spans = (replace(length.spans[0], count=7), Span(length=60.0, count=3))
    bare = replace(read_line("en50318-2002"), tension_lengths=(replace(length, spans=spans),))
    with pytest.warns(UserWarning, match=r"3 of 10 spans have no dropper.*span 8 of 'T1'"):
        resolve(replace(run, line=bare))


def test_local_forces_of_curved_laws_are_solved():
    """A Lankarani contact beside a dropper: both laws hold at the answer, whatever the start.

    Forces are of order 100 N; 1e-6 N is a thousand times the round-off of gaps of 1 mm.
    """
    from panhead.runs.linear.step.step_arrays import SLOT
    from panhead.runs.linear.step.unilateral import DROPPER, LANKARANI

    answer = _solver()
    rng = np.random.default_rng(0)
    for _ in range(200):
        own = 1e-6 * rng.uniform(0.5, 2.0, 2)
        S = np.diag(own) + rng.uniform(-0.5, 0.5) * np.sqrt(own.prod()) * np.array([[0.0, 1.0], [1.0, 0.0]])
        R = 2000.0 * S
        slot = np.zeros(2, SLOT)
        slot["on"], slot["kind"] = 1, [LANKARANI, DROPPER]
        slot["k"], slot["power"], slot["chi"], slot["impact"] = [1e6, 1e5], 1.5, 0.1425, 0.05
        slot["N0"] = [0.0, 86.0]
        slot["g_free"] = [rng.uniform(-1e-3, 3e-3), -86e-5 * rng.uniform(0.5, 1.5)]
        slot["g_dot_free"] = [rng.uniform(-0.3, 0.3), 0.0]
        slot["g"], slot["g_dot"] = slot["g_free"], slot["g_dot_free"]
        assert answer(2, slot, S, R, np.zeros((2, 2)), np.zeros(2))
        lam = slot["lam"]
        g, g_dot = slot["g_free"] - S @ lam, slot["g_dot_free"] - R @ lam
        law = 1e6 * max(g[0], 0.0) ** 1.5 * max(0.0, 1.0 + 0.1425 / 0.05 * g_dot[0])
        assert lam[0] == pytest.approx(law, abs=1e-6)


def _solver():
    """``solve_slots`` behind a door of its own: the kernel has no Python wrapper."""
    from panhead.engine.jit.compiler import whole
    from panhead.runs.linear.step.unilateral import solve_slots

    @whole
    def solve(m, slot, S, R, A, r):
        return solve_slots(m, slot, S, R, A, r)

    return solve
