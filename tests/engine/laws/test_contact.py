"""The contact with hysteresis: values by hand, slopes, power balance."""

import casadi as ca
import numpy as np
import pytest

from panhead.engine.laws.contact import elastic_force, energy, hysteresis, lankarani_nikravesh

K, N, IMPACT = 3e6, 1.5, 0.2


def test_hand_computed_values():
    """δ = 4 mm: δ^{3/2} = 2.529822e-4; e = ½: χ = 9/16; a rate of half the impact's adds 9/32."""
    assert hysteresis(0.5) == 0.5625
    assert hysteresis(1.0) == 0.0
    assert elastic_force(4e-3, K, N) == pytest.approx(758.9466, rel=1e-6)
    force, by_depth, by_rate = lankarani_nikravesh(4e-3, 0.1, K, N, 0.5625, IMPACT)
    assert force == pytest.approx(758.9466 * 1.28125, rel=1e-6)
    assert by_depth == pytest.approx(1.5 * force / 4e-3)
    assert by_rate == pytest.approx(758.9466 * 0.5625 / 0.2, rel=1e-6)
    assert energy(4e-3, K, N) == pytest.approx(758.9466 * 4e-3 / 2.5, rel=1e-6)
    assert energy(2e-3, 1e5, 1.0) == pytest.approx(0.2)


def test_it_never_pulls_and_needs_a_depth():
    for depth, rate in ((-1e-3, 1.0), (0.0, 5.0), (1e-4, -50.0)):
        assert lankarani_nikravesh(depth, rate, K, N, 0.5625, IMPACT) == (0.0, 0.0, 0.0)


@pytest.mark.parametrize("n", [1.0, 1.5, 2.0])
def test_slopes_and_power_balance(n):
    """Slopes by CasADi; F δ̇ = dV/dt + D with D ≥ 0."""
    d, r = ca.SX.sym("d"), ca.SX.sym("r")
    F = lankarani_nikravesh(d, r, K, n, 0.5625, IMPACT)[0]
    slopes = ca.Function("f", [d, r], [ca.jacobian(F, d), ca.jacobian(F, r), ca.jacobian(energy(d, K, n), d)])
    for depth, rate in np.random.default_rng(1).uniform([-1e-3, -0.6], [4e-3, 0.6], (200, 2)):
        force, by_depth, by_rate = lankarani_nikravesh(depth, rate, K, n, 0.5625, IMPACT)
        D = (force - elastic_force(depth, K, n)) * rate
        F_d, F_r, V_d = (float(x) for x in slopes(depth, rate))
        assert force >= 0.0
        assert D >= -1e-12
        assert by_depth == pytest.approx(F_d, rel=1e-9, abs=1e-9)
        assert by_rate == pytest.approx(F_r, rel=1e-9, abs=1e-9)
        assert force * rate == pytest.approx(V_d * rate + D, rel=1e-9, abs=1e-9)
