"""The oracles of the multibody cases obey physics and agree with each other."""

import numpy as np
import pytest

from oracles import ancf, ancf_cases, multibody_reference, pendulum_on_beam, sliding_mass, spatial_rigid
from oracles import multibody_models as model

TABLE = multibody_reference.stored()


def bent_cable(dimension, seed=0):
    """A cable of four elements far from its straight shape."""
    cable = ancf.Cable(length=2.0, elements=4, line_mass=1.3, EA=900.0, EI=4.0, tension=30.0)
    q = cable.straight(np.eye(dimension)[0])
    return cable, q + 0.2 * np.random.default_rng(seed).standard_normal(q.shape)


@pytest.mark.parametrize("dimension", [2, 3])
def test_cable_force_is_minus_the_gradient_of_its_energy(dimension):
    cable, q = bent_cable(dimension)
    d = np.random.default_rng(1).standard_normal(q.shape)
    slope = cable.energy(q + 1e-30j * d).imag / 1e-30
    assert -np.sum(cable.force(q) * d) == pytest.approx(slope, rel=1e-12)


def test_cable_energy_is_the_same_after_a_rigid_motion():
    cable, q = bent_cable(3)
    R = spatial_rigid.rotation(np.array([0.3, -0.8, 0.4, 0.2]))
    moved = q @ R.T
    moved[:, 0] += [1.0, -2.0, 3.0]
    assert cable.energy(moved) == pytest.approx(cable.energy(q), rel=1e-12)
    np.testing.assert_allclose(cable.force(moved), cable.force(q) @ R.T, atol=1e-9)  # of 1e3 N


def test_clamped_bar_meets_the_published_numbers():
    """Converged and with four elements, to the digits they are printed with."""
    p = model.CANTILEVER
    exact = ancf_cases.elastica_tip(p, 1e-9)
    np.testing.assert_allclose(exact, [-0.508537304326, -1.207239854550], atol=2e-12)
    np.testing.assert_allclose(ancf_cases.cantilever_tip(p, 4), [-0.5074287, -1.2055337], atol=5e-8)


def power(rate, energy, s, h=1e-6):
    """dE/dt along the motion, by a central difference of the energy."""
    return (energy(s + h * rate) - energy(s - h * rate)) / (2 * h)


def shaken(s, size, seed):
    return s + size * np.random.default_rng(seed).standard_normal(s.size)


@pytest.mark.parametrize("p", [model.SLIDING_PLANAR, model.SLIDING_SPATIAL], ids=("2D", "3D"))
def test_sliding_mass_makes_no_energy(p):
    mass = sliding_mass.Model(p)
    s = np.append(mass.parabola(), np.zeros(mass.size + 1))
    s = shaken(s, 0.01, 2)
    s[mass.size], s[-1] = 7.3, 4.0
    rates = s[mass.size + 1 : -1].reshape(-1, p.dimension)
    rates[[0, -2]] = 0.0  # the ends are held
    e = mass.element(7.3)
    # terms of 1e5 W cancel; the difference quotient keeps ten digits of them
    assert power(mass.rate(s, e), lambda s: mass.energy(s, e), s) == pytest.approx(0.0, abs=1e-4)


def test_arms_on_the_beam_make_no_energy_but_a_vertical_reaction_does():
    for wrong in (False, True):
        beam = pendulum_on_beam.Model(vertical_only=wrong)
        s = beam.start()
        s[beam.nm] = 1.63
        s[beam.nm + 3 :] += 0.3
        found = power(beam.rate(s, 16), lambda s, beam=beam: beam.energy(s, 16), s)
        if wrong:
            assert abs(found) > 0.1
        else:
            assert found == pytest.approx(0.0, abs=1e-5)  # energies of 1e3 J: round-off/1e-6


def test_arms_start_in_equilibrium_under_the_largest_moment():
    """Only the hinge between the arms is out of balance, by m g l/2 = 98.1 N·m."""
    beam = pendulum_on_beam.Model()
    s = beam.start()
    _, h = beam.arms(s[beam.nm + 1 : beam.nm + 3], np.zeros(2))
    np.testing.assert_allclose(h, [0.0, -392.4, 0.0, -98.1], atol=1e-10)
    assert beam.deflection(s, 25) == pytest.approx(-392.4 * 125 / (192 * 590.1), rel=1e-9)


def test_table_of_the_arms_keeps_its_energy_and_its_point_on_the_beam():
    table = pendulum_on_beam.stored()
    np.testing.assert_allclose(table["energy"], table["energy"][0], rtol=1e-11)
    # at x = 2.5 the sliding point is the middle node
    assert table["y"][0] == pytest.approx(table["w25"][0], abs=1e-12)


ROADS = [
    pytest.param(case, id=f"{name} {label}".strip())
    for name, entry in TABLE.items()
    for label, case in ([("", entry)] if "exudyn" in entry else entry.items())
    if isinstance(case, dict) and "exudyn" in case
]


@pytest.mark.parametrize("case", ROADS)
def test_both_roads_lead_to_one_answer(case):
    """Within twice the errors that the roads find in themselves, and the table's rounding."""
    mine = case.get("own") or case["closed"]
    for name, other in case["exudyn"].items():
        allowed = 2 * (mine[name]["error"] + other["error"]) + 1e-10
        np.testing.assert_allclose(other["value"], mine[name]["value"], atol=allowed, err_msg=name)


RECOMPUTED = [
    ("chain", "3 links", lambda: spatial_rigid.chain(model.CHAINS[0], 1e-10)),
    *(
        ("spatial-slider-crank", p.joints, lambda p=p: spatial_rigid.slider_crank(p, 1e-8))
        for p in model.SPATIAL_SLIDER_CRANKS
    ),
    ("hooke-shaft", None, lambda: spatial_rigid.hooke(model.HOOKE_SHAFT, 1e-9)),
]


@pytest.mark.parametrize(("name", "label", "run"), RECOMPUTED)
def test_the_table_is_what_the_scripts_compute(name, label, run):
    entry = TABLE[name][label]["own"] if label else TABLE[name]["own"]
    for quantity, values in run().items():
        allowed = 20 * entry[quantity]["error"] + 1e-10
        np.testing.assert_allclose(values, entry[quantity]["value"], atol=allowed, err_msg=quantity)


def test_exudyn_still_answers_as_in_the_table():
    """The installed Exudyn, at one step: second order, 2.7e-5 m at 1 ms when the table was made."""
    pytest.importorskip("exudyn")
    from oracles import exudyn_rigid

    found = exudyn_rigid.chain(1e-3, model.CHAINS[0])
    expected = TABLE["chain"]["3 links"]["own"]["tip"]["value"]
    np.testing.assert_allclose(found["tip"], expected, atol=4e-5)


def test_force_jumps_at_element_borders_vanish_where_the_mesh_resolves_the_bend():
    """At S = 6 m, elements of 2, 1 and 0.5 m, √(EI/T) = 1 m: first order at the end."""
    entry = TABLE["sliding-mass-borders"]
    at = lambda n: dict(zip(*(entry[f"EI = 2000, {n} elements"][k]["value"] for k in ("border", "jump")), strict=True))[
        6.0
    ]
    coarse, middle, fine = (at(n) for n in (10, 20, 40))
    assert fine < 0.6 * middle < 0.6 * 0.7 * coarse
