"""The fast linear line beside the same line of cables that bend and stretch: same mesh, step, pantograph."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from panhead.bodies import Cable, GuidedMass, PointMass
from panhead.cases.checks import Check, below, near
from panhead.cases.moving_load.model import Steadily
from panhead.cases.planar_catenary.model import BetweenHeights
from panhead.forces import SlidingContact, SpringDamper, Thrust
from panhead.joints import Coupled
from panhead.laws.hermite import interpolate
from panhead.laws.ramp import smooth_ramp
from panhead.line import read_line, string
from panhead.methods.integrators import GeneralizedAlpha
from panhead.methods.simulate import simulate
from panhead.methods.trajectory import State
from panhead.multibody import Model
from panhead.pantograph.lumped import LumpedPantograph, Stage
from panhead.roles import Expression, Item
from panhead.run.description import ContactLaw, Journey, Numerics, OnTrain, Run
from panhead.run.simulate import simulate as simulate_line
from panhead.run.solvers.cables.statics import Hung, hung
from panhead.run.solvers.cables.wires import cables_of

_LINE, _ELEMENT, _STEP, _RHO = "ancf-simple", 3.125, 1e-3, 0.9  # two elements between droppers
_SPEED, _START, _DURATION, _RAMP = 200 / 3.6, 84.9375, 9.0, 2.0
_JUDGED = 3.0  # [s] from where on forces are compared
_CONTACT = 50e3  # [N/m]
_GRAVITY = 9.81
_SAME = "the linear line, same mesh, step, droppers and pantograph"
PANTOGRAPH = LumpedPantograph(
    name="two masses",
    stages=(
        Stage(mass=9.5, stiffness=7200.0, damping=26.0),
        Stage(mass=15.0, stiffness=0.0, damping=90.0),
    ),
    static_force=110.0,
)


@final
@dataclass(frozen=True, slots=True)
class _Rising:
    """From 0 to 1 over ``time``, with no jump up to the second derivative."""

    time: float  #: [s]

    def __call__(self, t: Expression) -> Expression:
        return smooth_ramp(t, self.time)


def linear_vs_ancf() -> Sequence[Check]:
    """Deviation, mean and course of the contact force."""
    F, G = linear_force(), cable_force()[1:]  # one state more: the start
    quiet = lambda x: _below_20_hertz(x)[round(_JUDGED / _STEP) :]
    f, g = F[round(_JUDGED / _STEP) :], G[round(_JUDGED / _STEP) :]
    return [
        near("deviation of the contact force", g.std(), f.std(), rel=0.03, unit="N", source=_SAME),
        near(
            "the same below 20 Hz", quiet(G).std(), quiet(F).std(), rel=0.03, unit="N", source=_SAME
        ),
        near("mean of the contact force", g.mean(), f.mean(), rel=0.01, unit="N", source=_SAME),
        below(
            "difference of both courses below 20 Hz, as a share of the deviation",
            (quiet(G) - quiet(F)).std() / quiet(F).std(),
            0.25,
            unit="1",
            source=_SAME,
        ),
    ]


def linear_force(element_length: float = _ELEMENT) -> np.ndarray:
    """On the linear line, every step [N]."""
    stop = _START + _SPEED * _DURATION
    run = Run(
        line=_LINE,
        train=(OnTrain(pantograph=PANTOGRAPH),),
        speed=_SPEED,
        contact=ContactLaw(stiffness=_CONTACT, damping=0.0),
        journey=Journey(
            start=_START, stop=stop, ramp=_RAMP, judged_from=_START, judged_to=stop - 60.0
        ),
        numerics=Numerics(
            step=_STEP, element_length=element_length, spectral_radius=_RHO, window="whole"
        ),
    )
    return np.asarray(simulate_line(run)["contact_force"]).ravel()


def cable_force(element_length: float = _ELEMENT) -> np.ndarray:
    """On the line of cables, every step [N]."""
    line = cables_of(string(read_line(_LINE)), element_length=element_length, planar=True)
    rest = hung(line, (0.0, -_GRAVITY, 0.0))
    height = _height(rest, line.contact)
    items = (*line.all_items(), *_pantograph(line.contact, height))
    model = Model(name="cables", items=items, gravity=(0.0, -_GRAVITY, 0.0))
    system = model.system().changed(rest.numbers)
    q = system.start.q.copy()
    for k, name in enumerate(system.coordinates):
        q[k] = rest.places.get(name, q[k])
    run = simulate(
        system,
        State(q=q, v=system.start.v),
        duration=_DURATION,
        dt=_STEP,
        method=GeneralizedAlpha(spectral_radius=_RHO, factor="while it serves", tolerance=1e-8),
    )
    y, z = system.place("head.y"), system.place("frame.x")
    head = PANTOGRAPH.stages[0]
    spring = head.stiffness * (run.q[:, z] - run.q[:, y])
    damper = head.damping * (run.v[:, z] - run.v[:, y])
    return np.asarray(spring + damper - head.mass * run.a[:, y])


def _height(rest: Hung, wire: Cable) -> float:
    """Of the contact wire above the start [m]."""
    k = int(np.searchsorted(wire.breaks, _START)) - 1
    L = float(wire.lengths[k])
    x = (_START - wire.breaks[k]) / L
    a, b = (np.array([rest.places[n] for n in wire.node_names(j)]) for j in (k, k + 1))
    return float(interpolate(x, L, a[1], a[3], b[1], b[3]))


def _pantograph(wire: Cable, height: float) -> tuple[Item, ...]:
    """Two masses whose weights are carried, the head touching the wire without force."""
    upper, lower = PANTOGRAPH.stages
    head = PointMass(
        name="head",
        mass=upper.mass,
        position=(_START, height, 0.0),
        velocity=(_SPEED, 0.0, 0.0),
        planar=True,
    )
    return (
        head,
        GuidedMass(name="frame", mass=lower.mass, axis=(0.0, 1.0, 0.0), position=height),
        Coupled(name="drive", ratios={"head.x": 1.0}, motion=Steadily(_START, _SPEED)),
        BetweenHeights(
            name="suspension",
            lower="frame.x",
            upper="head.y",
            stiffness=upper.stiffness,
            damping=upper.damping,
        ),
        SpringDamper(name="frame damper", along="frame.x", damping=lower.damping),
        Thrust(name="head carried", along="head.y", force=upper.mass * _GRAVITY),
        Thrust(name="frame carried", along="frame.x", force=lower.mass * _GRAVITY),
        Thrust(name="lift", along="frame.x", force=PANTOGRAPH.static_force, course=_Rising(_RAMP)),
        SlidingContact(
            name="slide",
            point=head.at(),
            wire=wire.track(_START),
            stiffness=_CONTACT,
            normal=(0.0, -1.0, 0.0),
        ),
    )


def _below_20_hertz(force: np.ndarray) -> np.ndarray:
    spectrum = np.fft.rfft(force)
    spectrum[np.fft.rfftfreq(force.size, _STEP) > 20.0] = 0.0
    return np.asarray(np.fft.irfft(spectrum, force.size))
