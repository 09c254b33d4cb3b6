"""Statics of a messenger, a contact wire and droppers by finite differences: nothing of the package is used.

    EI z⁗ − H z″ = −μ g √(1 + z′²) + f        on points every 5 cm

The messenger is held at every mast, the contact wire at the first and the last alone; ends are hinged. Every dropper
pulls with N = k (z_m − z_c − L₀), and all must be taut.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import splu

GRAVITY = 9.81
STEP = 0.05  # [m]; a wire bends at a clamp within √(EI/H) = 0.1 m


class TwoWires:
    """A row of equal spans; ``positions`` are the droppers' from the mast before them [m]."""

    def __init__(self, *, span, spans, positions, height, encumbrance, contact, messenger, stiffness):
        self.n = round(span * spans / STEP) + 1
        self.x = STEP * np.arange(self.n)
        at = lambda x: round(x / STEP)
        masts = [at(span * k) for k in range(spans + 1)]
        self.feet = np.array([at(span * k + p) for k in range(spans) for p in positions])
        self.contact, self.messenger, self.stiffness = contact, messenger, stiffness
        n, m = self.n, self.feet.size
        pulls = sp.csc_matrix((np.full(m, stiffness), (self.feet, np.arange(m))), shape=(n, m))
        pick = sp.csc_matrix((np.ones(m), (self.feet, np.arange(m))), shape=(n, m))
        tie = pulls @ pick.T
        matrix = sp.bmat([[_wire(n, *contact[:2]) + tie, -tie], [-tie, _wire(n, *messenger[:2]) + tie]]).tolil()
        self.held = {0: height, n - 1: height} | {n + k: height + encumbrance for k in masts}
        for row in self.held:
            matrix[row, :] = 0.0
            matrix[row, row] = 1.0
        self.factors, self.pulls = splu(matrix.tocsc()), pulls

    def heights(self, lengths: np.ndarray) -> np.ndarray:
        """The contact wire's heights (n,) at ``x``, for unstretched lengths of all droppers [m]."""
        n, z = self.n, np.zeros(2 * self.n)
        for _ in range(12):
            load = np.concatenate([-self.pulls @ lengths, self.pulls @ lengths])
            for k, (_, _, mass) in enumerate((self.contact, self.messenger)):
                slope = np.gradient(z[k * n : k * n + n], STEP)
                load[k * n : k * n + n] -= mass * GRAVITY * STEP * np.sqrt(1.0 + slope**2)
            for row, value in self.held.items():
                load[row] = value
            before, z = z, self.factors.solve(load)
            if np.abs(z - before).max() < 1e-7:
                break
        else:
            raise AssertionError("the wires did not come to rest")
        pull = self.stiffness * (z[n + self.feet] - z[self.feet] - lengths)
        assert pull.min() > 0.0, f"a dropper is slack: {pull.min():.1f} N"
        return z[:n]


def _wire(n: int, tension: float, bending: float) -> sp.csc_matrix:
    """(n, n): STEP · (EI z⁗ − H z″), hinged ends."""
    second = sp.diags([1.0, -2.0, 1.0], [-1, 0, 1], shape=(n, n)).tolil() / STEP**2
    second[0, :] = second[n - 1, :] = 0.0  # no moment
    bend = sp.diags([1.0, -2.0, 1.0], [-1, 0, 1], shape=(n, n)) / STEP**2
    return sp.csc_matrix(STEP * (bending * bend @ second - tension * bend))
