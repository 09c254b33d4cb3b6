"""Misfit of a calibration: residuals of every trace, whitened, and their exact and differenced derivatives.

With the coordinates z = (x, c), x of the parameters and c of the clocks, all with a standard normal prior,

    φ(z) = ½ |r(z)|² + ½ |z|²,      r = L⁻¹ (d(z) − d_measured)/σ,      L Lᵀ = correlation of filtered noise

is the negative logarithm of the posterior density. ∇φ comes from one backward sweep for each passage. The Jacobian of
r, which Gauss–Newton steps and the Laplace approximation need, is differenced over runs, and its product with r
compared with the sweep.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor
from copy import copy
from dataclasses import dataclass, field, replace
from functools import lru_cache

import numpy as np

from panhead.desk.evidence.virtual_instrument import Instrument
from panhead.explore.calibration.passage_model import (
    FittedTrace,
    PassageModel,
    RunSeries,
    compute_series,
    run_weights,
    series_of,
    tape_passage,
)
from panhead.explore.calibration.trace_filter import TraceFilter
from panhead.explore.calibration.unknowns import UnknownCoordinate, parts_at
from panhead.explore.designs.parameters import CHANGEABLE
from panhead.explore.designs.problem import ChangedParts
from panhead.runs.description import Run
from panhead.runs.gradients.gradient import gradient_of
from panhead.runs.linear.taped_run import RunTape


@dataclass(slots=True)
class Misfit:
    """Residuals of all traces as functions of z."""

    models: Sequence[PassageModel]
    coordinates: Sequence[UnknownCoordinate]
    parts: ChangedParts
    clocks: np.ndarray  #: (clocks,) standard deviation of each [s]
    noise: dict[tuple[int, str], float] = field(default_factory=dict)  #: σ of (passage, quantity)
    workers: Executor | None = None  #: processes that compute runs; None: this one
    runs: int = 0  #: computed so far

    @property
    def traces(self) -> list[FittedTrace]:
        """All traces that are fitted."""
        return [trace for model in self.models for trace in model.traces]

    @property
    def size(self) -> int:
        """Number of coordinates."""
        return len(self.coordinates) + self.clocks.size

    def run(self, passage: int, z: np.ndarray) -> Run:
        """The run of a passage at z."""
        return self.models[passage].looked.of(self.parts_at(z))

    def parts_at(self, z: np.ndarray) -> ChangedParts:
        """Line and pantographs at z."""
        return parts_at(self.parts, self.coordinates, z[: len(self.coordinates)])

    def tapes(self, z: np.ndarray) -> list[RunTape]:
        """Run every passage at z."""
        self.runs += len(self.models)
        return [tape_passage(self.run(k, z)) for k in range(len(self.models))]

    def series(self, z: np.ndarray) -> list[RunSeries]:
        """Records of every passage at z."""
        return self.series_at([z])[0]

    def series_at(self, points: Sequence[np.ndarray]) -> list[list[RunSeries]]:
        """Records of every passage at several z."""
        count = len(self.models)
        runs = [self.run(k, z) for z in points for k in range(count)]
        which = [m.pantograph for m in self.models] * len(points)
        self.runs += len(runs)
        found = list((map if self.workers is None else self.workers.map)(compute_series, runs, which))
        return [found[k : k + count] for k in range(0, len(found), count)]

    def only(self, passages: Sequence[int]) -> Misfit:
        """The misfit of some passages alone; the clocks of the others keep their prior."""
        models = []
        for number, k in enumerate(passages):
            model = copy(self.models[k])
            model.traces = [replace(t, passage=number) for t in self.models[k].traces]
            models.append(model)
        noise = {(list(passages).index(k), name): s for (k, name), s in self.noise.items() if k in passages}
        return Misfit(models, self.coordinates, self.parts, self.clocks, noise, self.workers)

    def shift(self, trace: FittedTrace, z: np.ndarray) -> float:
        """Shift of the clock of a trace [s]."""
        n = len(self.coordinates)
        return 0.0 if trace.clock < 0 else float(z[n + trace.clock] * self.clocks[trace.clock])

    def sigma(self, trace: FittedTrace) -> float:
        """Standard deviation of the samples of a trace, given or estimated."""
        return trace.noise or self.noise.get((trace.passage, trace.channel.quantity), 1.0)

    def residuals(self, z: np.ndarray, series: Sequence[RunSeries]) -> np.ndarray:
        """r(z), all traces one after the other."""
        return np.concatenate([self.whiten(t, self.difference(t, z, series)[0]) for t in self.traces])

    def difference(
        self, trace: FittedTrace, z: np.ndarray, series: Sequence[RunSeries]
    ) -> tuple[np.ndarray, np.ndarray]:
        """Computed minus measured samples of a trace, and their derivative by its clock."""
        model = self.models[trace.passage]
        value, rate = model.predict(series[trace.passage], trace, self.shift(trace, z))
        return value - trace.data, rate

    def whiten(self, trace: FittedTrace, values: np.ndarray) -> np.ndarray:
        """L⁻¹ values/σ, of one column or several."""
        if not trace.instants.size:
            return values / self.sigma(trace)
        from scipy.linalg import solve_triangular

        L = _factor(self.models[trace.passage], trace)
        return np.asarray(solve_triangular(L, values, lower=True)) / self.sigma(trace)

    def jacobian(self, z: np.ndarray, series: Sequence[RunSeries], step: float, *, central: bool) -> np.ndarray:
        """∂r/∂z by differences over runs, and exact by the clocks; (residuals, size)."""
        n, base = len(self.coordinates), self.residuals(z, series)
        J = np.zeros((base.size, self.size))
        signs = (1.0, -1.0) if central else (1.0,)
        points = [z + sign * step * np.eye(self.size)[k] for k in range(n) for sign in signs]
        moved = [self.residuals(there, each) for there, each in zip(points, self.series_at(points), strict=True)]
        for k in range(n):
            J[:, k] = (moved[2 * k] - moved[2 * k + 1]) / (2.0 * step) if central else (moved[k] - base) / step
        row = 0
        for trace in self.traces:
            m = trace.data.size
            if trace.clock >= 0:
                rate = self.difference(trace, z, series)[1]
                J[row : row + m, n + trace.clock] = self.whiten(trace, rate) * self.clocks[trace.clock]
            row += m
        return J

    def potential(self, z: np.ndarray) -> float:
        """φ(z) without the constant of the noise."""
        r = self.residuals(z, self.series(z))
        return 0.5 * float(r @ r + z @ z)

    def potential_and_gradient(self, z: np.ndarray) -> tuple[float, np.ndarray]:
        """φ and its exact gradient: one run and one backward sweep for each passage."""
        tapes = self.tapes(z)
        series = [series_of(tape, m.pantograph) for tape, m in zip(tapes, self.models, strict=True)]
        r = self.residuals(z, series)
        by_data = self.exact_gradient(z, tapes, series, r)
        return 0.5 * float(r @ r + z @ z), by_data + z

    def exact_gradient(
        self, z: np.ndarray, tapes: Sequence[RunTape], series: Sequence[RunSeries], r: np.ndarray
    ) -> np.ndarray:
        """∇ ½|r|² by backward sweeps."""
        n, g, row = len(self.coordinates), np.zeros(self.size), 0
        for number, (tape, model) in enumerate(zip(tapes, self.models, strict=True)):
            parts: dict[str, np.ndarray] = {}
            column: dict[int, np.ndarray] = {}
            for trace in model.traces:
                m = trace.data.size
                bar = self.unwhiten(trace, r[row : row + m])
                row += m
                shift = self.shift(trace, z)
                for name, weight in model.weights(series[number], trace, shift, bar).items():
                    place, key = (column, trace.column) if name == "support" else (parts, name)
                    place[key] = place.get(key, 0.0) + weight  # type: ignore[index, operator, arg-type, call-overload]
                if trace.clock >= 0:
                    rate = model.predict(series[number], trace, shift)[1]
                    g[n + trace.clock] += float(rate @ bar) * self.clocks[trace.clock]
            g[:n] += self._by_parameters(z, tape, model.pantograph, parts, column)
        return g

    def unwhiten(self, trace: FittedTrace, r: np.ndarray) -> np.ndarray:
        """L⁻ᵀ r/σ: weights on the samples of a trace."""
        if not trace.instants.size:
            return r / self.sigma(trace)
        from scipy.linalg import solve_triangular

        L = _factor(self.models[trace.passage], trace)
        return np.asarray(solve_triangular(L, r, lower=True, trans="T")) / self.sigma(trace)

    def _by_parameters(
        self, z: np.ndarray, tape: RunTape, pantograph: int, parts: dict[str, np.ndarray], column: dict[int, np.ndarray]
    ) -> np.ndarray:
        """∇ of the weighted sum of a run's records by x."""
        families = list(dict.fromkeys(c.family for c in self.coordinates))
        slopes = gradient_of(tape, run_weights(tape, pantograph, parts, column), families)
        found: dict[tuple[str, str], float] = {}
        for family in families:
            own = CHANGEABLE[family].own
            for name, value in zip(slopes[f"{family}.names"].to_numpy(), slopes[family].to_numpy(), strict=True):
                key = family, own(str(name))
                found[key] = found.get(key, 0.0) + float(value)
        if "head" in parts:  # z = z_wire + F/k depends on k itself
            k, name = float(tape.session.train.head["k"][pantograph]), tape.model.pantographs[pantograph].name
            key = "contact.stiffness", name
            found[key] = found.get(key, 0.0) - float(parts["head"] @ series_of(tape, pantograph).force) / k**2
        g = np.zeros(len(self.coordinates))
        for k, one in enumerate(self.coordinates):
            slopes_x = one.slopes(float(z[k]))
            g[k] = sum(found.get((one.family, name), 0.0) * s for name, s in zip(one.names, slopes_x, strict=True))
        return g

    def estimate_noise(self, z: np.ndarray, series: Sequence[RunSeries], freedoms: int) -> None:
        """Set σ of every quantity whose noise is not given from its residuals at z."""
        sums: dict[tuple[int, str], list[float]] = {}
        total = sum(t.data.size for t in self.traces)
        for trace in self.traces:
            if trace.noise is None:
                key = trace.passage, trace.channel.quantity
                r = self.whiten(trace, self.difference(trace, z, series)[0]) * self.sigma(trace)
                share = r.size * (1.0 - min(0.5, freedoms / total))
                old = sums.setdefault(key, [0.0, 0.0])
                old[0] += float(r @ r)
                old[1] += share
        for key, (squares, count) in sums.items():
            self.noise[key] = max(np.sqrt(squares / count), 1e-12)


