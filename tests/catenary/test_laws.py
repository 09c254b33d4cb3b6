"""Laws of the head by themselves."""

import numpy as np
import pytest

from panhead.catenary.feedback import ForceFeedback, regulator
from panhead.catenary.laws import (
    BangBang,
    Delayed,
    Derivative,
    Exponential,
    Free,
    Lagged,
    Measurements,
    Saturated,
    SemiActive,
)
from panhead.catenary.tuning import tuned
from panhead.errors import ModelError


def seen(rate: float = 1.0, force: float = 100.0) -> Measurements:
    return Measurements(head=5.0, plunger=4.9, head_rate=rate, plunger_rate=0.0, force=force, x=0.0)


def test_the_three_laws_in_print():
    at = lambda law, t: -law.begin(1e-3)(t, seen(1.0))
    assert at(Derivative(), 3.0) == 3500.0
    assert (at(BangBang(), 0.49), at(BangBang(), 0.5)) == (1123.0, 6000.0)
    assert at(Exponential(), 0.5) == pytest.approx(7500.0 * (1 - np.exp(-1)))


def test_a_saturated_law_stops_at_its_limit():
    law = Saturated(law=Derivative(), limit=100.0).begin(1e-3)
    assert law(0.0, seen(1.0)) == -100.0
    assert law(0.0, seen(-1.0)) == 100.0
    assert law(0.0, seen(0.01)) == -35.0


def test_a_semi_active_law_never_gives_energy():
    law = SemiActive(law=Free(lambda t, m: 50.0)).begin(1e-3)
    assert law(0.0, seen(1.0)) == 0.0
    assert law(0.0, seen(-1.0)) == 50.0


def test_a_delayed_law_is_late_by_whole_samples():
    law = Delayed(law=Derivative(damping=1.0), delay=0.003).begin(1e-3)
    assert [-law(0.0, seen(float(k))) for k in range(1, 6)] == [0.0, 0.0, 0.0, 1.0, 2.0]


def test_a_lagged_law_reaches_its_value_exponentially():
    law = Lagged(law=Derivative(damping=1.0), time=0.01).begin(1e-3)
    values = [-law(0.0, seen(1.0)) for _ in range(10)]
    assert values[-1] == pytest.approx(1 - np.exp(-1.0), rel=1e-12)


def test_each_run_starts_a_law_afresh():
    law = Lagged(law=Derivative(damping=1.0), time=0.01)
    first = law.begin(1e-3)(0.0, seen())
    assert law.begin(1e-3)(0.0, seen()) == first


def test_force_feedback_pushes_where_force_is_lacking():
    law = ForceFeedback().begin(1e-3)
    assert law(0.0, seen(force=100.0)) == 0.0
    assert law(1e-3, seen(force=60.0)) > 0.0


def test_the_regulator_stabilises_and_effort_lowers_its_gains():
    numbers = {
        "head_stiffness": 7200.0,
        "head_damping": 26.0,
        "arm_mass": 15.0,
        "line_stiffness": 2500.0,
        "line_damping": 300.0,
    }
    strong, weak = (np.abs(regulator(effort=e, **numbers).gains).max() for e in (0.1, 10.0))
    assert strong > weak > 0
    with pytest.raises(ModelError):
        regulator(effort=0.0, **numbers)


def test_a_search_finds_the_least_cost():
    cost = lambda p: (np.log(p["a"] / 30.0)) ** 2 + (np.log(p["b"] / 2.0)) ** 2 + 1.0
    found = tuned(cost, {"a": (10.0, 100.0), "b": (1.0, 5.0)}, evaluations=80)
    assert found.cost == pytest.approx(1.0, abs=1e-2)
    assert found.numbers["a"] == pytest.approx(30.0, rel=0.1)
    assert len(found.trials) <= 80


def test_a_law_with_impossible_numbers_is_refused():
    for bad in (lambda: Derivative(damping=-1.0), lambda: Exponential(time=0.0)):
        with pytest.raises(ModelError):
            bad()
