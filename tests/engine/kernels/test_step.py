"""The step of the linear solver in runs of a moment, short enough to be run without the compiler.

``mutants kernels/step --tests tests/engine/kernels/test_step.py`` deletes its statements one at a time; references are
the dense solver of the same equations (``oracles.dense_line``), energy that goes nowhere, and differences of runs.
"""

from dataclasses import replace

import numba
import numpy as np
import pytest
from oracles.dense_line import EDGE, OPEN
from runs.gradients.plain_runs import values
from runs.linear.test_dense_oracle import Case, compare, short, slackened, with_dropper_damping

from panhead.engine.jobs import Job
from panhead.files import parse
from panhead.railway.line import DropperError
from panhead.railway.pantograph.strips import CollectorStrips
from panhead.runs import scenarios
from panhead.runs.gradients.gradient import gradient
from panhead.runs.linear.session import ends_of
from panhead.runs.linear.step.step_arrays import U, V
from panhead.runs.linear.step.unilateral import CLOSED
from panhead.runs.linear.taped_run import tape_every_state, tape_run
from panhead.runs.resolve import resolve
from panhead.runs.simulate import simulate

REFERENCE = "en50318-2002"


def tiny(**changes):
    """Two spans of 30 m with four droppers."""
    line = short(REFERENCE, 2, **changes)
    length = line.tension_lengths[0]
    span = replace(length.spans[0], length=30.0, dropper_positions=(4.0, 11.0, 19.0, 26.0))
    return replace(line, tension_lengths=(replace(length, spans=(span,)),))


def case(line=None, **changes):
    usual = {"start": 12.0, "way": 12.0, "speed": 60.0, "ramp": 0.05, "element_length": 5.0}
    return Case(line=line or tiny(), **(usual | changes))


def test_droppers_and_contact_are_those_of_dense_matrices():
    history = compare(case(static_force=150.0))
    assert slackened(history) >= 1


def test_dampers_two_pantographs_numerical_damping_and_droppers_slack_at_rest():
    errors = (DropperError(span=1, dropper=3, error=0.03), DropperError(span=2, dropper=2, error=0.03))
    line = with_dropper_damping(tiny(dropper_errors=errors), 2e3)
    history = compare(case(line, behind=(0.0, 6.0), spectral_radius=0.7, contact_damping=2e3, static_force=60.0))
    assert (history.modes == EDGE).any() or (history.modes == OPEN).any()


BASE = {
    "kind": "run",
    "name": "tiny",
    "line": REFERENCE,
    "speed": 60.0,
    "line_changes": {
        "tension_lengths": [{"name": "T", "spans": [{"length": 30.0, "count": 3, "dropper_count": 3}]}],
        "dropper": {"damping": 300.0},
    },
    "train": [{"pantograph": REFERENCE, "changes": {"static_force": 150.0}}],
    "journey": {"start": 32.0, "judged_from": 36.0, "judged_to": 43.0, "stop": 44.0, "ramp": 0.02, "run_in": 0.0},
    "numerics": {"step": 2e-3, "element_length": 5.0, "coarse": True},
}
STAGE = lambda **more: {"train": {"0": {"changes": {"stages": {"0": more}}}}}
GUSTS = {"lateral": True, "conditions": {"wind": {"speed": 25.0, "intensity": 0.3, "seed": 3}}}
FEATURES = {
    "contact damping": {"contact": {"damping": 400.0}},
    "friction": STAGE(friction=30.0, friction_speed=0.05),
    "stops": STAGE(stop_up=0.0005, stop_down=0.001),
    "strips": {"train": {"0": {"changes": {"strips": {"spacing": 0.5, "roll_inertia": 0.5}}}}},
    "roof": {"roof": [[0.0, 0.0], [0.05, 4e-3], [0.1, -3e-3], [0.2, 0.0]]},
    "pushes": {"pushes": [{"table": [[0.02, 0.0], [0.05, 40.0], [0.15, 0.0]]}]},
    "gusts": GUSTS,
    "rods": {"line_changes": {"dropper": {"rod": {"parts": 2}, "mass_per_length": 0.2, "damping": 0.0}}},
}


def run_of(*changes):
    raw = BASE
    for each in changes:
        raw = parse.merge(raw, each)
    return scenarios.from_plain(raw, source="tiny").description


def computed(*changes):
    return simulate(run_of(*changes), Job(error_bars="none", explain="none"))


