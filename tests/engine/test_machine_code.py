"""Machine code beside CasADi's own interpreter, operation by operation and lane by lane."""

import ctypes

import casadi as ca
import numpy as np
import pytest

from panhead.engine.kernels.element_families import LANES
from panhead.engine.machine_code import MachineCode, machine_code


def called(code: MachineCode, x: np.ndarray) -> np.ndarray:
    """Outputs (n, LANES) for inputs (m, LANES)."""
    x, y = np.ascontiguousarray(x, float), np.zeros((code.outputs, LANES))
    function = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(code.address)
    function(x.ctypes.data, y.ctypes.data)
    return y


a, b = ca.SX.sym("a"), ca.SX.sym("b")
OPERATIONS = {
    "arithmetic": (a + b) * (a - b) / (2 + b * b) - 1 / a,
    "powers": a**2 + a**3.5 + ca.sqrt(a) + ca.exp(-a) + ca.log(a) + ca.expm1(b) + ca.log1p(a),
    "angles": ca.sin(a) + ca.cos(b) + ca.tan(b) + ca.atan(a) + ca.atan2(a, b) + ca.asin(b / 9),
    "hyperbolic": ca.sinh(b) + ca.cosh(b) + ca.tanh(a) + ca.erf(b) + ca.acos(b / 9),
    "rounding": ca.floor(3 * b) + ca.ceil(3 * b) + ca.fabs(b) + ca.sign(b) + ca.fmod(a, 0.7),
    "extremes": ca.fmin(a, b) + 10 * ca.fmax(a, b) + ca.copysign(a, b),
    "branches": ca.if_else(b > 0.2, a, -a) + ca.if_else(ca.logic_and(a > 1, b <= 0.5), 3, 4),
    "logic": ca.logic_or(b < 0, a > 2) + 2 * ca.logic_not(b < 0) + 4 * (a == b) + 8 * (a != b),
    "a derivative": ca.jacobian(ca.fmax(0, a * b) * ca.sin(a * b), ca.vertcat(a, b)),
}


@pytest.mark.parametrize("name", OPERATIONS)
def test_every_operation_in_every_lane(name):
    """Each lane has its own numbers, so that a lane that leaks into another is seen; strict to round-off."""
    e = OPERATIONS[name]
    x = np.array([[0.3, 1.0, 1.7, 2.9], [-0.8, 0.4, 1.1, -2.2]])
    expected = np.column_stack(
        [np.array(ca.Function("f", [a, b], [ca.densify(e)])(*x[:, k])).ravel() for k in range(4)]
    )
    assert called(machine_code([a, b], [e]), x) == pytest.approx(expected, rel=1e-14, abs=1e-14)


def test_outputs_stand_row_by_row():
    M = ca.vertcat(ca.horzcat(a, b), ca.horzcat(a * b, 7))
    y = called(machine_code([a, b], [M, a + b]), np.tile([[2.0], [3.0]], LANES))
    assert y[:, 0].tolist() == [2.0, 3.0, 6.0, 7.0, 5.0]
