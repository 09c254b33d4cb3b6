"""Rod droppers against the closed forms of a rod: natural frequencies, waves and their reflection."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from scipy.linalg import eigh

from panhead.railway.line import DropperKind, RodModel, linear_line, read_line, string
from panhead.validation.checks import CLOSED_FORM, Check, near

_PARTS, _MU, _EA = 24, 0.11, 1e5


def rods() -> Iterator[Check]:
    """One dropper of the EN 50318:2002 line, cut into 24 parts, its ends held or pulled."""
    M, B, k, length = _rod()
    c = math.sqrt(k[0] / _PARTS * length / _MU)
    K = B.T @ np.diag(k) @ B
    inner = slice(1, -1)
    omega = np.sqrt(eigh(K[inner, inner], M[inner, inner], eigvals_only=True))
    for n in (1, 2, 3):
        coarse = 1.0 - math.sin(n * math.pi / 2 / _PARTS) / (n * math.pi / 2 / _PARTS)
        yield near(f"natural frequency {n} of a rod dropper", omega[n - 1] / (2 * math.pi), n * c / (2 * length), "Hz",
            "n c/2L; m parts have (m c/πL) sin nπ/2m", rel=1.05 * coarse, by=CLOSED_FORM)  # fmt: skip
    yield from _reflection(M, B, k, length, c)


def _rod() -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
    """M of its nodes, the stretches of its parts B, their stiffness k, and its length, out of the line's matrices."""
    line = read_line("en50318-2002")
    kind = DropperKind(stiffness=_EA, mass_per_length=_MU, rod=RodModel(parts=_PARTS))
    strung = string(replace(line, dropper=kind))
    model, span = linear_line(strung, spans=(5, 6)), strung.spans(strung.layout.pieces[0])[5]
    d, length = model.droppers, float(span.length[0])
    rows = np.flatnonzero(d.x == d.x[0])
    nodes = [int(d.dof_top[rows[0]]), *(int(i) for i in d.dof_bottom[rows])]
    end, diagonal = _MU * length / (2 * _PARTS), np.diag(model.M_diag[d.station[0]])
    M = np.diag([end, *diagonal[nodes[1:-1]], end])
    B = np.zeros((rows.size, len(nodes)))
    for part, row in enumerate(rows):
        B[part, nodes.index(int(d.dof_top[row]))] += d.nz[row]
        B[part, nodes.index(int(d.dof_bottom[row]))] -= d.nz[row]
    return M, B, d.stiffness[rows], length


def _reflection(M: np.ndarray, B: np.ndarray, k: np.ndarray, length: float, c: float) -> Iterator[Check]:
    """Its lower end is pulled down with 1 m/s from rest: the force there is √(EA μ) v, then three times that.

    The inner nodes swing about the straight line between the ends, exactly in their modes.
    """
    K, inner = B.T @ np.diag(k) @ B, slice(1, -1)
    w2, modes = eigh(K[inner, inner], M[inner, inner])
    omega = np.sqrt(w2)
    straight = np.linspace(0.0, -1.0, M.shape[0])  # of the displacement, per metre of the lower end's way
    start = -modes.T @ M[inner, inner] @ straight[inner]  # rates of the modes: at rest less the straight line's
    times = np.linspace(0.0, 4 * length / c, 4001)
    u = straight[-2] * times + modes[-1] @ (start / omega * np.sin(np.outer(times, omega))).T
    force, impedance = k[-1] * (u + times), math.sqrt(k[0] / _PARTS * length * _MU)
    for number, (a, b), size in ((1, (0.2, 1.8), 1.0), (2, (2.2, 3.8), 3.0)):
        inside = (times > a * length / c) & (times < b * length / c)
        yield near(f"force of a pulled rod dropper, plateau {number}", force[inside].mean(), size * impedance, "N",
            "√(EA μ) v, and three times that after the reflection", rel=0.02, by=CLOSED_FORM)  # fmt: skip
