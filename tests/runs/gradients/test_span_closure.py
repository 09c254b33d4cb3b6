"""Spans that are closed when the window leaves them: the same numbers as if everything had been kept to the end."""

from dataclasses import fields

import numpy as np
import pytest

from panhead.railway.line.line_matrices import linear_line
from panhead.runs.linear.line_cotangents import GatheredLine
from panhead.runs.resolve import resolve
from panhead.validation.line_gradient.differences import with_changes
from panhead.validation.line_gradient.rough import base


@pytest.fixture(scope="module")
def store():
    model = resolve(with_changes(base(), {}))
    return model.strung.layout.pieces[0], linear_line(model.strung, element_length=5.0).source


def _arrays(slope):
    values = [getattr(slope, f.name) for f in fields(slope)]
    return [x for v in values for x in (v.values() if isinstance(v, dict) else [v])]


def test_a_span_closed_band_by_band_is_the_span_closed_at_once(store):
    """The way back is linear in the bars: they may be summed over bands before it, or the numbers after it."""
    piece, source = store
    rng, at_once, in_turn = np.random.default_rng(3), GatheredLine(source, 2), GatheredLine(source, 2)
    for band in (30.0, 21.0, 15.0):
        span = source.superelement(piece, 1, band)
        random = {
            f.name: rng.standard_normal(getattr(at_once.far(0, 1, span, band), f.name).shape)
            for f in fields(at_once.far(0, 1, span, band))
        }
        for line in (at_once, in_turn):
            for name, values in random.items():
                getattr(line.far(0, 1, span, band), name)[...] = values
        in_turn.close(1, [15.0])  # in which the others become bars of the widest band
    in_turn.close()
    at_once.close()
    for one, other in zip(_arrays(at_once.span(piece, 1)), _arrays(in_turn.span(piece, 1)), strict=True):
        np.testing.assert_allclose(one, other, rtol=0.0, atol=1e-9 * max(1.0, float(np.abs(one).max(initial=0.0))))
    assert max(float(np.abs(x).max(initial=0.0)) for x in _arrays(at_once.span(piece, 1))) > 0.0


def test_spans_of_the_window_stay_open(store):
    """What is out of the window takes the memory of its numbers alone; of what is asked nothing, none at all."""
    piece, source = store
    line, forgotten = GatheredLine(source, 1), GatheredLine(source, 1, asked=False)
    for gathered in (line, forgotten):
        for number in range(4):
            gathered.part(piece, number).diag[...] = 1.0
        gathered.close(1, [np.inf, np.inf])
    assert sorted(number for _, number in line.spans) == [0, 3]
    assert not forgotten.spans
    size = sum(x.nbytes for x in _arrays(line.spans[0, 0]))
    assert size < 0.5 * (line.part(piece, 1).diag.nbytes + line.part(piece, 1).off.nbytes)
    line.part(piece, 0).diag[...] = 1.0  # a span that is come to again
    once = [x.copy() for x in _arrays(line.spans[0, 0])]
    line.close()
    for x, y in zip(once, _arrays(line.spans[0, 0]), strict=True):
        np.testing.assert_allclose(y, 2.0 * x, rtol=1e-12)
