"""Arrays of the backward sweep (``step_adjoint``), named once; sizes as in ``step_arrays``.

Several numbers are taken back at once, one in each of L lanes (``lanes``): what belongs to a number is in lanes, what
belongs to the run is shared. One number alone is plain: what is in lanes below are its numbers then.
"""

from __future__ import annotations

from typing import NamedTuple

from panhead.runs.linear.step.step_arrays import Array


class KeptSteps(NamedTuple):
    """The states of a stretch of steps; row 0 is the state before the first, and another follows every fading."""

    q: Array  #: (steps + 1, 3, ns, nt, 4) u, v, a
    flat: Array  #: (steps + 1, 3, ns·nt·4) the same memory
    z: Array  #: (steps + 1, 3, nm)
    contact: Array  #: (steps + 1, nc) CONTACT
    element: Array  #: (steps + 1, ne) ELEMENT
    drop: Array  #: (steps + 1, nd) DROPPER
    eta: Array  #: (steps + 1, 3, ·) of far spans, as ``LineState`` has them


class FarSpans(NamedTuple):
    """Far spans of a window as their modes (``railway/line/superelements``): n of them with up to k modes each."""

    base: Array  #: (n,) place of its first mast's coordinates in a flat vector of the line; the other mast's follow
    modes: Array  #: (n,) how many it has
    c: Array  #: (n, k) [1/s]
    A_inv: Array  #: (n, k) 1/A, A = M_u + C_u c + Ω²
    mass: Array  #: (n, 2·nt·4, k) m
    alpha: Array  #: (n,) of d = α m [1/s]
    free: Array  #: (n, 2·nt·4) bool: whether it moves with the modes at all
    kept: Array  #: (rows, 3, n, k) η, η̇, η̈ in the rows of ``KeptSteps``


class OutputCotangents(NamedTuple):
    """Cotangents ∂J/∂ of the records of a run, row n for step n + 1 of the stretch.

    All in lanes. A table of no columns: of that nothing is wanted.
    """

    force: Array  #: (steps, nc) by every contact force
    height: Array  #: (steps, nc) by the height of the wire over every contact
    support: Array  #: (steps, nu) by the uplift of every support
    dropper: Array  #: (steps, nd) by the force of every dropper


class Back(NamedTuple):
    """Adjoint of the state, and scratch of its shape; in lanes, but for ``flat`` views of the same memory."""

    q: Array  #: (3, ns, nt, 4) of u, v, a
    q_flat: Array  #: (3, ns·nt·4·L)
    z: Array  #: (3, nm)
    contact: Array  #: (nc,) of the forces
    element: Array  #: (ne,)
    drop: Array  #: (nd,) of the corrections
    impact: Array  #: (nc,) of the rates with which contacts began
    load: Array  #: (ns, nt, 4)
    load_flat: Array
    half: Array  #: (ns, nt, 4)
    tile: Array  #: (2, 4)
    eta: Array  #: (ns, nt, 4)
    past: Array  #: (⌈ns/SIDE⌉, steps, SIDE, nt, 4) η of every step of a stretch (``line``)
    f: Array  #: (nm,)
    eta_z: Array  #: (nm,)
    mu: Array  #: (m,)
    mu_each: Array  #: (m, L) the same memory
    far: Array  #: (3, n, k) of modes of far spans
    far_load: Array  #: (n, k)
    far_eta: Array  #: (n, k)
    far_moved: Array  #: (n, k) m · η of the masts
    far_past: Array  #: (steps, n, k) their η of every step of a stretch


class Slope(NamedTuple):
    """Derivatives ∂J/∂ of all coefficients of the equations, summed over all steps; in lanes."""

    M: Array  #: (ns, 3, nt, 8) of pairs that meet station i, the one before, the one behind
    C: Array
    K: Array
    M_rest: Array  #: (n,) of what does not fit pairs
    C_rest: Array
    K_rest: Array
    k: Array  #: (nd,) of droppers
    c: Array
    N0: Array
    weight: Array  #: (nd, 4) of the weights of droppers, by which they lean; (0, 4): not asked for
    shape: Array  #: (nw, ns, 4) of the static z and z′ of the contact wires
    x: Array  #: (ns,) of the places of stations, through the contact points between them
    M_train: Array  #: (nm, nm)
    C_train: Array
    K_train: Array
    uplift: Array  #: (all steps + 1, nm) of the lifting forces
    position: Array  #: (all steps + 1, np)
    speed: Array  #: (all steps + 1,)
    head: Array  #: (np, 6) height, stiffness, damping, exponent, χ and least impact speed of contacts
    element: Array  #: (ne, 3) stiffness (friction: force), damping (friction: speed), gap
    fading: Array  #: (1,) of ``Ends.rate``
