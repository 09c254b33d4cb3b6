"""Stops and dry friction of a pantograph in whole runs: limits in which they are springs and dampers."""

from dataclasses import replace

import numpy as np
import pytest

from panhead.railway.pantograph.lumped_pantograph import LumpedPantograph, read_pantograph
from panhead.runs.description import Journey, Numerics, OnTrain, Run
from panhead.runs.simulate import simulate

REFERENCE = read_pantograph("en50318-2002")


def with_head(**changes) -> LumpedPantograph:
    """The reference pantograph with something else about the head's suspension."""
    return replace(REFERENCE, stages=(replace(REFERENCE.stages[0], **changes), REFERENCE.stages[1]))


def ride(pantograph: LumpedPantograph, speed: float = 300 / 3.6):
    """Six spans of the reference line; steps of 2 ms and elements of 3 m are enough to compare runs."""
    return simulate(
        Run(
            line="en50318-2002",
            speed=speed,
            train=(OnTrain(pantograph=pantograph),),
            journey=Journey(stop=400.0, judged_from=300.0, judged_to=380.0, ramp=1.0),
            numerics=Numerics(step=2e-3, element_length=3.0, coarse=True),
        )
    )


def travel(result) -> np.ndarray:
    """Of the head's suspension, from its rest position [m]."""
    head, frame = result["mass_z"].values
    return head - frame


def heat(result) -> float:
    return float(result["dissipated_pantograph"][-1])


def assert_ledger_closes(result):
    turned = np.abs(result["work_train"]).max() + np.abs(result["work_uplift"]).max()
    assert np.abs(result["balance"]).max() < 1e-9 * turned


@pytest.fixture(scope="module")
def plain():
    return ride(REFERENCE)


def test_stops_without_play_are_a_spring():
    """With both stops at rest −k d − k_s max(0, d) + k_s max(0, −d) = −(k + k_s) d: the same equations,
    so that only round-off is between the runs."""
    stopped = ride(with_head(stop_up=0.0, stop_down=0.0, stop_stiffness=2e4))
    sprung = ride(with_head(stiffness=REFERENCE.stages[0].stiffness + 2e4))
    np.testing.assert_allclose(stopped["contact_force"], sprung["contact_force"], rtol=0.0, atol=1e-6)
    assert_ledger_closes(stopped)


def test_a_stop_limits_the_travel(plain):
    """The head sinks by 120 N / 4.2 kN/m = 29 mm in the mean; a stop at 30 mm is hit and left again.

    Beyond the stop only k_s (d + 30 mm) ≤ the largest contact force and the head's inertia can push:
    1 mm at 1 MN/m is a thousand newtons.
    """
    stopped = ride(with_head(stop_down=0.03, stop_stiffness=1e6))
    assert travel(plain).min() < -0.035
    assert -0.031 < travel(stopped).min() < -0.03
    beyond = travel(stopped) < -0.03
    assert np.count_nonzero(np.diff(beyond.astype(int)) > 0) >= 3  # it is hit again and again
    assert_ledger_closes(stopped)


def test_friction_that_never_saturates_is_a_damper(plain):
    """R tanh(ḋ/v_R) with v_R far above any ḋ is (R/v_R) ḋ, less its share (ḋ/v_R)²/3 < 1e-4 of 10 N·s/m."""
    rubbed = ride(with_head(friction=500.0, friction_speed=50.0, damping=0.0))
    np.testing.assert_allclose(rubbed["contact_force"], plain["contact_force"], rtol=0.0, atol=1e-3)
    assert heat(rubbed) == pytest.approx(heat(plain), rel=1e-4)
    assert_ledger_closes(rubbed)


def test_friction_that_never_slips_makes_one_mass_of_two():
    """10 kN of friction hold the head: it creeps with v_R λ/R < 1e-4 m/s, and 0.3 mm in the whole run
    change the frame spring's 50 N/m by 15 mN; the impacts at droppers feel the creep's damper a little more."""
    stages = REFERENCE.stages
    held = ride(with_head(friction=1e4))
    single = replace(stages[1], mass=stages[0].mass + stages[1].mass)
    together = ride(replace(REFERENCE, stages=(single,)))
    np.testing.assert_allclose(held["contact_force"], together["contact_force"], rtol=0.0, atol=0.5)
    assert np.abs(travel(held)).max() < 1e-3
    assert_ledger_closes(held)


def test_dry_friction_loses_its_force_times_the_way():
    """Sliding friction takes R |Δd| out; the law's tanh leaves a little less while the motion turns."""
    force = 5.0
    rubbed = ride(with_head(friction=force, damping=0.0))
    way = np.abs(np.diff(travel(rubbed), prepend=0.0)).sum()
    in_frame = 90.0 * np.sum(np.gradient(rubbed["mass_z"].values[1], 2e-3) ** 2) * 2e-3
    assert heat(rubbed) - in_frame == pytest.approx(force * way, rel=0.02)
    assert_ledger_closes(rubbed)
