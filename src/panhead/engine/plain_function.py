"""Plain Python functions of numbers in the items of a model, called by compiled code.

Expressions (CasADi) are compiled with their exact derivatives; a plain function is called by its address instead: some
microseconds of Python for every evaluation, or, compiled by Numba, about as fast as an expression. Without derivatives
from the caller they come from the function itself:

    slope ∂f/∂x: complex step, Im f(x + i h) / h with h = 1e-30 [Squire98], exact but for rounding, wherever central
    differences confirm it to 1e-4; the differences themselves, of error 1e-10, elsewhere (abs, comparisons)
    curvature ∂²f/∂x²: differences of fourth order of the slopes, about 1e-9 of them, or 1e-6 of differences
"""

from __future__ import annotations

import ctypes
import warnings
from collections.abc import Callable, Sequence
from typing import Any, final

import casadi as ca
import numpy as np

from panhead.engine.external_calls import call_external
from panhead.engine.plain_derivatives import ArgumentSizes, c_function, entries, jit_entries
from panhead.errors import ModelError, RunWarning, SimulationError

_ENTRY = ctypes.CFUNCTYPE(None, ctypes.POINTER(ctypes.c_double), ctypes.POINTER(ctypes.c_double))


@final
class PlainFunction:
    """A function of numbers, written in Python and NumPy, wherever an item of a Model takes a function.

    ``function`` gets a float for each scalar argument and an array (3,) for each vector, and returns a number, or
    ``outputs`` numbers. ``slope`` returns its derivatives by all arguments in a row, outputs · k numbers, ``curvature``
    the second ones, outputs · k · k; one number where there is one. ``corners`` are times at which a function of time
    is not smooth. ``compiled=True`` compiles it with Numba, which takes seconds once and pays from some hundred
    thousand evaluations on; what Numba cannot compile runs in Python, with a warning.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        *,
        outputs: int = 1,
        slope: Callable[..., Any] | None = None,
        curvature: Callable[..., Any] | None = None,
        corners: Sequence[float] = (),
        compiled: bool = False,
    ) -> None:
        for what, given in (("function", function), ("slope", slope), ("curvature", curvature)):
            if given is not None and not callable(given):
                raise ModelError(f"PlainFunction: {what} must be a function, got {given!r}")
        if outputs < 1:
            raise ModelError(f"PlainFunction: outputs must be 1 or more, got {outputs!r}")
        self.function, self.outputs, self.slope, self.curvature = function, outputs, slope, curvature
        self.corners, self.compiled = tuple(float(t) for t in corners), compiled
        self.name = f"plain function {getattr(function, '__name__', function)!r}"
        self._entries: dict[tuple[int, ...], _Entry] = {}

    def __call__(self, *arguments: Any) -> Any:
        """Value for numbers, or symbols for the value if an argument is an expression."""
        if not any(isinstance(x, ca.SX) for x in arguments):
            return self.function(*arguments)
        columns = [ca.SX(x) for x in arguments]
        shape = tuple(0 if x.numel() == 1 else x.numel() for x in columns)
        if shape not in self._entries:
            self._entries[shape] = _Entry(self, shape)
        return call_external(self._entries[shape], ca.vertcat(*columns), self.outputs)

    def given(self) -> tuple[Callable[..., Any], ...]:
        """The function and the derivatives that the caller gave, in order of differentiation."""
        more = (self.slope,) if self.slope else ()
        return (self.function, *more, *((self.curvature,) if more and self.curvature else ()))


@final
class _Entry:
    """A plain function of arguments of given sizes, at addresses that machine code calls."""

    def __init__(self, owner: PlainFunction, shape: tuple[int, ...]) -> None:
        self.name, self._given = owner.name, owner.given()
        self._sizes, self._compiled = ArgumentSizes(shape, owner.outputs), owner.compiled
        self._code: dict[int, Any] = {}  # by order; what stands behind an address must live
        self._jit: list[Any] = []

    def address(self, order: int) -> int:
        """Address of value (order 0), value and slopes (1), value, slopes and curvatures (2)."""
        if order not in self._code:
            self._code[order] = (self._compile(order) if self._compiled else None) or self._callback(order)
        code = self._code[order]
        return int(code.address if self._compiled else ctypes.cast(code, ctypes.c_void_p).value or 0)

    def _compile(self, order: int) -> Any:
        """The entry as Numba's C function; None, with a warning, if Numba cannot compile it."""
        k, total = self._sizes.arguments, self._sizes.total(order)
        for complex_step in (True, False):
            if not self._jit:
                self._jit = jit_entries(self._given, self._sizes, complex_step)
            made = c_function(self._jit[order], k, total)
            if made is not None:
                return made
            self._jit = []
        warnings.warn(
            f"{self.name} cannot be compiled by Numba and runs in Python. Leave out compiled=True, or write it with "
            "numbers, arrays and functions that Numba knows",
            RunWarning,
            stacklevel=2,
        )
        self._compiled = False
        return None

    def _callback(self, order: int) -> Any:
        """A callback into Python; what it raises is kept for ``raise_failures``, and the run gets no number."""
        k, total = self._sizes.arguments, self._sizes.total(order)
        found, places, last = np.zeros(total), range(total), [np.nan] * k
        plain = lambda f: f
        state = {"evaluate": entries(self._given, self._sizes, plain)[order]}
        rough = entries(self._given, self._sizes, plain, complex_step=False)[order]

        def callback(x: Any, y: Any) -> None:
            at = x[:k]
            if at != last:  # lanes without an element of their own repeat the last one
                last[:] = at
                try:
                    state["evaluate"](np.array(at), found)
                except TypeError:  # a comparison or a function that takes no complex number
                    state["evaluate"] = rough
                    _evaluate(self.name, rough, np.array(at), found)
                except Exception as error:  # noqa: BLE001  machine code cannot carry it
                    _fail(self.name, error, found)
            for i in places:
                y[i] = found[i]

        return _ENTRY(callback)


def _evaluate(name: str, evaluate: Callable[..., Any], x: np.ndarray, out: np.ndarray) -> None:
    try:
        evaluate(x, out)
    except Exception as error:  # noqa: BLE001  machine code cannot carry it
        _fail(name, error, out)


def _fail(name: str, error: Exception, out: np.ndarray) -> None:
    _raised.append((name, error))
    out[:] = np.nan


_raised: list[tuple[str, Exception]] = []  # what plain functions raised since ``raise_failures``


def forget_failures() -> None:
    """Forget what plain functions raised before."""
    _raised.clear()


def raise_failures() -> None:
    """SimulationError with what a plain function raised inside compiled code, if any did."""
    if _raised:
        name, error = _raised[0]
        _raised.clear()
        raise SimulationError(f"{name} failed: {type(error).__name__}: {error}") from error
