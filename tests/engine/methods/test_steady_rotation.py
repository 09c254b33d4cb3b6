"""Linearisation about a steady rotation: gyroscopic terms, and what is refused."""

import numpy as np
import pytest

from panhead.engine.bodies import PointMass, RigidBody, ground
from panhead.engine.forces import LineBetween, SpringDamper
from panhead.engine.joints import Revolute, Spherical
from panhead.engine.methods.equilibrium import equilibrium
from panhead.engine.methods.modes import linearise, modes
from panhead.engine.methods.steady_rotation import linearise_motion
from panhead.engine.multibody import Model
from panhead.errors import ModelError
from panhead.validation.rotor_dynamics.references import rotor


def test_at_rest_it_is_the_usual_linearisation():
    system, at = rotor(0.0)
    lam = np.zeros(system.nc)
    usual = np.sort(modes(linearise(system, at.q, lam)).frequency)
    turned = np.sort(modes(linearise_motion(system, at.q, at.v)).frequency)
    assert turned[turned > 1] == pytest.approx(usual[usual > 1], rel=1e-9)


@pytest.mark.parametrize("spin", [30.0, 80.0])
def test_sleeping_top_nutates_and_precesses(spin):
    """Upright top about its tip: J ω² − J_p Ω ω + m g l = 0, real frequencies where 4 m g l J < (J_p Ω)²."""
    m, length, J, J_p, g = 1.0, 0.1, 0.02, 0.01, 9.81
    about_tip = J + m * length**2
    top = RigidBody(name="top", mass=m, inertia=(J, J, J_p), position=(0, 0, length), spin=(0.0, 0.0, spin))
    tip = Spherical(name="tip", a=ground.at(), b=top.at((0.0, 0.0, -length)))
    system = Model(name="top", items=(top, tip)).system()
    found = modes(linearise_motion(system, system.start.q, system.start.v)).eigenvalues
    wanted = np.roots([about_tip, -J_p * spin, m * g * length])
    if (J_p * spin) ** 2 < 4 * m * g * length * about_tip:
        assert found.real.max() == pytest.approx(np.abs(wanted.imag).max(), rel=1e-9)  # it falls over
    seen = np.unique(found.imag[found.imag > 1e-3].round(9))
    assert seen == pytest.approx(np.unique(np.abs(wanted.real).round(9)), abs=1e-7)


def test_motion_that_is_not_steady_is_refused():
    arm = RigidBody(
        name="arm", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0.5, 0, 0), spin=(0, 0, 3.0), velocity=(0, 1.5, 0)
    )
    hinge = Revolute(name="hinge", a=ground.at(), b=arm.at((-0.5, 0.0, 0.0)))
    system = Model(name="arm", items=(arm, hinge), gravity=(0.0, 0.0, 0.0)).system()
    with pytest.raises(ModelError, match=r"not steady .* arm\.x accelerates by 4\.5"):
        linearise_motion(system, system.start.q, system.start.v)


def test_linearisation_away_from_rest_is_refused():
    point = PointMass(name="p", mass=2.0, position=(0.0, 0.0, -1.0))
    spring = SpringDamper(name="s", along=LineBetween(a=ground.at(), b=point.at()), stiffness=100.0, rest=1.0)
    system = Model(name="m", items=(point, spring)).system()
    with pytest.raises(ModelError, match=r"not at rest .* 19\.6 N .* p\.z"):
        linearise(system, system.start.q, np.zeros(0))
    rest = equilibrium(system, system.start.q)
    assert modes(linearise(system, rest.q, rest.lam)).frequency.max() == pytest.approx(
        np.sqrt(50.0) / (2 * np.pi), rel=1e-9
    )
