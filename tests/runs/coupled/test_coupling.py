"""Two codes beside the same model in one piece."""

from dataclasses import replace

import numpy as np
import pytest

from panhead.engine.jobs import Job
from panhead.engine.methods.integrators import BDF, GeneralizedAlpha
from panhead.engine.system import no_controls
from panhead.errors import Interrupted, ModelError, NotConverged
from panhead.railway.pantograph.pantograph_files import read_pantograph
from panhead.runs.coupled.coupled_problem import Clocks, cosimulate
from panhead.runs.coupled.exchange_loop import couple
from panhead.runs.coupled.exchange_schemes import GaussSeidel, Iterated, Jacobi
from panhead.runs.coupled.joined_system import JoinedSystem
from panhead.runs.coupled.monolith import solve_monolithic
from panhead.runs.coupled.placement import place_lifted
from panhead.runs.description import ContactLaw
from tests.runs.coupled.builders import LANKARANI, encounter, line, way

DURATION = 0.08


@pytest.mark.parametrize("law", [None, LANKARANI])
@pytest.mark.parametrize("rho", [1.0, 0.8])
def test_iterated_meets_the_monolith(law, rho):
    met, clocks = encounter(law), Clocks(spectral_radius=rho)
    run = cosimulate(met, Iterated(), duration=DURATION, clocks=clocks)
    assert float(run["contact_force"].max()) > 20.0
    assert run.attrs["distance_max"] < 1e-6
    assert run.attrs["distance_times"] == run.sizes["time"]
    assert run.attrs["interface_energy_error"] < 1e-9 * float(run["interface_energy"][-1])


@pytest.fixture(scope="module")
def slow_start():
    """An encounter lifted slowly, and its truth in steps of 0.5 ms."""
    met = encounter(ramp=0.06)
    return met, solve_monolithic(met, duration=DURATION, clocks=Clocks(step=5e-4))


@pytest.mark.parametrize(
    ("scheme", "order"),
    [
        (Jacobi(), 1),
        (GaussSeidel(), 1),
        (GaussSeidel(first="pantograph"), 1),
        (Jacobi(extrapolation="linear"), 2),
        (GaussSeidel(extrapolation="linear"), 2),
    ],
)
def test_coupling_errors_fall_with_the_order_of_the_extrapolation(scheme, order, slow_start):
    """Line and pantograph keep their step of 0.5 ms; only the exchange gets coarser."""
    (met, truth), found = slow_start, []
    for every in (4, 2):
        clocks = Clocks(step=5e-4, every=every, pantograph_steps=every)
        run = cosimulate(met, scheme, duration=DURATION, clocks=clocks, truth=truth)
        found.append([run.attrs["distance_rms"], run.attrs["interface_energy_error"]])
    distance, energy = np.log2(np.array(found[0]) / np.array(found[1]))
    assert distance == pytest.approx(order, abs=0.4)  # the coarse end of a short run
    assert energy > order - 0.4


def test_loss_and_regain_of_contact_are_those_of_the_monolith():
    met = encounter(LANKARANI, ramp=0.02)

    def pulled(t):
        u = no_controls(met.pantograph)
        met.strips[0].push(u, 0.0, -600.0 * np.sin(np.pi * min(max(t - 0.09, 0.0), 0.02) / 0.02) ** 2)
        return u

    run = cosimulate(replace(met, drives=pulled), Iterated(), duration=0.16)
    assert run.attrs["losses"] >= 1
    assert run.attrs["regains"] >= 2  # it began without force
    assert run.attrs["distance_max"] < 1e-6


@pytest.mark.parametrize("acceleration", ["none", "aitken", "quasi-newton"])
def test_every_way_to_iterate_comes_to_the_same_answer(acceleration):
    met = encounter()
    truth = cosimulate(met, Iterated(), duration=0.06, truth=False)
    assert float(truth["contact_force"].max()) > 10.0
    run = cosimulate(met, Iterated(acceleration=acceleration), duration=0.06, truth=truth)
    assert run.attrs["distance_max"] < 1e-6


def test_a_stiff_contact_needs_the_slope_of_the_interface():
    """The share of the wire that a step feels weighs more than the head: repetition runs away, secants do not."""
    met = encounter(ContactLaw(stiffness=2e7), head_mass=0.3)
    run = cosimulate(met, Iterated(tolerance=1e-6), duration=0.05, truth=False)
    assert run.attrs["iterations_mean"] < 10
    with pytest.raises(NotConverged, match="exchange did not converge") as error:
        cosimulate(met, Iterated(acceleration="none"), duration=0.05, truth=False)
    assert error.value.partial.sizes["time"] >= 1


