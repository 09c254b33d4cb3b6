"""Contact and co-simulation: restitution in closed form, and the same model as one monolithic system."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import scipy.integrate
import xarray as xr

from panhead.engine.system import no_controls
from panhead.railway.line import linear_line, read_line, string
from panhead.railway.line.line_matrices import LinearLine
from panhead.railway.pantograph.pantograph_files import read_pantograph
from panhead.runs.coupled.contact_law import contact_force, delivered_restitution
from panhead.runs.coupled.coupled_problem import Clocks, CoupledProblem, cosimulate
from panhead.runs.coupled.exchange_loop import couple
from panhead.runs.coupled.exchange_schemes import CouplingScheme, GaussSeidel, Iterated, Jacobi
from panhead.runs.coupled.monolith import solve_monolithic
from panhead.runs.coupled.placement import place_lifted, place_settled
from panhead.runs.description import ContactLaw, Journey, Numerics, OnTrain, Run
from panhead.runs.simulate import simulate_one
from panhead.runs.timetable import Timetable
from panhead.validation.checks import (
    AFTER,
    BEFORE,
    CLOSED_FORM,
    INDEPENDENT,
    Check,
    at_least,
    below,
    largest,
    listed,
    near,
)

_CLOSED = "(1 + e′) χ = ln((1 + χ)/(1 − χ e′)), χ = ¾ (1 − e²)"
_MONOLITHIC = "the same equations as one monolithic system with one Newton iteration"
_SPEED = 250 / 3.6  # [m/s]
_LANKARANI = ContactLaw(kind="lankarani-nikravesh", stiffness=3e6, restitution=0.9)
_DURATION = 0.32  # [s]


def contact_restitution() -> Sequence[Check]:
    """Two free bodies that collide by the law of Lankarani and Nikravesh: the coefficient of restitution."""
    known = {0.9: 0.91318, 0.7: 0.79597, 0.5: 0.72524}
    checks = []
    for e, delivered in known.items():
        found = [
            _restitution(ContactLaw(kind="lankarani-nikravesh", stiffness=K, exponent=n, restitution=e), masses, speed)
            for n, K, masses, speed in itertools.product(
                (1.0, 1.5, 2.0), (1e5, 1e8), ((1.0, 1.0), (7.2, 300.0)), (0.3, 2.0)
            )
        ]
        checks += [
            near(
                f"rebound by the closed form, e = {e}",
                delivered_restitution(e),
                delivered,
                tol=1e-5,
                unit="1",
                source=_CLOSED,
                by=CLOSED_FORM,
            ),
            below(
                f"largest deviation of {len(found)} collisions, e = {e}",
                largest(abs(x - delivered_restitution(e)) for x in found),
                1e-4,
                unit="1",
                source=_CLOSED,
                by=BEFORE,
            ),
        ]
    return checks


def _restitution(law: ContactLaw, masses: tuple[float, float], speed: float) -> float:
    """Coefficient of restitution: −δ̇ at separation over the impact speed."""
    reduced = masses[0] * masses[1] / (masses[0] + masses[1])
    # lengths and times of the collision, so that the solver's tolerances mean the same for all
    depth = (0.5 * (law.exponent + 1) * reduced * speed**2 / (law.stiffness or 1.0)) ** (1 / (law.exponent + 1))

    def rates(_: float, x: np.ndarray) -> list[float]:
        force = contact_force(law, depth * x[0], speed * x[1], speed)[0]
        return [x[1], -force * depth / (reduced * speed**2)]

    def apart(_: float, x: np.ndarray) -> float:
        return x[0]

    apart.terminal, apart.direction = True, -1  # type: ignore[attr-defined]
    run = scipy.integrate.solve_ivp(rates, (0.0, 100.0), [1e-12, 1.0], "DOP853", events=apart, rtol=1e-10, atol=1e-13)
    return -float(run.y[1, -1])


def cosimulation() -> Sequence[Check]:
    """Co-simulation against the monolithic model: agreement, orders, energies, loss and recovery of contact."""
    line = _line("en50318-2002", 3)
    soft = place_lifted(line, _way(30.0), read_pantograph("en50318-2002"), ramp=0.2).encounter
    return [
        *_orders(soft),
        *_agreement("linear contact", soft, Clocks()),
        *_agreement("Lankarani–Nikravesh", replace(soft, law=_LANKARANI), Clocks()),
        *_agreement("generalized-α, ρ = 0.7", soft, Clocks(spectral_radius=0.7)),
        *_loss_and_regain(replace(soft, law=_LANKARANI)),
        *_compare_with_linear_solver(),
        *_cx(),
    ]


def _line(name: str, spans: int) -> LinearLine:
    return linear_line(string(read_line(name)), element_length=2.0, spans=(0, spans))


def _way(start: float) -> Timetable:
    return Timetable.of(_SPEED, (), start, 0.0)


def _orders(encounter: CoupledProblem) -> Sequence[Check]:
    """Observed orders of difference and interface energy error from 2 to 1 ms; the reference has the same steps."""
    schemes: dict[str, tuple[CouplingScheme, int]] = {
        "Jacobi, constant": (Jacobi(), 1),
        "Gauss–Seidel, constant": (GaussSeidel(), 1),
        "Jacobi, linear": (Jacobi(extrapolation="linear"), 2),
        "Gauss–Seidel, linear": (GaussSeidel(extrapolation="linear"), 2),
    }
    found: dict[str, list[xr.Dataset]] = {name: [] for name in schemes}
    for step in (2e-3, 1e-3):
        clocks = Clocks(step=step)
        truth = solve_monolithic(encounter, duration=_DURATION, clocks=clocks)
        for name, (scheme, _) in schemes.items():
            run = cosimulate(encounter, scheme, duration=_DURATION, clocks=clocks, truth=truth)
            found[name].append(run)
    checks = []
    for name, (_, order) in schemes.items():
        for what, key in (("distance", "distance_rms"), ("energy error", "interface_energy_error")):
            coarse, fine = (run.attrs[key] for run in found[name])
            checks.append(
                at_least(
                    f"order of the {what}, {name}",
                    float(np.log2(coarse / fine)),
                    order - 0.15,
                    reference=order,
                    unit="1",
                    source="order of the extrapolation",
                    by=AFTER,
                )
            )
    return checks


def _agreement(name: str, encounter: CoupledProblem, clocks: Clocks) -> Sequence[Check]:
    truth = solve_monolithic(encounter, duration=_DURATION, clocks=clocks)
    run = cosimulate(encounter, Iterated(), duration=_DURATION, clocks=clocks, truth=truth)
    return [*_distance(name, run), _no_energy(name, run)]


def _distance(name: str, run: xr.Dataset) -> Sequence[Check]:
    return [
        below(
            f"largest difference of forces, iterated, {name}",
            run.attrs["distance_max"],
            1e-6,
            unit="N",
            source=_MONOLITHIC,
            by=BEFORE,
        )
    ]


def _no_energy(name: str, run: xr.Dataset) -> Check:
    return below(
        f"interface energy error over energy passed, iterated, {name}",
        run.attrs["interface_energy_error"] / float(run["interface_energy"][-1]),
        1e-9,
        unit="1",
        source="both sides agree",
        by=CLOSED_FORM,
    )


def _loss_and_regain(encounter: CoupledProblem) -> Sequence[Check]:
    """The head is pulled down for 60 ms and let go."""

    def pulled(t: float) -> np.ndarray:
        u = no_controls(encounter.pantograph)
        if 0.2 < t < 0.26:
            encounter.strips[0].push(u, 0.0, -300.0 * np.sin(np.pi * (t - 0.2) / 0.06) ** 2)
        return u

    away = replace(encounter, drives=pulled)
    truth = solve_monolithic(away, duration=_DURATION)
    run = cosimulate(away, Iterated(), duration=_DURATION, truth=truth)
    late = run.sel(time=slice(0.2, None))
    open_for = float((late["contact_force"] <= 0.0).sum()) * run.attrs["exchange_step"]
    return [
        *_distance("contact lost and regained", run),
        listed("contact lost for", 1e3 * open_for, None, unit="ms", source="the head is pulled for 60 ms and let go"),
        near(
            "losses and regains",
            run.attrs["losses"] + run.attrs["regains"],
            truth.attrs["losses"] + truth.attrs["regains"],
            unit="1",
            source=_MONOLITHIC,
            by=INDEPENDENT,
        ),
    ]


def _compare_with_linear_solver() -> Sequence[Check]:
    """Lumped pantograph under the whole reference line, against the linear solver with both in one system."""
    line = linear_line(string(read_line("en50318-2002")), element_length=2.0)
    chain, start, length = read_pantograph("en50318-2002"), 30.0, 1.0
    journey = Journey(
        start=start, stop=start + _SPEED * length, judged_from=start + 20.0,
        judged_to=start + _SPEED * length - 1.0, ramp=0.2, run_in=0.0,
    )  # fmt: skip
    checks = []
    laws = {"linear": ContactLaw(stiffness=chain.contact_stiffness), "Lankarani–Nikravesh": _LANKARANI}
    for name, law in laws.items():
        encounter = place_lifted(line, _way(start), chain, law, ramp=0.2).encounter
        run = cosimulate(encounter, Iterated(), duration=length, truth=False)
        other = simulate_one(
            Run(
                line="en50318-2002",
                train=(OnTrain(pantograph="en50318-2002"),),
                speed=_SPEED,
                contact=law,
                journey=journey,
                numerics=Numerics(step=1e-3, element_length=2.0),
            )
        )
        force = other["contact_force"].isel(pantograph=0).to_numpy()
        both = min(len(force), run.sizes["time"] - 1)
        gap = run["contact_force"].to_numpy()[1 : both + 1] - force[:both]
        checks.append(
            below(
                f"largest difference of forces from solver linear, {name}",
                float(np.abs(gap).max()),
                1e-6,
                unit="N",
                source="contact, masses and line in one small system",
                by=BEFORE,
            )
        )
    return checks


def _cx() -> Sequence[Check]:
    """The CX pantograph with its joints, a head that rolls under a wire with stagger; then with two strips."""
    clocks, line = Clocks(spectral_radius=0.9), _line("stitched-25kv", 3)
    chosen = {"static_force": 157.0, "height": 1.51}
    two = chosen | {"strips": 2, "head_turns": "roll and pitch"}
    checks: list[Check] = []
    for name, changes, duration in (("CX", chosen, 0.1), ("CX, two strips", two, 0.05)):
        met = place_settled(line, _way(70.0), read_pantograph("cx", changes), _LANKARANI).encounter
        run = cosimulate(met, Iterated(tolerance=1e-7), duration=duration, clocks=clocks)
        checks += [*_distance(name, run), _no_energy(name, run)]
    return [*checks, *_published_scheme(line)]


def _published_scheme(line: LinearLine) -> Sequence[Check]:
    """The published CX with Newmark, Gear and one exchange per step, against our scheme with the same line step."""
    exchanges, clocks = 30, Clocks(gear=True)
    duration = exchanges * clocks.exchange_step
    met = place_settled(line, _way(70.0), read_pantograph("cx"), _LANKARANI).encounter
    ours = cosimulate(met, Iterated(tolerance=1e-6), duration=duration, truth=False)
    side = met.pantograph_side(clocks)
    run = couple(
        met.line_side(clocks), side, GaussSeidel(extrapolation="linear"), duration=duration,
        exchange_step=clocks.exchange_step, truth=ours,
    )  # fmt: skip
    told = "[Ambrosio11], sec. 3: Newmark, Gear on Baumgarte's terms, exchange of fig. 6; ours iterates one step each"
    return [
        listed("as the paper integrates: largest distance from ours, CX", run.attrs["distance_max"], None, "N", told),
        listed(
            "as the paper integrates: steps of Gear an exchange", side.stepper.iterations / exchanges, 1.0, "1", told
        ),
    ]