def assert_energy_is_kept(result):
    """What is done on the system is kept or dissipated, to rounding, at every step."""
    turned = sum(np.abs(v.to_numpy()).max() for n, v in result.variables.items() if str(n).startswith("work_"))
    assert turned > 0.1
    assert np.abs(result["balance"].to_numpy()).max() < 1e-9 * turned


@pytest.fixture(scope="module")
def plain():
    return computed()


def test_energy_of_the_plain_run(plain):
    assert_energy_is_kept(plain)
    assert float(plain["dissipated_droppers"][-1]) > 0.0


@pytest.mark.parametrize("name", FEATURES)
def test_a_feature_is_felt_and_keeps_the_energy(plain, name):
    result = computed(FEATURES[name])
    assert np.abs(result["contact_force"].to_numpy() - plain["contact_force"].to_numpy()).max() > 0.01
    assert_energy_is_kept(result)


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="the adjoint takes lanes, which only compiled code has")
def test_the_derivative_along_any_direction_is_that_of_plain_runs():
    """σ by the adjoint beside central differences of whole runs, along a direction in masses, springs and droppers.

    1e-6 of each to either side: no dropper changes its mode, rounding of 1e-12 N is 1e-6 of the difference.
    """
    stage, lengths = {"mass": 7.2, "stiffness": 4200.0, "damping": 10.0}, (0.3e-3, -0.2e-3, 0.4e-3)

    def changed(by):
        stages = {"0": {key: value * (1.0 + by) for key, value in stage.items()}}
        errors = [{"span": 2, "dropper": k + 1, "error": by * x} for k, x in enumerate(lengths)]
        return {
            "train": {"0": {"changes": {"stages": stages, "static_force": 150.0 * (1.0 + by)}}},
            "line_changes": {"tension_lengths": {"0": {"dropper_errors": errors}}},
        }

    deviation = lambda by: values(run_of(changed(by)), ["deviation"])[0]
    slope = (deviation(1e-6) - deviation(-1e-6)) / 2e-6
    families = ("mass", "stiffness", "damping", "static_force")
    wanted = [*(f"pantograph.{family}" for family in families), "dropper.length"]
    found = gradient(run_of(changed(0.0)), of="deviation", wrt=wanted)
    along = sum(float(found[f"pantograph.{key}"][0]) * value for key, value in stage.items())
    along += float(found["pantograph.static_force"].sum()) * 150.0
    droppers = found["dropper.length"]
    names = droppers[droppers.dims[0]].to_numpy()
    along += float(droppers.to_numpy()[["span2" in str(name).replace(" ", "") for name in names]] @ lengths)
    assert along == pytest.approx(slope, rel=1e-4)
    assert abs(slope) > 1.0


def test_a_tape_and_a_run_in_its_modes_are_the_plain_run(plain):
    """The same equations with other bookkeeping; given the modes, the small system is solved at once: 1e-7 N."""
    model = resolve(run_of())
    force = plain["contact_force"].to_numpy()[0]
    tape, modes = tape_every_state(model)
    assert tape.force[:, 0] == pytest.approx(force, abs=1e-8)
    assert tape_every_state(model, modes)[0].force[:, 0] == pytest.approx(force, abs=1e-7)
    np.testing.assert_allclose(tape_run(model).force[:, 0], force, atol=1e-8)


SPANS = {
    "line_changes": {
        "presag": 0.0,
        "tension_lengths": [{"name": "T", "spans": [{"length": 15.0, "count": 14, "dropper_count": 2}]}],
    }
}
WAY = {
    "journey": {"start": 92.0, "judged_from": 98.0, "judged_to": 110.0, "stop": 112.0},
    "numerics": {"element_length": 4.0},
}
WINDOW = {"numerics": {"window": "moving", "ahead": 4, "behind": 4, "absorbing": 2, "near": 2}}


def test_far_spans_as_superelements_and_a_window_that_moves():
    """Fourteen spans, and a window of eight with far spans of few modes: waves need longer than this to come back."""
    whole, part = computed(SPANS, WAY), computed(SPANS, WAY, WINDOW)
    there, here = (each["contact_force"].to_numpy()[0] for each in (whole, part))
    assert np.abs(here - there).max() < 1e-2 * there.max()
    assert_energy_is_kept(part)


def test_droppers_that_bow_are_softer_than_those_that_go_slack(plain):
    """What is compressed bows and still pushes a little: the force differs, energy is kept."""
    bowed = computed({"line_changes": {"dropper": {"bow": {}, "mass_per_length": 0.2, "damping": 0.0}}})
    assert np.abs(bowed["contact_force"].to_numpy() - plain["contact_force"].to_numpy()).max() > 0.01
    assert_energy_is_kept(bowed)