@pytest.mark.parametrize(
    "method",
    [GeneralizedAlpha(spectral_radius=1.0, tolerance=1e-13, local_error=1e-10), BDF(rtol=1e-8, atol=1e-10)],
    ids=["generalized-α", "Gear"],
)
def test_a_pantograph_that_chooses_its_steps_comes_near_one_with_many(method):
    met, duration = encounter(), 0.06
    many = Clocks(pantograph_steps=16)
    fine = cosimulate(met, Iterated(), duration=duration, clocks=many, truth=False)
    single = cosimulate(met, Iterated(), duration=duration, truth=fine)
    chosen = couple(
        met.line_side(),
        met.pantograph_side(method=method),
        Iterated(tolerance=1e-6),
        duration=duration,
        exchange_step=1e-3,
        truth=fine,
    )
    assert float(fine["contact_force"].max()) > 1.0
    assert chosen.attrs["distance_max"] < 0.2 * single.attrs["distance_max"]


def test_the_exchange_may_be_coarser_than_the_line_but_not_the_pantograph():
    with pytest.raises(ModelError, match="must not be longer"):
        Clocks(every=4, pantograph_steps=2)
    with pytest.raises(ModelError, match="whole number of exchange steps"):
        cosimulate(encounter(), duration=0.0105, truth=False)


def test_ctrl_c_keeps_the_run_so_far():
    met = encounter()
    line_side = met.line_side()

    class Stopped:
        name, inputs, outputs = "line", line_side.inputs, line_side.outputs
        time = property(lambda self: line_side.time)

        def __getattr__(self, name):
            return getattr(line_side, name)

        def advance(self, dt, u0, u1):
            if line_side.time > 0.0195:
                raise KeyboardInterrupt
            return line_side.advance(dt, u0, u1)

    with pytest.raises(Interrupted) as error:
        couple(Stopped(), met.pantograph_side(), Jacobi(), duration=0.05, exchange_step=1e-3)
    assert error.value.partial.sizes["time"] == 21


def test_both_sides_must_name_the_same_ports_and_time():
    met = encounter()
    two = met.line_side()
    with pytest.raises(ModelError, match="must be the same"):
        couple(two, two, Jacobi(), duration=0.01, exchange_step=1e-3)
    late = met.pantograph_side()
    none = no_controls(met.pantograph)
    late.stepper.advance(1e-3, none, none)
    with pytest.raises(ModelError, match="start at the same time"):
        couple(two, late, Jacobi(), duration=0.01, exchange_step=1e-3)
    with pytest.raises(ModelError, match="1 distances `behind`"):
        replace(met, strips=met.strips * 2)


def test_progress_is_reported():
    shares = []
    job = Job(progress=lambda share, words: shares.append(share))
    cosimulate(encounter(), GaussSeidel(), duration=0.06, truth=False, job=job)
    assert shares == [0.0, pytest.approx(50 / 60)]


def test_the_joined_system_knows_its_slopes():
    """∂f/∂q and ∂f/∂v beside differences, in contact and moving; droppers far from their corner."""
    met = encounter(LANKARANI)
    joined = JoinedSystem(met)
    random = np.random.default_rng(1)
    q, v = np.zeros((2, len(joined.coordinates)))
    q[: joined.nl] = 1e-5 * random.standard_normal(joined.nl)
    v[: joined.nl] = 1e-3 * random.standard_normal(joined.nl)
    q[joined.nl :] = met.start.q + 3e-3
    t, u, h = 0.01, no_controls(met.pantograph), 1e-6
    assert joined.contacts(joined.touching(t, q, v))[0, 0] > 10.0
    for _ in range(5):
        d = random.standard_normal(len(q))
        by_q = (joined.force(t, q + h * d, v, u) - joined.force(t, q - h * d, v, u)) / (2 * h)
        by_v = (joined.force(t, q, v + h * d, u) - joined.force(t, q, v - h * d, u)) / (2 * h)
        scale = np.abs(by_q).max()
        assert joined.force_q(t, q, v, u) @ d == pytest.approx(by_q, abs=1e-4 * scale)
        assert joined.force_v(t, q, v, u) @ d == pytest.approx(by_v, abs=1e-4 * np.abs(by_v).max())


def test_the_monolith_s_energy_balance_closes_with_the_step():
    """Powers are integrated by the trapezoidal rule: second order."""
    errors = [
        float(np.abs(solve_monolithic(encounter(ramp=0.06), duration=0.04, clocks=Clocks(step=h))["balance"]).max())
        for h in (2e-3, 1e-3)
    ]  # fmt: skip
    assert errors[1] < 0.35 * errors[0]


def test_wires_that_move_sideways_move_the_contact_point():
    wires, pantograph = line("stitched-25kv", lateral=True), read_pantograph("en50318-2002")
    swaying = place_lifted(wires, way(15.0), pantograph, ramp=0.02).encounter
    run = cosimulate(swaying, Iterated(), duration=0.06)
    assert float(run["contact_force"].max()) > 10.0
    assert run.attrs["distance_max"] < 1e-6
