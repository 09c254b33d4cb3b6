"""The pantograph at rest under the line: lever, height, idle spins."""

from dataclasses import replace

import numpy as np
import pytest

from panhead.engine.methods.rank import rank_report
from panhead.errors import ModelError
from panhead.railway.line import string
from panhead.railway.pantograph.linkage_pantograph import LinkagePantograph
from panhead.runs.cables.cable_wires import cables_of
from panhead.runs.cables.cables_statics import hang
from panhead.runs.cables.observers import static_forces

from .builders import DOWN, SPAN, line, run, short, strung, whole


def static_force(**how) -> float:
    return float(static_forces(whole(run(**how)))[0])


def test_contact_wire_is_level_at_its_droppers_and_where_it_is_held():
    places = line(held=True).places
    heights = [places[f"contact.{k}z"] for k in range(9, 19)]
    assert np.allclose(heights, 4.945, atol=2e-5)  # form finding stops at 1e-5 m


def test_droppers_carry_the_contact_wire():
    """Their pulls at rest add up to its weight but for what its two ends carry, half a dropper's share each."""
    rest, wire = line(), strung().line.wires.contact
    weight = wire.mu * 9.81 * 4 * SPAN
    share = weight / (4 * 9)  # nine equal pieces a span; masts carry nothing here
    assert sum(rest.dropper_forces.values()) == pytest.approx(weight - share, rel=5e-3)  # both ends are stiff


def test_uplift_raises_the_static_force_by_the_printed_lever():
    """357.7 N between the two uplifts in print; at the height of the pan-head in print, where the wire is held."""
    low, high = (static_force(held=True, x=SPAN, uplift=u) for u in (1521.0, 3042.0))
    assert high - low == pytest.approx(357.7, rel=0.02)


def test_lifting_the_wire_costs_force():
    """The arms push less the higher they stand, so mid-span, where the wire yields, the force is smaller."""
    at_mast, middle = (static_force(held=True, x=x, uplift=3042.0) for x in (SPAN, 1.5 * SPAN))
    assert middle < at_mast - 5.0


def test_a_positive_moment_raises_the_head():
    less, more = (static_force(moment=m) for m in (0.0, 100.0))
    assert more - less == pytest.approx(34.6, rel=0.03)  # 0.346 N for each N·m, by the linkage


def test_rank_report_names_the_idle_spins_of_the_links():
    system = LinkagePantograph(linkage="cx-six-bodies").model(stations=False).system()
    report = rank_report(system, system.start.q)
    assert report.freedoms == 4  # raising, the head on its springs, two spins
    for link in ("lower link", "upper link"):
        assert any(link in sentence for sentence in report.free)
    assert report.redundant == ()


def test_a_joint_under_a_staggered_wire_is_refused():
    aside = replace(short(), support=replace(short().support, stagger=0.2))
    with pytest.raises(ModelError, match=r"contact\.kind = 'linear'"):
        whole(replace(run(), line=aside))


def test_elements_beside_masts_can_be_cut_finer():
    """The shortest touch the mast, droppers keep their places, and the line hangs as before."""
    plain, graded = (cables_of(strung(), element_length=6.25, mast_elements=n) for n in (1, 4))
    x = np.array([p[0] for p in graded.contact.nodes])
    mast = int(np.flatnonzero(np.isclose(x, 56.25))[0])
    assert np.allclose(np.diff(x[mast : mast + 6]), 6.25 * np.array([1 / 8, 1 / 8, 1 / 4, 1 / 2, 1]))
    assert np.allclose(np.diff(x[mast - 5 : mast + 1]), 6.25 * np.array([1, 1 / 2, 1 / 4, 1 / 8, 1 / 8]))
    one, other = hang(plain, DOWN).places, hang(graded, DOWN).places
    for k, (at, _, _) in enumerate(plain.contact.nodes):
        twin = int(np.flatnonzero(np.isclose(x, at))[0])
        # heights are met to 1e-5 m at droppers; at masts the finer wire sags a little more beside its clamp
        assert other[f"contact.{twin}z"] == pytest.approx(one[f"contact.{k}z"], abs=2e-4)
    with pytest.raises(ModelError, match="at least 1"):
        cables_of(strung(), element_length=6.25, mast_elements=0)


def test_a_tauter_line_yields_less():
    """Six times the tension, a sixth of the sag w L² / 8T; 2 %: tensions are met on average, not everywhere."""
    deepest = []
    for factor in (1.0, 6.0):
        described = strung().line
        wires = described.wires
        taut = replace(
            wires,
            contact=replace(wires.contact, tension=factor * wires.contact.tension),
            messenger=replace(wires.messenger, tension=factor * wires.messenger.tension),
        )
        cables = cables_of(string(replace(described, wires=taut)), element_length=6.25, bilateral=True, straight=True)
        places = hang(cables, DOWN).places
        deepest.append(4.945 - min(z for n, z in places.items() if _height_of_contact(n)))
    assert deepest[0] / deepest[1] == pytest.approx(6.0, rel=0.02)


def _height_of_contact(name: str) -> bool:
    return name.startswith("contact.") and name.endswith("z") and "'" not in name
