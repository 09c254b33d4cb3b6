"""Runs under the line: forms of contact, start, energy, laws, interruption."""

import numpy as np
import pytest

from panhead.engine.jobs import Job
from panhead.engine.methods.integrators import GeneralizedAlpha
from panhead.errors import Interrupted, ModelError, SimulationError
from panhead.runs.cables.cables_assembly import resting_line
from panhead.runs.cables.cables_dataset import dataset
from panhead.runs.cables.cables_march import CableMarch, Sampled
from panhead.runs.cables.cables_options import HeadLaw
from panhead.runs.cables.head_feedback import Regulator
from panhead.runs.cables.head_laws import Callback, Derivative
from panhead.runs.cables.observers import static_forces
from panhead.runs.description import ContactLaw

from .builders import DRIVEN, curve, ride, run, whole


def test_embedded_and_augmented_contact_give_the_same_force():
    """Two writings of the same equations; what is left is where Newton stops.

    Near the line's beginning: the round-off of a place 84 m away, divided by β dt², is already 1e-6 N.
    """
    method = GeneralizedAlpha(spectral_radius=0.7, tolerance=1e-11)
    one, other = (
        curve(ride(run(x=12.5, contact=ContactLaw(kind="joint", form=form)), method=method), "contact_force")
        for form in ("embedded", "augmented")
    )
    assert np.abs(one - other).max() < 1e-6


def test_the_start_is_without_a_kick():
    """Slowly, nothing moves; fast, the first force is the static one but for the wire's slope · v."""
    still = ride(run(speed=1e-3, duration=0.05))
    assert np.ptp(curve(still, "contact_force")) < 1e-4
    moving = ride(run(duration=0.02))
    assert curve(moving, "contact_force")[0] == pytest.approx(float(moving["static_force"]), rel=0.15)


def test_the_lumped_estimate_is_the_force_of_the_multipliers():
    """The head moves along the plunger's axis, which tilts by little: a few per cent of the force's swing."""
    result = ride(run(duration=0.3))
    force = curve(result, "contact_force")
    assert np.abs(force - curve(result, "force_estimate")).max() < 0.05 * np.ptp(force)


def test_along_the_guide_the_head_is_in_balance():
    """Raised by 0.1 m the plunger tilts by 4°; what is left is the slope of the wire, F / 2T, times the tilt."""
    result = ride(run(uplift=3042.0, moment=163.0, duration=0.3))
    force = curve(result, "contact_force")
    off = {n: np.abs(force - curve(result, n)).max() for n in ("force_estimate", "force_by_balance")}
    assert off["force_by_balance"] < 0.005 * force.max()
    assert off["force_by_balance"] < 0.2 * off["force_estimate"]


def test_the_estimate_in_print_sees_only_the_head_once_it_is_locked():
    """It has no term for the actuator: of (m₁ + M) ÿ it shows m₁ ÿ, M what the arms weigh at the plunger.

    2 %: the lever of uplift and weight changes a little as the arms rise.
    """
    law = HeadLaw(kind="derivative", parameters={"damping": 1e5})
    result = ride(run(duration=0.4), law)
    told = curve(result, "force_estimate") - curve(result, "actuator_force")
    true = curve(result, "contact_force")
    share, head = np.cov(told, true)[0, 1] / true.var(), Regulator().head_mass
    assert share == pytest.approx(head / (head + Regulator().arm_mass), abs=0.02)


def test_energy_is_accounted_for():
    """With ρ = 1 no energy is lost to the method; what is left shrinks with the step."""
    method = GeneralizedAlpha(spectral_radius=1.0, tolerance=1e-11)
    described = run(duration=0.2, step=5e-4)
    made = whole(described, HeadLaw(kind="derivative"))
    march = CableMarch(made, method=method)
    march.run()
    result = dataset(march)
    work, taken = result["work_drivers"].to_numpy(), result["work_controls"].to_numpy()
    assert np.abs(result["balance"].to_numpy()).max() < 0.02 * np.ptp(work)
    assert (np.diff(taken) <= 1e-12).all()  # a damper only takes


def test_sampled_damper_follows_the_implicit_one():
    """Held for 1 ms instead of implicit: the forces differ by the rate's change within a sample."""
    implicit = ride(run(duration=0.2), HeadLaw(kind="derivative", parameters={"damping": 500.0}))
    control = Sampled(law=Derivative(damping=500.0))
    held = ride(run(duration=0.2), DRIVEN, control=control)
    swing = np.ptp(curve(implicit, "actuator_force"))
    assert swing > 5.0
    assert np.abs(curve(held, "head_z") - curve(implicit, "head_z")).max() < 2e-4
    late = curve(held, "actuator_force")[1:] - curve(implicit, "actuator_force")[:-1]
    assert np.abs(late).max() < 0.5 * swing


