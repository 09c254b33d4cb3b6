"""The CX pantograph of seven rigid bodies: it closes, its redundancy is named, it stands as virtual work says."""

from dataclasses import replace

import numpy as np
import pytest

from panhead.engine.methods.equilibrium import equilibrium
from panhead.engine.methods.integrators import GeneralizedAlpha
from panhead.engine.methods.modes import linearise, modes
from panhead.engine.methods.simulate import simulate
from panhead.errors import ModelError
from panhead.railway.pantograph.linkage import read_linkage
from panhead.railway.pantograph.linkage_closure import assembly
from panhead.railway.pantograph.linkage_pantograph import LinkagePantograph
from panhead.railway.pantograph.pantograph_protocol import TrainAxes
from panhead.railway.pantograph.pantograph_statics import equilibrium_at_height
from panhead.railway.pantograph.pantograph_statics import equilibrium_with_strip_at as stand_at
from panhead.validation.cx.by_hand import planar_force, planar_moment


@pytest.fixture(scope="module")
def cx():
    return LinkagePantograph()


@pytest.fixture(scope="module")
def stand(cx):
    return equilibrium_at_height(cx, height=1.51, force=157.0)


def test_every_printed_joint_is_nearly_closed_and_closes(cx):
    found = assembly(cx.model().system(), cx.tables)
    assert len(found.openings) == 9
    assert len(found.openings) > 1
    assert len(found.displacements) > 1
    assert all(x.before < 0.02 for x in found.openings)  # two printed decimals
    assert all(x.before > 1e-3 for x in found.openings if x.joint != "head guide")
    assert all(x.after < 1e-10 for x in found.openings)
    assert found.residual < 1e-10
    assert all(x.moved < 0.03 for x in found.displacements)
    assert "knee" in str(found)


@pytest.mark.parametrize(
    ("number", "printed"), [(1, (0.02, 0.0, 0.13)), (7, (0.0, 0.0, -1.05)), (8, (0.0, 0.0, -1.05))]
)
def test_the_misprints_leave_joints_far_open(cx, number, printed):
    """With a printed point instead of the corrected one a joint misses its partner by more than 10 cm."""
    side = "at_a" if number == 1 else "at_b"
    joints = tuple(replace(row, **{side: printed}) if row.number == number else row for row in cx.tables.joints)
    row = joints[number - 1]
    bodies = {body.name: body for body in cx.tables.bodies}
    place = lambda body, point: np.array(bodies[body].position) + _turned(bodies[body], point)
    assert np.linalg.norm(place(row.a, row.at_a) - place(row.b, row.at_b)) > 0.1


def _turned(body, point):
    from panhead.engine.rotations import matrix_of

    return np.array(matrix_of(body.attitude)) @ np.array(point)


def test_redundancy_is_named():
    linkage = read_linkage("cx")
    printed = assembly(LinkagePantograph(printed_joints=True).model().system(), linkage).rank
    assert len(printed.redundant) == 3
    assert all("fork end" in sentence for sentence in printed.redundant)
    # arms, head up and down, head rolling, and the idle spins of both links
    assert printed.freedoms == 5
    assert sum("link.e1" in sentence for sentence in printed.free) == 2


@pytest.mark.parametrize(("turns", "freedoms"), [("roll", 3), ("pitch", 3), ("roll and pitch", 4)])
def test_determinate_joints_repeat_nothing(turns, freedoms):
    found = assembly(LinkagePantograph(head_turns=turns).model().system(), read_linkage("cx")).rank
    assert found.redundant == ()
    assert found.freedoms == freedoms


@pytest.mark.parametrize("height", [1.40, 1.51])
@pytest.mark.parametrize("force", [0.0, 157.0])
def test_moment_is_that_of_virtual_work(cx, height, force):
    """An independent planar computation; difference quotients there are good to 1e-9."""
    found = equilibrium_at_height(cx, height=height, force=force)
    assert found.moment == pytest.approx(planar_moment(cx.tables, height, force), rel=1e-7)


@pytest.mark.parametrize("member", ["none", "top arm", "head"])
def test_the_printed_data_press_with_180_newtons(cx, member):
    """Spring 1, free length 9.06 m, balances the arms; statics by hand for the rigid one, bending takes 2.3 N."""
    found = stand_at(LinkagePantograph(flexible=member), TrainAxes(0.0), (0.55, 0.0, 1.51))
    assert found.moment == cx.tables.moment == 440.0
    assert found.force == pytest.approx(planar_force(cx.tables, 1.51, 440.0), abs=1e-5 if member == "none" else 3.0)
    head, arm = (found.state.q[found.system.place(f"{body}.z")] for body in ("head", "stabilisation arm"))
    assert head > arm  # it stands on its springs: from open joints it may be found hanging under them


