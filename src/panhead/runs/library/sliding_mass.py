"""A mass that slides along a sagging cable."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import casadi as ca
import numpy as np

from panhead.engine.bodies import Cable, PointMass
from panhead.engine.joints import Held, Sliding
from panhead.engine.laws.casadi_columns import hermite
from panhead.engine.methods.equilibrium import equilibrium
from panhead.engine.methods.trajectory import State
from panhead.engine.multibody import Model
from panhead.engine.multibody.multibody_system import MultibodySystem
from panhead.errors import ModelError
from panhead.files.units import Kilograms, KilogramsPerMetre, Metres, MetresPerSecond, Newtons, NewtonSquareMetres

Form = Literal["augmented", "embedded"]


def sliding_mass(
    form: Form = "embedded",
    *,
    dimensions: int = 2,
    length: Metres = 20.0,
    elements: int = 20,
    mass_per_length: KilogramsPerMetre = 1.0,
    tension: Newtons = 2e3,
    axial_stiffness: Newtons = 5e5,
    bending_stiffness: NewtonSquareMetres = 20.0,
    mass: Kilograms = 5.0,
    place: Metres = 4.0,
) -> Model:
    """A cable pinned at both ends, ``tension`` in it while it is straight, and a mass on it without friction.

    The last axis points upward. ``start`` finds the sag, with the mass held at x = ``place``.
    """
    if dimensions not in (2, 3):
        raise ModelError(f"sliding-mass: dimensions must be 2 or 3, got {dimensions!r}")
    level = (0.0,) * (dimensions - 1)
    axes = "xyz"[:dimensions]
    cable = Cable(
        name="cable",
        nodes=tuple((float(x), *level) for x in np.linspace(0.0, length, elements + 1)),
        mass_per_length=mass_per_length,
        axial_stiffness=axial_stiffness,
        bending_stiffness=bending_stiffness,
        tension=tension,
    )
    ends = {f"cable.{k}{axis}": 0.0 for k in (0, elements) for axis in axes}
    ends[f"cable.{elements}x"] = length
    slider = PointMass(name="mass", mass=mass, position=(place, 0.0, 0.0), planar=dimensions == 2)
    gravity = (0.0, -9.81, 0.0) if dimensions == 2 else (0.0, 0.0, -9.81)
    items = (
        cable,
        slider,
        Held(name="ends", values=ends),
        Sliding(name="slide", point=slider.at(), wire=cable.track(place), form=form),
    )
    return Model(name="mass on a cable", items=items, gravity=gravity)


def start(model: Model, *, speed: MetresPerSecond = 4.0, sideways: MetresPerSecond = 0.0) -> State:
    """Initial state: equilibrium with the mass held along x, then released with ``speed`` along the cable's tangent.

    In space the cable also moves sideways with v = ``sideways`` · sin(π S / length), and the mass with it.
    """
    cable, mass, ends, slide = model.items
    assert isinstance(cable, Cable)
    assert isinstance(mass, PointMass)
    assert isinstance(slide, Sliding)
    along = replace(slide, form="augmented")
    hold = Held(name="hold", values={"mass.x": mass.position[0]})
    held = replace(model, items=(cable, mass, ends, hold, along)).system()
    q, _ = equilibrium(held, held.start.q)
    v = _rates(held, cable, q, speed, sideways)
    return State(q=q, v=v) if slide.form == "augmented" else _without_arc(held, q, v)


def _rates(system: MultibodySystem, cable: Cable, q: np.ndarray, speed: float, sideways: float) -> np.ndarray:
    """Rates of all coordinates: those of the cable as given, those of mass and arc as they follow."""
    d, n = cable.dimensions, len(cable.nodes)
    x, k = np.array(cable.breaks), np.pi / cable.breaks[-1]
    e, e_dot = q[: 2 * d * n].reshape(n, 2, d), np.zeros((n, 2, d))
    if d == 3:
        e_dot[1:-1, 0, 1] = sideways * np.sin(k * x[1:-1])
        e_dot[:, 1, 1] = sideways * k * np.cos(k * x)
    arc = q[system.place("slide.s")]
    i = min(int(np.searchsorted(x, arc, side="right")) - 1, n - 2)
    shape = lambda order: np.array(ca.DM(hermite(arc - x[i], x[i + 1] - x[i], order))).ravel()
    slope = np.einsum("k,kd->d", shape(1), e[i : i + 2].reshape(4, d))
    carried = np.einsum("k,kd->d", shape(0), e_dot[i : i + 2].reshape(4, d))
    size = float(np.linalg.norm(slope))
    return np.concatenate([e_dot.ravel(), carried + speed * slope / size, [speed / size]])


def _without_arc(system: MultibodySystem, q: np.ndarray, v: np.ndarray) -> State:
    keep = np.arange(len(q)) != system.place("slide.s")
    return State(q=q[keep], v=v[keep])
