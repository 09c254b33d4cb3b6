"""The CX pantograph with a flexible top arm or head: statics by closed forms, the rigid limit, power, rest."""

from dataclasses import replace

import numpy as np
import pytest

from panhead.engine.methods.integrators import GeneralizedAlpha
from panhead.engine.methods.rank import rank_report
from panhead.engine.methods.simulate import simulate
from panhead.railway.pantograph.linkage_pantograph import LinkagePantograph
from panhead.railway.pantograph.pantograph_statics import equilibrium_at_height
from tests.railway.pantograph.test_cx_s4_strip import accounted, shaken

pytestmark = pytest.mark.slow  # a floating body of 9 or 14 shapes takes seconds to compile
HEIGHT, FORCE = 1.51, 157.0


@pytest.fixture(scope="module")
def head():
    return LinkagePantograph(flexible="head", drag=True)


@pytest.fixture(scope="module")
def arm():
    return LinkagePantograph(flexible="top arm")


@pytest.fixture(scope="module")
def rigid_moment():
    return equilibrium_at_height(LinkagePantograph(), height=HEIGHT, force=FORCE).moment


@pytest.mark.parametrize("y", [-0.6, -0.34, -0.05, 0.21, 0.43])
def test_power_on_a_flexible_head_is_force_times_rate(head, y):
    system = head.model().system()
    strip, (q, v) = head.parts().strips()[0].on(system), shaken(system, 5)
    u = np.zeros(len(system.controls))
    strip.push(u, y, -150.0, drag=-20.0)
    touch = strip.touch(0.0, q, v, y)
    power = -150.0 * touch.rate - 20.0 * touch.x_rate
    assert accounted(system, q, v, u) == pytest.approx(power, rel=1e-10)


def test_a_flexible_head_sags_like_a_beam_on_two_supports(head):
    """Between springs at ±l a force in the middle bends it by F (2l)³ / 48 E I more than its weight does."""
    shape = head.tables.strip_beam
    sag = []
    for force in (0.0, FORCE):
        stand = equilibrium_at_height(head, height=HEIGHT, force=force)
        strip = head.parts().strips()[0].on(stand.system)
        at = lambda y, s=strip, x=stand.state: s.touch(0.0, x.q, x.v, y).height
        sag.append((at(0.34) + at(-0.34)) / 2 - at(0.0))
    expected = FORCE * 0.68**3 / (48 * shape.young * shape.inertia_up)
    # the head hangs on springs that lean by 2.6°, and its shapes are few
    assert sag[1] - sag[0] == pytest.approx(expected, rel=5e-3)


@pytest.mark.parametrize("member", ["top_arm", "strip_beam"])
def test_a_member_made_very_stiff_is_rigid(member, rigid_moment):
    cx = LinkagePantograph(flexible="top arm" if member == "top_arm" else "head")
    shape = getattr(cx.tables, member)
    stiff = replace(cx.tables, **{member: replace(shape, young=1e4 * shape.young)})
    found = equilibrium_at_height(replace(cx, linkage=stiff), height=HEIGHT, force=FORCE)
    # the arm's centre lies 3 mm from the table's, and its mass is 0.03 kg cent off: 1e-4 of the moment
    assert found.moment == pytest.approx(rigid_moment, rel=1e-3)


def test_lower_arm_and_links_made_very_stiff_are_rigid(rigid_moment):
    cx = LinkagePantograph(flexible="lower arm and links")
    tubes = tuple(replace(tube, young=1e4 * tube.young) for tube in cx.tables.tubes)
    found = equilibrium_at_height(replace(cx, linkage=replace(cx.tables, tubes=tubes)), height=HEIGHT, force=FORCE)
    # the lower link's tube is centred between its ends, 35 mm from the table's centre: 1 N m of some 400
    assert found.moment == pytest.approx(rigid_moment, rel=5e-3)


@pytest.mark.parametrize("member", ["top arm", "head", "lower arm and links"])
def test_nothing_is_redundant_and_it_rides_along_undisturbed(member):
    cx = LinkagePantograph(flexible=member)
    stand = equilibrium_at_height(cx, height=HEIGHT, force=FORCE)
    assert rank_report(stand.system, stand.state.q).redundant == ()
    motion = simulate(
        stand.system, stand.state, duration=0.02, dt=1e-3, method=GeneralizedAlpha(), controls=lambda t: stand.u
    )
    strip = cx.parts().strips()[0].on(stand.system)
    assert strip.touch(motion.t[-1], motion.q[-1], motion.v[-1], 0.0).height == pytest.approx(HEIGHT, abs=1e-8)


def test_four_virtual_bodies_hold_the_arm(arm):
    member = arm.parts().bending["top arm"]
    assert member is not None
    assert set(member.virtual) == {"rear", "knee", "left", "right"}
    masses = [row for v in member.virtual.values() for row in v.rows((0.0, 0.0, -9.81))]
    assert all(not row.numbers for row in masses)
