"""A window that moves with the train: what it cuts off, what it accounts for, how it goes on after a stop."""

from dataclasses import replace

import numpy as np
import pytest

from panhead.engine.jobs import Job
from panhead.errors import Interrupted
from panhead.railway.line import Line, read_line
from panhead.runs.description import Journey, Numerics, OnTrain, Run
from panhead.runs.linear import near_spans, session
from panhead.runs.resolve import resolve
from panhead.runs.simulate import simulate
from panhead.validation.long_line.references import largest_difference as window_apart
from panhead.validation.long_line.references import passage
from panhead.validation.long_line.references import regular_line as long_line

SMALL = Numerics(
    window="moving", ahead=5, behind=4, absorbing=3, step=2e-3, element_length=3.0, coarse=True
)  # too small to be right, and cheap


def irregular_line(spans: int) -> Line:
    """Spans of 45 m to 63 m in any order, droppers at uneven places."""
    rng, line = np.random.default_rng(7), read_line("en50318-2002")
    (length,) = line.tension_lengths
    found = []
    for _ in range(spans):
        long = float(rng.choice([45.0, 49.5, 54.0, 58.5, 63.0]))
        x = np.linspace(5.0, long - 5.0, round(long / 6.5))
        x[1:-1] += rng.uniform(-0.8, 0.8, x.size - 2)
        found.append(
            replace(length.spans[0], length=long, count=1, dropper_positions=tuple((np.round(2.0 * x) / 2.0).tolist()))
        )
    return replace(line, tension_lengths=(replace(length, spans=tuple(found)),))


def undamped(line: Line) -> Line:
    """The same line with wires that lose nothing."""
    still = {
        role: replace(getattr(line.wires, role), mass_damping=0.0, stiffness_damping=0.0)
        for role in ("contact", "messenger")
    }
    return replace(line, wires=replace(line.wires, **still))


def run(line: Line, numerics: Numerics, *, start: float, way: float, kmh: float = 300.0) -> Run:
    stop = start + way
    return Run(
        line=line,
        speed=kmh / 3.6,
        train=(OnTrain(pantograph="en50318-2002"),),
        journey=Journey(start=start, stop=stop, judged_from=stop - 200.0, judged_to=stop, ramp=1.0),
        numerics=numerics,
    )


def force(line: Line, numerics: Numerics, kind: str, **journey: float) -> np.ndarray:
    """Contact force under a moving window or the line as a whole [N]."""
    return simulate(run(line, replace(numerics, window=kind), **journey))["contact_force"].values[0]


@pytest.mark.slow
@pytest.mark.parametrize(
    "line", [pytest.param(long_line(200), id="regular"), pytest.param(irregular_line(200), id="irregular")]
)
def test_truncation(line):
    """Beside 200 standing spans the usual window gives the force to 0.1 N; its deviation is 30 N.

    At 250 km/h 6.8 km pass before a wave is back from the ends of the line; from the window's end it is back before.
    """
    assert window_apart(passage(line), Numerics())[0][0] < 0.1


@pytest.mark.parametrize("radius", [1.0, 0.8])
def test_superelements_with_all_modes_are_their_elements(monkeypatch, radius):
    """Nothing is left out then without damping, slack droppers and fading: forces are the same but for rounding.

    Eigenvectors of 80 modes of 6 1/s to 1e4 1/s: 1e-16 (ω_max/ω_min)² leaves 3e-10 of 200 N at each of some steps.
    On a longer way lost contacts make more of it (0.01 N after 400 m).
    """
    line = undamped(long_line(30))
    monkeypatch.setattr(near_spans, "band_at", lambda away: 1e5)
    monkeypatch.setattr(session, "FADING", 0.0)
    with_elements, with_modes = (
        simulate(replace(run(line, small, start=600.0, way=240.0), droppers="bilateral"))["contact_force"].values[0]
        for small in (replace(SMALL, near=near, spectral_radius=radius) for near in (5, 2))
    )
    assert with_elements.max() > 100.0
    np.testing.assert_allclose(with_modes, with_elements, atol=1e-5)


