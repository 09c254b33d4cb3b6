"""A beam as matrices of another code: its frequencies by SciPy from the whole pair, and in closed form.

The matrices are those of ``beam``, written there; what
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
from panhead.validation.fe_import.beam import AREA, IY, LENGTH, RHO, E, N, matrices
from panhead.validation.fe_import.files import files
from panhead.validation.fe_import.sections import sections

_FREE_FREE = (4.730040744862704, 7.853204624095838)  # β L of a free beam


def beam() -> Structure:
    """The beam as it is handed over."""
    K, M = matrices()
    points = np.zeros((N + 1, 3))
    points[:, 0] = np.linspace(0.0, LENGTH, N + 1)
    return from_matrices("beam", points=points, stiffness=K, mass=M, places={"left": (0,), "right": (N,)})


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
        slender = (root / LENGTH) ** 2 * np.sqrt(E * IY / (RHO * AREA)) / (2 * np.pi)
        nearest = min(found, key=lambda f, wanted=slender: abs(f - wanted))  # type: ignore[misc]
        rows.append(
            near(f"soft bending {k + 1}", nearest, float(slender), "Hz", "Euler–Bernoulli beam", rel=1e-3,
                 by=CLOSED_FORM)
        )  # fmt: skip
    return [*rows, *_on_an_end(body, free), *_held(body, K, M), *files(), *sections()]


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
