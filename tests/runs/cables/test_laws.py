"""Laws of the head by themselves."""

import numpy as np
import pytest

from panhead.errors import ModelError
from panhead.runs.cables.gain_search import grid_and_simplex
from panhead.runs.cables.head_feedback import ForceFeedback, Regulator
from panhead.runs.cables.head_laws import (
    BangBang,
    Callback,
    Delayed,
    Derivative,
    Exponential,
    Lagged,
    Measurements,
    Saturated,
    SemiActive,
)


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
    law = SemiActive(law=Callback(lambda t, m: 50.0)).begin(1e-3)
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
    """LQR: every eigenvalue of A − B K lies to the left, and dear effort is used sparingly."""
    cheap, dear = Regulator(effort=0.01), Regulator(effort=10.0)
    for law in (cheap, dear):
        A, B, _ = law.model()
        assert np.linalg.eigvals(A - B @ law.gains()[None, :]).real.max() < 0
    assert np.abs(cheap.gains()).max() > np.abs(dear.gains()).max()
    with pytest.raises(ModelError):
        Regulator(effort=0.0)


def test_the_regulator_is_optimal():
    """Kalman's identity |1 + K (jω − A)⁻¹ B|² = 1 + |F / u|² / ρ holds at every frequency."""
    law = Regulator()
    A, B, C = law.model()
    for w in (1.0, 30.0, 300.0):
        answer = np.linalg.solve(1j * w * np.eye(5) - A, B)
        back, force = 1 + (law.gains() @ answer)[0], (C @ answer)[0, 0]
        assert abs(back) ** 2 == pytest.approx(1 + abs(force) ** 2 / law.effort, rel=1e-6)


def test_the_regulator_answers_the_wire_it_infers():
    """At the first sample everything is mean; then a force that grows means a wire that comes down."""
    law = Regulator().begin(1e-3)
    assert law(0.0, seen(rate=0.0)) == 0.0
    assert law(1e-3, seen(rate=0.0, force=120.0)) < 0.0  # gives way


def test_a_search_finds_the_least_cost():
    cost = lambda p: (np.log(p["a"] / 30.0)) ** 2 + (np.log(p["b"] / 2.0)) ** 2 + 1.0
    found = grid_and_simplex(cost, {"a": (10.0, 100.0), "b": (1.0, 5.0)}, evaluations=80)
    assert found.cost == pytest.approx(1.0, abs=1e-2)
    assert found.numbers["a"] == pytest.approx(30.0, rel=0.1)
    assert len(found.trials) <= 80


def test_a_law_with_impossible_numbers_is_refused():
    for bad in (lambda: Derivative(damping=-1.0), lambda: Exponential(time=0.0)):
        with pytest.raises(ModelError):
            bad()
