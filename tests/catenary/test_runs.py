"""Runs under the line: forms of contact, start, energy, laws, interruption."""

import numpy as np
import pytest

from panhead.catenary.laws import BangBang, Derivative, Exponential, Free
from panhead.catenary.run import Sampled, ridden
from panhead.errors import Interrupted, ModelError
from panhead.integrators import GeneralizedAlpha

from .builders import line, made


def test_embedded_and_augmented_contact_give_the_same_force():
    """Two writings of the same equations; what is left is where Newton stops."""
    method = GeneralizedAlpha(spectral_radius=0.7, tolerance=1e-11)
    one, other = (
        ridden(made(line(), contact=form), duration=0.1, method=method).curves["force"]
        for form in ("embedded", "augmented")
    )
    assert np.abs(one - other).max() < 1e-6


def test_the_start_is_without_a_kick():
    """Standing, nothing moves; moving, the first force is the static one but for the wire's slope · v."""
    still = ridden(made(line(), speed=0.0), duration=0.05)
    assert np.ptp(still.curves["force"]) < 1e-4
    moving = made(line())
    first = ridden(moving, duration=0.02).curves["force"][0]
    assert first == pytest.approx(moving.static_force, rel=0.15)


def test_the_lumped_estimate_is_the_force_of_the_multipliers():
    """The head moves along the plunger's axis, which tilts by little: a few per cent of the force's swing."""
    curves = ridden(made(line()), duration=0.3).curves
    assert np.abs(curves["force"] - curves["estimate"]).max() < 0.05 * np.ptp(curves["force"])


def test_energy_is_accounted_for():
    """With ρ = 1 no energy is lost to the method; what is left shrinks with the step."""
    record = ridden(
        made(line(), damper=Derivative()),
        duration=0.2,
        dt=5e-4,
        method=GeneralizedAlpha(spectral_radius=1.0, tolerance=1e-11),
    )
    energy = record.shapes["energies"].sum(axis=1)
    at = np.searchsorted(record.time, record.shape_time - 1e-9)
    c = record.curves
    given = (c["work_drivers"] + c["work_controls"] - c["dissipated"])[at]
    left = (energy - energy[0]) - (given - given[0])
    assert np.abs(left).max() < 0.02 * np.ptp(c["work_drivers"])
    assert (np.diff(c["work_controls"]) <= 1e-12).all()  # a damper only takes


def test_sampled_damper_follows_the_implicit_one():
    """Held for 1 ms instead of implicit: the forces differ by the rate's change within a sample."""
    law = Derivative(damping=500.0)
    implicit = ridden(made(line(), damper=law), duration=0.2).curves
    held = ridden(made(line(), controlled=True), duration=0.2, control=Sampled(law=law)).curves
    swing = np.ptp(implicit["actuator"])
    assert swing > 5.0
    assert np.abs(held["head"] - implicit["head"]).max() < 2e-4
    assert np.abs(held["actuator"][1:] - implicit["actuator"][:-1]).max() < 0.5 * swing


def test_any_callable_controls_and_sees_what_happens():
    seen = []
    push = Free(lambda t, m: seen.append((t, m.x, m.force)) or 0.0)
    record = ridden(made(line(), controlled=True), duration=0.04, control=Sampled(law=push))
    t, x, force = np.array(seen).T
    assert len(t) == 40
    assert np.allclose(np.diff(x), 200 / 3.6 * 1e-3, rtol=1e-3)
    assert np.allclose(force[1:], record.curves["force"][1:40], atol=1e-9)


def test_what_the_controller_asks_is_what_acts_on_the_head():
    """The force is among the curves, and the head's own balance closes with it."""
    push = Sampled(law=Free(lambda t, m: 30.0 + 100.0 * t), period=2e-3)
    curves = ridden(made(line(), controlled=True), duration=0.04, control=push).curves
    asked = 30.0 + 100.0 * 2e-3 * np.repeat(np.arange(20), 2)
    assert np.allclose(curves["actuator"][1:], asked, atol=1e-12)
    assert (
        np.abs(curves["force"] - curves["estimate"])[1:].max() < 1.0
    )  # without u it is off by 30 N


def test_pieces_do_not_change_the_run():
    whole, parts = (
        ridden(made(line(), damper=BangBang(switch=0.02)), duration=0.06, shape_every=every)
        for every in (0.06, 0.02)
    )
    assert np.abs(whole.curves["force"] - parts.curves["force"]).max() < 1e-4
    assert parts.shapes["contact height"].shape[0] == 3


def test_an_interrupted_run_keeps_what_it_has():
    def stop(share: float, text: str) -> None:
        if share >= 0.5:
            raise KeyboardInterrupt

    with pytest.raises(Interrupted) as caught:
        ridden(made(line()), duration=0.08, progress=stop)
    kept = caught.value.partial
    assert kept.time[-1] == pytest.approx(0.04)
    assert len(kept.curves["force"]) == len(kept.time)


def test_elastic_contact_carries_the_same_static_force():
    record = ridden(
        made(line(), contact="elastic", contact_stiffness=50e3, speed=0.0), duration=0.02
    )
    assert record.curves["force"][-1] == pytest.approx(made(line()).static_force, rel=0.01)


def test_a_controller_needs_an_actuator():
    with pytest.raises(ModelError, match="controlled"):
        ridden(made(line()), duration=0.01, control=Sampled(law=Exponential()))


def test_steps_must_fit():
    with pytest.raises(ModelError, match="whole number of steps"):
        ridden(made(line()), duration=0.0105, dt=1e-3)
