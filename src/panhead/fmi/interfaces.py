"""The functions of FMI 2.0 and 3.0 behind the same few verbs, through fmpy."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from typing import Any, Protocol, final

from panhead.errors import ModelError

Hear = Callable[[bytes | None], None]  #: takes what a unit says


class Interface(Protocol):
    """What the two versions of FMI have in common; references and values are of equal length."""

    def set_floats(self, references: Sequence[int], values: Sequence[float]) -> None: ...

    def set_other(self, kind: str, reference: int, value: float) -> None:
        """A parameter of another type: Integer, Int32, Boolean."""

    def get_floats(self, references: Sequence[int]) -> list[float]: ...

    def set_rates(self, references: Sequence[int], values: Sequence[float]) -> None:
        """First derivatives of inputs during the next step (FMI 2.0 only)."""

    def enter_initialisation(self, time: float) -> None: ...

    def exit_initialisation(self) -> None: ...

    def step(self, time: float, dt: float, final: bool) -> bool:
        """One step; whether the unit goes on. ``final``: nobody will ask to go back before ``time``."""

    def get_state(self) -> Any: ...

    def set_state(self, state: Any) -> None: ...

    def free_state(self, state: Any) -> None: ...


def open_two(arguments: dict[str, Any], hear: Hear) -> tuple[Any, Interface]:
    """An instance of a unit of FMI 2.0, and its verbs."""
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
    return unit, InterfaceTwo(unit)


def open_three(arguments: dict[str, Any], hear: Hear) -> tuple[Any, Interface]:
    """An instance of a unit of FMI 3.0, and its verbs."""
    from fmpy import fmi3

    unit = fmi3.FMU3Slave(**arguments)
    unit.instantiate(logMessage=lambda env, status, kind, text: hear(text))
    return unit, InterfaceThree(unit)


@final
class InterfaceTwo:
    """FMI 2.0."""

    def __init__(self, unit: Any) -> None:
        self._unit = unit
        self.get_floats = unit.getReal
        self.set_floats = unit.setReal
        self.exit_initialisation = unit.exitInitializationMode
        self.get_state = unit.getFMUstate
        self.set_state = unit.setFMUstate
        self.free_state = unit.freeFMUstate

    def set_other(self, kind: str, reference: int, value: float) -> None:
        call = {"Integer": self._unit.setInteger, "Boolean": self._unit.setBoolean}[kind]
        call([reference], [int(value)])

    def set_rates(self, references: Sequence[int], values: Sequence[float]) -> None:
        self._unit.setRealInputDerivatives(references, [1] * len(references), values)

    def enter_initialisation(self, time: float) -> None:
        self._unit.setupExperiment(startTime=time)
        self._unit.enterInitializationMode()

    def step(self, time: float, dt: float, final: bool) -> bool:
        self._unit.doStep(time, dt, int(final))
        return True


@final
class InterfaceThree:
    """FMI 3.0."""

    def __init__(self, unit: Any) -> None:
        self._unit = unit
        self.get_floats = unit.getFloat64
        self.set_floats = unit.setFloat64
        self.exit_initialisation = unit.exitInitializationMode
        self.get_state = unit.getFMUState
        self.set_state = unit.setFMUState
        self.free_state = unit.freeFMUState

    def set_other(self, kind: str, reference: int, value: float) -> None:
        unit = self._unit
        call = {"Int32": unit.setInt32, "Int64": unit.setInt64, "Boolean": unit.setBoolean}[kind]
        call([reference], [bool(value) if kind == "Boolean" else int(value)])

    def set_rates(self, references: Sequence[int], values: Sequence[float]) -> None:
        raise ModelError("FMI 3.0 has no rates of inputs")

    def enter_initialisation(self, time: float) -> None:
        self._unit.enterInitializationMode(startTime=time)

    def step(self, time: float, dt: float, final: bool) -> bool:
        _, terminate, _, _ = self._unit.doStep(time, dt, final)
        return not terminate
