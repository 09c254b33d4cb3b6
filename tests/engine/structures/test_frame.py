"""Beam elements against closed forms, and masses at the nodes that keep the body's inertia."""

import numpy as np
import pytest

from engine.structures.builders import (
    BAR,
    LENGTH,
    STEEL,
    TUBE,
    TURN,
    arm,
    beam,
    coordinates_of,
    frequencies,
    full_deflection,
    held_frequencies,
)
from panhead.engine.structures import JointMass, Member, Section, frame, reduce_structure
from panhead.engine.structures.frame import lumped_mass_weights
from panhead.errors import ModelError

#: Rotary inertia lowers a frequency by ½ (β r)² = 2e-7 of it at most here, below every error looked at.
THIN = Section.tube(diameter=0.0004)
ROOTS = {  # β L of the first three bending modes
    "free": (4.730040744862704, 7.853204624095838, 10.995607838001671),
    "clamped": (1.875104068711961, 4.694091132974175, 7.854757438237613),
    "pinned": (np.pi, 2 * np.pi, 3 * np.pi),
}
#: Coordinates held: bending in the plane of x and z alone, so that modes are not double.
HELD = {"free": ((), ()), "clamped": ((0, 2, 4), ()), "pinned": ((0, 2), (2,))}


def planar_errors(ends, elements, consistent=False):
    """Relative errors of the first three bending frequencies in one plane."""
    s = beam(elements, THIN)
    n = len(s.points)
    a, b = (coordinates_of(s, p) for p in "ab")
    out_of_plane = np.concatenate([6 * np.arange(n) + k for k in (1, 3, 5)])
    held = np.concatenate([out_of_plane, a[list(HELD[ends][0])], b[list(HELD[ends][1])]])
    mass = s.consistent_mass if consistent else None
    skip = {"free": 3, "clamped": 0, "pinned": 0}[ends]
    got = held_frequencies(s, held.astype(int), mass)[skip : skip + 3]
    rate = np.sqrt(STEEL.young * THIN.inertia_y / (STEEL.density * THIN.area))
    return got / ((np.array(ROOTS[ends]) / LENGTH) ** 2 * rate / (2 * np.pi)) - 1


@pytest.mark.parametrize("ends", ROOTS)
def test_bending_with_masses_at_the_nodes_converges_in_the_fourth_order(ends):
    """The lumping is exact for cubics, so neither its ends nor its interior cost an order.

    Errors cross zero on coarse meshes, so two meshes that lie beyond are compared: elements a third as long must leave
    no more than 3⁻⁴ of the error (3.9 for the rounding of a thin rod).
    """
    coarse, fine = (np.abs(planar_errors(ends, n)) for n in (16, 48))
    assert fine[2] < coarse[2] / 3**3.9
    assert fine.max() < 2e-5


@pytest.mark.parametrize("ends", ROOTS)
def test_bending_with_consistent_mass_converges_in_the_fourth_order(ends):
    meshes = np.array([8, 16, 32])
    errors = np.array([planar_errors(ends, n, consistent=True) for n in meshes])
    slope = np.polyfit(np.log(meshes), np.log(np.abs(errors[:, 2])), 1)[0]
    assert slope == pytest.approx(-4, abs=0.2)
    assert errors.min() > -1e-6  # from above, as Rayleigh's quotient says


def test_rotary_inertia_of_a_thick_pinned_beam():
    """EI k⁴ = ω² (ρA + ρI k²), k = nπ / L: exact for pinned ends; 80 elements leave 1e-5."""
    s = beam(80, BAR)
    a, b = (coordinates_of(s, p) for p in "ab")
    n = np.arange(len(s.points))
    held = np.concatenate([*(6 * n + k for k in (1, 3, 5)), a[[0, 2]], b[[2]]])
    k = np.arange(1, 5) * np.pi / LENGTH
    I, A = BAR.inertia_y, BAR.area
    exact = np.sqrt(STEEL.young * I * k**4 / (STEEL.density * (A + I * k**2))) / (2 * np.pi)
    for mass in (None, s.consistent_mass):
        assert held_frequencies(s, held, mass)[:4] == pytest.approx(exact, rel=2e-5)


