"""The gradient of a run beside new runs, and what it refuses."""

import numpy as np
import pytest

from panhead.assess.filters import low_pass, low_pass_transposed
from panhead.errors import ModelError
from panhead.runs.force_histories import PushInTime
from panhead.runs.gradients.directional_derivative import jvp
from panhead.runs.gradients.gradient import gradient, gradient_of, vjp
from panhead.runs.gradients.objectives import objective
from panhead.runs.linear.backward import slopes
from panhead.runs.linear.taped_run import tape_every_state, tape_run
from panhead.runs.resolve import resolve
from panhead.runs.simulate import simulate
from panhead.validation.line_gradient.differences import with_changes
from panhead.validation.line_gradient.references import rough_rows
from panhead.validation.line_gradient.rough import PARAMETERS, base

from .plain_runs import values

pytestmark = pytest.mark.filterwarnings("ignore::panhead.errors.RunWarning")


@pytest.fixture(scope="module")
def plain():
    return base()


@pytest.fixture(scope="module")
def run(plain):
    return with_changes(plain, {})


@pytest.fixture(scope="module")
def tape(run):
    return tape_run(resolve(run))


def test_the_filter_is_transposed():
    """⟨H x, y⟩ = ⟨x, Hᵀ y⟩ to rounding."""
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 400))
    assert low_pass(x, 1e-3) @ y == pytest.approx(x @ low_pass_transposed(y, 1e-3), rel=1e-10)


def test_a_tape_is_the_run(run, tape):
    """The recorded force is that of the run itself, but for rounding: stretches of steps begin elsewhere."""
    from panhead.runs.simulate import simulate_one

    assert simulate_one(run)["contact_force"].to_numpy()[0] == pytest.approx(tape.force[:, 0], abs=1e-8)


NUMBERS = [
    "mean_force", "deviation_ratio", "deviation_0_5", "statistical_max", "actual_min", "smooth_max", "smooth_min",
    "contact_loss_smooth", "uplift", "uplift T.mast3", "dropper_range T.span2.dropper3",
]  # fmt: skip


@pytest.mark.parametrize("of", NUMBERS)
def test_numbers_beside_a_new_run(plain, run, of):
    """The static force changed a little: differences are exact to h⁴ and rounding, 1e-6 together.

    A dropper of 10⁵ N/m rounds its force to 1e-10 N, which asks for a wider change.
    """
    slope = float(gradient(run, of, "pantograph.static_force")["pantograph.static_force"][0])
    h = 1e-2 if of.startswith("dropper") else 1e-3

    def value(change: float) -> float:
        return values(with_changes(plain, {"train": {"0": {"changes": {"static_force": 170.0 + change}}}}), [of])[0]

    wide, close = ((value(x) - value(-x)) / (2 * x) for x in (h, h / 2))
    assert slope == pytest.approx((4 * close - wide) / 3, rel=1e-6)


QUICK = ("two", "law")  # the others in CI by ``panhead validate line-gradient``


@pytest.mark.parametrize("name", [n if n in QUICK else pytest.param(n, marks=pytest.mark.slow) for n in PARAMETERS])
def test_both_identities_along_random_directions(name):
    """⟨∇σ, v⟩ = dσ/dε and ⟨Jᵀ w, v⟩ = ⟨w, J v⟩, right sides by plain runs and the judge; bounds as validated."""
    assert {row.quantity: row.value for row in rough_rows(name) if row.ok is False} == {}


def test_in_weather_the_line_is_that_of_the_day_and_no_place_of_a_dropper_is_known(plain):
    run = with_changes(plain, {"conditions": {"wind": {"speed": 10.0}}})
    found = gradient(run, "deviation", ["dropper.position", "dropper.length"])
    assert "that day" in found.attrs["line"]
    assert np.isnan(found["dropper.position"]).all()
    assert np.isfinite(found["dropper.length"]).all()


def test_modes_held_give_the_run_itself():
    """Held in its own modes a run repeats itself."""
    run = resolve(with_changes(base("stages"), {}))
    first, kept = tape_every_state(run)
    assert tape_every_state(run, kept)[0].force == pytest.approx(first.force, abs=1e-8)


