"""Arrays of a time step of the linear solver, named once.

ns stations of nt tiles of 4 coordinates, nm masses of all pantographs, np pantographs, nw contact
wires in the window, nc = np·nw possible contacts (pantograph-major), ne stops and friction
elements, nd droppers, nu supports, m slots. Tables are arrays of records, one record per thing.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import config

Array = Any  # numpy.ndarray; numba knows the rest

U, V, A, CS = range(4)  # rows of State.q: displacement, velocity, acceleration, C s/C_u (Scheme)

#: one dropper: what it is, then how it does
DROPPER = np.dtype(
    [
        ("station", "i8"),
        ("dof", "i8", (4,)),  # top w, bottom w, top y, bottom y
        ("weight", "f8", (4,)),  # e = Σ weight · u: n_z, −n_z, n_y, −n_y
        ("k", "f8"),
        ("c", "f8"),
        ("N0", "f8"),  # stiffness, damping, static pull
        ("bilateral", "i8"),  # 1: it pushes as well and never slackens
        ("mode", "i8"),
        ("p", "f8"),  # correction of its pull over the taut one [N]
        ("e", "f8"),  # elongation from rest [m]
        ("e_free", "f8"),
        ("e_dot_free", "f8"),  # the same in the free answer of a step
        ("N", "f8"),
        ("N_min", "f8"),
        ("N_max", "f8"),  # pull [N]
        ("slack", "f8"),  # time slack so far [s]
        ("since", "f8"),  # moment it went slack [s]
        ("bows", "i8"),  # 1: it bows sideways (``bow``)
        ("bow", "f8", (3,)),  # b, ḃ, b̈
        ("bow_rest", "f8"),  # b_r [m]
        ("bow_mass", "f8"),  # m [kg]
        ("bow_drag", "f8"),  # c [N·s/m]
        ("bow_pull", "f8"),  # D [1/m]
        ("bow_bend", "f8"),  # E [N/m]
        ("bow_A", "f8"),
        ("bow_A1", "f8"),
        ("bow_B", "f8"),  # of the step
        ("bow_stored", "f8"),  # energy before the step [J]
    ],
    align=True,
)

#: one possible contact of one pantograph with one contact wire
CONTACT = np.dtype(
    [
        ("on", "i8"),  # 1: the wire is above the pantograph
        ("mode", "i8"),
        ("station", "i8"),
        ("weight", "f8", (4,)),  # −n of the wire's shape functions at the contact point
        ("z", "f8"),  # static height of the wire there [m]
        ("F", "f8"),  # force [N]
        ("g", "f8"),
        ("g_dot", "f8"),  # penetration [m] and its rate
        ("impact", "f8"),  # rate with which the present contact began [m/s]
        ("arm", "f8"),  # how far it is from the middle of a head that rolls, + to the left [m]
    ],
    align=True,
)

#: one stop or friction element of a pantograph
ELEMENT = np.dtype(
    [("kind", "i8"), ("k", "f8"), ("c", "f8"), ("gap", "f8"), ("mode", "i8"), ("force", "f8"), ("g", "f8")], align=True
)

#: one pantograph and its contact law
HEAD = np.dtype(
    [
        ("mass", "i8"),  # number of the mass that touches the wire
        ("roll", "i8"),  # 1 + number of the coordinate that is its roll; 0: it does not roll
        ("height", "f8"),  # of the wire, at which that mass's coordinate is zero [m]
        ("kind", "i8"),
        ("k", "f8"),
        ("c", "f8"),
        ("power", "f8"),
        ("chi", "f8"),
        ("impact", "f8"),
    ],
    align=True,
)

#: one contact wire of the window
PATH = np.dtype([("first", "i8"), ("last", "i8"), ("dof_w", "i8"), ("dof_y", "i8")], align=True)

#: one support
SUPPORT = np.dtype([("station", "i8"), ("dof", "i8"), ("uplift", "f8"), ("time", "f8")], align=True)

#: one unknown of the small system, see ``unilateral``
SLOT = np.dtype(
    [
        ("kind", "i8"),
        ("mode", "i8"),
        ("on", "i8"),
        ("ref", "i8"),
        ("station", "i8", (4,)),
        ("dof", "i8", (4,)),  # where the gap is felt …
        ("weight", "f8", (4,)),
        ("weight_x", "f8", (4,)),  # … with which weights and their derivatives along x
        ("k", "f8"),
        ("c", "f8"),
        ("N0", "f8"),
        ("power", "f8"),
        ("chi", "f8"),
        ("impact", "f8"),
        ("z", "f8"),
        ("z_x", "f8"),  # static height of the wire [m]
        ("arm", "f8"),
        ("arm_x", "f8"),  # of a contact on a head that rolls [m], and how it changes along x
        ("roll", "i8"),  # number of the coordinate that is that roll
        ("begin", "i8"),
        ("first", "i8"),
        ("last", "i8"),  # of its column in Work.X
        ("g_free", "f8"),
        ("g_dot_free", "f8"),
        ("g", "f8"),
        ("g_dot", "f8"),
        ("lam", "f8"),
        ("bow_rest", "f8"),
        ("bow_pull", "f8"),
        ("bow_A", "f8"),
        ("bow_A1", "f8"),
        ("bow_B", "f8"),  # of a dropper that bows, as in its record
    ],
    align=True,
)

if config.DISABLE_JIT:  # without the compiler a record gives its fields by name only if it is told to
    DROPPER, CONTACT, ELEMENT, HEAD, PATH, SUPPORT, SLOT = (
        np.dtype((np.record, table)) for table in (DROPPER, CONTACT, ELEMENT, HEAD, PATH, SUPPORT, SLOT)
    )


class Scheme(NamedTuple):
    """Generalized-α [Chung93] with constant step, unknown x = u_f.

        M a_m + C v_f + K u_f = f_f,   y_f = (1 − α_f) y₁ + α_f y₀,   y_m = (1 − α_m) y₁ + α_m y₀

    With x = u_f this is A x = f_f + M (M_u u₀ + M_v v₀ + M_a a₀) + C s, s = C_u u₀ + C_v v₀ + C_a a₀,
    A = M_u M + C_u C + K, and then u₁ = (x − α_f u₀)/(1 − α_f), v₁ = C_u (u₁ − u₀) + v_v v₀ + v_a a₀,
    a₁ = a_u (u₁ − u₀) + a_v v₀ + a_a a₀.
    """

    h: float  #: step [s]
    alpha_f: float
    alpha_m: float
    M_u: float
    M_v: float
    M_a: float
    C_u: float
    C_v: float
    C_a: float
    v_v: float
    v_a: float
    a_u: float
    a_v: float
    a_a: float
    lossless: bool  #: ρ∞ = 1: the trapezoidal rule, which needs no acceleration


class Far(NamedTuple):
    """Far spans as superelements (``superelement``): n of them, each of a kind with up to k modes and r coordinates
    at its masts; equal spans are of one kind. Modes and coordinates are filled up with zeros."""

    base: Array  #: (n,) place of its first mast's coordinates in a flat vector of the line; the other mast's follow
    kind: Array  #: (n,)
    first: Array  #: (n,) place of its first mode in ``LineState.eta``
    modes: Array  #: (kinds,) how many, zeros included
    row: Array  #: (kinds, r) coordinates of the masts that move it, from ``base``
    stiffness: Array  #: (kinds, k) Ω² [1/s²]
    c: Array  #: (kinds, k) [1/s]
    A_inv: Array  #: (kinds, k) 1/A
    yields: Array  #: (kinds, k) (M_u + C_u α)/A
    alpha: Array  #: (kinds,) α [1/s]
    pushed: Array  #: (kinds, r, k + 2 r) m of all modes the kind has, then P, then M_v M̃
    felt: Array  #: (kinds, r, k + 2 r) m, then C_b
    inertia: Array  #: (kinds, r, r) M̃
    springs: Array  #: (kinds, r, r) K_b


class LineArrays(NamedTuple):
    """The window's matrices without droppers and far spans, and the factors of the step's with them, all taut."""

    x: Array  #: (ns,) [m]
    M: Array  #: Paired
    C: Array  #: Paired
    K: Array  #: Paired
    F: Array  #: (ns, 2, nt, nt, 16) factors of A
    damped: bool  #: C is not zero
    path: Array  #: (nw,) PATH
    shape: Array  #: (nw, ns, 4) static z, z′, y, y′ of the contact wires
    gusts: Array  #: (k, ns·nt·4) loads on the wires, ``gust_steps`` apart, straight between; (0, 0): none [N, N·m]
    gust_steps: float  #: steps from one row of gusts to the next
    gust_first: int  #: step at which its first row acts
    far: Far


class TrainArrays(NamedTuple):
    """All pantographs as one small system of masses."""

    M: Array  #: (nm, nm)
    C: Array
    K: Array
    A_inv: Array
    head: Array  #: (np,) HEAD
    direction: Array  #: (ne, nm) gap of an element: direction · z − gap


class LineState(NamedTuple):
    """State from which a step starts; a checkpoint holds exactly this."""

    q: Array  #: (4, ns, nt, 4) u, v, a, C s/C_u
    flat: Array  #: (4, ns·nt·4) the same memory
    eta: Array  #: (3, modes) of far spans, one after the other: η, ρ, σ (``superelement``)
    z: Array  #: (3, nm) masses: position, velocity, acceleration
    drop: Array  #: (nd,) DROPPER
    contact: Array  #: (nc,) CONTACT
    element: Array  #: (ne,) ELEMENT
    support: Array  #: (nu,) SUPPORT
    ledger: Array  #: (len(LEDGER),) works since the start [J]


class Work(NamedTuple):
    """Scratch space."""

    q: Array  #: (4, ns, nt, 4) the new u, v, a, C s/C_u
    flat: Array  #: (4, ns·nt·4) the same memory
    s_flat: Array  #: (ns·nt·4,) the memory of s
    rhs_flat: Array
    s: Array  #: (ns, nt, 4)
    rhs: Array  #: (ns, nt, 4)
    z: Array  #: (3, nm) the new masses
    f: Array  #: (nm,)
    slot: Array  #: (m,) SLOT
    slot_of: Array  #: (nd,) slot, or −1
    count: Array  #: (1,) droppers that have a slot
    D: Array  #: (m, nm) masses' part of a slot's gap
    P: Array  #: (m, nm) A_inv D
    X: Array  #: (m, width, nt, 4) columns of A⁻¹ where not negligible
    S: Array  #: (m, m)
    R: Array  #: (m, m)
    A: Array  #: (m, m)
    r: Array  #: (m,)
    load: Array  #: (2, nt, 4)
    y: Array  #: (width, nt, 4)
    push: Array  #: (ns·nt·4,) what the wind does during a step, or (0,)
    far: Array  #: (3, modes + 2 r)
    masts: Array  #: (3, r) of one far span


class TrainWay(NamedTuple):
    """Motion of the train during a chunk of steps; row 0 is the state the chunk starts from."""

    position: Array  #: (steps + 1, np) [m]
    speed: Array  #: (steps + 1,) [m/s]
    uplift: Array  #: (steps + 1, nm) force on the masses [N]


class Ends(NamedTuple):
    """Absorbing ends of a moving window: d(u, v)/dt = … − σ(x − x_train) (u, v).

    Displacement and velocity fade alike, so that kinetic and potential energy do, and a string sends
    nothing back. σ = rate · ξ³, ξ from 0 to 1 over ``length``, beginning ``begin`` away from the train.
    """

    every: int  #: steps between two times it is applied; 0: never
    rate: float  #: [1/s]
    front_begin: float  #: before the first pantograph [m]
    front_length: float  #: [m]; infinite: the line really ends there
    rear_begin: float  #: behind the last pantograph [m]
    rear_length: float


NO_ENDS = Ends(0, 0.0, 0.0, np.inf, 0.0, np.inf)  #: the line is computed whole


class Record(NamedTuple):
    """Output of a chunk; row i is the chunk's step i + 1, samples and shapes at intervals."""

    contact: Array  #: (steps, nc, 4) force [N], height of the wire, lateral place, uplift there [m]
    masses: Array  #: (steps, nm) [m]
    energy: Array  #: (samples, len(ENERGIES) + len(LEDGER)) [J]
    support: Array  #: (samples, nu) uplift [m]
    dropper: Array  #: (samples, nd) [N]
    shape: Array  #: (shapes, ns, nt, 4) displacement of the whole window
    slack: Array  #: (events, 3) dropper, moment it went slack, moment it was taut again [s]
    events: Array  #: (1,) how many of them there are, even if there was no room for all


#: energies stored, and works done since the start; E − E(0) = Σ in − Σ out
ENERGIES = ("line_kinetic", "line_potential", "pantograph", "contact")
LEDGER = (
    "uplift",  # in: by the forces that lift the pantographs
    "train",  # in: by the train, which pulls the contact points along a sloping wire
    "line_damping",  # out
    "absorbed",  # out: waves that fade towards the ends of the window, or are left behind with it
    "droppers",  # out: their damping, and the quadrature over steps in which one goes slack or taut
    "pantograph_damping",  # out: dampers, stops, friction
    "contact_damping",  # out
    "numerical",  # out: by the integrator, zero for ρ∞ = 1
    "wind",  # in: by gusts on the wires
)
(W_UPLIFT, W_TRAIN, D_LINE, D_ABSORBED, D_DROPPERS, D_PANTOGRAPH, D_CONTACT, D_NUMERICAL, W_WIND) = range(9)
