"""Absorbing ends of a moving window (``Ends``): waves decay towards them; value and adjoint.

u, v, a ← e^(−σ(ξ) Δt) (u, v, a),   σ = rate · ξ³,   ξ from 0 to 1 over the end of the window
"""

from __future__ import annotations

import numpy as np

from panhead.engine.jit.compiler import part
from panhead.engine.jit.lanes import fma, put, take, zero
from panhead.engine.kernels.block_tridiagonal_lanes import add
from panhead.runs.linear.step.dropper import settle_adjoint, settle_droppers
from panhead.runs.linear.step.line import remember_damping
from panhead.runs.linear.step.step_arrays import A, U, V
from panhead.runs.linear.step.superelement import fade_far


@part()
def fade(line, sc, ends, front, rear, q, f, eta, drop, time, w, record):
    """Attenuate waves towards the ends of the window.

    front, rear: where the first and the last pantograph are [m]. Droppers follow: a slack one whose wires come to rest
    is taut again.
    """
    far, size = line.far, 4 * w.s.shape[1]
    for n in range(far.base.shape[0]):
        i = far.base[n] // size
        shares = _share(sc, ends, front, rear, line.x[i]), _share(sc, ends, front, rear, line.x[i + 1])
        share = _share(sc, ends, front, rear, 0.5 * (line.x[i] + line.x[i + 1]))
        if share < 1.0 or shares[0] < 1.0 or shares[1] < 1.0:
            fade_far(line, n, share, shares, f, eta, w)
    for i in range(line.x.shape[0]):
        share = _share(sc, ends, front, rear, line.x[i])
        if share < 1.0:
            for r in range(w.s.shape[1]):
                for k in range(4):
                    q[U, i, r, k] *= share
                    q[V, i, r, k] *= share
                    q[A, i, r, k] *= share
    settle_droppers(drop, q, time, record)
    if line.damped:
        remember_damping(line, sc, q, f, w.s, w.s_flat)


@part()
def _share(sc, ends, front, rear, x):
    """Remaining share of a motion at x."""
    ahead = (x - front - ends.front_begin) / ends.front_length
    xi = min(1.0, max(ahead, (rear - ends.rear_begin - x) / ends.rear_length))
    return np.exp(-ends.rate * xi**3 * ends.every * sc.h) if xi > 0.0 else 1.0


@part()
def fade_adjoint(line, far, sc, ends, where, kept, before, number, back, slope):
    """Adjoint of ``fade``: from row before + 1 of ``kept`` to row ``before``; where (np,): the pantographs."""
    settle_adjoint(kept, before, back, slope)
    q, eta, size = kept.q[before], far.kept[before], 4 * back.load.shape[1]
    for i in range(line.x.shape[0]):
        share, by_rate, by_front, by_rear = _share_gradient(sc, ends, where[0], where[-1], line.x[i])
        if share < 1.0:
            total = zero(back.q)
            for j in range(3):
                for r in range(q.shape[2]):
                    for k in range(4):
                        bar = take(back.q, (j, i, r, k))
                        total = fma(q[j, i, r, k], bar, total)
                        put(back.q, (j, i, r, k), bar * share)
            _book(total, by_rate, by_front, by_rear, number, slope)
            add(slope.x, (i,), total * -(by_front + by_rear))
    for n in range(far.base.shape[0]):
        i = far.base[n] // size
        x = 0.5 * (line.x[i] + line.x[i + 1])
        share, by_rate, by_front, by_rear = _share_gradient(sc, ends, where[0], where[-1], x)
        if share < 1.0:
            total = zero(back.far)
            for j in range(3):
                for k in range(far.modes[n]):
                    bar = take(back.far, (j, n, k))
                    total = fma(eta[j, n, k], bar, total)
                    put(back.far, (j, n, k), bar * share)
            _book(total, by_rate, by_front, by_rear, number, slope)


@part()
def _book(total, by_rate, by_front, by_rear, number, slope):
    """Add the motion at one position to the derivatives by the absorption rate and the train position."""
    add(slope.fading, (0,), total * by_rate)
    add(slope.position, (number, 0), total * by_front)
    add(slope.position, (number, slope.position.shape[1] - 1), total * by_rear)


@part()
def _share_gradient(sc, ends, front, rear, x):
    """``_share`` at x, and its derivatives by the rate and by front and rear."""
    ahead, behind = (x - front - ends.front_begin) / ends.front_length, (rear - ends.rear_begin - x) / ends.rear_length
    xi = min(1.0, max(ahead, behind))
    if xi <= 0.0:
        return 1.0, 0.0, 0.0, 0.0
    time = ends.every * sc.h
    share = np.exp(-ends.rate * xi**3 * time)
    by_xi = -3.0 * ends.rate * xi * xi * time * share if xi < 1.0 else 0.0
    by_front = -by_xi / ends.front_length if ahead >= behind else 0.0
    by_rear = by_xi / ends.rear_length if ahead < behind else 0.0
    return share, -(xi**3) * time * share, by_front, by_rear
