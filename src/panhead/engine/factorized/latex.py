"""The derived equations of a mechanism in LaTeX: M, Q_v, Q_m, Q_e, C, C_q, Q_d."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import casadi as ca

from panhead.engine.factorized.polynomials import Atom, Monomial, Polynomial, polynomial
from panhead.engine.symbolic.derivation import Derivation, derive
from panhead.engine.symbolic.mechanism import Mechanism

_GREEK = (
    " alpha beta gamma delta epsilon zeta eta theta kappa lambda mu nu xi pi rho sigma tau phi chi "
    "psi omega Gamma Delta Theta Lambda Xi Pi Sigma Phi Psi Omega "
)
_TERMS = ("M", "Q_v", "Q_m", "Q_e", "C", "C_q", "Q_d")
_FENCED = {"abs": (r"\left|", r"\right|"), "group": (r"\left(", r"\right)")}


def latex(source: Mechanism | Derivation) -> str:
    """The equations of motion M q̈ + C_qᵀ λ = Q_v + Q_m + Q_e, C = 0, C_q q̈ = Q_d as an ``align*``.

    Terms that are zero or empty are said to be so by their absence.
    """
    names: dict[str, str] = {}
    if isinstance(source, Mechanism):
        names = _control_names(source)
        source = derive(source)
    lines = []
    for name in _TERMS:
        term = ca.densify(getattr(source, name))
        if term.numel() and not term.is_zero():
            lines.append(f"{name} &= {matrix(term, names)}")
    return "\\begin{align*}\n" + " \\\\\n".join(lines) + "\n\\end{align*}\n"


def _control_names(mechanism: Mechanism) -> dict[str, str]:
    """CasADi calls controls u or u_0, u_1; a person calls them by their channels."""
    controls = mechanism.controls()
    numbered = ["u"] if len(controls) == 1 else [f"u_{i}" for i in range(len(controls))]
    return dict(zip(numbered, controls, strict=True))


def matrix(expression: Any, names: Mapping[str, str] | None = None) -> str:
    """A matrix of expressions; ``names`` renames symbols before they are set."""
    expression = ca.SX(expression)
    rows, columns = expression.shape
    set_rows = [" & ".join(scalar(expression[i, j], names) for j in range(columns)) for i in range(rows)]
    return r"\begin{bmatrix} " + r" \\ ".join(set_rows) + r" \end{bmatrix}"


def scalar(expression: Any, names: Mapping[str, str] | None = None) -> str:
    """One expression, multiplied out and tidied."""
    return _sum(polynomial(expression), names or {})


def symbol(name: str) -> str:
    r"""A name as it is set: ``theta1_dot`` becomes \dot{\theta}_{1}, ``r_b1`` becomes r_{b1}.

    >>> symbol("theta1_dot"), symbol("L2"), symbol("Omega")
    ('\\dot{\\theta}_{1}', 'L_{2}', '\\Omega')
    """
    dotted = name.endswith("_dot")
    name = name.removesuffix("_dot")
    match = re.fullmatch(r"([A-Za-z]+?)_?(\d+)", name) or re.fullmatch(r"([A-Za-z]+)_(\w+)", name)
    base, index = match.groups() if match else (name, "")
    if f" {base} " in _GREEK:
        base = "\\" + base
    elif base == "lam":
        base = r"\lambda"
    elif len(base) > 1:
        base = rf"\mathrm{{{base}}}"
    if dotted:
        base = rf"\dot{{{base}}}"
    return f"{base}_{{{index.replace('_', ',')}}}" if index else base


def _sum(p: Polynomial, names: Mapping[str, str]) -> str:
    """Terms with their signs; the positive ones first, else in order."""
    if not p:
        return "0"
    text = ""
    for monomial, c in sorted(p.items(), key=lambda term: (term[1] < 0, _degree(term[0]))):
        sign = "-" if c < 0 else "+" if text else ""
        text += f" {sign} " if text else sign
        text += _product(abs(c), monomial, names)
    return text


def _degree(monomial: Monomial) -> tuple[int, str]:
    return len(monomial), repr(monomial)


def _product(c: float, monomial: Monomial, names: Mapping[str, str]) -> str:
    """c · x · y / z: numbers first, parameters, rates, then functions."""
    number, pi = _fraction(c)
    factors = sorted(monomial, key=_rank)
    above = [_factor(s, n, names) for s, n in factors if n > 0]
    below = [_factor(s, -n, names) for s, n in factors if n < 0]
    if number is None:
        above = [_decimal(c), *above]
    else:
        above = [*pi, *above]
        above = ([str(number.numerator)] if number.numerator != 1 or not above else []) + above
        below = ([str(number.denominator)] if number.denominator != 1 else []) + below
    if len(below) == 1:  # the line of the fraction holds it together
        below = [re.sub(r"^\\left\((.*)\\right\)$", r"\1", below[0])]
    numerator, denominator = r" \, ".join(above), r" \, ".join(below)
    return rf"\frac{{{numerator}}}{{{denominator}}}" if below else numerator


def _fraction(c: float) -> tuple[Fraction | None, list[str]]:
    """c as a fraction of small numbers, perhaps times π, if it is one to the last digit."""
    for unit, word in ((1.0, []), (math.pi, [r"\pi"])):
        simple = Fraction(c / unit).limit_denominator(999)
        if float(simple) * unit == c and simple.numerator < 10**6:
            return simple, word
    return None, []


def _decimal(c: float) -> str:
    mantissa, _, exponent = repr(c).partition("e")
    return rf"{mantissa} \cdot 10^{{{int(exponent)}}}" if exponent else mantissa


def _rank(factor: tuple[Atom, float]) -> tuple[int, str]:
    atom = factor[0]
    if atom.arguments:
        return 2, repr(atom)
    return int(atom.name.endswith("_dot")), atom.name


def _factor(atom: Atom, n: float, names: Mapping[str, str]) -> str:
    """An atom to a positive power."""
    exponent = "" if n == 1 else f"^{{{n:g}}}"
    if not atom.arguments:
        return symbol(names.get(atom.name, atom.name)) + exponent
    arguments = ", ".join(_sum(dict(a), names) for a in atom.arguments)
    if atom.name in _FENCED:
        left, right = _FENCED[atom.name]
        return f"{left}{arguments}{right}{exponent}"
    if atom.name == "sqrt":
        return rf"\sqrt{{{arguments}}}{exponent}"
    if atom.name == "pow":
        base, top = (_sum(dict(a), names) for a in atom.arguments)
        times = "" if n == 1 else rf"{n:g} \, "
        return rf"\left({base}\right)^{{{times}\left({top}\right)}}"
    known = atom.name not in ("atan2", "sgn")
    word = f"\\{atom.name}" if known else rf"\operatorname{{{atom.name}}}"
    return f"{word}{exponent}{_argument(arguments)}"


def _argument(text: str) -> str:
    """A bare symbol follows its function without parentheses."""
    bare = re.fullmatch(r"\\?[A-Za-z]+(_\{\w+\})?", text)
    return (text if text.startswith("\\") else f" {text}") if bare else rf"\left({text}\right)"
