"""Laws of several entries as CasADi columns."""

from __future__ import annotations

from typing import Any

import casadi as ca

from panhead.engine.laws.hermite import shape, shape_x, shape_xx

_SHAPES = (shape, shape_x, shape_xx)


def hermite(x: Any, length: Any, order: int = 0) -> Any:
    """The cubic shape functions of (r₀, r₀′, r₁, r₁′) at x, or their derivative of ``order`` by x; (4,)."""
    return ca.vertcat(*_SHAPES[order](x / length, length))
