"""Adjoint of a window shift (``window_shift``), and superelements in the backward sweep."""

from __future__ import annotations

from itertools import zip_longest

import numpy as np

from panhead.railway.line.line_matrices import LinearLine
from panhead.railway.line.superelement_cotangents import SuperelementCotangents
from panhead.railway.line.superelements import Superelement
from panhead.runs.linear.far_spans import drag_rate, moved_by
from panhead.runs.linear.line_cotangents import GatheredLine
from panhead.runs.linear.step.adjoint_arrays import Back, FarSpans, Slope
from panhead.runs.linear.step.dropper import is_loose, set_in_mode_adjoint
from panhead.runs.linear.step.step_arrays import LineState, Scheme
from panhead.runs.linear.step.superelement_adjoint import add_far
from panhead.runs.linear.window import Window
from panhead.runs.linear.window_shift import common, modes_of


def far_spans(linear: LinearLine, sc: Scheme, rows: int = 0) -> FarSpans:
    """Superelements of a window, with storage for a number of their states."""
    b, width, n = linear.b, 4 * -(-linear.b // 4), len(linear.far)
    modes = np.array([span.stiffness.size for _, span in linear.far], dtype=np.int64)
    most = int(modes.max(initial=0))
    (stiffness, c), alpha = np.zeros((2, n, most)), np.zeros(n)
    mass = np.zeros((n, 2, width, most))  # by span, mast, coordinate, mode
    for k, (part, span) in enumerate(linear.far):
        free = linear.active[part.start : part.start + 2].reshape(-1)
        stiffness[k, : modes[k]], c[k, : modes[k]] = span.stiffness, span.damping
        mass[k, :, :b, : modes[k]] = (span.mass * free).T.reshape(2, b, -1)
        alpha[k] = drag_rate(span, moved_by(linear, part))
    both, A_inv = mass.reshape(n, 2 * width, most), 1.0 / (sc.M_u + sc.C_u * c + stiffness)
    base = np.array([part.start for part, _ in linear.far], dtype=np.int64) * width
    return FarSpans(base, modes, c, A_inv, both, alpha, both.any(axis=2), np.zeros((rows, 3, n, most)))


def shift_back(
    old: Window, before: LineState, new: Window, after: LineState, back: Back, slope: Slope, bars: GatheredLine,
    empty: Back,
) -> None:  # fmt: skip
    """Adjoint of ``shift_state``: ``empty``, of the old window, is filled; slope: of the new one."""
    _droppers_back(old, before, new, after, back, slope, empty)
    heads = range(back.contact.size // len(new.path_keys))
    source, target = common(
        [(p, key) for p in heads for key in old.path_keys], [(p, key) for p in heads for key in new.path_keys]
    )
    for name in ("contact", "impact"):
        getattr(empty, name)["lanes"][source] = getattr(back, name)["lanes"][target]
    empty.z["lanes"][:], empty.element["lanes"][:] = back.z["lanes"], back.element["lanes"]
    _motion_back(old, before, new, back, bars, empty)


def _droppers_back(
    old: Window, before: LineState, new: Window, after: LineState, back: Back, slope: Slope, empty: Back
) -> None:
    """Adjoint of the corrections of common droppers; of others by the law of a slack one."""
    source, target = common(old.row_keys, new.row_keys)
    bar = back.drop["lanes"]
    known = (after.drop["bilateral"][target] == 0) | ~is_loose(before.drop)[source]  # others are held taut now
    empty.drop["lanes"][source[known]] = bar[target[known]]
    bar[target] = 0.0
    set_in_mode_adjoint(after.drop, after.q, back, slope)


class _Moved:
    """Common span of both windows: its motion before, and its cotangents after and before the shift; lanes last."""

    def __init__(self, number: int, a: slice, z: slice, q: np.ndarray, bar: np.ndarray, out: np.ndarray) -> None:
        self.number, self.b = number, q.shape[2]
        self.inner = slice(a.start + 1, a.stop - 1)
        self.q, self.out, self.ends = q, out, (a.start, a.stop - 1)
        self.masts = np.concatenate([q[:, a.start], q[:, a.stop - 1]], axis=-1)  #: (3, 2 b)
        self.given = bar[:, z.start + 1 : z.stop - 1].reshape(3, -1, bar.shape[-1])  #: (3, n, L)

    def to_masts(self, bar: np.ndarray) -> None:
        """bar (3, 2 b, L) of the masts."""
        for end, share in zip(self.ends, (bar[:, : self.b], bar[:, self.b :]), strict=True):
            self.out[:, end] += share

    def to_modes_adjoint(self, span: Superelement, own: SuperelementCotangents, bar: np.ndarray) -> None:
        """Stations that became modes, η = (q_i − Ψ q_b) (Φᵀ M)ᵀ; bar (3, k, L)."""
        w = self.q[:, self.inner].reshape(3, -1) - self.masts @ span.follows.T
        w_bar = np.einsum("ckl,kn->cnl", bar, span.momentum)
        own.momentum += np.einsum("ckl,cn->knl", bar, w)
        own.follows -= np.einsum("cnl,cm->nml", w_bar, self.masts)
        self.out[:, self.inner] += w_bar.reshape(self.out[:, self.inner].shape)
        self.to_masts(-np.einsum("cnl,nm->cml", w_bar, span.follows))

    def to_stations_adjoint(
        self, span: Superelement, own: SuperelementCotangents, eta: np.ndarray, out: np.ndarray
    ) -> None:
        """Modes that became stations, q_i = Ψ q_b + Φ η; eta (3, k), to out (3, k, L)."""
        own.follows += np.einsum("cnl,cm->nml", self.given, self.masts)
        own.modes += np.einsum("cnl,ck->nkl", self.given, eta)
        out += np.einsum("cnl,nk->ckl", self.given, span.modes)
        self.to_masts(np.einsum("cnl,nm->cml", self.given, span.follows))


def _motion_back(old: Window, before: LineState, new: Window, back: Back, bars: GatheredLine, empty: Back) -> None:
    """Adjoint of u, v, a of the common spans."""
    was, now, lanes = old.linear, new.linear, back.far["lanes"].shape[-1]
    smooth = slice(0, lanes)  # a move is no kink
    q = before.q.reshape(4, was.ns, -1)[:3, :, : was.b]
    bar, out = (x.q["lanes"].reshape(3, w.ns, -1, lanes)[:, :, : w.b] for x, w in ((back, now), (empty, was)))
    bar[:, ~now.active] = 0.0
    eta = _modes_before(old, q, before.eta.reshape(3, -1))
    place = np.full(now.ns, -1)  # of every station, in the old window
    far, far_out, far_before, far_now = back.far["lanes"], empty.far["lanes"], modes_of(was), modes_of(now)
    for number in range(max(was.first_span, now.first_span), min(was.stop_span, now.stop_span)):
        a, z = was.stations(number), now.stations(number)
        source, target = far_before.get(number, []), far_now.get(number, [])
        if bool(source) == bool(target):
            place[z] = np.arange(a.start, a.stop)
        else:
            place[[z.start, z.stop - 1]] = a.start, a.stop - 1
        one = _Moved(number, a, z, q, bar, out)
        for piece, was_so, is_so in zip_longest(_tension_lengths(now if target else was, number), source, target):
            own = lambda linear, span, piece=piece, number=number: bars.far(
                piece, number, span, _band(linear, number)
            ).lane(smooth)
            if was_so and is_so:
                (span, i), (other, k) = was_so, is_so
                _band_change_adjoint(own(was, span), own(now, other), span, other, eta[:, i], far[:, k], far_out[:, i])
            elif is_so:
                span, k = is_so
                one.to_modes_adjoint(span, own(now, span), far[:, k, : span.stiffness.size])
            elif was_so:
                span, i = was_so
                n = span.stiffness.size
                one.to_stations_adjoint(span, own(was, span), eta[:, i, :n], far_out[:, i, :n])
    there = place >= 0
    out[:, place[there]] += bar[:, there]


def _band_change_adjoint(
    own: SuperelementCotangents,
    new: SuperelementCotangents,
    span: Superelement,
    other: Superelement,
    eta: np.ndarray,
    bar: np.ndarray,
    out: np.ndarray,
) -> None:
    """Modes of one band that became those of another, η = η′ Φ′ᵀ (Φᵀ M)ᵀ."""
    n, k = span.stiffness.size, other.stiffness.size
    if other is span:
        out[:, :n] += bar[:, :n]
        return
    t = np.einsum("ckl,kn->cnl", bar[:, :k], other.momentum)
    new.momentum += np.einsum("ckl,cn->knl", bar[:, :k], eta[:, :n] @ span.modes.T)
    own.modes += np.einsum("cnl,ck->nkl", t, eta[:, :n])
    out[:, :n] += np.einsum("cnl,nk->ckl", t, span.modes)


def _tension_lengths(linear: LinearLine, number: int) -> list[int]:
    """Tension lengths that pass a far span."""
    return [part.piece.index for part, _ in linear.far if part.number == number]


def _band(linear: LinearLine, number: int) -> float:
    return linear.bands[number - linear.first_span]


def _modes_before(old: Window, q: np.ndarray, eta: np.ndarray) -> np.ndarray:
    """η, η̇, η̈ (3, n, k) of far spans from what a state holds of them (3, ·); q (3, ns, b): the line."""
    most = max((span.stiffness.size for _, span in old.linear.far), default=0)
    found = np.zeros((3, len(old.linear.far), most))
    for n, (first, (part, span)) in enumerate(zip(old.line.far.first.tolist(), old.linear.far, strict=True)):
        k = span.stiffness.size
        found[:, n, :k] = span.relative(eta[:, first : first + k], q[:, part.start : part.start + 2])
    return found


class FarGathered:
    """∂J/∂ of Ω², c, m and d of the far spans of one window (``superelement_adjoint``); lanes first."""

    def __init__(self, linear: LinearLine, far: FarSpans, lanes: int) -> None:
        n, size, k = far.mass.shape
        self.linear, self.far = linear, far
        self.stiffness, self.damping = np.zeros((2, lanes, n, k))
        self.mass, self.drag = np.zeros((2, lanes, n, size, k))
        self._scratch = np.zeros((4, 4, k))

    def add(self, sc: Scheme, back: Back, mean: np.ndarray, row: np.ndarray, steps: np.ndarray, lane: int) -> None:
        """Add some steps to lanes from ``lane`` on; mean (3, steps, …): averages of the line, row: where steps
        begin."""
        past, far_past = back.past["lanes"], back.far_past["lanes"]
        line_past = past.reshape(*past.shape[:2], -1, past.shape[-1])
        slope = self.stiffness, self.damping, self.mass, self.drag
        of_line = mean.reshape(*mean.shape[:2], -1)
        add_far(sc, self.far, steps, row, far_past, line_past, of_line, self._scratch, lane, slope)

    def leave(self, bars: GatheredLine) -> None:
        """Hand the sums over to the spans."""
        b, last = self.linear.b, lambda x: np.moveaxis(x, 0, -1)
        for n, (part, span) in enumerate(self.linear.far):
            k, moved = span.stiffness.size, moved_by(self.linear, part)
            own, modes = bars.far(part.piece.index, part.number, span, _band(self.linear, part.number)), np.arange(k)
            own.stiffness += last(self.stiffness[:, n, :k])
            own.dampings[modes, modes] += last(self.damping[:, n, :k])
            mass, drag = (last(_of_masts(x[:, n, :, :k], b)).swapaxes(0, 1) for x in (self.mass, self.drag))
            m, d, size = span.mass[:, moved], span.drag[:, moved], float((span.mass[:, moved] ** 2).sum())
            alpha, bar = drag_rate(span, moved), drag[:, moved]  # α m stands for d
            of_alpha = np.einsum("kml,km->l", bar, m) / size
            own.mass += mass
            own.mass[:, moved] += alpha * bar + (d - 2.0 * alpha * m)[..., None] * of_alpha
            own.drag[:, moved] += m[..., None] * of_alpha


def _of_masts(x: np.ndarray, b: int) -> np.ndarray:
    """The 2 b coordinates of both masts (L, 2 b, k) from those of their tiles (L, 2·nt·4, k)."""
    size = x.shape[1] // 2
    return np.concatenate([x[:, :b], x[:, size : size + b]], axis=1)
