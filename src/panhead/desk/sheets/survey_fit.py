"""``panhead line fit``: identify dropper lengths and staggers from surveyed heights (every 0.25 m or so).

The line as drawn gives the positions of masts and droppers and the masses and tensions of the wires; the survey gives
the position of the contact wire. The unstretched lengths L₀ are those for which the static shape fits it best:

    min  Σᵢ (z(xᵢ; L₀) − zᵢ)²/σ² + Σₖ (L₀ₖ − Lₖ)²/τ²

by Gauss–Newton with the exact derivative ∂z/∂L₀ of stringing. L is the length as drawn and τ its standard deviation,
which matters only where nothing was measured, or where a dropper is slack. The covariance at the solution gives the
standard deviation of each length. If the residuals show that neighbouring errors are correlated, or larger than σ, the
noise estimated from them is used (``survey_noise``).
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np
import scipy.sparse as sp
from scipy.optimize import brentq
from scipy.special import erf

from panhead.desk.sheets.schedules import FINE
from panhead.desk.sheets.survey_lengths import Spreads, dropper_groups, fit_lengths, height_rows
from panhead.desk.sheets.survey_noise import SurveyNoise
from panhead.desk.sheets.table_rows import DeskTable, TableColumn
from panhead.errors import FileError, ModelError, RunWarning
from panhead.files.column_names import ColumnMapping, as_mapping, units_by_column, with_languages
from panhead.files.sheet_rows import ColumnWanted
from panhead.files.tables import compared_names, read_rows, require_names
from panhead.railway.line.layout import Layout, PlacedTensionLength, droppers_of
from panhead.railway.line.line_description import Line, Mast, TensionLength
from panhead.railway.line.line_variants import expand_spans
from panhead.railway.line.span_mesh import mesh_span
from panhead.railway.line.stringing import string_spans
from panhead.railway.line.strung_line import string
from panhead.railway.line.wire_elements import locate, wire_at

WANTED: Final = 3e-3  #: how well lengths should be known [m]
_HEIGHTS: Final = ("contact_height", "contact_wire_height", "z")
SURVEY_COLUMNS: Final = with_languages(
    (
        ColumnWanted("chainage", "m", others=("x", "km", "position"), required=True, stations=True),
        ColumnWanted("height", "m", others=_HEIGHTS, required=True, usual=(3.0, 8.0)),
        ColumnWanted("stagger", "m", others=("y", "lateral"), usual=(0.0, 1.0), largest=0.01),
    ),
    "survey",
)
_SPREADS: Final = (1e-6, 1.0)  # noise and tolerance of a survey [m]
_CLEAR: Final = 0.01  # a wire is the running one if no other is within this height of it [m]
_STAGGER: Final = 0.3  # how far a stagger may be off [m]
_LOUD: Final = 1.1  # a survey's scatter over the noise given that is told; by chance it is 1.03 at most
_IDLE: Final = 10.0  # a dropper that carries less may as well hang slack [N]


@dataclass(frozen=True, slots=True)
class Survey:
    """Measurements of an inspection train, (n,) each; x counts from the line's first mast."""

    x: np.ndarray  #: [m]
    height: np.ndarray  #: of the contact wire above rail [m]
    stagger: np.ndarray | None = None  #: + to the left [m]
    passes: np.ndarray | None = None  #: which pass of the train saw it; None: there was one

    @property
    def pass_of(self) -> np.ndarray:
        """(n,) the pass of every place."""
        return np.zeros(self.x.size, int) if self.passes is None else self.passes


@dataclass(frozen=True, slots=True)
class FittedDropper:
    """One dropper as drawn and as found."""

    place: str
    x: float  #: along the line [m]
    drawn: float  #: unstretched length as drawn [m]
    length: float  #: as found [m]
    deviation: float  #: standard deviation of what was found [m]
    slack: bool  #: it carries nothing that can be told from nothing: as long as this or longer


