"""Gusts on a line: simulated wind against its spectrum, loads and sway against closed forms.

The sway is that of one bare span, a taut string whose modes sin nπx/l are known: nothing of the line's matrices, of its
loads or of the integrator is used for the reference.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from scipy.signal import cont2discrete, csd, lfilter

from panhead.railway.line import Conditions, Line, Span, TensionLength, Wind, line_in, linear_line, read_line, string
from panhead.railway.line.turbulence import INTERVAL, gust_loads, gust_speeds
from panhead.runs.description import Journey, Numerics, OnTrain, Run
from panhead.runs.simulate import simulate_one
from panhead.validation.checks import BEFORE, CLOSED_FORM, Check, below, near

WIND = Wind(speed=20.0, intensity=0.15, length_scale=60.0, vertical=0.0, seed=4)
_SPAN = 60.0
_DIAMETER, _DRAG = 0.012, 1.1
_AIR = WIND.air_density * _DRAG * _DIAMETER * WIND.speed  # ρ c d U by hand [N·s/m²]
_OCTAVES = 0.1 * 2.0 ** np.arange(7)  # Hz


def buffeting_checks() -> Iterator[Check]:
    """Rows of the wind, its loads and the sway of a span."""
    yield from _variance_rows()
    yield from _spectrum()
    yield from _load()
    yield from _slow_gust()
    yield from _sway()


def _many_draws(wind: Wind, seeds: int, places: range, instants: range) -> np.ndarray:
    """Speeds along the wind of many seeds (seeds, instants, places) [m/s]."""
    return np.array([gust_speeds(replace(wind, seed=seed), places, instants)[0] for seed in range(seeds)])


def _variance_rows() -> Iterator[Check]:
    """The variance over draws and places is (I U)², however short a run; places are all but independent."""
    sigma = WIND.intensity * WIND.speed
    for seconds in (5, 60):
        u = _many_draws(replace(WIND, decay=1000.0), 20, range(0, 500), range(0, round(seconds / INTERVAL), 20))
        name = "deviation of the gusts drawn" + (f", runs of {seconds} s" if seconds < 60 else "")
        yield near(name, float(np.sqrt(np.mean(u**2))), sigma, "m/s",
            "I U; the part beyond 10 Hz is missing, 20 draws at 500 places scatter by 0.7 %", rel=0.03,
            by=CLOSED_FORM)  # fmt: skip


def _spectrum() -> Iterator[Check]:
    """Welch's estimates of spectrum and coherence, octave by octave from 0.1 to 6.4 Hz."""
    f, S = _estimate(_many_draws(replace(WIND, decay=1000.0), 10, range(0, 100), range(4096)), 0, every=1)
    X = f * WIND.length_scale / WIND.speed
    form = (WIND.intensity * WIND.speed) ** 2 * 4.0 * X / f / (1.0 + 70.8 * X**2) ** (5.0 / 6.0)
    off = [np.mean(S[k] / form[k]) - 1.0 for k in _in_octaves(f)]
    yield below("spectrum of the gusts, largest difference in an octave", 100 * float(np.abs(off).max()), 6.0, "%",
        "von Kármán's formula against Welch's estimate; leakage 3 %, scatter 1 %", by=BEFORE)  # fmt: skip
    u = _many_draws(WIND, 10, range(0, 600), range(4096))
    f, own = _estimate(u, 0)
    off = []
    for apart in (2, 5, 10, 20):
        _, cross = _estimate(u, apart)
        form = np.exp(-WIND.decay * f * apart / WIND.speed)
        off += [np.mean(cross[k] / own[k] - form[k]) for k in _in_octaves(f)]
    yield below("coherence of the gusts, largest difference in an octave", float(np.abs(off).max()), 0.05, "1",
        "exp(−C f Δx/U), Δx = 2 … 20 m, against Welch's estimate; scatter 0.01", by=BEFORE)  # fmt: skip


