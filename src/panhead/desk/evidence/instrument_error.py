"""Calibration of the virtual instrument as EN 50317 asks for, and its error on a run.

On the bench known forces press on the head: steady ones at several places across it, and a sine of 0.5 to 20 Hz. With
the receptance R(ω) of the head, z = −R F, the corrected sum of the cells before the filter is T(ω) F,

    T = g (1 + m ω² R) − m_c ω² R

of which the amplitude and its mean deviation from 1 over the band are told [EN 50317:2012, as recalled: at most 10 %].
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from panhead.assess.assessment_inputs import judged_window
from panhead.desk.evidence.virtual_instrument import Instrument
from panhead.railway.pantograph.lumped_pantograph import LumpedPantograph

if TYPE_CHECKING:
    import xarray as xr

BAND: Final = (0.5, 20.0)  #: of the dynamic calibration [Hz]
ACCURACY: Final = 0.10  #: mean deviation allowed, as recalled from EN 50317:2012
_STEADY: Final = np.array([50.0, 100.0, 150.0, 200.0, 300.0])  # applied forces [N]
_ACROSS: Final = np.array([-0.4, -0.2, 0.0, 0.2, 0.4])  # where, as shares of the sensors' distance


@dataclass(frozen=True, slots=True)
class InstrumentCalibration:
    """What a calibration of an instrument finds."""

    gain: float  #: slope of measured over applied steady force
    offset: float  #: [N]
    worst: float  #: largest deviation of a steady reading from the applied force [N]
    frequencies: np.ndarray  #: (n,) [Hz]
    transfer: np.ndarray  #: (n,) complex, measured over applied force before the filter
    noise: float  #: standard deviation of the filtered noise [N]

    @property
    def deviation(self) -> float:
        """Mean deviation of the amplitude from 1 over the band."""
        off = np.abs(np.abs(self.transfer) - 1.0)
        return float(np.trapezoid(off, self.frequencies) / (self.frequencies[-1] - self.frequencies[0]))

    @property
    def accepted(self) -> bool:
        """True if the mean deviation is within the accuracy."""
        return self.deviation <= ACCURACY


@dataclass(frozen=True, slots=True)
class InstrumentError:
    """Reading of an instrument beside the contact force of a run through the same filter, in the assessed section."""

    times: np.ndarray  #: (n,) [s]
    place: np.ndarray  #: (n,) where the record puts it [m]
    read: np.ndarray  #: (n,) [N]
    true: np.ndarray  #: (n,) [N]

    @property
    def mean(self) -> float:
        """Error of the mean force [N]."""
        return float(self.read.mean() - self.true.mean())

    @property
    def sigma(self) -> float:
        """Error of the standard deviation [N]."""
        return float(self.read.std() - self.true.std())

    @property
    def rms(self) -> float:
        """Root mean square of the error [N]."""
        return float(np.sqrt(np.mean((self.read - self.true) ** 2)))


def calibrate_instrument(instrument: Instrument, pantograph: LumpedPantograph) -> InstrumentCalibration:
    """Steady and dynamic calibration on the bench, with the head of a pantograph."""
    applied, across = np.meshgrid(_STEADY, _ACROSS * instrument.sensor_spacing, indexing="ij")
    shares = instrument.shares(across.ravel()) / instrument.strips
    told = applied.ravel() * (shares @ instrument.gains) + sum(instrument.cell_offset)
    gain, offset = np.polyfit(applied.ravel(), told, 1)
    f = np.linspace(*BAND, 79)
    R = head_receptance(pantograph, f)
    inertia = (2.0 * np.pi * f) ** 2 * R
    g = float(instrument.gains.mean())
    transfer = g * (1.0 + instrument.mass_above * inertia) - instrument.correction[0] * inertia
    return InstrumentCalibration(
        float(gain), float(offset), float(np.abs(told - applied.ravel()).max()), f, transfer, filtered_noise(instrument)
    )


def head_receptance(pantograph: LumpedPantograph, frequencies: np.ndarray) -> np.ndarray:
    """R(ω) of the head under a force on it: z_head/F (n,) complex [m/N]."""
    M, C, K = pantograph.matrices()
    first = np.zeros(len(M))
    first[0] = 1.0
    omega = 2.0 * np.pi * np.asarray(frequencies)
    return np.array([np.linalg.solve(K + 1j * w * C - w * w * M, first)[0] for w in omega])


def filtered_noise(instrument: Instrument) -> float:
    """Standard deviation of the noise after the filter: σ (2 ∫ |H|² df/f_s)^½ up to half the sampling rate [N]."""
    f = np.linspace(0.0, 0.5 * instrument.sampling, 20001)
    power = 1.0 / (1.0 + (f / instrument.cutoff) ** (2 * instrument.order))
    return float(instrument.noise() * np.sqrt(2.0 * np.trapezoid(power, f) / instrument.sampling))


def error_on_run(instrument: Instrument, one: xr.Dataset) -> InstrumentError:
    """Read one pantograph of a run with noise, and compare with its contact force through the same filter."""
    at, read = instrument.reads(one, noisy=True)
    perfect = Instrument(cutoff=instrument.cutoff, order=instrument.order, sampling=instrument.sampling)
    true = perfect.reads(one)[1]
    place = np.interp(at, one["time"].to_numpy(), one["contact_x"].to_numpy())
    begin, end = judged_window(one)
    inside = (at >= begin) & (at <= end)
    return InstrumentError(at[inside], place[inside], read[inside], true[inside])
