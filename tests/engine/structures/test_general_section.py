"""Sections by 6 × 6 matrices: the same as plain ones where those serve, and rods' equations where they do not."""

import numpy as np
import pytest

from panhead.engine.bodies import Beam, ground
from panhead.engine.forces import Push
from panhead.engine.joints import Rigid
from panhead.engine.methods.equilibrium import equilibrium
from panhead.engine.methods.modes import linearise, modes
from panhead.engine.multibody import Model
from panhead.engine.structures import BeamMaterial, GeneralSection, Section
from panhead.errors import ModelError
from panhead.validation.fe_import.sections import composite, deflected, frequencies, spar

STEEL = BeamMaterial(young=2e11, poisson=0.3, density=7800.0)
PLATE = Section.rectangle(width=0.03, height=0.01)


def loaded(force, place=None, **section):
    """A clamped bar of 1 m, loaded at its tip; ``place`` of the section moves the clamp with it."""
    beam = Beam(
        name="b", begin=(0.0, 0.0, 0.0), end=(1.0, 0.0, 0.0), elements=4, across=(0.0, 1.0, 0.0), **section
    )  # fmt: skip
    clamp = Rigid(name="clamp", a=ground.at(), b=beam.at_world(0.0))
    tip = beam.at(1.0, offset=place or (0.0, 0.0))
    model = Model(name="m", items=(beam, clamp, Push(name="p", at=tip, force=force)), gravity=(0.0, 0.0, 0.0))
    return beam, model.system()


def moved(beam, system):
    q = equilibrium(system, system.start.q).q
    first = system.place(f"b.{beam.elements}x")
    return q[first : first + 7]


def test_a_diagonal_matrix_is_the_plain_section():
    plain = {"section": PLATE, "young": 2e11, "density": 7800.0}
    cases = [loaded((20.0, 30.0, 50.0), **keys) for keys in (plain, {"section": GeneralSection.of(PLATE, STEEL)})]
    assert moved(*cases[1]) == pytest.approx(moved(*cases[0]), abs=1e-10)
    v = np.random.default_rng(1).standard_normal(cases[0][1].nq)
    kinetic = [system.energy(0.0, system.start.q, v).kinetic for _, system in cases]
    assert kinetic[1] == pytest.approx(kinetic[0], rel=1e-13)


def test_an_offset_section_is_a_bar_beside_the_axis():
    """A force along x at the centroid stretches only: FL/EA. The axis of nodes moves alike, and nothing turns."""
    section = GeneralSection.of(PLATE, STEEL, offset=(0.02, -0.05), angle=0.4)
    found = moved(*loaded((1e4, 0.0, 0.0), place=(0.02, -0.05), section=section))
    assert found[:3] == pytest.approx([1 + 1e4 / (2e11 * 3e-4), 0.0, 0.0], abs=1e-12)
    assert found[3:] == pytest.approx([1.0, 0.0, 0.0, 0.0], abs=1e-12)


def test_a_turned_section_bends_about_its_own_axes():
    """δ = F L³ / 3EI along each principal axis; the shear adds 6(1 + ν)/5 (h/L)²/2 ≈ 1e-4."""
    angle, F = 0.5, 0.01
    found = moved(*loaded((0.0, 0.0, F), section=GeneralSection.of(PLATE, STEEL, angle=angle)))
    y, z = np.array([np.cos(angle), np.sin(angle)]), np.array([-np.sin(angle), np.cos(angle)])
    wanted = F / (3 * 2e11) * (y * y[1] / PLATE.inertia_z + z * z[1] / PLATE.inertia_y)
    assert found[1:3] == pytest.approx(wanted, rel=2e-3)


def test_bending_twists_a_coupled_spar_as_the_rods_equations_say():
    """Small load: the twist is C⁻¹₄₅ F L² / 2. Large load: Cosserat's equations, 1e-4 of the length."""
    section = composite()
    beam, _ = spar(16)
    S = np.linalg.inv(np.array(section.stiffness))
    for F, tolerance in ((0.01, 1e-9), (4000.0, 2e-4)):
        system = spar(16, Push(name="p", at=beam.at(2.0), force=(0.0, 0.0, F)))[1].system()
        first = system.place("spar.16x")
        q = equilibrium(system, system.start.q).q[first : first + 7]
        p, _ = deflected(section, np.array([0.0, 0.0, F]))
        assert q[:3] == pytest.approx(p, abs=tolerance)
        if F < 1:
            assert 2 * q[4] == pytest.approx(-S[3, 4] * F * 2.0**2 / 2, rel=1e-6)


def test_a_mass_beside_the_axis_couples_bending_and_torsion():
    """Transfer matrix of the rod; elements of second order, (1/8)² of a few wave lengths."""
    system = spar(8)[1].system()
    found = modes(linearise(system, system.start.q, np.zeros(system.nc))).frequency
    assert found[:3] == pytest.approx(frequencies(composite(), 3, 60.0), rel=2e-3)


def test_weight_acts_at_the_centre_of_mass():
    """m g L c_y about the axis at the clamp: twist of the tip m g c_y L² / 2GJ, uncoupled section."""
    inertia = GeneralSection.inertia_of(3.0, centre=(0.02, 0.0), rotary=np.diag([2e-3, 1e-3, 1e-3]))
    C = np.diag([4e7, 6e6, 5e6, 3e3, 9e3, 1.6e4])
    _, model = spar(4, section=GeneralSection(stiffness=C, inertia=inertia))
    system = Model(name="m", items=model.items, gravity=(0.0, 0.0, -1e-3)).system()
    q = equilibrium(system, system.start.q).q
    assert 2 * q[system.place("spar.4e1")] == pytest.approx(-3.0 * 1e-3 * 0.02 * 2.0**2 / (2 * 3e3), rel=1e-6)


GOOD = composite()


@pytest.mark.parametrize("wrong, told", [
    ({"stiffness": np.eye(5)}, "must be finite and 6 × 6"),
    ({"stiffness": "EA"}, "6 × 6 matrix of numbers"),
    ({"stiffness": np.diag([1.0, 1, 1, 1, 1, -1])}, "positive definite"),
    ({"stiffness": np.eye(6) + np.eye(6, k=1)}, "not symmetric, row 1 and column 2"),
    ({"inertia": np.diag([1.0, 1, 2, 1, 1, 1])}, "not that of a rigid section, row 3 and column 3"),
])  # fmt: skip
def test_matrices_that_are_no_section_are_refused(wrong, told):
    with pytest.raises(ModelError, match=told):
        GeneralSection(**({"stiffness": GOOD.stiffness, "inertia": GOOD.inertia} | wrong))


def test_a_general_section_leaves_no_room_for_a_material():
    ends = {"name": "b", "begin": (0.0, 0.0, 0.0), "end": (1.0, 0.0, 0.0), "elements": 1}
    with pytest.raises(ModelError, match="leave out young, density"):
        Beam(section=GOOD, young=2e11, **ends)
    with pytest.raises(ModelError, match="young must be"):
        Beam(section=PLATE, density=1.0, **ends)
