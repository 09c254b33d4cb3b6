"""Named parameters of a mechanism: symbols in the derivation, values at run time."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any, final

import casadi as ca

from panhead.errors import ModelError

#: Time, as it appears in positions and prescribed motions.
time = ca.SX.sym("t")


def coordinates(*names: str) -> tuple[Any, ...]:
    """One symbol per name, to write positions with: ``theta1, theta2 = coordinates("theta1", "theta2")``."""
    return tuple(ca.SX.sym(name) for name in names)


@final
class Parameters:
    """Parameters of a mechanism. ``Parameters(L=(0.1, "m"))`` has the symbol ``.L`` and the value 0.1.

    Immutable; ``changed`` returns a copy with the same symbols.
    """

    __slots__ = ("symbols", "units", "values")

    def __init__(self, **entries: tuple[float, str]) -> None:
        taken = sorted(set(entries) & set(dir(Parameters)))
        if taken:
            raise ModelError(f"a parameter cannot be called {', '.join(taken)}; choose another name")
        self.symbols: Mapping[str, Any] = {name: ca.SX.sym(name) for name in entries}
        self.values: Mapping[str, float] = {name: float(value) for name, (value, _) in entries.items()}
        self.units: Mapping[str, str] = {name: unit for name, (_, unit) in entries.items()}
        self._check()

    def __getattr__(self, name: str) -> Any:
        if name in Parameters.__slots__ or name.startswith("__"):
            raise AttributeError(name)  # being copied, not yet filled
        try:
            return self.symbols[name]
        except KeyError:
            raise AttributeError(f"no parameter called {name!r}; there are {', '.join(self.symbols)}") from None

    def changed(self, values: Mapping[str, Any]) -> Parameters:
        """Return the parameters with some values changed; text such as ``"10 cm"`` is converted."""
        from panhead.files.units import Unit

        unknown = sorted(set(values) - set(self.symbols))
        if unknown:
            known = ", ".join(self.symbols)
            raise ModelError(f"unknown parameter {', '.join(unknown)}; this mechanism has {known}")
        new = object.__new__(Parameters)
        new.symbols, new.units = self.symbols, self.units
        try:
            converted = {n: float(Unit(self.units[n]).parse(v)) for n, v in values.items()}
        except (TypeError, ValueError) as error:
            raise ModelError(f"parameters: {error}") from None
        new.values = dict(self.values) | converted
        new._check()
        return new

    def _check(self) -> None:
        for name, value in self.values.items():
            if not math.isfinite(value):
                raise ModelError(f"parameter {name} must be finite, got {value!r}")

    def vector(self) -> Any:
        """Column of all symbols."""
        return ca.vertcat(*self.symbols.values()) if self.symbols else ca.SX(0, 1)

    def evaluate(self, expression: Any) -> float:
        """The value of an expression of parameters alone; ModelError if it contains anything else."""
        expression = ca.SX(expression)
        function = ca.Function("e", [self.vector()], [expression], {"allow_free": True})
        if function.has_free():
            free = ", ".join(str(s) for s in function.free_sx())
            raise ModelError(f"{expression} must be a number or made of parameters, but depends on {free}")
        return float(function(list(self.values.values())))


def free_names(expression: Any, allowed: Iterable[Any]) -> list[str]:
    """Names of the symbols in ``expression`` that are not in ``allowed``."""
    known = {s.element_hash() for s in allowed}
    return sorted({s.name() for s in ca.symvar(ca.SX(expression)) if s.element_hash() not in known})
