"""The search where the answer is known in closed form."""

import numpy as np
import pytest

from panhead.explore.designs.design_description import Change, Design, DesignRun, Want
from panhead.explore.designs.evaluate import DesignEvaluations
from panhead.explore.designs.multipliers import multipliers_at
from panhead.explore.designs.problem import ChangedParts, DesignProblem, ObjectiveTerm
from panhead.explore.designs.search import ObjectiveFunctions, search
from panhead.explore.designs.variables import DesignVariable


class Formula:
    """Numbers by formula instead of runs: f = 1 + (x₀ − 2)² + (x₁ − 3)², g = x₀ + x₁; both in units of Δ."""

    def __init__(self, high: float, method: str) -> None:
        design = Design(
            runs=(DesignRun(run="r"),), change=(Change(parameter="p", by=(-1, 1)),), want=(Want(of="f"),),
            starts=2, iterations=60, method=method,
        )  # fmt: skip
        variables = tuple(DesignVariable("p", (name,), -4.0, high) for name in "ab")
        self.problem = DesignProblem("closed form", design, (), ChangedParts(None, {}), variables)
        self.ledger = DesignEvaluations(None, "")
        self.ledger.values[np.zeros(2).tobytes().hex()] = {}  # what there is has been looked at

    def numbers(self, x, keys):
        a, b = x * self.problem.scale
        self.ledger.values[x.tobytes().hex()] = {}
        values = {"f": 1.0 + (a - 2) ** 2 + (b - 3) ** 2, "g": a + b}
        return {key: values[key[1]] for key in keys}

    def slopes(self, x, keys):
        a, b = x * self.problem.scale
        values = {"f": np.array([2 * (a - 2), 2 * (b - 3)]), "g": np.ones(2)}
        return {key: values[key[1]] * self.problem.scale for key in keys}


F, G = ObjectiveTerm(0, "f", 0, weight=1.0), ObjectiveTerm(0, "g", 0)
BEFORE = {F.key: 14.0, G.key: 4.0}  # f where there is no change


def aimed(high: float = 4.0, limit: float | None = None, method: str = "auto") -> ObjectiveFunctions:
    wishes = [F] if limit is None else [F, ObjectiveTerm(0, "g", 0, high=limit)]
    return ObjectiveFunctions(Formula(high, method), wishes, BEFORE)


METHODS = pytest.mark.parametrize("method", ["auto", "ipopt"])


@METHODS
def test_within_wide_bounds_the_least_value_is_found(method):
    aim = aimed(method=method)
    ends = search(aim, lambda share, words: None)
    assert [end.objective for end in ends] == pytest.approx([1 / 14, 1 / 14], rel=1e-4)
    assert aim.best() * 4.0 == pytest.approx([2.0, 3.0], abs=2e-2)


@METHODS
def test_a_bound_has_its_price(method):
    """At b ≤ 1: −∂f/∂(bound) = 2 (3 − 1) = 4, of the objective f/14."""
    aim = aimed(high=1.0, method=method)
    search(aim, lambda share, words: None)
    found = multipliers_at(aim, aim.best())
    assert found.bounds.tolist() == [1, 1]
    near = 1e-5 if method == "ipopt" else 1e-6  # an interior point stays off its bounds by its tolerance, 1e-5
    assert 14.0 * found.bound_prices == pytest.approx([2.0, 4.0], rel=near)
    assert found.residual == pytest.approx(0.0, abs=1e-9)


@METHODS
def test_a_limit_has_its_price(method):
    """At a + b ≤ 3: a = 1, b = 2 and −∂f/∂(limit) = 2."""
    aim = aimed(limit=3.0, method=method)
    ends = search(aim, lambda share, words: None)
    x = aim.best()
    assert 4.0 * x == pytest.approx([1.0, 2.0], abs=2e-2)
    ((_, room, price),) = multipliers_at(aim, x).limits
    assert room == pytest.approx(0.0, abs=1e-3)
    assert 14.0 * price == pytest.approx(2.0, rel=2e-2)
    if method == "ipopt":  # its own multiplier, of the limit as a share of 4 and f of 14
        assert 14.0 / 4.0 * ends[0].multipliers == pytest.approx([2.0], rel=2e-2)


def test_what_stops_a_search_by_ipopt_is_what_was_raised():
    """Ctrl-C comes through CasADi's callback as itself."""
    aim = aimed(limit=3.0, method="ipopt")

    def stop(share: float, words: str) -> None:
        if share > 0.0:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        search(aim, stop)


def test_where_no_point_keeps_the_limits_the_least_bad_is_taken():
    """a + b ≤ −9 cannot be: both are at least −4."""
    aim = aimed(limit=-9.0)
    search(aim, lambda share, words: None)
    assert 4.0 * aim.best() == pytest.approx([-4.0, -4.0], abs=1e-6)