def _estimate(u: np.ndarray, apart: int, every: int = 10) -> tuple[np.ndarray, np.ndarray]:
    """Frequencies [Hz] and the real part of the cross-spectrum of places so many metres apart, the mean of some."""
    total, pairs = 0.0, u.shape[2] - apart
    for one in u:
        f, P = csd(one[:, :pairs:every], one[:, apart::every], 1.0 / INTERVAL, nperseg=1024, axis=0)
        total = total + P.real.mean(axis=1)
    return f[1:], np.asarray(total / len(u))[1:]


def _in_octaves(f: np.ndarray) -> list[np.ndarray]:
    return [(f >= low) & (f < 2.0 * low) for low in _OCTAVES[:-1]]


def _bare() -> Line:
    """One span without droppers: a contact wire that is a string."""
    line = read_line("en50318-2002")
    contact = replace(line.wires.contact, bending_stiffness=0.0, diameter=_DIAMETER, drag=_DRAG)
    wires = replace(line.wires, contact=contact, messenger=replace(contact, drag=0.0))
    spans = (Span(length=_SPAN),)
    return replace(line, wires=wires, uplift_space=None, presag=0.0,
        tension_lengths=(TensionLength(name="T", spans=spans),))  # fmt: skip


def _load() -> Iterator[Check]:
    """A gust of 1 m/s on the whole span loads the wire with ρ c d U l aside and half of that upwards."""
    model = linear_line(string(line_in(_bare(), Conditions(wind=WIND))), lateral=True)
    for way, G in zip(("sideways", "upwards"), gust_loads(model, WIND), strict=True):
        rows = np.asarray(G.sum(axis=1)).reshape(model.ns, model.b)
        path = model.paths[0]
        dof = int(path.dof_y or 0) if way == "sideways" else path.dof_w
        hand = _AIR * (1.0 if way == "sideways" else 0.5)
        inner = 0.5 * float(model.x[-2] + model.x[-1] - model.x[0] - model.x[1])  # what the supports do not take
        yield near(f"load of a gust of 1 m/s on a wire, {way}", float(rows[1:-1, dof].sum()), hand * inner, "N",
            "ρ c d U l" + ("" if way == "sideways" else "/2"), rel=1e-9, by=CLOSED_FORM)  # fmt: skip


def _slow_passage(wind: Wind, duration: float) -> tuple[np.ndarray, np.ndarray]:
    """Times and sway at the middle of the bare span, a pantograph creeping under it [s, m]."""
    middle = 0.5 * _SPAN
    run = Run(
        line=_bare(), train=(OnTrain(pantograph="en50318-2002"),), speed=1e-4, lateral=True,
        conditions=Conditions(wind=wind),
        journey=Journey(start=middle, duration=duration, ramp=2.0, run_in=0.0, judged_from=middle + 2.1e-4,
            judged_to=middle + 5e-3),
        numerics=Numerics(step=6e-3, element_length=2.0, coarse=True, keep=1.0),
    )  # fmt: skip
    result = simulate_one(run)
    return result["time"].to_numpy(), result["contact_y"].to_numpy()[0]


def _slow_gust() -> Iterator[Check]:
    """A gust that stays and is the same everywhere: the wind blows harder by it."""
    wind = replace(WIND, intensity=0.01, length_scale=1e8, decay=1e-6)
    t, y = _slow_passage(wind, 60.0)
    late = t > 40.0
    u = float(gust_speeds(wind, range(30, 31), range(round(40.0 / INTERVAL), round(60.0 / INTERVAL)))[0].mean())
    blown = [_blow_off(replace(wind, speed=wind.speed + more)) for more in (0.0, u)]
    yield near("sway in a slow gust", 1e3 * float(y[late].mean() - blown[0]), 1e3 * (blown[1] - blown[0]), "mm",
        f"blow-off(U + u) − blow-off(U), u = {u:.2f} m/s; u/2U of it is not linear", rel=0.02, by=BEFORE)  # fmt: skip


def _blow_off(wind: Wind) -> float:
    """½ρ c d U² l²/8H."""
    H = read_line("en50318-2002").wires.contact.tension
    return 0.5 * wind.air_density * _DRAG * _DIAMETER * wind.speed**2 * _SPAN**2 / (8.0 * H)


