"""Gusts on a line: the variance of the wire's sway in a run beside that from the spectrum, frequency by frequency."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import splu

from panhead.cases.checks import AFTER, CLOSED_FORM, Check, near
from panhead.laws.hermite import shape
from panhead.line import Conditions, Line, Span, TensionLength, Wind, line_in, linear_line, read_line, string
from panhead.line.elasticity import StaticLine, block_matrix
from panhead.line.elements import locate
from panhead.line.linear import LinearLine
from panhead.line.turbulence import draw_gusts, gust_loads, gust_places, spectra
from panhead.runs.description import Journey, Numerics, OnTrain, Run
from panhead.runs.simulate import simulate_one

WIND = Wind(speed=20.0, intensity=0.15, length_scale=60.0, vertical=0.0, seed=4)
_PLACE, _DURATION, _STEP, _ELEMENT = 90.0, 240.0, 6e-3, 4.0
_INTERVAL = 8 * _STEP  # the multiple of the step next to the gusts' own
_SAMPLES = 2 * (round(_DURATION / _STEP) // 16 + 2)
_BAND = 4.0  # Hz


def buffeting() -> Iterator[Check]:
    """Three spans of the EN 50318:2002 line, a pantograph that creeps under the middle of the second."""
    yield _drawn()
    line = replace(read_line("en50318-2002"), uplift_space=None, presag=0.0,
        tension_lengths=(TensionLength(name="T", spans=(Span(length=60.0, count=3, dropper_count=5),)),))  # fmt: skip
    run = Run(
        line=line, train=(OnTrain(pantograph="en50318-2002"),), speed=1e-4, lateral=True,
        conditions=Conditions(wind=WIND),
        journey=Journey(start=_PLACE, duration=_DURATION, ramp=2.0, run_in=0.0, judged_from=_PLACE + 2.1e-4,
            judged_to=_PLACE + 2e-2),
        numerics=Numerics(step=_STEP, element_length=_ELEMENT, coarse=True, keep=1.0),
    )  # fmt: skip
    y, t = (simulate_one(run)[name].to_numpy() for name in ("contact_y", "time"))
    late = t > 20.0
    h = _Response(line)
    yield near("variance of the wire's sway in gusts", 1e6 * float(np.var(y[0][late])), 1e6 * h.of_run(run, t[late]),
        "mm²", "asked for: to 5 %; the same gusts in the frequency domain; a record beside theory missed it",
        rel=0.05, by=AFTER)  # fmt: skip
    drawn = np.mean([h.drawn(replace(WIND, seed=seed)) for seed in range(60)])
    yield near("variance of the wire's sway, mean of 60 draws", 1e6 * float(drawn), 1e6 * h.expected(), "mm²",
        "asked for: to 5 %; ∫ h S h* df with the coherence exp(−C f Δx/U); 60 draws, since one missed it", rel=0.05,
        by=AFTER)  # fmt: skip


def _drawn() -> Check:
    """Gusts drawn at one place have the variance of their spectrum: (I U)²."""
    u, _ = draw_gusts(WIND, np.linspace(0.0, 2000.0, 201), 8192)
    sigma = WIND.intensity * WIND.speed
    return near("deviation of the gusts drawn", float(np.sqrt(np.mean(u**2))), sigma, "m/s",
        "I U; the part beyond 10 Hz is missing", rel=0.03, by=CLOSED_FORM)  # fmt: skip


class _Response:
    """How the wire at one place answers gusts at every place and frequency: h = Gᵀ D⁻¹ c, D = K − ω²M + iωC."""

    def __init__(self, line: Line) -> None:
        model = linear_line(string(line_in(line, Conditions(wind=WIND))), element_length=_ELEMENT, lateral=True)
        self.places = gust_places(model)
        G, _ = gust_loads(model, self.places, 1.0)
        static = StaticLine(model)
        K = block_matrix(model.K_diag, model.K_off) + static.B.T @ sp.diags(static.k) @ static.B
        M, C = block_matrix(model.M_diag, model.M_off), block_matrix(model.C_diag, model.C_off)
        c = _place(model)
        self.f = np.fft.rfftfreq(_SAMPLES, _INTERVAL)[1:]
        self.h = np.zeros((self.f.size, self.places.size), dtype=complex)
        for k in np.flatnonzero(self.f < _BAND):
            omega = 2 * np.pi * self.f[k]
            self.h[k] = G.T @ splu((K - omega**2 * M + 1j * omega * C).tocsc()).solve(c.astype(complex))

    def answer(self, wind: Wind) -> np.ndarray:
        """Sway in time under the gusts of a seed, as if they went round and round [m]."""
        u, _ = draw_gusts(wind, self.places, _SAMPLES, _INTERVAL)
        y = np.zeros(_SAMPLES // 2 + 1, dtype=complex)
        y[1:] = np.sum(self.h * np.fft.rfft(u, axis=0)[1:], axis=1)
        return np.fft.irfft(y, _SAMPLES)

    def of_run(self, run: Run, times: np.ndarray) -> float:
        """Variance at the times of a run, of its own gusts [m²]."""
        assert run.conditions is not None
        wind = run.conditions.wind
        assert wind is not None
        return float(np.var(np.interp(times, np.arange(_SAMPLES) * _INTERVAL, self.answer(wind))))

    def drawn(self, wind: Wind) -> float:
        """Variance of one draw [m²]."""
        return float(np.mean(self.answer(wind) ** 2))

    def expected(self) -> float:
        """Σ h_i S_u coh_ij h_j* Δf [m²]."""
        S, _ = spectra(WIND, self.f)
        apart = np.abs(self.places[:, None] - self.places)
        coherent = np.exp(-WIND.decay * self.f[:, None, None] * apart / WIND.speed)
        return float(np.einsum("k,ki,kij,kj->", S * self.f[0], self.h, coherent, self.h.conj(), optimize=True).real)


def _place(model: LinearLine) -> np.ndarray:
    """What takes y of the contact wire at the place out of all coordinates."""
    path, e = model.paths[0], int(locate(_PLACE, model.x))
    c, ell = np.zeros(model.ns * model.b), float(model.x[e + 1] - model.x[e])
    for k, value in enumerate(shape((_PLACE - model.x[e]) / ell, ell)):
        c[(e + (k >> 1)) * model.b + int(path.dof_y or 0) + (k & 1)] = value
    return c
