"""The beam of ``references`` through files of other tools, its own Craig–Bampton reduction, and stresses at its root.

Writers and reduction are written here; what is checked only reads.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import scipy.io
import scipy.linalg

from panhead.engine.bodies import FloatingBody, StressRecovery, ground
from panhead.engine.forces import Push
from panhead.engine.joints import Rigid
from panhead.engine.methods.equilibrium import equilibrium
from panhead.engine.methods.integrators import GeneralizedAlpha
from panhead.engine.methods.modes import linearise, modes
from panhead.engine.multibody import Model
from panhead.engine.structures import (
    BodyFixed,
    craig_bampton_from_nastran,
    from_mat,
    from_matrices,
    from_nastran,
    reduce_structure,
)
from panhead.engine.structures.reduced_structure import ReducedStructure
from panhead.validation.checks import CLOSED_FORM, INDEPENDENT, Check, near
from panhead.validation.fe_import.beam import EI, HEIGHT, LENGTH, E, N, matrices

_LOAD = 40.0  # at the tip, along z [N]
_TIMES = (0.004, 0.009, 0.014, 0.02)  # after the load [s]
_KEPT = 14  # fixed-interface modes


def punch(points: np.ndarray, K: np.ndarray, M: np.ndarray, numbers: Sequence[int]) -> str:
    """GRID and DMIG cards in fields of 16 characters; rows beyond six a node are scalar points 9001 …."""
    cards = [
        f"GRID*   {g:16d}{0:16d}{x:16.9E}{y:16.9E}\n*       {z:16.9E}"
        for g, (x, y, z) in zip(numbers, points, strict=True)
    ]
    six = 6 * len(points)
    freedom = [(g, c) for g in numbers for c in range(1, 7)] + [(9001 + k, 0) for k in range(len(K) - six)]
    for name, matrix in (("KAAX", K), ("MAAX", M)):
        cards.append(f"DMIG    {name:8s}{0:8d}{6:8d}{2:8d}{0:8d}{'':16s}{len(K):8d}")
        for j, (g, c) in enumerate(freedom):
            rows = [i for i in range(j, len(K)) if matrix[i, j]]
            cards.append(f"DMIG*   {name:16s}{g:16d}{c:16d}" if rows else f"$ column {j} is empty")
            cards += [
                f"*       {freedom[i][0]:16d}{freedom[i][1]:16d}{matrix[i, j]:16.9E}".replace("E", "D") for i in rows
            ]
    return "\n".join(cards) + "\n"


def craig_bampton(K: np.ndarray, M: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Reduced K and M, and T (N, 12 + modes): both ends with six motions, then vibrations with the ends held."""
    b = np.r_[0:6, len(K) - 6 : len(K)]
    i = np.setdiff1d(np.arange(len(K)), b)
    _, Phi = scipy.linalg.eigh(K[np.ix_(i, i)], M[np.ix_(i, i)])
    T = np.zeros((len(K), 12 + _KEPT))
    T[b, np.arange(12)] = 1.0
    T[np.ix_(i, np.arange(12))] = -np.linalg.solve(K[np.ix_(i, i)], K[np.ix_(i, b)])
    T[np.ix_(i, 12 + np.arange(_KEPT))] = Phi[:, :_KEPT]
    return T.T @ K @ T, T.T @ M @ T, T


def root_stress() -> np.ndarray:
    """S (1, N): −E h/2 w″ at the root, from the cubic of the first element, θ_y = −w′."""
    h, S = LENGTH / N, np.zeros((1, 6 * (N + 1)))
    S[0, [2, 4, 8, 10]] = -E * HEIGHT / 2 * np.array([-6 / h**2, 4 / h, 6 / h**2, 2 / h])
    return S


def _held(structure: ReducedStructure, *, load: float = 0.0) -> tuple[FloatingBody, Model]:
    body = FloatingBody(name="beam", structure=structure)
    clamp = Rigid(name="clamp", a=ground.at(), b=body.at("left"))
    push = Push(name="load", at=body.at("right"), force=(0.0, 0.0, load))
    return body, Model(name="held", items=(body, clamp, push), gravity=(0.0, 0.0, 0.0))


