"""The line as a participant."""

import numpy as np
import pytest
import scipy.sparse.linalg

from panhead.errors import ModelError, SimulationError
from panhead.runs.coupled.line_side import LineSide, newmark_scheme, preloaded_shape
from panhead.runs.coupled.line_terms import LineTerms
from panhead.runs.description import ContactLaw
from panhead.runs.linear.kernel_arrays import scheme
from panhead.runs.linear.step.step_arrays import A, U, V
from tests.runs.coupled.builders import LANKARANI, SPEED, line, way

LAW = ContactLaw(stiffness=5e4)
STEP = 1e-3


def side(**changes):
    return LineSide(line(), way(40.0), **{"law": LAW} | changes)


def state(found):
    """u, v, a of the line, (3, nl)."""
    q = found.state.q.reshape(4, found.linear.ns, -1)[:, :, : found.linear.b]
    return q[[U, V, A]].reshape(3, -1)


def test_a_step_is_newmark_s_predictor_and_corrector():
    """Eqs (20)–(23) of the paper in full matrices, under the force the line has found."""
    b, g, h = 0.3025, 0.6, STEP
    found, terms = side(scheme=newmark_scheme(h, b, g)), LineTerms(line())
    u, v, a = np.zeros((3, terms.size))
    B = terms.B
    K, C = terms.K + B.T @ (terms.k[:, None] * B), terms.C + B.T @ (terms.c[:, None] * B)
    solve = scipy.sparse.linalg.splu((terms.M + g * h * C + b * h * h * K).tocsc()).solve
    for k in range(1, 6):
        strip = np.array([found.contact[0, 3] + 2e-3, 0.1])
        force = found.advance(h, strip, strip)[0]
        n = terms.weights(found.linear.paths[0], 40.0 + SPEED * k * h)[0]
        d, w = u + h * v + 0.5 * h * h * (1 - 2 * b) * a, v + h * (1 - g) * a
        a = solve(n * force - C @ w - K @ d)
        u, v = d + b * h * h * a, w + g * h * a
        assert force > 20.0
        for mine, theirs in zip((u, v, a), state(found), strict=True):
            assert theirs == pytest.approx(mine, rel=1e-9, abs=1e-9 * np.abs(mine).max())


def test_trapezoidal_newmark_is_generalized_alpha_with_radius_one():
    ends = []
    for method in (newmark_scheme(STEP), scheme(STEP, 1.0)):
        found = side(scheme=method)
        for k in range(40):
            strip = np.array([5.06 + 2e-3 + 1e-5 * k, 0.01])
            out = found.advance(STEP, strip, strip)
        ends.append(out[0])
    assert ends[0] == pytest.approx(ends[1], rel=1e-9)  # round-off of accelerations times 1/h²


def test_the_force_obeys_the_law_at_the_end_of_a_step():
    found, law = side(), LAW
    strip = np.array([5.0630, 0.0])
    force = found.advance(STEP, strip, strip)[0]
    wire, depth = found.contact[0, 3:]
    assert depth == pytest.approx(strip[0] - wire, abs=1e-12)
    assert force == pytest.approx(law.stiffness * depth, rel=1e-9)


@pytest.mark.parametrize("law", [LAW, LANKARANI])
def test_recalled_it_does_the_same_again_to_the_last_bit(law):
    found = side(law=law, preload=(120.0,), scheme=scheme(STEP, 0.8))
    strip = np.array([found.contact[0, 3] + 3e-3, 0.02])
    found.observe(strip)
    for _ in range(10):
        found.advance(STEP, strip, strip)
    kept = found.copy_state()
    ends = []
    for _ in range(2):
        for _ in range(10):
            out = found.advance(STEP, strip, strip + 1e-3)
        ends.append((out, state(found).copy(), found.time))
        found.restore_copy(kept)
    assert (ends[0][0] == ends[1][0]).all()
    assert (ends[0][1] == ends[1][1]).all()
    assert ends[0][2] == ends[1][2]


def test_many_steps_at_once_are_the_same_steps_one_by_one():
    together, apart = side(), side()
    u0, u1 = np.array([5.062, 0.0]), np.array([5.066, 0.1])
    out = together.advance(8 * STEP, u0, u1)
    for k in range(8):
        ends = [u0 + (u1 - u0) * j / 8 for j in (k, k + 1)]
        single = apart.advance(STEP, *ends)
    assert out == pytest.approx(single, rel=1e-9)


def test_a_line_that_stands_under_a_force_stays_there():
    """No speed, the strip held where the static force keeps it: nothing moves, the force stays."""
    found = LineSide(line(), way(45.0, speed=0.0), law=LAW, preload=(150.0,))
    u = preloaded_shape(line(), np.array([45.0]), (150.0,))
    strip = np.array([found.contact[0, 3] + 150.0 / LAW.stiffness, 0.0])
    assert found.observe(strip)[0] == pytest.approx(150.0, rel=1e-9)
    for _ in range(50):
        force = found.advance(STEP, strip, strip)[0]
    assert force == pytest.approx(150.0, abs=1e-6)  # k times the round-off of heights of metres
    assert state(found)[0] == pytest.approx(u, abs=1e-12)


def test_the_contact_point_follows_the_stagger():
    stagger = line("stitched-25kv")
    found = LineSide(stagger, way(40.0), law=LAW)
    away = np.array([4.0, 0.0])
    path, t = stagger.paths[0], 0.0
    for _ in range(30):
        _, y, y_dot = found.advance(STEP, away, away)
        t += STEP
        x = 40.0 + SPEED * t
        assert y == pytest.approx(np.interp(x, stagger.x, path.y0), abs=2e-3)  # it sags between
    before = y
    y = found.advance(STEP, away, away)[1]
    assert (y - before) / STEP == pytest.approx(y_dot, rel=2e-2)
    assert abs(y_dot) > 0.1


def test_two_strips_one_behind_the_other():
    found = LineSide(line(), way(40.0), (0.0, 0.5), law=LAW)
    assert [p.name for p in found.inputs] == ["height_1", "rate_1", "height_2", "rate_2"]
    level = np.array([5.062, 0.0, 5.062, 0.0])
    force = found.advance(STEP, level, level)[[0, 3]]
    assert (force > 10.0).all()
    lone = side()
    assert force[0] < lone.advance(STEP, level[:2], level[:2])[0]  # the other lifts the wire


def test_what_cannot_be_is_said_in_words():
    found, strip = side(), np.array([5.0, 0.0])
    with pytest.raises(ModelError, match="whole number"):
        found.advance(1.5e-3, strip, strip)
    with pytest.raises(SimulationError, match="outside the modelled line"):
        found.advance(2.0, strip, strip)
    with pytest.raises(SimulationError, match="outside the modelled line"):
        LineSide(line(), way(-3.0), law=LAW)
    with pytest.raises(ModelError, match="behind"):
        LineSide(line(), way(40.0), (), law=LAW)
