"""What follows a buckling load: branches beside the elastica, and large loads found at once."""

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import ellipe, ellipk

from panhead.engine.bodies import Beam, Section, ground
from panhead.engine.forces import Push, Twist
from panhead.engine.joints import Rigid
from panhead.engine.methods.equilibrium import equilibrium
from panhead.engine.methods.load_path import load_branch, load_path
from panhead.engine.methods.statics import StaticBalance, by_load_steps, by_relaxation, full_newton
from panhead.engine.multibody import Model
from panhead.errors import ModelError

E, EI = 2e11, 1000.0


def column(elements):
    """A clamped column of 1 m, EI = 1000 N·m² one way, thrice that the other; hardly stretches or shears."""
    section = Section(area=1e-3, inertia_y=3 * EI / E, inertia_z=EI / E, torsion=EI / E, shear_y=1.0, shear_z=1.0)
    beam = Beam(
        name="c", begin=(0.0, 0.0, 0.0), end=(0.0, 0.0, 1.0), elements=elements, young=E, density=7800.0,
        section=section, across=(1.0, 0.0, 0.0),
    )  # fmt: skip
    return clamped(beam, Push(name="load", at=beam.at(1.0), force=(0.0, 0.0, -1.0), course=lambda t: t))


def clamped(beam, *items):
    clamp = Rigid(name="clamp", a=ground.at((0.0, 0.0, 0.0)), b=beam.at_world(0.0))
    return Model(name="clamped", items=(beam, clamp, *items), gravity=(0.0, 0.0, 0.0)).system()


def tip(system, q):
    last = max(int(name[2:-1]) for name in system.coordinates if name.startswith("c.") and name.endswith("x"))
    first = system.place(f"c.{last}x")
    return q[first : first + 3]


def test_a_column_buckles_and_bends_as_the_elastica():
    """P / P_E = (2 K(k) / π)²; the tip is 2 k / K aside and 2 E / K − 1 high.

    Stretch, P / EA = 1e-5, and eight elements of the fourth order, 1e-4, are left.
    """
    euler, system = np.pi**2 * EI / 4, column(8)
    point = load_path(system, system.start.q, load="time", to=1.2 * euler).first("bifurcation")
    assert point.load == pytest.approx(euler, rel=1e-4)
    branch = load_branch(system, point, load="time", to=1.5 * euler)
    assert branch.load[-1] == pytest.approx(1.5 * euler)
    assert (branch.smallest[1:] > 0).all()  # it is stable: it bends, and bears more
    for P, q in zip(branch.load[1:], branch.q[1:], strict=True):
        x, y, z = tip(system, q)
        aside = np.hypot(x, y)
        k = brentq(lambda k, aside=aside: 2 * k / ellipk(k * k) - aside, 1e-6, 0.8)
        assert (2 * ellipk(k * k) / np.pi) ** 2 * euler == pytest.approx(P, rel=2e-4)
        assert z == pytest.approx(2 * ellipe(k * k) / ellipk(k * k) - 1, abs=2e-4)


def test_both_sides_of_a_strip_that_buckles_sideways_are_mirror_images_and_what_an_imperfect_strip_does():
    """The branch at 1.2 of the buckling load is where a push of 1e-6 of it sideways also brings the strip."""
    beam = Beam(
        name="c", begin=(0.0, 0.0, 0.0), end=(1.0, 0.0, 0.0), elements=4, young=7e10, density=2700.0,
        section=Section.rectangle(width=0.06, height=0.002), across=(0.0, 1.0, 0.0),
    )  # fmt: skip
    down = Push(name="down", at=beam.at(1.0), force=(0.0, -1.0, 0.0), course=lambda t: t)
    system = clamped(beam, down)
    point = load_path(system, system.start.q, load="time", to=20.0).first("bifurcation")
    to = 1.2 * point.load
    one, other = (load_branch(system, point, load="time", to=to, amplitude=a).q[-1] for a in (0.05, -0.05))
    assert abs(tip(system, one)[2]) > 0.1
    np.testing.assert_allclose(tip(system, one), tip(system, other) * (1, 1, -1), atol=1e-8)
    aside = float(np.sign(tip(system, one)[2]))
    sideways = Push(name="aside", at=beam.at(1.0), force=(0.0, 0.0, 1e-6 * to * aside))
    imperfect = clamped(beam, down, sideways)
    path = load_path(imperfect, imperfect.start.q, load="time", to=to)
    np.testing.assert_allclose(tip(imperfect, path.q[-1]), tip(system, one), atol=1e-4)


def test_a_branch_begins_at_a_bifurcation_only():
    system = column(2)
    point = load_path(system, system.start.q, load="time", to=3000.0).first("bifurcation")
    with pytest.raises(ModelError, match="starts at a bifurcation point"):
        load_branch(system, point, load="time", to=3000.0, amplitude=0.0)
    with pytest.raises(ModelError, match="other than zero"):
        load_branch(system, point, load="time", to=0.0)


def bent(elements, turns):
    beam = Beam(
        name="c", begin=(0.0, 0.0, 0.0), end=(1.0, 0.0, 0.0), elements=elements, height=0.02, width=0.02, young=E,
        density=7800.0, across=(0.0, 1.0, 0.0),
    )  # fmt: skip
    M = 2 * np.pi * turns * E * 0.02**4 / 12
    return clamped(beam, Twist(name="torque", at=beam.at(1.0), torque=(0.0, 0.0, M)))


@pytest.mark.parametrize("turns", [1.0, 2.0])
def test_a_dead_torque_that_turns_its_section_round_and_round_is_put_on_in_steps(turns):
    """A full circle, and two: what is left of the load is turned with the section. Only rounding is left."""
    system = bent(8, turns)
    found = equilibrium(system, system.start.q)
    assert found.how == "load steps"
    assert tip(system, found.q) == pytest.approx([0.0, 0.0, 0.0], abs=1e-9)


def test_all_ways_lead_to_the_same_equilibrium():
    """Full steps, load steps and steps in time of a bar bent by 70°: the same to rounding."""
    system = bent(4, 0.2)
    balance = StaticBalance(system, system.start.q, 0.0, np.zeros(0))
    found = [full_newton(balance), by_load_steps(balance)[0], by_relaxation(balance)[0]]
    assert all(way.found for way in found)
    for way in found[1:]:
        np.testing.assert_allclose(way.z[: system.nq], found[0].z[: system.nq], atol=1e-10)


def test_a_number_of_the_model_may_be_the_load():
    """The stiffness of nothing else changes: a force as a parameter gives the path that its course in time gives."""
    system = column(2)
    by_number = load_path(system, system.start.q, load="load.force.2", t=1.0, to=-2600.0)
    by_time = load_path(system, system.start.q, load="time", to=2600.0)
    assert by_number.first("bifurcation").load == pytest.approx(-by_time.first("bifurcation").load, rel=1e-6)
