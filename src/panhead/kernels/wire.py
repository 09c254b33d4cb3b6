"""Euler–Bernoulli wires under tension: cubic Hermite elements and station-numbered blocks.

A wire's element runs from station i to station i + 1. Its four coordinates are (w, w′) at the left
and (w, w′) at the right station; w is any transverse displacement, vertical or lateral.
"""

from __future__ import annotations

from numba import njit

from panhead.kernels.laws import interpolate
from panhead.laws.hermite import CURVATURE, SLOPE, VALUE


@njit(cache=True)
def locate(x, stations):
    """The element e with stations[e] ≤ x < stations[e + 1]; the first or last one outside."""
    low, high = 0, stations.shape[0] - 1
    while high - low > 1:
        middle = (low + high) // 2
        if x < stations[middle]:
            high = middle
        else:
            low = middle
    return low


@njit(cache=True)
def wire_at(x, stations, w, w_x):
    """Value of the wire at x from its values and slopes at the stations, each (ns,)."""
    e = locate(x, stations)
    ell = stations[e + 1] - stations[e]
    return interpolate((x - stations[e]) / ell, ell, w[e], w_x[e], w[e + 1], w_x[e + 1])


@njit(cache=True)
def sample_wire(x, stations, w, w_x, out):
    """out = the wire at every x; x and out (n,), the rest as in ``wire_at``."""
    for i in range(x.shape[0]):
        out[i] = wire_at(x[i], stations, w, w_x)


@njit(cache=True)
def wire_stiffness(ell, T, EI, out):
    """out = ∫ (T N′ N′ᵀ + EI N″ N″ᵀ) dx over one element; out (4, 4) [N/m, N, N·m].

    The first term is the stiffness a tension gives, the second the bending stiffness.
    """
    a, b, scale = T / (30.0 * ell), EI / ell**3, (1.0, ell, ell * ell)
    for i in range(4):
        for j in range(4):
            unit = scale[(i & 1) + (j & 1)]  # a slope counts in metres
            out[i, j] = SLOPE[i][j] * unit * a + CURVATURE[i][j] * unit * b


@njit(cache=True)
def wire_mass(ell, mu, out):
    """out = ∫ μ N Nᵀ dx, the consistent mass of one element; out (4, 4) [kg, kg·m, kg·m²]."""
    c, scale = mu * ell / 420.0, (1.0, ell, ell * ell)
    for i in range(4):
        for j in range(4):
            out[i, j] = VALUE[i][j] * scale[(i & 1) + (j & 1)] * c


@njit(cache=True)
def scatter(element, e, dof, diag, off):
    """Add one element matrix (4, 4) to the blocks of stations e and e + 1.

    dof: index of w in a station's block (w′ is the next); diag (ns, b, b), off (ns − 1, b, b).
    """
    for i in range(2):
        for j in range(2):
            diag[e, dof + i, dof + j] += element[i, j]
            diag[e + 1, dof + i, dof + j] += element[2 + i, 2 + j]
            off[e, dof + i, dof + j] += element[i, 2 + j]


@njit(cache=True)
def add_wire_blocks(ell, wire, dof, work, M_diag, M_off, C_diag, C_off, K_diag, K_off):
    """Add one wire's mass, damping C = α M + β K and stiffness to station blocks.

    ell (ne,); wire (ne, 5) columns T [N], EI [N·m²], μ [kg/m], α [1/s], β [s]; an element with
    μ = 0 does not exist. work (4, 4), diag (ne + 1, b, b), off (ne, b, b).
    """
    for e in range(ell.shape[0]):
        T, EI, mu, alpha, beta = wire[e]
        if mu == 0.0:
            continue
        wire_mass(ell[e], mu, work)
        scatter(work, e, dof, M_diag, M_off)
        work *= alpha
        scatter(work, e, dof, C_diag, C_off)
        wire_stiffness(ell[e], T, EI, work)
        scatter(work, e, dof, K_diag, K_off)
        work *= beta
        scatter(work, e, dof, C_diag, C_off)
