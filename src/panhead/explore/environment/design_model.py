"""Linear design model of a pantograph under a line, for regulators: few states, known from the train alone.

    M z̈ + C ż + K z = f + b u − e₁ F,   F = κ (z₁ − d₀ − Σ_j d_j) + γ (ż₁ − Σ_j ḋ_j)

The line is a spring κ (that of the wire at rest in series with the contact's) and a damper γ (waves that leave along
the wires, at most 2 Σ √(T m) of all wires) whose foot moves: a constant d₀, and oscillators d̈ + 2ζω ḋ + ω² d = noise at
the frequencies at which spans and droppers pass. The actuator force u is straight between samples, and its present
value is a state; everything is exact between samples (matrix exponential).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import expm, solve_discrete_are

from panhead.errors import require_not_negative, require_positive
from panhead.explore.environment.episode_start import PreparedRun
from panhead.explore.environment.task import SIGNALS, ControlTask

_DAMPING = 0.05  # ζ of the oscillators: how soon a phase is forgotten
_WANDER = 1e-4  # of d₀ in a second [m]
MEASURED = ("force", "suspension", "suspension_rate", "frame_rate")  #: signals of the Kalman filter


@dataclass(frozen=True, slots=True, kw_only=True)
class LineModel:
    """The line as a regulator assumes it."""

    stiffness: float = 3000.0  #: of the wire at rest [N/m]
    damping: float = 600.0  #: γ, by waves that leave [N·s/m]
    wander: float = 0.01  #: standard deviation of the foot at the span's frequency [m]

    def __post_init__(self) -> None:
        require_positive(self, "stiffness", "wander")
        require_not_negative(self, "damping")


@dataclass(frozen=True, slots=True)
class DesignModel:
    """x = (z, ż, d_j, ḋ_j …, u, d₀): x⁺ = A x + B u⁺ + g, force F = c x, measured y = H x."""

    A: np.ndarray
    B: np.ndarray  #: (n,)
    g: np.ndarray  #: (n,) what lifts the pantograph
    c: np.ndarray  #: (n,) [N]
    H: np.ndarray  #: (measured, n)
    Q: np.ndarray  #: covariance of what disturbs the state in one interval
    R: np.ndarray  #: covariance of the measurements
    masses: int

    @property
    def controllable(self) -> slice:
        """States that feedback acts on: all but d₀."""
        return slice(0, len(self.A) - 1)

    def kalman(self) -> np.ndarray:
        """Gain L of the stationary filter x̂ ← x̂ + L (y − H x̂), (n, measured)."""
        P = solve_discrete_are(self.A.T, self.H.T, self.Q, self.R)
        return np.asarray(np.linalg.solve(self.H @ P @ self.H.T + self.R, self.H @ P).T)

    def regulator(self, effort: float) -> np.ndarray:
        """Gain of u⁺ = −G x that minimises Σ F² + effort u² over the states that are controllable, (n − 1,)."""
        k = self.controllable
        A, B, c = self.A[k, k], self.B[k, None], self.c[None, k]
        weight = c.T @ c + 1e-9 * np.eye(len(A))
        P = solve_discrete_are(A, B, weight, np.array([[effort]]))
        return np.asarray(np.linalg.solve(effort + B.T @ P @ B, B.T @ P @ A))[0]

    def at_rest(self, d0: float) -> np.ndarray:
        """State without oscillation and force for a foot at d₀, controllable states only."""
        k = self.controllable
        column = self.A[k, -1] * d0 + self.g[k]
        still = np.zeros(len(self.A) - 1)
        n = 2 * self.masses
        still[:n] = np.linalg.solve(np.eye(n) - self.A[:n, :n], column[:n])
        return still


def design_model(prepared: PreparedRun, task: ControlTask, line: LineModel) -> DesignModel:
    """Model of the controlled pantograph."""
    p = prepared.model.pantographs[task.actuator.pantograph - 1]
    M, C, K = p.matrices()
    nm = len(M)
    first = sum(one.size for one in prepared.model.pantographs[: task.actuator.pantograph - 1])
    up, down = prepared.pair
    b = np.zeros(nm)
    b[up - first] = 1.0
    if down is not None:
        b[down - first] = -1.0
    kappa, gamma = 1.0 / (1.0 / line.stiffness + 1.0 / p.contact_stiffness), line.damping
    omega = 2.0 * np.pi * passing_frequencies(prepared)
    n = 2 * nm + 2 * omega.size + 2
    d = slice(2 * nm, 2 * nm + 2 * omega.size, 2)
    c = np.zeros(n)
    c[0], c[nm], c[d], c[-1] = kappa, gamma, -kappa, -kappa
    c[d.start + 1 : d.stop : 2] = -gamma
    S = np.zeros((n, n))
    S[:nm, nm : 2 * nm] = np.eye(nm)
    S[nm : 2 * nm, :nm], S[nm : 2 * nm, nm : 2 * nm] = -np.linalg.solve(M, K), -np.linalg.solve(M, C)
    S[nm] -= c / M[0, 0]
    S[nm : 2 * nm, -2] = np.linalg.solve(M, b)
    noise = np.zeros(n)
    for j, w in enumerate(omega):
        at = 2 * nm + 2 * j
        S[at, at + 1], S[at + 1, at], S[at + 1, at + 1] = 1.0, -(w**2), -2.0 * _DAMPING * w
        size = line.wander * omega[0] / w  # slower motions are larger
        noise[at + 1] = 4.0 * _DAMPING * w**3 * size**2  # intensity of white noise that gives this deviation
    noise[-1] = _WANDER**2
    lift = np.zeros(n)
    lift[nm : 2 * nm] = np.linalg.solve(M, p.uplift(prepared.model.fastest))
    return _discretise(S, lift, c, noise, nm, task)


def passing_frequencies(prepared: PreparedRun) -> np.ndarray:
    """Frequencies at which spans (two harmonics) and droppers pass [Hz]."""
    v = prepared.model.fastest
    span = float(np.diff(prepared.model.strung.layout.mast_x).mean())
    x = np.unique(np.round(prepared.packed.linear.droppers.x, 3))
    droppers = float(np.median(np.diff(x))) if x.size > 1 else span
    return np.array([v / span, 2.0 * v / span, v / droppers])


def _discretise(
    S: np.ndarray, lift: np.ndarray, c: np.ndarray, noise: np.ndarray, nm: int, task: ControlTask
) -> DesignModel:
    """The model from sample to sample; the force is straight between them."""
    n, T = len(S), task.interval
    whole = np.zeros((n + 2, n + 2))  # and two inputs: the slope of the force, and what lifts
    whole[:n, :n], whole[n - 2, n], whole[:n, n + 1] = S, 1.0, lift
    E = expm(whole * T)
    A, B, g = E[:n, :n].copy(), E[:n, n] / T, E[:n, n + 1]
    A[:, n - 2] -= B  # slope = (u⁺ − u)/T
    both = expm(np.block([[-S, np.diag(noise)], [np.zeros((n, n)), S.T]]) * T)
    Q = both[n:, n:].T @ both[:n, n:]
    H, R = np.zeros((len(MEASURED), n)), np.zeros(len(MEASURED))
    below = min(1, nm - 1)
    H[0] = c
    H[1, 0], H[2, nm] = 1.0, 1.0
    if below:
        H[1, below], H[2, nm + below] = -1.0, -1.0
    H[3, 2 * nm - 1] = 1.0
    for k, name in enumerate(MEASURED):
        R[k] = max(task.sensors.noise * SIGNALS[name][1], 0.1 * SIGNALS[name][1]) ** 2
    R[0] += 5.0**2  # [N²] what the model leaves out of the force
    return DesignModel(A, B, g, c, H, 0.5 * (Q + Q.T) + 1e-14 * np.eye(n), np.diag(R), nm)