def _factor(model: PassageModel, trace: FittedTrace) -> np.ndarray:
    filters = model.instrument if trace.channel.quantity == "force" else None
    through = (0.0, 0) if filters is None else (filters.cutoff, filters.order)
    return _correlation_factor(model.trace, *through, trace.instants.tobytes())


@lru_cache(maxsize=64)
def _correlation_factor(trace: TraceFilter, cutoff: float, order: int, instants: bytes) -> np.ndarray:
    """Cholesky factor of the correlation at these instants of white noise through the instrument's filter and ours."""
    at, (f, power) = np.frombuffer(instants), _noise_power(trace, cutoff, order)
    lag = np.arange(0.0, 3.0 * trace.reach, 0.02 * trace.spacing)
    rho = np.trapezoid(power * np.cos(2.0 * np.pi * lag[:, None] * f[None]), f, axis=1)
    apart = np.abs(at[:, None] - at[None])
    R = np.interp(apart, lag, rho / rho[0], right=0.0)
    return np.linalg.cholesky(R + 1e-3 * np.eye(at.size))


def _noise_power(trace: TraceFilter, cutoff: float, order: int) -> tuple[np.ndarray, np.ndarray]:
    """Frequencies [Hz], and the share of the power of white noise that both filters let pass."""
    f = np.linspace(0.0, 3.0 * trace.cutoff, 601)
    fine = 1.0 / (16.0 * trace.cutoff)
    u = np.arange(-trace.reach, trace.reach + fine, fine)
    w = trace.rows(np.zeros(1), u).toarray()[0]
    power = np.abs(np.exp(-2j * np.pi * f[:, None] * u[None]) @ w) ** 2
    return f, power / (1.0 + (f / cutoff) ** (2 * order)) if order else power


def sample_noise(instrument: Instrument, trace: TraceFilter) -> float:
    """Standard deviation of the samples that are fitted, by the noise of an instrument through both filters [N]."""
    f, power = _noise_power(trace, instrument.cutoff, instrument.order)
    return float(instrument.noise() * np.sqrt(2.0 * np.trapezoid(power, f) / instrument.sampling))