@dataclass(frozen=True, slots=True)
class SurveyFit:
    """Fitted line, and how well it matches the survey."""

    line: Line  #: every dropper by its length, every mast with its stagger
    droppers: Sequence[FittedDropper]
    x: np.ndarray  #: (m,) samples that were used [m]
    height: np.ndarray  #: (m,) as measured [m]
    residual: np.ndarray  #: (m,) measured less fitted height [m]
    across: np.ndarray  #: measured less fitted stagger of the samples used [m]; empty: none was measured
    noises: Sequence[SurveyNoise] = ()  #: of every tension length: what the deviations are told with

    @property
    def rms(self) -> float:
        """Root mean square of the height's residual [m]."""
        return float(np.sqrt(np.mean(self.residual**2)))

    @property
    def worst(self) -> float:
        """Median of the largest error of all taut lengths: Π erf(x/√2 σₖ) = ½ [m].

        The σₖ are those of Cramér and Rao, so that no estimate without a bias can do better with the same survey.
        """
        spread = np.array([d.deviation for d in self.droppers if not d.slack])
        if not spread.size:
            return 0.0
        inside = lambda x: float(np.prod(erf(x / (math.sqrt(2.0) * spread)))) - 0.5
        return float(brentq(inside, 0.0, 10.0 * spread.max()))

    def doubts(self, noise: float) -> list[str]:
        """Warnings where the residual contradicts independent noise of ``noise`` [m]."""
        told = []
        largest = max((n.deviation for n in self.noises), default=0.0)
        reach = max((n.length for n in self.noises), default=0.0)
        if largest > _LOUD * noise:
            told.append(
                f"the heights deviate by {1e3 * largest:.1f} mm from the fitted line, more than the "
                f"{1e3 * noise:.3g} "
                "mm of --noise; the standard deviations are based on the observed value"
            )
        if reach > 0.0:
            told.append(
                f"height errors are correlated over {reach:.2g} m; the standard deviations account for this. Errors "
                "correlated over a span or more are indistinguishable from dropper length errors; give them by --bias"
            )
        return told

    def table(self) -> DeskTable:
        """The droppers as drawn and as found."""
        metres = [TableColumn(name, "m", 4) for name in ("chainage", "drawn", "length", "deviation")]
        rows = [
            [d.place, self.line.chainage + d.x, d.drawn, d.length, d.deviation, "yes" if d.slack else None]
            for d in self.droppers
        ]
        return DeskTable("fit", [TableColumn("dropper"), *metres, TableColumn("slack")], rows)


def read_survey(path: str | Path, line: Line, columns: Mapping[str, str] | ColumnMapping | None = None) -> Survey:
    """A table with chainage, height and, if it was measured, stagger; rows without a height are passed over.

    ``columns`` says what columns with other names are (``read_mapping``).
    """
    mapping = as_mapping(columns)
    named = compared_names(mapping.columns, SURVEY_COLUMNS)
    found = read_rows(path, "survey", SURVEY_COLUMNS, named, units_by_column(mapping.units, SURVEY_COLUMNS, named))
    require_names(named, [found])
    found.raise_errors()
    rows = [row for _, row in found.rows if row["chainage"] is not None and row["height"] is not None]
    if not rows:
        raise FileError(path, "has no row with a chainage and a height")
    x, z, y = (np.array([np.nan if row[c.name] is None else row[c.name] for row in rows]) for c in SURVEY_COLUMNS)
    order = np.argsort(x, kind="stable")
    missing = int(np.isnan(y).sum())
    if 0 < missing < y.size:
        found.warn(f"{missing} of {y.size} rows have no stagger; the staggers of the drawing are kept")
    across = y[order] if not missing else None
    return Survey(x[order] - line.chainage, z[order], across)


def combine_passes(surveys: Sequence[Survey]) -> Survey:
    """Combine several passes of the inspection train into one survey; n passes reduce the standard deviations by √n."""
    x, z = (np.concatenate([getattr(one, name) for one in surveys]) for name in ("x", "height"))
    order = np.argsort(x, kind="stable")
    across = [one.stagger for one in surveys if one.stagger is not None]
    y = np.concatenate(across)[order] if len(across) == len(surveys) else None
    number = np.concatenate([np.full(one.x.size, k) for k, one in enumerate(surveys)])
    return Survey(x[order], z[order], y, number[order])


def survey_of(line: Line, *, noise: float = 0.0, seed: int = 0, step: float = 0.25) -> Survey:
    """Synthetic survey of a line at rest: height of its lowest contact wire with normal noise [m]."""
    layout = Layout(line)
    x = np.arange(0.0, layout.mast_x[-1] + 0.5 * step, step)
    z, y = _lowest_contact_wire(line, x)
    rng = np.random.default_rng(seed)
    return Survey(x, z + rng.normal(0.0, noise, x.size), y + rng.normal(0.0, noise, x.size))


