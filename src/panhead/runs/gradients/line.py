"""From what was taken back of a run to the numbers of its line, tension length by tension length."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from panhead.kernels.interaction_slopes import Slope
from panhead.laws.hermite import shape
from panhead.line.balance import Balance
from panhead.line.elements import locate, wire_at
from panhead.line.layout import Piece
from panhead.line.linear import LinearLine
from panhead.line.mesh import MASS, TENSION, mesh_span
from panhead.line.string_slopes import StringAdjoint, StringSlope
from panhead.line.stringing import balanced
from panhead.line.strung import strung_together
from panhead.runs.gradients.pieces import PieceSlope, SpanGiven, StringGroup, group_slope
from panhead.runs.resolve import ResolvedRun
from panhead.runs.solvers.linear.adjoint import RunTape
from panhead.runs.solvers.linear.sweeps import BackShare


class Given:
    """∂J/∂ of a line as the sum of some shares of a sweep back; and of where the masses begin (masses,)."""

    def __init__(self, tape: RunTape, shares: Sequence[BackShare], first: np.ndarray) -> None:
        self.tape, self.shares, self.first = tape, shares, first
        self.slope = Slope(*(sum(parts) for parts in zip(*(share.slope for share in shares), strict=True)))
        self.begin = _beginning(tape, self.slope, first)

    def span(self, piece: int, number: int) -> SpanGiven:
        """Of one span of a tension length."""
        parts = [(share.line.part(piece, number), share.lane) for share in self.shares]
        total = lambda get: np.sum([get(part)[..., lane] for part, lane in parts], axis=0)
        found = SpanGiven(
            total(lambda p: p.diag),
            total(lambda p: p.off),
            {name: total(lambda p, name=name: p.folded[name]) for name in parts[0][0].folded},
            {role: total(lambda p, role=role: p.shape[role]) for role in parts[0][0].shape},
        )
        for role, station, by in self.begin.get((piece, number), ()):
            found.shape[role][station : station + 2] += by
        return found

    def mast(self, piece: int, mast: int, b: int) -> np.ndarray:
        """Of the diagonals of M, C, K at a mast, (3, b)."""
        return np.sum(
            [share.line.masts.get((piece, mast), np.zeros((3, b, 9)))[..., share.lane] for share in self.shares], axis=0
        )

    def x(self, number: int) -> np.ndarray | float:
        """Of the places of a span's stations."""
        return sum(share.line.x[number][:, share.lane] if number in share.line.x else 0.0 for share in self.shares)

    def fading(self, piece: int) -> np.ndarray:
        """Of tension and mass of a contact wire, by which waves fade at the ends of a window; (2,)."""
        nothing = np.zeros((2, 9))
        return np.sum([share.line.fading.get(piece, nothing)[:, share.lane] for share in self.shares], axis=0)


def line_slopes(tape: RunTape, given: Sequence[Given]) -> list[list[PieceSlope]]:
    """∂J/∂ of the numbers of every tension length, for every number."""
    strings = [(piece, groups_of(tape.model, piece)) for piece in tape.model.strung.layout.pieces]
    return [[_piece(tape, piece, groups, one) for piece, groups in strings] for one in given]


def groups_of(model: ResolvedRun, piece: Piece) -> list[StringGroup]:
    """How a tension length was strung: as one, or in a long one every span among its neighbours."""
    layout, element_length = model.strung.layout, model.run.numerics.element_length
    plans = [layout.plan(piece, number) for number in range(piece.first, piece.stop)]
    known: dict[tuple[object, ...], tuple[Balance, StringAdjoint, StringAdjoint]] = {}
    found = []
    for own, (start, stop) in strung_together(len(plans)):
        key = tuple(plans[start:stop])
        if key not in known:
            names = [f"{piece.name}, span {k + 1}," for k in range(start, stop)]
            balance = balanced([mesh_span(plan, element_length) for plan in key], names)
            known[key] = balance, StringAdjoint(balance, lengths=False), StringAdjoint(balance, lengths=True)
        found.append(StringGroup(piece, start, own, *known[key]))
    return found


def _piece(tape: RunTape, piece: Piece, groups: list[StringGroup], given: Given) -> PieceSlope:
    numbering = tape.start.linear.numbering
    slopes = []
    for group in groups:
        spans = {k: given.span(piece.index, piece.first + k) for k in group.own}
        masts = {k: given.mast(piece.index, piece.first + k, numbering.b) for k in group.masts()}
        slopes.append(group_slope(group, numbering, spans, masts))
    whole = slopes[0] if len(groups) == 1 else _merged(tape, piece, groups, slopes)
    whole.table["contact"][0, [TENSION, MASS]] += given.fading(piece.index)
    return whole


