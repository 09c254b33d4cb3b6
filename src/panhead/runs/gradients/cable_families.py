"""Parameter families of a cable run: line parameters as for the linear solver, train parameters by items."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import final

import numpy as np

from panhead.railway.pantograph.lumped_pantograph import LumpedPantograph
from panhead.runs.cables.cables_adjoint import CableSlopes, sweep
from panhead.runs.cables.cables_tape import CableTape
from panhead.runs.gradients.cable_line_gradient import tension_length_gradient
from panhead.runs.gradients.line_families import arms
from panhead.runs.gradients.parameter_families import FAMILIES
from panhead.runs.gradients.run_cotangents import Named, ParameterFamily
from panhead.runs.gradients.tension_lengths import TensionLengthGradient
from panhead.runs.linear.step.adjoint_arrays import OutputCotangents
from panhead.runs.resolve import ResolvedRun


@final
@dataclass(frozen=True, slots=True)
class CableRunSlopes:
    """All derivatives ∂J/∂ after a backward sweep."""

    tape: CableTape
    slopes: CableSlopes
    pieces: list[TensionLengthGradient]
    arms: np.ndarray  #: (masts, 2) of mass and length of steady arms

    @property
    def model(self) -> ResolvedRun:
        """Resolved run."""
        return self.tape.model

    def number(self, name: str) -> float | None:
        """Derivative ∂J/∂ of a model parameter by its name; None if there is none."""
        places = self.tape.whole.system.places_of_numbers.get(name)
        return None if places is None else float(self.slopes.p[places].sum())


def backpropagate_cables(
    tape: CableTape, wanted: OutputCotangents
) -> tuple[CableRunSlopes, CableRunSlopes, np.ndarray]:
    """Backward sweep of a cable run: total ∂J/∂, contribution of steps at kinks, and ∂J/∂ of a force on every mass."""
    whole, at_kinks = sweep(tape, wanted)
    found = []
    for slopes in (whole, at_kinks):
        piece, by_arm = tension_length_gradient(tape, slopes)
        found.append(CableRunSlopes(tape, slopes, [piece], by_arm))
    return found[0], found[1], whole.push


def _chains(s: CableRunSlopes) -> list[tuple[str, str, LumpedPantograph]]:
    """Name, item label and description of every lumped pantograph."""
    labels = ["" if k == 0 else f"{k + 1} " for k in range(len(s.model.names))]
    trio = zip(s.model.names, labels, s.model.pantographs, strict=True)
    return [(name, label, p) for name, label, p in trio if isinstance(p, LumpedPantograph)]


def _stages(*items: str, sign: float = 1.0) -> Callable[[CableRunSlopes], Named]:
    """Parameters of the items of a stage, {} its number; only stages that have one."""

    def of(s: CableRunSlopes) -> Named:
        for name, label, p in _chains(s):
            for k in range(1, len(p.stages) + 1):
                found = [s.number(label + item.format(k)) for item in items]
                there = [x for x in found if x is not None]
                if there:
                    yield f"{name}, stage {k}", sign * sum(there)

    return of


def _lift(power: int, *, each: bool) -> Callable[[CableRunSlopes], Named]:
    """Constant uplift force times a power of the speed on the lowest mass of each pantograph, or on each mass."""

    def of(s: CableRunSlopes) -> Named:
        felt = (s.slopes.push.sum(axis=0) + s.slopes.rest_push) * s.model.fastest**power
        by_stage = dict(zip(s.tape.masses(), map(float, felt), strict=True))
        for name, _, p in _chains(s):
            if each:
                yield from ((f"{name}, stage {k}", by_stage[f"{name}, stage {k}"]) for k in range(1, len(p.stages) + 1))
            else:
                yield name, by_stage[f"{name}, stage {len(p.stages)}"]

    return of


def _contacts(number: str) -> Callable[[CableRunSlopes], Named]:
    """Parameter of all contacts of each pantograph."""

    def of(s: CableRunSlopes) -> Named:
        for k, name in enumerate(s.model.names):
            mine = [s.number(f"{c.name}.{number}") for c in s.tape.whole.contacts if c.pantograph == k]
            if None not in mine:
                yield name, float(sum(x for x in mine if x is not None))

    return of


def _start(s: CableRunSlopes) -> Named:
    """Start position of the train; all positions on the line move with it."""
    yield "train", float(sum(value for _, value in _contacts("0.carried.0")(s)))


def _speed(s: CableRunSlopes) -> Named:
    """Speed of the train: journey, aerodynamic uplift and slider rate; only with lumped pantographs."""
    if len(_chains(s)) < len(s.model.names):
        return
    total, V, system = float(sum(value for _, value in _contacts("0.drift.0")(s))), s.model.fastest, s.tape.whole.system
    felt = s.slopes.push.sum(axis=0) + s.slopes.rest_push
    by_air = np.concatenate([p.uplift(1.0) - p.uplift(0.0) for _, _, p in _chains(s)])
    sliders = [system.place(f"{c.name}.s") for c in s.tape.whole.contacts if f"{c.name}.s" in system.coordinates]
    yield "train", total + 2.0 * V * float(by_air @ felt) + float(s.slopes.start[sliders].sum())


def _gains(s: CableRunSlopes) -> Named:
    """Parameters of a damping control law; NaN at a time at which it jumps."""
    law = s.model.run.control
    damper = None if law is None else law.damper()
    for name in () if damper is None else damper.numbers():
        yield name, float("nan") if name == "switch" else float(s.number(f"damper.{name}") or 0.0)


def _parts(s: CableRunSlopes) -> Named:
    """Parameters of every part of linkages and user models."""
    for name, p, mechanics in zip(s.model.names, s.model.pantographs, s.tape.whole.mechanics, strict=True):
        if not isinstance(p, LumpedPantograph):
            owners = tuple(f"{item.name}." for item in mechanics.items)
            for number in s.tape.whole.system.places_of_numbers:
                if number.startswith(owners):
                    yield f"{name}: {number}", float(s.number(number) or 0.0)


_OF_LINE = (
    "dropper.length", "dropper.stiffness", "dropper.damping", "dropper.mass", "dropper.top_mass",
    "dropper.mass_per_length", "wire.tension", "wire.mass", "wire.bending", "wire.mass_damping",
    "wire.stiffness_damping", "support.height", "support.stagger", "support.encumbrance", "support.mass",
    "support.damping", "support.stiffness", "presag",
)  # fmt: skip


def _same(name: str, of: Callable[[CableRunSlopes], Named]) -> ParameterFamily:
    """Family of the linear solver, read from cables."""
    return ParameterFamily(FAMILIES[name].unit, FAMILIES[name].about, of)


def _of_arms(column: int) -> Callable[[CableRunSlopes], Named]:
    return lambda s: arms(lambda piece: s.arms[:, column])(s)


CABLE_FAMILIES: Mapping[str, ParameterFamily] = {
    **{name: FAMILIES[name] for name in _OF_LINE},
    "arm.mass": _same("arm.mass", _of_arms(0)),
    "arm.length": _same("arm.length", _of_arms(1)),
    "pantograph.mass": _same("pantograph.mass", _stages("mass_{}.mass")),
    "pantograph.stiffness": _same("pantograph.stiffness", _stages("suspension_{}.stiffness")),
    "pantograph.damping": _same("pantograph.damping", _stages("suspension_{}.damping")),
    "pantograph.friction": _same("pantograph.friction", _stages("friction_{}.force")),
    "pantograph.friction_speed": _same("pantograph.friction_speed", _stages("friction_{}.speed")),
    "pantograph.stop_up": _same("pantograph.stop_up", _stages("stop_upper_{}.limit")),
    "pantograph.stop_down": _same("pantograph.stop_down", _stages("stop_lower_{}.limit", sign=-1.0)),
    "pantograph.stop_stiffness": _same(
        "pantograph.stop_stiffness", _stages("stop_upper_{}.stiffness", "stop_lower_{}.stiffness")
    ),
    "pantograph.static_force": _same("pantograph.static_force", _lift(0, each=False)),
    "pantograph.aerodynamic": _same("pantograph.aerodynamic", _lift(2, each=False)),
    "pantograph.stage_force": _same("pantograph.stage_force", _lift(0, each=True)),
    "pantograph.stage_aerodynamic": _same("pantograph.stage_aerodynamic", _lift(2, each=True)),
    "pantograph.part": ParameterFamily("SI", "a number of a part of a linkage, in its own SI unit", _parts),
    "contact.stiffness": _same("contact.stiffness", _contacts("k")),
    "contact.damping": _same("contact.damping", _contacts("c")),
    "control.gain": ParameterFamily("SI", "a number of the law of the head, a damper, in its own SI unit", _gains),
    "train.start": _same("train.start", _start),
    "speed": _same("speed", _speed),
}
