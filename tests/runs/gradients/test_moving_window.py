"""Gradients of runs in a moving window: superelements, fading, moves, checkpoints of two levels."""

from dataclasses import replace

import numpy as np
import pytest

from panhead.files import parse
from panhead.railway.line.line_matrices import linear_line
from panhead.railway.line.superelement_cotangents import NarrowBandAdjoint, SuperelementCotangents, WideBandAdjoint
from panhead.railway.line.superelements import narrow_band, superelement
from panhead.runs.gradients.gradient import gradient, gradient_of, tape_for_gradient
from panhead.runs.linear import tape_checkpoints
from panhead.runs.resolve import resolve
from panhead.runs.simulate import simulate
from panhead.validation.line_gradient.differences import with_changes
from panhead.validation.line_gradient.rough import base
from panhead.validation.line_gradient.windows import moving_case, moving_window

pytestmark = pytest.mark.filterwarnings("ignore::panhead.errors.RunWarning")
ASKED = (
    "dropper.length",
    "wire.tension",
    "support.height",
    "dropper.position",
    "pantograph.mass",
    "speed",
    "train.start",
)


@pytest.fixture(scope="module")
def moving():
    """The run of the validation case, and what was recorded of it."""
    plain = moving_case().plain
    return plain, tape_for_gradient(with_changes(plain, {}))


def test_a_window_over_the_whole_line_has_the_gradient_of_the_whole_line():
    """Nothing fades where the line itself ends: the two are one map, to rounding."""
    plain = parse.merge(base(), {"numerics": {"element_length": 3.0, "coarse": True}})
    whole, (window) = (
        gradient(with_changes(plain, {"numerics": more}), wrt=ASKED)
        for more in ({}, {"window": "moving", "ahead": 9, "behind": 9, "absorbing": 2, "near": 9})
    )
    for name in ASKED:
        scale = float(np.nanmax(np.abs(whole[name])))
        np.testing.assert_allclose(window[name], whole[name], rtol=0.0, atol=1e-7 * scale)


def test_a_tape_is_the_run(moving):
    """The window moves at the same steps: moved at every stretch of the tape instead, forces were 0.4 N apart."""
    plain, tape = moving
    assert len({mark.spans for mark in tape.states}) > 3
    force = simulate(with_changes(plain, {}))["contact_force"].to_numpy()[0]
    assert force == pytest.approx(tape.force[:, 0], abs=1e-8)


@pytest.mark.slow
def test_superelements_and_moves_against_plain_runs():
    """As validated: a tension is in every span, in its matrices, its modes, and in what a move makes of it."""
    assert {row.quantity: row.value for row in moving_window() if row.ok is False} == {}


def test_checkpoints_within_checkpoints_change_nothing(moving, monkeypatch):
    """Every stretch computed once more, from states kept at its beginning: the same states, so the same gradient."""
    plain, tape = moving
    once = gradient_of(tape, wrt="dropper.length")["dropper.length"]
    monkeypatch.setattr(tape_checkpoints, "_BUDGET", 0.0)
    again = tape_for_gradient(with_changes(plain, {}))
    assert again.stride > 1
    assert len(again.states) < len(again.marks) // 2
    twice = gradient_of(again, wrt="dropper.length")["dropper.length"]
    np.testing.assert_allclose(twice, once, rtol=0.0, atol=1e-6 * float(abs(once).max()))


@pytest.mark.parametrize("band", [30.0, 15.0])
def test_a_superelement_taken_back(band):
    """Random weights on all that a far span becomes, against central differences of random changes of its matrices."""
    model = resolve(with_changes(base(), {}))
    source = linear_line(model.strung, element_length=5.0).source
    whole, rng = source.blocks(model.strung.layout.pieces[0], 1), np.random.default_rng(1)
    of_span = lambda w: superelement(w, 30.0, bilateral=False)
    make = of_span if band == 30.0 else lambda w: narrow_band(of_span(w), band)
    span, on, b = make(whole), whole.active, whole.active.shape[1]
    bars = SuperelementCotangents.of(span, 1).lane(0)
    names = ("follows", "modes", "momentum", "stiffness", "mass", "drag")
    for name in names:
        given = getattr(span, name)
        getattr(bars, name)[...] = rng.standard_normal(given.shape) / np.abs(given).max()
    change = [rng.standard_normal(a.shape) * 1e-3 * np.abs(a).max() for a in whole.matrices]
    for k, x in enumerate(change):
        both = on[:, :, None] & on[:, None, :] if k % 2 == 0 else on[:-1, :, None] & on[1:, None, :]
        x[...] = (x + x.transpose(0, 2, 1) if k % 2 == 0 else x) * both

    def value(h):
        made = make(replace(whole, matrices=tuple(a + h * d for a, d in zip(whole.matrices, change, strict=True))))
        sign = np.sign((made.modes * span.modes).sum(axis=0))
        turned = {"modes": made.modes * sign} | {
            n: getattr(made, n) * sign[:, None] for n in ("momentum", "mass", "drag")
        }
        return sum(float((getattr(bars, n) * turned.get(n, getattr(made, n))).sum()) for n in names)

    own = bars if band == 30.0 else NarrowBandAdjoint(of_span(whole), span).back(bars)
    exact, here = 0.0, np.arange(len(on))
    for m, bar in enumerate(WideBandAdjoint(of_span(whole), bilateral=False).back(own)):
        full = bar.reshape(len(on), b, len(on), b)
        exact += float((full[here, :, here] * change[2 * m]).sum())
        off = full[here[:-1], :, here[1:]] + full[here[1:], :, here[:-1]].transpose(0, 2, 1)
        exact += float((off * change[2 * m + 1]).sum())
    wide, close = ((value(h) - value(-h)) / (2.0 * h) for h in (2e-2, 1e-2))
    assert exact == pytest.approx((4.0 * close - wide) / 3.0, rel=1e-4)  # rounding of the eigenvalues
