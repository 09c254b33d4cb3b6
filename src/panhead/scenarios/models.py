"""Shipped models and mechanisms by name, their parameters from text with units."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, final, get_args, get_origin, get_type_hints

import numpy as np

from panhead.errors import ModelError
from panhead.files.units import Unit
from panhead.methods.equilibrium import consistent_rates
from panhead.methods.trajectory import State
from panhead.multibody import Model
from panhead.multibody.system import MultibodySystem
from panhead.multibody.tree import Tree
from panhead.roles import Body
from panhead.symbolic.mechanism import Mechanism

Value = float | str
_MECHANISMS = {
    "double-pendulum": "double_pendulum.model",
    "planar-pantograph": "planar_pantograph.model",
    "pendulum": "pendulum.model",
    "four-bars": "four_bars.mechanism",
    "crank-rod": "factorized.crank_rod",
    "variator": "factorized.variator",
    "two-link-robot": "factorized.two_link_robot",
}
_MODELS = {
    "chain": "chain.model:chain",
    "flexible-pendulum": "flexible_pendulum.model:flexible_pendulum",
    "four-bars": "four_bars.model:four_bars",
    "moving-load": "moving_load.model:moving_load",
    "pendulum-on-beam": "pendulum_on_beam.model:shipped",
    "slider-crank": "slider_crank.model:slider_crank",
    "sliding-mass": "sliding_mass.model:sliding_mass",
    "spatial-slider-crank": "slider_crank.spatial:spatial_slider_crank",
    "spinning-beam": "floating_frame.model:spinning_beam",
}


@final
@dataclass(frozen=True, slots=True)
class Shipped:
    """A model with its system and where its motion starts."""

    model: Model  #: bodies, joints and forces as they were written down
    system: MultibodySystem
    start: State
    tree: Tree | None = None  #: if the system is in joint coordinates


def mechanism_names() -> Sequence[str]:
    """Every shipped mechanism in generalised coordinates."""
    return list(_MECHANISMS)


def mechanism(name: str) -> Mechanism:
    """The mechanism called ``name`` with its published parameters."""
    if name not in _MECHANISMS:
        raise ModelError(f"no mechanism is called {name!r}; shipped: {', '.join(_MECHANISMS)}")
    build: Callable[[], Mechanism] = importlib.import_module(
        f"panhead.cases.{_MECHANISMS[name]}"
    ).build
    return build()


def names() -> Sequence[str]:
    """Every shipped model of bodies and joints."""
    return list(_MODELS)


def checked(name: str, parameters: Mapping[str, Value]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Arguments of the model's function and of its ``start``, in SI units; ModelError names what is wrong."""
    build, start = _functions(name)
    allowed = _parameters(build) | (_parameters(start) if start else {})
    unknown = sorted(set(parameters) - set(allowed))
    if unknown:
        raise ModelError(
            f"{name!r} has no parameter {', '.join(unknown)}; it has {', '.join(allowed)}"
        )
    values = {key: _value(name, key, allowed[key], x) for key, x in parameters.items()}
    of_start = {key: x for key, x in values.items() if key not in _parameters(build)}
    return {key: x for key, x in values.items() if key not in of_start}, of_start


def shipped(name: str, parameters: Mapping[str, Value] | None = None) -> Shipped:
    """The model called ``name``; parameters may be text with units."""
    build, start = _functions(name)
    of_model, of_start = checked(name, parameters or {})
    model = build(**of_model)
    if isinstance(model, Shipped):
        return model
    system = model.system()
    state = start(model, **of_start) if start else _as_built(model, system)
    return Shipped(model, system, state)


def _functions(name: str) -> tuple[Callable[..., Model | Shipped], Callable[..., State] | None]:
    """What builds a model, and where it starts if its module has a ``start``."""
    if name not in _MODELS:
        raise ModelError(f"no model is called {name!r}; shipped: {', '.join(_MODELS)}")
    place, function = _MODELS[name].split(":")
    module = importlib.import_module(f"panhead.cases.{place}")
    return getattr(module, function), getattr(module, "start", None)


def _parameters(function: Callable[..., Any]) -> dict[str, Any]:
    """Name → type of everything with a default."""
    types = get_type_hints(function, include_extras=True)
    given = inspect.signature(function).parameters.values()
    return {p.name: types[p.name] for p in given if p.default is not inspect.Parameter.empty}


def _value(model: str, key: str, kind: Any, value: Any) -> Any:
    """One parameter as its type wants it."""
    if get_origin(kind) is Annotated:
        units = [x for x in get_args(kind) if isinstance(x, Unit)]
        try:
            found = float(units[0].parse(value))
        except (TypeError, ValueError) as error:
            raise ModelError(f"{model!r}: parameter {key}: {error}") from None
        if not np.isfinite(found):
            raise ModelError(f"{model!r}: parameter {key} must be finite, got {value!r}")
        return found
    if get_origin(kind) is Literal:
        if value not in get_args(kind):
            choice = ", ".join(map(str, get_args(kind)))
            raise ModelError(f"{model!r}: parameter {key} must be one of {choice}, got {value!r}")
        return value
    if isinstance(value, (str, bool)) or value != int(value) or value < 1:
        raise ModelError(f"{model!r}: parameter {key} must be a whole number > 0, got {value!r}")
    return int(value)


def _as_built(model: Model, system: MultibodySystem) -> State:
    """Where the parts were put; rates of coordinates that joints own follow from the bodies'."""
    start = system.start
    bodies = [c for item in model.items if isinstance(item, Body) for c in _names(item)]
    if len(bodies) == len(system.coordinates):
        return start
    return State(q=start.q, v=consistent_rates(system, start.q, start.v, keep=bodies))


def _names(body: Body) -> list[str]:
    return [f"{body.name}.{c.name}" for c in body.coordinates()]
