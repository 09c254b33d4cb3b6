"""Identify dropper lengths from heights: Gauss–Newton on the strung shape, with standard deviations.

The covariance is that of the noise found in the residual (``survey_noise``), with what an offset of all heights adds.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import scipy.sparse as sp

from panhead.desk.sheets.survey_noise import SurveyNoise, estimate, whitening_matrix
from panhead.engine.laws.hermite import shape
from panhead.errors import NotConverged
from panhead.railway.line.span_grid import Z
from panhead.railway.line.stringing_equations import Balance, solve
from panhead.railway.line.stringing_response import response
from panhead.railway.line.wire_elements import locate

_MOST_STEPS: Final = 30
_ENOUGH: Final = 1e-5  # gain of a step over what is left: far below what noise leaves undecided


class Spreads(NamedTuple):
    """Standard deviations that the user gives [m]."""

    noise: float
    tolerance: float
    bias: float


def dropper_groups(balance: Balance) -> tuple[list[tuple[int, int]], np.ndarray]:
    """(span, number) of every dropper of the contact wire, and which links it is made of (links, droppers)."""
    flat = [(s, link) for s, mesh in enumerate(balance.grid.meshes) for link in mesh.links]
    keys = list(dict.fromkeys((s, link.number) for s, link in flat if link.lower != "auxiliary"))
    groups = np.zeros((len(flat), len(keys)))
    for k, (s, link) in enumerate(flat):
        if link.lower != "auxiliary":
            groups[k, keys.index((s, link.number))] = 1.0
    return keys, groups


def height_rows(balance: Balance, x: np.ndarray) -> sp.csr_matrix:
    """(samples, size): the contact wire's height at x out of the coordinates, mean of two wires."""
    grid = balance.grid
    stations = np.concatenate([[0.0], np.cumsum(grid.ell)])
    e = locate(x, stations)
    N = np.array(shape((x - stations[e]) / grid.ell[e], grid.ell[e])).T  # (samples, 4)
    total = sp.csr_matrix((x.size, grid.size))
    for role in grid.contact:
        first, second = grid.dof(e, role, Z), grid.dof(e + 1, role, Z)
        columns = np.stack([first, first + 1, second, second + 1], axis=1)
        rows = np.repeat(np.arange(x.size), 4)
        total = total + sp.csr_matrix((N.ravel(), (rows, columns.ravel())), shape=total.shape)
    return total / len(grid.contact)


def length_rows(balance: Balance, look: sp.csr_matrix) -> np.ndarray:
    """∂(look @ q)/∂(unstretched lengths), (samples, links); a slack dropper changes nothing."""
    return response(balance, look).derivative(balance.tension > 0)


def fit_lengths(
    balance: Balance,
    groups: np.ndarray,
    look: sp.csr_matrix,
    measured: np.ndarray,
    start: np.ndarray,
    x: np.ndarray,
    passes: np.ndarray,
    spreads: Spreads,
) -> tuple[np.ndarray, np.ndarray, SurveyNoise]:
    """Lengths, their standard deviations and the noise: first with the given noise, then with that of the residual."""
    noise = SurveyNoise(spreads.noise)
    if not start.size:
        return start, start, noise
    found = _gauss_newton(balance, groups, look, measured, start, start, spreads)
    G = length_rows(balance, look) @ groups
    shown = estimate(x, passes, G, measured - look @ balance.q)
    if shown.length > 0.0 or shown.deviation > spreads.noise:
        noise = SurveyNoise(max(shown.deviation, spreads.noise), shown.length)
    white = whitening_matrix(x, passes, noise.length)
    if noise.length > 0.0:
        heard = spreads._replace(noise=noise.deviation)
        found = _gauss_newton(balance, groups, white @ look, white @ measured, start, found, heard)
        G = length_rows(balance, look) @ groups
    own, weight = white @ G, (noise.deviation / spreads.tolerance) ** 2
    inverse = np.linalg.inv(own.T @ own + weight * np.eye(start.size))
    variance = noise.deviation**2 * np.diag(inverse)
    for number in np.unique(passes):
        variance = variance + (spreads.bias * inverse @ (own.T @ (white @ (passes == number).astype(float)))) ** 2
    return found, np.sqrt(variance), noise


def _gauss_newton(
    balance: Balance,
    groups: np.ndarray,
    look: sp.csr_matrix,
    measured: np.ndarray,
    start: np.ndarray,
    guess: np.ndarray,
    spreads: Spreads,
) -> np.ndarray:
    """Lengths; a step is halved until it comes nearer to the survey."""
    drawn, weight = balance.given.copy(), (spreads.noise / spreads.tolerance) ** 2

    def miss(lengths: np.ndarray) -> tuple[float, np.ndarray]:
        balance.given = drawn + groups @ (lengths - guess)
        solve(balance)
        away = measured - look @ balance.q
        return float(away @ away + weight * np.sum((lengths - start) ** 2)), away

    found = guess.copy()
    cost, away = miss(found)
    for _ in range(_MOST_STEPS):
        G = length_rows(balance, look) @ groups
        normal = G.T @ G + weight * np.eye(start.size)
        change = np.linalg.solve(normal, G.T @ away - weight * (found - start))
        share = 1.0
        while (trial := miss(found + share * change))[0] > cost and share > 1e-3:
            share *= 0.5
        gained, (cost, away) = cost - trial[0], trial
        found = found + share * change
        if np.abs(share * change).max() < 1e-6 or abs(gained) < _ENOUGH * cost:
            return found
    raise NotConverged("the fit of the dropper lengths does not converge; check that the survey belongs to this line")
