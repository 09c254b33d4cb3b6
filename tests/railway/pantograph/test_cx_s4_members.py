"""Top arm and head as finite elements: printed frequencies, printed inertia, sections chosen by least squares."""

from dataclasses import replace

import numpy as np
import pytest

from panhead.errors import ModelError
from panhead.railway.pantograph.flexible_member import member_structure, reduced_member
from panhead.railway.pantograph.linkage import read_linkage
from panhead.railway.pantograph.member_choice import arm_misfit, beam_misfit, fit_arm
from panhead.railway.pantograph.members import tube
from panhead.railway.pantograph.pantograph_modes import full_frequencies, printed_modes

LINKAGE = read_linkage("cx")


def test_the_arm_has_the_printed_mesh():
    arm = member_structure(LINKAGE, "top arm")
    assert len(arm.points) == 43
    tied = arm.stiffness.tocoo()
    pairs = {(i // 6, j // 6) for i, j in zip(tied.row, tied.col, strict=True) if i // 6 < j // 6}
    assert len(pairs) == 42
    assert arm.mass == pytest.approx(15.6, rel=1e-3)
    assert np.abs(arm.centre).max() < 0.005  # the table's origin, printed to a centimetre


@pytest.mark.parametrize(("member", "met"), [("top arm", 6), ("head", 6)])
def test_printed_frequencies_are_met_to_five_percent(member, met):
    rows = printed_modes(LINKAGE, member)
    assert len(rows) == 6
    assert abs(rows[0].off) < 0.05  # first bending
    assert sum(abs(row.off) < 0.05 for row in rows) == met


def test_the_sixth_frequency_of_the_head_is_the_stretch_of_an_aluminium_strip():
    last = printed_modes(LINKAGE, "head")[-1]
    assert (last.words, last.printed) == ("first stretching", 701.0)
    assert abs(last.off) < 1e-3
    assert LINKAGE.strip_beam.young == pytest.approx(71e9, rel=0.02)


@pytest.mark.parametrize("member", ["top arm", "head"])
def test_the_reduced_body_keeps_the_frequencies_of_the_full_one(member):
    full = full_frequencies(member_structure(LINKAGE, member), 6)
    few = np.array([mode.frequency for mode in reduced_member(LINKAGE, member).modes[:6]])
    assert np.abs(few / full - 1).max() < 1e-3


@pytest.mark.parametrize("member", ["top arm", "head"])
def test_masses_at_the_nodes_change_frequencies_little(member):
    """Consistent mass instead: the elements are short enough."""
    lumped, consistent = (full_frequencies(member_structure(LINKAGE, member), 6, consistent=c) for c in (False, True))
    assert np.abs(lumped / consistent - 1).max() < 5e-3


def test_the_choice_meets_its_targets():
    """In tolerances: 1 % for frequencies and inertias, 0.1 % for masses, 10 % for the arm's roll inertia."""
    assert np.abs(beam_misfit(LINKAGE.strip_beam, LINKAGE.body("head"))).max() < 0.5
    assert np.abs(arm_misfit(LINKAGE.top_arm, LINKAGE.body("top arm"))).max() < 2.5


@pytest.mark.slow
def test_the_choice_cannot_be_bettered():
    """Three more steps from the stored sections gain nothing but their rounding."""
    body = LINKAGE.body("top arm")
    better = fit_arm(LINKAGE.top_arm, body, most=3)
    before, after = (np.sum(arm_misfit(arm, body) ** 2) for arm in (LINKAGE.top_arm, better))
    assert after > 0.97 * before


def test_a_tube_has_the_area_asked_for():
    section = tube(6.9e-4, 0.07)
    assert section.area == pytest.approx(6.9e-4)
    with pytest.raises(ModelError, match="wider"):
        tube(50e-4, 0.05)


@pytest.mark.parametrize("tube", LINKAGE.tubes, ids=lambda tube: tube.member)
def test_tube_and_fittings_have_the_printed_mass_and_inertia(tube):
    body, s = LINKAGE.body(tube.member), tube.structure()
    assert s.mass == pytest.approx(body.mass, rel=1e-3)  # numbers are written with four digits
    assert s.inertia[1, 1] == pytest.approx(body.inertia[1], rel=5e-3)  # a tube is not a line: m d²/16 of m L²/12
    assert s.inertia[0, 0] == pytest.approx(body.inertia[0], rel=1e-3)


@pytest.mark.parametrize("tube", LINKAGE.tubes, ids=lambda tube: tube.member)
def test_a_tube_without_fittings_bends_as_a_free_beam(tube):
    """f = 4.730² / (2π L²) √(E I / ρ A), both ways alike."""
    length = tube.stations[-1] - tube.stations[0]
    area = tube.mass / (tube.density * length)
    inner = tube.diameter**2 - 4 * area / np.pi
    inertia = np.pi / 64 * (tube.diameter**4 - inner**2)
    expected = 4.7300**2 / (2 * np.pi * length**2) * np.sqrt(tube.young * inertia / (tube.density * area))
    found = full_frequencies(replace(tube, end_mass=0.0, end_inertia=0.0).structure(), 2)
    # ten elements with masses at their nodes: 1 %; rotary inertia of the widest tube, (π d / L)² / 8, another
    assert found == pytest.approx([expected, expected], rel=0.02)
