"""Creep forces: the published table, the linear slope, saturation, dissipation."""

import math

import numpy as np
import pytest

from panhead.errors import ModelError
from panhead.railway.vehicle import kalker_coefficients, kalker_table
from panhead.railway.vehicle.kernels.creep_force import (
    JOHNSON_VERMEULEN,
    LINEAR,
    POLACH,
    Friction,
    creep_force,
    saturation,
)

PATCH = (8.2e10 * 3e-5, 5.5e-3, 4.12, 3.67, 1.47, 1.19)
N, MU = 6e4, 0.3


def friction(law, **changes):
    return Friction(**({"law": law, "mu": MU, "k_A": 1.0, "k_S": 1.0, "A": 1.0, "B": 0.0} | changes))


@pytest.mark.parametrize("nu", [0.0, 0.25, 0.5])
def test_published_table_comes_back(nu):
    table = kalker_table()
    k = list(table["poisson"]).index(nu)
    mine = kalker_coefficients(table["semi_axis_ratio"], nu)
    for j, name in enumerate(("C11", "C22", "C23", "C33")):
        np.testing.assert_allclose(mine[:, j], table[name][:, k], rtol=1e-13)


def test_known_symmetry_without_lateral_contraction():
    """ν = 0: longitudinal and lateral coefficients are the same."""
    C = kalker_coefficients(np.geomspace(0.05, 20.0, 30), 0.0)
    np.testing.assert_allclose(C[:, 0], C[:, 1], rtol=1e-12)


@pytest.mark.parametrize("nu", [0.0, 0.25, 0.5])
def test_slender_limits(nu):
    """Kalker's asymptotes at a/b = 0.1 and 10; they are first terms, good to 9 % there.

    This also guards the C₃₃ of the data file, which was not compared with the printed original.
    """
    g = 0.1
    L = math.log(16 / g**2)
    short = [math.pi**2 / (4 * (1 - nu)), math.pi**2 / 4, None, math.pi**2 / (16 * (1 - nu) * g)]
    long = [
        2 * math.pi / ((L - 2 * nu) * g) * (1 + (3 - math.log(4)) / (L - 2 * nu)),
        None,
        2 * math.pi / (3 * g**1.5 * ((1 - nu) * L - 2 + 4 * nu)),
        math.pi / 4 * (1 - nu * (L - 2) / ((1 - nu) * L - 2 + 4 * nu)),
    ]
    for limits, ratio in ((short, 0.1), (long, 10.0)):
        for value, limit in zip(kalker_coefficients(np.array([ratio]), nu)[0], limits, strict=True):
            assert limit is None or value == pytest.approx(limit, rel=0.09)


def test_between_and_beyond_the_table_coefficients_stay_smooth():
    ratio = np.geomspace(1e-2, 1e2, 4000)
    logs = np.log(kalker_coefficients(ratio, 0.28))
    bends = np.abs(np.diff(logs, 2, axis=0)) / np.diff(np.log(ratio))[0] ** 2
    # printed digits make waves; a jump in value or slope would be of the order of 1/step = 400
    assert bends.max() < 5.0
    with pytest.raises(ModelError, match="between 0 and 0"):
        kalker_coefficients(ratio, 0.6)


@pytest.mark.parametrize("law", [LINEAR, JOHNSON_VERMEULEN, POLACH])
def test_slope_at_the_origin_is_kalkers(law):
    """All three forces linear in all three creepages, to first order in a creepage of 1e-8."""
    for k, creep in enumerate(np.eye(3) * 1e-8):
        F = np.array(creep_force(*creep, 0.0, PATCH, N, friction(law)))
        G, c, C11, C22, C23, C33 = PATCH
        linear = -G * np.array([[C11, 0, 0], [0, C22, c * C23], [0, -c * C23, c * c * C33]])[:, k]
        np.testing.assert_allclose(F, linear * 1e-8, rtol=1e-5, atol=1e-16)