@pytest.mark.parametrize(("coordinate", "speed"), [
    (0, np.sqrt(STEEL.young / STEEL.density)), (3, np.sqrt(STEEL.shear / STEEL.density)),
])  # fmt: skip
def test_stretching_and_twisting_bars(coordinate, speed):
    """f = n c / 2L of a free bar; linear elements: second order, error (nπ/N)²/24 = 2.6e-5 n² at N = 40."""
    s = beam(40, TUBE)
    others = np.setdiff1d(np.arange(6), coordinate)
    held = (6 * np.arange(len(s.points))[:, None] + others).ravel()
    got = held_frequencies(s, held)[1:4]
    n = np.arange(1, 4)
    assert got == pytest.approx(n * speed / (2 * LENGTH), rel=2.6e-4 * 9)
    assert np.all(np.abs(got / (n * speed / (2 * LENGTH)) - 1) < 3e-4 * n**2)


def test_bracket_by_hand():
    """Wall – a along x – b along y, load F along z: bending of both, torsion of the first; exact at nodes."""
    a, b, F = 0.8, 0.5, 100.0
    members = tuple(Member(begin=p, end=q, section=TUBE, material=STEEL, elements=3) for p, q in ("wc", "ct"))
    s = frame("bracket", joints={"w": (0, 0, 0), "c": (a, 0, 0), "t": (a, b, 0)}, members=members)
    force = np.zeros(s.stiffness.shape[0])
    force[coordinates_of(s, "t")[2]] = F
    u = full_deflection(s, force, coordinates_of(s, "w"))
    EI, GJ = STEEL.young * TUBE.inertia_y, STEEL.shear * TUBE.torsion
    expected = F * (a**3 / (3 * EI) + b**3 / (3 * EI) + a * b**2 / GJ)
    assert u[coordinates_of(s, "t")[2]] == pytest.approx(expected, rel=1e-9)
    assert u[coordinates_of(s, "t")[4]] == pytest.approx(-F * a**2 / (2 * EI), rel=1e-9)
    assert u[coordinates_of(s, "t")[3]] == pytest.approx(F * (b**2 / (2 * EI) + a * b / GJ), rel=1e-9)


@pytest.mark.parametrize("up, stiff", [((0, 0, 1), BAR.inertia_y), ((0, 1, 0), BAR.inertia_z)])
def test_up_tells_which_way_a_section_stands(up, stiff):
    member = Member(begin="a", end="b", section=BAR, material=STEEL, elements=2, up=up)
    s = frame("bar", joints={"a": (0, 0, 0), "b": (1, 0, 0)}, members=(member,))
    force = np.zeros(s.stiffness.shape[0])
    force[coordinates_of(s, "b")[2]] = 1.0
    u = full_deflection(s, force, coordinates_of(s, "a"))
    assert u[coordinates_of(s, "b")[2]] == pytest.approx(1 / (3 * STEEL.young * stiff), rel=1e-9)


@pytest.mark.parametrize("elements", [2, 3, 4, 5, 9])
def test_lumping_integrates_cubics_exactly(elements):
    w, x = lumped_mass_weights(elements), np.arange(elements + 1.0)
    for power in range(4):
        assert w @ x**power == pytest.approx(elements ** (power + 1) / (power + 1), rel=1e-13)
    assert w.min() > 0


