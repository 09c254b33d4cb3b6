"""Feedback control: controls as functions of the state, with gains that may vary in time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from typing import Any, NamedTuple

import casadi as ca

from panhead.engine.symbolic.derivation import Derivation
from panhead.engine.symbolic.mechanism_law import MechanismLaw
from panhead.engine.symbolic.symbolic_system import SymbolicSystem
from panhead.errors import ModelError


class Measured(NamedTuple):
    """Symbols that a feedback law may use, by name."""

    t: Any
    q: Mapping[str, Any]  #: coordinate → symbol
    v: Mapping[str, Any]  #: coordinate → symbol of its rate
    gain: Mapping[str, Any]  #: gain γ → symbol
    p: Mapping[str, Any]  #: parameter → symbol


Law = Callable[[Measured], Mapping[str, Any]]


def closed_loop(system: SymbolicSystem, law: Law, gains: tuple[str, ...] = ()) -> SymbolicSystem:
    """The system with u = law(z, γ, t) substituted; its controls are then the gains γ(t).

    The law gives an expression for every control. Constant or exponential laws need no gains: their
    numbers are parameters of the mechanism.
    """
    d = system.derivation
    gamma = ca.SX.sym("gamma", len(gains))
    measured = Measured(
        d.t,
        _as_row(system.coordinates, d.q),
        _as_row(system.coordinates, d.v),
        _as_row(gains, gamma),
        dict(system.mechanism.parameters.symbols),
    )
    given = law(measured)
    missing = sorted(set(system.controls) ^ set(given))
    if missing:
        raise ModelError(
            f"a feedback law must give exactly the controls {', '.join(system.controls)}; check {', '.join(missing)}"
        )
    u = ca.vertcat(*(ca.SX(given[name]) for name in system.controls))
    closed_loop = MechanismLaw(system.mechanism, _with_controls(d, u, gamma))
    return SymbolicSystem(system.mechanism, closed_loop, gains)


def _as_row(names: tuple[str, ...], column: Any) -> dict[str, Any]:
    return {name: column[i] for i, name in enumerate(names)}


def _with_controls(d: Derivation, u: Any, gamma: Any) -> Derivation:
    """Every expression of the derivation with its control symbols replaced by u."""
    changed: dict[str, Any] = {}
    for field in fields(d):
        value = getattr(d, field.name)
        if isinstance(value, ca.SX) and field.name not in ("q", "v", "a", "lam", "p", "t", "u"):
            changed[field.name] = ca.substitute(value, d.u, u)
    return replace(d, u=gamma, **changed)
