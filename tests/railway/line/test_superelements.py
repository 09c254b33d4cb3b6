"""Spans reduced to their masts and slow modes: statics, natural frequencies, and the way there and back."""

import numpy as np
import pytest
import scipy.linalg

from panhead.railway.line import linear_line, read_line, string
from panhead.railway.line.superelements import superelement

BAND = 30.0


@pytest.fixture(scope="module")
def store():
    return linear_line(string(read_line("en50318-2002")), spans=(2, 5)).source


@pytest.fixture(scope="module")
def span(store):
    return store.superelement(store.strung.layout.pieces[0], 4, BAND)


def test_modes_and_masts_are_a_way_there_and_back(span):
    """Any motion of masts and modes is shown at all stations and told again from them, to rounding."""
    rng = np.random.default_rng(1)
    masts, eta = rng.normal(size=(2, 4)), rng.normal(size=span.stiffness.size)
    q = np.concatenate([masts[:1], span.inner_motion(masts, eta), masts[1:]])
    np.testing.assert_allclose(span.modal_coordinates(q), eta, atol=1e-9 * np.abs(eta).max())


def test_slow_vibrations_are_those_of_the_whole_span(span, store):
    """With the contact wire loose at both masts a span swings, up to a third of the band, as with all its stations.

    The static answers to inertia leave an error of (f/band)⁸ or less of a frequency: 1e-4 at a third of the band.
    """
    loose = np.array([True, True, False, True])  # the messenger is held
    ours = _frequencies(span, loose)
    all_modes = superelement(store.blocks(store.strung.layout.pieces[0], 4), 1e4, bilateral=False)
    whole = _frequencies(all_modes, loose)
    count = int((whole < BAND / 3).sum())
    assert count > 10
    np.testing.assert_allclose(ours[:count], whole[:count], rtol=1e-4)


def test_modes_are_those_of_the_assembled_blocks(span, store):
    """Ω² and Ψ beside ``eigh`` and ``solve`` of K_ii, M_ii put together here station by station, droppers taut."""
    whole = store.blocks(store.strung.layout.pieces[0], 4)
    M, _, K = _assembled(whole)
    b = whole.active.shape[1]
    inner, masts = np.arange(b, len(M) - b), np.r_[:b, len(M) - b : len(M)]
    on = inner[whole.active.ravel()[inner]]
    squares, _ = scipy.linalg.eigh(K[np.ix_(on, on)], M[np.ix_(on, on)])
    slow = squares[squares <= (2.0 * np.pi * BAND) ** 2]
    assert slow.size == span.within > 20
    np.testing.assert_allclose(span.stiffness[: span.within], slow, rtol=1e-7)  # 1e-16 (ω_max/ω_min)²
    follows = -np.linalg.solve(K[np.ix_(on, on)], K[np.ix_(on, masts)])
    np.testing.assert_allclose(span.follows[on - b], follows, atol=1e-8)


def _assembled(whole):
    """M, C, K (n, n) of a span from its blocks, and every taut dropper as a spring between its two wires."""
    stations, b = whole.active.shape
    found = []
    for diagonal, off in zip(whole.matrices[::2], whole.matrices[1::2], strict=True):
        A = np.zeros((stations * b, stations * b))
        for k in range(stations):
            here = slice(k * b, (k + 1) * b)
            A[here, here] += diagonal[k]
            if k + 1 < stations:
                there = slice((k + 1) * b, (k + 2) * b)
                A[here, there] += off[k]
                A[there, here] += off[k].T
        found.append(A)
    stiffness = read_line("en50318-2002").dropper.stiffness
    for at, top, bottom in zip(*(whole.links[name] for name in ("station", "dof_top", "dof_bottom")), strict=True):
        ends = at * b + np.array([top, bottom])
        found[2][np.ix_(ends, ends)] += stiffness * np.array([[1.0, -1.0], [-1.0, 1.0]])
    return found


@pytest.mark.parametrize("band", [6.0, 15.0])
def test_a_narrower_band_is_part_of_a_wider_one(store, band):
    """Found from the wider band it is what the span itself gives.

    Both solve for the same modes, here of 250 unknowns and there of 61: what rounding leaves of them is
    1e-16 (ω_max/ω_min)², 1e-8 at most. Shapes are compared as the space they span, Φ Φᵀ M and so on: two of 12.9207 Hz
    differ by 7e-7 in frequency and turn into each other.
    """
    piece = store.strung.layout.pieces[0]
    ours, direct = store.superelement(piece, 4, band), superelement(store.blocks(piece, 4), band, bilateral=False)
    assert ours.stiffness.size == direct.stiffness.size < store.superelement(piece, 4, BAND).stiffness.size
    np.testing.assert_allclose(ours.stiffness, direct.stiffness, rtol=1e-8)
    for name in ("momentum", "mass", "drag", "dampings"):
        mine, theirs = (span.modes @ getattr(span, name) for span in (ours, direct))
        if name == "dampings":
            mine, theirs = mine @ ours.momentum, theirs @ direct.momentum
        np.testing.assert_allclose(mine, theirs, atol=1e-8 * np.abs(theirs).max(), err_msg=name)


@pytest.mark.parametrize(("narrow", "wide"), [(6.0, 15.0), (15.0, BAND)])
def test_a_wider_band_takes_all_of_a_narrower_one(store, narrow, wide):
    """A motion is the same at all stations after its span has come nearer, static answers too, and so on the way back.

    Rounding as above. Mode by mode the static answers, last of the narrower band, would become modes of the wider one.
    """
    there, here = (store.superelement(store.strung.layout.pieces[0], 4, band) for band in (narrow, wide))
    eta, masts = np.random.default_rng(2).normal(size=there.stiffness.size), np.zeros((2, 4))
    taken = here.change_band(there, eta)
    before, after = there.inner_motion(masts, eta), here.inner_motion(masts, taken)
    np.testing.assert_allclose(after, before, atol=1e-8 * np.abs(before).max())
    np.testing.assert_allclose(there.change_band(here, taken), eta, atol=1e-8 * np.abs(eta).max())


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
