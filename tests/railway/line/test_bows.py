"""Droppers that bow sideways when they are pressed."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import brentq

from panhead import gradient
from panhead.engine.jobs import Job
from panhead.errors import Interrupted, ModelError
from panhead.railway.line import BowModel, DropperError, DropperKind, RodModel, linear_line, read_line, string
from panhead.runs.batch import simulate_batch
from panhead.runs.description import Journey, Numerics, OnTrain, Run
from panhead.runs.linear.kernel_arrays import dropper_table, scheme
from panhead.runs.linear.step.step_arrays import DROPPER
from panhead.runs.simulate import simulate, simulate_one

LENGTH, MASS, STIFFNESS, PULL = 1.2, 0.11, 1e5, 60.0


def described(spans=6, **changes):
    line = read_line("en50318-2002")
    (length,) = line.tension_lengths
    line = replace(line, tension_lengths=(replace(length, spans=(replace(length.spans[0], count=spans),)),))
    kind = DropperKind(stiffness=STIFFNESS, mass_per_length=MASS, bow=BowModel())
    train = (OnTrain(pantograph="en50318-2002"),)
    journey = Journey(stop=200.0, ramp=0.6, run_in=30.0)
    numerics = Numerics(step=1e-3)
    run = Run(line=replace(line, dropper=kind), train=train, speed=80.0, journey=journey, numerics=numerics)
    return replace(run, **changes)


@pytest.fixture(scope="module")
def bowed():
    return simulate_one(described())


def record(bow, *, pull=PULL):
    """One dropper of 1.2 m between two hands."""
    d = np.zeros(1, DROPPER)
    d["k"], d["N0"], d["N"], d["bows"] = STIFFNESS, pull, pull, 1
    D, E, m = math.pi**2 / (2 * LENGTH), math.pi**4 * bow.bending / (2 * LENGTH**3), MASS * LENGTH / 2
    d["bow_pull"], d["bow_bend"], d["bow_mass"], d["bow_drag"] = D, E, m, m / bow.fading
    d["bow_rest"] = bow.crooked * E / (E + pull * D)
    d["bow"][0, 0] = d["bow_rest"][0]
    return d


def marched(d, elongation, step):
    """Pulls of a dropper whose ends are led apart by ``elongation``."""
    from panhead.engine.jit.compiler import whole
    from panhead.runs.linear.step.bow import bow_amplitude, bow_correction, predict_bow, update_bow

    @whole
    def march(sc, d, e, out):
        for i in range(e.shape[0]):
            predict_bow(sc, d[0])
            lam = bow_correction(d[0], bow_amplitude(d[0], d[0].N0 + d[0].k * e[i], 1.0))
            update_bow(sc, d[0], e[i], lam)
            d[0].N = d[0].N0 + d[0].k * e[i] + d[0].p
            out[i, 0], out[i, 1] = d[0].N, d[0].bow[0]

    out = np.zeros((elongation.size, 2))
    march(scheme(step), d, elongation, out)
    return out.T


def test_slowly_pressed_it_carries_what_a_crooked_column_does():
    """N = −P (1 − b_s/b) with Euler's P = π² EI/L², b from what it has to take up; 1e-4 is left of its motion."""
    bow = BowModel(bending=0.4, crooked=0.02, fading=2e-3)
    pressed = -0.03 * np.minimum(1.0, np.linspace(0.0, 1.5, 30001)) ** 2
    N, b = marched(record(bow), pressed, 1e-3)
    euler, D = math.pi**2 * bow.bending / LENGTH**2, math.pi**2 / (2 * LENGTH)
    rest = bow.crooked * euler / (euler + PULL)
    taken = lambda b: -euler * (1 - bow.crooked / b) - PULL + STIFFNESS * (0.03 - 0.5 * D * (b**2 - rest**2))
    expected = brentq(taken, 0.02, 0.2)
    assert b[-1] == pytest.approx(expected, rel=1e-4)
    assert N[-1] == pytest.approx(-euler * (1 - bow.crooked / expected), rel=1e-4)


def test_taut_it_swings_as_a_string_that_bends():
    """f = √((N₀ + P)/μ)/2L; half a period has 13 steps, second order: 1 %."""
    bow = BowModel(bending=0.4, crooked=0.02, fading=1e3)
    d = record(bow)
    d["bow"][0, 1] = 0.02
    _, b = marched(d, np.zeros(2000), 1e-3)
    around = b - d["bow_rest"][0]
    crossings = np.flatnonzero((around[:-1] < 0) & (around[1:] >= 0))
    f = (crossings.size - 1) / ((crossings[-1] - crossings[0]) * 1e-3)
    euler = math.pi**2 * bow.bending / LENGTH**2
    assert f == pytest.approx(math.sqrt((PULL + euler) / MASS) / (2 * LENGTH), rel=0.01)


