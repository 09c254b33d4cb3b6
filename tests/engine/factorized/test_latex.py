"""What is printed is what was derived: the LaTeX is read back and evaluated."""

import math
import re

import casadi as ca
import numpy as np
import pytest

from panhead.engine.factorized.latex import latex, scalar, symbol
from panhead.engine.symbolic import derive
from panhead.errors import ModelError
from panhead.runs.scenarios import shipped_models

NAMES = ("double-pendulum", "planar-pantograph", "crank-rod", "two-link-robot", "variator", "pendulum")
TERMS = ("M", "Q_v", "Q_m", "Q_e", "C", "C_q", "Q_d")


class Reader:
    """A reader of the small part of LaTeX that ``latex`` writes: sums, products, fractions, functions."""

    TOKEN = re.compile(
        r"\\frac|\\sqrt|\\left[(|]|\\right[)|]|\\(?:sin|cos)\b|\\dot\{\\?[A-Za-z]+\}(?:_\{[\w,]+\})?"
        r"|\\mathrm\{\w+\}(?:_\{[\w,]+\})?|\\[A-Za-z]+(?:_\{[\w,]+\})?|[A-Za-z](?:_\{[\w,]+\})?"
        r"|\d+\.?\d*|\^|\{|\}|\+|-"
    )

    def __init__(self, text, values):
        text = text.replace(r"\,", " ")
        self.tokens, self.values, self.at = self.TOKEN.findall(text), values, 0
        left = self.TOKEN.sub("", text).strip()
        assert not left, f"cannot read {left!r}"

    def peek(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self, wanted=None):
        token = self.peek()
        assert wanted is None or token == wanted, f"expected {wanted}, found {token}"
        self.at += 1
        return token

    def sum(self):
        total = 0.0
        while True:
            sign = -1.0 if self.peek() == "-" else 1.0
            if self.peek() in ("+", "-"):
                self.take()
            total += sign * self.product()
            if self.peek() not in ("+", "-"):
                return total

    def product(self):
        total = self.factor()
        while self.peek() and self.peek() not in ("+", "-", "}", r"\right)"):
            total *= self.factor()
        return total

    def factor(self):
        token = self.take()
        if token == r"\frac":
            value = self.braced() / self.braced()
        elif token == r"\sqrt":
            value = math.sqrt(self.braced())
        elif token == r"\left(":
            value = self.sum()
            self.take(r"\right)")
        elif token in (r"\sin", r"\cos"):
            n = self.exponent()
            return getattr(math, token[1:])(self.bare()) ** n
        elif token[0].isdigit():
            value = float(token)
        else:
            value = math.pi if token == r"\pi" else self.values[token]
        return value ** self.exponent()

    def bare(self):
        """The argument of a function: one symbol or a parenthesis, no power of its own."""
        if self.peek() == r"\left(":
            self.take()
            value = self.sum()
            self.take(r"\right)")
            return value
        return self.values[self.take()]

    def exponent(self):
        if self.peek() != "^":
            return 1.0
        self.take()
        return self.braced()

    def braced(self):
        self.take("{")
        value = self.sum()
        self.take("}")
        return value


def entries(text, name):
    """The printed entries of one term as rows of strings."""
    found = re.search(rf"^{name} &= \\begin{{bmatrix}} (.*) \\end{{bmatrix}}", text, re.MULTILINE)
    return [row.split(" & ") for row in found[1].split(r" \\ ")] if found else None


def values_of(mechanism, d, rng):
    """Random numbers for every symbol: by printed name, and as arguments for CasADi."""
    q, v, u = (rng.uniform(0.2, 1.2, s.numel()) for s in (d.q, d.v, d.u))
    p, t = np.array(list(mechanism.parameters.values.values())), 0.37
    names = {symbol(c.name()): x for c, x in zip(mechanism.coordinates, q, strict=True)}
    names |= {symbol(c.name()): x for c, x in zip(mechanism.rates, v, strict=True)}
    names |= {symbol(c): x for c, x in zip(mechanism.controls(), u, strict=True)}
    names |= {symbol(n): x for n, x in zip(mechanism.parameters.values, p, strict=True)}
    return names | {"t": t}, (t, q, v, u, p)


@pytest.mark.parametrize("name", NAMES)
def test_printed_equals_derived(name):
    """To 1e-12 of the largest entry: the printed form adds the same numbers in another order."""
    mechanism = shipped_models.mechanism(name)
    d, text = derive(mechanism), latex(mechanism)
    values, arguments = values_of(mechanism, d, np.random.default_rng(3))
    for term in TERMS:
        expression = ca.densify(getattr(d, term))
        wanted = np.array(ca.Function("f", [d.t, d.q, d.v, d.u, d.p], [expression])(*arguments))
        printed = entries(text, term)
        if printed is None:
            assert wanted.size == 0 or np.abs(wanted).max() == 0
            continue
        read = np.array([[Reader(entry, values).sum() for entry in row] for row in printed])
        np.testing.assert_allclose(read, wanted, rtol=0, atol=1e-12 * max(1, np.abs(wanted).max()))


def test_double_pendulum_reads_as_in_a_book():
    """cos θ₁ cos θ₂ + sin θ₁ sin θ₂ is printed as one cosine, and nothing is printed twice."""
    M = entries(latex(shipped_models.mechanism("double-pendulum")), "M")
    assert M[0][0] == r"I_{1} + L_{1}^{2} \, m_{1} + 4 \, L_{1}^{2} \, m_{2}"
    assert M[0][1] == r"2 \, L_{1} \, L_{2} \, m_{2} \, \cos\left(\theta_{1} - \theta_{2}\right)"


def test_tidying():
    x, y = ca.SX.sym("x"), ca.SX.sym("y")
    assert scalar(0 - (-x)) == "x"
    assert scalar(x + x) == r"2 \, x"
    assert scalar(x - x) == "0"
    assert scalar(ca.sin(x) ** 2 + ca.cos(x) ** 2) == "1"
    assert scalar(ca.sin(x) * ca.cos(y) - ca.cos(x) * ca.sin(y)) == r"\sin\left(x - y\right)"
    assert scalar(ca.sqrt(x) * ca.sqrt(x)) == "x"
    assert scalar(x / (2 * (x + y))) == r"\frac{x}{2 \, x + 2 \, y}"
    assert scalar(0.5 * x) == r"\frac{x}{2}"


def test_names():
    assert symbol("theta1") == r"\theta_{1}"
    assert symbol("theta1_dot") == r"\dot{\theta}_{1}"
    assert symbol("r_b1") == "r_{b1}"
    assert symbol("Omega") == r"\Omega"
    assert symbol("tilt") == r"\mathrm{tilt}"


def test_what_cannot_be_printed_is_said():
    x = ca.SX.sym("x")
    with pytest.raises(ModelError, match="cannot be printed"):
        scalar(ca.if_else(x > 0, x, 2 * x))
