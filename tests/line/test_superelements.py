"""Spans reduced to their masts and slow modes: statics, natural frequencies, and the way there and back."""

import numpy as np
import pytest
import scipy.linalg

from panhead.line import linear_line, read_line, string
from panhead.line.superelements import super_span

BAND = 30.0


@pytest.fixture(scope="module")
def store():
    return linear_line(string(read_line("en50318-2002")), spans=(2, 5)).source


@pytest.fixture(scope="module")
def span(store):
    return store.reduced(store.strung.layout.pieces[0], 4, BAND)


def test_modes_and_masts_are_a_way_there_and_back(span):
    """Any motion of masts and modes is shown at all stations and told again from them, to rounding."""
    rng = np.random.default_rng(1)
    masts, eta = rng.normal(size=(2, 4)), rng.normal(size=span.stiffness.size)
    q = np.concatenate([masts[:1], span.shown(masts, eta), masts[1:]])
    np.testing.assert_allclose(span.told(q), eta, atol=1e-9 * np.abs(eta).max())


def test_slow_vibrations_are_those_of_the_whole_span(span, store):
    """With the contact wire loose at both masts a span swings, up to a third of the band, as with all its stations.

    The static answers to inertia leave an error of (f/band)⁸ or less of a frequency: 1e-4 at a third of the band.
    """
    loose = np.array([True, True, False, True])  # the messenger is held
    ours = _frequencies(span, loose)
    all_modes = super_span(store.blocks(store.strung.layout.pieces[0], 4), 1e4, bilateral=False)
    whole = _frequencies(all_modes, loose)
    count = int((whole < BAND / 3).sum())
    assert count > 10
    np.testing.assert_allclose(ours[:count], whole[:count], rtol=1e-4)


@pytest.mark.parametrize("band", [6.0, 15.0])
def test_a_narrower_band_is_part_of_a_wider_one(store, band):
    """Found from the wider band it is what the span itself gives.

    Both solve for the same modes, here of 250 unknowns and there of 61: what rounding leaves of them is
    1e-16 (ω_max/ω_min)², 1e-8 at most. Shapes are compared as the space they span, Φ Φᵀ M and so on: two of 12.9207 Hz
    differ by 7e-7 in frequency and turn into each other.
    """
    piece = store.strung.layout.pieces[0]
    ours, direct = store.reduced(piece, 4, band), super_span(store.blocks(piece, 4), band, bilateral=False)
    assert ours.stiffness.size == direct.stiffness.size < store.reduced(piece, 4, BAND).stiffness.size
    np.testing.assert_allclose(ours.stiffness, direct.stiffness, rtol=1e-8)
    for name in ("momentum", "mass", "drag", "dampings"):
        mine, theirs = (span.modes @ getattr(span, name) for span in (ours, direct))
        if name == "dampings":
            mine, theirs = mine @ ours.momentum, theirs @ direct.momentum
        np.testing.assert_allclose(mine, theirs, atol=1e-8 * np.abs(theirs).max(), err_msg=name)


def _frequencies(span, loose):
    """Of a span whose masts hold what is not loose [Hz]."""
    masts = np.flatnonzero(np.r_[loose, loose])
    M, K = (_joined(span.blocks.matrices[k : k + 2])[np.ix_(masts, masts)] for k in (0, 4))
    n, b = span.stiffness.size, masts.size
    mass, stiffness = np.eye(n + b), np.zeros((n + b, n + b))
    mass[:b, :b], stiffness[:b, :b] = M, K
    mass[b:, :b], mass[:b, b:] = span.mass[:, masts], span.mass[:, masts].T
    stiffness[range(b, n + b), range(b, n + b)] = span.stiffness
    return np.sqrt(np.maximum(scipy.linalg.eigh(stiffness, mass, eigvals_only=True), 0.0)) / (2 * np.pi)


def _joined(blocks):
    diag, off = blocks
    return np.block([[diag[0], off[0]], [off[0].T, diag[1]]])
