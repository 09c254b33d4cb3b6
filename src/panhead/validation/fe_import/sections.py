"""Beams with coupled and offset sections, beside the differential equations of a rod.

The references integrate Cosserat's equations and share no code with the elements: a boundary-value problem by shooting
for large deflections, and det of a transfer matrix for frequencies.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.integrate import solve_ivp
from scipy.linalg import expm
from scipy.optimize import brentq, fsolve

from panhead.engine.bodies import Beam, GeneralSection, ground
from panhead.engine.forces import Push
from panhead.engine.joints import Rigid
from panhead.engine.methods.equilibrium import equilibrium
from panhead.engine.methods.modes import linearise, modes
from panhead.engine.multibody import Model
from panhead.engine.roles import Item
from panhead.validation.checks import INDEPENDENT, Check, near

_LENGTH = 2.0
_LOAD = (0.0, 1500.0, 4000.0)  # at the tip, dead [N]
_CENTRE = (0.02, -0.03)  # of mass, beside the axis [m]


def composite() -> GeneralSection:
    """A box spar of about 60 × 40 mm whose plies couple stretch and shear, bending and twist."""
    C = np.diag([4.0e7, 6.0e6, 5.0e6, 3.0e3, 9.0e3, 1.6e4])
    for i, j, value in ((3, 4, 1.8e3), (0, 3, 6e4), (1, 5, -3e4), (0, 5, 9e4)):
        C[i, j] = C[j, i] = value
    inertia = GeneralSection.inertia_of(3.1, centre=_CENTRE, rotary=np.diag([2.6e-3, 0.9e-3, 1.7e-3]))
    return GeneralSection(stiffness=tuple(map(tuple, C)), inertia=inertia)


def spar(elements: int, *items: Item, section: GeneralSection | None = None) -> tuple[Beam, Model]:
    """A spar along x, clamped at the left."""
    beam = Beam(
        name="spar", begin=(0.0, 0.0, 0.0), end=(_LENGTH, 0.0, 0.0), elements=elements, across=(0.0, 1.0, 0.0),
        section=section or composite(),
    )  # fmt: skip
    clamp = Rigid(name="clamp", a=ground.at(), b=beam.at_world(0.0))
    return beam, Model(name="spar", items=(beam, clamp, *items), gravity=(0.0, 0.0, 0.0))


def _skew(a: np.ndarray) -> np.ndarray:
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


def deflected(section: GeneralSection, load: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Tip p (3,) and axes R (3, 3) under a dead force n.

    p′ = R (e_x + γ),   R′ = R κ̃,   m′ = −p′ × n,   (γ, κ) = C⁻¹ Rᵀ(n, m)
    """
    S = np.linalg.inv(np.array(section.stiffness))

    def rate(_: float, y: np.ndarray) -> np.ndarray:
        R, m = y[3:12].reshape(3, 3), y[12:]
        strain = S @ np.concatenate([R.T @ load, R.T @ m])
        p = R @ (np.array([1.0, 0.0, 0.0]) + strain[:3])
        return np.concatenate([p, (R @ _skew(strain[3:])).ravel(), -np.cross(p, load)])

    def end(m: np.ndarray) -> np.ndarray:
        y = np.concatenate([np.zeros(3), np.eye(3).ravel(), m])
        return np.asarray(solve_ivp(rate, (0.0, _LENGTH), y, rtol=1e-11, atol=1e-12).y[:, -1])

    moment = fsolve(lambda m: end(m)[12:], np.cross([_LENGTH, 0.0, 0.0], load), xtol=1e-12)
    y = end(moment)
    return y[:3], y[3:12].reshape(3, 3)


def frequencies(section: GeneralSection, count: int, highest: float) -> list[float]:
    """Frequencies of the clamped spar [Hz] where the transfer matrix to its free end is singular.

    u′ = γ + θ × e_x, θ′ = κ, n′ = −ω² (m u + θ × m c)…: (u, θ, n, m)′ = A(ω) (u, θ, n, m), exact for any section
    """
    S, inertia = np.linalg.inv(np.array(section.stiffness)), np.array(section.inertia)
    turn = np.zeros((6, 6))
    turn[:3, 3:] = -_skew(np.array([1.0, 0.0, 0.0]))  # θ × e_x

    def singular(f: float) -> float:
        A = np.block([[turn, S], [-((2 * np.pi * f) ** 2) * inertia, -turn.T]])
        return float(np.linalg.slogdet(expm(A * _LENGTH)[6:, 6:])[0])

    grid = np.linspace(0.5, highest, 600)
    signs = [singular(f) for f in grid]
    found = [
        brentq(singular, a, b, xtol=1e-10, rtol=1e-12)
        for a, b, s, t in zip(grid, grid[1:], signs, signs[1:], strict=False)
        if s != t
    ]
    return found[:count]


def sections() -> Sequence[Check]:
    """Large deflection of a coupled spar; frequencies of one whose mass stands beside its axis."""
    section, load = composite(), np.array(_LOAD)
    beam, _ = spar(16)
    _, model = spar(16, Push(name="load", at=beam.at(_LENGTH), force=_LOAD))
    system = model.system()
    q = equilibrium(system, system.start.q).q
    first = system.place(f"spar.{beam.elements}x")
    p, R = deflected(section, load)
    turn = np.array(q[first + 3 : first + 7])
    found = 2 * np.arctan2(np.linalg.norm(turn[1:]), turn[0])
    exact = float(np.arccos((np.trace(R) - 1) / 2))
    by = "Cosserat's equations by shooting (SciPy)"
    rows = [
        near(f"coupled spar, tip {axis}", float(q[first + k]), float(p[k]), "m", by, tol=1e-3, by=INDEPENDENT)
        for k, axis in enumerate("xyz")
    ]
    rows.append(near("coupled spar, turn of the tip", float(found), exact, "rad", by, rel=1e-3, by=INDEPENDENT))
    free = spar(16)[1].system()
    ours = modes(linearise(free, free.start.q, np.zeros(free.nc))).frequency
    source = "transfer matrix of the rod's equations (SciPy expm)"
    return [*rows, *(
        near(f"offset mass, mode {k + 1}", float(ours[k]), f, "Hz", source, rel=2e-3, by=INDEPENDENT)
        for k, f in enumerate(frequencies(section, 5, 300.0))
    )]  # fmt: skip
