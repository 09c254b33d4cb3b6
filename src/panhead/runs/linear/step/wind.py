"""Gust loads on the wires over time: prescribed, so that they do not enter the adjoint of a step.

Their loads depend on the wires' drag and on where stations are; a gradient by either of them is not offered in gusts
(``runs/capabilities``).
"""

from __future__ import annotations

from panhead.engine.jit.compiler import part
from panhead.engine.kernels.block_tridiagonal import dot, mix
from panhead.runs.linear.step.step_arrays import W_WIND, U


@part()
def gust_load(line, sc, number, push):
    """Compute push = load of the gusts in the step to ``number``, α_f of the old and 1 − α_f of the new; none in
    calm."""
    if line.gusts.shape[0] == 0:
        return
    share = (number - sc.alpha_f - line.gust_first) / line.gust_steps
    k = min(max(int(share), 0), line.gusts.shape[0] - 2)
    mix(k + 1 - share, line.gusts[k], share - k, line.gusts[k + 1], push)


@part()
def book_wind(line, f0, f1, w, ledger):
    """Add the work of the gusts in a step; f0, f1 (4, n): the line before and after."""
    if line.gusts.shape[0] > 0:
        mix(1.0, f1[U], -1.0, f0[U], w.s_flat)
        ledger[W_WIND] += dot(w.s_flat, w.push)
