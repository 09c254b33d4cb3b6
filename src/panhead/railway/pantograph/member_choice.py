"""Identification of unpublished cross-sections by least squares on mass, centre, inertia and free–free frequencies.

    min Σ ((computed − printed) / tolerance)² + Σ ((x − usual) / reluctance)²

The second sum keeps the arm's tubes near usual ones, since it has as many parameters as targets.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import hypot

import numpy as np
import scipy.optimize

from panhead.engine.structures import Structure
from panhead.railway.pantograph.linkage import TableBody
from panhead.railway.pantograph.members import ForkedArm, StripBeam
from panhead.railway.pantograph.pantograph_modes import arm_modes, beam_modes, modes_of_kind

_FREQUENCY, _MASS, _INERTIA = 0.01, 0.001, 0.01  # tolerances, relative
_CENTRE = 0.005  # tolerance of the centre of mass along the arm [m]
_ROLL = 0.1  # tolerance of the arm's inertia about its own axis: the printed one is small
_MEAN_AREA = 0.02  # tolerance of the mean area
_USUAL_AREA, _USUAL_DIAMETER, _RELUCTANCE = 6.9e-4, 0.08, 1.0  # of the tubes
_THINNEST = 3e-4  # about a millimetre of wall where the stem is widest [m²]


def arm_misfit(arm: ForkedArm, body: TableBody) -> np.ndarray:
    """(computed / printed − 1) / tolerance: six frequencies, mass, three inertias; centre; mean area, (12,)."""
    s = arm.structure()
    modes = arm_modes(s)
    found = [m.frequency for m in modes_of_kind(modes, "bending about z")[:3]]
    found += [m.frequency for m in modes_of_kind(modes, "bending about y")[:2]]
    opening = modes_of_kind(modes, "fork opening")
    # before the fork is stiff enough its first mode may be of another kind
    found.append(opening[0].frequency if opening else 0.0)
    printed = (*arm.about_z, *arm.about_y, arm.opening)
    r = _misfit(found, printed, _FREQUENCY)
    r += _body_misfit(s, body, (_ROLL, _INERTIA, _INERTIA))
    r += [s.centre[0] / _CENTRE, (s.mass / arm.density / _length(arm) / arm.mean_area - 1) / _MEAN_AREA]
    return np.array(r)


def beam_misfit(beam: StripBeam, body: TableBody) -> np.ndarray:
    """Misfit of the head, as ``arm_misfit``: six frequencies, mass, three inertias, (10,)."""
    s = beam.structure()
    modes = beam_modes(s)
    kinds = (("bending about x", 2), ("bending about z", 1), ("torsion", 2), ("stretching", 1))
    found = [m.frequency for kind, count in kinds for m in modes_of_kind(modes, kind)[:count]]
    printed = (*beam.about_x, *beam.about_z, *beam.torsional, beam.stretching)
    r = _misfit(found, printed, _FREQUENCY) + _body_misfit(s, body, (_INERTIA,) * 3)
    return np.array(r)


def fit_arm(guess: ForkedArm, body: TableBody, most: int = 30) -> ForkedArm:
    """Fit the tubes of the arm; ``guess`` holds the published data."""
    start = np.array(
        [guess.fork, *guess.stem_areas, *guess.branch_areas, guess.bracket_area]
        + [*guess.stem_diameters, *guess.branch_diameters, guess.bracket_diameter]
    )
    usual = np.array([np.nan] + [_USUAL_AREA] * 5 + [_USUAL_DIAMETER] * 6)

    def candidate(x: np.ndarray) -> ForkedArm:
        return replace(
            guess,
            fork=float(x[0]),
            stem_areas=(float(x[1]), float(x[2])),
            branch_areas=(float(x[3]), float(x[4])),
            bracket_area=float(x[5]),
            stem_diameters=(float(x[6]), float(x[7]), float(x[8])),
            branch_diameters=(float(x[9]), float(x[10])),
            bracket_diameter=float(x[11]),
        )

    def misfit(x: np.ndarray) -> np.ndarray:
        strange = (x[1:] / usual[1:] - 1) / _RELUCTANCE
        return np.concatenate([arm_misfit(candidate(x), body), strange])

    low = np.array([0.4] + [_THINNEST] * 5 + [0.04] * 6)
    high = np.array([0.9] + [14e-4] * 5 + [0.14] * 6)
    return candidate(_least_squares(misfit, np.clip(start, low, high), (low, high), most))


def fit_beam(guess: StripBeam, body: TableBody, most: int = 60) -> StripBeam:
    """Fit the beam and its end masses; eleven parameters meet ten targets exactly."""
    start = np.array(
        [guess.young, guess.half_length, guess.inertia_up, guess.inertia_along, guess.torsion, guess.density]
        + [guess.end_mass, *guess.end_inertia, guess.spread]
    )

    def candidate(x: np.ndarray) -> StripBeam:
        young, half, up, along, torsion, density, mass, jx, jy, jz, spread = (float(y) for y in x)
        return replace(
            guess,
            young=young,
            half_length=half,
            inertia_up=up,
            inertia_along=along,
            torsion=torsion,
            density=density,
            end_mass=mass,
            end_inertia=(jx, jy, jz),
            spread=spread,
        )

    low = np.array([60e9, 0.36, 1e-9, 1e-7, 1e-8, 1e3, 1.0, 0.0, 0.0, 0.0, 0.0])
    high = np.array([80e9, 0.8, 1e-7, 1e-5, 1e-6, 15e3, 4.7, 0.5, 0.5, 0.5, 0.3])
    return candidate(_least_squares(lambda x: beam_misfit(candidate(x), body), start, (low, high), most))


def _least_squares(
    misfit: Callable[[np.ndarray], np.ndarray], start: np.ndarray, bounds: tuple[np.ndarray, np.ndarray], most: int
) -> np.ndarray:
    found = scipy.optimize.least_squares(
        misfit, start, bounds=bounds, x_scale=np.maximum(start, 1e-3 * bounds[1]), diff_step=1e-4, max_nfev=most
    )
    return np.asarray(found.x)


def _misfit(found: list[float], printed: tuple[float, ...], tolerance: float) -> list[float]:
    return [(f / p - 1) / tolerance for f, p in zip(found, printed, strict=True)]


def _body_misfit(s: Structure, body: TableBody, tolerances: tuple[float, float, float]) -> list[float]:
    turned = zip(np.diag(s.inertia), body.inertia, tolerances, strict=True)
    return [(s.mass / body.mass - 1) / _MASS, *((a / b - 1) / tol for a, b, tol in turned)]


def _length(arm: ForkedArm) -> float:
    """Of all members together [m]."""
    bracket = float(np.linalg.norm(np.array(arm.knee) - np.array(arm.rear)))
    branch = hypot(arm.left[0] - arm.fork, arm.left[1])
    return bracket + arm.fork - arm.knee[0] + 2 * branch
