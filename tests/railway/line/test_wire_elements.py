"""Element matrices against the integrals they stand for, interpolation against polynomials."""

import numpy as np
import pytest
from numpy.polynomial import Polynomial

from panhead.railway.line.wire_elements import add_wire_blocks, locate, wire_at, wire_mass, wire_stiffness

ELL, T, EI, MU = 1.7, 2.0e4, 195.0, 1.35


def shape_functions() -> list[Polynomial]:
    """The four cubics with value or slope 1 at one end and 0 at the others, solved for, not copied."""
    rows = [[1, 0, 0, 0], [0, 1, 0, 0], [1, ELL, ELL**2, ELL**3], [0, 1, 2 * ELL, 3 * ELL**2]]
    return [Polynomial(c) for c in np.linalg.inv(np.array(rows, dtype=float)).T]


def integral(p: Polynomial) -> float:
    return float(p.integ()(ELL) - p.integ()(0.0))


def test_element_matrices_are_their_integrals():
    """Both matrices are integrals of polynomials, so only round-off is allowed."""
    N = shape_functions()
    K, M = wire_stiffness(ELL, T, EI), wire_mass(ELL, MU)
    for i in range(4):
        for j in range(4):
            tension = T * integral(N[i].deriv() * N[j].deriv())
            bending = EI * integral(N[i].deriv(2) * N[j].deriv(2))
            assert K[i, j] == pytest.approx(tension + bending, rel=1e-11, abs=1e-9)
            assert M[i, j] == pytest.approx(MU * integral(N[i] * N[j]), rel=1e-11)


def test_a_cubic_is_sampled_exactly_on_any_mesh():
    p = Polynomial([5.0, 0.02, -3e-4, 2e-6])
    stations = np.array([0.0, 0.4, 3.0, 3.5, 9.0, 10.0])
    x = np.linspace(0.0, 10.0, 57)
    out = wire_at(x, stations, p(stations), p.deriv()(stations))
    np.testing.assert_allclose(out, p(x), rtol=1e-13)


def test_locate_finds_the_element_and_stays_inside():
    stations = np.array([0.0, 1.0, 2.5, 4.0])
    places = {-1.0: 0, 0.0: 0, 0.99: 0, 1.0: 1, 2.5: 2, 3.99: 2, 4.0: 2, 9.0: 2}
    assert {x: locate(x, stations) for x in places} == places


def test_damping_of_a_wire_is_proportional_and_absent_elements_add_nothing():
    ell = np.array([1.0, 2.0, 1.5])
    wire = np.tile([T, EI, MU, 0.3, 1e-3], (3, 1))
    wire[1, 2] = 0.0  # no wire in the middle
    matrices = tuple(np.zeros((n, 4, 4)) for _ in range(3) for n in (4, 3))
    add_wire_blocks(ell, wire, 2, matrices)
    M, M_off, C, C_off, K, K_off = matrices
    np.testing.assert_allclose(C, 0.3 * M + 1e-3 * K, rtol=1e-13)
    np.testing.assert_allclose(C_off, 0.3 * M_off + 1e-3 * K_off, rtol=1e-13)
    assert not K_off[1].any()
    assert not K[:, :2].any()  # the other wire of the block is left alone
    assert M[:, 2, 2].sum() + 2 * M_off[:, 2, 2].sum() == pytest.approx(MU * 2.5, rel=1e-12)