def test_a_push_of_an_array_is_a_push_of_the_description(plain):
    """``tape_run(push=)`` and ``Run.pushes`` are one and the same force."""
    push = PushInTime(table=((0.2, 0.0), (0.5, 20.0), (0.9, 0.0)), stage=2)
    model = resolve(with_changes(plain, {"pushes": [{"table": push.table, "stage": 2}]}))
    still = resolve(with_changes(plain, {"pushes": []}))
    forces = np.zeros((still.steps + 1, 2))
    forces[:, 1] = push.at(np.arange(still.steps + 1) * still.run.numerics.step)
    assert tape_run(still, push=forces).force == pytest.approx(tape_run(model).force, abs=1e-9)
    assert push.weights(np.array([0.1, 0.35, 0.9, 1.0])) @ [0.0, 20.0, 0.0] == pytest.approx([0.0, 10.0, 0.0, 0.0])
    with pytest.raises(ModelError, match=r"shape \(680, 2\)"):
        tape_run(still, push=forces[1:])


def test_any_weight_on_time_series(plain, run, tape):
    """Weights on force, height, uplift and dropper forces: their sum's derivative beside new runs."""
    rng = np.random.default_rng(1)
    weights = {
        "contact_force": rng.normal(size=tape.steps), "contact_height": rng.normal(size=(tape.steps, 1)),
        "support_uplift": rng.normal(size=tape.support.shape), "dropper_force": rng.normal(size=tape.dropper.shape),
    }  # fmt: skip
    slope = float(vjp(run, weights, "pantograph.static_force")["pantograph.static_force"][0])
    ends = [with_changes(plain, {"train": {"0": {"changes": {"static_force": 170.0 + s * 1e-3}}}}) for s in (1, -1)]
    up, down = (objective(tape_run(resolve(r)), weights).value for r in ends)
    assert slope == pytest.approx((up - down) / 2e-3, rel=1e-6)
    only = {"contact_force": weights["contact_force"]}
    up, down = (float(weights["contact_force"] @ simulate(r)["contact_force"].to_numpy()[0]) for r in ends)
    slope = float(vjp(run, only, "pantograph.static_force")["pantograph.static_force"][0])
    assert slope == pytest.approx((up - down) / 2e-3, rel=1e-6)


def test_several_numbers_along_a_direction(plain, run):
    """Mass of the head, static force and a wire's tension change together: differences are exact to h⁴ and rounding."""
    numbers, wire = ["mean_force", "deviation", "uplift"], plain["line"]["wires"]["contact"]["tension"]
    mass = plain["train"][0]["pantograph"]["stages"][0]["mass"]
    along = {"pantograph.mass": [0.1, 0.0], "wire.tension": [100.0, 0.0], "pantograph.static_force": [1.0]}
    found = jvp(run, numbers, along)

    def found_by_runs(e: float) -> np.ndarray:
        head = {"pantograph": {"stages": {"0": {"mass": mass + 0.1 * e}}}, "changes": {"static_force": 170.0 + e}}
        line = {"wires": {"contact": {"tension": wire + 100.0 * e}}}
        return values(with_changes(plain, {"train": {"0": head}, "line": line}), numbers)

    wide, close = ((found_by_runs(e) - found_by_runs(-e)) / (2 * e) for e in (2e-3, 1e-3))
    assert found["derivative"].to_numpy() == pytest.approx((4 * close - wide) / 3, rel=1e-6)
    assert found["unit"].to_numpy().tolist() == ["N", "N", "m"]
    one = gradient(run, wrt="pantograph.mass")["pantograph.mass"]
    named = jvp(run, "deviation", {"pantograph.mass": {str(one["pantograph.mass.names"][0].item()): 0.1}})
    assert float(named["derivative"][0]) == pytest.approx(0.1 * float(one[0]))


@pytest.mark.parametrize(
    ("along", "words"),
    [
        ({}, "at least one objective"),
        ({"pantograph.mas": [1.0]}, "did you mean 'pantograph.mass'"),
        ({"pantograph.mass": [1.0]}, "has 2 parameters in this run"),
        ({"speed": {"trian": 1.0}}, "did you mean 'train'"),
        ({"speed": {"train": np.inf}}, "finite"),
        ({"speed": "fast"}, "must be numbers"),
    ],
)
def test_a_direction_that_is_none_is_refused(run, along, words):
    with pytest.raises(ModelError, match=words):
        jvp(run, "deviation", along)


def test_numbers_are_those_of_the_judge(run, tape):
    """σ in a band as it is judged; a smooth extreme beyond the extreme by at most τ ln n."""
    from panhead.assess import judge, judgement
    from panhead.assess.statistics import SOFT
    from panhead.runs.simulate import simulate_one

    (criteria,) = next(iter(judgement(judge(simulate_one(run))).values())).values()
    judged = {c.key: c.value for c in criteria}
    for of in ("deviation", "deviation_0_5", "deviation_5_20", "actual_max"):
        assert objective(tape, of).value == pytest.approx(judged[of], rel=1e-9)
    beyond = objective(tape, "smooth_max").value - judged["actual_max"]
    assert 0.0 <= beyond <= SOFT * np.log(tape.steps)


