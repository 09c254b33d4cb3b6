"""The one-sided spring and damper: values by hand, power balance, and where it takes energy from."""

import casadi as ca
import numpy as np
import pytest

from panhead.engine.laws.unilateral_spring import damper, energy, engagement, pulls, tension

K, C = 1e5, 1e4


@pytest.mark.parametrize(
    "x, rate, N",
    [
        (1e-3, 0.02, 300.0),  # taut and stretching: 100 + 200
        (2e-3, -0.01, 100.0),  # taut and shortening: 200 − 100
        (1e-3, -0.02, 0.0),  # the damper would push: 100 − 200
        (-0.01, 0.2, 0.0),  # loose, however fast its ends part: not −1000 + 2000
        (-0.01, -0.2, 0.0),
        (0.0, 0.2, 0.0),
    ],
)
def test_hand_computed_pulls(x, rate, N):
    for s in (1.0, 1e-6):  # no force is too small to count
        assert tension(s * K * x, s * C * rate) == pytest.approx(s * N)
        assert damper(s * K * x, s * C * rate) == pytest.approx(s * (N - K * max(x, 0.0)), abs=1e-12)
        assert bool(pulls(s * K * x, s * C * rate)) is (N > 0.0)


def test_hand_computed_energy():
    for s in (1.0, 1e-6):  # no pull is too small to count
        assert energy(s * K * 2e-3, K) == pytest.approx(s * s * 0.2, rel=1e-12, abs=0)  # ½ 10⁵ (2 mm)²
    assert energy(-K * 2e-3, K) == 0.0


def test_a_damper_that_engages_over_a_stretch():
    """Nothing at x ≤ 0, half at half of it, all from there on; the pull has no jump at x = 0."""
    assert [engagement(x, 1e-3) for x in (-1.0, 0.0, 5e-4, 1e-3, 1.0)] == [0.0, 0.0, 0.5, 1.0, 1.0]
    assert tension(K * 1e-9, C * 0.2 * engagement(1e-9, 1e-3)) == pytest.approx(2.1e-3)


@pytest.mark.parametrize("onset", [None, 5e-3])
@pytest.mark.parametrize("damping", [0.0, 10.0, C])
def test_power_balance(damping, onset):
    """N ẋ = dV/dt + D with D ≥ 0, and N ≥ 0, at states on all branches; dV/dt by CasADi."""
    x = ca.SX.sym("x")
    slope = ca.Function("V_x", [x], [ca.jacobian(energy(K * x, K), x)])
    for at, rate in np.random.default_rng(0).uniform([-0.01, -0.3], [0.01, 0.3], (200, 2)):
        viscous = damping * rate * (1.0 if onset is None else engagement(at, onset))
        N, D = tension(K * at, viscous), damper(K * at, viscous) * rate
        assert N >= 0.0
        assert D >= 0.0
        assert N * rate == pytest.approx(float(slope(at)) * rate + D, rel=1e-12, abs=1e-9)


def test_a_static_pull_is_a_stretch():
    """N₀ + k e is k (e + N₀/k): a dropper of a strung line is the same rope."""
    assert tension(86.0 + K * 1e-3, 5.0) == tension(K * (1e-3 + 86.0 / K), 5.0)
