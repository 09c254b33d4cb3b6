"""FMU of another tool as one side of a co-simulation."""

from __future__ import annotations

import weakref
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, final

import numpy as np

from panhead.engine.system import Vector
from panhead.errors import ModelError, SimulationError
from panhead.runs.coupled.participant import Participant
from panhead.runs.fmi.fmu_binary import LoadedUnit
from panhead.runs.fmi.fmu_ports import PortNames, ports_of, rates_of, settings_of
from panhead.runs.fmi.model_description import Variable, read_model_description

#: Steps of a unit that takes only equal steps may differ by this share: the round-off of adding up times.
_SAME = 1e-9


class _Memory:
    """State stored inside the FMU; freed when it is no longer referenced."""

    def __init__(self, loaded: LoadedUnit, state: Any, time: float, begun: bool, outputs: Vector | None) -> None:
        self.state, self.time, self.begun, self.outputs = state, time, begun, outputs
        weakref.finalize(self, _give_back, loaded, state)


def _give_back(loaded: LoadedUnit, state: Any) -> None:
    if loaded.open:
        loaded.calls.free_state(state)


@final
class ForeignUnit:
    """Co-simulation FMU (FMI 2.0 or 3.0) as a participant.

    ``inputs`` and ``outputs`` map ports to the unit's variables, in the order of the ports, through a ``Channel``
    where signs, units or origins differ, or to None where it does not take an input;
    without them every scalar floating-point input and output is a port of the same name. ``facing`` is the other side:
    its ports are then this one's, and variables not mapped have the ports' names. Inputs run straight from u0 to
    u1 where the unit can follow them: through rates of inputs (FMI 2.0, canInterpolateInputs), or through inputs
    named ``der(x)`` beside ``x``, as our own units have them. Other units hold an input during a step;
    they get the mean (u0 + u1)/2, which has the same impulse.

    Loading runs native code of the unit's maker with your rights; hence ``trust``.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        trust: bool = False,
        inputs: PortNames | None = None,
        outputs: PortNames | None = None,
        facing: Participant | None = None,
        parameters: Mapping[str, float] | None = None,
        start: float = 0.0,
    ) -> None:
        self.description = d = read_model_description(path)
        self.name = d.name
        self._in = ports_of(d, "input", inputs, facing.outputs if facing else None)
        self._out = ports_of(d, "output", outputs, facing.inputs if facing else None)
        self.inputs, self.outputs = self._in.ports, self._out.ports
        self._rates = rates_of(d, self._in.variables)
        settings = settings_of(d, parameters or {})
        self._loaded = LoadedUnit(d, trust=trust)
        self._closing = weakref.finalize(self, self._loaded.close)
        self._time, self._begun, self._dt = start, False, 0.0
        self._outputs: Vector | None = None
        try:
            self._initialise(settings)
        except SimulationError:
            self.close()
            raise

    def _initialise(self, settings: Sequence[tuple[Variable, float]]) -> None:
        with self._loaded.attempt("accept its parameters and initialise") as calls:
            for variable, value in settings:
                if variable.number:
                    calls.set_floats([variable.reference], [value])
                else:
                    calls.set_other(variable.kind, variable.reference, value)
            calls.enter_initialisation(self._time)

    @property
    def time(self) -> float:
        """Current time [s]."""
        return self._time

    def observe(self, u: Vector) -> Vector:
        """Current outputs: at the start with inputs u; later those at the end of the last step.

        Between steps FMI allows no reading after writing, since only a step computes    [Modelica22, sec. 4.2].
        """
        if self._outputs is not None:
            return self._outputs.copy()
        with self._loaded.attempt("give its outputs") as calls:
            if self._in.variables:
                calls.set_floats(self._in.references, self._in.inward(u))
            return self._out.outward(calls.get_floats(self._out.references))

    def advance(self, dt: float, u0: Vector, u1: Vector) -> Vector:
        """Advance by dt [s] with inputs from u0 to u1; return the outputs."""
        self._check_step(dt)
        with self._loaded.attempt(f"take the step of {dt:g} s from t = {self._time:.9g} s") as calls:
            if not self._begun:
                if self._in.variables:
                    calls.set_floats(self._in.references, self._in.inward(u0))
                calls.exit_initialisation()
                self._begun = True
            self._feed(np.asarray(u0, dtype=float), np.asarray(u1, dtype=float), dt)
            goes_on = calls.step(self._time, dt, not self.description.keeps_state)
            y = self._out.outward(calls.get_floats(self._out.references))
        self._time += dt
        if not goes_on:
            raise SimulationError(f"FMU {self.name!r} terminated the run at t = {self._time:.9g} s")
        self._outputs = y
        return y.copy()

    def copy_state(self) -> _Memory:
        """State, stored inside the FMU."""
        self._check_state()
        with self._loaded.attempt("copy its state") as calls:
            return _Memory(self._loaded, calls.get_state(), self._time, self._begun, self._outputs)

    def restore_copy(self, memory: _Memory) -> None:
        """Restore a state from ``copy_state``."""
        self._check_state()
        with self._loaded.attempt("restore an earlier state") as calls:
            calls.set_state(memory.state)
        self._time, self._begun, self._outputs = memory.time, memory.begun, memory.outputs

    def close(self) -> None:
        """Unload the FMU and remove its unpacked files; happens automatically when it is no longer used."""
        self._closing()

    def __enter__(self) -> ForeignUnit:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _feed(self, u0: Vector, u1: Vector, dt: float) -> None:
        calls, references, inward = self._loaded.calls, self._in.references, self._in.inward
        rate = self._in.inward_rate((u1 - u0) / dt)
        if not references:
            return
        if self._rates is not None:
            calls.set_floats(references + self._rates, inward(u0) + rate)
        elif self.description.follows_inputs and self.description.version == "2.0":
            calls.set_floats(references, inward(u0))
            calls.set_rates(references, rate)
        else:
            calls.set_floats(references, inward((u0 + u1) / 2))

    def _check_step(self, dt: float) -> None:
        if not dt > 0:
            raise ModelError(f"FMU {self.name!r}: the step must be > 0 s, got {dt!r} s")
        if not self.description.variable_step and self._dt and abs(dt - self._dt) > _SAME * self._dt:
            raise ModelError(
                f"FMU {self.name!r} supports only a fixed step: {self._dt!r} s before, {dt!r} s now; "
                "choose an exchange step that divides the whole duration"
            )
        self._dt = self._dt or dt

    def _check_state(self) -> None:
        if not self.description.keeps_state:
            raise ModelError(
                f"FMU {self.name!r} cannot restore an earlier state (canGetAndSetFMUState is not set). Use an "
                "explicit coupling scheme: jacobi or gauss-seidel"
            )
