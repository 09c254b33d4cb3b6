"""Values and derivatives of a plain function into one array: the same source for Python and for Numba."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

_TINY = 1e-30  # complex step
_STEP = 1e-5  # of central differences
_AGREE = 1e-4  # what they may differ by from the complex step
_ROUNDING = 1e-6  # of the value: what differences cannot tell from zero


class ArgumentSizes(NamedTuple):
    """Sizes of a function's arguments (0: a number) and how many numbers it returns."""

    shape: tuple[int, ...]
    outputs: int

    @property
    def arguments(self) -> int:
        """Numbers among all arguments."""
        return sum(max(1, size) for size in self.shape)

    def total(self, order: int) -> int:
        """Numbers written: value, slopes, curvatures."""
        k = self.arguments
        return self.outputs * (1, 1 + k, 1 + k + k * k)[order]


Function = Callable[..., Any]
Wrap = Callable[[Function], Function]


def entries(given: tuple[Function, ...], sizes: ArgumentSizes, wrap: Wrap, complex_step: bool = True) -> list[Function]:
    """Functions (x, y) that write value, value and slopes, value, slopes and curvatures.

    ``given``: the function and what the caller knows of its derivatives; ``wrap`` compiles or leaves alone.
    """
    m, k = sizes.outputs, sizes.arguments
    writers = [wrap(_writer(wrap(f), sizes.shape, m * k**order, wrap)) for order, f in enumerate(given)]
    value = writers[0]
    by_step = _complex_step if complex_step else _differences
    slope = writers[1] if len(writers) > 1 else wrap(by_step(value, m, k))
    curvature = writers[2] if len(writers) > 2 else wrap(_curvature_by_differences(slope, m, k))

    def first(x: Any, y: Any) -> None:
        value(x, y)
        slope(x, y[m:])

    def second(x: Any, y: Any) -> None:
        value(x, y)
        slope(x, y[m:])
        curvature(x, y[m + m * k :])

    return [value, wrap(first), wrap(second)]


def _writer(f: Function, shape: tuple[int, ...], count: int, wrap: Wrap) -> Function:
    """A function (x, y) that writes the ``count`` numbers f returns into y."""
    if count == 1 and shape in _OF_NUMBERS:
        return _OF_NUMBERS[shape](f)
    split = _split(shape, wrap)

    def one(x: Any, y: Any) -> None:
        y[0] = f(*split(x, 0))

    def many(x: Any, y: Any) -> None:
        found = f(*split(x, 0))
        if len(found) != count:
            raise ValueError("it must return as many numbers as outputs says")
        for i in range(count):
            y[i] = found[i]

    return one if count == 1 else many


def _of_one(f: Function) -> Function:
    def one(x: Any, y: Any) -> None:
        y[0] = f(x[0])

    return one


def _of_two(f: Function) -> Function:
    def one(x: Any, y: Any) -> None:
        y[0] = f(x[0], x[1])

    return one


def _of_three(f: Function) -> Function:
    def one(x: Any, y: Any) -> None:
        y[0] = f(x[0], x[1], x[2])

    return one


_OF_NUMBERS = {(0,): _of_one, (0, 0): _of_two, (0, 0, 0): _of_three}  # what most functions are: quick to compile


def _split(shape: tuple[int, ...], wrap: Wrap) -> Function:
    """A function (x, i) that returns the arguments from place i of a flat array on, as a tuple."""

    def nothing(x: Any, i: int) -> Any:
        return ()

    rest = wrap(nothing)
    for size in reversed(shape):
        rest = wrap(_prepend(rest, size))
    return rest


def _prepend(rest: Function, size: int) -> Function:
    def number(x: Any, i: int) -> Any:
        return (x[i],) + rest(x, i + 1)

    def vector(x: Any, i: int) -> Any:
        return (x[i : i + size],) + rest(x, i + size)

    return vector if size else number


def _differences(value: Function, m: int, k: int) -> Function:
    """∂y/∂x by central differences."""

    def differences(x: Any, out: Any) -> None:
        ahead, behind, z = np.empty(m), np.empty(m), np.empty(k)
        for j in range(k):
            z[j] = x[j]
        for j in range(k):
            h = _STEP * max(1.0, 1e-2 * abs(x[j]))
            z[j] = x[j] + h
            value(z, ahead)
            z[j] = x[j] - h
            value(z, behind)
            z[j] = x[j]
            for i in range(m):
                out[i * k + j] = (ahead[i] - behind[i]) / ((x[j] + h) - (x[j] - h))

    return differences


def _complex_step(value: Function, m: int, k: int) -> Function:
    """∂y/∂x by the complex step where central differences confirm it, by the differences elsewhere."""

    def checked(x: Any, out: Any) -> None:
        ahead, behind, z = np.empty(m), np.empty(m), np.empty(k)
        here, w = np.empty(m, np.complex128), np.empty(k, np.complex128)
        for j in range(k):
            z[j] = x[j]
            w[j] = x[j]
        for j in range(k):
            h = _STEP * max(1.0, 1e-2 * abs(x[j]))
            z[j] = x[j] + h
            value(z, ahead)
            z[j] = x[j] - h
            value(z, behind)
            z[j] = x[j]
            w[j] = complex(x[j], _TINY)
            value(w, here)
            w[j] = x[j]
            for i in range(m):
                rough = (ahead[i] - behind[i]) / ((x[j] + h) - (x[j] - h))
                exact = here[i].imag / _TINY
                allowed = _AGREE * max(abs(exact), abs(rough)) + _ROUNDING * abs(here[i].real)
                out[i * k + j] = exact if abs(exact - rough) <= allowed else rough

    return checked


def _curvature_by_differences(slope: Function, m: int, k: int) -> Function:
    """∂²y/∂x² by differences of fourth order of the slopes."""
    n = m * k

    def curvature(x: Any, out: Any) -> None:
        found, z = np.empty((4, n)), np.empty(k)
        for j in range(k):
            z[j] = x[j]
        for j in range(k):
            h = _STEP * max(1.0, 1e-2 * abs(x[j]))
            for s in range(4):
                z[j] = x[j] + (s - 2 if s < 2 else s - 1) * h
                slope(z, found[s])
            z[j] = x[j]
            for i in range(n):
                near, far = found[2, i] - found[1, i], found[3, i] - found[0, i]
                out[i * k + j] = (8.0 * near - far) / (12.0 * h)

    return curvature


def jit_entries(given: tuple[Function, ...], sizes: ArgumentSizes, complex_step: bool) -> list[Function]:
    """``entries`` for Numba; they are compiled by ``c_function``."""
    from numba import njit

    return entries(given, sizes, lambda f: njit(f, error_model="numpy"), complex_step)


def c_function(evaluate: Function, k: int, total: int) -> Any:
    """An entry as a C function compiled by Numba; None if Numba cannot compile it."""
    import numba
    from numba import cfunc, types

    carray: Any = numba.carray  # type: ignore[attr-defined]

    def entry(x: Any, y: Any) -> None:
        evaluate(carray(x, (k,)), carray(y, (total,)))

    pointer = types.CPointer(types.float64)
    try:
        return cfunc(types.void(pointer, pointer), error_model="numpy")(entry)
    except Exception:  # noqa: BLE001  Numba raises its own errors, Python's, and those of a function that is typed
        return None
