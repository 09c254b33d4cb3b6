"""Shipped models and mechanisms by name, with parameters from text with units."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, final, get_args, get_origin, get_type_hints

import numpy as np

from panhead.engine.methods.equilibrium import consistent_rates
from panhead.engine.methods.trajectory import State
from panhead.engine.multibody import Model
from panhead.engine.multibody.multibody_system import MultibodySystem
from panhead.engine.multibody.tree import Tree
from panhead.engine.roles import Body
from panhead.engine.symbolic.mechanism import Mechanism
from panhead.errors import ModelError
from panhead.files.units import Unit

Value = float | str
#: Mechanism in generalised coordinates → module of the library with a function ``build``.
MECHANISMS = {
    "double-pendulum": "double_pendulum",
    "planar-pantograph": "planar_pantograph",
    "pendulum": "pendulum",
    "four-bars": "four_bars_mechanism",
    "crank-rod": "crank_rod",
    "variator": "variator",
    "two-link-robot": "two_link_robot",
}
#: Model of bodies and joints → module of the library and function.
MODELS = {
    "chain": "chain:chain",
    "flexible-pendulum": "flexible_pendulum:flexible_pendulum",
    "four-bars": "four_bars:four_bars",
    "moving-load": "moving_load:moving_load",
    "pendulum-on-beam": "pendulum_on_beam:shipped_model",
    "pendulum-on-shoe": "pendulum_on_beam_contact:shoe_model",
    "pendulum-that-leaves-the-beam": "pendulum_on_beam_contact:loose_model",
    "pendulum-that-rubs-on-the-beam": "pendulum_on_beam_contact:rubbing_model",
    "slider-crank": "slider_crank:slider_crank",
    "sliding-mass": "sliding_mass:sliding_mass",
    "spatial-slider-crank": "spatial_slider_crank:spatial_slider_crank",
    "spinning-beam": "spinning_beam:spinning_beam",
}


@final
@dataclass(frozen=True, slots=True)
class ShippedModel:
    """Model with its system and initial state."""

    model: Model  #: bodies, joints and forces as they were written down
    system: MultibodySystem
    start: State
    tree: Tree | None = None  #: if the system is in joint coordinates


def mechanism(name: str) -> Mechanism:
    """The mechanism called ``name`` with its published parameters."""
    if name not in MECHANISMS:
        raise ModelError(f"no mechanism is called {name!r}; shipped: {', '.join(MECHANISMS)}")
    build: Callable[[], Mechanism] = importlib.import_module(f"panhead.runs.library.{MECHANISMS[name]}").build
    return build()


def names() -> Sequence[str]:
    """Names of the shipped models of bodies and joints."""
    return list(MODELS)


def checked_parameters(name: str, parameters: Mapping[str, Value]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Arguments of the model's function and of its ``start``, in SI units; ModelError names what is wrong."""
    build, start = _functions(name)
    allowed = _parameters(build) | (_parameters(start) if start else {})
    unknown = sorted(set(parameters) - set(allowed))
    if unknown:
        raise ModelError(f"{name!r} has no parameter {', '.join(unknown)}; it has {', '.join(allowed)}")
    values = {key: _value(name, key, allowed[key], x) for key, x in parameters.items()}
    of_start = {key: x for key, x in values.items() if key not in _parameters(build)}
    return {key: x for key, x in values.items() if key not in of_start}, of_start


def shipped_model(name: str, parameters: Mapping[str, Value] | None = None) -> ShippedModel:
    """The model called ``name``; parameters may be text with units."""
    build, start = _functions(name)
    of_model, of_start = checked_parameters(name, parameters or {})
    model = build(**of_model)
    if isinstance(model, ShippedModel):
        return model
    system = model.system()
    state = start(model, **of_start) if start else _as_built(model, system)
    return ShippedModel(model, system, state)


def _functions(name: str) -> tuple[Callable[..., Model | ShippedModel], Callable[..., State] | None]:
    """Function that builds a model, and its ``start`` if its module has one."""
    if name not in MODELS:
        raise ModelError(f"no model is called {name!r}; shipped: {', '.join(MODELS)}")
    place, function = MODELS[name].split(":")
    module = importlib.import_module(f"panhead.runs.library.{place}")
    return getattr(module, function), getattr(module, "start", None)


def _parameters(function: Callable[..., Any]) -> dict[str, Any]:
    """Name → type of everything with a default."""
    types = get_type_hints(function, include_extras=True)
    given = inspect.signature(function).parameters.values()
    return {p.name: types[p.name] for p in given if p.default is not inspect.Parameter.empty}


def _value(model: str, key: str, kind: Any, value: Any) -> Any:
    """Convert one parameter to its type."""
    if get_origin(kind) is Annotated:
        (unit,) = (x for x in get_args(kind) if isinstance(x, Unit))
        return quantity(value, unit.symbol, f"{model!r}: parameter {key}")
    if get_origin(kind) is Literal:
        if value not in get_args(kind):
            choice = ", ".join(map(str, get_args(kind)))
            raise ModelError(f"{model!r}: parameter {key} must be one of {choice}, got {value!r}")
        return value
    if isinstance(value, (str, bool)) or not 1 <= value < float("inf") or value != int(value):
        raise ModelError(f"{model!r}: parameter {key} must be a whole number > 0, got {value!r}")
    return int(value)


def _as_built(model: Model, system: MultibodySystem) -> State:
    """Initial state of the parts as placed; rates of joint coordinates follow from the bodies."""
    start = system.start
    bodies = [c for item in model.items if isinstance(item, Body) for c in _names(item)]
    if len(bodies) == len(system.coordinates):
        return start
    return State(q=start.q, v=consistent_rates(system, start.q, start.v, keep=bodies))


def _names(body: Body) -> list[str]:
    return [f"{body.name}.{c.name}" for c in body.coordinates()]


def coordinates_of(mechanism: Mechanism, given: Mapping[str, Value], per: str, where: str) -> np.ndarray:
    """Named quantities as one vector over the coordinates; others are zero."""
    names = [c.name() for c in mechanism.coordinates]
    values = np.zeros(len(names))
    for name, value in given.items():
        if name not in names:
            raise ModelError(f"{where}: {name!r} is not a coordinate of {mechanism.name!r}; it has {', '.join(names)}")
        k = names.index(name)
        values[k] = quantity(value, mechanism.units[k] + per, f"{where}.{name}")
    return values


def quantity(value: Value, unit: str, where: str) -> float:
    """Convert a number, or text with a unit, to SI; ModelError names where it is wrong."""
    try:
        number = float(Unit(unit).parse(value))
    except (TypeError, ValueError) as error:
        raise ModelError(f"{where}: {error}") from None
    if not np.isfinite(number):
        raise ModelError(f"{where}: must be finite, got {value!r}")
    return number
