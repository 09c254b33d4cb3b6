"""Relations that hold without knowing the answer: a line and its mirror image, scaled, shifted, in other words.

Runs are short, under few spans; a relation that is exact in arithmetic is asked for to rounding, one that rests on a
wave not having arrived yet to what runs ahead of it.
"""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from line.builders import POSITIONS, ZIGZAG, plain_line, with_tension_length

from panhead.assess.judge import judge, judgement
from panhead.jobs import Job
from panhead.line import Dropper, DropperKind, Span, elasticity, string
from panhead.pantograph.reading import read_pantograph
from panhead.runs.description import Journey, Numerics, OnTrain, Run
from panhead.runs.resolve import resolve
from panhead.runs.simulate import simulate_one
from panhead.runs.solvers.linear.drive import drive
from panhead.runs.streams import Streams

SPEED = 60.0  # m/s
PANTOGRAPH = read_pantograph("en50318-2002")
ALONE = (OnTrain(pantograph=PANTOGRAPH),)
few = settings(max_examples=2, deadline=None, derandomize=True, database=None)


def a_run(line, *, way=50.0, start=70.0, train=ALONE, step=2e-3, element=2.0, **changes):
    """A short way under a line, judged on its later half."""
    journey = Journey(
        start=start, stop=start + way, judged_from=start + 0.6 * way, judged_to=start + 0.9 * way, ramp=0.2, run_in=0.0
    )
    numerics = Numerics(step=step, element_length=element)
    return Run(line=line, train=train, speed=SPEED, journey=journey, numerics=numerics, **changes)


def force(run):
    """Contact force of the first pantograph over the whole way [N]."""
    found = simulate_one(run)["contact_force"].to_numpy()[0]
    assert found.max() > 50.0  # something is there to be compared
    return found


@few
@given(st.floats(0.05, 0.3))
def test_the_mirror_image(stagger):
    """y → −y: nothing that goes up and down changes."""
    line = plain_line(spans=3, support=replace(ZIGZAG, stagger=stagger))
    other = replace(line, support=replace(line.support, stagger=-stagger))
    np.testing.assert_allclose(force(a_run(other, lateral=True)), force(a_run(line, lateral=True)), rtol=1e-9)


def test_shifted_by_one_span():
    """Far from both ends every span is like the next; the ends are felt by what runs ahead of the waves, 1e-4."""
    line = plain_line(spans=9)
    here, there = force(a_run(line, start=190.0)), force(a_run(line, start=250.0))
    np.testing.assert_allclose(there, here, atol=1e-4 * here.max())


@few
@given(st.integers(60, 90).map(lambda n: n / 100))
def test_seen_from_the_other_end(share):
    """Spans and droppers in reverse order are the line seen from its other end: what a force lifts, and what droppers
    carry, is mirrored."""
    short = Span(length=60.0 * share, dropper_positions=tuple(share * x for x in POSITIONS[:4]))
    back = replace(short, dropper_positions=tuple(sorted(short.length - x for x in short.dropper_positions)))
    whole = Span(length=60.0, dropper_positions=POSITIONS)
    forward = string(with_tension_length(plain_line(), spans=(short, whole, whole)))
    backward = string(with_tension_length(plain_line(), spans=(whole, whole, back)))
    one, other = elasticity(forward, span=0), elasticity(backward, span=2)
    np.testing.assert_allclose(other.value[::-1], one.value, rtol=1e-8)
    there = forward.spans(forward.layout.pieces[0])[0]
    here = backward.spans(backward.layout.pieces[0])[2]
    np.testing.assert_allclose(here.tension[::-1], there.tension, rtol=1e-8)


def contact_rows(run, *, backwards=False):
    """Place and force of every step [m, N]; ``backwards``: from the journey's place seen from the line's other end."""
    resolved = resolve(run)
    if backwards:
        way, end = resolved.timetable, float(resolved.strung.layout.mast_x[-1])
        resolved = replace(resolved, timetable=replace(way, speeds=-way.speeds, start=end - way.start))
    streams = Streams(None)
    _, failure = drive(resolved, streams, Job())
    assert failure is None
    return streams.table("contact")[:, :2].T