def test_waves_fade_towards_the_ends(monkeypatch):
    """In a window much too small the ends would send 15 N back; fading leaves 3 N of them.

    Fading ten times as hard would leave 5.5 N: waves come back from ends that begin too steeply.
    """
    small = replace(SMALL, ahead=10, behind=8, absorbing=7)
    there = {"start": 1200.0, "way": 1200.0, "kmh": 200.0}
    whole, fading = (force(long_line(60), small, kind, **there) for kind in ("whole", "moving"))
    monkeypatch.setattr(session, "FADING", 0.0)
    sent_back = force(long_line(60), small, "moving", **there)
    assert np.abs(fading - whole).max() < 4.0
    assert np.abs(sent_back - whole).max() > 10.0


def test_fading_begins_at_masts_of_the_line_as_it_is():
    """Over the last two spans of either side, however long they are: counted by the shortest span of all, ends began
    too early and swallowed 0.14 N of what comes back under the irregular line."""
    numerics = replace(SMALL, ahead=7, behind=5, absorbing=2)
    model = resolve(run(irregular_line(30), numerics, start=600.0, way=400.0))
    now, x = session.start(model), model.strung.layout.mast_x
    ends, (first, stop) = session.ends_of(now), (now.window.linear.first_span, now.window.linear.stop_span)
    here = model.strung.layout.span_at(600.0)
    assert (first, stop) == (here - 5, here + 8)
    assert ends.front_begin + ends.front_length == pytest.approx(x[stop] - x[here + 1])
    assert ends.front_length == pytest.approx(x[stop] - x[stop - 2])
    assert ends.rear_begin + ends.rear_length == pytest.approx(x[here] - x[first])
    assert ends.rear_length == pytest.approx(x[first + 2] - x[first])


def test_waves_fade_harder_where_nothing_else_takes_them():
    """Beside standing spans without damping three times the rate leaves 0.06 N after 2.8 km where 0.29 N were left."""
    lines = long_line(30), undamped(long_line(30))
    models = [resolve(run(line, SMALL, start=600.0, way=400.0)) for line in lines]
    damped, still = (session.ends_of(session.start(model)).rate for model in models)
    assert still == pytest.approx(3.0 * damped)


def test_what_leaves_the_window_is_accounted_for():
    """Energy of waves that fade and of spans left behind is a line of the ledger, which still closes."""
    result = simulate(run(long_line(60), SMALL, start=600.0, way=1000.0))
    turned = np.abs(result["work_train"]).max() + np.abs(result["work_uplift"]).max()
    assert np.abs(result["balance"]).max() < 1e-9 * turned
    assert float(result["dissipated_window"][-1]) > 0.1 * turned  # a good part of what the train gives


def test_slackenings_add_up():
    """The list of slackenings and the time a dropper was slack are booked apart; a step's end may count
    in one and not in the other. Droppers are slack while the window moves: their memory goes with them."""
    result = simulate(run(long_line(60), SMALL, start=600.0, way=1000.0))
    which, lasted = (result["slack_dropper"].values, (result["slack_end"] - result["slack_start"]).values)
    booked = result["dropper_slack_time"].values
    times = np.bincount(which, minlength=booked.size)
    listed = np.bincount(which, lasted, minlength=booked.size)
    assert times.sum() > 100
    assert (np.abs(listed - booked) <= (times + 1e-6) * SMALL.step).all()


def test_a_killed_run_continues_with_the_same_answer(tmp_path):
    """Window, state, numbers of droppers and everything streamed go on as if nothing had happened."""
    description = run(long_line(60), SMALL, start=600.0, way=1000.0)
    plain = simulate(description)

    def killer(fraction, message=""):
        if fraction > 0.97:
            raise KeyboardInterrupt

    with pytest.raises(Interrupted):
        simulate(description, Job(out=tmp_path, progress=killer))
    seen = []
    again = simulate(description, Job(out=tmp_path, resume=True, progress=lambda f, m="": seen.append(f)))
    assert seen[0] > 0.5  # it went on, it did not start again
    assert set(again) == set(plain)
    for name in plain:
        np.testing.assert_array_equal(again[name], plain[name])


def test_auto_moves_on_long_lines_only():
    model = lambda spans: resolve(run(long_line(spans), Numerics(), start=600.0, way=1000.0))
    assert [model(spans).moving for spans in (83, 84)] == [False, True]  # 4980 and 5040 m