def fit_survey(
    line: Line, survey: Survey, *, noise: float = 2e-3, tolerance: float = 0.01, bias: float = 0.0
) -> SurveyFit:
    """Fit dropper lengths and staggers of a line to a survey.

    ``noise`` is the survey's standard deviation [m] at least, ``tolerance`` how far a length may be from the drawing
    [m], ``bias`` the standard deviation of an offset that all heights of a pass share [m]: no survey shows it.
    """
    for name, spread in (("noise", noise), ("tolerance", tolerance), ("bias", bias)):
        if not _SPREADS[0] <= spread <= _SPREADS[1] and not (name == "bias" and spread == 0.0):
            low, high = _SPREADS
            raise ModelError(f"survey: {name} must lie between {low:g} and {high:g} m, got {spread:g} m")
    _require_samples(line, survey)
    made = expand_spans(line)
    if survey.stagger is not None:
        made = _with_staggers(made, survey, noise)
    lengths, droppers, used, noises = [], [], [], []
    spreads = Spreads(noise, tolerance, bias)
    layout = Layout(made)
    for piece in layout.pieces:
        mine = samples_of(layout, piece, survey.x, made)
        tl, found, heard = _fit_tension_length(layout, piece, survey, mine, spreads)
        lengths.append(tl)
        noises.append(heard)
        droppers += found
        used.append(mine)
    fitted = replace(made, tension_lengths=tuple(lengths))
    here = np.any(used, axis=0)
    z, y = _lowest_contact_wire(fitted, survey.x[here])
    across = np.zeros(0) if survey.stagger is None else survey.stagger[here] - y
    return SurveyFit(fitted, droppers, survey.x[here], survey.height[here], survey.height[here] - z, across, noises)


def _require_samples(line: Line, survey: Survey) -> None:
    end = float(Layout(line).mast_x[-1])
    inside = (survey.x >= 0) & (survey.x <= end)
    if inside.sum() < 10:
        raise ModelError(
            f"survey: only {int(inside.sum())} of its {survey.x.size} places lie on the line, which goes from 0 to "
            f"{end:g} m from its first mast; check the chainage of line and survey"
        )
    length, covered = float(np.diff(Layout(line).mast_x).min()), float(np.ptp(survey.x[inside]))
    if covered < length:
        raise ModelError(
            f"survey: its places on the line lie within {covered:g} m, less than one span; check the unit of the "
            "chainage"
        )
    if covered < 0.5 * end:
        warnings.warn(RunWarning(f"survey: it covers {covered:g} of the line's {end:g} m"), stacklevel=3)
    if not (np.isfinite(survey.x).all() and np.isfinite(survey.height).all()):
        raise ModelError("survey: places and heights must be numbers")