def test_any_callable_controls_and_sees_what_happens():
    seen = []
    push = Callback(lambda t, m: seen.append((t, m.x, m.force)) or 0.0)
    result = ride(run(duration=0.04), HeadLaw(kind="own", feedback=push))
    t, x, force = np.array(seen).T
    assert len(t) == 40
    assert np.allclose(np.diff(x), 200 / 3.6 * 1e-3, rtol=1e-3)
    assert np.allclose(force[1:], curve(result, "contact_force")[1:40], atol=1e-9)


def test_what_the_controller_asks_is_what_acts_on_the_head():
    """The force is among the curves, and the head's own balance closes with it."""
    push = Sampled(law=Callback(lambda t, m: 30.0 + 100.0 * t), period=2e-3)
    result = ride(run(duration=0.04), DRIVEN, control=push)
    asked = 30.0 + 100.0 * 2e-3 * np.repeat(np.arange(20), 2)
    assert np.allclose(curve(result, "actuator_force")[1:], asked, atol=1e-12)
    off = np.abs(curve(result, "contact_force") - curve(result, "force_estimate"))
    assert off[1:].max() < 1.0  # without u it is off by 30 N


def test_pieces_do_not_change_the_run():
    law = HeadLaw(kind="bang-bang", parameters={"switch": 0.02})
    wholly, parts = (ride(run(duration=0.06, keep=keep), law) for keep in (0.06, 0.01))
    force = lambda x: curve(x, "contact_force")
    assert np.abs(force(wholly) - force(parts)).max() < 1e-4
    assert parts["dropper_force"].shape[0] == 6


def test_an_interrupted_run_keeps_what_it_has():
    def stop(share: float, text: str) -> None:
        if share >= 0.5:
            raise KeyboardInterrupt

    march = CableMarch(whole(run(duration=0.08)), job=Job(progress=stop))
    with pytest.raises(Interrupted):
        march.run()
    kept = dataset(march)
    assert float(kept["time"][-1]) == pytest.approx(0.04)
    assert kept["contact_force"].shape == (1, len(kept["time"]))


def test_a_run_that_fails_keeps_what_it_has():
    """A damper of the wrong sign tears at the head until no step has an answer."""
    push = Sampled(law=Callback(lambda t, m: 2e4 * m.rate + 1e5 * t))
    march = CableMarch(whole(run(duration=2.0), DRIVEN), control=push)
    with pytest.raises(SimulationError):
        march.run()
    assert 1 < dataset(march).sizes["time"] < 2000


def test_elastic_contact_carries_the_same_static_force():
    soft = whole(run(contact=ContactLaw(kind="linear", stiffness=50e3)))
    assert static_forces(soft)[0] == pytest.approx(static_forces(whole(run()))[0], rel=0.01)


def test_an_elastic_contact_opens():
    """Over a run with a strong kick of the actuator the strip leaves the wire and comes back."""
    push = Sampled(law=Callback(lambda t, m: -400.0 if t < 0.02 else 0.0))
    described = run(duration=0.3, contact=ContactLaw(kind="linear"))
    force = curve(ride(described, DRIVEN, control=push), "contact_force")
    assert force.min() == 0.0
    assert force[np.argmin(force) :].max() > 0.0


def test_a_controller_needs_an_actuator():
    with pytest.raises(ModelError, match="actuator"):
        CableMarch(whole(run()), control=Sampled(law=Derivative()))


def test_a_period_must_be_whole_steps():
    with pytest.raises(ModelError, match="whole number of steps"):
        CableMarch(whole(run(), DRIVEN), control=Sampled(law=Derivative(), period=1.5e-3))


def test_variants_share_their_line():
    from panhead.runs.resolve import resolve

    assert resting_line(resolve(run())) is resting_line(resolve(run(x=60.0)))


def test_a_run_with_a_folder_keeps_its_curves_in_files(tmp_path):
    """What a run holds is one piece of motion: twice as long, not a kilobyte more."""
    import gc
    import tracemalloc

    in_memory = curve(ride(run(duration=0.04)), "contact_force")
    march = CableMarch(whole(run(duration=0.04)), job=Job(out=tmp_path))
    march.run()
    assert list(tmp_path.rglob("curves.rows"))
    assert np.array_equal(march.streams.table("curves")[:, 0], in_memory)

    def held(duration: float) -> int:
        march = CableMarch(whole(run(duration=duration)), job=Job(out=tmp_path))
        tracemalloc.start()
        march.run()
        gc.collect()
        traces = tracemalloc.take_snapshot().traces
        tracemalloc.stop()
        # a row of curves is 112 bytes and more; smaller blocks are what Python and CasADi pool for reuse
        return sum(trace.size for trace in traces if trace.size > 100)

    held(0.1)
    rows = 200 * 14 * 8  # bytes of the curves of the 0.2 s by which the second is longer
    assert held(0.8) - held(0.6) < rows / 2
