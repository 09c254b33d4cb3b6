"""Mechanism description: coordinates, bodies, forces, closures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, final

import casadi as ca

from panhead.engine.symbolic.bodies import PlacedBody
from panhead.engine.symbolic.forces import Closure, Damper, Gravity, StrokeActuator, StrokeForce
from panhead.engine.symbolic.parameters import Parameters, free_names, time
from panhead.errors import ModelError


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """A quantity worth recording: an expression of (q, v, t, controls) with its unit."""

    name: str
    unit: str
    expression: Any
    about: str = ""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Mechanism:
    """Description of a mechanism; ``panhead.engine.symbolic.derive`` derives the equations of motion.

    ``rates`` are symbols for the velocities of the coordinates, to be used in outputs and applied forces.
    """

    name: str
    coordinates: tuple[Any, ...]  #: symbols made by ``coordinates``
    units: tuple[str, ...]  #: unit of each coordinate
    bodies: tuple[PlacedBody, ...]
    forces: tuple[StrokeForce, ...] = ()
    gravity: Gravity | None = None
    closures: tuple[Closure, ...] = ()
    parameters: Parameters = field(default_factory=Parameters)
    rates: tuple[Any, ...] = ()  #: symbols of the velocities; made if not given
    outputs: tuple[Output, ...] = ()
    outline: Mapping[str, tuple[tuple[Any, Any], ...]] = field(default_factory=dict)  #: part → points, to draw
    paths: Mapping[str, tuple[str, str]] = field(default_factory=dict)  #: point → its two outputs

    def __post_init__(self) -> None:
        if len(self.units) != len(self.coordinates):
            raise ModelError(
                f"mechanism {self.name!r}: {len(self.coordinates)} coordinates, but {len(self.units)} units"
            )
        if not self.rates:
            made = tuple(ca.SX.sym(f"{c.name()}_dot") for c in self.coordinates)
            object.__setattr__(self, "rates", made)
        self._check_names()
        self._check_paths()
        self._check_symbols()
        self._check_masses()
        self._check_dampers()

    def with_parameters(self, values: Mapping[str, Any]) -> Mechanism:
        """Return the mechanism with some parameter values changed."""
        return replace(self, parameters=self.parameters.changed(values))

    def controls(self) -> tuple[str, ...]:
        """Names of the controls in the order their actuators are listed."""
        return tuple(dict.fromkeys(f.channel for f in self.forces if isinstance(f, StrokeActuator)))

    def _check_names(self) -> None:
        parts: tuple[Any, ...] = (*self.bodies, *self.forces, *self.closures)
        names = [part.name for part in parts]
        names += [f"coordinate {c.name()}" for c in self.coordinates]
        for name in names:
            if names.count(name) > 1:
                raise ModelError(f"mechanism {self.name!r}: two parts have the name {name!r}")

    def _check_paths(self) -> None:
        known = [output.name for output in self.outputs]
        for point, pair in self.paths.items():
            for name in pair:
                if name not in known:
                    raise ModelError(
                        f"path of {point!r} in mechanism {self.name!r}: {name!r} is not an output; "
                        f"there are {', '.join(known)}"
                    )

    def _check_symbols(self) -> None:
        rate = ca.SX.sym("rate")
        known = [*self.coordinates, *self.rates, time, rate, *self.parameters.symbols.values()]
        for part, expression in self._expressions(rate):
            free = free_names(expression, known)
            if free:
                raise ModelError(
                    f"{part} of mechanism {self.name!r} uses {', '.join(free)}, which is neither "
                    "a coordinate nor a parameter of it"
                )

    def _expressions(self, rate: Any) -> list[tuple[str, Any]]:
        found = [(f"body {b.name!r}", e) for b in self.bodies for e in b.position]
        found += [(f"body {b.name!r}", b.angle) for b in self.bodies if b.angle is not None]
        found += [(f"body {b.name!r}", b.rotation) for b in self.bodies if b.rotation is not None]
        for force in self.forces:
            laws = (force.stroke(), force.potential(), force.magnitude(rate))
            found += [(f"force {force.name!r}", law) for law in laws]
        found += [(f"closure {c.name!r}", e) for c in self.closures for e in c.equations]
        found += [(f"output {o.name!r}", o.expression) for o in self.outputs]
        if self.gravity is not None:
            found.append(("gravity", self.gravity.acceleration))
        return found

    def _check_dampers(self) -> None:
        """ModelError for a damper whose coefficient, a number or parameter, is negative."""
        for force in self.forces:
            if isinstance(force, Damper) and not free_names(force.damping, self.parameters.symbols.values()):
                value = self.parameters.evaluate(force.damping)
                if not value >= 0:
                    raise ModelError(f"damper {force.name!r}: damping must be ≥ 0, got {value!r}")

    def _check_masses(self) -> None:
        for body in self.bodies:
            if self.gravity is not None and body.mass is not None and len(body.position) == 1:
                raise ModelError(
                    f"body {body.name!r} has a position of one component, so the direction of gravity is "
                    "undefined; give it two or three components"
                )
            if body.mass is not None:
                value = self.parameters.evaluate(body.mass)
                if not value > 0:
                    raise ModelError(f"body {body.name!r}: mass must be > 0 kg, got {value!r}")
            if body.inertia is not None:
                self._check_inertia(body)

    def _check_inertia(self, body: PlacedBody) -> None:
        import numpy as np

        matrix = body.inertia_matrix()
        values = np.array(
            [[self.parameters.evaluate(matrix[i, j]) for j in range(matrix.shape[1])] for i in range(matrix.shape[0])]
        )
        if not np.isfinite(values).all() or np.abs(values - values.T).max() > 1e-12 * np.abs(values).max():
            raise ModelError(f"body {body.name!r}: inertia must be finite and symmetric, got {values.tolist()}")
        if np.linalg.eigvalsh(values).min() <= 0:
            raise ModelError(f"body {body.name!r}: inertia must be positive (kg·m²), got {values.tolist()}")
