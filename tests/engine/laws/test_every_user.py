"""Every user of a law gives what the law gives: models of CasADi, compiled kernels, plain numbers."""

from dataclasses import replace

import casadi as ca
import numpy as np
import pytest
from numba import njit

from panhead.engine.bodies import Cable, PointMass, RigidBody, ground
from panhead.engine.forces import Bearing, LineBetween, Slide, SlidingContact, Stop, TensionOnly
from panhead.engine.forces.tabulated_function import Table
from panhead.engine.jit.compiler import whole
from panhead.engine.kernels import compiled_laws as compiled
from panhead.engine.laws import contact, hermite, unilateral_spring
from panhead.engine.laws.alpha_coefficients import coefficients
from panhead.engine.laws.casadi_columns import hermite as hermite_column
from panhead.engine.laws.ramp import smooth_ramp
from panhead.engine.methods.integrators import GeneralizedAlpha
from panhead.engine.multibody import Model
from panhead.engine.multibody.model_outputs import Observer
from panhead.engine.structures import beam_element
from panhead.engine.structures.sections import BeamMaterial, Section
from panhead.railway.line import linear_line, read_line, string
from panhead.railway.line.wire_elements import wire_at, wire_mass, wire_stiffness
from panhead.railway.vehicle import damping_from_restitution
from panhead.railway.vehicle.kernels.track_frame import hermite_at
from panhead.runs.cables.cable_wires import ONSET
from panhead.runs.coupled.contact_law import contact_force, stored_energy
from panhead.runs.coupled.line_terms import LineTerms
from panhead.runs.description import ContactLaw
from panhead.runs.linear.kernel_arrays import scheme
from panhead.runs.linear.step.dropper import _settle
from panhead.runs.linear.step.march import Slackenings
from panhead.runs.linear.step.step_arrays import DROPPER as DROPPER_RECORD
from panhead.runs.linear.step.step_arrays import SLOT
from panhead.runs.linear.step.unilateral import CONTACT, DROPPER, LANKARANI, STOP, solve_slots

K, C = 1e5, 1e4
STATES = [(-0.01, 0.2), (-0.01, -0.2), (1e-3, 0.02), (2e-3, -0.01), (1e-3, -0.02)]  # x [m], ẋ [m/s]
LAW = [float(unilateral_spring.tension(K * x, C * rate)) for x, rate in STATES]
OLD = dict(stiffness=K, damping=C)


def point(x: float, rate: float) -> PointMass:
    return PointMass(name="p", mass=1.0, position=(0.0, 0.0, 1.0 + x), velocity=(0.0, 0.0, rate))


def force_on_point(item, *bodies, along="p.z") -> float:
    """On the body p, at the start of a model without gravity."""
    system = Model(name="user", items=(*bodies, item), gravity=(0, 0, 0)).system()
    f = system.force(0.0, system.start.q, system.start.v, np.zeros(0))
    return float(f[system.place(along)])


def rope(x, rate, onset=0.0):
    p = point(x, rate)
    along = LineBetween(a=ground.at(), b=p.at())
    return -force_on_point(TensionOnly(name="f", along=along, rest=1.0, onset=onset, **OLD), p)


def stop(x, rate):
    p = point(x, rate)
    along = Slide(a=ground.at(), b=p.at())
    return -force_on_point(Stop(name="f", along=along, limit=1.0, side="upper", **OLD), p)


def bearing(x, rate):
    """A journal that has gone aside by a clearance of 2 cm and x."""
    p = RigidBody(name="p", mass=1.0, inertia=(1.0, 1.0, 1.0), position=(0.02 + x, 0.0, 0.0), velocity=(rate, 0.0, 0.0))
    held = Bearing(name="f", a=ground.at(), b=p.at(), clearance=0.02, **OLD)
    return -force_on_point(held, p, along="p.x")


def sliding(x, rate):
    """A straight wire that pushes down a point which has risen into it."""
    p = point(x, rate)
    wire = Cable(
        name="wire", nodes=((-1.0, 0.0, 1.0), (1.0, 0.0, 1.0)), slopes=((1.0, 0.0, 0.0),) * 2,
        mass_per_length=1.0, axial_stiffness=1e6, bending_stiffness=1.0, tension=100.0,
    )  # fmt: skip
    push = SlidingContact(name="f", point=p.at(), wire=wire.track(1.0), normal=(0.0, 0.0, -1.0), stiffness=K, damping=C)
    return -force_on_point(push, wire, p)


def expression(x, rate):
    e, v = ca.SX.sym("e"), ca.SX.sym("v")
    return float(ca.Function("N", [e, v], [unilateral_spring.tension(K * e, C * v)])(x, rate))


