"""The contact law and its stiffness."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import fsolve

from panhead.errors import ModelError
from panhead.runs.coupled.contact_law import (
    contact_force,
    delivered_restitution,
    head_table,
    resting_height,
    stored_energy,
)
from panhead.runs.description import ContactLaw
from panhead.runs.hertz import HertzContact, hertz_stiffness

LAWS = [
    ContactLaw(stiffness=5e4, damping=30.0),
    ContactLaw(kind="lankarani-nikravesh", stiffness=3e6, restitution=0.6),
    ContactLaw(kind="lankarani-nikravesh", stiffness=3e6, restitution=0.9, exponent=2.0),
]
STEEL = dict(young_1=2.1e11, young_2=2.1e11)


@pytest.mark.parametrize("law", LAWS)
def test_slopes_are_those_of_the_force(law):
    h = 1e-7
    force = lambda d, r: contact_force(law, d, r, 0.2)[0]
    _, by_depth, by_rate, _ = contact_force(law, 2e-3, 0.05, 0.2)
    assert by_depth == pytest.approx((force(2e-3 + h, 0.05) - force(2e-3 - h, 0.05)) / (2 * h), rel=1e-6)
    assert by_rate == pytest.approx((force(2e-3, 0.05 + h) - force(2e-3, 0.05 - h)) / (2 * h), rel=1e-6)


@pytest.mark.parametrize("law", LAWS)
def test_it_never_pulls_and_needs_a_penetration(law):
    for depth, rate in ((-1e-3, 1.0), (0.0, 5.0), (1e-4, -50.0)):
        assert contact_force(law, depth, rate, 0.05)[0] == 0.0


@pytest.mark.parametrize("law", LAWS)
def test_what_is_stored_is_the_integral_of_the_elastic_force(law):
    area = quad(lambda d: contact_force(law, d, 0.0, 1.0)[3], 0.0, 2e-3)[0]
    assert stored_energy(law, 2e-3) == pytest.approx(area, rel=1e-9)


def test_delivered_restitution_solves_its_equation_and_ends_at_one():
    for e in (0.2, 0.5, 0.8, 0.99):
        chi, found = 0.75 * (1 - e * e), delivered_restitution(e)
        assert (1 + found) * chi == pytest.approx(math.log((1 + chi) / (1 - chi * found)), abs=1e-12)
        assert e < found < 1.0  # the law takes less than it promises
    assert delivered_restitution(1.0) == 1.0
    with pytest.raises(ModelError, match="restitution"):
        delivered_restitution(1.2)


def test_equal_crossed_cylinders_touch_as_a_sphere_on_a_plane():
    E = 2.1e11 / (2 * (1 - 0.3**2))
    found = hertz_stiffness(radius_1=0.01, radius_2=0.01, **STEEL)
    assert found == pytest.approx(4 / 3 * E * math.sqrt(0.01), rel=1e-12)
    assert hertz_stiffness(radius_1=0.01, radius_2=0.0100011, **STEEL) == pytest.approx(found, rel=1e-4)


@pytest.mark.parametrize("radii", [(0.006, 0.02), (0.006, 0.35)])
def test_crossed_cylinders_beside_hertz_own_integrals(radii):
    """A, B = ½/R and δ as integrals over the ellipse's confocal family, solved for the half axes."""
    F, E = 100.0, 2.1e11 / (2 * (1 - 0.3**2))
    c = 3 * F / (4 * math.pi * E)

    def integral(a, b, p):
        # s = a² tan²θ makes the range finite
        f = lambda th: (
            2 / (math.cos(th) ** 2 * math.sqrt((1 + math.tan(th) ** 2) * (b * b / (a * a) + math.tan(th) ** 2)))
            / p(a * a * math.tan(th) ** 2) / a
        )  # fmt: skip
        return c * quad(f, 0.0, math.pi / 2 - 1e-9, limit=200)[0]

    def missing(logs):
        a, b = np.exp(logs)
        return [
            integral(a, b, lambda s: a * a + s) * 2 * max(radii) - 1,
            integral(a, b, lambda s: b * b + s) * 2 * min(radii) - 1,
        ]

    guess = (F * math.sqrt(radii[0] * radii[1]) / E) ** (1 / 3)
    a, b = np.exp(fsolve(missing, np.log([1.5 * guess, 0.7 * guess]), xtol=1e-12))
    depth = integral(a, b, lambda s: 1.0)
    found = hertz_stiffness(radius_1=radii[0], radius_2=radii[1], **STEEL)
    assert found == pytest.approx(F / depth**1.5, rel=1e-6)
    assert hertz_stiffness(radius_1=radii[1], radius_2=radii[0], **STEEL) == pytest.approx(found)


def test_strips_at_one_height_share_the_force_as_the_wires_hang():
    law, wires = LAWS[1], (5.0, 5.0004)
    h = resting_height(law, wires, 157.0)
    shares = [contact_force(law, h - z, 0.0, 1.0)[0] for z in wires]
    assert sum(shares) == pytest.approx(157.0, rel=1e-9)
    assert shares[0] > shares[1] > 0.0


def test_a_strip_needs_a_stiffness():
    with pytest.raises(ModelError, match="stiffness"):
        head_table(ContactLaw(), 1)
    with pytest.raises(ModelError, match="radius_2"):
        hertz_stiffness(radius_1=0.01, radius_2=-1.0, **STEEL)


def test_radii_and_moduli_in_a_file_give_the_stiffness():
    """Equal radii and equal materials: a sphere on a plane, 4/3 E* √R."""
    steel = HertzContact(
        wire_radius=0.01, strip_radius=0.01, wire_young=2.1e11, strip_young=2.1e11, wire_poisson=0.3, strip_poisson=0.3
    )
    law = ContactLaw(kind="lankarani-nikravesh", hertz=steel)
    found = law.given_stiffness
    assert found == pytest.approx(4 / 3 * 2.1e11 / (2 * 0.91) * 0.1, rel=1e-12)
    assert head_table(law, 1)["k"][0] == found
    softer = replace(law, hertz=replace(steel, strip_young=1e10)).given_stiffness
    assert softer is not None
    assert softer < found


@pytest.mark.parametrize(
    "fields, match",
    [
        ({"kind": "linear"}, "lankarani-nikravesh"),
        ({"kind": "lankarani-nikravesh", "exponent": 1.2}, "exponent = 1.5"),
        ({"kind": "lankarani-nikravesh", "stiffness": 1e6}, "remove one of them"),
    ],
)
def test_hertz_is_refused_beside_another_stiffness_or_law(fields, match):
    with pytest.raises(ModelError, match=match):
        ContactLaw(hertz=HertzContact(), **fields)


def test_poisson_ratio_of_hertz_is_checked():
    with pytest.raises(ModelError, match="strip_poisson"):
        HertzContact(strip_poisson=0.7)
