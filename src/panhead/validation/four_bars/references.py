"""Four-bar linkages in a row against IFToMM benchmark A02, and against one equation for longer rows [Gonzalez06]."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.integrate import solve_ivp

from panhead.engine.methods.formulations import Augmented, Embedded, Formulation
from panhead.engine.methods.integrators import RungeKutta4
from panhead.engine.methods.simulate import simulate
from panhead.engine.symbolic.mechanism_dataset import dataset
from panhead.runs import scenarios
from panhead.runs.scenarios.motion_kind import start_of, system_of
from panhead.validation.checks import AFTER, BEFORE, CLOSED_FORM, INDEPENDENT, Check, below, near
from panhead.validation.motions import (
    BENCHMARK,
    CONSERVATION,
    JOINTS,
    MotionCase,
    energy_residual,
    extrapolate,
    observed_order,
    place_checks,
    run_at_step,
)


def iftomm_a02() -> Sequence[Check]:
    """Two four-bars after 10 s and five passages through singular configurations."""
    scenario = scenarios.read("iftomm-a02")
    system = system_of(scenario.description)
    start = start_of(scenario.description, system)
    reference = {"B0_x": 0.3284581115, "B0_y": 0.9445185382, "B0_x_dot": 1.4230514702, "B0_y_dot": -0.4948688455}
    checks = []
    forms: tuple[tuple[str, Formulation], ...] = (("augmented", Augmented()), ("embedded", Embedded()))
    for name, formulation in forms:
        motion = simulate(
            system, start, duration=10.0, dt=1e-3, keep=1e-2, method=RungeKutta4(), formulation=formulation
        )
        result = dataset(system, motion)
        checks += [
            near(f"{quantity} at 10 s, {name}", float(result[quantity][-1]), value, result[quantity].attrs["units"],
                BENCHMARK, tol=1e-5, by=BEFORE)
            for quantity, value in reference.items()
        ]  # fmt: skip
        checks += [
            below(
                f"energy balance, {name}, relative", energy_residual(result), 1e-6, "1", CONSERVATION,
                by=CLOSED_FORM,
            ),
            below(f"constraint drift, {name}", float(result["constraint_residual"].max()), 1e-10, "m",
                "closure of the loops", by=BEFORE),
        ]  # fmt: skip
    return checks


def four_bar_n() -> Sequence[Check]:
    """IFToMM A02 with 2, 40 and 80 loops: through every singular position; positions and energy."""
    two = MotionCase(model="four-bars", duration=10.0, body="upright0", place=(0.5, 0.0))
    benchmark = np.array([0.3284581115, 0.9445185382, 0.0])
    coarse, fine = run_at_step(two, 1e-3), run_at_step(two, 5e-4)
    checks = [
        *place_checks(
            "B0 at 10 s, N = 2",
            extrapolate(coarse, fine)[:2],
            benchmark[:2],
            tol=2e-7,
            source="IFToMM benchmark A02, closed form",
            by=AFTER,
        ),
        near("order of convergence, N = 2", observed_order(coarse, fine, benchmark), 2.0, "1", "the method's order",
            tol=0.05, by=BEFORE),
    ]  # fmt: skip
    for loops, duration in ((40, 10.0), (80, 2.0)):
        checks += _row_of(loops, duration)
    return checks


def _row_of(loops: int, duration: float) -> list[Check]:
    """A longer row at 1 ms: its loops move as one parallelogram."""
    case = MotionCase(
        model="four-bars", duration=duration, body="upright0", place=(0.5, 0.0), parameters={"loops": loops}
    )
    found = run_at_step(case, 1e-3)
    phi = _parallelogram(loops, duration)
    return [
        # the error at 1 ms of N = 2 is 4e-5 m after 10 s
        *place_checks(
            f"B0 at {duration:g} s, N = {loops}",
            found.place[:2],
            [np.sin(phi), np.cos(phi)],
            tol=1e-4,
            source="one equation for the common angle, eighth order",
            by=INDEPENDENT,
        ),
        below(f"energy over {duration:g} s, N = {loops}, relative", found.energy, 1e-4, "1", CONSERVATION, by=AFTER),
        below(f"constraint residual, N = {loops}", found.residual, 1e-10, "m", JOINTS, by=BEFORE),
    ]  # fmt: skip


def _parallelogram(loops: int, t: float) -> float:
    """Common angle of the parallelogram: I φ̈ = W sin φ, φ(0) = 0, φ̇(0) = 1."""
    inertia, weight = (loops + 1) / 3 + loops, 9.81 * ((loops + 1) / 2 + loops)
    rate = lambda _, x: [x[1], weight / inertia * np.sin(x[0])]
    return float(solve_ivp(rate, (0.0, t), [0.0, 1.0], "DOP853", rtol=1e-12, atol=1e-13).y[0, -1])
