"""A beam as matrices of another code: its frequencies by SciPy from the whole pair, and in closed form.

The matrices are the textbook ones of a straight beam with six coordinates a node, written here [Przemieniecki68]; what
is checked takes them by ``from_matrices``, reduces them and moves them in a floating frame.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy.linalg

from panhead.engine.bodies import FloatingBody, ground
from panhead.engine.joints import Rigid
from panhead.engine.methods.modes import linearise, modes
from panhead.engine.multibody import Model
from panhead.engine.structures import from_matrices, reduce_structure
from panhead.engine.structures.reference_conditions import BodyFixed
from panhead.engine.structures.structure import Structure
from panhead.validation.checks import CLOSED_FORM, INDEPENDENT, Check, near
from panhead.validation.fe_import.sections import sections

_E, _G, _RHO = 2.1e11, 8.1e10, 7850.0
_L, _A, _IY, _IZ, _JX = 1.2, 6e-4, 2e-8, 4.5e-8, 5e-8  # length [m], area [m²], second moments and torsion [m⁴]
_N = 12  # elements
_FREE_FREE = (4.730040744862704, 7.853204624095838)  # β L of a free beam


def _element() -> tuple[np.ndarray, np.ndarray]:
    """Stiffness and consistent mass of one element, (12, 12)."""
    h = _L / _N
    K, M = np.zeros((12, 12)), np.zeros((12, 12))
    line_k, line_m = np.array([[1.0, -1.0], [-1.0, 1.0]]) / h, h * np.array([[2.0, 1.0], [1.0, 2.0]]) / 6
    for at, stiffness, inertia in ((0, _E * _A, _RHO * _A), (3, _G * _JX, _RHO * (_IY + _IZ))):
        place = np.ix_((at, at + 6), (at, at + 6))
        K[place] += stiffness * line_k
        M[place] += inertia * line_m
    for shift, turn, sign, second in ((1, 5, 1.0, _IZ), (2, 4, -1.0, _IY)):
        a = sign * h
        bend = np.array([
            [12.0, 6 * a, -12.0, 6 * a], [6 * a, 4 * h * h, -6 * a, 2 * h * h],
            [-12.0, -6 * a, 12.0, -6 * a], [6 * a, 2 * h * h, -6 * a, 4 * h * h],
        ])  # fmt: skip
        move = np.array([
            [156.0, 22 * a, 54.0, -13 * a], [22 * a, 4 * h * h, 13 * a, -3 * h * h],
            [54.0, 13 * a, 156.0, -22 * a], [-13 * a, -3 * h * h, -22 * a, 4 * h * h],
        ])  # fmt: skip
        place = np.ix_((shift, turn, shift + 6, turn + 6), (shift, turn, shift + 6, turn + 6))
        K[place] += _E * second / h**3 * bend
        M[place] += _RHO * _A * h / 420 * move
    return K, M


def matrices() -> tuple[np.ndarray, np.ndarray]:
    """K and M of the free beam, (N, N)."""
    K, M = (np.zeros((6 * (_N + 1), 6 * (_N + 1))) for _ in range(2))
    k, m = _element()
    for e in range(_N):
        part = slice(6 * e, 6 * e + 12)
        K[part, part] += k
        M[part, part] += m
    return K, M


def beam() -> Structure:
    """The beam as it is handed over."""
    K, M = matrices()
    points = np.zeros((_N + 1, 3))
    points[:, 0] = np.linspace(0.0, _L, _N + 1)
    return from_matrices("beam", points=points, stiffness=K, mass=M, places={"left": (0,), "right": (_N,)})


def fe_import() -> Sequence[Check]:
    """Frequencies of the free beam, of the same in a frame on its end, and of the beam held at one end."""
    K, M = matrices()
    free = np.sqrt(scipy.linalg.eigh(K, M, eigvals_only=True)[6:12]) / (2 * np.pi)
    body = beam()
    found = [mode.frequency for mode in reduce_structure(body, modes=6).modes]
    pair = "scipy.linalg.eigh of the whole pair"
    rows = [
        near(f"free beam, mode {k + 1}", f, float(r), "Hz", pair, rel=1e-6, by=INDEPENDENT)
        for k, (f, r) in enumerate(zip(found, free, strict=True))
    ]
    for k, root in enumerate(_FREE_FREE):
        slender = (root / _L) ** 2 * np.sqrt(_E * _IY / (_RHO * _A)) / (2 * np.pi)
        nearest = min(found, key=lambda f, wanted=slender: abs(f - wanted))  # type: ignore[misc]
        rows.append(
            near(f"soft bending {k + 1}", nearest, float(slender), "Hz", "Euler–Bernoulli beam", rel=1e-3,
                 by=CLOSED_FORM)
        )  # fmt: skip
    return [*rows, *_on_an_end(body, free), *_held(body, K, M), *sections()]


def _on_an_end(body: Structure, free: np.ndarray) -> list[Check]:
    """The frame rides on one end: the coupling of frame and shapes must give the same frequencies."""
    shape = reduce_structure(body, modes=6, reference=BodyFixed(("left",)))
    system = Model(name="free", items=(FloatingBody(name="beam", structure=shape),), gravity=(0.0, 0.0, 0.0)).system()
    found = modes(linearise(system, system.start.q, np.zeros(system.nc))).frequency[-6:]
    source = "scipy.linalg.eigh of the whole pair"
    return [
        near(f"frame on an end, mode {k + 1}", float(found[k]), float(free[k]), "Hz", source, rel=1e-5, by=INDEPENDENT)
        for k in range(3)
    ]


def _held(body: Structure, K: np.ndarray, M: np.ndarray) -> list[Check]:
    """Craig and Bampton's shapes, held by a joint: fixed-interface vibrations are those of the clamped pair."""
    clamped = np.sqrt(scipy.linalg.eigh(K[6:, 6:], M[6:, 6:], eigvals_only=True)[:3]) / (2 * np.pi)
    end = ("left",)
    shape = reduce_structure(body, interfaces=end, modes=6, method="craig-bampton", reference=BodyFixed(end))
    flexible = FloatingBody(name="beam", structure=shape)
    joint = Rigid(name="clamp", a=ground.at(), b=flexible.at("left"))
    system = Model(name="held", items=(flexible, joint), gravity=(0.0, 0.0, 0.0)).system()
    found = modes(linearise(system, system.start.q, np.zeros(system.nc))).frequency
    source = "scipy.linalg.eigh of the clamped pair"
    return [
        near(f"clamped, mode {k + 1}", float(found[k]), float(clamped[k]), "Hz", source, rel=1e-5, by=INDEPENDENT)
        for k in range(3)
    ]
