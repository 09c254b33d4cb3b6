"""The planar catenary: its start, forms of contact, kept factors, and what happens at a rigid mast."""

import numpy as np
import pytest

from panhead.engine.methods.integrators import GeneralizedAlpha
from panhead.engine.methods.simulate import simulate
from panhead.errors import ModelError
from panhead.validation.planar_catenary.model import GRAVITY, HEAD, SUSPENSION, contact_force, planar_catenary, start

DT = 1e-3


def run(contact="embedded", masts="free", *, duration=0.15, spans=4, **method):
    model = planar_catenary(contact, masts, spans=spans)
    system = model.system()
    options = {"spectral_radius": 0.5, "tolerance": 1e-12, "factor": "while it serves"} | method
    motion = simulate(system, start(model), duration=duration, dt=DT, method=GeneralizedAlpha(**options))
    return system, motion, contact_force(system, motion)


@pytest.fixture(scope="module")
def plain():
    return run()


def test_the_start_is_at_rest_under_the_uplift(plain):
    system, motion, _ = plain
    shortened = motion.q[0, system.place("frame.x")] - motion.q[0, system.place("head.y")]
    assert SUSPENSION * shortened - HEAD * GRAVITY == pytest.approx(110.0, abs=1e-6)


def test_the_multiplier_is_the_force_that_the_head_feels(plain):
    system, motion, force = plain
    lam = motion.lam[:, system.constraints.index("slide.normal")]
    # the multiplier acts along the normal of a wire that is some 10 mrad steep: cosine 1 − 5e-5
    np.testing.assert_allclose(np.abs(lam), np.abs(force), atol=2e-2)


def test_both_forms_of_the_joint_give_the_same_force(plain):
    _, _, force = run("augmented")
    # both meet the constraint to 1e-12 m; a = Δq / (β dt²) makes 1e-6 N of that
    np.testing.assert_allclose(force, plain[2], atol=1e-5)


def test_a_kept_factor_changes_nothing_but_the_time(plain):
    _, motion, force = run(factor="each step")
    assert motion.notes["factorisations"] > 100 * plain[1].notes["factorisations"]
    np.testing.assert_allclose(force, plain[2], atol=1e-4)  # Newton's tolerance, as above
    np.testing.assert_allclose(motion.q[-1], plain[1].q[-1], atol=1e-9)


def test_one_iteration_a_step_is_enough_for_the_force(plain):
    _, motion, force = run(tolerance=1e-8)
    assert motion.notes["iterations"] < 1.6 * (len(motion.t) - 1)
    assert np.abs(force - plain[2]).max() < 0.05  # of 110 N


def test_at_a_rigid_mast_a_joint_pulls_and_a_contact_parts():
    """The slope of the wire turns within its bending length: m v Δ(slope) is a blow, not an error of the mesh."""
    _, _, joint = run("embedded", "held", duration=0.6)
    _, _, pushing = run("pushing", "held", duration=0.6)
    near_mast = slice(470, 530)  # the mast is passed at 0.496 s
    assert joint[near_mast].min() < -100.0
    assert pushing.min() > -1e-6
    assert np.ptp(pushing[near_mast]) < np.ptp(joint[near_mast])


def test_elements_fit_the_droppers():
    with pytest.raises(ModelError, match="multiple of 9, got 10"):
        planar_catenary(elements=10)
