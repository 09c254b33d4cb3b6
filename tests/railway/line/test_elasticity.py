"""Elasticity against reference values and closed forms; speeds against their formulas."""

import numpy as np
import pytest

from panhead.errors import ModelError
from panhead.railway.line import (
    Dropper,
    Span,
    StaticLine,
    check_speed,
    elasticity,
    read_line,
    string,
    with_contact_tension,
)
from panhead.railway.line.elasticity import block_matrix
from railway.line.builders import bare_line, model, plain_line, with_tension_length


def test_reference_values_at_a_hundred_newtons():
    """0.252, 0.457 and 0.487 mm/N from an independent script, to 1 %."""
    curve = elasticity(string(plain_line(spans=9)), span=4, force=100.0, points=241)
    at = lambda x: 1e3 * float(np.interp(240.0 + x, curve.x, curve.value))
    assert at(0.0) == pytest.approx(0.252, rel=0.01)
    assert at(30.0) == pytest.approx(0.457, rel=0.01)
    assert at(33.25) == pytest.approx(0.487, rel=0.01)
    np.testing.assert_allclose(curve.value, curve.value[::-1], rtol=1e-6)
    u = (curve.value.max() - curve.value.min()) / (curve.value.max() + curve.value.min())
    assert curve.non_uniformity == u


def test_a_lonely_string_lifts_by_its_closed_form():
    """F/T·x(L − x)/L; C¹ elements cannot kink under the load: first order in ℓ, 0.24 ℓ/L."""
    curve = elasticity(string(bare_line()), points=3, element_length=0.25)
    assert curve.value[1] == pytest.approx(60.0 / (4 * 20e3), rel=0.24 * 0.25 / 60 * 1.2)
    assert curve.value[0] == 0.0


def test_droppers_go_slack_and_soften_the_line():
    """Linear while all droppers pull; beyond that more elastic."""
    strung = string(plain_line(spans=7))
    curves = [elasticity(strung, span=3, force=F, points=31, element_length=1.0) for F in (1, 20, 300)]
    np.testing.assert_allclose(curves[0].value, curves[1].value, rtol=1e-9)
    assert curves[1].slack.max() == 0
    assert curves[2].slack.max() >= 2
    softer, slack = curves[2].value / curves[1].value, curves[2].slack > 0
    assert (softer[slack] > 1.0 + 1e-6).all()
    np.testing.assert_allclose(softer[~slack], 1.0, rtol=1e-9)
    assert softer.max() > 1.05


def test_slack_droppers_carry_nothing_and_the_rest_is_in_balance():
    """K q + Bᵀ(N − N₀) = f to round-off, N ≥ 0: the answer satisfies the law it was solved for."""
    line = model(plain_line(spans=5))
    static = StaticLine(line)
    f = static.load(150.0, 1500.0, 0)
    q, N = static.displace(f)
    K = block_matrix(line.K_diag, line.K_off)
    e = static.B @ q
    np.testing.assert_allclose(N, np.maximum(0.0, static.N0 + static.k * e), atol=1e-6)
    assert (N == 0).sum() >= 3
    balance = K @ q + static.B.T @ (N - static.N0) - f
    assert np.abs(balance).max() < 1e-6  # K q holds terms of 10³ N


def test_a_dropper_slack_at_rest_comes_taut_under_a_downward_pull():
    droppers = tuple(
        Dropper(position=x, length=0.62) if x == 30.0 else Dropper(position=x) for x in (10.0, 20.0, 30.0, 40.0, 50.0)
    )
    line = with_tension_length(plain_line(), spans=(Span(length=60.0, count=3, droppers=droppers),))
    linear = model(line)
    k = int(np.argmin(np.abs(linear.droppers.x - 90.0)))
    gap = -linear.droppers.static_tension[k] / linear.droppers.stiffness[k]
    assert 0.02 < gap < 0.1  # 62 cm of dropper in 57
    static = StaticLine(linear)
    at_rest, N = static.displace(np.zeros(linear.ns * linear.b))
    assert np.abs(at_rest).max() < 1e-9
    assert N[k] == 0.0


def test_hard_wires_are_less_elastic():
    soft, hard = (
        elasticity(string(with_contact_tension(plain_line(), T)), points=13, element_length=1.0) for T in (20e3, 30e3)
    )
    assert (hard.value < soft.value).all()


@pytest.mark.parametrize(("name", "k"), [("en50318-2002", 4.0), ("stitched-25kv", 3.5)])
def test_mid_span_elasticity_is_near_the_rule_of_thumb(name, k):
    """e = L/(k (H_cw + H_mw)), k = 4.0 plain and 3.5 stitched: a rule, so 25 %."""
    line = read_line(name)
    strung = string(line)
    curve = elasticity(strung, points=61, element_length=1.0)
    length = curve.x[-1] - curve.x[0]
    rule = length / (k * (line.wires.contact.tension + line.wires.messenger.tension))
    assert curve.value[30] == pytest.approx(rule, rel=0.25)


def test_stitched_lines_are_more_even_than_plain_ones():
    curves = [
        elasticity(string(read_line(name)), points=31, element_length=1.0) for name in ("stitched-25kv", "en50318-2002")
    ]
    assert curves[0].non_uniformity < 0.6 * curves[1].non_uniformity


def test_a_span_that_is_not_there():
    with pytest.raises(ModelError, match="span 7"):
        elasticity(string(plain_line()), span=7)


def test_speed_against_the_waves():
    line = plain_line()
    check = check_speed(line, 300 / 3.6)
    assert check.wave_speed == pytest.approx(121.716, abs=5e-4)
    assert check.limit == pytest.approx(0.7 * 121.716, abs=1e-3)
    assert check.ok
    assert not check_speed(line, 310 / 3.6).ok
    assert check.doppler == pytest.approx((121.716 - 83.333) / (121.716 + 83.333), rel=1e-4)
    Z_c, Z_m = np.sqrt(20e3 * 1.35), np.sqrt(16e3 * 1.07)
    assert check.reflection == pytest.approx(Z_m / (Z_c + Z_m))
    assert check.amplification == pytest.approx(check.reflection / check.doppler)
    assert check_speed(line, 130.0).amplification == np.inf
