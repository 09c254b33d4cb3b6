"""Expressions of a kernel as C: what is known when it is written is folded, so that absent physics leaves no code."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from panhead.errors import ModelError
from panhead.runs.c_export.c_intrinsics import INTRINSICS
from panhead.runs.c_export.c_types import (
    INT,
    REAL,
    ArrayType,
    RecordType,
    StructType,
    TupleType,
    Value,
    tuple_initialiser,
    tuple_item,
    tuple_name,
)

if TYPE_CHECKING:
    from panhead.runs.c_export.c_program import Program

_ARITHMETIC: Mapping[type, tuple[str, Callable[..., Any]]] = {
    ast.Add: ("+", operator.add),
    ast.Sub: ("-", operator.sub),
    ast.Mult: ("*", operator.mul),
    ast.Div: ("/", operator.truediv),
    ast.FloorDiv: ("/", operator.floordiv),
    ast.Mod: ("%", operator.mod),
    ast.RShift: (">>", operator.rshift),
    ast.LShift: ("<<", operator.lshift),
    ast.BitAnd: ("&", operator.and_),
}
_COMPARISON: Mapping[type, tuple[str, Callable[..., Any]]] = {
    ast.Eq: ("==", operator.eq),
    ast.NotEq: ("!=", operator.ne),
    ast.Lt: ("<", operator.lt),
    ast.LtE: ("<=", operator.le),
    ast.Gt: (">", operator.gt),
    ast.GtE: (">=", operator.ge),
}
_RENAMED = {"U": "DISPLACEMENT", "V": "VELOCITY", "A": "ACCELERATION", "CS": "DAMPING_LOAD"}  # rows of the motion
_WIDEST = 2**31 - 1


class Expressions:
    """Translator of the expressions of one function."""

    def __init__(self, program: Program, scope: Mapping[str, Any]) -> None:
        self.program, self.scope = program, scope
        self.names: dict[str, Value] = {}  #: parameters and local variables

    def value(self, node: ast.expr) -> Value:
        """Translate an expression."""
        method = getattr(self, f"_{type(node).__name__.lower()}", None)
        if method is None:
            raise ModelError(f"c export: no C for {type(node).__name__} in {ast.unparse(node)!r}")
        found: Value = method(node)
        return found

    def condition(self, node: ast.expr) -> Value:
        """Translate a condition; the parentheses of an operator are not needed around it."""
        found = self.value(node)
        return Value(found.type, without_parentheses(found.code), found.known)

    def _constant(self, node: ast.Constant) -> Value:
        return self.constant(node.value)

    def constant(self, value: Any, name: str = "") -> Value:
        """A number as C."""
        if isinstance(value, bool | np.bool_):
            return Value(INT, str(int(value)), bool(value))
        if isinstance(value, int | np.integer):
            value = int(value)
            kept = min(max(value, -_WIDEST), _WIDEST)  # 1 << 40 stands for more than there can be
            return Value(INT, name or str(kept), kept)
        return Value(REAL, name or self.program.number(float(value)), float(value))

    def _name(self, node: ast.Name) -> Value:
        if node.id in self.names:
            return self.names[node.id]
        found = self.scope[node.id]
        if isinstance(found, int | float):
            return self.program.global_constant(self, _RENAMED.get(node.id, node.id), found)
        return Value(found, node.id)

    def _attribute(self, node: ast.Attribute) -> Value:
        if isinstance(node.value, ast.Name) and self.scope.get(node.value.id) in (np, math):
            known = {"nan": ("NAN", math.nan), "inf": ("INFINITY", math.inf)}
            if node.attr in known:
                return Value(REAL, *known[node.attr])
            return Value(getattr(self.scope[node.value.id], node.attr), node.attr)
        base = self.value(node.value)
        arrow = "->" if base.pointer else "."
        if isinstance(base.type, StructType):
            kind = base.type.fields[node.attr]
            if isinstance(kind, Value):
                return Value(kind.type, kind.code.replace("@", base.code), kind.known)
            return Value(kind, f"{base.code}{arrow}{node.attr}")
        if isinstance(base.type, RecordType):
            kind = self.program.field(base.type, node.attr)
            if isinstance(kind, Value):
                return kind
            return Value(kind, f"{base.code}{arrow}{node.attr}")
        raise ModelError(f"c export: {ast.unparse(node)!r} has no attribute in C")

    def _subscript(self, node: ast.Subscript) -> Value:
        index = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if isinstance(node.value, ast.Attribute) and node.value.attr == "shape":
            array = self.value(node.value.value)
            if isinstance(array.type, ArrayType):  # a line has a shape too
                dim = array.type.dims[self.value(index[0]).known]
                return Value(INT, dim.c, dim.value)
        return self.element(self.value(node.value), [self.value(each) for each in index])

    def element(self, base: Value, index: list[Value]) -> Value:
        """base[index], whole or a part of an array."""
        if base.parts is not None:
            return base.parts[index[0].known]
        if isinstance(base.type, TupleType):
            return tuple_item(base.type, base.code, index[0])
        if isinstance(base.type, ArrayType):
            code = base.code + "".join(f"[{without_parentheses(i.code)}]" for i in index)
            left = base.type.dims[len(index) :]
            if left:
                return Value(ArrayType(base.type.element, left, base.type.const), code)
            if isinstance(base.type.element, RecordType):
                return Value(RecordType(base.type.element.name, base.type.const), code)
            return Value(base.type.element, code)
        raise ModelError(f"c export: {base.code!r} cannot be indexed")

    def _tuple(self, node: ast.Tuple) -> Value:
        return self.tuple_of(self.unpack_starred(node.elts))

    def tuple_of(self, parts: list[Value]) -> Value:
        """Several values, not stored."""
        return Value(TupleType(tuple(p.type for p in parts)), "", parts=tuple(parts))

    def unpack_starred(self, nodes: list[ast.expr]) -> list[Value]:
        """Values of a list of expressions, starred ones unpacked."""
        found: list[Value] = []
        for node in nodes:
            if isinstance(node, ast.Starred):
                whole = self.value(node.value)
                found += whole.parts if whole.parts is not None else [whole]
            else:
                found.append(self.value(node))
        return found

    def _unaryop(self, node: ast.UnaryOp) -> Value:
        inner = self.value(node.operand)
        if isinstance(node.op, ast.Not):
            return Value(INT, f"!{inner.code}", None if inner.known is None else not inner.known)
        if inner.known is not None and inner.code[0].isdigit():
            return self.constant(-inner.known)
        return Value(inner.type, f"-{inner.code}", None if inner.known is None else -inner.known)

    def _binop(self, node: ast.BinOp) -> Value:
        a, b = self.value(node.left), self.value(node.right)
        if isinstance(node.op, ast.Pow):
            return self._power(a, b)
        sign, function = _ARITHMETIC[type(node.op)]
        if a.type.c == "row4":
            return Value(a.type, f"row4_{ {'+': 'add', '*': 'multiply'}[sign] }({a.code}, {b.code})")
        known = None
        if a.known is not None and b.known is not None:
            known = function(a.known, b.known)
            if isinstance(known, int) and abs(known) > _WIDEST:
                return self.constant(known)
        kind = REAL if REAL in (a.type, b.type) or isinstance(node.op, ast.Div) else INT
        return Value(kind, f"({a.code} {sign} {b.code})", known)

    def _power(self, a: Value, b: Value) -> Value:
        if b.known is None or float(b.known) not in (1.0, 2.0, 3.0):
            raise ModelError(f"c export: power {b.code} has no C without the mathematical library")
        return Value(a.type, "(" + " * ".join([a.code] * int(b.known)) + ")")

    def _compare(self, node: ast.Compare) -> Value:
        if self.program.never(self, node):
            return self.constant(False)
        values = [self.value(each) for each in (node.left, *node.comparators)]
        found = []
        for a, op, b in zip(values, node.ops, values[1:], strict=False):
            sign, function = _COMPARISON[type(op)]
            known = function(a.known, b.known) if a.known is not None and b.known is not None else None
            found.append(Value(INT, f"({a.code} {sign} {b.code})", known))
        return self._all_or_any(found, all_of=True)

    def _boolop(self, node: ast.BoolOp) -> Value:
        return self._all_or_any([self.value(each) for each in node.values], all_of=isinstance(node.op, ast.And))

    def _all_or_any(self, values: list[Value], *, all_of: bool) -> Value:
        """Conjunction or alternative without what is known."""
        left = [v for v in values if v.known is None]
        if any(v.known is not None and bool(v.known) != all_of for v in values):
            return self.constant(not all_of)
        if not left:
            return self.constant(all_of)
        code = (" && " if all_of else " || ").join(v.code for v in left)
        return Value(INT, f"({code})" if len(left) > 1 else code)

    def _ifexp(self, node: ast.IfExp) -> Value:
        test = self.value(node.test)
        if test.known is not None:
            return self.value(node.body if test.known else node.orelse)
        a, b = self.value(node.body), self.value(node.orelse)
        if a.parts is not None and b.parts is not None:
            pairs = zip(a.parts, b.parts, strict=True)
            return self.tuple_of([self._choice(test, x, y) for x, y in pairs])
        if isinstance(a.type, TupleType):
            codes = [literal(each) for each in (a, b)]
            return Value(a.type, f"({without_parentheses(test.code)} ? {codes[0]} : {codes[1]})")
        return self._choice(test, a, b)

    def _choice(self, test: Value, a: Value, b: Value) -> Value:
        kind = REAL if REAL in (a.type, b.type) else INT
        return Value(kind, f"({without_parentheses(test.code)} ? {a.code} : {b.code})")

    def _call(self, node: ast.Call) -> Value:
        if isinstance(node.func, ast.Attribute) and node.func.attr == "reshape":
            array = self.value(node.func.value)  # only a vector as a matrix of one column
            dims = (*array.type.dims, type(array.type.dims[0])(1))
            return Value(ArrayType(array.type.element, dims), f"((real (*)[1]){array.code})")
        args = self.unpack_starred(node.args)
        name = node.func.id if isinstance(node.func, ast.Name) else node.func.attr  # type: ignore[attr-defined]
        if name in INTRINSICS:
            return INTRINSICS[name](self, args)
        return self.program.call(self.scope[name], args)


def literal(value: Value) -> str:
    """Several values as one object."""
    if value.parts is None:
        return value.code
    return (
        f"({tuple_name(value.type)}){tuple_initialiser(value.type, [without_parentheses(p.code) for p in value.parts])}"
    )


def without_parentheses(code: str) -> str:
    """Code without the pair of parentheses that encloses all of it."""
    if not code.startswith("("):
        return code
    depth = 0
    for k, letter in enumerate(code):
        depth += (letter == "(") - (letter == ")")
        if depth == 0:
            return code[1:-1] if k == len(code) - 1 else code
    return code
