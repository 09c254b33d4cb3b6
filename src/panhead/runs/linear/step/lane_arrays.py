"""The arrays of runs in lanes, named once; sizes as in ``step/arrays``, L lanes, nf matrices (1 or L).

Where it says lanes, an element holds a number for each of them (``lanes``); where it says lanes or numbers, a number is
one that all of them share.
"""

from __future__ import annotations

from typing import NamedTuple

from panhead.runs.linear.step.step_arrays import Array


class LaneLine(NamedTuple):
    """Lines with the same mesh, in lanes."""

    x: Array  #: (ns,) [m]
    M: Array  #: Paired, lanes or numbers
    C: Array  #: Paired, lanes or numbers
    damped: bool  #: C is not zero
    F: Array  #: (ns, 2, nt, nt, 16) lanes or numbers: factors of A
    whole_F: Array  #: (nf, ns, 2, nt, nt, 16) the same for single columns
    path: Array  #: (nw,) PATH
    shape: Array  #: (L, nw, ns, 4) static z, z′, y, y′ of the contact wires
    station: Array  #: (nd,) of droppers, rising
    dof: Array  #: (nd, 4)
    weight: Array  #: (nd, 4) lanes
    k: Array  #: (nd,) lanes
    c: Array  #: (nd,) lanes
    N0: Array  #: (nd,) lanes
    before: Array  #: (ns + 1,) droppers at stations before this one
    lateral: bool  #: droppers also pull sideways
    viscous: bool  #: droppers have dampers
    bilateral: bool  #: droppers push as well and never slacken


class LaneTrain(NamedTuple):
    """``TrainArrays`` of every lane."""

    M: Array  #: (L, nm, nm)
    C: Array
    K: Array
    A_inv: Array
    head: Array  #: (L, np) HEAD
    direction: Array  #: (L, ne, nm)


class LaneWay(NamedTuple):
    """``TrainWay`` of every lane; a lane that ends before the others stands still."""

    position: Array  #: (steps + 1, L, np)
    speed: Array  #: (steps + 1, L)
    uplift: Array  #: (steps + 1, L, nm)
    steps: Array  #: (L,) of each lane


class LaneState(NamedTuple):
    """States of the lanes."""

    q: Array  #: (2, ns, nt, 4) lanes: u and v
    each_q: Array  #: (2, ns, nt, 4, L) the same memory
    z: Array  #: (L, 3, nm)
    drop: Array  #: (L, nd) DROPPER
    contact: Array  #: (L, nc) CONTACT
    element: Array  #: (L, ne) ELEMENT
    station: Array  #: (nu,) of supports
    dof: Array  #: (nu,)
    uplift: Array  #: (nu, L) largest uplift so far [m]
    uplift_time: Array  #: (nu, L) [s]
    status: Array  #: (L,) as ``step/active_set`` tells it
    done: Array  #: (L,) steps done


class LaneWork(NamedTuple):
    """Scratch space, that of ``Work`` for the active set of every lane."""

    y: Array  #: (ns + 2, nt, 4) lanes: the right side
    each_y: Array  #: (ns + 2, nt, 4, L) the same memory
    scratch: Array  #: (1, 4) lanes
    p: Array  #: (nd,) lanes: what droppers pull more than taut ones
    each_p: Array  #: (nd, L) the same memory
    marked: Array  #: (nd,) int8: droppers to be looked at, none between two uses
    loose: Array  #: (L, nd) droppers that may not pull in the free answer
    loose_count: Array  #: (L,)
    z: Array  #: (L, 3, nm)
    f: Array  #: (L, nm)
    slot: Array  #: (L, m) SLOT
    slot_of: Array  #: (L, nd)
    count: Array  #: (L, 1)
    slack: Array  #: (L, m) droppers that are not simply taut; those with a slot come first, in its order
    slack_count: Array  #: (L,)
    D: Array  #: (L, m, nm)
    P: Array
    X: Array  #: (L, m, width, nt, 4)
    S: Array  #: (L, m, m)
    R: Array
    A: Array
    r: Array  #: (L, m)
    load: Array  #: (2, nt, 4)
    column: Array  #: (width, nt, 4)


class SmallWork(NamedTuple):
    """Part of ``Work`` that the active set of one lane needs."""

    z: Array
    slot: Array
    slot_of: Array
    count: Array
    D: Array
    P: Array
    X: Array
    S: Array
    R: Array
    A: Array
    r: Array
    load: Array
    y: Array


class LaneSight(NamedTuple):
    """Part of the line that the active set of one lane needs."""

    x: Array
    F: Array
    path: Array
    shape: Array