def _merged(tape: RunTape, piece: Piece, groups: list[StringGroup], slopes: list[PieceSlope]) -> PieceSlope:
    """The sum over groups that overlap, on all spans of the tension length."""
    balance = _whole_balance(tape, piece, groups)
    total = _grown(piece, balance, slopes[0])
    for group, slope in zip(groups, slopes, strict=True):
        begins = _sizes(balance, group.first)
        for kind, into, out in zip(_kinds(slope), _arrays(total), _arrays(slope), strict=True):
            into[begins[kind] : begins[kind] + len(out)] += out
    return total


def _arrays(slope: PieceSlope) -> list[np.ndarray]:
    """All arrays of a tension length, in one order."""
    found: list[np.ndarray] = []
    for string in (slope.drawn, slope.built):
        found += [*string.table.values(), string.ell, string.held, string.arm]
        found += [string.height, string.length, string.stiffness, string.mass]
    return [*found, *slope.table.values(), slope.ell, slope.masts, *slope.links.values()]


def _kinds(slope: PieceSlope) -> list[str]:
    """What the rows of each of ``_arrays`` are."""
    wires = ["element"] * len(slope.table)
    string = [*wires, "element", "coordinate", "mast", *["link"] * 4]
    return [*string, *string, *wires, "element", "mast", *["link"] * len(slope.links)]


def _sizes(balance: Balance, spans: int) -> dict[str, int]:
    """How many of each kind the first spans of a tension length have, without the mast after them."""
    element = int(balance.grid.starts[spans])
    links = int(np.searchsorted(balance.links.span, spans))
    return {"element": element, "coordinate": 4 * len(balance.grid.roles) * element, "link": links, "mast": spans}


def _grown(piece: Piece, balance: Balance, like: PieceSlope) -> PieceSlope:
    """Zeros for a whole tension length."""
    grid = balance.grid
    sizes = {"element": grid.ell.size, "coordinate": grid.size, "link": balance.links.n, "mast": len(grid.posts)}
    zeros = iter([
        np.zeros((sizes[kind], *x.shape[1:])) for kind, x in zip(_kinds(like), _arrays(like), strict=True)
    ])  # fmt: skip

    def string() -> StringSlope:
        table = {role: next(zeros) for role in like.table}
        ell, held, arm, height, length, stiffness, mass = (next(zeros) for _ in range(7))
        return StringSlope(table, held, height, length, stiffness, mass, ell, arm)

    drawn, built, table = string(), string(), {role: next(zeros) for role in like.table}
    ell, masts = next(zeros), next(zeros)
    links = {name: next(zeros) for name in like.links}
    return PieceSlope(piece, balance, drawn, built, table, links, masts, ell)


def _whole_balance(tape: RunTape, piece: Piece, groups: list[StringGroup]) -> Balance:
    """A long tension length as if it had been strung as one, from the spans of all groups."""
    layout, length = tape.model.strung.layout, tape.model.run.numerics.element_length
    plans = [layout.plan(piece, number) for number in range(piece.first, piece.stop)]
    whole = Balance(
        [mesh_span(plan, length) for plan in plans], [f"{piece.name}, span {k + 1}," for k in range(len(plans))]
    )
    size = 4 * len(whole.grid.roles)
    for group in groups:
        own = group.balance
        for k in group.own:
            a, b = own.grid.starts[k - group.first : k - group.first + 2]
            first = whole.grid.starts[k]
            whole.q[first * size : (first + b - a + 1) * size] = own.q[a * size : (b + 1) * size]
            mine, there = own.links.span == k - group.first, whole.links.span == k
            for name in ("tension", "given", "by_height"):
                getattr(whole, name)[there] = getattr(own, name)[mine]
    return whole


def _beginning(
    tape: RunTape, slope: Slope, first: np.ndarray
) -> dict[tuple[int, int], list[tuple[str, int, np.ndarray]]]:
    """∂J/∂ of the wires' static shape through where the pantographs begin: of spans, at two stations each (2, 2)."""
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
    """Which contact wire is the lowest above x."""
    there = [k for k, w in enumerate(linear.paths) if linear.x[w.first] <= x < linear.x[w.last]]
    return min(there, key=lambda k: wire_at(x, linear.x, linear.paths[k].z0, linear.paths[k].z0_x))


def beginnings(tape: RunTape, slope: Slope, first: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """∂J/∂ of the height at which each head begins, and of the height its coordinate counts from; (np,) each."""
    session, model = tape.session, tape.session.model
    masses = [len(p.stages) for p in model.pantographs]
    share = 1.0 - model.timetable.lifted(np.arange(tape.steps + 1) * session.sc.h)
    rest = share @ slope.uplift  # of the lifting forces that hold the masses where they start
    by_z = first + session.train.K.T @ rest
    touch = np.add.reduceat(by_z, np.concatenate([[0], np.cumsum(masses)[:-1]]))
    return touch, slope.head[:, 0] - touch
