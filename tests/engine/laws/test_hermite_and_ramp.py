"""Cubic shapes against the conditions and integrals that define them; the smooth ramp by hand."""

import numpy as np
import pytest
from numpy.polynomial import Polynomial

from panhead.engine.laws import hermite
from panhead.engine.laws.alpha_coefficients import coefficients
from panhead.engine.laws.ramp import smooth_ramp

ELL = 1.7


def cubics() -> list[Polynomial]:
    """The four cubics with value or slope 1 at one end and 0 at the others, solved for, not copied."""
    rows = [[1, 0, 0, 0], [0, 1, 0, 0], [1, ELL, ELL**2, ELL**3], [0, 1, 2 * ELL, 3 * ELL**2]]
    return [Polynomial(c) for c in np.linalg.inv(np.array(rows, dtype=float)).T]


def test_shapes_are_those_cubics():
    nodal = np.array([0.3, -1.2, 2.0, 0.7])
    for xi in np.linspace(0.0, 1.0, 11):
        exact = np.array([[N.deriv(m)(xi * ELL) for N in cubics()] for m in range(3)])
        for m, law in enumerate((hermite.shape, hermite.shape_x, hermite.shape_xx)):
            assert law(xi, ELL) == pytest.approx(exact[m], abs=1e-12)
        assert hermite.interpolate(xi, ELL, *nodal) == pytest.approx(exact[0] @ nodal, abs=1e-13)
        assert hermite.interpolate_x(xi, ELL, *nodal) == pytest.approx(exact[1] @ nodal, abs=1e-12)


@pytest.mark.parametrize(
    "table, order, scale",
    [(hermite.VALUE, 0, ELL / 420), (hermite.SLOPE, 1, 1 / 30 / ELL), (hermite.CURVATURE, 2, ELL**-3)],
)
def test_integrals_are_integrals(table, order, scale):
    unit = np.array([1.0, ELL, 1.0, ELL])
    N = [c.deriv(order) for c in cubics()]
    exact = [[(a * b).integ()(ELL) - (a * b).integ()(0.0) for b in N] for a in N]
    assert np.outer(unit, unit) * table * scale == pytest.approx(np.array(exact), rel=1e-11)


@pytest.mark.parametrize("points", [1, 2, 3, 5])
def test_gauss(points):
    """Exact for xᵐ on 0 … 1 up to m = 2n − 1, and not beyond."""
    rule = hermite.gauss(points)
    found = [sum(w * x**m for x, w in rule) * (m + 1) for m in range(2 * points + 1)]
    assert found[:-1] == pytest.approx([1.0] * (2 * points), rel=1e-13, abs=0)
    assert found[-1] < 1 - 1e-6


def test_smooth_ramp():
    """0, ½ and 1 at the ends and the middle; a quarter gives 53/512; a step without length."""
    assert [smooth_ramp(x, 2.0) for x in (-1.0, 0.0, 0.5, 1.0, 2.0, 9.0)] == pytest.approx(
        [0.0, 0.0, 53 / 512, 0.5, 1.0, 1.0]
    )
    assert [smooth_ramp(x, 0.0) for x in (-1e-9, 0.0, 1.0)] == [0.0, 1.0, 1.0]
    h = 1e-3  # value, slope and curvature begin at zero: the third derivative is 60
    assert smooth_ramp(h, 1.0) == pytest.approx(10 * h**3, rel=2e-3)
    assert 1.0 - smooth_ramp(1.0 - h, 1.0) == pytest.approx(10 * h**3, rel=2e-3)


def test_generalized_alpha():
    """ρ = 1 is the trapezoidal rule; ρ = 0: α_m = −1, α_f = 0, γ = 3/2, β = 1."""
    assert coefficients(1.0) == (0.5, 0.5, 0.5, 0.25)
    assert coefficients(0.0) == (-1.0, 0.0, 1.5, 1.0)
