"""The small system of a step, solved both ways: every slot obeys its law, written here by hand."""

import numpy as np
import pytest

from panhead.engine.jit.compiler import whole
from panhead.runs.linear.step import unilateral
from panhead.runs.linear.step.step_arrays import SLOT
from panhead.runs.linear.step.unilateral import BOWED, CLOSED, CONTACT, DROPPER, FRICTION, LANKARANI, STOP

KINDS = (CONTACT, LANKARANI, STOP, FRICTION, DROPPER)


@whole
def solved(m, slot, S, R, A, r):
    """All slots at once, and where that fails one after the other."""
    return unilateral.solve_slots(m, slot, S, R, A, r)


@whole
def swept(m, slot, S, R):
    """One after the other, again and again."""
    for _ in range(5000):
        if unilateral._gauss_seidel_sweep(m, slot, S, R) < 1e-14:
            unilateral.respond(m, slot, S, R)
            return True
    return False


def drawn(seed, kinds):
    """Slots of these kinds that feel one another, as in a step: S symmetric and positive, R = C_u S."""
    rng, m = np.random.default_rng(seed), len(kinds)
    B = rng.normal(size=(m, m))
    slot = np.zeros(m, SLOT)
    slot["kind"], slot["on"], slot["mode"] = kinds, 1, CLOSED
    slot["k"], slot["c"] = rng.uniform(2e4, 1e5, m), rng.uniform(0.0, 30.0, m)
    slot["N0"] = rng.uniform(-60.0, 120.0, m)
    slot["power"], slot["chi"], slot["impact"] = 1.3, 0.4, 0.2
    slot["g_free"], slot["g_dot_free"] = rng.uniform(-1e-3, 4e-3, m), rng.uniform(-0.4, 0.4, m)
    rubbing = slot["kind"] == FRICTION
    slot["k"][rubbing], slot["c"][rubbing] = 25.0, 0.03
    dropper = slot["kind"] == DROPPER
    slot["c"][dropper] = 0.0  # no jump, which has a test of its own
    loose = 2e-6 * (B @ B.T + m * np.eye(m))
    S = np.linalg.inv(np.linalg.inv(loose) + np.diag(np.where(dropper, slot["k"], 0.0)))  # droppers held taut
    return slot, S, 200.0 * S


def by_law(s, g, g_dot):
    """Force of a slot's law at a gap and its rate."""
    push = max(0.0, s["k"] * g + s["c"] * g_dot) if g > 0.0 else 0.0
    if s["kind"] == FRICTION:
        return s["k"] * np.tanh(g_dot / s["c"])
    if s["kind"] == LANKARANI:
        return s["k"] * max(g, 0.0) ** s["power"] * max(0.0, 1.0 + s["chi"] * g_dot / s["impact"])
    if s["kind"] == DROPPER:
        return max(0.0, s["N0"] + s["k"] * g) - max(s["N0"], 0.0) - s["k"] * g
    return push


def assert_laws_hold(slot, S, R):
    """λ of every slot is its law's at g = g_free − S λ, ġ = ġ_free − R λ; where a damper jumps, g = 0 instead."""
    g, g_dot = slot["g_free"] - S @ slot["lam"], slot["g_dot_free"] - R @ slot["lam"]
    np.testing.assert_allclose(slot["g"], g, rtol=0, atol=1e-16)
    np.testing.assert_allclose(slot["g_dot"], g_dot, rtol=0, atol=1e-13)
    for s, gap, rate in zip(slot, g, g_dot, strict=True):
        if s["mode"] == unilateral.EDGE:
            assert abs(gap) < 1e-15
            assert 0.0 < s["lam"] < s["c"] * rate
        else:
            assert s["lam"] == pytest.approx(by_law(s, gap, rate), abs=1e-9)  # round-off of k g
    return g


@pytest.mark.parametrize("seed", range(40))
def test_every_slot_obeys_its_law(seed):
    kinds = np.random.default_rng(seed).permutation([*KINDS, *KINDS])[:6]
    slot, S, R = drawn(seed, kinds)
    assert solved(len(slot), slot, S, R, np.zeros_like(S), np.zeros(len(slot)))
    assert_laws_hold(slot, S, R)


@pytest.mark.parametrize("seed", range(40))
def test_one_slot_after_the_other_comes_to_the_same_forces(seed):
    """Laws are monotone, so that there is one answer; sweeps begin at no force."""
    kinds = np.random.default_rng(seed).permutation([*KINDS, *KINDS])[:6]
    slot, S, R = drawn(seed, kinds)
    other = slot.copy()
    assert solved(len(slot), slot, S, R, np.zeros_like(S), np.zeros(len(slot)))
    assert swept(len(other), other, S, R)
    assert_laws_hold(other, S, R)
    np.testing.assert_allclose(other["lam"], slot["lam"], atol=1e-8)


