"""Derived expressions as machine code: CasADi's instruction list becomes one cached Numba function.

No C compiler is needed. The generated source is stored under the hash of its own text; what is found in
the cache is used only if it equals, letter by letter, what would be written.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import sys
from collections.abc import Sequence
from typing import Any

import casadi as ca

from panhead.errors import ModelError
from panhead.paths import kernel_cache

_BINARY = {
    ca.OP_ADD: "{} + {}",
    ca.OP_SUB: "{} - {}",
    ca.OP_MUL: "{} * {}",
    ca.OP_DIV: "{} / {}",
    ca.OP_POW: "{} ** {}",
    ca.OP_CONSTPOW: "{} ** {}",
    ca.OP_LT: "(1.0 if {} < {} else 0.0)",
    ca.OP_LE: "(1.0 if {} <= {} else 0.0)",
    ca.OP_EQ: "(1.0 if {} == {} else 0.0)",
    ca.OP_NE: "(1.0 if {} != {} else 0.0)",
    ca.OP_AND: "(1.0 if {} != 0.0 and {} != 0.0 else 0.0)",
    ca.OP_OR: "(1.0 if {} != 0.0 or {} != 0.0 else 0.0)",
    ca.OP_IF_ELSE_ZERO: "({1} if {0} != 0.0 else 0.0)",
    ca.OP_FMIN: "min({}, {})",
    ca.OP_FMAX: "max({}, {})",
    ca.OP_ATAN2: "atan2({}, {})",
    ca.OP_COPYSIGN: "copysign({}, {})",
    ca.OP_FMOD: "fmod({}, {})",
}
_UNARY = {
    ca.OP_ASSIGN: "{}",
    ca.OP_NEG: "-{}",
    ca.OP_INV: "1.0 / {}",
    ca.OP_SQ: "{0} * {0}",
    ca.OP_TWICE: "{0} + {0}",
    ca.OP_SQRT: "sqrt({})",
    ca.OP_EXP: "exp({})",
    ca.OP_LOG: "log({})",
    ca.OP_SIN: "sin({})",
    ca.OP_COS: "cos({})",
    ca.OP_TAN: "tan({})",
    ca.OP_ASIN: "asin({})",
    ca.OP_ACOS: "acos({})",
    ca.OP_ATAN: "atan({})",
    ca.OP_SINH: "sinh({})",
    ca.OP_COSH: "cosh({})",
    ca.OP_TANH: "tanh({})",
    ca.OP_ASINH: "asinh({})",
    ca.OP_ACOSH: "acosh({})",
    ca.OP_ATANH: "atanh({})",
    ca.OP_FABS: "abs({})",
    ca.OP_FLOOR: "floor({})",
    ca.OP_CEIL: "ceil({})",
    ca.OP_NOT: "(1.0 if {} == 0.0 else 0.0)",
    ca.OP_SIGN: "(1.0 if {0} > 0.0 else (-1.0 if {0} < 0.0 else 0.0))",
    ca.OP_LOG1P: "log1p({})",
    ca.OP_EXPM1: "expm1({})",
    ca.OP_ERF: "erf({})",
}
_HEADER = '''"""Generated from a derived mechanism; do not edit."""
from math import (acos, acosh, asin, asinh, atan, atan2, atanh, ceil, copysign, cos, cosh, erf, exp, expm1,
    floor, fmod, log, log1p, sin, sinh, sqrt, tan, tanh)
from numba import cfunc, types

'''


def compiled(name: str, inputs: Sequence[tuple[str, Any]], outputs: Sequence[Any]) -> Any:
    """A compiled function ``name(*inputs, out)`` that writes the outputs, flattened row by row, into ``out``.

    An input is (name, symbol); a scalar symbol becomes a float argument, a vector a float64 array.
    """
    flat = ca.vertcat(*(ca.reshape(ca.densify(e).T, e.numel(), 1) for e in outputs))
    flat = ca.cse(flat)
    function = ca.Function("f", [symbol for _, symbol in inputs], [flat])
    scalars = [symbol.is_scalar() and name == "t" for name, symbol in inputs]
    names = [name for name, _ in inputs]
    source = (
        _HEADER
        + _signature(name, names, scalars)
        + "\n".join(_body(function, names, scalars))
        + "\n"
    )
    return getattr(_load(source), name)


def _signature(name: str, names: list[str], scalars: list[bool]) -> str:
    kinds = ", ".join("types.float64" if s else "types.float64[::1]" for s in scalars)
    return (
        f"@cfunc(types.void({kinds}, types.float64[::1]), cache=True, error_model='numpy')\n"
        f"def {name}({', '.join(names)}, out):\n"
    )


def _body(function: Any, names: list[str], scalars: list[bool]) -> list[str]:
    """One line per instruction of the list."""
    lines = []
    for k in range(function.n_instructions()):
        op, i, o = (
            function.instruction_id(k),
            function.instruction_input(k),
            function.instruction_output(k),
        )
        if op == ca.OP_INPUT:
            value = names[i[0]] if scalars[i[0]] else f"{names[i[0]]}[{i[1]}]"
            lines.append(f"    w{o[0]} = {value}")
        elif op == ca.OP_OUTPUT:
            lines.append(f"    out[{o[1]}] = w{i[0]}")
        elif op == ca.OP_CONST:
            lines.append(f"    w{o[0]} = {float(function.instruction_constant(k))!r}")
        elif op in _BINARY:
            lines.append(f"    w{o[0]} = " + _BINARY[op].format(f"w{i[0]}", f"w{i[1]}"))
        elif op in _UNARY:
            lines.append(f"    w{o[0]} = " + _UNARY[op].format(f"w{i[0]}"))
        else:
            raise ModelError(
                f"an expression uses CasADi's operation {op}, which has no compiled form"
            )
    return lines or ["    pass"]


def _load(source: str) -> Any:
    """Import the module with this source, writing it to the cache if it is not there yet."""
    digest = hashlib.sha256(source.encode()).hexdigest()[:24]
    module_name = f"panhead_kernel_{digest}"
    if module_name in sys.modules:
        return sys.modules[module_name]
    path = kernel_cache() / f"{module_name}.py"
    if not path.exists() or path.read_text(encoding="utf-8") != source:
        partial = path.with_suffix(f".{os.getpid()}.part")
        partial.write_text(source, encoding="utf-8")
        partial.replace(path)
    spec = importlib.util.spec_from_file_location(module_name, path)
    if spec is None or spec.loader is None:
        raise ModelError(f"cannot load the compiled kernel {path}")
    module = importlib.util.module_from_spec(spec)
    sys.modules[module_name] = module  # before it runs: Numba's cache looks it up by name
    spec.loader.exec_module(module)
    return module
