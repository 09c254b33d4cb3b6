"""The adjoint of generalized-α on any system: loops, a joint that slides, controls, and what it refuses."""

from dataclasses import replace

import numpy as np
import pytest

from panhead.engine.methods import alpha_adjoint
from panhead.engine.methods.alpha_adjoint import motion_gradient
from panhead.engine.methods.equilibrium import assemble_configuration, consistent_rates
from panhead.engine.methods.integrators import GeneralizedAlpha
from panhead.engine.methods.simulate import simulate
from panhead.engine.methods.trajectory import State
from panhead.errors import ModelError
from panhead.runs.library.four_bars import four_bars
from panhead.runs.library.sliding_mass import sliding_mass, start
from panhead.validation.line_gradient.motions import METHOD, compare_gradients, moved_models


@pytest.mark.parametrize("name", ["closed loops", "sliding joint, augmented", "sliding joint, embedded"])
def test_parameters_beside_new_motions(name):
    """Differences are exact to h⁴ and what Newton leaves: 1e-6. A remainder of the second order: slope 2 ± 0.02."""
    case = next(case for case in moved_models() if case.name == name)
    for parameter, difference, order in compare_gradients(replace(case, parameters=case.parameters[:2])):
        assert difference < 1e-6, parameter
        assert order == pytest.approx(2.0, abs=0.02), parameter


def test_accelerations_and_reactions_have_weights_too():
    """Reactions and accelerations round as Newton's residual over dt² does: 1e-4 of a derivative."""
    case = next(moved_models())
    run = lambda system: simulate(system, case.start, duration=0.02, dt=case.dt, method=METHOD)
    motion, rng = run(case.system), np.random.default_rng(2)
    weights = {name: rng.normal(size=getattr(motion, name).shape) for name in ("v", "a", "lam")}
    found = motion_gradient(case.system, motion, weights, METHOD)

    def J(h: float) -> float:
        new = run(case.system.with_parameters(**{"upright0.mass": 1.0 + h}))
        return sum(float((w * getattr(new, name)).sum()) for name, w in weights.items())

    assert J(0.0) == pytest.approx(found.value, rel=1e-12)
    assert found.parameters["upright0.mass"] == pytest.approx((J(1e-2) - J(-1e-2)) / 2e-2, rel=1e-4)


def test_lengths_inside_joints_move_the_start():
    """Default method; new motions from the nearest consistent start. Fourth-order differences: 1e-8 of a derivative."""
    system, method = four_bars(2).system(), GeneralizedAlpha(tolerance=1e-13)
    rates = consistent_rates(system, system.start.q, np.linspace(-1.0, 1.0, system.nq))
    begin = State(q=system.start.q, v=rates)  # in motion, so that rates are carried back too
    run = lambda system, start: simulate(system, start, duration=0.1, dt=2e-3, method=method)
    motion = run(system, begin)
    weights = np.random.default_rng(4).normal(size=motion.q.shape)
    found = motion_gradient(system, motion, {"q": weights}, method)
    assert np.isfinite(list(found.parameters.values())).all()

    def J(name, h):
        changed = system.with_parameters(**{name: system.parameters[name] + h})
        q = assemble_configuration(changed, begin.q)
        return float((weights * run(changed, State(q=q, v=consistent_rates(changed, q, begin.v))).q).sum())

    in_joints = [n for n in found.parameters if ".p." in n and abs(found.parameters[n]) > 1e-3]
    assert len(in_joints) > 5
    for name in in_joints[:6]:
        h = 1e-4
        slope = (8 * (J(name, h) - J(name, -h)) - (J(name, 2 * h) - J(name, -2 * h))) / (12 * h)
        assert found.parameters[name] == pytest.approx(slope, rel=1e-8, abs=1e-8), name


def test_compiled_and_sparse_sweeps_agree(monkeypatch):
    """The same sums in another order: rounding of a thousand steps."""
    case = next(moved_models())
    motion = simulate(case.system, case.start, duration=0.1, dt=case.dt, method=METHOD)
    weights = {"q": np.random.default_rng(5).normal(size=motion.q.shape)}
    fast = motion_gradient(case.system, motion, weights, METHOD)
    monkeypatch.setattr(alpha_adjoint, "_DENSE", 0)
    slow = motion_gradient(case.system, motion, weights, METHOD)
    assert list(fast.parameters.values()) == pytest.approx(list(slow.parameters.values()), rel=1e-9, abs=1e-9)
    assert fast.start_q == pytest.approx(slow.start_q, rel=1e-9, abs=1e-9)


def test_a_slider_on_another_element_has_its_own_pattern():
    """After a march over a node the matrices are those of a system that has never been elsewhere."""
    model = sliding_mass("augmented", elements=10, place=4.7)
    used, fresh = model.system(), model.system()
    used.constraint_q(0.0, start(model).q)  # a pattern for the first element
    q = simulate(used, start(model), duration=0.5, dt=4e-3, method=METHOD).q[-1]
    assert abs(used.constraint_q(0.5, q) - fresh.constraint_q(0.5, q)).max() < 1e-14


def test_what_has_no_adjoint_is_refused():
    case = next(moved_models())
    motion = simulate(case.system, case.start, duration=0.01, dt=case.dt, method=METHOD)
    with pytest.raises(ModelError, match="rates='free'"):
        motion_gradient(case.system, motion, {"q": motion.q}, replace(METHOD, rates="projected"))
    with pytest.raises(ModelError, match="no series 'x'; Known: q, v, a, lam"):
        motion_gradient(case.system, motion, {"x": motion.q}, METHOD)
    with pytest.raises(ModelError, match=r"shape \(6, 15\)"):
        motion_gradient(case.system, motion, {"q": motion.q[1:]}, METHOD)
    with pytest.raises(ModelError, match="shorten its steps"):
        motion_gradient(case.system, replace(motion, notes={"rejected": 1.0}), {"q": motion.q}, METHOD)
