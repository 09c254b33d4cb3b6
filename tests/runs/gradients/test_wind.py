"""Gradients of runs in gusts, beside the plain run and the judge: neither shares a loop with the tape."""

import json

import numpy as np
import pytest

from panhead.assess.judge import judge
from panhead.runs.gradients.gradient import gradient
from panhead.runs.linear.taped_run import tape_every_state, tape_run
from panhead.runs.resolve import resolve
from panhead.runs.simulate import simulate_one
from panhead.validation.line_gradient.differences import with_changes
from panhead.validation.line_gradient.rough import base

pytestmark = pytest.mark.filterwarnings("ignore::panhead.errors.RunWarning")

GUSTS = {"lateral": True, "conditions": {"wind": {"speed": 15.0, "intensity": 0.3, "seed": 3}}}


@pytest.fixture(scope="module")
def plain():
    return base()


@pytest.fixture(scope="module")
def gusty(plain):
    return with_changes(plain, GUSTS)


@pytest.fixture(scope="module")
def force(gusty):
    return simulate_one(gusty)["contact_force"].to_numpy()[0]


def test_gusts_move_the_force(plain, force):
    """The sentinel: without it the tests below would pass in calm air."""
    steady = {"lateral": True, "conditions": {"wind": {"speed": 15.0}}}
    calm = simulate_one(with_changes(plain, steady))["contact_force"].to_numpy()[0]
    assert np.abs(force - calm).max() > 1.0


def test_a_tape_feels_the_gusts_of_the_run(gusty, force):
    """Stretches of steps begin elsewhere than chunks of the run: rounding, below 1e-8 N."""
    assert tape_run(resolve(gusty)).force[:, 0] == pytest.approx(force, abs=1e-8)


def test_a_run_in_given_modes_feels_the_gusts_of_the_run(gusty, force):
    """Given its own modes it is the same run; the small system is solved once instead of by steps: 1e-7 N."""
    model = resolve(gusty)
    _, modes = tape_every_state(model)
    tape, _ = tape_every_state(model, modes)
    assert tape.force[:, 0] == pytest.approx(force, abs=1e-7)


def test_the_gradient_in_gusts_is_that_of_the_judged_run(plain, gusty):
    """σ, and ∂σ/∂(static force) by differences of whole runs.

    1e-3 N to either side cross no kink of this run, and rounding of 1e-11 N in σ is 1e-8 of the slope: 1e-6.
    """

    def deviation(more):
        run = with_changes(plain, GUSTS | {"train": {"0": {"changes": {"static_force": 170.0 + more}}}})
        (rows,) = json.loads(judge(simulate_one(run)).attrs["criteria"])[""].values()
        return next(float(row["value"]) for row in rows if row["key"] == "deviation")

    slope = (deviation(1e-3) - deviation(-1e-3)) / 2e-3
    found = gradient(gusty, of="deviation", wrt="pantograph.static_force")
    assert found.attrs["value"] == pytest.approx(deviation(0.0), rel=1e-9)
    assert found["pantograph.static_force"].to_numpy().sum() == pytest.approx(slope, rel=1e-6)