def test_friction_that_never_saturates_is_a_damper():
    """R tanh(ḋ/v_R) with v_R far above any ḋ is (R/v_R) ḋ, less its share (ḋ/v_R)²/3 < 1e-4 of 10 N·s/m."""
    rubbed = computed(STAGE(friction=500.0, friction_speed=50.0, damping=0.0))
    damped = computed(STAGE(damping=10.0))
    np.testing.assert_allclose(rubbed["contact_force"], damped["contact_force"], rtol=0.0, atol=1e-3)


def test_stops_without_play_are_a_spring():
    """−k d − k_s max(0, d) + k_s max(0, −d) = −(k + k_s) d: the same equations, round-off between them."""
    stopped = computed(STAGE(stop_up=0.0, stop_down=0.0, stop_stiffness=2e4, stiffness=4200.0))
    sprung = computed(STAGE(stiffness=24200.0))
    np.testing.assert_allclose(stopped["contact_force"], sprung["contact_force"], rtol=0.0, atol=1e-6)


def test_a_stagger_couples_up_and_sideways_as_in_dense_matrices():
    line = tiny()
    compare(case(replace(line, support=replace(line.support, stagger=0.2)), lateral=True, static_force=150.0))


@pytest.mark.parametrize("damping", [0.0, 400.0])
def test_a_head_that_rolls_under_a_stagger_is_that_of_dense_matrices(damping):
    """The gap has y₀ φ more, its rate y₀ φ̇ + V y₀′ φ, and the force turns the head with the arm y₀."""
    line = tiny()
    strips = CollectorStrips(count=1, spring_base=0.4, roll_inertia=0.05)
    staggered = replace(line, support=replace(line.support, stagger=0.25))
    compare(case(staggered, static_force=150.0, strips=strips, contact_damping=damping))


ERRORS = [{"span": n, "dropper": 1 + n % 2, "error": 0.03} for n in range(1, 15)]  # slack at rest
FADING = {"numerics": {"ahead": 4, "behind": 4, "absorbing": 3, "near": 2}}
BOWS = {"line_changes": {"dropper": {"bow": {}, "mass_per_length": 0.2, "damping": 0.0}}}
SLACK = {"line_changes": {"tension_lengths": {"0": {"dropper_errors": ERRORS}}}}


def left_at(ends, h, front, rear, x):
    """What is left of a motion at x when waves have been attenuated: e^(−rate ξ³ Δt), ξ from 0 to 1 over an end."""
    ahead = (x - front - ends.front_begin) / ends.front_length
    behind = (rear - ends.rear_begin - x) / ends.rear_length
    return np.exp(-ends.rate * np.clip(np.maximum(ahead, behind), 0.0, 1.0) ** 3 * ends.every * h)


def attenuated(tape, kept):
    """Rows of the last stretch's states before and after each attenuation, and where the train is then [m]."""
    ends, first, row = ends_of(tape.session), tape.marks[-2], 0
    for number in range(first + 1, tape.marks[-1] + 1):
        row += 1
        if number % ends.every == 0:
            yield row, row + 1, tape.way.position[number]
            row += 1


@pytest.mark.parametrize(
    "changes", [{}, SLACK, BOWS, {"numerics": {"spectral_radius": 0.8}}], ids=["taut", "slack", "bows", "losses"]
)
def test_ends_of_a_window_attenuate_as_their_formula_says(changes):
    """Stations by their share; modes of a far span by that of its middle, less what its masts have of its rates."""
    tape, states = tape_every_state(resolve(run_of(SPANS, WAY, WINDOW, FADING, changes)))
    kept, line, sc = states[-1], tape.session.window.line, tape.session.sc
    ends, far, levels = ends_of(tape.session), line.far, 2 if sc.lossless else 3
    rows = list(attenuated(tape, kept))
    assert rows
    assert far.base.size > 0
    felt = 0.0
    for before, after, place in rows:
        share = left_at(ends, sc.h, place[0], place[-1], line.x)
        q, q1 = (kept.q[row, :levels].reshape(levels, line.x.size, -1) for row in (before, after))
        np.testing.assert_allclose(q1, q * share[:, None], rtol=1e-13, atol=0)
        for n, base in enumerate(far.base):
            kind, at, i = far.kind[n], far.first[n], base // q.shape[2]
            mine, masts = slice(at, at + far.modes[kind]), base + far.row[kind]
            middle = left_at(ends, sc.h, place[0], place[-1], 0.5 * (line.x[i] + line.x[i + 1]))
            np.testing.assert_allclose(kept.eta[after, U, mine], middle * kept.eta[before, U, mine], rtol=1e-13)
            m = far.felt[kind][:, : far.modes[kind]]
            for rate in range(V, levels):
                old, new = (kept.q[row, rate].ravel()[masts] @ m for row in (before, after))
                wanted = middle * (kept.eta[before, rate, mine] - old) + new
                size = np.abs(kept.eta[before, rate, mine]).max() + np.abs(old).max()
                np.testing.assert_allclose(kept.eta[after, rate, mine], wanted, rtol=0, atol=1e-12 * size)
            felt = max(felt, float(np.abs(kept.eta[before, U, mine]).max() * (1.0 - middle)))
        assert_droppers_follow(kept.drop[before], kept.drop[after], q1, share)
    assert felt > 1e-9  # some of the motion was there, and is gone


