"""Response of a strung tension length: against differences of the equilibrium itself."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

from panhead.railway.line import read_line
from panhead.railway.line.layout import Layout
from panhead.railway.line.span_mesh import mesh_span
from panhead.railway.line.stringing import string_spans
from panhead.railway.line.stringing_equations import solve
from panhead.railway.line.stringing_response import (
    held_heights,
    response,
    stagger_coordinates,
    stagger_move,
    support_move,
    tension_force,
)


def balance():
    """Three spans, droppers by length."""
    line = read_line("overlaps-25kv")
    tl = line.tension_lengths[0]
    line = replace(line, tension_lengths=(replace(tl, repeat=1, overlap=None, spans=(replace(tl.spans[0], count=3),)),))
    layout = Layout(line)
    piece = layout.pieces[0]
    found = string_spans([mesh_span(layout.plan(piece, n), 2.0) for n in range(3)], ["a", "b", "c"])
    L, _ = found.geometry()
    found.given, found.by_height[:] = L - found.tension / found.links.k, False
    solve(found)
    return found


def change(move, step):
    """Central difference of the shape by a move of the balance."""
    shapes = []
    for sign in (1.0, -1.0):
        b = balance()
        move(b, sign * step)
        solve(b)
        shapes.append(b.q)
    return (shapes[0] - shapes[1]) / (2.0 * step)


def shorten(b, step):
    b.given[7] += step


def raise_support(b, step):
    b.q[held_heights(b, 1)] += step


def push_aside(b, step):
    b.q[stagger_coordinates(b, 2)] += step


@pytest.mark.parametrize(
    ("move", "step", "column", "others"),
    [
        (shorten, 1e-5, 7, lambda b: []),
        (raise_support, 1e-5, -1, lambda b: [support_move(b, 1)]),
        (push_aside, 1e-5, -1, lambda b: [stagger_move(b, 2)]),
        (lambda b, s: b.pull_tighter({"contact": s}), 1.0, -1, lambda b: [tension_force(b, "contact")]),
        (lambda b, s: b.pull_tighter({"messenger": s}), 1.0, -1, lambda b: [tension_force(b, "messenger")]),
    ],
)
def test_the_response_is_the_derivative_of_the_equilibrium(move, step, column, others):
    b = balance()
    look = sp.identity(b.grid.size, format="csr")
    found = response(b, look, others(b)).derivative(b.tension > 0)[:, column]
    wanted = change(move, step)
    # the weight of a stretched wire hardly depends on its tension; that is left out
    np.testing.assert_allclose(found, wanted, atol=2e-4 * np.abs(wanted).max())


def test_a_slack_dropper_changes_nothing():
    b = balance()
    taut = np.ones(b.links.n, bool)
    taut[4] = False
    look = sp.identity(b.grid.size, format="csr")
    assert not response(b, look).derivative(taut)[:, 4].any()