@pytest.mark.parametrize("elements", [2, 5])
def test_masses_at_nodes_keep_mass_centre_and_inertia(elements):
    """Against the consistent mass, whose rigid motions are exact, and against a rod by hand."""
    s = arm(elements, TURN, (3.0, -1.0, 2.0))
    R = s.rigid_motions(s.centre)
    whole = R.T @ (s.consistent_mass @ R)
    assert whole[:3, :3] == pytest.approx(s.mass * np.eye(3), rel=1e-12, abs=1e-12)
    assert np.abs(whole[:3, 3:]).max() < 1e-12 * s.mass
    assert s.inertia == pytest.approx(whole[3:, 3:], rel=1e-11, abs=1e-12)
    rod = beam(elements, BAR)
    m = STEEL.density * BAR.area * LENGTH
    own = STEEL.density * LENGTH * np.array([BAR.inertia_y + BAR.inertia_z, BAR.inertia_y, BAR.inertia_z])
    expected = own + np.array([0, m * LENGTH**2 / 12, m * LENGTH**2 / 12])
    assert np.diag(rod.inertia) == pytest.approx(expected, rel=1e-12)


def test_nothing_depends_on_the_axes():
    """A frame turned and shifted as a whole: the same frequencies, shapes turned with it."""
    here, there = arm(), arm(turn=TURN, shift=(5.0, 0.0, -2.0))
    first, second = (reduce_structure(s, interfaces=("knee", "head"), modes=5) for s in (here, there))
    f, g = ([m.frequency for m in r.modes] for r in (first, second))
    assert f == pytest.approx(g, rel=1e-6)
    for k in range(5):
        turned = first.displacements[:, :, k] @ TURN.T
        sign = np.sign(np.sum(turned * second.displacements[:, :, k]))
        assert sign * second.displacements[:, :, k] == pytest.approx(turned, abs=1e-6)


def test_torsion_of_rectangles():
    """J_t = 0.140577 a⁴ of a square; a b³ / 3 of a thin strip less its ends, 0.63 b⁴ / 3."""
    assert Section.rectangle(width=2.0, height=2.0).torsion == pytest.approx(0.1405770 * 16, rel=1e-6)
    strip = Section.rectangle(width=100.0, height=1.0).torsion
    assert strip == pytest.approx((100 - 0.630249) / 3, rel=1e-7)


def test_full_frame_against_consistent_mass():
    """Two mass matrices, one body: the first twelve frequencies agree to 0.1 % with 16 elements a member."""
    s = arm(16)
    K = s.stiffness.toarray()
    lumped, consistent = (frequencies(K, M.toarray(), 12, skip=6) for M in (s.mass_matrix(), s.consistent_mass))
    assert lumped == pytest.approx(consistent, rel=1e-3)


def one(**changes):
    values = {"begin": "a", "end": "b", "section": BAR, "material": STEEL} | changes
    return (Member(**values),)


JOINTS = {"a": (0, 0, 0), "b": (0, 0, 1)}


@pytest.mark.parametrize("make, words", [
    (lambda: frame("f", joints=JOINTS, members=one()), "is parallel to its up direction"),
    (lambda: frame("f", joints=JOINTS, members=one(end="c")), "no joint 'c'; known: a, b"),
    (lambda: frame("f", joints=JOINTS | {"b": (0, 0, 0)}, members=one()), "has no length"),
    (lambda: frame("f", joints=JOINTS, members=()), "no members"),
    (lambda: frame("f", joints=JOINTS | {"c": (1, 1, 1)}, members=one(up=(1, 0, 0))), "no member is connected to c"),
    (
        lambda: frame("f", joints=JOINTS, members=one(up=(1, 0, 0)), lumps=(JointMass(at="x", mass=1.0),)),
        "JointMass at 'x'",
    ),
    (lambda: one(elements=1), "at least two elements"),
    (lambda: JointMass(at="a", mass=-1.0), "mass must be finite and ≥ 0"),
    (lambda: JointMass(at="a", inertia=(1.0,)), "3 or 6 numbers"),
    (lambda: Section.tube(diameter=0.1, thickness=0.06), "wall"),
    (lambda: Section.rectangle(width=0.1, height=-0.1), "sides must be > 0"),
])  # fmt: skip
def test_what_cannot_be_a_frame(make, words):
    with pytest.raises(ModelError, match=words):
        make()


def test_a_round_member_needs_no_up():
    s = frame("mast", joints=JOINTS, members=one(section=TUBE))
    assert s.inertia[2, 2] < s.inertia[0, 0]
