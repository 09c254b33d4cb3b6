"""The gradient of a run of cables beside new runs, the equations it rests on, and what it refuses."""

import numpy as np
import pytest

from panhead.errors import ModelError
from panhead.runs.gradients.gradient import gradient, gradient_of, tape_for_gradient
from panhead.runs.simulate import simulate_one
from panhead.validation.line_gradient.cables import cable_cases
from panhead.validation.line_gradient.differences import compare, newton_to_rounding, with_changes

from .plain_runs import values

pytestmark = pytest.mark.filterwarnings("ignore::panhead.errors.RunWarning")


@pytest.fixture(scope="module")
def case():
    return next(case for case in cable_cases() if case.name == "cables, train")


@pytest.fixture(scope="module")
def tape(case):
    return tape_for_gradient(with_changes(case.plain, {}))


def test_a_tape_is_the_run(case, tape):
    """Steps of the run stop Newton's method at 1e-9 m, under 50 kN/m 5e-5 N each; slack droppers spread that later."""
    force = simulate_one(with_changes(case.plain, {}))["contact_force"].to_numpy()[0]
    assert force[:40] == pytest.approx(tape.force[:40, 0], abs=40 * 5e-5)


def test_form_finding_leaves_nothing(tape):
    """Newton's method ends it: forces of some 10⁷ N/m times rounding of 100 m, 1e-7 N, and heights to rounding."""
    left, found = tape.whole.line.found.missing(), tape.whole.line.found
    assert np.abs(left[: -len(found.lengths)]).max() < 1e-5  # [N]
    assert np.abs(left[-len(found.lengths) :]).max() < 1e-10  # [m]


NUMBERS = ["mean_force", "deviation_0_20", "smooth_max", "uplift T.mast2", "dropper_max T.span2.dropper3"]


def test_numbers_beside_a_new_run(case, tape):
    """The static force changed a little: differences are exact to h⁴ and what Newton's method leaves, 1e-5 together."""
    h = 1e-3
    pushed = lambda s: with_changes(case.plain, {"train": {"0": {"changes": {"static_force": 170.0 + s * h}}}})
    with newton_to_rounding():
        up, down = (values(pushed(s), NUMBERS) for s in (1, -1))
    for of, difference in zip(NUMBERS, (up - down) / (2 * h), strict=True):
        slope = float(gradient_of(tape, of, "pantograph.static_force")["pantograph.static_force"][0])
        assert slope == pytest.approx(difference, rel=1e-5), of


def test_weights_on_time_series(tape):
    """Σ w F of the last row alone is the force there."""
    weights = np.zeros_like(tape.force)
    weights[-1] = 1.0
    found = gradient_of(tape, {"contact_force": weights}, "pantograph.*")
    assert found.attrs["value"] == pytest.approx(tape.force[-1, 0])
    assert found["control"][-1, 0] != 0.0


@pytest.mark.slow
@pytest.mark.parametrize("name", ["gains", "lengths", "augmented joint"])
def test_both_identities_along_a_random_direction(name):
    """As ``panhead validate cable-gradient``, which CI runs with all cases: σ to 1e-5, weights on the force to 1e-6."""
    found = compare(next(case for case in cable_cases() if case.name == f"cables, {name}"))
    assert found.of_deviation < 1e-5
    assert found.of_force < 1e-6


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"cables": {"straight": True}}, "remove them"),
        ({"journey": {"settled": False}}, "remove journey.settled"),
        ({"control": {"kind": "force"}}, "use a damper"),
    ],
)
def test_what_cannot_be_taken_back_is_refused(case, change, message):
    with pytest.raises(ModelError, match=message):
        gradient(with_changes(case.plain, change))


def test_names_that_do_not_exist_are_refused(tape):
    with pytest.raises(ModelError, match=r"no parameter is called 'dropper\.position'; .*dropper.length"):
        gradient_of(tape, "deviation", "dropper.position")
    with pytest.raises(ModelError, match=r"no dropper is called 'T.span9.dropper1'; .*T.span1.dropper1"):
        gradient_of(tape, "dropper_max T.span9.dropper1", "presag")
    with pytest.raises(ModelError, match=r"this run has no 'pantograph.friction'"):
        gradient_of(tape, "deviation", "pantograph.friction")