def test_arms_too_heavy_for_their_moment_are_told():
    with pytest.raises(ModelError, match="it is not raised; increase its moment of -100"):
        stand_at(LinkagePantograph(moment=-100.0), TrainAxes(0.0), (0.55, 0.0, 1.51))


@pytest.mark.parametrize("height", [1.2, 2.0])
def test_it_stands_at_the_height_asked_for(cx, height):
    found = equilibrium_at_height(cx, height=height, force=120.0, base=(3.0, 0.0, 4.2))
    strip = cx.parts().strips()[0].on(found.system)
    touch = strip.touch(0.0, found.state.q, found.state.v, 0.0)
    assert touch.height == pytest.approx(4.2 + height, abs=1e-12)
    f = found.system.force(0.0, found.state.q, found.state.v, found.u)
    left = f - found.system.constraint_q(0.0, found.state.q).T @ found.lam
    assert np.abs(left).max() < 1e-6  # of reactions of 3 kN, in Newtons


def test_it_rides_along_undisturbed(cx):
    """Equilibrium is equilibrium at any speed: nothing moves relative to the train."""
    found = equilibrium_at_height(cx, height=1.51, force=157.0)
    motion = simulate(
        found.system, found.state, duration=0.05, dt=1e-3, method=GeneralizedAlpha(), controls=lambda t: found.u
    )
    strip = found.strips[0].on(found.system)
    touch = strip.touch(motion.t[-1], motion.q[-1], motion.v[-1], 0.0)
    assert touch.height == pytest.approx(1.51, abs=1e-8)
    assert touch.x_rate == pytest.approx(0.0, abs=1e-6)


def test_the_head_rolls_on_its_two_springs(stand):
    """ω² = 2 k l² / J_x: the springs at ±l carry the roll alone; their slant adds less than a per mille."""
    found = modes(linearise(stand.system, stand.state.q, stand.lam, u=stand.u))
    alone = np.sqrt(2 * 3600 * 0.34**2 / 1.59) / (2 * np.pi)
    assert np.abs(found.frequency / alone - 1).min() < 1e-3


def test_a_couple_on_the_strip_rolls_the_head(cx, stand):
    """Forces ±F at ±y turn it by 2 F y / 2 k l²; with springs leaning by 2.6° to a per cent."""
    strip, u = cx.parts().strips()[0].on(stand.system), stand.u.copy()
    strip.push(u, 0.25, 5.0)
    strip.push(u, -0.25, -5.0)
    q, _ = equilibrium(stand.system, stand.state.q, u=u)
    slope = strip.touch(0.0, q, 0 * q, 0.0).slope
    assert slope == pytest.approx(2 * 5.0 * 0.25 / (2 * 3600 * 0.34**2), rel=0.01)


def test_the_pitching_head_as_printed_does_not_roll():
    found = equilibrium_at_height(LinkagePantograph(head_turns="pitch"), height=1.51, force=157.0)
    u = found.u.copy()
    strip = LinkagePantograph(head_turns="pitch").parts().strips()[0].on(found.system)
    strip.push(u, 0.2, -50.0)
    motion = simulate(
        found.system, found.state, duration=0.05, dt=1e-3, method=GeneralizedAlpha(), controls=lambda t: u
    )
    assert abs(motion.q[-1][found.system.place("head.e1")]) < 1e-9


def test_two_strips_of_a_free_head_start_level():
    cx = LinkagePantograph(strips=2, head_turns="roll and pitch")
    found = equilibrium_at_height(cx, height=1.51, force=157.0)
    heights = [
        strip.on(found.system).touch(0.0, found.state.q, found.state.v, y).height
        for strip in cx.parts().strips()
        for y in (-0.3, 0.3)
    ]
    assert heights[:2] == pytest.approx(heights[2:], abs=1e-9)
    # the guide at one side holds the springs' lean of 2.6°: a roll of N sin² 2.6° · 0.34 m / 832 N·m
    assert heights == pytest.approx([1.51] * 4, abs=2e-4)


def test_a_height_out_of_reach_is_told(cx):
    with pytest.raises(ModelError, match="above the base"):
        equilibrium_at_height(cx, height=4.0, force=100.0)
