"""Track irregularities: random from power spectral densities with a seed, or measured.

left rail   y = alignment + gauge/2,   z = vertical + b·cross-level
right rail  y = alignment − gauge/2,   z = vertical − b·cross-level      b half the rails' distance
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

import numpy as np

from panhead.engine.laws.ramp import smooth_ramp
from panhead.errors import FileError, ModelError, require_not_negative, require_positive
from panhead.files import library
from panhead.files.embed import NAMES
from panhead.files.units import Metres

_PERIOD = 65536.0  # m, of random irregularities
_COLUMNS = ("position", "left_lateral", "left_vertical", "right_lateral", "right_vertical")


@dataclass(frozen=True, slots=True, kw_only=True)
class Spectrum:
    """One-sided power spectral densities over the wavenumber Ω [rad/m]:

    alignment    S = A_a Ω_c²/((Ω² + Ω_r²)(Ω² + Ω_c²))
    vertical     S = A_v Ω_c²/((Ω² + Ω_r²)(Ω² + Ω_c²))
    gauge        S = A_g Ω_c² Ω²/((Ω² + Ω_r²)(Ω² + Ω_c²)(Ω² + Ω_s²))
    cross-level  the same with A_v/b², of the angle                              [ERRI93]
    """

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    name: str
    lateral_roughness: float  #: A_a [m·rad]
    vertical_roughness: float  #: A_v [m·rad]
    gauge_roughness: float = 0.0  #: A_g [m·rad]
    cut_off: float  #: Ω_c [rad/m]
    long_wave: float  #: Ω_r [rad/m]
    cross_level: float  #: Ω_s [rad/m]
    sources: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        require_positive(self, "cut_off", "long_wave", "cross_level")
        require_not_negative(self, "lateral_roughness", "vertical_roughness", "gauge_roughness")

    def densities(self, wavenumber: np.ndarray, half_distance: float) -> np.ndarray:
        """(4, n) of alignment, vertical, gauge [m²/(rad/m)] and cross-level angle [rad²/(rad/m)]."""
        W = wavenumber**2
        common = self.cut_off**2 / ((W + self.long_wave**2) * (W + self.cut_off**2))
        short = common * W / (W + self.cross_level**2)
        return np.array(
            [
                self.lateral_roughness * common,
                self.vertical_roughness * common,
                self.gauge_roughness * short,
                self.vertical_roughness / half_distance**2 * short,
            ]
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class RandomIrregularity:
    """A sum of harmonics with a spectrum's amplitudes and random phases; the same seed, the same track.

    Wavelengths between ``shortest`` and ``longest`` are parts of 65.536 km, after which all comes again: neither the
    length of the track nor waves that are left out change the others. The first ``even`` metres have none, so that a
    vehicle can stand there; over the next ``fade`` metres they rise smoothly from zero.
    """

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    spectrum: str | Spectrum = field(
        default="erri-low", metadata={NAMES: "panhead.railway.vehicle.rail_irregularities:read_spectrum"}
    )
    """Shipped name, file, or the spectrum itself."""
    seed: int = 1  #: seed of the random phases
    shortest: Metres = 3.0  #: shortest wavelength [m]
    longest: Metres = 100.0  #: longest wavelength [m]
    fade: Metres = 20.0  #: distance over which the irregularity grows from zero [m]
    even: Metres = 0.0  #: length of smooth track at the start [m]
    scale: float = 1.0  #: factor on all amplitudes

    def __post_init__(self) -> None:
        require_positive(self, "shortest", "longest")
        require_not_negative(self, "fade", "even", "scale", "seed")
        if self.longest <= self.shortest:
            raise ModelError(f"RandomIrregularity: longest {self.longest:g} m must exceed shortest {self.shortest:g} m")

    def signals(self, length: float, half_distance: float) -> tuple[np.ndarray, np.ndarray]:
        """Positions (n,) [m], the last at the length or beyond, and (4, n) alignment, vertical, gauge [m], cross-level
        [rad]."""
        samples = 2 ** math.ceil(math.log2(_PERIOD / min(0.25, self.shortest / 12.0)))
        x = _PERIOD / samples * np.arange(math.ceil(length * samples / _PERIOD) + 1)
        wavenumber = 2.0 * math.pi / _PERIOD * np.arange(samples // 2 + 1)
        spectrum = read_spectrum(self.spectrum) if isinstance(self.spectrum, str) else self.spectrum
        S = spectrum.densities(wavenumber, half_distance)
        band = (wavenumber >= 2.0 * math.pi / self.longest) & (wavenumber <= 2.0 * math.pi / self.shortest)
        amplitude = self.scale * np.sqrt(2.0 * S * wavenumber[1]) * band
        phase = np.random.default_rng(self.seed).uniform(0.0, 2.0 * math.pi, (wavenumber.size, 4)).T
        waves = np.fft.irfft(0.5 * samples * amplitude * np.exp(1j * phase), samples)
        return x, np.take(waves, np.arange(x.size), axis=1, mode="wrap") * smooth_ramp(x - self.even, self.fade)

    def rails(self, length: float, half_distance: float) -> tuple[np.ndarray, np.ndarray]:
        """Positions (n,) and (4, n) left y, left z, right y, right z [m]."""
        x, (alignment, vertical, gauge, cross) = self.signals(length, half_distance)
        tilt = half_distance * cross
        return x, np.array([alignment + 0.5 * gauge, vertical + tilt, alignment - 0.5 * gauge, vertical - tilt])


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredIrregularity:
    """Displacements of both rails measured along the track; zero before the first and after the last."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    position: tuple[float, ...]  #: positions along the track, increasing [m]
    left_lateral: tuple[float, ...]  #: displacement of the left rail to the left [m]
    left_vertical: tuple[float, ...]  #: displacement of the left rail upwards [m]
    right_lateral: tuple[float, ...]  #: displacement of the right rail to the left
    right_vertical: tuple[float, ...]  #: displacement of the right rail upwards

    def __post_init__(self) -> None:
        sizes = {name: len(getattr(self, name)) for name in _COLUMNS}
        if len(set(sizes.values())) != 1 or len(self.position) < 4:
            raise ModelError(f"MeasuredIrregularity: needs five lists of equal length ≥ 4, got {sizes}")
        values = np.array([getattr(self, name) for name in _COLUMNS])
        if not np.isfinite(values).all():
            name = _COLUMNS[int(np.flatnonzero(~np.isfinite(values).all(axis=1))[0])]
            raise ModelError(f"MeasuredIrregularity: {name} holds a number that is not finite")
        if not (np.diff(values[0]) > 0.0).all():
            k = int(np.flatnonzero(np.diff(values[0]) <= 0.0)[0]) + 2
            raise ModelError(f"MeasuredIrregularity: positions must increase, position {k} does not")

    def rails(self, length: float, half_distance: float) -> tuple[np.ndarray, np.ndarray]:
        """Positions (n,) and (4, n) left y, left z, right y, right z [m], on a grid as fine as measured."""
        from scipy.interpolate import PchipInterpolator

        own = np.array(self.position)
        step = min(0.25, float(np.diff(own).min()))
        x = np.linspace(0.0, length, math.ceil(length / step) + 1)
        values = np.array([getattr(self, name) for name in _COLUMNS[1:]])
        inside = (x >= own[0]) & (x <= own[-1])
        return x, np.where(inside, PchipInterpolator(own, values, axis=1)(np.clip(x, own[0], own[-1])), 0.0)


Irregularity = RandomIrregularity | MeasuredIrregularity


def read_spectrum(source: str | Path) -> Spectrum:
    """Read a spectrum by its shipped name or from a TOML file."""
    return library.read(Spectrum, "irregularities", source)


def read_measured(path: str | Path) -> MeasuredIrregularity:
    """Read irregularities from a CSV file with the columns position, left_lateral, left_vertical,
    right_lateral, right_vertical, in metres unless it says another unit."""
    from panhead.files.sheet_rows import ColumnWanted  # few runs read measured rails
    from panhead.files.tables import read_rows

    wanted = [ColumnWanted(name, "m", required=True) for name in _COLUMNS]
    found = read_rows(path, "irregularities", wanted, strict=False)
    for row, cells in found.rows:
        for name in _COLUMNS:
            if cells[name] is None and not found.problems:
                found.add_error(row, name, "is empty")
    found.raise_errors()
    columns = {name: tuple(cells[name] for _, cells in found.rows) for name in _COLUMNS}
    try:
        return MeasuredIrregularity(**columns)
    except ModelError as error:
        raise FileError(path, str(error)) from None
