"""Validation of mechanisms in generalised coordinates: the double pendulum, the planar pantograph, IFToMM."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from panhead import scenarios
from panhead.cases.checks import Check, below, near
from panhead.methods.equilibrium import equilibrium
from panhead.methods.formulations import Augmented, Embedded, Formulation
from panhead.methods.integrators import RungeKutta4
from panhead.methods.modes import linearise, modes
from panhead.methods.simulate import simulate
from panhead.scenarios import models
from panhead.scenarios.mechanism import start_of, system_of
from panhead.symbolic.recording import dataset
from panhead.symbolic.system import SymbolicSystem

_PAPER = "Pappalardo and Guida 2020"
_CONSERVATION = "conservation of energy"
_BENCHMARK = "IFToMM benchmark, closed form or converged reference"


def _balance(result: object) -> float:
    """Largest unaccounted energy relative to the largest energy."""
    total = np.abs(result["kinetic"] + result["potential"]).max()  # type: ignore[index]
    return float(np.abs(result["balance"]).max() / total)  # type: ignore[index]


def double_pendulum() -> Sequence[Check]:
    """The driven double pendulum: energy and work balance, and equality of the formulations."""
    scenario = scenarios.read("double-pendulum")
    result = scenario.simulate()
    system = system_of(scenario.description)
    t, q, v = 0.3, np.array([1.2, 2.1]), np.array([0.7, -1.3])
    return [
        below(
            "energy balance over 10 s, relative",
            _balance(result),
            1e-8,
            unit="1",
            source=_CONSERVATION,
        ),
        below(
            "mass matrix against eqs (60)-(61)",
            np.abs(system.mass(t, q) - _printed_mass(q)).max(),
            1e-12,
            unit="kg m^2",
            source=f"{_PAPER}, eqs (60)-(61)",
        ),
        below(
            "forces against eq. (78) corrected",
            np.abs(system.force(t, q, v, np.zeros(0)) - _printed_force(t, q, v)).max(),
            1e-12,
            unit="N m",
            source=f"{_PAPER}, eq. (78) with the factor 2 of eq. (61)",
        ),
    ]


def _printed_mass(q: np.ndarray) -> np.ndarray:
    """Eqs (60)–(61)."""
    L1, L2, m1, m2, I1, I2 = 0.1, 0.2, 3.0, 4.0, 0.01, 0.05333
    off = 2 * L1 * L2 * m2 * np.cos(q[0] - q[1])
    return np.array([[m1 * L1**2 + I1 + 4 * m2 * L1**2, off], [off, m2 * L2**2 + I2]])


def _printed_force(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Eq. (78) with 2 m₂L₁L₂ in the Coriolis terms, as eq. (61) demands."""
    L1, L2, m1, m2, g, X0, W = 0.1, 0.2, 3.0, 4.0, 9.807, 0.5, 0.9425
    m12, s, x_ddot = (
        m1 + 2 * m2,
        2 * m2 * L1 * L2 * np.sin(q[0] - q[1]),
        -(W**2) * X0 * np.sin(W * t),
    )
    return np.array(
        [
            -s * v[1] ** 2 + L1 * m12 * np.sin(q[0]) * x_ddot - m12 * g * L1 * np.cos(q[0]),
            s * v[0] ** 2 + L2 * m2 * np.sin(q[1]) * x_ddot - m2 * g * L2 * np.cos(q[1]),
        ]
    )


def planar_pantograph() -> Sequence[Check]:
    """Equilibrium, modes, and the uncontrolled run of Table III."""
    system = SymbolicSystem(models.mechanism("planar-pantograph"))
    q, lam = equilibrium(system, np.array([2.4, 2.5, -0.5, 0.1]))
    here = system.outputs(np.zeros(1), q[None], 0 * q[None], np.zeros((1, 1)))
    small = modes(linearise(system, q, lam))
    result = scenarios.read("planar-pantograph").simulate()
    force = result["interaction_force"]
    source, verified = f"{_PAPER}, Table II, independent solution", f"{_PAPER}, Table III"
    checks = [
        near(f"equilibrium {name}", value, reference, tol=6e-5, unit=unit, source=source)
        for name, value, reference, unit in zip(
            system.coordinates,
            q,
            (2.4346, 2.5602, -0.5511, 0.1430),
            ("rad", "rad", "rad", "m"),
            strict=True,
        )
    ]
    return [
        *checks,
        near(
            "equilibrium head height",
            here["head_height"][0],
            2.5233,
            tol=6e-5,
            unit="m",
            source=source,
        ),
        near(
            "equilibrium interaction force",
            here["interaction_force"][0],
            -33.50,
            tol=6e-3,
            unit="N",
            source=source,
        ),
        near("first mode", small.frequency[0], 0.792, tol=6e-4, unit="Hz", source=source),
        near("first mode damping", small.damping[0], 0.018, tol=6e-4, unit="1", source=source),
        near("second mode", small.frequency[1], 5.063, tol=6e-4, unit="Hz", source=source),
        near("second mode damping", small.damping[1], 0.159, tol=6e-4, unit="1", source=source),
        near(
            "uncontrolled mean force",
            float(force.mean()),
            -29.570,
            rel=5e-3,
            unit="N",
            source=verified,
        ),
        near(
            "uncontrolled standard deviation",
            float(force.std()),
            15.602,
            rel=5e-3,
            unit="N",
            source=verified,
        ),
        below(
            "constraint drift with projection",
            float(result["constraint_residual"].max()),
            1e-10,
            unit="m",
            source="closure of the four-bar",
        ),
        below(
            "energy balance over 10 s, relative",
            _balance(result),
            1e-6,
            unit="1",
            source=f"{_CONSERVATION}, fourth order at 1 ms",
        ),
        below(
            "embedded against augmented",
            _formulations_apart(),
            1e-9,
            unit="rad",
            source="same motion from both formulations",
        ),
    ]


