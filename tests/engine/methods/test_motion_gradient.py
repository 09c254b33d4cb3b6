"""The adjoint of generalized-α on any system: loops, a joint that slides, controls, and what it refuses."""

from dataclasses import replace

import numpy as np
import pytest

from panhead.engine.methods.alpha_adjoint import motion_gradient
from panhead.engine.methods.simulate import simulate
from panhead.errors import ModelError
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
    assert np.isnan([value for name, value in found.parameters.items() if name.startswith("foot0")]).any()


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
