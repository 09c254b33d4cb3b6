"""CasADi expressions as sums of products, tidy enough to be read.

A polynomial is a dictionary monomial → coefficient; a monomial is a sorted tuple of (atom, power);
an atom is a symbol or a function of polynomials. Products are multiplied out, equal terms added,
and

    cos a cos b ± sin a sin b = cos(a ∓ b),   sin a cos b ± cos a sin b = sin(a ± b)

applied from left to right, which is all the trigonometry that mechanisms of rods and joints need.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any, NamedTuple

import casadi as ca

from panhead.errors import ModelError


class Atom(NamedTuple):
    """A symbol (no arguments) or a function of polynomials."""

    name: str
    arguments: tuple[Key, ...] = ()


Monomial = tuple[tuple[Atom, int], ...]
Polynomial = dict[Monomial, float]
Key = tuple[tuple[Monomial, float], ...]  #: a polynomial that can be compared and hashed

_LIMIT = 3000  # terms; an expression that grows beyond is not for reading
_FUNCTIONS = {
    ca.OP_SIN: "sin", ca.OP_COS: "cos", ca.OP_TAN: "tan", ca.OP_ASIN: "arcsin",
    ca.OP_ACOS: "arccos", ca.OP_ATAN: "arctan", ca.OP_SINH: "sinh", ca.OP_COSH: "cosh",
    ca.OP_TANH: "tanh", ca.OP_EXP: "exp", ca.OP_LOG: "ln", ca.OP_SQRT: "sqrt", ca.OP_FABS: "abs",
    ca.OP_SIGN: "sgn", ca.OP_ATAN2: "atan2", ca.OP_FMIN: "min", ca.OP_FMAX: "max",
    ca.OP_POW: "pow",
}  # fmt: skip


def polynomial(expression: Any) -> Polynomial:
    """The polynomial of a scalar CasADi expression."""
    return simplify(_walk(ca.SX(expression), {}))


def key(p: Polynomial) -> Key:
    """A polynomial as a hashable value, its terms in a fixed order."""
    return tuple(sorted(p.items(), key=repr))


def constant(value: float) -> Polynomial:
    """A number as a polynomial."""
    return {(): value} if value else {}


def add(p: Polynomial, q: Polynomial, factor: float = 1.0) -> Polynomial:
    """p + factor · q."""
    total = dict(p)
    for monomial, c in q.items():
        total[monomial] = total.get(monomial, 0.0) + factor * c
        if total[monomial] == 0.0:
            del total[monomial]
    return total


def multiply(p: Polynomial, q: Polynomial) -> Polynomial:
    """p · q, multiplied out."""
    if len(p) * len(q) > _LIMIT:
        raise ModelError(
            f"an expression has more than {_LIMIT} terms when multiplied out; it cannot be printed "
            "readably. Print its parts"
        )
    total: Polynomial = {}
    for a, x in p.items():
        for b, y in q.items():
            total = add(total, _without_roots(_merge(a, b)), x * y)
    return total


def _merge(a: Monomial, b: Monomial) -> Monomial:
    powers = dict(a)
    for atom, power in b:
        powers[atom] = powers.get(atom, 0) + power
    return tuple(sorted(((s, n) for s, n in powers.items() if n), key=repr))


def _without_roots(monomial: Monomial) -> Polynomial:
    """√x · √x = x where a product brought two roots together, above or below the line."""
    for atom, n in monomial:
        if atom.name == "sqrt" and abs(n) >= 2:
            whole = int(n / 2)
            rest = _merge(monomial, ((atom, -2 * whole),))
            return multiply({rest: 1.0}, power(dict(atom.arguments[0]), whole))
    return {monomial: 1.0}


def power(p: Polynomial, exponent: int) -> Polynomial:
    """p to a whole power; a sum to a negative power becomes one atom."""
    if exponent < 0 and len(p) == 1:
        ((monomial, c),) = p.items()
        return {tuple((s, n * exponent) for s, n in monomial): c**exponent}
    if exponent < 0:
        return {((Atom("group", (key(p),)), exponent),): 1.0}
    total = constant(1.0)
    for _ in range(exponent):
        total = multiply(total, p)
    return total


def _walk(e: Any, known: dict[int, Polynomial]) -> Polynomial:
    """One node of the graph after those it depends on; shared nodes once."""
    if e.is_constant():
        return constant(float(e))
    if e.is_symbolic():
        return {((Atom(e.name()), 1),): 1.0}
    code = e.element_hash()
    if code not in known:
        known[code] = _operation(e.op(), [_walk(e.dep(i), known) for i in range(e.n_dep())])
    return known[code]


def _operation(op: int, p: list[Polynomial]) -> Polynomial:
    """The polynomial of an operation on polynomials."""
    if op in (ca.OP_ADD, ca.OP_SUB):
        return add(p[0], p[1], 1.0 if op == ca.OP_ADD else -1.0)
    if op in (ca.OP_NEG, ca.OP_TWICE):
        return multiply(p[0], constant(-1.0 if op == ca.OP_NEG else 2.0))
    if op in (ca.OP_MUL, ca.OP_SQ):
        return multiply(p[0], p[-1])
    if op in (ca.OP_DIV, ca.OP_INV):
        return multiply(p[0] if op == ca.OP_DIV else constant(1.0), power(p[-1], -1))
    if op in (ca.OP_POW, ca.OP_CONSTPOW) and (whole := _integer_value(p[1])) is not None:
        return power(p[0], whole)
    if op in _FUNCTIONS:
        return _function(_FUNCTIONS[op], [simplify(x) for x in p])
    if op == ca.OP_CONSTPOW:
        return _function("pow", p)
    raise ModelError(f"an expression uses CasADi's operation {op}, which cannot be printed")


def _integer_value(p: Polynomial) -> int | None:
    """The integer a polynomial stands for, or None."""
    value = p.get((), 0.0)
    return int(value) if set(p) <= {()} and value == int(value) else None


def _function(name: str, arguments: list[Polynomial]) -> Polynomial:
    """A function as an atom; sin and cos of −x are written with x."""
    sign = 1.0
    if name in ("sin", "cos") and key(arguments[0]) and key(arguments[0])[0][1] < 0:
        arguments = [multiply(arguments[0], constant(-1.0))]
        sign = -1.0 if name == "sin" else 1.0
    return {((Atom(name, tuple(key(a) for a in arguments)), 1),): sign}


def simplify(p: Polynomial) -> Polynomial:
    """Apply the addition theorems until none fits."""
    p = dict(p)
    while (step := _theorem(p)) is not None:
        p = step
    return p


def _theorem(p: Polynomial) -> Polynomial | None:
    """One application of an addition theorem to a pair of equal coefficients, or None."""
    for monomial, c in p.items():
        for a, b in _pairs(monomial):
            partner = _partner(monomial, a, b)
            d = p.get(partner)
            if d is None or abs(d) != abs(c) or partner == monomial:
                continue
            combined = _combine(a, b, same=(d > 0) == (c > 0))
            rest = _divide(monomial, a, b)
            smaller = {m: x for m, x in p.items() if m not in (monomial, partner)}
            return add(smaller, multiply({rest: c}, combined))
    return None


def _pairs(monomial: Monomial) -> list[tuple[Atom, Atom]]:
    """Pairs of sines and cosines in a product, a square being a pair with itself."""
    waves = [(s, n) for s, n in monomial if s.name in ("sin", "cos") and n > 0]
    squares = [(s, s) for s, n in waves if n >= 2]
    return squares + [(s, r) for (s, _), (r, _) in combinations(waves, 2)]


def _partner(monomial: Monomial, a: Atom, b: Atom) -> Monomial:
    """The product with sines and cosines of a and b exchanged, which a theorem would take in."""
    other = {"sin": "cos", "cos": "sin"}
    partner = _divide(monomial, a, b)
    for atom in (a, b):
        partner = _merge(partner, ((Atom(other[atom.name], atom.arguments), 1),))
    return partner


def _divide(monomial: Monomial, a: Atom, b: Atom) -> Monomial:
    return _merge(_merge(monomial, ((a, -1),)), ((b, -1),))


def _combine(a: Atom, b: Atom, *, same: bool) -> Polynomial:
    """a b ± a' b' as one sine or cosine, with the sign of a b."""
    x, y = dict(a.arguments[0]), dict(b.arguments[0])
    names = a.name + b.name
    if names == "coscos":  # cos a cos b ± sin a sin b
        return _wave("cos", add(x, y, -1.0 if same else 1.0), 1.0)
    if names == "sinsin":  # sin a sin b ± cos a cos b
        return _wave("cos", add(x, y, -1.0 if same else 1.0), 1.0 if same else -1.0)
    if names == "sincos":  # sin a cos b ± cos a sin b
        return _wave("sin", add(x, y, 1.0 if same else -1.0), 1.0)
    return _wave("sin", add(y, x, 1.0 if same else -1.0), 1.0)  # cos a sin b ± sin a cos b


def _wave(name: str, argument: Polynomial, sign: float) -> Polynomial:
    if not argument:
        return constant(sign if name == "cos" else 0.0)
    return multiply(_function(name, [argument]), constant(sign))
