"""Computed traces of a passage: from the records of a differentiable run to what its channels should have read.

Of each step the run records the contact force F, the height of the wire over the contact and the uplift of the
supports. The head stands higher than the wire by the penetration, z = z_wire + F/k. Every channel is a linear
function of them,

    d = W(τ + δ) y,      y = F, z or u,      W the filter or its second derivative at the instants τ of the record

so that ∂d/∂δ = Ẇ y for the unknown shift δ of its clock, and a weight on d becomes Wᵀ on the run's records.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from panhead.assess.filters import low_pass, low_pass_transposed
from panhead.desk.evidence.virtual_instrument import Instrument
from panhead.errors import ModelError, RunWarning
from panhead.explore.calibration.measured_channels import MeasuredChannel
from panhead.explore.calibration.trace_filter import TraceFilter
from panhead.explore.designs.problem import LoadedRun
from panhead.runs.description import Run
from panhead.runs.gradients.gradient import tape_for_gradient
from panhead.runs.linear.taped_run import RunTape


@dataclass(frozen=True, slots=True)
class RunSeries:
    """What a run records at its steps, as far as the channels of a passage need it."""

    times: np.ndarray  #: (n,) [s]
    force: np.ndarray  #: (n,) of the measured pantograph [N]
    head: np.ndarray  #: (n,) its height; empty if the run has several wires over it [m]
    support: np.ndarray  #: (n, supports) uplift [m]
    stiffness: float  #: k of the contact [N/m]


@dataclass(frozen=True, slots=True)
class FittedTrace:
    """A channel as it is fitted: filtered samples at instants of the run."""

    channel: MeasuredChannel
    passage: int
    instants: np.ndarray  #: (m,) in the time of the run, with the clock as first aligned [s]; empty: a largest value
    data: np.ndarray  #: (m,) filtered, in SI units
    clock: int  #: number of its clock; -1: none
    column: int = -1  #: of the support
    noise: float | None = None  #: standard deviation of a sample; None: estimated

    @property
    def derivative(self) -> int:
        """2 for accelerations, which are second derivatives of a computed height."""
        return 2 if self.channel.quantity.endswith("acceleration") else 0


class PassageModel:
    """One passage: its run, and the operators from its records to its traces."""

    def __init__(self, looked: LoadedRun, pantograph: int, instrument: Instrument | None, trace: TraceFilter) -> None:
        self.looked, self.pantograph, self.instrument, self.trace = looked, pantograph, instrument, trace
        self.traces: list[FittedTrace] = []

    def predict(self, series: RunSeries, fitted: FittedTrace, shift: float) -> tuple[np.ndarray, np.ndarray]:
        """Values of a trace and their derivative by the shift of its clock [s]."""
        signal = self._signal(series, fitted)
        if not fitted.instants.size:
            return np.array([signal.max()]), np.zeros(1)
        at, order = fitted.instants + shift, fitted.derivative
        value, rate = (self.trace.rows(at, series.times, order + k) @ signal for k in (0, 1))
        return np.asarray(value), np.asarray(rate)

    def weights(self, series: RunSeries, fitted: FittedTrace, shift: float, bar: np.ndarray) -> dict[str, np.ndarray]:
        """Weights on the run's records that a weight on a trace becomes: (n,) of "force", "head" or "support"."""
        signal = self._signal(series, fitted)
        if not fitted.instants.size:
            back = np.zeros(signal.size)
            back[int(signal.argmax())] = bar[0]
            return {"support": back}
        rows = self.trace.rows(fitted.instants + shift, series.times, fitted.derivative)
        back = np.asarray(rows.T @ bar)
        if fitted.channel.quantity in ("uplift", "wire_acceleration"):
            return {"support": back}
        if fitted.channel.quantity == "head_acceleration":
            return {"head": back}
        return self._recorded_back(series, back)

    def _signal(self, series: RunSeries, fitted: FittedTrace) -> np.ndarray:
        if fitted.column >= 0:
            return np.asarray(series.support[:, fitted.column])
        if fitted.channel.quantity == "head_acceleration":
            return series.head
        return self._recorded(series)

    def _recorded(self, series: RunSeries) -> np.ndarray:
        """The contact force as the instrument records it, without noise."""
        if self.instrument is None:
            return series.force
        mass, step = _left(self.instrument), float(series.times[1] - series.times[0])
        force = self.instrument.gains.mean() * series.force
        if mass:
            force = force + mass * (_second(len(series.times)) @ series.head) / step**2
        return low_pass(force, step, cutoff=self.instrument.cutoff, order=self.instrument.order)

    def _recorded_back(self, series: RunSeries, back: np.ndarray) -> dict[str, np.ndarray]:
        if self.instrument is None:
            return {"force": back}
        step = float(series.times[1] - series.times[0])
        back = low_pass_transposed(back, step, cutoff=self.instrument.cutoff, order=self.instrument.order)
        found, mass = {"force": self.instrument.gains.mean() * back}, _left(self.instrument)
        if mass:
            found["head"] = mass * (_second(len(series.times)).T @ back) / step**2
        return found


def _left(instrument: Instrument) -> float:
    """Mass whose inertia stays in a recorded force [kg]."""
    return float(instrument.gains.mean() * instrument.mass_above - instrument.correction[0])


def _second(n: int) -> sp.dia_array:
    """Second differences, zero at both ends."""
    one = np.ones(n)
    table = sp.dia_array((np.stack([one, -2.0 * one, one]), [-1, 0, 1]), shape=(n, n)).tolil()
    table[0], table[n - 1] = 0.0, 0.0
    return sp.csr_array(table)


def tape_passage(run: Run) -> RunTape:
    """Differentiable run of a passage."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RunWarning)  # told once, of the run with its prior values
        tape = tape_for_gradient(run)
    if not isinstance(tape, RunTape):
        raise ModelError("calibration: use solver 'linear'; traces of solver 'cables' have no calibration yet")
    return tape


def series_of(tape: RunTape, pantograph: int) -> RunSeries:
    """Records of one pantograph of a run."""
    wires = tape.force.shape[1] // len(tape.model.names)
    mine = slice(pantograph * wires, (pantograph + 1) * wires)
    k = float(tape.session.train.head["k"][pantograph])
    force = tape.force[:, mine].sum(axis=1)
    one_wire = wires == 1 and tape.height.shape[1] == tape.force.shape[1]
    head = tape.height[:, pantograph] + force / k if one_wire and not np.isnan(tape.height).any() else np.zeros(0)
    return RunSeries(tape.seen, force, head, tape.support, k)


def compute_series(run: Run, pantograph: int) -> RunSeries:
    """Records of one pantograph of a run, in this process or another."""
    return series_of(tape_passage(run), pantograph)


def run_weights(tape: RunTape, pantograph: int, parts: dict[str, np.ndarray], column: dict[int, np.ndarray]) -> Any:
    """Weights of ``gradient`` on the records of a run: of force, head (z = z_wire + F/k) and supports by column."""
    series, heads = series_of(tape, pantograph), len(tape.model.names)
    n, found = len(series.times), {}
    force = parts.get("force", np.zeros(n)) + parts.get("head", np.zeros(n)) / series.stiffness
    found["contact_force"] = np.zeros((n, heads))
    found["contact_force"][:, pantograph] = force
    if "head" in parts:
        found["contact_height"] = np.zeros((n, heads))
        found["contact_height"][:, pantograph] = parts["head"]
    if column:
        found["support_uplift"] = np.zeros(tape.support.shape)
        for number, weight in column.items():
            found["support_uplift"][:, number] += weight
    return found
