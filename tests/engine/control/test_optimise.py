"""Descent by every rule, L-BFGS-B and the direct method end at the same optimum."""

from itertools import pairwise

import numpy as np
import pytest

from panhead.engine.control.cost import Term
from panhead.engine.control.direct_transcription import direct
from panhead.engine.control.optimise import beta, conjugate_gradients, l_bfgs
from panhead.engine.control.problem import ControlProblem
from panhead.engine.control.variables import Shape, Variables
from panhead.errors import ModelError
from panhead.runs.scenarios import read
from panhead.runs.scenarios.motion_kind import start_of, system_of

COST = [Term(of="interaction_force", weight=1.0, reference=-29.57), Term(of="u", weight=0.1)]
RULES = ["fletcher-reeves", "polak-ribiere", "polak-ribiere+", "hestenes-stiefel", "dai-yuan"]


@pytest.fixture(scope="module")
def problem():
    description = read("planar-pantograph").description
    system = system_of(description)
    return ControlProblem(system, start_of(description, system), COST, duration=0.6, dt=4e-3)


@pytest.fixture(scope="module")
def ceiling(problem):
    return direct(problem)


@pytest.mark.parametrize("rule", RULES)
def test_conjugate_gradients_reach_the_direct_optimum(problem, ceiling, rule):
    found = conjugate_gradients(Variables(problem), rule, tolerance=1e-5)
    assert found.converged, found.reason
    assert found.cost == pytest.approx(ceiling[1], rel=1e-6)
    assert all(a.cost >= b.cost for a, b in pairwise(found.history))


def test_l_bfgs_reaches_the_direct_optimum(problem, ceiling):
    found = l_bfgs(Variables(problem))
    assert found.cost == pytest.approx(ceiling[1], rel=1e-8)
    u, _ = Variables(problem).split(found.theta)
    np.testing.assert_allclose(u, ceiling[0], atol=1e-2 * np.abs(ceiling[0]).max())


def test_bounds_are_kept_and_agree_with_the_direct_method(problem):
    shape = Shape(low=-4.0, high=5.0)
    variables = Variables(problem, shape)
    found = l_bfgs(variables, iterations=500)
    u, _ = variables.split(found.theta)
    assert u.min() >= -4.0 - 1e-9
    assert u.max() <= 5.0 + 1e-9
    assert found.cost == pytest.approx(direct(problem, shape)[1], rel=1e-5)
    with pytest.raises(ModelError, match="do not support bounds"):
        conjugate_gradients(variables)


def test_interrupt_keeps_the_best(problem):
    def impatient(fraction, message):
        if fraction > 0.02:
            raise KeyboardInterrupt

    found = conjugate_gradients(Variables(problem), progress=impatient)
    assert found.reason == "interrupted"
    assert found.cost < found.history[0].cost
    again = conjugate_gradients(Variables(problem), start=found.theta)
    assert again.history[0].cost == pytest.approx(found.cost)


def test_rules_by_hand():
    """g₀ = (1, 0), g₁ = (1, 2), d = (−1, 0): worked out on paper; all agree where g₁ ⟂ g₀ and the search is exact."""
    g0, g1, d = np.array([2.0, 0.0]), np.array([1.0, 2.0]), np.array([-2.0, 0.0])
    assert beta("steepest-descent", g1, g0, d) == 0.0
    assert beta("fletcher-reeves", g1, g0, d) == pytest.approx(5 / 4)
    assert beta("polak-ribiere", g1, g0, d) == pytest.approx(3 / 4)
    assert beta("hestenes-stiefel", g1, g0, d) == pytest.approx(3 / 2)
    assert beta("dai-yuan", g1, g0, d) == pytest.approx(5 / 2)
    g1 = np.array([0.0, 3.0])
    assert len({round(beta(rule, g1, g0, -g0), 12) for rule in RULES}) == 1
