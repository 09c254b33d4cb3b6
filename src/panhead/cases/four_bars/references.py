"""Validation of models of bodies and joints: the chain, four-bars in a row, rods that bend."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.integrate import solve_ivp

from panhead.cases.checks import Check, below, near
from panhead.methods.integrators import GeneralizedAlpha
from panhead.methods.simulate import simulate
from panhead.methods.trajectory import Trajectory
from panhead.multibody.outline import marker_on, positions
from panhead.multibody.recording import accounts
from panhead.scenarios.models import Value, shipped
from panhead.system import Vector

_CONSERVATION = "conservation of energy"
_JOINTS = "closure of the joints"
_MINIMAL = "independent solution in minimal coordinates, eighth order, error below 1e-9"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Case:
    """A model, its run, and the place on it that is looked at."""

    model: str
    duration: float
    body: str
    place: tuple[float, ...]
    parameters: Mapping[str, Value] | None = None


@dataclass(frozen=True, slots=True)
class _Found:
    place: np.ndarray  # (3,) of the place at the end [m]
    energy: float  # largest change over what is turned over
    residual: float  # largest of any constraint
    motion: Trajectory


def _run(case: _Case, dt: float) -> _Found:
    made = shipped(case.model, case.parameters)
    motion = simulate(
        made.system,
        made.start,
        duration=case.duration,
        dt=dt,
        keep=case.duration / 50,
        method=GeneralizedAlpha(),
    )
    kinetic, potential = accounts(made.system, motion)[:, :2].T
    total = kinetic + potential
    drift = float(np.abs(total - total[0]).max() / np.ptp(potential))
    watched = positions(made.system, motion, [marker_on(made.model, case.body, case.place)])
    return _Found(watched[-1, 0], drift, float(np.abs(motion.g).max()), motion)


def _extrapolated(coarse: _Found, fine: _Found) -> np.ndarray:
    """The value for a vanishing step of a second-order method, from a step and its half."""
    return fine.place + (fine.place - coarse.place) / 3


def _order(coarse: _Found, fine: _Found, reference: np.ndarray) -> float:
    error = lambda found: float(np.abs(found.place - reference).max())
    return float(np.log2(error(coarse) / error(fine)))


def _places(
    what: str, value: np.ndarray, reference: Vector | Sequence[float], *, tol: float, source: str
) -> list[Check]:
    """A check for each coordinate of a place."""
    return [
        near(f"{what}, {axis}", x, r, tol=tol, unit="m", source=source)
        for axis, x, r in zip("xyz", value, reference, strict=False)
    ]


def chain() -> Sequence[Check]:
    """Twenty links on ball joints fall for 1 s: order two, and the tip where it belongs."""
    case = _Case(model="chain", duration=1.0, body="link19", place=(0.25, 0.0, 0.0))
    reference = np.array([-0.172059384928, 1.23881969006, -7.44600600004])
    coarse, fine = _run(case, 1e-3), _run(case, 5e-4)
    return [
        # two terms of the error are gone; what is left shrinks with the fourth power of the step
        *_places("tip at 1 s", _extrapolated(coarse, fine), reference, tol=5e-7, source=_MINIMAL),
        near(
            "order of convergence",
            _order(coarse, fine, reference),
            2.0,
            tol=0.05,
            unit="1",
            source="the method's order",
        ),
        below(
            "energy over 1 s at 0.5 ms, relative", fine.energy, 5e-4, unit="1", source=_CONSERVATION
        ),
        below("constraint residual", fine.residual, 1e-10, unit="m", source=_JOINTS),
    ]


def four_bar_n() -> Sequence[Check]:
    """IFToMM A02 with 2, 40 and 80 loops: through every singular position, by numbers and by energy."""
    two = _Case(model="four-bars", duration=10.0, body="upright0", place=(0.5, 0.0))
    benchmark = np.array([0.3284581115, 0.9445185382, 0.0])
    coarse, fine = _run(two, 1e-3), _run(two, 5e-4)
    checks = [
        *_places(
            "B0 at 10 s, N = 2",
            _extrapolated(coarse, fine)[:2],
            benchmark,
            tol=2e-7,
            source="IFToMM benchmark A02, closed form",
        ),
        near(
            "order of convergence, N = 2",
            _order(coarse, fine, benchmark),
            2.0,
            tol=0.05,
            unit="1",
            source="the method's order",
        ),
    ]
    for loops, duration in ((40, 10.0), (80, 2.0)):
        checks += _row_of(loops, duration)
    return checks


def _row_of(loops: int, duration: float) -> list[Check]:
    """A longer row at 1 ms: its loops move as one parallelogram."""
    case = _Case(
        model="four-bars",
        duration=duration,
        body="upright0",
        place=(0.5, 0.0),
        parameters={"loops": loops},
    )
    found = _run(case, 1e-3)
    phi = _parallelogram(loops, duration)
    return [
        # the error at 1 ms of N = 2 is 4e-5 m after 10 s
        *_places(
            f"B0 at {duration:g} s, N = {loops}",
            found.place[:2],
            [np.sin(phi), np.cos(phi)],
            tol=1e-4,
            source="one equation for the common angle, eighth order",
        ),
        below(
            f"energy over {duration:g} s, N = {loops}, relative",
            found.energy,
            1e-4,
            unit="1",
            source=_CONSERVATION,
        ),
        below(f"constraint residual, N = {loops}", found.residual, 1e-10, unit="m", source=_JOINTS),
    ]


def _parallelogram(loops: int, t: float) -> float:
    """The angle of all uprights: I φ̈ = W sin φ, φ(0) = 0, φ̇(0) = 1."""
    inertia, weight = (loops + 1) / 3 + loops, 9.81 * ((loops + 1) / 2 + loops)
    rate = lambda _, x: [x[1], weight / inertia * np.sin(x[0])]
    return float(solve_ivp(rate, (0.0, t), [0.0, 1.0], "DOP853", rtol=1e-12, atol=1e-13).y[0, -1])


def slider_crank() -> Sequence[Check]:
    """Eight elements of an elastic rod for 0.5 s, almost two turns of the crank."""
    case = _Case(model="slider-crank", duration=0.5, body="rod", place=(0.25,))
    coarse, fine = _run(case, 1e-4), _run(case, 5e-5)
    return [
        # waves along the rod are faster than the step: their small part does not extrapolate
        *_places(
            "middle of the rod at 0.5 s",
            _extrapolated(coarse, fine)[:2],
            (0.321798357552, -0.153603162511),
            tol=5e-6,
            source=_MINIMAL,
        ),
        near(
            "crank angle at 0.5 s",
            float(fine.motion.q[-1, 2] + (fine.motion.q[-1, 2] - coarse.motion.q[-1, 2]) / 3),
            11.540011381,
            tol=5e-6,
            unit="rad",
            source=_MINIMAL,
        ),
        below(
            "energy over 0.5 s at 50 µs, relative",
            fine.energy,
            1e-4,
            unit="1",
            source=_CONSERVATION,
        ),
        below("constraint residual", fine.residual, 1e-10, unit="m", source=_JOINTS),
    ]


def flexible_pendulum() -> Sequence[Check]:
    """Sixteen elements of a rubber rod fall about a hinge for 1 s."""
    case = _Case(model="flexible-pendulum", duration=1.0, body="rod", place=(1.0,))
    coarse, fine = _run(case, 5e-4), _run(case, 2.5e-4)
    return [
        *_places(
            "tip at 1 s",
            _extrapolated(coarse, fine)[:2],
            (-0.97070590918, -0.0293907736599),
            tol=2e-5,
            source=_MINIMAL,
        ),
        below(
            "energy over 1 s at 0.25 ms, relative",
            fine.energy,
            1e-5,
            unit="1",
            source=_CONSERVATION,
        ),
    ]
