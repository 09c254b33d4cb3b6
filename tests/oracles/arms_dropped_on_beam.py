"""Two arms that fall on an elastic beam and bounce: flights by SciPy with events, impacts by hand.

In flight beam and arms know nothing of one another: η̈ = −ω² η in the beam's modes, M_b q̈ = h of the free arms
(``pendulum_on_beam``). A flight ends where Φ = y − n(x) η falls through zero. The blow acts along ∂Φ/∂(q, η):

    Φ̇⁺ = −e Φ̇⁻,   P = −(1 + e) Φ̇⁻ / (J M_b⁻¹ Jᵀ + n·n),   J = (−n'η, 1, 0, 0)

and takes ½ (1 − e²) Φ̇⁻² / (J M_b⁻¹ Jᵀ + n·n). Element borders are far from the few millimetres travelled here.
"""

from dataclasses import replace

import numpy as np
from scipy.integrate import solve_ivp

from .multibody_models import PENDULUM_ON_BEAM
from .pendulum_on_beam import Model


def bounces(
    *, elements: int, place: float, height: float, speed: float, restitution: float, duration: float
) -> tuple[list[tuple[float, float, float]], np.ndarray, np.ndarray]:
    """Impacts (t, Φ̇⁻, energy lost), then (x, y, θ₁, q₄) and their rates at the end."""
    model = Model(replace(PENDULUM_ON_BEAM, elements=elements))
    k, e = model.nm, int(place / model.le)
    theta = model.start()[k + 1 : k + 3]
    s = np.concatenate([np.zeros(k), [place, height, *theta], np.zeros(k), [0.0, -speed, 0.0, 0.0]])
    half, t, found = k + 4, 0.0, []

    def rate(_: float, s: np.ndarray) -> np.ndarray:
        M, h = model.arms(s[k + 2 : half], s[half + k + 2 :])
        return np.concatenate([s[half:], -model.omega2 * s[:k], np.linalg.solve(M, h)])

    def gap(_: float, s: np.ndarray) -> float:
        return s[k + 1] - model.shapes(s[k], e)[0] @ s[:k]

    gap.terminal, gap.direction = True, -1
    while t < duration:
        run = solve_ivp(rate, (t, duration), s, "DOP853", events=gap, rtol=1e-11, atol=1e-13, max_step=2e-5)
        t, s = float(run.t[-1]), run.y[:, -1]
        if run.status == 1:
            n, slope, _ = model.shapes(s[k], e)
            J = np.array([-slope @ s[:k], 1.0, 0.0, 0.0])
            M, _ = model.arms(s[k + 2 : half], s[half + k + 2 :])
            answer = np.linalg.solve(M, J)
            before = J @ s[half + k :] - n @ s[half : half + k]
            weight = J @ answer + n @ n
            P = -(1 + restitution) * before / weight
            s[half + k :] += answer * P
            s[half : half + k] -= n * P
            found.append((t, float(before), float(0.5 * (1 - restitution**2) * before**2 / weight)))
    return found, s[k:half], s[half + k :]
