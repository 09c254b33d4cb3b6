"""The small system of a step: which slots it has, their columns of A⁻¹ and their mutual influence."""

from __future__ import annotations

from panhead.kernels.block_tridiagonal import column
from panhead.kernels.compiling import part
from panhead.kernels.laws import engaged, shape, shape_x
from panhead.kernels.unilateral import BOWED, CLOSED, DROPPER, LANKARANI, OPEN, solve_slots

OK, NO_ANSWER, TOO_MANY, NOT_FINITE = 0, 1, 2, 3
TINY = 1e-16  # columns are cut where they are this small a part of their peak: round-off


@part()
def _find_station(x, guess, stations):
    """The element that holds x, starting to look at ``guess``."""
    i = guess
    while i > 0 and x < stations[i]:
        i -= 1
    while i < stations.shape[0] - 2 and x >= stations[i + 1]:
        i += 1
    return i


@part()
def place_contact(line, q, x, s):
    """Put contact slot s under wire q at x: where it is, its weights −n and −n′, the static height."""
    path, at_rest = line.path[q], line.shape[q]
    if x < line.x[path.first] or x >= line.x[path.last]:
        s.on = 0
        return
    s.on = 1
    e = _find_station(x, s.station[0], line.x)
    ell = line.x[e + 1] - line.x[e]
    xi = (x - line.x[e]) / ell
    N, N_x = shape(xi, ell), shape_x(xi, ell)
    s.z, s.z_x = 0.0, 0.0
    for k in range(4):
        s.station[k] = e + (k >> 1)
        s.dof[k] = path.dof_w + (k & 1)
        s.z += N[k] * at_rest[s.station[k], k & 1]
        s.z_x += N_x[k] * at_rest[s.station[k], k & 1]
        s.weight[k], s.weight_x[k] = -N[k], -N_x[k]


@part()
def displacement(s, weight, u, base):
    """Σ weight · u at the coordinates of slot s; row k of u (…, nt, 4) is station base + k."""
    total = 0.0
    for k in range(4):
        total += weight[k] * u[s.station[k] - base, s.dof[k] >> 2, s.dof[k] & 3]
    return total


@part()
def take_column(F, i, w):
    """Column A⁻¹ D of slot i."""
    s = w.slot[i]
    for r in range(w.load.shape[1]):
        for k in range(4):
            w.load[0, r, k] = 0.0
            w.load[1, r, k] = 0.0
    for k in range(4):
        w.load[s.station[k] - s.station[0], s.dof[k] >> 2, s.dof[k] & 3] += s.weight[k]
    s.begin, s.first, s.last = column(F, s.station[0], w.load, TINY, w.y, w.X[i])


@part()
def _influence(i, j, speed, C_u, w):
    """S[i, j] and R[i, j]: what slot i feels of a unit force in slot j."""
    a, b = w.slot[i], w.slot[j]
    value, slope = 0.0, 0.0
    if b.first <= a.station[0] and a.station[3] < b.last:
        value = displacement(a, a.weight, w.X[j], b.begin)
        if a.kind <= LANKARANI:  # a contact point also moves along the wire
            slope = speed * displacement(a, a.weight_x, w.X[j], b.begin)
    for k in range(w.D.shape[1]):
        value += w.D[i, k] * w.P[j, k]
    w.S[i, j] = value
    w.R[i, j] = C_u * value + slope


@part()
def connect(m, i, speed, C_u, w):
    """Row and column i of the influence matrices of m slots."""
    for j in range(m):
        _influence(i, j, speed, C_u, w)
        if j != i:
            _influence(j, i, speed, C_u, w)


@part()
def give_slot(F, d, r, m, speed, C_u, w):
    """Give dropper r (record d) slot m, with its column and its influence on the slots before it."""
    s = w.slot[m]
    for k in range(4):
        s.station[k], s.dof[k], s.weight[k] = d.station, d.dof[k], d.weight[k]
    s.k, s.c, s.N0 = d.k, d.c, d.N0
    s.kind, s.ref, s.on = DROPPER, r, 1
    s.mode, s.lam = OPEN if d.mode == CLOSED else d.mode, d.p
    if d.bows == 1:
        s.kind = BOWED
        take_bow(d, s)
    s.g_free, s.g_dot_free = d.e_free, d.e_dot_free
    s.g, s.g_dot = s.g_free, s.g_dot_free
    for k in range(w.D.shape[1]):
        w.D[m, k], w.P[m, k] = 0.0, 0.0
    take_column(F, m, w)
    connect(m + 1, m, speed, C_u, w)
    w.slot_of[r] = m
    w.count[0] += 1


@part()
def take_bow(d, s):
    """Give slot s the bow of record d."""
    s.mode, s.bow_rest, s.bow_pull = CLOSED, d.bow_rest, d.bow_pull
    s.bow_A, s.bow_A1, s.bow_B = d.bow_A, d.bow_A1, d.bow_B


