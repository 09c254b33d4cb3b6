"""Calls of compiled terms from Python."""

from numba import njit


@njit(cache=True)
def call_terms(terms, t, x, u, p, out):
    """terms(t, x, u, p, out)."""
    terms(t, x, u, p, out)