def test_the_draws_have_every_mode_of_every_law():
    """Else the tests above would say nothing of it."""
    seen = set()
    for seed in range(40):
        kinds = np.random.default_rng(seed).permutation([*KINDS, *KINDS])[:6]
        slot, S, R = drawn(seed, kinds)
        solved(len(slot), slot, S, R, np.zeros_like(S), np.zeros(len(slot)))
        seen |= set(zip(slot["kind"].tolist(), slot["mode"].tolist(), strict=True))
    both = {(kind, mode) for kind in (CONTACT, LANKARANI, STOP, DROPPER) for mode in (unilateral.OPEN, CLOSED)}
    assert seen >= both | {(FRICTION, CLOSED)}


def test_a_damper_that_engages_with_speed_holds_its_gap():
    """With the force of its damper it would be apart, without it would touch: g = 0, S λ = g_free."""
    slot, S, R = drawn(0, [CONTACT])
    slot["k"], slot["c"], slot["g_free"], slot["g_dot_free"] = 5e4, 2e3, 1e-6, 0.3
    for way in (lambda s: solved(1, s, S, R, np.zeros_like(S), np.zeros(1)), lambda s: swept(1, s, S, R)):
        found = slot.copy()
        assert way(found)
        assert found["mode"][0] == unilateral.EDGE
        assert found["lam"][0] == pytest.approx(1e-6 / S[0, 0], rel=1e-9)
        assert_laws_hold(found, S, R)


def test_a_slot_that_is_off_has_no_force_and_no_gap():
    slot, S, R = drawn(3, [CONTACT, CONTACT, FRICTION])
    slot["on"][1], slot["mode"][1], slot["lam"][1] = 0, unilateral.OPEN, 0.0
    slot["g_free"][1], slot["g_dot_free"][1] = 0.0, 0.0
    slot["g"][1] = 7.0
    one = slot[[0, 2]].copy()
    keep = np.ix_([0, 2], [0, 2])
    assert solved(3, slot, S, R, np.zeros_like(S), np.zeros(3))
    assert solved(2, one, S[keep].copy(), R[keep].copy(), np.zeros((2, 2)), np.zeros(2))
    assert slot["lam"][1] == 0.0
    assert slot["g"][1] == 7.0
    np.testing.assert_allclose(slot["lam"][[0, 2]], one["lam"], rtol=1e-12)
    other = slot.copy()
    assert swept(3, other, S, R)
    assert other["lam"][1] == 0.0
    np.testing.assert_allclose(other["lam"], slot["lam"], atol=1e-9)


def test_bows_are_solved_one_after_the_other_as_well():
    """N = N₀ + k e + ½ k D (b² − b_r²) with b = B/(A + A₁ N): the correction λ is the last term."""
    slot, S, R = drawn(5, [BOWED, BOWED])
    slot["N0"], slot["k"] = 40.0, 5e4
    slot["bow_A"], slot["bow_A1"], slot["bow_B"] = 300.0, 2.0, (4.0, -3.0)
    slot["bow_rest"], slot["bow_pull"] = 0.002, 3.0
    S, R = 0.1 * S, 0.1 * R
    slot["g_free"] = (-1.5e-3, 0.5e-3)
    other = slot.copy()
    assert solved(2, slot, S, R, np.zeros_like(S), np.zeros(2))
    assert swept(2, other, S, R)
    np.testing.assert_allclose(other["lam"], slot["lam"], atol=1e-9)
    g = slot["g_free"] - S @ slot["lam"]
    N = slot["N0"] + slot["k"] * g + slot["lam"]
    b = slot["bow_B"] / (slot["bow_A"] + slot["bow_A1"] * N)
    wanted = 0.5 * slot["k"] * slot["bow_pull"] * (b**2 - slot["bow_rest"] ** 2)
    np.testing.assert_allclose(slot["lam"], wanted, atol=1e-9)


def test_where_the_modes_leave_no_single_answer_one_slot_after_the_other_finds_one():
    """Two contacts in one place that both hold their gap share the force as they like: that system is singular."""
    slot, _, _ = drawn(2, [CONTACT, CONTACT, FRICTION])
    S = 1e-5 * np.array([[2.0, 2.0, 0.5], [2.0, 2.0, 0.5], [0.5, 0.5, 1.0]])
    R = 200.0 * S
    slot["mode"][:2] = unilateral.EDGE
    slot["k"][:2], slot["c"][:2], slot["lam"] = 5e4, 0.0, (3.0, 40.0, -7.0)
    slot["g_free"], slot["g_dot_free"] = (2e-3, 2e-3, 0.0), (0.1, 0.1, 0.4)
    slot["g"], slot["g_dot"] = slot["g_free"], slot["g_dot_free"]
    assert solved(3, slot, S, R, np.zeros_like(S), np.zeros(3))
    assert_laws_hold(slot, S, R)
    assert slot["lam"][0] == pytest.approx(slot["lam"][1], rel=1e-9)  # equal springs
    assert slot["lam"][0] > 10.0