def assert_droppers_follow(old, new, q, share):
    """Where the wires have changed a dropper is taut or slack by its law alone; a bow fades as its wires do."""
    for a, d in zip(old, new, strict=True):
        e, e_dot = (float(d["weight"] @ q[row, d["station"], d["dof"]]) for row in (U, V))
        if share[d["station"]] == 1.0 or e == a["e"]:
            assert d["N"] == a["N"]
            continue
        assert d["e"] == pytest.approx(e, rel=1e-12)
        pull, rest = d["N0"] + d["k"] * e, max(d["N0"], 0.0)
        if d["bows"]:
            left = min(1.0, max(0.0, e / a["e"])) if a["p"] != 0.0 and a["e"] != 0.0 else 1.0
            p = a["p"] * left
            assert d["p"] == pytest.approx(p, rel=1e-12, abs=1e-12)
            assert d["N"] == pytest.approx(pull + p, rel=1e-10, abs=1e-9)
            if a["p"] != 0.0 and a["e"] != 0.0:
                square = d["bow_rest"] ** 2 + 2.0 * p / (d["k"] * d["bow_pull"])
                assert d["bow"][0] == pytest.approx(np.sign(a["bow"][0]) * np.sqrt(max(square, 0.0)), abs=1e-12)
                np.testing.assert_allclose(d["bow"][1:], [a["bow"][1] * np.sqrt(left), 0.0], rtol=1e-12)
            assert (d["mode"] == CLOSED) == (pull + p > 0.0)
            continue
        N = pull + d["c"] * e_dot if pull > 0.0 and pull + d["c"] * e_dot > 0.0 else 0.0
        assert d["N"] == pytest.approx(N, rel=1e-12, abs=1e-12)
        assert (d["mode"] == CLOSED) == (N > 0.0)
        assert d["p"] == pytest.approx(N - rest - d["k"] * e - d["c"] * e_dot, rel=1e-9, abs=1e-9)


def test_a_window_in_the_modes_of_a_run_is_that_run():
    """Droppers, slack ones too, are attenuated in the modes that they had: 1e-7 N as without a window."""
    model = resolve(run_of(SPANS, WAY, WINDOW, FADING, SLACK))
    tape, modes = tape_every_state(model)
    np.testing.assert_allclose(tape_every_state(model, modes)[0].force, tape.force, rtol=0, atol=1e-7)


def test_the_margin_of_a_step_is_the_least_force_that_would_change_a_mode():
    """While the head touches: contact force, pull of a taut dropper, −(N₀ + k e) of a slack one."""
    hard = {"train": {"0": {"changes": {"static_force": 260.0}}}, "line_changes": {"dropper": {"damping": 0.0}}}
    result, model = computed(hard, {"numerics": {"keep": 2e-3}}), resolve(run_of(hard))
    tape, (kept,) = tape_every_state(model)
    pull, force = result["dropper_force"].to_numpy(), result["contact_force"].to_numpy()[0]
    touching, slack = force > 0.0, (pull == 0.0).any(axis=1)
    assert min((touching & slack).sum(), (touching & ~slack).sum()) > 5
    d = kept.drop[1:]
    lacking = np.where(d["mode"] == CLOSED, np.inf, -(d["N0"] + d["k"] * d["e"])).min(axis=1)
    pulling = np.where(pull > 0.0, pull, np.inf).min(axis=1)
    least = np.minimum(np.minimum(pulling, lacking), force)
    np.testing.assert_allclose(tape.margin[touching], least[touching], rtol=0, atol=1e-6)