@njit
def _compiled_tension(elastic, viscous):
    return compiled.tension(elastic, viscous), compiled.engaged(elastic, viscous)


@whole
def _solve(slot, S, R, A, r):
    return solve_slots(1, slot, S, R, A, r)


def slot(kind, x, rate, preload=0.0):
    """One slot of the small system that nothing yields to: the force is the law's."""
    s = np.zeros(1, SLOT)
    s["kind"], s["on"], s["k"], s["c"], s["N0"] = kind, 1, K, C, preload
    s["g_free"] = s["g"] = x - preload / K
    s["g_dot_free"] = s["g_dot"] = rate
    assert _solve(s, np.zeros((1, 1)), np.zeros((1, 1)), np.zeros((1, 1)), np.zeros(1))
    return s


def kernel_dropper(x, rate):
    s = slot(DROPPER, x, rate, preload=86.0)
    return float(s["lam"][0] + 86.0 + K * s["g"][0] + C * rate)


@whole
def _settled(d, e, e_dot, record):
    _settle(d[0], 0, e, e_dot, 0.0, record)


def settled(x, rate):
    """A dropper of the linear line at a new elongation; its record starts slack."""
    d = np.zeros(1, DROPPER_RECORD)
    d["k"], d["c"], d["N0"] = K, C, 86.0
    _settled(d, x - 86.0 / K, rate, Slackenings(np.zeros((2, 3)), np.zeros(1, np.int64)))
    return float(d["N"][0])


def coupled_line(x, rate):
    """All droppers of a line as sparse matrices, moved alike; its own stiffness and damping set to ours."""
    terms = _TERMS
    u = np.linalg.lstsq(terms.B.toarray(), x - terms.N0 / K, rcond=None)[0]
    v = np.linalg.lstsq(terms.B.toarray(), np.full(terms.N0.size, rate), rcond=None)[0]
    N, _ = terms.pull(u, v)
    assert np.ptp(N) < 1e-6
    return float(N[0])


def _line_terms() -> LineTerms:
    terms = LineTerms(linear_line(string(read_line("ancf-simple")), element_length=6.25, spans=(0, 1)))
    terms.k, terms.c = np.full_like(terms.k, K), np.full_like(terms.c, C)
    return terms


_TERMS = _line_terms()


def watched(x, rate):
    """What a run of cables writes down."""
    p = point(x, rate)
    rope = TensionOnly(name="f", along=LineBetween(a=ground.at(), b=p.at()), rest=1.0, onset=ONSET, **OLD)
    system = Model(name="user", items=(p, rope), gravity=(0, 0, 0)).system()
    return float(Observer(system, ["f.force"]).at(0.0, system.start.q, system.start.v)[0])


def line_contact(x, rate):
    return contact_force(ContactLaw(**OLD), x, rate, 0.05)[0]


USERS = {
    "array": lambda x, rate: float(unilateral_spring.tension(np.array([K * x]), np.array([C * rate]))[0]),
    "expression": expression,
    "compiled": lambda x, rate: _compiled_tension(K * x, C * rate)[0],
    "TensionOnly": rope,
    "TensionOnly with an onset": lambda x, rate: rope(x, rate, onset=ONSET),
    "Stop": stop,
    "Bearing": bearing,
    "SlidingContact": sliding,
    "slot of a contact": lambda x, rate: float(slot(CONTACT, x, rate)["lam"][0]),
    "slot of a stop": lambda x, rate: float(slot(STOP, x, rate)["lam"][0]),
    "slot of a dropper": kernel_dropper,
    "dropper that settles": settled,
    "coupled line": coupled_line,
    "cables watched": watched,
    "contact of the coupled run": line_contact,
}


@pytest.mark.parametrize("user", USERS)
def test_dropper_law(user):
    """To 1e-6 N: stretches come as differences of metres, times 10⁵ N/m."""
    assert [USERS[user](x, rate) for x, rate in STATES] == pytest.approx(LAW, abs=1e-6)


def test_lankarani_nikravesh():
    law = ContactLaw(kind="lankarani-nikravesh", stiffness=3e6, restitution=0.6)
    chi = contact.hysteresis(0.6)
    inside = njit(lambda d, r, K, n, x, v: compiled.lankarani_nikravesh(d, r, K, n, x, v)[:3])
    for depth, rate in ((-1e-3, 0.1), (1e-3, 0.1), (2e-3, -0.05), (1e-3, -1.0)):
        numbers = depth, rate, 3e6, 1.5, chi, 0.2
        wanted = contact.lankarani_nikravesh(*numbers)
        assert contact_force(law, depth, rate, 0.2)[:3] == pytest.approx(wanted)
        assert inside(*numbers) == pytest.approx(wanted, rel=1e-14)
        assert stored_energy(law, depth) == contact.energy(depth, 3e6, 1.5)
    assert damping_from_restitution(0.6, 0.2) == pytest.approx(chi / 0.2)


