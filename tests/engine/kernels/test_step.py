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
from panhead.runs import scenarios
from panhead.runs.gradients.gradient import gradient
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
