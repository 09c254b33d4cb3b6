"""Virtual instrument of EN 50317: load cells below the strips, accelerometers on them, corrections, a filter.

The strips of mass m above the cells carry the contact force F downwards and their own lift L v² upwards. The sum of the
cells, without the weight, is

    Σ S = F + m z̈ − L v²                                   F̂ = filter(Σ S − m_c z̈ + L_c v²)

with the corrected mass m_c and lift L_c. The cells of a strip at ± b/2 share its force by the lateral position y of
the wire, ½ ± y/b. Every cell has a gain, an offset and noise, every accelerometer a gain and noise.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar

import numpy as np

from panhead.assess.assessment_inputs import contact_across, judged_window
from panhead.assess.filters import low_pass, sampling_step
from panhead.errors import ModelError, require_finite, require_not_negative, require_positive
from panhead.files.units import Dimensionless, Hertz, Kilograms, Metres, MetresPerSecondSquared, Newtons, Seconds, Unit

if TYPE_CHECKING:
    import xarray as xr

LiftPerSpeedSquared = Annotated[float, Unit("N*s**2/m**2")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Instrument:
    """What a measuring coach makes of a contact force: F̂ = filter(Σ S − m_c z̈ + L_c v²).

    m_c = m and L_c = L give the contact force within the band of the filter; what is not corrected stays in it.
    """

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    mass_above: Kilograms = 0.0  #: mass m between wire and sensors
    mass_corrected: Kilograms | None = None  #: mass m_c in the inertia correction; None: all of it
    cutoff: Hertz = 20.0  #: cut-off frequency of the filter
    order: int = 6  #: order of the Butterworth filter
    sampling: Hertz = 200.0  #: sampling rate
    sensor_spacing: Metres = 1.0  #: distance b of the two sensors across the head
    strips: int = 2  #: strips, each on a pair of load cells
    lift_above: LiftPerSpeedSquared = 0.0  #: lift L of what is above the cells, per speed squared
    lift_corrected: LiftPerSpeedSquared | None = None  #: lift L_c in the aerodynamic correction; None: all of it
    cell_gain: tuple[Dimensionless, ...] = ()  #: gain of every cell, left and right of each strip; empty: 1
    cell_offset: tuple[Newtons, ...] = ()  #: offset of every cell; empty: 0
    accelerometer_gain: Dimensionless = 1.0  #: gain of the accelerometers
    cell_noise: Newtons = 0.0  #: standard deviation of a sample of a cell, independent of the others
    accelerometer_noise: MetresPerSecondSquared = 0.0  #: standard deviation of a sample of the mean acceleration
    delay: Seconds = 0.0  #: of the record behind the places it is written to
    seed: int = 0  #: seed of the noise

    def __post_init__(self) -> None:
        require_positive(self, "cutoff", "order", "sampling", "sensor_spacing", "strips", "accelerometer_gain")
        require_not_negative(self, "mass_above", "cell_noise", "accelerometer_noise", "delay", "seed")
        require_finite(self, "lift_above")
        if self.mass_corrected is not None:
            require_not_negative(self, "mass_corrected")
        if self.sampling <= 2.0 * self.cutoff:
            raise ModelError(f"Instrument: {self.sampling:g} Hz is too low for a filter cut-off of {self.cutoff:g} Hz")
        for name in ("cell_gain", "cell_offset"):
            if len(getattr(self, name)) not in (0, self.cells):
                raise ModelError(f"Instrument: {name} needs {self.cells} numbers, one for each cell, or none")

    @property
    def cells(self) -> int:
        """Number of load cells."""
        return 2 * self.strips

    @property
    def gains(self) -> np.ndarray:
        """Gain of every cell (cells,)."""
        return np.array(self.cell_gain or (1.0,) * self.cells, float)

    @property
    def correction(self) -> tuple[float, float]:
        """Corrected mass [kg] and lift [N·s²/m²], with the gain of the accelerometers."""
        mass = self.mass_above if self.mass_corrected is None else self.mass_corrected
        lift = self.lift_above if self.lift_corrected is None else self.lift_corrected
        return mass * self.accelerometer_gain, lift

    def noise(self) -> float:
        """Standard deviation of the noise of a sample before the filter [N]."""
        cells = self.cell_noise**2 * float((self.gains**2).sum())
        return float(np.sqrt(cells + (self.correction[0] * self.accelerometer_noise) ** 2))

    def shares(self, across: np.ndarray) -> np.ndarray:
        """Share of every cell in the force at lateral positions of the wire (n,); (n, cells)."""
        left = 0.5 + across / self.sensor_spacing
        return np.repeat(np.stack([left, 1.0 - left], axis=1)[:, None], self.strips, axis=1).reshape(-1, self.cells)

    def cell_forces(self, one: xr.Dataset) -> np.ndarray:
        """Force on every cell of one pantograph, without noise; (samples, cells) [N]."""
        force, across = one["contact_force"].to_numpy(), contact_across(one)
        y = np.zeros(force.size) if across is None else np.ravel(across)
        strips = _strip_forces(one, force, self.strips)
        own = self.mass_above * _acceleration(one, self) - _lift(one, self.lift_above)
        carried = strips + own[:, None] / self.strips
        return np.repeat(carried, 2, axis=1) * self.shares(y)

    def reads(self, one: xr.Dataset, *, noisy: bool = False) -> tuple[np.ndarray, np.ndarray]:
        """Times (n,) [s] and measured force (n,) [N] of one pantograph of a result; noisy: with noise by the seed."""
        times = one["time"].to_numpy()
        step = sampling_step(times)
        offset = float(sum(self.cell_offset))
        if self._ideal():  # the sum of the cells is then the force itself, to the last digit
            force = one["contact_force"].to_numpy() + offset
        else:
            mass, lift = self.correction
            force = self.cell_forces(one) @ self.gains + offset
            force = force - mass * _acceleration(one, self) + _lift(one, lift)
        told = low_pass(force, step, cutoff=self.cutoff, order=self.order)
        at = np.arange(times[0], times[-1], 1.0 / self.sampling)
        read = np.interp(at - self.delay, times, told)
        if noisy and self.noise():
            noise = self.noise() * np.random.default_rng(self.seed).standard_normal(at.size)
            read = read + low_pass(noise, 1.0 / self.sampling, cutoff=self.cutoff, order=self.order)
        return at, read

    def _ideal(self) -> bool:
        mass, lift = self.correction
        return mass == self.mass_above and lift == self.lift_above and bool((self.gains == 1.0).all())

    def largest_on_a_sensor(self, one: xr.Dataset) -> float:
        """The largest force on one side of the head in the assessed section [N], for which its cells must be rated."""
        at, force = self.reads(one)
        across = contact_across(one)
        y = np.zeros(at.size) if across is None else np.interp(at, one["time"].to_numpy(), np.ravel(across))
        begin, end = judged_window(one)
        share = (force * (0.5 + np.abs(y) / self.sensor_spacing))[(at >= begin) & (at <= end)]
        return float(share.max())


def _strip_forces(one: xr.Dataset, force: np.ndarray, strips: int) -> np.ndarray:
    """Contact force of every strip (samples, strips): of the run, or equal shares of the whole."""
    if "strip_force" in one:
        name = str(one["pantograph"].to_numpy())
        mine = one["strip_force"].to_numpy()[one["strip_of"].to_numpy() == name]
        if len(mine) == strips:
            return np.asarray(mine.T)
    return np.repeat(force[:, None] / strips, strips, axis=1)


def _acceleration(one: xr.Dataset, instrument: Instrument) -> np.ndarray:
    """Acceleration of the head (samples,) [m/s²]; zero if no mass needs it."""
    if not (instrument.mass_above or instrument.correction[0]):
        return np.zeros(one.sizes["time"])
    if "head_z" not in one:
        raise ModelError("Instrument: the result has no head height, which the inertia correction needs")
    step = sampling_step(one["time"].to_numpy())
    return np.gradient(np.gradient(one["head_z"].to_numpy(), step), step)


def _lift(one: xr.Dataset, coefficient: float) -> np.ndarray:
    """Lift in the wind of the journey (samples,) [N]."""
    if not coefficient:
        return np.zeros(one.sizes["time"])
    speed = np.gradient(one["contact_x"].to_numpy(), one["time"].to_numpy())
    return np.asarray(coefficient * speed**2)
