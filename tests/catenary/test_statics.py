"""The pantograph at rest under the line: lever, height, idle spins."""

import numpy as np
import pytest

from panhead.errors import ModelError
from panhead.methods.rank import rank_report
from panhead.multibody import Model
from panhead.pantograph.cx import CxPantograph, carriage
from panhead.run.solvers.cables.assembly import GRAVITY
from panhead.run.solvers.cables.statics import hung
from panhead.run.solvers.cables.wires import cables_of

from .builders import SPAN, line, made, strung


def test_contact_wire_is_level_at_its_droppers_and_where_it_is_held():
    places = line(held=True).places
    heights = [places[f"contact.{k}z"] for k in range(9, 19)]
    assert np.allclose(heights, 4.945, atol=2e-5)  # form finding stops at 1e-5 m


def test_uplift_raises_the_static_force_by_the_printed_lever():
    """357.7 N between the two uplifts in print; at the height of the pan-head in print, where the wire is held."""
    low, high = (made(line(held=True), x=SPAN, uplift=u).static_force for u in (1521.0, 3042.0))
    assert high - low == pytest.approx(357.7, rel=0.02)


def test_lifting_the_wire_costs_force():
    """The arms push less the higher they stand, so mid-span, where the wire yields, the force is smaller."""
    at_mast, middle = (
        made(line(held=True), x=x, uplift=3042.0).static_force for x in (SPAN, 1.5 * SPAN)
    )
    assert middle < at_mast - 5.0


def test_a_positive_moment_raises_the_head():
    less, more = (made(line(), moment=m).static_force for m in (0.0, 100.0))
    assert more - less == pytest.approx(34.6, rel=0.03)  # 0.346 N for each N·m, by the linkage


def test_rank_report_names_the_idle_spins_of_the_links():
    model = Model(
        name="pantograph", items=CxPantograph().items(carriage(0.0), 0.0), gravity=(0, 0, -9.81)
    )
    system = model.system()
    report = rank_report(system, system.start.q)
    assert report.freedoms == 4  # raising, the head on its springs, two spins
    for link in ("lower link", "upper link"):
        assert any(link in sentence for sentence in report.free)
    assert report.redundant == ()


def test_a_pantograph_off_the_wire_is_told_where_the_wire_is():
    with pytest.raises(ModelError, match="reaches from"):
        made(line(), x=1000.0)


def test_elements_beside_masts_can_be_cut_finer():
    """The shortest touch the mast, droppers keep their places, and the line hangs as before."""
    plain, graded = (cables_of(strung(), element_length=6.25, mast_elements=n) for n in (1, 4))
    x = np.array([p[0] for p in graded.contact.nodes])
    mast = int(np.flatnonzero(np.isclose(x, 56.25))[0])
    assert np.allclose(
        np.diff(x[mast : mast + 6]), 6.25 * np.array([1 / 8, 1 / 8, 1 / 4, 1 / 2, 1])
    )
    assert np.allclose(
        np.diff(x[mast - 5 : mast + 1]), 6.25 * np.array([1, 1 / 2, 1 / 4, 1 / 8, 1 / 8])
    )
    one, other = hung(plain, GRAVITY).places, hung(graded, GRAVITY).places
    for k, (at, _, _) in enumerate(plain.contact.nodes):
        twin = int(np.flatnonzero(np.isclose(x, at))[0])
        # heights are met to 1e-5 m at droppers; at masts the finer wire sags a little more beside its clamp
        assert other[f"contact.{twin}z"] == pytest.approx(one[f"contact.{k}z"], abs=2e-4)
    with pytest.raises(ModelError, match="at least 1"):
        cables_of(strung(), element_length=6.25, mast_elements=0)