def test_kinks_are_counted_and_carry_a_share(run, tape, monkeypatch):
    """Steps with a mode within half a newton of flipping; what they carry and what all others do is the gradient."""
    found = gradient(run, wrt=["dropper.length", "pantograph.static_force"])
    assert 0 < found.attrs["kinks"] < tape.steps
    assert 0.0 < found["dropper.length"].attrs["kink_share"] < 1.0
    assert tape.kinks.sum() == found.attrs["kinks"]
    monkeypatch.setattr("panhead.runs.linear.taped_run.NEAR", np.inf)
    assert gradient(run, wrt="pantograph.mass")["pantograph.mass"].attrs["kink_share"] == pytest.approx(1.0)


def test_a_force_in_time_is_a_parameter(tape):
    """∂J/∂(force on each mass at each step) tells what a push over twenty steps does to σ."""
    slope = slopes(tape, objective(tape, "deviation").wanted)
    push = np.zeros_like(tape.way.uplift)
    push[350:370, 0] = 1e-2
    value = lambda share: objective(tape_run(tape.session.model, push=share * push), "deviation").value
    wide, close = ((value(x) - value(-x)) / (2 * x) for x in (1.0, 0.5))
    assert float((slope.uplift * push).sum()) == pytest.approx((4 * close - wide) / 3, rel=1e-6)


def test_what_is_no_request_is_refused_in_words(tape):
    with pytest.raises(ModelError, match=r"read one by name or file with ph\.read_run"):
        gradient("en50318-300")
    with pytest.raises(ModelError, match="for an objective use gradient"):
        vjp("en50318-300", "deviation")
    with pytest.raises(ModelError, match="no weights given"):
        objective(tape, {})
    with pytest.raises(ModelError, match="Known: mean_force, deviation"):
        objective(tape, 3)
    with pytest.raises(ModelError, match=r"must be names of parameters, got \[3\]; Known: dropper\.length"):
        gradient_of(tape, wrt=3)
    with pytest.raises(ModelError, match="there is no pantograph a"):
        objective(tape, "deviation", "a")


def test_what_cannot_be_asked_is_refused_with_what_can(run):
    with pytest.raises(ModelError, match=r"did you mean 'deviation'\?"):
        gradient(run, "deviaton")
    with pytest.raises(ModelError, match=r"did you mean 'T\.mast3'\?"):
        gradient(run, "uplift T.mst3")
    with pytest.raises(ModelError, match=r"did you mean 'T\.span2\.dropper3'\?"):
        gradient(run, "dropper_max T.span2.droper3")
    with pytest.raises(ModelError, match="give the lower frequency first"):
        gradient(run, "deviation_5_2")
    with pytest.raises(ModelError, match="did you mean 'contact_force'"):
        gradient(run, {"contact_forc": np.ones(679)})
    with pytest.raises(ModelError, match=r"shape \(679, 1\)"):
        gradient(run, {"contact_force": np.ones(3)})
    with pytest.raises(ModelError, match=r"dropper\.length"):
        gradient(run, "deviation", "droper.length")
    with pytest.raises(ModelError, match="there is no pantograph 3"):
        gradient(run, pantograph=3)
    from dataclasses import replace

    with pytest.raises(ModelError, match="solver 'coupled'"):
        gradient(replace(run, solver="coupled"))
    with pytest.raises(ModelError, match=r"this run has no 'pantograph\.friction'"):
        gradient(run, wrt="pantograph.friction")
    with pytest.raises(ModelError, match="static_force instead"):
        gradient(replace(run, train=(replace(run.train[0], mean_force=100.0),)))
    with pytest.raises(ModelError, match="has no stage 3"):
        gradient(replace(run, pushes=(PushInTime(table=((0.0, 1.0), (1.0, 1.0)), stage=3),)))
    with pytest.raises(ModelError, match="increasing times"):
        PushInTime(table=((0.0, 1.0), (0.0, 1.0)))
    moving = replace(run, numerics=replace(run.numerics, window="moving", ahead=9, behind=9, absorbing=2))
    with pytest.raises(ModelError, match="contact_height is not stored"):
        gradient(moving, {"contact_height": np.ones(679)})