def test_lankarani_nikravesh_in_the_small_system():
    """The answer of a contact that yields satisfies the law at its own depth and rate."""
    s = np.zeros(1, SLOT)
    s["kind"], s["on"], s["k"], s["power"], s["chi"], s["impact"] = (LANKARANI, 1, 3e6, 1.5, 0.48, 0.2)
    s["g_free"], s["g_dot_free"] = 2e-3, 0.1
    assert _solve(s, np.full((1, 1), 1e-6), np.full((1, 1), 1e-4), np.zeros((1, 1)), np.zeros(1))
    law = contact.lankarani_nikravesh(s["g"][0], s["g_dot"][0], 3e6, 1.5, 0.48, 0.2)[0]
    assert s["lam"][0] == pytest.approx(law, rel=1e-10)


def test_hermite_shapes():
    ell, nodal = 1.7, np.array([0.3, -1.2, 2.0, 0.7])
    stations, w, w_x = np.array([2.0, 2.0 + ell]), nodal[[0, 2]], nodal[[1, 3]]
    table = np.column_stack([w, w_x])
    inside = njit(lambda xi, ell: (compiled.shape(xi, ell), compiled.shape_x(xi, ell)))
    for xi in np.linspace(0.0, 0.99, 7):
        N, N_x = np.array(hermite.shape(xi, ell)), np.array(hermite.shape_x(xi, ell))
        columns = [np.array(ca.DM(hermite_column(xi * ell, ell, m))).ravel() for m in (0, 1)]
        for found in (inside(xi, ell), columns):
            assert np.array(found) == pytest.approx(np.array([N, N_x]), rel=1e-14, abs=1e-14)
        assert wire_at(2.0 + xi * ell, stations, w, w_x) == pytest.approx(N @ nodal)
        assert hermite_at(table, ell, 0, xi * ell) == pytest.approx((N @ nodal, N_x @ nodal))
    curve = Table(((0.0, 0.0), (1.0, 1.0), (2.0, 1.5)))
    t = ca.SX.sym("t")
    f = ca.Function("f", [t], [curve(t), ca.jacobian(curve(t), t)])
    ends = [float(x) for at in (0.0, 1.0) for x in f(at)]
    assert float(f(0.3)[0]) == pytest.approx(np.array(hermite.shape(0.3, 1.0)) @ ends)


def test_hermite_integrals():
    """A wire of tension 0 is the beam that ``structures`` has, in bending and in mass."""
    section = Section(area=2e-4, inertia_y=3e-9, inertia_z=4e-9, torsion=1e-9)
    steel = BeamMaterial(young=2e11, poisson=0.3, density=7800.0)
    K_e = wire_stiffness(1.7, 0.0, 2e11 * 4e-9)
    M_e = wire_mass(1.7, 7800.0 * 2e-4)
    v = np.ix_([1, 5, 7, 11], [1, 5, 7, 11])
    assert beam_element.stiffness(section, steel, 1.7)[v] == pytest.approx(K_e, rel=1e-13)
    thin = replace(section, inertia_y=1e-30, inertia_z=1e-30)
    assert beam_element.consistent_mass(thin, steel, 1.7)[v] == pytest.approx(M_e, rel=1e-13)


def test_smooth_ramp_of_numbers_arrays_and_expressions():
    x = np.array([-1.0, 0.2, 1.3, 2.0, 5.0])
    t = ca.SX.sym("t")
    f = ca.Function("f", [t], [smooth_ramp(t, 2.0)])
    for found in ([smooth_ramp(float(a), 2.0) for a in x], [float(f(a)) for a in x]):
        assert found == pytest.approx(smooth_ramp(x, 2.0), abs=1e-15)


@pytest.mark.parametrize("rho", [0.0, 0.7, 1.0])
def test_generalized_alpha(rho):
    alpha_m, alpha_f, gamma, beta = coefficients(rho)
    c, sc = GeneralizedAlpha(spectral_radius=rho).coefficients, scheme(1e-3, rho)
    assert (c.alpha_m, c.alpha_f, c.gamma, c.beta) == (alpha_m, alpha_f, gamma, beta)
    assert (sc.alpha_m, sc.alpha_f) == (alpha_m, alpha_f)
    assert sc.C_u == pytest.approx(gamma / beta / 1e-3)