@part()
def empty_slots(w):
    """No dropper has a slot; those that need one get it in the next step."""
    w.count[0] = 0
    for r in range(w.slot_of.shape[0]):
        w.slot_of[r] = -1


@part()
def begin_contact(line, c, q, x, s):
    """Put contact slot s under wire q at x with what its record c remembers; returns whether it has a wire there."""
    place_contact(line, q, x, s)
    s.mode, s.lam, s.impact = c.mode, c.F, c.impact
    if s.on == 0:
        s.mode, s.lam, s.first, s.last, s.g_free, s.g_dot_free = OPEN, 0.0, 0, 0, 0.0, 0.0
    return s.on == 1


@part()
def contact_gap(head, s, speed, q1, z1):
    """Gap of contact slot s and its rate in the free answer q1, z1."""
    s.g_free = displacement(s, s.weight, q1[0], 0) + z1[0, head.mass] + head.height - s.z
    slope = displacement(s, s.weight_x, q1[0], 0) - s.z_x
    s.g_dot_free = displacement(s, s.weight, q1[1], 0) + z1[1, head.mass] + speed * slope


@part()
def open_contact(line, head, c, q, i, x, speed, q1, z1, w):
    """Fill slot i: a pantograph (record head) under wire q at x, with its gap in the free answer."""
    if begin_contact(line, c, q, x, w.slot[i]):
        take_column(line.F, i, w)
        contact_gap(head, w.slot[i], speed, q1, z1)


@part()
def roll_contact(line, train, roll, q, i, speed, q1, w):
    """Let the contact of slot i act on a head that rolls: its gap has y φ more, y where the wire crosses the head.

    The place y is that of the wire at rest and, with lateral motion, of the free answer; + φ lifts the left side.
    """
    s, at_rest, dof = w.slot[i], line.shape[q], line.path[q].dof_y
    s.arm = 0.0
    arm_x = 0.0
    if s.on == 1:
        for k in range(4):
            y = at_rest[s.station[k], 2 + (k & 1)]
            if dof >= 0:
                y += q1[0, s.station[k], dof >> 2, (dof & 3) + (k & 1)]
            s.arm -= s.weight[k] * y
            arm_x -= s.weight_x[k] * y
        s.g_free += s.arm * w.z[0, roll]
        s.g_dot_free += s.arm * w.z[1, roll] + speed * arm_x * w.z[0, roll]
    w.D[i, roll] = s.arm
    for k in range(w.P.shape[1]):
        w.P[i, k] = 0.0
        for j in range(w.P.shape[1]):
            w.P[i, k] += w.D[i, j] * train.A_inv[k, j]


@part()
def open_element(e, direction, z1, s):
    """Fill slot s of a stop or friction element."""
    s.mode, s.lam = e.mode, e.force
    s.g_free, s.g_dot_free = -e.gap, 0.0
    for j in range(z1.shape[1]):
        s.g_free += direction[j] * z1[0, j]
        s.g_dot_free += direction[j] * z1[1, j]


@part()
def would_slacken(d, C_u, m, w):
    """Whether dropper d, taken as taut, would not pull; a bilateral one then pushes."""
    if d.bilateral == 1:
        return False
    e, e_dot = d.e_free, d.e_dot_free
    for j in range(m):
        s = w.slot[j]
        if s.first <= d.station < s.last and s.lam != 0.0:
            share = 0.0
            for k in range(4):
                share += d.weight[k] * w.X[j, d.station - s.begin, d.dof[k] >> 2, d.dof[k] & 3]
            e -= share * s.lam
            e_dot -= C_u * share * s.lam
    return not engaged(d.N0 + d.k * e, d.c * e_dot)


@part()
def solve_small(line, sc, speed, nc, m0, drop, w):
    """Solve the small system, adding droppers until none pushes; returns (status, slots)."""
    m = m0 + w.count[0]
    for i in range(m0, m):
        s, d = w.slot[i], drop[w.slot[i].ref]
        s.mode, s.lam, s.g_free, s.g_dot_free = d.mode, d.p, d.e_free, d.e_dot_free
        if d.bows == 1:
            take_bow(d, s)
    for i in range(nc):
        connect(m, i, speed, sc.C_u, w)
    for i in range(m):
        w.slot[i].g, w.slot[i].g_dot = w.slot[i].g_free, w.slot[i].g_dot_free
    solved = False
    while True:
        before = m
        for r in range(drop.shape[0]):
            d = drop[r]
            if w.slot_of[r] < 0 and (
                d.mode != CLOSED or d.p != 0.0 or (solved and would_slacken(d, sc.C_u, before, w))
            ):
                if m >= w.slot.shape[0]:
                    return TOO_MANY, m
                give_slot(line.F, d, r, m, speed, sc.C_u, w)
                m += 1
        if solved and m == before:
            return OK, m
        if not solve_slots(m, w.slot, w.S, w.R, w.A, w.r):
            return NO_ANSWER, m
        solved = True