@pytest.mark.parametrize("share", [1.0, 0.7], ids=["symmetric", "seen from its other end"])
def test_travel_reversed(share):
    """A journey backwards under a symmetric line, or under any line seen from its other end, has the same force.

    Waves, droppers that go slack and the speed along the wire's slope all change sides with it; sums run in another
    order, and 1e-8 of the force is what is left of that after 400 steps. The frame stands on no spring: that would be
    relaxed at the height of the support behind, which is another one for each.
    """
    foot = replace(PANTOGRAPH.stages[-1], stiffness=0.0)
    train = (OnTrain(pantograph=replace(PANTOGRAPH, stages=(*PANTOGRAPH.stages[:-1], foot))),)
    short = Span(length=60.0 * share, dropper_positions=tuple(share * x for x in POSITIONS[:7]))
    back = replace(short, dropper_positions=tuple(sorted(short.length - x for x in short.dropper_positions)))
    whole = Span(length=60.0, dropper_positions=POSITIONS)  # symmetric
    there = with_tension_length(plain_line(), spans=(whole, short, whole, whole))
    here = with_tension_length(plain_line(), spans=(whole, whole, back, whole))
    end = short.length + 3 * whole.length
    if share == 1.0:
        there = here = with_tension_length(plain_line(), spans=(whole,) * 4)
    place, force = contact_rows(a_run(there, way=48.0, start=62.0, train=train))
    mirrored, other = contact_rows(a_run(here, way=48.0, start=62.0, train=train), backwards=True)
    assert force.max() > 50.0
    np.testing.assert_allclose(end - mirrored, place, atol=1e-9)
    np.testing.assert_allclose(other, force, atol=1e-8 * force.max())


@few
@given(st.sampled_from([0.5, 2.0, 3.0]))
def test_masses_tensions_and_forces_scaled(c):
    """All masses, tensions, stiffnesses and forces times c: the same motion, c times the force."""
    line = plain_line(spans=3)
    wire = lambda w: replace(
        w, tension=c * w.tension, mass_per_length=c * w.mass_per_length, bending_stiffness=c * w.bending_stiffness
    )
    wires = replace(line.wires, contact=wire(line.wires.contact), messenger=wire(line.wires.messenger))
    other = replace(line, wires=wires, dropper=DropperKind(stiffness=c * line.dropper.stiffness))
    stages = tuple(
        replace(s, mass=c * s.mass, stiffness=c * s.stiffness, damping=c * s.damping) for s in PANTOGRAPH.stages
    )
    heavy = replace(
        PANTOGRAPH, stages=stages, static_force=c * PANTOGRAPH.static_force,
        contact_stiffness=c * PANTOGRAPH.contact_stiffness,
    )  # fmt: skip
    scaled = force(a_run(other, train=(OnTrain(pantograph=heavy),)))
    np.testing.assert_allclose(scaled, c * force(a_run(line)), rtol=1e-7, atol=1e-9)


def test_two_pantographs_far_apart():
    """The second one's waves need 120 m / (122 − 60) m/s = 2 s to reach the first: before that it is as if alone.

    The way is so long that the second passes a piece of the judged part.
    """
    line, pair = plain_line(spans=9), (OnTrain(pantograph=PANTOGRAPH), OnTrain(pantograph=PANTOGRAPH, behind=120.0))
    alone, first = (force(a_run(line, way=310.0, start=190.0, train=train))[:400] for train in (ALONE, pair))  # 0.8 s
    np.testing.assert_allclose(first, alone, atol=1e-4 * alone.max())


def test_a_dropper_of_no_stiffness_is_no_dropper():
    with_it = [Dropper(position=float(x)) for x in range(6, 60, 6)]  # so that stations do not depend on one of them
    with_it[4] = Dropper(position=30.0, length=0.5, kind=DropperKind(stiffness=1e-9))
    span = Span(length=60.0, count=3, droppers=tuple(with_it))
    without = replace(span, droppers=tuple(d for d in with_it if d.length is None))
    one, other = (with_tension_length(plain_line(), spans=(s,)) for s in (span, without))
    np.testing.assert_allclose(force(a_run(one)), force(a_run(other)), atol=1e-6)


def test_refined_further_the_result_stays_inside_the_error_bar():
    """Of order 2 the whole error is 4/3 of the difference to half the step and mesh; twice is allowed."""
    line = plain_line(spans=3)
    found = {h: judgement(judge(simulate_one(a_run(line, step=h, element=1e3 * h))))[""] for h in (2e-3, 1e-3, 5e-4)}
    values = {h: {c.key: c.value for c in next(iter(all_of.values()))} for h, all_of in found.items()}
    for key in ("mean_force", "deviation"):
        bar = abs(values[2e-3][key] - values[1e-3][key])
        assert abs(values[5e-4][key] - values[2e-3][key]) <= 2.0 * bar + 1e-3


def test_a_run_in_two_pieces(tmp_path):
    """Stopped and continued it gives the same numbers, bit for bit."""
    line = plain_line(spans=5)
    run = a_run(line, way=150.0)
    whole = simulate_one(run)["contact_force"].to_numpy()

    class Stop(Exception):
        pass

    def stop(fraction, message=""):
        if 0.5 < fraction < 0.9:
            raise Stop

    with pytest.raises(Stop):
        simulate_one(run, Job(out=tmp_path, progress=stop))
    again = simulate_one(run, Job(out=tmp_path, resume=True))["contact_force"].to_numpy()
    np.testing.assert_array_equal(again, whole)