def test_it_only_takes_energy_out(bowed):
    """The ledger closes, droppers never give energy back, pressed they push for a moment."""
    turned = float(np.abs(bowed["work_train"]).max() + np.abs(bowed["work_uplift"]).max())
    assert float(np.abs(bowed["balance"]).max()) < 1e-9 * turned
    assert float(np.diff(bowed["dissipated_droppers"]).min()) > -1e-12 * turned
    assert float(bowed["dropper_min_force"].min()) < -1.0
    assert float(bowed["dropper_slack_time"].max()) > 0.0


def test_half_its_weight_is_told_at_the_top(bowed):
    strung = string(described().line)
    span = strung.spans(strung.layout.pieces[0])[3]
    told = bowed["dropper_static_force"].to_numpy()[bowed["dropper_span"] == 3]
    np.testing.assert_allclose(told - span.tension, 0.5 * MASS * 9.81 * span.length, rtol=1e-4)


def test_a_dropper_too_long_hangs_bowed():
    """Slack at rest: no pull, and a bow that takes up what it is too long."""
    run = described()
    (length,) = run.line.tension_lengths
    long = replace(length, dropper_errors=(DropperError(span=3, dropper=4, error=0.06),))
    strung = string(replace(run.line, tension_lengths=(long,)))
    table, order = dropper_table(linear_line(strung))
    slack = linear_line(strung).droppers.static_tension[order]
    (k,) = np.flatnonzero(slack < 0.0)
    assert table["N0"][k] == 0.0
    too_long = 0.5 * table["bow_pull"][k] * table["bow_rest"][k] ** 2
    assert too_long == pytest.approx(-slack[k] / table["k"][k], rel=1e-9)


def test_a_window_that_moves_tells_the_same(bowed):
    """Waves fade at its ends, bows with them: loads of the droppers passed to 2 %; the ledger closes in any case."""
    moving = simulate_one(described(numerics=Numerics(step=1e-3, window="moving", ahead=2, behind=2, absorbing=1)))
    turned = float(np.abs(moving["work_train"]).max() + np.abs(moving["work_uplift"]).max())
    assert float(np.abs(moving["balance"]).max()) < 1e-9 * turned
    load = lambda r, x: float(r["dropper_max_force"].to_numpy()[np.argmin(np.abs(r["dropper_x"].to_numpy() - x))])
    places = [x for x in bowed["dropper_x"].to_numpy() if 110.0 < x < 180.0]
    np.testing.assert_allclose([load(moving, x) for x in places], [load(bowed, x) for x in places], rtol=0.02)


def test_a_killed_run_continues_with_the_same_answer(tmp_path):
    coarse = Numerics(window="moving", ahead=3, behind=3, absorbing=2, step=2e-3, element_length=3.0, coarse=True)
    run = described(spans=12, numerics=coarse, journey=Journey(stop=560.0, ramp=0.6, run_in=30.0))
    plain = simulate(run)

    def killer(fraction, message=""):
        if fraction > 0.97:
            raise KeyboardInterrupt

    with pytest.raises(Interrupted):
        simulate(run, Job(out=tmp_path, progress=killer))
    seen = []
    again = simulate(run, Job(out=tmp_path, resume=True, progress=lambda f, m="": seen.append(f)))
    assert seen[0] > 0.5
    for name in plain:
        np.testing.assert_array_equal(again[name], plain[name])


def test_alone_and_in_company_it_is_the_same(bowed):
    (together,) = simulate_batch([described()])
    np.testing.assert_array_equal(together["contact_force"], bowed["contact_force"])


def test_what_does_not_go_with_bows_says_so():
    with pytest.raises(ModelError, match="give mass_per_length"):
        DropperKind(stiffness=1e5, bow=BowModel())
    with pytest.raises(ModelError, match="remove one of them"):
        DropperKind(stiffness=1e5, mass_per_length=0.1, rod=RodModel(), bow=BowModel())
    with pytest.raises(ModelError, match="remove `damping`"):
        DropperKind(stiffness=1e5, mass_per_length=0.1, damping=1.0, bow=BowModel())
    with pytest.raises(ModelError, match="crooked"):
        BowModel(crooked=0.0)
    for changes in ({"solver": "cables"}, {"solver": "coupled"}, {"droppers": "bilateral"}):
        with pytest.raises(ModelError, match="bow"):
            simulate_one(described(**changes))
    with pytest.raises(ModelError, match="droppers that bow"):
        gradient(described(), "deviation")


@pytest.mark.slow
def test_twice_as_many_bars_of_the_chain_change_nothing_of_the_answer(monkeypatch):
    """The first row of ``whipping-droppers`` with chains of eight bars instead of four; 4 % asked. The row itself is
    only listed, because its bound was set after a result was seen: here the bound is compared, not the judgement."""
    from panhead.validation.whipping_droppers import references

    monkeypatch.setattr(references, "_BARS", 8)
    monkeypatch.setattr(references, "_STEP", 2e-5)
    row = references.whipping_droppers()[0]
    assert row.value <= row.high, row