def _lowest_contact_wire(line: Line, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Height and stagger of the lowest contact wire at x."""
    strung = string(line)
    z, y = np.full(x.size, np.inf), np.zeros(x.size)
    for piece in strung.layout.pieces:
        for number, span in enumerate(strung.spans(piece, element_length=FINE), piece.first):
            start = strung.layout.mast_x[number]
            here = (x >= start) & (x <= strung.layout.mast_x[number + 1])
            roles = [r for r in span.shape if r.startswith("contact")]
            at = np.mean([span.shape[r] for r in roles], axis=0)
            height = wire_at(x[here] - start, span.mesh.x, at[:, 0], at[:, 1])
            lower = height < z[here]
            place = np.flatnonzero(here)[lower]
            z[place] = height[lower]
            y[place] = wire_at(x[here] - start, span.mesh.x, at[:, 2], at[:, 3])[lower]
    return z, y


def samples_of(
    layout: Layout, piece: PlacedTensionLength, x: np.ndarray, line: Line, clear: float = _CLEAR
) -> np.ndarray:  # fmt: skip
    """(n,) bool: the samples that show this tension length alone: its wire is lower by more than ``clear`` [m]."""
    mast_x = layout.mast_x
    mine = (x >= mast_x[piece.first]) & (x <= mast_x[piece.stop])
    others = [p for p in layout.pieces if p is not piece and p.first < piece.stop and piece.first < p.stop]
    if not others:
        return np.asarray(mine)
    strung = string(line)

    def height(p: PlacedTensionLength) -> np.ndarray:
        z = np.full(x.size, np.inf)
        for number, span in enumerate(strung.spans(p), p.first):
            here = (x >= mast_x[number]) & (x <= mast_x[number + 1])
            z[here] = wire_at(x[here] - mast_x[number], span.mesh.x, *span.shape["contact"][:, :2].T)
        return z

    own = height(piece)
    for other in others:
        mine &= own < height(other) - clear
    return np.asarray(mine)


def _with_staggers(line: Line, survey: Survey, noise: float) -> Line:
    """Staggers at the masts by least squares of straight wires, less what the strung wire does between them."""
    for _ in range(2):
        layout = Layout(line)
        lengths = []
        for piece in layout.pieces:
            mine = samples_of(layout, piece, survey.x, line)
            x = survey.x[mine]
            assert survey.stagger is not None  # the caller asked
            away = survey.stagger[mine] - _lowest_contact_wire(line, x)[1]
            masts = layout.mast_x[piece.first : piece.stop + 1]
            e = locate(x, masts)
            share = (x - masts[e]) / (masts[e + 1] - masts[e])
            rows = np.arange(x.size)
            hats = sp.csr_matrix(
                (np.concatenate([1 - share, share]), (np.tile(rows, 2), np.concatenate([e, e + 1]))),
                shape=(x.size, masts.size),
            )
            normal = (hats.T @ hats).toarray() + np.eye(masts.size) * (noise / _STAGGER) ** 2
            change = np.linalg.solve(normal, hats.T @ away)
            lengths.append(_with_stagger(layout, piece, change))
        line = replace(line, tension_lengths=tuple(lengths))
    return line


def _with_stagger(layout: Layout, piece: PlacedTensionLength, change: np.ndarray) -> TensionLength:
    n = len(piece.spans)
    known = {m.at % (n + 1): m for m in piece.described.masts}
    masts = []
    for local in range(n + 1):
        plan = layout.plan(piece, piece.first + min(local, n - 1))
        post = plan.right if local == n else plan.left
        masts.append(replace(known.get(local, Mast(at=local)), stagger=post.y_contact + float(change[local])))
    return replace(piece.described, masts=tuple(masts))


def _fit_tension_length(
    layout: Layout, piece: PlacedTensionLength, survey: Survey, mine: np.ndarray, spreads: Spreads
) -> tuple[TensionLength, list[FittedDropper], SurveyNoise]:
    plans = [layout.plan(piece, n) for n in range(piece.first, piece.stop)]
    names = [f"{piece.name}, span {k + 1}," for k in range(len(plans))]
    balance = string_spans([mesh_span(plan, FINE) for plan in plans], names)
    L, _ = balance.geometry()
    drawn = np.where(balance.by_height, L - balance.tension / balance.links.k, balance.given)
    keys, groups = dropper_groups(balance)
    start = np.array([drawn[np.argmax(groups[:, k])] for k in range(groups.shape[1])])
    x_own = survey.x[mine] - layout.mast_x[piece.first]
    look = height_rows(balance, x_own)
    balance.given, balance.by_height[:] = drawn.copy(), False
    found, deviation, noise = fit_lengths(
        balance, groups, look, survey.height[mine], start, x_own, survey.pass_of[mine], spreads
    )
    x = layout.mast_x[piece.first + np.array([s for s, _ in keys], dtype=int)] if keys else np.zeros(0)
    droppers, spans = [], []
    slack = (groups.T @ (balance.tension > _IDLE)) == 0
    cut = dict(zip(keys, found, strict=True))
    for k, (span, number) in enumerate(keys):
        d = droppers_of(piece.spans[span])[number - 1]
        place = f"{piece.name}, span {span + 1}, dropper {number} at {d.position:g} m"
        was, now, spread = (float(v[k]) for v in (start, found, deviation))
        droppers.append(FittedDropper(place, float(x[k]) + d.position, was, now, spread, bool(slack[k])))
    for s, described in enumerate(piece.spans):
        own = tuple(
            replace(d, length=float(cut[s, n]), sag=None, height=None, length_error=0.0)
            for n, d in enumerate(droppers_of(described), 1)
        )
        spans.append(replace(described, count=1, droppers=own, dropper_positions=(), dropper_count=None))
    return replace(piece.described, spans=tuple(spans), dropper_errors=()), droppers, noise
