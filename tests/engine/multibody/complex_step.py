"""Derivatives without derivation: CasADi's instruction list, interpreted with complex numbers.

f(x + i h d) = f(x) + i h f_x d + O(h²): with h = 1e-30 the imaginary part is the derivative to round-off. Nothing
here knows a rule of differentiation, so it is a witness for the derived and compiled code.
"""

import ctypes

import casadi as ca
import numpy as np

from panhead.engine.kernels.element_families import LANES

H = 1e-30

UNARY = {
    ca.OP_ASSIGN: lambda x: x,
    ca.OP_NEG: lambda x: -x,
    ca.OP_SQ: lambda x: x * x,
    ca.OP_TWICE: lambda x: x + x,
    ca.OP_INV: lambda x: 1 / x,
    ca.OP_SQRT: np.sqrt,
    ca.OP_SIN: np.sin,
    ca.OP_COS: np.cos,
    ca.OP_TAN: np.tan,
    ca.OP_EXP: np.exp,
    ca.OP_LOG: np.log,
    ca.OP_TANH: np.tanh,
    ca.OP_ATAN: np.arctan,
    ca.OP_FABS: lambda x: np.where(x.real < 0, -x, x),
    ca.OP_SIGN: lambda x: np.sign(x.real) + 0j,
    ca.OP_NOT: lambda x: (x.real == 0) + 0j,
}
BINARY = {
    ca.OP_ADD: np.add,
    ca.OP_SUB: np.subtract,
    ca.OP_MUL: np.multiply,
    ca.OP_DIV: np.divide,
    ca.OP_POW: np.power,
    ca.OP_CONSTPOW: np.power,
    ca.OP_ATAN2: lambda y, x: 2 * np.arctan(y / (np.sqrt(x * x + y * y) + x)),  # half angles: right in all quadrants
    ca.OP_FMIN: lambda x, y: np.where(x.real <= y.real, x, y),
    ca.OP_FMAX: lambda x, y: np.where(x.real >= y.real, x, y),
    ca.OP_LT: lambda x, y: (x.real < y.real) + 0j,
    ca.OP_LE: lambda x, y: (x.real <= y.real) + 0j,
    ca.OP_EQ: lambda x, y: (x.real == y.real) + 0j,
    ca.OP_NE: lambda x, y: (x.real != y.real) + 0j,
    ca.OP_AND: lambda x, y: ((x.real != 0) & (y.real != 0)) + 0j,
    ca.OP_OR: lambda x, y: ((x.real != 0) | (y.real != 0)) + 0j,
    ca.OP_IF_ELSE_ZERO: lambda x, y: np.where(x.real != 0, y, 0),
}


class Program:
    """An expression as a list of instructions; inputs (n, columns) → outputs (m, columns), complex."""

    def __init__(self, inputs, output):
        f = ca.Function("f", [ca.vertcat(*inputs)], [ca.densify(ca.vertcat(output))])
        self.size = f.numel_out(0)
        self.lines = [
            (
                f.instruction_id(k),
                f.instruction_input(k),
                f.instruction_output(k),
                f.instruction_constant(k) if f.instruction_id(k) == ca.OP_CONST else None,
            )
            for k in range(f.n_instructions())
        ]

    def __call__(self, x):
        x = np.asarray(x, dtype=complex)
        x = x[:, None] if x.ndim == 1 else x
        out = np.zeros((self.size, x.shape[1]), dtype=complex)
        work = {}
        for op, i, o, constant in self.lines:
            if op == ca.OP_INPUT:
                work[o[0]] = x[i[1]]
            elif op == ca.OP_OUTPUT:
                out[o[1]] = work[i[0]]
            elif op == ca.OP_CONST:
                work[o[0]] = np.full(x.shape[1], constant, dtype=complex)
            elif op in UNARY:
                work[o[0]] = UNARY[op](work[i[0]])
            else:
                work[o[0]] = BINARY[op](work[i[0]], work[i[1]])
        return out


def compiled(code, x):
    """What machine code gives for one element."""
    f = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(code.address)
    lanes = np.repeat(np.asarray(x, dtype=float), LANES)
    y = np.zeros(code.outputs * LANES)
    f(lanes.ctypes.data, y.ctypes.data)
    return y.reshape(-1, LANES)[:, LANES - 1].copy()


class Element:
    """One row of a model at one state, with everything the law says about it."""

    def __init__(self, system, family, t, q, v, a, lam, u):
        self.law, self.row, self.system = family.law, family.rows[0], system
        law = self.law
        n, m = law.n, law.m
        places = family.places[0]
        nq = system.nq
        at = places[:n]
        numbers = np.array([system.parameters[f"{family.owners[0]}.{k}"] for k in law.numbers])
        parts = [[t], np.zeros(3), q[at], v[at], a[at], lam[places[n : n + m] - nq], u[places[n + m :]], numbers]
        self.x = np.concatenate(parts)
        ends = np.cumsum([0, *map(len, parts)])
        names = ("t", "c", "q", "v", "a", "lam", "u", "p")
        self.part = {k: slice(i, j) for k, i, j in zip(names, ends[:-1], ends[1:], strict=True)}
        self.places, self.inputs = places, law.inputs()
        self._programs = {}
        if law.terms.hidden is not None:
            self.hidden = self.part["p"].start + list(law.numbers).index("slide")
            self._settle()
        if law.terms.rows is not None:
            self._first_order()

    def _first_order(self):
        """The rate of a first-order coordinate (the last one) that its row asks for."""
        last = self.part["v"].stop - 1
        self.x[last] = 0.0
        self.x[last] = -self.value(self.law.terms.rows)[-1]

    def _settle(self, x=None):
        """The hidden number follows: c(t, q, s) = 0 by a fixed slope, also for complex inputs (n, columns)."""
        closure = self.program(self.law.terms.closure)
        y = self.x[:, None].astype(complex) if x is None else x
        probe = self.x.astype(complex)
        probe[self.hidden] += 1j * H
        slope = closure(probe)[0, 0].imag / H
        for _ in range(60):
            y[self.hidden] -= closure(y)[0] / slope
        if x is None:
            self.x = y[:, 0].real.copy()
        return y

    def program(self, expression):
        key = id(expression)
        if key not in self._programs:
            self._programs[key] = (Program(self.inputs, expression), expression)
        return self._programs[key][0]

    def value(self, expression):
        return self.program(ca.SX(expression))(self.x)[:, 0].real

    def along(self, expression, directions):
        """Directional derivatives, (outputs, directions); each direction is a dict part → vector."""
        x = np.repeat(self.x[:, None].astype(complex), len(directions), axis=1)
        for k, direction in enumerate(directions):
            for part, d in direction.items():
                x[self.part[part], k] += 1j * H * np.asarray(d)
        if self.law.terms.hidden is not None:
            x = self._settle(x)
        return self.program(ca.SX(expression))(x).imag / H

    def by(self, expression, part):
        size = self.part[part].stop - self.part[part].start
        return self.along(expression, [{part: e} for e in np.eye(size)])

    def dense(self, entries, values, shape):
        A = np.zeros(shape)
        A[entries[0], entries[1]] = values
        return A

    def tangent(self, c):
        """The compiled c_a M + c_v D + c_q K, (n, n), and g_q, (m, n)."""
        x = self.x.copy()
        x[self.part["c"]] = c
        values = compiled(self.law.tangent, x)
        S, G = self.law.entries
        n, m = self.law.n, self.law.m
        return self.dense(S, values[: S.shape[1]], (n, n)), self.dense(G, values[S.shape[1] :], (m, n))