def _formulations_apart() -> float:
    """Largest difference of a coordinate between the augmented and the embedded formulation after 2 s."""
    description = scenarios.read("planar-pantograph").description
    system = system_of(description)
    start = start_of(description, system)

    def end(formulation: Formulation) -> np.ndarray:
        return simulate(
            system, start, duration=2.0, dt=1e-3, method=RungeKutta4(), formulation=formulation
        ).q

    return float(np.abs(end(Augmented()) - end(Embedded())).max())


def iftomm_a01() -> Sequence[Check]:
    """The simple pendulum at 5 and 10 s, and its period."""
    result = scenarios.read("iftomm-a01").simulate()
    at = lambda t: result["q"].sel(time=t, method="nearest").values
    reference = {
        5: (-0.942305435043757, -0.334754338414001),
        10: (-0.275087462576117, -0.961419205099125),
    }
    checks = [
        near(f"{axis} at {t} s", at(t)[k], reference[t][k], tol=1e-8, unit="m", source=_BENCHMARK)
        for t in (5, 10)
        for k, axis in enumerate("xy")
    ]
    return [
        *checks,
        near(
            "period",
            _period(),
            2.36784194757624,
            tol=1e-8,
            unit="s",
            source="complete elliptic integral",
        ),
        below(
            "energy balance, relative",
            float(np.abs(result["balance"]).max() / 9.81),
            1e-8,
            unit="1",
            source=_CONSERVATION,
        ),
        below(
            "constraint drift",
            float(result["constraint_residual"].max()),
            1e-10,
            unit="m",
            source="rod length",
        ),
    ]


def _period() -> float:
    """Time between two returns of the pendulum to its starting side, from roots of its horizontal rate."""
    scenario = scenarios.read("iftomm-a01", ["run.keep=1ms", "run.step=1ms"])
    result = scenario.simulate()
    t, rate, slope = result["time"].values, result["v"].values[:, 1], result["a"].values[:, 1]
    # the vertical rate is zero and falling when the mass hangs still at the height it started from
    falling = [
        i
        for i in range(1, len(t) - 1)
        if rate[i] > 0 >= rate[i + 1] and result["q"].values[i, 0] < 0
    ]
    i = falling[-1]
    h, y0, y1, d0, d1 = t[i + 1] - t[i], rate[i], rate[i + 1], slope[i], slope[i + 1]
    cubic = np.array(
        [2 * (y0 - y1) + h * (d0 + d1), -3 * (y0 - y1) - h * (2 * d0 + d1), h * d0, y0]
    )
    root = next(
        r.real for r in np.roots(cubic) if abs(r.imag) < 1e-9 and -1e-9 <= r.real <= 1 + 1e-9
    )
    return float((t[i] + root * h) / len(falling))


def iftomm_a02() -> Sequence[Check]:
    """Two four-bars after 10 s and five passages through singular configurations."""
    scenario = scenarios.read("iftomm-a02")
    system = system_of(scenario.description)
    start = start_of(scenario.description, system)
    reference = {
        "B0_x": 0.3284581115,
        "B0_y": 0.9445185382,
        "B0_x_dot": 1.4230514702,
        "B0_y_dot": -0.4948688455,
    }
    checks = []
    forms: tuple[tuple[str, Formulation], ...] = (
        ("augmented", Augmented()),
        ("embedded", Embedded()),
    )
    for name, formulation in forms:
        motion = simulate(
            system,
            start,
            duration=10.0,
            dt=1e-3,
            keep=1e-2,
            method=RungeKutta4(),
            formulation=formulation,
        )
        result = dataset(system, motion)
        checks += [
            near(
                f"{quantity} at 10 s, {name}",
                float(result[quantity][-1]),
                value,
                tol=1e-5,
                unit=result[quantity].attrs["units"],
                source=_BENCHMARK,
            )
            for quantity, value in reference.items()
        ]
        checks += [
            below(
                f"energy balance, {name}, relative",
                _balance(result),
                1e-6,
                unit="1",
                source=_CONSERVATION,
            ),
            below(
                f"constraint drift, {name}",
                float(result["constraint_residual"].max()),
                1e-10,
                unit="m",
                source="closure of the loops",
            ),
        ]
    return checks
