"""Mapping between the variables of an FMU and the ports of a participant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, final

import numpy as np

from panhead.engine.system import Vector
from panhead.errors import ModelError, SimulationError, require_finite
from panhead.runs.coupled.participant import Port
from panhead.runs.fmi.model_description import UnitDescription, Variable


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Channel:
    """Conversion between a port p and a variable x of another tool: sign, unit, origin.

    An input gets x = factor · p + offset, an output gives p = factor · x + offset.
    """

    variable: str
    factor: float = 1.0
    offset: float = 0.0

    def __post_init__(self) -> None:
        require_finite(self, "factor", "offset")


#: Port → variable, with a Channel where they differ; None: an input that the unit does not take.
PortNames = Mapping[str, str | Channel | None]


@final
@dataclass(frozen=True, slots=True)
class PortTable:
    """Variables behind the ports; some ports may be unconnected."""

    ports: tuple[Port, ...]
    variables: tuple[Variable, ...]  #: of the ports at ``places``
    places: Vector
    factor: Vector
    offset: Vector

    @property
    def references(self) -> list[int]:
        return [v.reference for v in self.variables]

    def inward(self, u: Vector) -> list[float]:
        """FMU input values for port values u."""
        values = self.factor * np.asarray(u, dtype=float)[self.places] + self.offset
        return [float(v) for v in values]

    def inward_rate(self, rate: Vector) -> list[float]:
        """FMU input rates for port rates."""
        return [float(v) for v in self.factor * rate[self.places]]

    def outward(self, values: Sequence[float]) -> Vector:
        """Port values for FMU outputs; SimulationError names one that is not finite."""
        y = self.factor * np.array(values) + self.offset
        if not np.isfinite(y).all():
            k = int(np.flatnonzero(~np.isfinite(y))[0])
            name = self.variables[k].name
            raise SimulationError(f"the FMU output {name!r} is {values[k]!r}, not a finite number")
        return y


def ports_of(
    d: UnitDescription,
    causality: Literal["input", "output"],
    wanted: PortNames | None,
    facing: tuple[Port, ...] | None = None,
) -> PortTable:
    """Ports as requested, as the other side has them, or all there are."""
    there = {v.name: v for v in d.by_causality(causality)}
    if facing is not None:
        wanted = _of_the_other_side(d, wanted or {}, facing)
    elif wanted is None:
        wanted = {v: v for v in there if there[v].number and not _is_rate(v, there)}
    channels = {p: Channel(variable=c) if isinstance(c, str) else c for p, c in wanted.items()}
    led = [c for c in channels.values() if c is not None]
    if causality == "output" and len(led) < len(channels):
        raise ModelError(f"FMU {d.path.name}: an output must come from a variable, not from None")
    variables = _choose(d, causality, there, led)
    by_port = dict(zip((p for p, c in channels.items() if c is not None), variables, strict=True))
    own = tuple(
        Port(name=p, unit=by_port[p].unit, about=by_port[p].about) if p in by_port else Port(name=p, unit="")
        for p in channels
    )
    return PortTable(
        own if facing is None else facing,
        variables,
        np.array([k for k, c in enumerate(channels.values()) if c is not None], dtype=int),
        np.array([c.factor for c in led]),
        np.array([c.offset for c in led]),
    )


def _of_the_other_side(d: UnitDescription, wanted: PortNames, facing: tuple[Port, ...]) -> PortNames:
    """Variable for each port of the other side: as requested, or of the same name."""
    names = [port.name for port in facing]
    strange = [name for name in wanted if name not in names]
    if strange:
        raise ModelError(
            f"FMU {d.path.name}: the other side has no port {', '.join(map(repr, strange))}; it has: {', '.join(names)}"
        )
    return {name: wanted.get(name, name) for name in names}


def _choose(
    d: UnitDescription, causality: str, there: Mapping[str, Variable], channels: list[Channel]
) -> tuple[Variable, ...]:
    missing = [c.variable for c in channels if c.variable not in there]
    if missing:
        raise ModelError(
            f"FMU {d.path.name} has no {causality} {', '.join(map(repr, missing))}; "
            f"it has: {', '.join(there) or 'none'}"
        )
    for c in channels:
        v = there[c.variable]
        if not v.number:
            kind = v.kind if v.scalar else f"{v.kind}, array"
            raise ModelError(f"FMU {d.path.name}: {v.name!r} ({kind}) is not a single floating-point number")
        if not v.si and c.factor == 1.0:
            raise ModelError(
                f"FMU {d.path.name}: {v.name!r} is in {v.unit!r}; ports are in SI units, so give a factor: "
                f"Channel(variable={v.name!r}, factor=…)"
            )
    return tuple(there[c.variable] for c in channels)


def _is_rate(name: str, there: Mapping[str, Variable]) -> bool:
    return name.startswith("der(") and name.endswith(")") and name[4:-1] in there


def rates_of(d: UnitDescription, inputs: tuple[Variable, ...]) -> list[int] | None:
    """References of der(x) for every input x, if the FMU has them all."""
    there = {v.name: v for v in d.by_causality("input")}
    rates = [there.get(f"der({v.name})") for v in inputs]
    found = [r.reference for r in rates if r is not None and r.number]
    return found if inputs and len(found) == len(inputs) else None


def settings_of(d: UnitDescription, parameters: Mapping[str, float]) -> list[tuple[Variable, float]]:
    there = {v.name: v for v in d.by_causality("parameter")}
    missing = [name for name in parameters if name not in there]
    if missing:
        raise ModelError(
            f"FMU {d.path.name} has no parameter {', '.join(map(repr, missing))}; it has: {', '.join(there) or 'none'}"
        )
    kinds = ("Real", "Float64", "Integer", "Int32", "Int64", "Boolean")
    unfit = [n for n in parameters if there[n].kind not in kinds or not there[n].scalar]
    if unfit:
        raise ModelError(f"FMU {d.path.name}: {', '.join(map(repr, unfit))} is not a numeric scalar parameter")
    return [(there[name], float(value)) for name, value in parameters.items()]
