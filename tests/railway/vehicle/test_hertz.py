"""Hertz's ellipse against quadrature, and its limits."""

import math

import mpmath
import numpy as np
import pytest
from oracles.wheel_rail import hertz_by_quadrature

from panhead.engine.kernels import hertz as kernel
from panhead.engine.kernels.hertz import bounded_below, curvature_ratio, elliptic, hertz, hertz_numbers
from panhead.railway.vehicle import RailContactLaw, damping_from_restitution, patch_table
from panhead.railway.vehicle.contact_patch import NODES, RANGE
from panhead.railway.vehicle.kernels.wheel_rail import patch_at


@pytest.mark.parametrize("a, b", [(6e-3, 6e-3), (7e-3, 4e-3), (3e-3, 9e-3), (20e-3, 1e-3)])
def test_ellipse_approach_and_force(a, b):
    """Round-off: both sides are exact, one by quadrature, one by the arithmetic–geometric mean."""
    E_star, N = 1.14e11, 9e4
    A, B, delta = hertz_by_quadrature(a, b, N, E_star)
    out = np.empty(4)
    hertz(delta, A, B, E_star, out)
    np.testing.assert_allclose(out[:3], [a, b, N], rtol=1e-11)
    assert out[3] == pytest.approx(1.5 * N / (math.pi * a * b), rel=1e-11)


def test_spheres():
    """Two spheres: a² = R δ and N = 4/3 E* √R δ^(3/2), with A = B = 1/(2R)."""
    R, delta, E_star, out = 0.3, 5e-5, 1e11, np.empty(4)
    hertz(delta, 0.5 / R, 0.5 / R, E_star, out)
    assert out[0] == pytest.approx(math.sqrt(R * delta), rel=1e-14, abs=0)
    assert out[2] == pytest.approx(4 / 3 * E_star * math.sqrt(R) * delta**1.5, rel=1e-14, abs=0)


@pytest.mark.parametrize("m1", [0.9971, 0.9985, 0.99999, 0.9969])
def test_nearly_round_contacts(m1):
    """Beside both differences in 40 digits; the last term of the series that is left out is 1e-17."""
    with mpmath.workdps(40):
        m = 1 - mpmath.mpf(m1)
        K, E = mpmath.ellipk(m), mpmath.ellipe(m)
        exact = float((K - E) / (E / m1 - K))
    assert curvature_ratio(m1) == pytest.approx(exact, rel=1e-12 if m1 < 0.997 else 2e-15, abs=0)


def test_elliptic_integrals_satisfy_legendre():
    """E(m) K(1 − m) + E(1 − m) K(m) − K(m) K(1 − m) = π/2."""
    for m in (1e-6, 0.1, 0.37, 0.5):
        (K, E), (K1, E1) = elliptic(1.0 - m), elliptic(m)
        legendre = E * K1 + E1 * K - K * K1
        assert legendre == pytest.approx(0.5 * math.pi, rel=1e-14, abs=0)


def test_turning_the_axes_swaps_the_semi_axes():
    a, b, N = hertz_numbers(0.3)
    assert hertz_numbers(1 / 0.3) == pytest.approx((b, a, N), rel=1e-13, abs=0)


def test_the_search_for_a_shape_is_short(monkeypatch):
    """Newton's steps in ln m₁ from a start that is near: eight of two evaluations each are plenty."""
    written, asked = getattr(kernel.ellipse_shape, "py_func", kernel.ellipse_shape), []
    monkeypatch.setattr(kernel, "curvature_ratio", lambda m1: asked.append(m1) or curvature_ratio(m1))
    for ratio in (*np.geomspace(1e-10, 0.1, 10), 0.3, 0.9, 0.999, 0.99999):
        m1 = written(ratio)
        assert curvature_ratio(m1) == pytest.approx(ratio, rel=1e-13, abs=0)
        assert len(asked) <= 17
        asked.clear()


def test_tabulated_patch():
    """Cubic interpolation at steps of 0.05 in ln(A/B): 1e-6, and no worse at the ends."""
    table = patch_table(0.28)
    step = 2 * RANGE / (NODES - 1)
    for ratio in np.exp(np.random.default_rng(0).uniform(-RANGE, RANGE, 60)):
        quick = patch_at(table, -RANGE, step, ratio, 1.0)
        np.testing.assert_allclose(quick[:3], hertz_numbers(ratio), rtol=1e-6)


def test_flat_contacts_are_bounded_smoothly():
    """Value and slope continuous at twice the floor and at zero."""
    for at in (0.04, 0.0):
        low, high = bounded_below(at - 1e-9, 0.02), bounded_below(at + 1e-9, 0.02)
        assert low == pytest.approx(high, abs=2e-9)
    assert bounded_below(1.0, 0.02) == 1.0
    assert bounded_below(0.05, 0.02) == 0.05
    assert bounded_below(0.02, 0.02) == pytest.approx(0.025)
    assert bounded_below(-5.0, 0.02) == 0.02


def test_moduli_and_damping():
    law = RailContactLaw(young=2.1e11, poisson=0.3)
    assert law.effective_modulus == pytest.approx(2.1e11 / (2 * 0.91))
    assert law.shear_modulus == pytest.approx(2.1e11 / 2.6)
    assert damping_from_restitution(0.5, 0.1) == pytest.approx(0.75 * 0.75 / 0.1)
    assert damping_from_restitution(1.0, 0.1) == 0.0
