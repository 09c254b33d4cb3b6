"""Functions that kernels take from Python, NumPy and the compiler, as C."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from panhead.runs.c_export.c_types import INT, REAL, ROW, VOID, TupleType, Value

if TYPE_CHECKING:
    from panhead.runs.c_export.c_expressions import Expressions

_FOUR_ROWS = TupleType((ROW,) * 4)


def _extreme(which: str) -> Callable[[Expressions, list[Value]], Value]:
    def write(own: Expressions, args: list[Value]) -> Value:
        kind = REAL if any(a.type == REAL for a in args) else INT
        known = [a.known for a in args]
        if None not in known:
            return own.constant({"max": max, "min": min}[which](known))
        return Value(kind, f"{which}_{kind.c}({_argument_list(args)})")

    return write


def _argument_list(args: list[Value]) -> str:
    from panhead.runs.c_export.c_expressions import without_parentheses

    return ", ".join(without_parentheses(a.code) for a in args)


def _plain(name: str, kind: Any) -> Callable[[Expressions, list[Value]], Value]:
    return lambda own, args: Value(kind, f"{name}({_argument_list(args)})")


def _magnitude(own: Expressions, args: list[Value]) -> Value:
    return Value(REAL, f"fabs_real({_argument_list(args)})")


def _fused_multiply_add(own: Expressions, args: list[Value]) -> Value:
    row = any(a.type == ROW for a in args)
    return Value(ROW if row else REAL, f"{'row4_fma' if row else 'fma_real'}({_argument_list(args)})")


def _address(own: Expressions, args: list[Value]) -> str:
    """Address of the four numbers from an index on that may leave the last axis open."""
    array, index = args[0], args[1].parts or ()
    if len(index) < len(array.type.dims):
        return own.element(array, list(index)).code
    return "&" + own.element(array, list(index)).code


def _load(own: Expressions, args: list[Value]) -> Value:
    return Value(ROW, f"row4_load({_address(own, args)})")


def _store(own: Expressions, args: list[Value]) -> Value:
    return Value(VOID, f"row4_store({_address(own, args)}, {args[2].code})")


def _transpose_rows(own: Expressions, args: list[Value]) -> Value:
    own.program.tuples.setdefault(_FOUR_ROWS)
    return Value(_FOUR_ROWS, f"turned({_argument_list(args)})")


def _integer(own: Expressions, args: list[Value]) -> Value:
    return Value(INT, f"(int){args[0].code}")


#: name of a function → how it is written
INTRINSICS: Mapping[str, Callable[[Expressions, list[Value]], Value]] = {
    "max": _extreme("max"),
    "min": _extreme("min"),
    "abs": _magnitude,
    "int": _integer,
    "fma": _fused_multiply_add,
    "isfinite": _plain("is_finite", INT),
    "exp": _plain("exponential", REAL),
    "tanh": _plain("hyperbolic_tangent", REAL),
    "sqrt": _plain("sqrt_real", REAL),
    "row": _load,
    "put_row": _store,
    "no_row": _plain("row4_zero", ROW),
    "swapped": _plain("swapped", ROW),
    "turned": _transpose_rows,
    **{f"spread{k}": _plain(f"spread{k}", ROW) for k in range(4)},
}
