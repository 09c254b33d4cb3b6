"""Calls of compiled functions from Python."""

from numba import njit


@njit(cache=True)
def call_terms(terms, t, x, u, p, out):
    """terms(t, x, u, p, out)."""
    terms(t, x, u, p, out)


@njit(cache=True)
def call_outputs(outputs, t, x, u, p, a, lam, out):
    """outputs(t, x, u, p, a, lam, out)."""
    outputs(t, x, u, p, a, lam, out)


@njit(cache=True)
def call_outputs_back(outputs_back, t, x, u, p, a, lam, y_bar, out):
    """outputs_back(t, x, u, p, a, lam, y_bar, out)."""
    outputs_back(t, x, u, p, a, lam, y_bar, out)


@njit(cache=True)
def call_psi(psi, t, x, u, p, a, lam, w, ab, out):
    """psi(t, x, u, p, a, lam, w, ab, out)."""
    psi(t, x, u, p, a, lam, w, ab, out)