def files() -> Sequence[Check]:
    """Frequencies through MAT and punch files, whole and reduced; stress at the root, at rest and after a step."""
    K, M = matrices()
    points = np.zeros((N + 1, 3))
    points[:, 0] = np.linspace(0.0, LENGTH, N + 1)
    free = np.sqrt(scipy.linalg.eigh(K, M, eigvals_only=True)[6:9]) / (2 * np.pi)
    source, rows = "scipy.linalg.eigh of the whole pair", []
    k, m, _ = craig_bampton(K, M)
    with tempfile.TemporaryDirectory() as folder:
        scipy.io.savemat(Path(folder, "beam.mat"), {"K": scipy.sparse.csc_matrix(K), "M": M, "points": points})
        Path(folder, "beam.pch").write_text(punch(points, K, M, range(11, 12 + N)), encoding="utf-8")
        Path(folder, "reduced.pch").write_text(punch(points[[0, -1]], k, m, (11, 23)), encoding="utf-8")
        mat = from_mat(Path(folder, "beam.mat"))
        whole = from_nastran(Path(folder, "beam.pch"))
        reduced = craig_bampton_from_nastran(
            Path(folder, "reduced.pch"), places={"left": (11,), "right": (23,)}, reference=BodyFixed(("left",))
        )
    for name, structure in (("MAT file", mat), ("punch file", whole)):
        found = [mode.frequency for mode in reduce_structure(structure, modes=3).modes]
        rows += [
            near(f"{name}, mode {i + 1}", f, float(r), "Hz", source, rel=1e-6, by=INDEPENDENT)
            for i, (f, r) in enumerate(zip(found, free, strict=True))
        ]
    return [*rows, *_reduced_rows(reduced, K, M, k, m), *_stress_rows(K, M, points)]


def _reduced_rows(reduced: ReducedStructure, K: np.ndarray, M: np.ndarray, k: np.ndarray, m: np.ndarray) -> list[Check]:
    """The given reduction, free and held: it has the frequencies of its own pair, near those of the whole."""
    free = np.sqrt(scipy.linalg.eigh(k, m, eigvals_only=True)[6:9]) / (2 * np.pi)
    rows = [
        near(f"given Craig–Bampton, free mode {i + 1}", reduced.modes[i].frequency, float(f), "Hz",
             "scipy.linalg.eigh of the reduced pair", rel=1e-6, by=INDEPENDENT)
        for i, f in enumerate(free)
    ]  # fmt: skip
    clamped = np.sqrt(scipy.linalg.eigh(K[6:, 6:], M[6:, 6:], eigvals_only=True)[:3]) / (2 * np.pi)
    system = _held(reduced)[1].system()
    found = modes(linearise(system, system.start.q, np.zeros(system.nc))).frequency
    return rows + [
        near(f"given Craig–Bampton, clamped mode {i + 1}", float(found[i]), float(f), "Hz",
             "scipy.linalg.eigh of the clamped whole pair", rel=1e-3, by=INDEPENDENT)
        for i, f in enumerate(clamped)
    ]  # fmt: skip


def _stress_rows(K: np.ndarray, M: np.ndarray, points: np.ndarray) -> list[Check]:
    """σ = F L h / 2I at rest; after a step of the load by superposition of all modes of the clamped pair."""
    ends = ("left", "right")
    whole = from_matrices("beam", points=points, stiffness=K, mass=M, places={"left": (0,), "right": (N,)})
    shapes = reduce_structure(
        whole, interfaces=ends, modes=_KEPT, method="craig-bampton", reference=BodyFixed(("left",))
    )
    body, model = _held(shapes, load=_LOAD)
    sensor = StressRecovery(body=body, matrix=root_stress(), rows=("root",))
    system = model.system()
    w = equilibrium(system, system.start.q).q[system.place("beam.w1") :][: len(shapes.modes)]
    static = -_LOAD * LENGTH * HEIGHT / 2 / (EI / E)
    rows = [near("root stress at rest", float(sensor.values(w[None])[0, 0]), static, "Pa", "F L h / 2I", rel=1e-6,
                 by=CLOSED_FORM)]  # fmt: skip
    result = model.simulate(
        duration=_TIMES[-1], dt=2e-5, keep=1e-3, method=GeneralizedAlpha(), sensors={"stress": sensor}
    )
    squares, V = scipy.linalg.eigh(K[6:, 6:], M[6:, 6:])
    tip = V[-4] * _LOAD / squares  # static share of each mode under the load along z of the last node
    for t in _TIMES:
        exact = float(root_stress()[0, 6:] @ (V @ (tip * (1 - np.cos(np.sqrt(squares) * t)))))
        found = float(result["stress_root"].interp(time=t))
        what, source = f"root stress {t * 1e3:g} ms after a step", "superposition of all modes of the clamped pair"
        rows.append(near(what, found, exact, "Pa", source, tol=0.02 * abs(static), by=INDEPENDENT))
    return rows