def _sway() -> Iterator[Check]:
    """The run beside its string, and the string in many draws beside the closed form."""
    string_ = _String.of(_bare())
    t, y = _slow_passage(WIND, 120.0)
    late = t > 20.0
    u, _ = gust_speeds(WIND, range(0, 61), range(2402))
    hand = np.interp(t, INTERVAL * np.arange(2402), string_.sway(u))
    yield near("variance of the wire's sway in gusts", 1e6 * float(np.var(y[late])), 1e6 * float(np.var(hand[late])),
        "mm²", "requirement: 5 %; modes of a string in the same wind, by hand", rel=0.05, by=BEFORE)  # fmt: skip
    off = float(np.std((y - hand)[late]) / np.std(hand[late]))
    yield below("sway in gusts, course in time", 100 * off, 5.0, "%",
        "deviation from that of the string by hand, of its own", by=BEFORE)  # fmt: skip
    some = [np.mean(string_.sway(u[:, k : k + 61])[400:] ** 2)
            for u in _many_draws(WIND, 60, range(0, 481), range(1300)) for k in range(0, 480, 60)]  # fmt: skip
    yield near("variance of the wire's sway, mean of 60 draws", 1e6 * float(np.mean(some)), 1e6 * string_.expected(),
        "mm²", "requirement: 5 %; ∫ h S h* df with the coherence exp(−C f Δx/U), eight spans, scatter 2 %",
        rel=0.05, by=BEFORE)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _String:
    """μ q̈ + c q̇ + H k² q = (2/l) ∫ ρ c d U u sin kx dx,  c = ρ c d U + α μ + β H k²,  k = nπ/l; n = 1, 3 … 9."""

    mass: float
    tension: float
    damping: tuple[float, float]

    @classmethod
    def of(cls, line: Line) -> _String:
        wire = line.wires.contact
        return cls(wire.mu, wire.tension, (wire.mass_damping, wire.stiffness_damping))

    def _modes(self) -> Iterator[tuple[float, float, float]]:
        """k, c, and the sign of a mode at the middle; even ones do not move there."""
        alpha, beta = self.damping
        for n in range(1, 10, 2):
            k = n * np.pi / _SPAN
            yield k, _AIR + alpha * self.mass + beta * self.tension * k**2, float((-1) ** (n // 2))

    def sway(self, u: np.ndarray) -> np.ndarray:
        """At the middle in time, from rest, in speeds (instants, 61) a metre apart that change linearly [m]."""
        total = np.zeros(len(u))
        for k, c, sign in self._modes():
            load = 2.0 / _SPAN * _AIR * np.trapezoid(u * np.sin(k * np.arange(61.0)), axis=1)
            above, under, _ = cont2discrete(([1.0], [self.mass, c, self.tension * k**2]), INTERVAL, method="foh")
            total += sign * lfilter(above.ravel(), under, load)
        return total

    def expected(self) -> float:
        """Σ ∫ h_n h_m* S J_nm df,  J_nm = (2/l)² ∫∫ sin k_n x sin k_m x′ exp(−C f |x − x′|/U) dx dx′ [m²]."""
        f = np.concatenate([np.geomspace(1e-5, 0.1, 100), np.arange(0.105, 6.0, 0.005)])
        x = np.linspace(0.0, _SPAN, 241)
        weight = np.full(x.size, x[1])
        weight[[0, -1]] *= 0.5
        apart, omega = np.abs(x[:, None] - x), 2j * np.pi * f
        answer = sum(
            sign / (self.mass * omega**2 + c * omega + self.tension * k**2)[:, None] * np.sin(k * x)
            for k, c, sign in self._modes()
        )
        h = 2.0 / _SPAN * _AIR * np.asarray(answer) * weight
        X = f * WIND.length_scale / WIND.speed
        S = (WIND.intensity * WIND.speed) ** 2 * 4.0 * X / f / (1.0 + 70.8 * X**2) ** (5.0 / 6.0)
        joint = [one @ np.exp(-WIND.decay * g / WIND.speed * apart) @ one.conj() for one, g in zip(h, f, strict=True)]
        return float(np.trapezoid(S * np.real(joint), f))
