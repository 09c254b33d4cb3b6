"""The gradient of a run beside new runs, and what it refuses."""

import numpy as np
import pytest

from panhead.assess import low_pass
from panhead.cases.line_gradient.references import compared
from panhead.cases.line_gradient.rough import base, changed
from panhead.errors import ModelError
from panhead.runs.gradients.gradient import gradient
from panhead.runs.gradients.numbers import filter_transposed, number
from panhead.runs.pushes import PushInTime
from panhead.runs.resolve import resolve
from panhead.runs.solvers.linear.adjoint import record, slopes

pytestmark = pytest.mark.filterwarnings("ignore::panhead.errors.RunWarning")


@pytest.fixture(scope="module")
def plain():
    return base()


@pytest.fixture(scope="module")
def run(plain):
    return changed(plain, {})


@pytest.fixture(scope="module")
def tape(run):
    return record(resolve(run))


def test_the_filter_is_transposed():
    """⟨H x, y⟩ = ⟨x, Hᵀ y⟩ to rounding."""
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 400))
    assert low_pass(x, 1e-3) @ y == pytest.approx(x @ filter_transposed(y, 1e-3), rel=1e-10)


def test_a_tape_is_the_run(run, tape):
    """The recorded force is that of the run itself, but for rounding: stretches of steps begin elsewhere."""
    from panhead.runs.simulate import simulate_one

    assert simulate_one(run)["contact_force"].to_numpy()[0] == pytest.approx(tape.force[:, 0], abs=1e-8)


@pytest.mark.parametrize("of", ["mean_force", "statistical_max", "actual_min", "uplift"])
def test_numbers_beside_a_new_run(plain, run, of):
    """The static force changed by ±1 N·10⁻³: central differences are exact to h² and rounding, 1e-6 together."""
    slope = float(gradient(run, of, "pantograph.static_force")["pantograph.static_force"][0])
    h = 1e-3
    ends = [changed(plain, {"train": {"0": {"changes": {"static_force": 170.0 + s * h}}}}) for s in (1, -1)]
    up, down = (number(record(resolve(r)), of).value for r in ends)
    assert slope == pytest.approx((up - down) / (2 * h), rel=1e-6)


@pytest.mark.parametrize("case", ["stages", "curved", "two", "roof", "table"])
def test_pantographs_and_train_beside_new_runs(case):
    """Friction, stops, forces in time, a contact that remembers, spacing, a roof, speeds: each changed a little in the
    description. Differences are exact to h⁴ and rounding (1e-9 of σ over a change that moves it by 1e-4): 1e-6."""
    _, found, _ = compared(case)
    for family, rows in found.items():
        assert max(rel for rel, _, _ in rows) < 1e-6, family


def test_a_push_of_an_array_is_a_push_of_the_description(plain):
    """``record(push=)`` and ``Run.pushes`` are one and the same force."""
    push = PushInTime(table=((0.2, 0.0), (0.5, 20.0), (0.9, 0.0)), stage=2)
    model = resolve(changed(plain, {"pushes": [{"table": push.table, "stage": 2}]}))
    still = resolve(changed(plain, {}))
    forces = np.zeros((still.steps + 1, 2))
    forces[:, 1] = push.at(np.arange(still.steps + 1) * still.run.numerics.step)
    assert record(still, push=forces).force == pytest.approx(record(model).force, abs=1e-9)
    assert push.weights(np.array([0.1, 0.35, 0.9, 1.0])) @ [0.0, 20.0, 0.0] == pytest.approx([0.0, 10.0, 0.0, 0.0])
    with pytest.raises(ModelError, match=r"shape \(680, 2\)"):
        record(still, push=forces[1:])


def test_a_force_in_time_is_a_parameter(tape):
    """The work of a control is told by ∂J/∂(force on each mass at each step): a push of ε at one step, by Taylor."""
    wanted = number(tape, "deviation")
    slope, _ = slopes(tape, wanted.wanted)
    way = tape.way
    push = np.zeros_like(way.uplift)
    push[300:320, 0] = 1e-3
    from panhead.runs.solvers.linear import adjoint
    from panhead.runs.solvers.linear.session import start

    def value(sign: float) -> float:
        session = start(tape.session.model)
        moved = way._replace(uplift=way.uplift + sign * push)
        kept = adjoint._kept(session, tape.steps)
        adjoint._run(session, moved, 0, tape.steps, kept)
        force = adjoint._outputs(session, kept, tape.steps)[0]
        from dataclasses import replace

        return number(replace(tape, force=force), "deviation").value

    assert float((slope.uplift * push).sum()) == pytest.approx((value(1.0) - value(-1.0)) / 2, rel=1e-6)


def test_what_cannot_be_asked_is_refused_with_what_can(run):
    with pytest.raises(ModelError, match=r"did you mean 'deviation'\?"):
        gradient(run, "deviaton")
    with pytest.raises(ModelError, match=r"dropper\.length"):
        gradient(run, "deviation", "droper.length")
    with pytest.raises(ModelError, match="there is no pantograph 3"):
        gradient(run, pantograph=3)
    from dataclasses import replace

    with pytest.raises(ModelError, match="solver 'cables'"):
        gradient(replace(run, solver="cables"))
    with pytest.raises(ModelError, match=r"nothing in this run is a 'pantograph\.friction'"):
        gradient(run, wrt="pantograph.friction")
    with pytest.raises(ModelError, match="static_force instead"):
        gradient(replace(run, train=(replace(run.train[0], mean_force=100.0),)))
    with pytest.raises(ModelError, match="has no stage 3"):
        gradient(replace(run, pushes=(PushInTime(table=((0.0, 1.0), (1.0, 1.0)), stage=3),)))
    with pytest.raises(ModelError, match="rising times"):
        PushInTime(table=((0.0, 1.0), (0.0, 1.0)))
    with pytest.raises(ModelError, match="lateral"):
        gradient(replace(run, lateral=True))
    with pytest.raises(ModelError, match="window"):
        gradient(replace(run, numerics=replace(run.numerics, window="moving")))
