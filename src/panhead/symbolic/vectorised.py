"""Derived expressions over many samples: one compiled loop instead of one call per sample."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import casadi as ca

from panhead.symbolic.translate import _body, _load

_HEADER = '''"""Generated from a derived mechanism; do not edit."""
from math import (acos, acosh, asin, asinh, atan, atan2, atanh, ceil, copysign, cos, cosh, erf,
    exp, expm1, floor, fmod, log, log1p, sin, sinh, sqrt, tan, tanh)
from numba import njit, types

'''


def compiled_rows(
    name: str,
    inputs: Sequence[tuple[str, Any]],
    constants: Sequence[tuple[str, Any]],
    outputs: Sequence[Any],
) -> Any:
    """A compiled function ``name(*inputs, *constants, out)`` that fills out[s] from row s of every
    input.

    An input is (name, symbol column of k entries) and becomes an array (n, k); a constant becomes
    an array (k,) that is the same for all samples. out is (n, number of outputs), flattened row by
    row.
    """
    flat = ca.cse(ca.vertcat(*(ca.reshape(ca.densify(e).T, e.numel(), 1) for e in outputs)))
    everything = [*inputs, *constants]
    function = ca.Function("f", [symbol for _, symbol in everything], [flat])
    names = [n for n, _ in everything]
    # row s of an input is read as q[s, 0]: no view is made inside the loop
    lines = _body(function, names, [False] * len(names))
    for n, _ in inputs:
        lines = [line.replace(f" = {n}[", f" = {n}[s, ") for line in lines]
    lines = [line.replace("    out[", "    out[s, ") for line in lines]
    kinds = ["types.float64[:, ::1]"] * len(inputs) + ["types.float64[::1]"] * len(constants)
    source = (
        _HEADER
        + f"@njit(types.void({', '.join([*kinds, 'types.float64[:, ::1]'])}), cache=True)\n"
        + f"def {name}({', '.join(names)}, out):\n"
        + "    for s in range(out.shape[0]):\n"
        + "\n".join("    " + line for line in lines)
        + "\n"
    )
    return getattr(_load(source), name)
