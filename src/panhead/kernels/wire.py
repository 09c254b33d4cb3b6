"""Euler–Bernoulli wires under tension: cubic Hermite elements and station-numbered blocks.

A wire's element runs from station i to station i + 1. Its four coordinates are (w, w′) at the left
and (w, w′) at the right station; w is any transverse displacement, vertical or lateral.
"""

from __future__ import annotations

from numba import njit


@njit(cache=True)
def hermite(xi, ell, out):
    """out = N(ξ), the four cubic Hermite functions; w(x) = N · (w₁, w₁′, w₂, w₂′).

    ξ = (x − x₁)/ℓ in 0 … 1, ell the element's length [m], out (4,).
    """
    out[0] = 1.0 - xi * xi * (3.0 - 2.0 * xi)
    out[1] = ell * xi * (1.0 - xi) * (1.0 - xi)
    out[2] = xi * xi * (3.0 - 2.0 * xi)
    out[3] = ell * xi * xi * (xi - 1.0)


@njit(cache=True)
def hermite_x(xi, ell, out):
    """out = dN/dx at ξ; w′(x) = out · (w₁, w₁′, w₂, w₂′). Same arguments as ``hermite``."""
    out[0] = 6.0 * xi * (xi - 1.0) / ell
    out[1] = 1.0 + xi * (3.0 * xi - 4.0)
    out[2] = 6.0 * xi * (1.0 - xi) / ell
    out[3] = xi * (3.0 * xi - 2.0)


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
    xi = (x - stations[e]) / ell
    one = 1.0 - xi
    blend = xi * xi * (3.0 - 2.0 * xi)
    return (
        w[e] * (1.0 - blend) + w[e + 1] * blend + ell * xi * one * (w_x[e] * one - w_x[e + 1] * xi)
    )


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
    a = T / (30.0 * ell)
    b = EI / ell**3
    l2 = ell * ell
    out[0, 0] = 36.0 * a + 12.0 * b
    out[0, 1] = 3.0 * ell * a + 6.0 * ell * b
    out[0, 2] = -out[0, 0]
    out[0, 3] = out[0, 1]
    out[1, 1] = 4.0 * l2 * a + 4.0 * l2 * b
    out[1, 2] = -out[0, 1]
    out[1, 3] = -l2 * a + 2.0 * l2 * b
    out[2, 2] = out[0, 0]
    out[2, 3] = -out[0, 1]
    out[3, 3] = out[1, 1]
    for i in range(4):
        for j in range(i):
            out[i, j] = out[j, i]


@njit(cache=True)
def wire_mass(ell, mu, out):
    """out = ∫ μ N Nᵀ dx, the consistent mass of one element; out (4, 4) [kg, kg·m, kg·m²]."""
    c = mu * ell / 420.0
    l2 = ell * ell
    out[0, 0] = 156.0 * c
    out[0, 1] = 22.0 * ell * c
    out[0, 2] = 54.0 * c
    out[0, 3] = -13.0 * ell * c
    out[1, 1] = 4.0 * l2 * c
    out[1, 2] = 13.0 * ell * c
    out[1, 3] = -3.0 * l2 * c
    out[2, 2] = 156.0 * c
    out[2, 3] = -22.0 * ell * c
    out[3, 3] = 4.0 * l2 * c
    for i in range(4):
        for j in range(i):
            out[i, j] = out[j, i]


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
