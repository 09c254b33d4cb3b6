"""Fit one tension length to its surveys: the most probable parts, their covariance, what cannot be told apart.

    min  Σᵢ (zᵢ − z(xᵢ; θ) − b_p − s_p c(xᵢ))²/σ² + Σₖ (θₖ/τₖ)²

θ: dropper lengths, support heights, tensions and pre-sag, less those drawn; b_p an offset of every pass, s_p what it
hangs lower at mid-span than the mean of all passes (c = 4 ξ (1 − ξ): a pass on a warmer day). Gauss–Newton with the
response of the strung shape (``stringing_response``), which stays while only droppers become slack; the covariance is
the inverse of the normal matrix, with the noise and its correlation along the track from the residual [Patterson71].
Staggers are fitted first, to the lateral readings: they hardly change the heights.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import scipy.sparse as sp

from panhead.desk.sheets.survey_lengths import dropper_groups, height_rows
from panhead.desk.sheets.survey_noise import SurveyNoise
from panhead.explore.asbuilt.height_model import FAR, HeightModel, HeightSamples
from panhead.explore.asbuilt.identifiability import indistinct
from panhead.explore.asbuilt.parts import BuiltPart, parts_of
from panhead.explore.asbuilt.route_description import AlarmLevels, PartSpread
from panhead.railway.line.layout import Layout
from panhead.railway.line.line_description import Line
from panhead.railway.line.span_grid import Y, Z
from panhead.railway.line.span_mesh import mesh_span
from panhead.railway.line.stringing import string_spans
from panhead.railway.line.stringing_equations import Balance, solve
from panhead.railway.line.stringing_response import response, stagger_coordinates, stagger_move

ELEMENT: Final = 0.5  #: of the wires [m]; on 0.25 m parts differ by 0.13 of their standard deviation at twice the time
_IDLE: Final = 5.0  # a dropper that carries less may as well hang slack [N]


@dataclass(frozen=True, slots=True)
class TensionLengthFit:
    """Parts as found, with the covariance of their deviations."""

    name: str
    begin: float  #: chainage of its first mast [m]
    end: float
    parts: tuple[BuiltPart, ...]
    covariance: np.ndarray  #: (parts, parts)
    noise: SurveyNoise
    rms: float  #: of the residual [m]
    used: int  #: readings
    notes: tuple[str, ...] = ()  #: what was wrong with the readings, and what they cannot tell


def fit(
    line: Line,
    index: int,
    samples: HeightSamples,
    spread: PartSpread,
    alarm: AlarmLevels,
    told: Callable[[float], None] = lambda share: None,
) -> TensionLengthFit:
    """Fit tension length ``index`` of a line with no repeated tension lengths."""
    layout = Layout(line)
    piece = layout.pieces[index]
    plans = [layout.plan(piece, n) for n in range(piece.first, piece.stop)]
    names = [f"{piece.name}, span {k + 1}," for k in range(len(plans))]
    balance = string_spans([mesh_span(plan, ELEMENT) for plan in plans], names)
    told(0.2)
    stretched, _ = balance.geometry()
    balance.given = np.where(balance.by_height, stretched - balance.tension / balance.links.k, balance.given)
    balance.by_height[:] = False
    keys, groups = dropper_groups(balance)
    lengths = {key: float(balance.given[int(np.argmax(groups[:, k]))]) for k, key in enumerate(keys)}
    parts = parts_of(layout, piece, lengths)
    levels = height_rows(balance, np.array([p.x for p in parts]) - line.chainage - layout.mast_x[piece.first])
    drawn = levels @ balance.q
    staggers, notes = _fit_staggers(balance, samples, spread)
    model = HeightModel(balance, groups, parts, samples, spread)
    told(0.4)
    theta, covariance, noise, used, residual, more = model.solve(told)
    found, whole = _collect(model, parts, theta, covariance, staggers, alarm)
    heights = zip(found, levels @ balance.q, drawn, strict=True)
    found = [replace(p, level=float(z), level_drawn=float(z0)) for p, z, z0 in heights]
    begin = line.chainage + float(layout.mast_x[piece.first])
    return TensionLengthFit(
        name=piece.name,
        begin=begin,
        end=line.chainage + float(layout.mast_x[piece.stop]),
        parts=tuple(found),
        covariance=whole,
        noise=noise,
        rms=float(np.sqrt(np.mean(residual**2))) if used else float("nan"),
        used=used,
        notes=(*notes, *more, *indistinct(found, whole)),
    )


def _lateral_rows(balance: Balance, x: np.ndarray) -> sp.csr_matrix:
    """(samples, size): lateral position of the contact wires at x; the rows of the height, of y instead of z."""
    rows = height_rows(balance, x).tocoo()
    return sp.csr_matrix((rows.data, (rows.row, rows.col + (Y - Z))), shape=rows.shape)


def _fit_staggers(
    balance: Balance, samples: HeightSamples, spread: PartSpread
) -> tuple[tuple[np.ndarray, np.ndarray], list[str]]:  # fmt: skip
    """Deviations and covariance of the staggers; the balance is left with them."""
    masts = len(balance.grid.posts)
    prior = np.eye(masts) * spread.stagger**2
    known = np.isfinite(samples.stagger)
    if known.sum() < masts:
        return (np.zeros(masts), prior), ["no stagger was measured; that of the drawing is kept"]
    x, measured = samples.x[known], samples.stagger[known]
    look = _lateral_rows(balance, x)
    G = response(balance, look, [stagger_move(balance, m) for m in range(masts)]).derivative(balance.tension > 0)
    G = G[:, balance.links.n :]
    away, keep = measured - look @ balance.q, np.ones(x.size, bool)
    for _ in range(3):  # without what lies far off the first answer
        noise = max(spread.noise, 1.48 * float(np.median(np.abs(away[keep]))))
        normal = G[keep].T @ G[keep] / noise**2 + np.linalg.inv(prior)
        found = np.linalg.solve(normal, G[keep].T @ away[keep] / noise**2)
        left = away - G @ found
        noise = max(spread.noise, float(np.std(left[keep])))
        keep = np.abs(left) < FAR * noise
    for mast in range(masts):
        balance.q[stagger_coordinates(balance, mast)] += found[mast]
    solve(balance)
    lost = int((~keep).sum())
    notes = [f"{lost} staggers far off the fitted wire were left out"] if lost > 0.005 * keep.size else []
    return (found, np.linalg.inv(normal)), notes


def _collect(
    model: HeightModel,
    parts: Sequence[BuiltPart],
    theta: np.ndarray,
    covariance: np.ndarray,
    staggers: tuple[np.ndarray, np.ndarray],
    alarm: AlarmLevels,
) -> tuple[list[BuiltPart], np.ndarray]:
    """The parts as found, in the order of ``parts``, and their covariance."""
    number = {id(p): k for k, p in enumerate(p for p in parts if p.kind != "stagger")}
    across = {id(p): k for k, p in enumerate(p for p in parts if p.kind == "stagger")}
    own = np.array([number[id(p)] for p in parts if id(p) in number], int)
    whole = np.zeros((len(parts), len(parts)))
    heights, sides = ([k for k, p in enumerate(parts) if (p.kind == "stagger") is side] for side in (False, True))
    whole[np.ix_(heights, heights)] = covariance[np.ix_(own, own)]
    whole[np.ix_(sides, sides)] = staggers[1]
    slack = (model.groups.T @ (model.balance.tension > _IDLE)) == 0
    found = []
    for k, part in enumerate(parts):
        i = number.get(id(part))
        value = staggers[0][across[id(part)]] if i is None else theta[i]
        prior = model.spread.stagger if i is None else float(model.tau[i])
        loose = bool(i is not None and i < model.droppers and slack[i])
        sure = float(np.sqrt(whole[k, k]))
        shown = replace(part, deviation=float(value), spread=sure, prior=prior, slack=loose)
        found.append(replace(shown, alarm=_alarming(shown, alarm)))
    return found, whole


def _alarming(part: BuiltPart, alarm: AlarmLevels) -> bool:
    """True if a part is farther from its drawing than it may be, and certainly so."""
    most = {
        "dropper length": alarm.dropper,
        "support height": alarm.support,
        "stagger": alarm.stagger,
        "pre-sag": alarm.presag,
    }.get(part.kind, alarm.tension * part.drawn)
    return abs(part.deviation) > max(most, alarm.certainty * part.spread)
