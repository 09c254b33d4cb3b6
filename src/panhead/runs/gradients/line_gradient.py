"""Derivatives by the parameters of the line from a backward sweep, tension length by tension length."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from panhead.engine.laws.hermite import shape
from panhead.railway.line.element_slopes import ElementDerivatives
from panhead.railway.line.layout import PlacedTensionLength, SpanPlan
from panhead.railway.line.line_matrices import LinearLine
from panhead.railway.line.lru import LruCache
from panhead.railway.line.span_cotangents import SpanCotangents
from panhead.railway.line.span_mesh import MASS, TENSION, mesh_span
from panhead.railway.line.stringing import string_spans
from panhead.railway.line.stringing_adjoint import StringingAdjoint
from panhead.railway.line.stringing_equations import Balance
from panhead.railway.line.strung_line import stringing_groups
from panhead.railway.line.wire_elements import locate, wire_at
from panhead.runs.gradients.tension_length_merge import MergedGroups
from panhead.runs.gradients.tension_lengths import StringGroup, TensionLengthGradient, group_slope
from panhead.runs.linear.backward_lanes import BackShare
from panhead.runs.linear.step.adjoint_arrays import Slope
from panhead.runs.linear.taped_run import RunTape
from panhead.runs.resolve import ResolvedRun

_ROWS = 2  # rows of spans strung together whose factors are kept at hand; each takes some ten megabytes


class LineCotangents:
    """∂J/∂ of a line as the sum of some shares of a backward sweep; and of the initial masses (masses,)."""

    def __init__(self, tape: RunTape, shares: Sequence[BackShare], first: np.ndarray) -> None:
        self.tape, self.first = tape, first
        self.line, self.lanes = shares[0].line, [share.lane for share in shares]
        self.slope = Slope(*(sum(parts) for parts in zip(*(share.slope for share in shares), strict=True)))
        self.begin = _initial_shape_gradient(tape, self.slope, first)

    def span(self, piece: PlacedTensionLength, number: int) -> SpanCotangents:
        """∂J/∂ of one span of a tension length."""
        found = self.line.span(piece, number).total(self.lanes)
        for role, station, by in self.begin.get((piece.index, number), ()):
            found.shape[role][station : station + 2] += by
        return found

    def mast(self, piece: PlacedTensionLength, mast: int, b: int) -> np.ndarray:
        """∂J/∂ of the diagonals of M, C, K at a mast, (3, b)."""
        return self._total(self.line.masts.get((piece.index, mast)), (3, b))

    def x(self, number: int) -> np.ndarray:
        """∂J/∂ of the positions of a span's stations."""
        return self._total(self.line.x.get(number), (1,))

    def fading(self, piece: PlacedTensionLength) -> np.ndarray:
        """∂J/∂ of tension and mass of a contact wire through the absorbing ends of a window; (2,)."""
        return self._total(self.line.fading.get(piece.index), (2,))

    def _total(self, gathered: np.ndarray | None, shape: tuple[int, ...]) -> np.ndarray:
        return np.zeros(shape) if gathered is None else np.asarray(gathered[..., self.lanes].sum(axis=-1))


def line_slopes(tape: RunTape, given: Sequence[LineCotangents]) -> list[list[TensionLengthGradient]]:
    """∂J/∂ of the parameters of every tension length, for every objective."""
    numbering, pieces = tape.start.linear.numbering, []
    for piece in tape.model.strung.layout.pieces:
        merged = MergedGroups(tape.model, piece)
        for group in groups_of(tape.model, piece):  # a long tension length group by group, to limit memory
            slopes = []
            for one in given:
                spans = {k: one.span(piece, piece.first + k) for k in group.own}
                masts = {k: one.mast(piece, piece.first + k, numbering.b) for k in group.masts()}
                slopes.append(group_slope(group, numbering, spans, masts))
            merged.add(group, slopes)
        for one, whole in zip(given, merged.slopes, strict=True):
            whole.table["contact"][0, [TENSION, MASS]] += one.fading(piece)
        pieces.append(merged.slopes)
    return [[piece[k] for piece in pieces] for k in range(len(given))]


def groups_of(model: ResolvedRun, piece: PlacedTensionLength) -> Iterator[StringGroup]:
    """Groups of spans in which a tension length was strung: all at once, or in a long one each span among its
    neighbours."""
    layout, element_length = model.strung.layout, model.run.numerics.element_length
    plans = [layout.plan(piece, number) for number in range(piece.first, piece.stop)]
    known: LruCache[tuple[Balance, StringingAdjoint, StringingAdjoint]] = LruCache(_ROWS)
    for own, (start, stop) in stringing_groups(len(plans)):
        names = [f"{piece.name}, span {k + 1}," for k in range(start, stop)]

        def strung(
            row: list[SpanPlan] = plans[start:stop], names: list[str] = names
        ) -> tuple[Balance, StringingAdjoint, StringingAdjoint]:
            balance = string_spans([mesh_span(plan, element_length) for plan in row], names)
            elements = ElementDerivatives(balance)
            drawn = StringingAdjoint(balance, elements, lengths=False)
            return balance, drawn, StringingAdjoint(balance, elements, lengths=True)

        yield StringGroup(piece, start, own, *known.get(tuple(plans[start:stop]), strung))


def _initial_shape_gradient(
    tape: RunTape, slope: Slope, first: np.ndarray
) -> dict[tuple[int, int], list[tuple[str, int, np.ndarray]]]:
    """∂J/∂ of the static shape through the initial position of the pantographs: of spans, at two stations each (2,
    2)."""
    linear, model = tape.start.linear, tape.model
    touch, height = beginnings(tape, slope, first)
    found: dict[tuple[int, int], list[tuple[str, int, np.ndarray]]] = {}
    masts = linear.x[linear.masts]
    for p, x in enumerate(model.timetable.start - model.behind):
        mast = masts[max(0, int(np.searchsorted(masts, x, side="right")) - 1)]
        for share, at in ((touch[p], float(x)), (height[p], float(mast))):
            path = linear.paths[lowest_wire(linear, at)]
            e = int(locate(at, linear.x))
            ell = linear.x[e + 1] - linear.x[e]
            by = share * np.array(shape((at - linear.x[e]) / ell, ell)).reshape(2, 2)
            number = linear.first_span + int(np.searchsorted(linear.masts, e, side="right")) - 1
            role = next(
                r for r in linear.numbering.roles
                if r.startswith("contact") and linear.numbering.dof(path.piece, r) == path.dof_w
            )  # fmt: skip
            station = e - int(linear.masts[number - linear.first_span])
            found.setdefault((path.piece, number), []).append((role, station, by))
    return found


def lowest_wire(linear: LinearLine, x: float) -> int:
    """Lowest contact wire above x."""
    there = [k for k, w in enumerate(linear.paths) if linear.x[w.first] <= x < linear.x[w.last]]
    return min(there, key=lambda k: wire_at(x, linear.x, linear.paths[k].z0, linear.paths[k].z0_x))


def beginnings(tape: RunTape, slope: Slope, first: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """∂J/∂ of the initial height of each head, and of its reference height; (np,) each."""
    session, model = tape.session, tape.session.model
    masses = [len(p.stages) for p in model.pantographs]
    share = 1.0 - model.timetable.lifted(np.arange(tape.steps + 1) * session.sc.h)
    rest = share @ slope.uplift  # of the lifting forces that hold the masses where they start
    by_z = first + session.train.K.T @ rest
    touch = np.add.reduceat(by_z, np.concatenate([[0], np.cumsum(masses)[:-1]]))
    return touch, slope.head[:, 0] - touch
