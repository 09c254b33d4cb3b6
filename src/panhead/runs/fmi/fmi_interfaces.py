"""FMI 2.0 and 3.0 behind one interface, through fmpy."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, final

from panhead.errors import ModelError

Hear = Callable[[bytes | None], None]  #: takes what a unit says
SetFloats = Callable[[Sequence[int], Sequence[float]], None]


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Interface:
    """Common functions of both FMI versions; references and values have equal length."""

    get_floats: Callable[[Sequence[int]], list[float]]
    set_floats: SetFloats
    set_other: Callable[[str, int, float], None]  #: kind, reference, value of a parameter
    set_rates: SetFloats  #: first derivatives of inputs during the next step (FMI 2.0 only)
    enter_initialisation: Callable[[float], None]  #: at a time [s]
    exit_initialisation: Callable[[], None]
    step: Callable[[float, float, bool], bool]
    """Time, length of the step [s], whether nobody will ask to go back before it; whether the unit goes on."""
    get_state: Callable[[], Any]
    set_state: Callable[[Any], None]
    free_state: Callable[[Any], None]


def open_two(arguments: dict[str, Any], hear: Hear) -> tuple[Any, Interface]:
    """Instance of an FMI 2.0 unit, and its interface."""
    from ctypes import byref

    from fmpy import calloc, fmi2, free

    callbacks = fmi2.fmi2CallbackFunctions()
    callbacks.logger = fmi2.fmi2CallbackLoggerTYPE(lambda env, name, status, kind, text: hear(text))
    callbacks.allocateMemory = fmi2.fmi2CallbackAllocateMemoryTYPE(calloc)
    callbacks.freeMemory = fmi2.fmi2CallbackFreeMemoryTYPE(free)
    with contextlib.suppress(ImportError, OSError):  # without it, messages keep their %s
        from fmpy.logging import addLoggerProxy

        addLoggerProxy(byref(callbacks))
    unit = fmi2.FMU2Slave(**arguments)
    unit.instantiate(callbacks=callbacks)
    others = {"Integer": unit.setInteger, "Boolean": unit.setBoolean}

    def enter(time: float) -> None:
        unit.setupExperiment(startTime=time)
        unit.enterInitializationMode()

    def step(time: float, dt: float, last: bool) -> bool:
        unit.doStep(time, dt, int(last))
        return True

    return unit, Interface(
        get_floats=unit.getReal,
        set_floats=unit.setReal,
        set_other=lambda kind, reference, value: others[kind]([reference], [int(value)]),
        set_rates=lambda refs, values: unit.setRealInputDerivatives(refs, [1] * len(refs), values),
        enter_initialisation=enter,
        exit_initialisation=unit.exitInitializationMode,
        step=step,
        get_state=unit.getFMUstate,
        set_state=unit.setFMUstate,
        free_state=unit.freeFMUstate,
    )


def open_three(arguments: dict[str, Any], hear: Hear) -> tuple[Any, Interface]:
    """Instance of an FMI 3.0 unit, and its interface."""
    from fmpy import fmi3

    unit = fmi3.FMU3Slave(**arguments)
    unit.instantiate(logMessage=lambda env, status, kind, text: hear(text))
    others = {"Int32": unit.setInt32, "Int64": unit.setInt64, "Boolean": unit.setBoolean}

    def set_other(kind: str, reference: int, value: float) -> None:
        others[kind]([reference], [bool(value) if kind == "Boolean" else int(value)])

    def no_rates(references: Sequence[int], values: Sequence[float]) -> None:
        raise ModelError("FMI 3.0 has no rates of inputs")

    return unit, Interface(
        get_floats=unit.getFloat64,
        set_floats=unit.setFloat64,
        set_other=set_other,
        set_rates=no_rates,
        enter_initialisation=lambda time: unit.enterInitializationMode(startTime=time),
        exit_initialisation=unit.exitInitializationMode,
        step=lambda time, dt, last: not unit.doStep(time, dt, last)[1],
        get_state=unit.getFMUState,
        set_state=unit.setFMUState,
        free_state=unit.freeFMUState,
    )