@pytest.mark.parametrize("law", [JOHNSON_VERMEULEN, POLACH])
def test_saturation(law):
    """Never above μN, growing, and μN in the end (Polach's arctangent: 2/(πε) less)."""
    tau = np.linspace(1e-6, 40.0, 4000)
    force = np.array([saturation(t, law, 1.0, 1.0) * t for t in tau])
    assert (np.diff(force) > -1e-12).all()
    assert force.max() <= 1.0 + 1e-12
    assert force[-1] == pytest.approx(1.0, abs=1e-3 if law == POLACH else 1e-14)


def test_vermeulen_johnson_has_no_kink_at_full_slip():
    """Value, slope and curvature meet at τ = 3."""
    h = 1e-4
    f = lambda t: saturation(t, JOHNSON_VERMEULEN, 1.0, 1.0) * t
    assert f(3.0) == pytest.approx(1.0)
    assert (f(3.0) - f(3.0 - h)) / h == pytest.approx(0.0, abs=1e-8)
    assert (f(3.0) - 2 * f(3.0 - h) + f(3.0 - 2 * h)) / h**2 == pytest.approx(0.0, abs=1e-4)


@pytest.mark.parametrize("law", [LINEAR, JOHNSON_VERMEULEN, POLACH])
def test_creep_takes_energy(law):
    """F_x ξ + F_y η + M φ ≤ 0: Kalker's matrix is positive definite, saturation keeps the direction."""
    rng = np.random.default_rng(3)
    for creep in rng.normal(0.0, [3e-3, 3e-3, 0.5], (300, 3)):
        F = creep_force(*creep, 0.0, PATCH, N, friction(law))
        assert np.dot(F, creep) <= 0.0
        if law != LINEAR:
            assert math.hypot(F[0], F[1]) <= MU * N * (1 + 1e-12)


def test_polach_on_wet_rails():
    """k_A, k_S < 1 lower the slope to their mean; friction falls with slip speed to A μ₀."""
    wet = friction(POLACH, k_A=0.6, k_S=0.2, A=0.4, B=0.6)
    slope = -creep_force(1e-9, 0.0, 0.0, 0.0, PATCH, N, wet)[0] / 1e-9
    assert slope == pytest.approx(0.4 * PATCH[0] * PATCH[2], rel=1e-4)
    fast = -creep_force(0.5, 0.0, 0.0, 20.0, PATCH, N, wet)[0]
    assert fast == pytest.approx(0.4 * MU * N, rel=0.02)
    peak = max(-creep_force(x, 0.0, 0.0, 20.0 * x, PATCH, N, wet)[0] for x in np.geomspace(1e-3, 1, 200))
    assert peak > 1.5 * fast  # the hump of adhesion on wet rails


@pytest.mark.parametrize("load", [6e4, 1.0])
@pytest.mark.parametrize("w", [0.0, 0.7, 3.0])
def test_friction_that_falls_with_the_slip_speed(w, load):
    """In full slip the resultant is μN with μ = μ₀ ((1 − A) exp(−B w) + A), on a wheel nearly off its rail too."""
    for A in (0.4, 1.0):
        F_x, F_y, _ = creep_force(0.3, -0.4, 0.0, w, PATCH, load, friction(JOHNSON_VERMEULEN, A=A, B=0.6))
        wanted = MU * load * ((1 - A) * math.exp(-0.6 * w) + A)
        assert math.hypot(F_x, F_y) == pytest.approx(wanted, rel=1e-13, abs=0)
        assert F_x / F_y == pytest.approx(-0.75 * PATCH[2] / PATCH[3], rel=1e-13, abs=0)


def test_polach_without_creep():
    """The limit of his law at rest is the mean of both reductions, and creep that hardly is joins it."""
    assert saturation(0.0, POLACH, 0.6, 0.2) == pytest.approx(0.4, rel=1e-15, abs=0)
    assert saturation(2e-9, POLACH, 0.6, 0.2) == pytest.approx(0.4, rel=1e-12, abs=0)


def test_no_load_no_force():
    assert creep_force(1e-3, 1e-3, 0.1, 0.02, PATCH, 0.0, friction(JOHNSON_VERMEULEN)) == (0, 0, 0)
