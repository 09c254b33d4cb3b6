"""Runs under the line: forms of contact, start, energy, laws, interruption."""

import numpy as np
import pytest

from panhead.errors import Interrupted, ModelError, SimulationError
from panhead.jobs import Job
from panhead.methods.integrators import GeneralizedAlpha
from panhead.pantograph.cx import MASSES
from panhead.run.solvers.cables.feedback import Regulator
from panhead.run.solvers.cables.laws import BangBang, Derivative, Exponential, Free
from panhead.run.solvers.cables.run import Sampled, ridden

from .builders import line, made


def test_embedded_and_augmented_contact_give_the_same_force():
    """Two writings of the same equations; what is left is where Newton stops.

    Near the line's beginning: the round-off of a place 84 m away, divided by β dt², is already 1e-6 N.
    """
    method = GeneralizedAlpha(spectral_radius=0.7, tolerance=1e-11)
    one, other = (
        ridden(made(line(), x=12.5, contact=form), duration=0.1, method=method).curves["force"]
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


def test_along_the_guide_the_head_is_in_balance():
    """Raised by 0.1 m the plunger tilts by 4°; what is left is the slope of the wire, F / 2T, times the tilt."""
    curves = ridden(made(line(), uplift=3042.0, moment=163.0), duration=0.3).curves
    off = {name: np.abs(curves["force"] - curves[name]).max() for name in ("estimate", "guided")}
    assert off["guided"] < 0.005 * curves["force"].max()
    assert off["guided"] < 0.2 * off["estimate"]


def test_the_estimate_in_print_sees_only_the_head_once_it_is_locked():
    """It has no term for the actuator: of (m₁ + M) ÿ it shows m₁ ÿ, M what the arms weigh at the plunger.

    2 %: the lever of uplift and weight changes a little as the arms rise.
    """
    curves = ridden(made(line(), damper=Derivative(damping=1e5)), duration=0.4).curves
    told, true = curves["estimate"] - curves["actuator"], curves["force"]
    share = np.cov(told, true)[0, 1] / true.var()
    head = MASSES["pan-head"]
    assert share == pytest.approx(head / (head + Regulator().arm_mass), abs=0.02)


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
        ridden(made(line()), duration=0.08, job=Job(progress=stop))
    kept = caught.value.partial
    assert kept.time[-1] == pytest.approx(0.04)
    assert len(kept.curves["force"]) == len(kept.time)


def test_a_run_that_fails_keeps_what_it_has():
    """A damper of the wrong sign tears at the head until no step has an answer."""
    push = Sampled(law=Free(lambda t, m: 2e4 * m.rate + 1e5 * t))
    with pytest.raises(SimulationError) as caught:
        ridden(made(line(), controlled=True), duration=2.0, control=push)
    kept = caught.value.partial
    assert 1 < len(kept.time) < 2000
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


def test_a_run_with_a_folder_keeps_its_curves_in_files(tmp_path):
    """What a run holds is one piece of motion: twice as long, not a kilobyte more."""
    import tracemalloc

    short = made(line())
    whole = ridden(short, duration=0.04).curves["force"]
    record = ridden(short, duration=0.04, job=Job(out=tmp_path))
    assert np.array_equal(record.curves["force"], whole)
    assert record.shapes["contact height"].shape[0] == 2
    assert list(tmp_path.rglob("curves.rows"))

    def held(duration: float) -> int:
        tracemalloc.start()
        kept = ridden(short, duration=duration, job=Job(out=tmp_path))
        size, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert len(kept.time) > 1
        return size

    held(0.04)
    rows = 200 * 13 * 8  # bytes of the curves of the 0.2 s by which the second is longer
    assert held(0.24) - held(0.04) < rows / 2
