"""What every body, joint and force must obey, whatever it is."""

import casadi as ca
import numpy as np
import scipy.linalg

from engine.multibody.complex_step import Element, compiled
from panhead.engine.multibody import Model
from panhead.engine.roles import Body
from panhead.engine.rotations import about, matrix_of, spin_matrix


def elements(specimen, seed=1):
    """One element of every family of a specimen's model that the item under test wrote, at a random state."""
    key = (id(specimen), seed)
    if key not in _ELEMENTS:
        _ELEMENTS[key] = _elements(specimen, seed)
    return _ELEMENTS[key]


_ELEMENTS = {}


def _elements(specimen, seed):
    system = Model(name="law", items=(*specimen.others, specimen.item), gravity=specimen.gravity).system()
    random = np.random.default_rng(seed)
    q = system.start.q + 0.03 * random.uniform(-1, 1, system.nq)
    v, a = random.uniform(-1, 1, (2, system.nq))
    lam, u = random.uniform(-5, 5, system.nc), random.uniform(-5, 5, len(system.controls))
    found = [
        Element(system, f, 0.37, q, v, a, lam, u) for f in system.packed.families if specimen.item.name in f.owners
    ]
    assert found, "the item wrote no rows"
    return found


def close(found, expected, tolerance=1e-10):
    """To round-off of the largest entry: complex steps lose nothing."""
    scale = max(1.0, np.abs(expected).max(initial=0.0))
    np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance * scale)


def check_tangents(e):
    """M, D, K, compiled, against complex steps of the residual; the residual itself against the interpreter."""
    law, n = e.law, e.law.n
    close(compiled(law.residual, e.x)[:n], e.value(law.r))
    for part, c in (("a", (1, 0, 0)), ("v", (0, 1, 0)), ("q", (0, 0, 1))):
        close(e.tangent(c)[0], e.by(law.r, part))


def check_lagrange(e):
    """The residual from energies and powers: d/dt T_v − T_q + V_q − Q + rows + g_qᵀ lam, nothing derived.

    d/dt of T_v is a central difference of complex steps over 2e-4 s, improved once [Richardson]: error 1e-12.
    """
    law, terms = e.law, e.law.terms
    v, a = e.x[e.part["v"]], e.x[e.part["a"]]
    T, V = ca.SX(terms.kinetic), law.potential
    momentum = lambda: e.by(T, "v")[0]
    start = e.x.copy()

    def moved(h):
        e.x = start.copy()
        e.x[e.part["t"]] += h
        e.x[e.part["q"]] += h * v + h * h / 2 * a
        e.x[e.part["v"]] += h * a
        p = momentum()
        e.x = start
        return p

    if not T.is_zero():
        slope = lambda h: (moved(h) - moved(-h)) / (2 * h)
        r = (4 * slope(1e-4) - slope(2e-4)) / 3 - e.by(T, "q")[0] + e.by(V, "q")[0]
    else:
        r = e.by(V, "q")[0]
    for effort in terms.efforts:
        r = r - e.by(effort.flow, "v").T @ e.value(ca.vertcat(effort.effort))
    if terms.rows is not None:
        r = r + e.value(terms.rows)
    if law.m:
        r = r + e.by(law.g, "q").T @ e.x[e.part["lam"]]
    close(compiled(law.residual, e.x)[: law.n], r, 1e-8)


def check_constraint(e):
    """g_q, g_t and gamma, compiled, against complex steps of g and of ġ."""
    law, n, m = e.law, e.law.n, e.law.m
    v = e.x[e.part["v"]]
    G = e.tangent((0, 0, 0))[1]
    close(compiled(law.residual, e.x)[n:], e.value(law.g))
    close(G, e.by(law.g, "q"))
    rates = compiled(law.rates, e.x)
    close(rates[:m], e.by(law.g, "t")[:, 0])
    g_dot = law.g_q @ law.symbols.v + law.g_t
    close(-rates[m:], e.along(g_dot, [{"t": [1.0], "q": v}])[:, 0])


def check_power(e, *, gives_back=False):
    """d(T + V)/dt = v·r − v·rows − lam·ġ + drivers + controls − dissipated, and dissipated ≥ 0.

    On a motion r, rows and ġ are zero; here they are not, and the account must hold all the same.
    """
    law, terms = e.law, e.law.terms
    v, a, lam = (e.x[e.part[k]] for k in ("v", "a", "lam"))
    _, _, drivers, controls, dissipated = compiled(law.account, e.x)
    path = [{"t": [1.0], "q": v, "v": a}]
    E_dot = e.along(ca.SX(terms.kinetic) + law.potential, path)[0, 0]
    power = v @ compiled(law.residual, e.x)[: law.n] + drivers + controls - dissipated
    if terms.rows is not None:
        power -= v @ e.value(terms.rows)
    if law.m:
        power -= lam @ e.along(law.g, path)[:, 0]
    scale = max(1.0, abs(E_dot), abs(drivers), abs(controls), dissipated)
    assert abs(E_dot - power) < 1e-10 * scale
    assert gives_back or dissipated >= -1e-12 * scale


