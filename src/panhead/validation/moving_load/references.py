"""Moving load on a string and on a beam against the modal series."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy.sparse
import scipy.sparse.linalg

from panhead.engine.laws.hermite import shape
from panhead.railway.line.wire_elements import wire_mass, wire_stiffness
from panhead.validation.checks import AFTER, BEFORE, Check, at_least, largest, near

_FRYBA = "Frýba, Vibration of Solids and Structures under Moving Loads: modal series"


def _moving_load_history(
    length: float, T: float, EI: float, mu: float, n: int, speed: float, dt: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A unit load moving over a simply supported wire: times, deflection under the load, at mid-span.

    Cubic Hermite elements, average-acceleration Newmark, consistent nodal loads.
    """
    ell, size = length / n, 2 * (n + 1)
    K_e, M_e = wire_stiffness(ell, T, EI), wire_mass(ell, mu)
    rows = (2 * np.arange(n)[:, None] + np.arange(4)).repeat(4, axis=1).ravel()
    columns = np.tile(2 * np.arange(n)[:, None] + np.arange(4), (1, 4)).ravel()
    build = lambda E: scipy.sparse.csc_array((np.tile(E.ravel(), n), (rows, columns)), shape=(size, size))
    free = np.setdiff1d(np.arange(size), [0, size - 2])
    K, M = (build(E)[free][:, free] for E in (K_e, M_e))
    solve = scipy.sparse.linalg.splu(scipy.sparse.csc_array(M + dt * dt / 4 * K)).solve
    t = np.arange(0, round(length / speed / dt) + 1) * dt
    w, v, a = np.zeros(size), np.zeros(size), np.zeros(size)
    under, middle = np.zeros(len(t)), np.zeros(len(t))
    for k in range(1, len(t)):
        load = np.zeros(size)
        x = min(speed * t[k], length)
        e = min(int(x / ell), n - 1)
        N = np.array(shape(x / ell - e, ell))
        load[2 * e : 2 * e + 4] = N
        guess = w[free] + dt * v[free] + dt * dt / 4 * a[free]
        new = solve(load[free] - K @ guess)
        w[free] = guess + dt * dt / 4 * new
        v[free] += dt / 2 * (a[free] + new)
        a[free] = new
        under[k], middle[k] = N @ w[2 * e : 2 * e + 4], w[n]  # n even: station n/2
    return t, under, middle


def moving_load_string() -> Sequence[Check]:
    """100 N entering a string of 60 m at one end: deflection under it is F v t / (T (1 + v/c)) before echoes."""
    length, T, mu, F = 60.0, 20e3, 1.35, 100.0
    reference = {250: (47.7539, 95.508, 126.885), 300: (44.5193, 89.039, 133.558)}
    checks = []
    for kmh, expected in reference.items():
        errors = []
        for n in (60, 120, 240):
            t, under, _ = _moving_load_history(length, T, 0.0, mu, n, kmh / 3.6, 0.06 / n)
            found = [1e3 * F * np.interp(share * length / (kmh / 3.6), t, under) for share in (0.25, 0.5, 0.75)]
            errors.append(largest(abs(f / e - 1) for f, e in zip(found, expected, strict=True)))
        checks += [
            near(f"deflection under the load at {share} L, {kmh} km/h", f, e, "mm", _FRYBA, rel=5e-3, by=BEFORE)
            for share, f, e in zip((0.25, 0.5, 0.75), found, expected, strict=True)
        ]
        order = float(np.polyfit(np.log([60, 120, 240]), np.log(errors), 1)[0])
        checks.append(
            at_least(f"order of convergence with the mesh, {kmh} km/h", -order, 0.7, "1",
                "C¹ elements cannot kink: first order", reference=1.0, by=AFTER)
        )  # fmt: skip
    return checks


def moving_load_beam() -> Sequence[Check]:
    """A load crossing a simply supported beam: largest mid-span deflection over P L³ / 48 EI."""
    length, EI, mu = 10.0, 2e5, 5.0
    expected = {
        0.1: 1.0965,
        0.2: 1.0653,
        0.25: 1.2576,
        0.3: 1.4105,
        0.4: 1.6129,
        0.5: 1.7054,
        0.6: 1.7311,
        0.7: 1.7204,
        0.8: 1.6762,
    }
    checks = []
    for S, reference in expected.items():
        speed = S * np.pi * np.sqrt(EI / mu) / length
        _, _, middle = _moving_load_history(length, 0.0, EI, mu, 20, speed, length / speed / 2000)
        checks.append(
            near(f"dynamic factor at S = {S}", middle.max() * 48 * EI / length**3, reference, "1", _FRYBA, rel=5e-3,
                by=BEFORE)
        )  # fmt: skip
    return checks