def turned(specimen, e):
    """The whole turned and moved, q′ = P q + c, v′ = P v, a′ = P a: P, c and the rotation."""
    axis = (0.0, 0.0, 1.0) if specimen.planar else (0.3, -1.0, 0.5)
    angle, shift = 1.1, np.array([2.0, -3.0, 0.0 if specimen.planar else 1.5])
    w, x, y, z = rotation = about(axis, angle)
    R, size = np.array(matrix_of(rotation)), 2 if specimen.planar else 3
    names = [e.system.coordinates[i].rsplit(".", 1) for i in e.places[: e.law.n]]
    blocks, c = [], []
    while len(c) < len(names):
        owner, last = names[len(c)]
        if owner == specimen.item.name and not isinstance(specimen.item, Body):
            blocks, c = [*blocks, np.eye(1)], [*c, 0.0]  # a relative coordinate
        elif last.startswith("w"):
            blocks, c = [*blocks, np.eye(1)], [*c, 0.0]  # a deformation seen from its own frame
        elif last == "angle":
            blocks, c = [*blocks, np.eye(1)], [*c, angle]
        elif last.endswith("e0"):
            product = [[w, -x, -y, -z], [x, w, -z, y], [y, z, w, -x], [z, -y, x, w]]
            blocks, c = [*blocks, np.array(product)], [*c, 0.0, 0.0, 0.0, 0.0]
        else:  # a place, or a slope of one
            blocks = [*blocks, R[:size, :size]]
            c = [*c, *(shift[:size] if "'" not in last else np.zeros(size))]
    return scipy.linalg.block_diag(*blocks), np.array(c), R


def check_invariance(specimen, e):
    """Energies and accounts unchanged, reactions turned with the bodies."""
    law = e.law
    P, c, R = turned(specimen, e)
    before = compiled(law.residual, e.x), compiled(law.account, e.x)
    labels = [n.rsplit(".", 1)[1] for n in e.row.constraints]
    B = np.eye(law.m)
    if labels[:2] == ["x", "y"]:  # equations in the world's axes turn too
        size = 3 if labels[:3] == ["x", "y", "z"] else 2
        B[:size, :size] = R[:size, :size]
    x = e.x.copy()
    x[e.part["q"]] = P @ x[e.part["q"]] + c
    for part in ("v", "a"):
        x[e.part[part]] = P @ x[e.part[part]]
    x[e.part["lam"]] = B @ x[e.part["lam"]]
    after = compiled(law.residual, x), compiled(law.account, x)
    close(after[1], before[1])
    close(after[0][: law.n], P @ before[0][: law.n])
    close(after[0][law.n :], B @ before[0][law.n :])


def check_momentum(specimen, e):
    """What acts between two bodies adds no force and no moment to the pair.

    The moment of Q_e on Euler parameters is R ½ L(e) Q_e, in the world's axes.
    """
    x = e.x.copy()
    names = [e.system.coordinates[i].rsplit(".", 1)[1] for i in e.places[: e.law.n]]
    first = e.part["q"].start
    starts = [k for k, name in enumerate(names) if name == "e0"]
    for k in starts:
        x[first + k : first + k + 4] /= np.linalg.norm(x[first + k : first + k + 4])
    x[e.part["a"]] = 0.0
    if [n.rsplit(".", 1)[1] for n in e.row.constraints][:2] == ["x", "y"]:
        # forces at two points that should be one: bring them together by moving the second body
        size, second = (2, 3) if specimen.planar else (3, 7)
        gap = compiled(e.law.residual, x)[e.law.n : e.law.n + size]
        x[first + second : first + second + size] -= gap
    Q, q = compiled(e.law.residual, x)[: e.law.n], x[e.part["q"]]
    if specimen.planar:
        F = Q[0:2] + Q[3:5]
        moment = sum(q[k] * Q[k + 1] - q[k + 1] * Q[k] + Q[k + 2] for k in (0, 3))
    else:
        F = sum(Q[k - 3 : k] for k in starts)
        moment = 0.0
        for k in starts:
            e_k = q[k : k + 4]
            L = np.array(ca.DM(spin_matrix(ca.DM(e_k))))
            moment = moment + np.cross(q[k - 3 : k], Q[k - 3 : k])
            moment = moment + np.array(matrix_of(e_k)) @ L @ Q[k : k + 4] / 2
    assert np.abs(Q).max() > 1e-3, "nothing acts: the test would see nothing"
    close(F, np.zeros_like(F), 1e-11 * max(1.0, np.abs(Q).max()))
    close(moment, np.zeros_like(moment), 1e-11 * max(1.0, np.abs(Q).max()))
