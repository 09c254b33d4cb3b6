"""What mutants of this room showed to be untested."""

import numpy as np
import pytest
import xarray as xr

from panhead.assess.criteria import Criterion
from panhead.assess.filters import sampling_step
from panhead.assess.limits import Limit
from panhead.assess.side_by_side import VariantFigures, judged_part
from panhead.assess.site import judged_window, site_of
from panhead.assess.wear import WearLaw
from panhead.errors import ModelError


@pytest.mark.parametrize(
    "value, limit, digits",
    [(100.0, 200.0, 4), (175.61, 175.6, 5), (175.6001, 175.6, 7), (1.0, 1.0, 4), (np.nan, 1.0, 4)],
)
def test_as_many_figures_as_tell_value_and_limit_apart(value, limit, digits):
    assert Criterion(key="k", name="n", value=value, unit="N", limit=limit).digits == digits


def test_times_that_are_no_samples():
    for times in (np.zeros((3, 3)), np.array([0.0, 1.0])):
        with pytest.raises(ModelError, match="at least three samples"):
            sampling_step(times)
    far = 1e9 + 1e-3 * np.arange(5)  # the clock's own rounding, 1e-7 s, is no unequal step
    assert sampling_step(far) == pytest.approx(1e-3, rel=1e-3)


def test_a_limit_holds_at_its_own_speed_whoever_divided():
    limit = Limit(quantity="uplift", bound="upper", value=0.1, up_to=200 / 3.6, clause="1", status="quoted")
    assert limit.holds(200 / 3.6 * (1 + 1e-12), "25 kV AC")
    assert not limit.holds(200 / 3.6 + 1e-6, "25 kV AC")


def test_cuts_beside_the_first_variant():
    values = dict.fromkeys(("mean", "filtered", "largest", "smallest", "loss"), 1.0)
    figures = lambda deviation, published, first: VariantFigures(
        variant="v", pantograph="p", verdict="met", deviation=deviation, estimate=2 * deviation, published=published,
        first=first, **values,
    )  # fmt: skip
    first = figures(40.0, (100.0, 50.0), None)
    other = figures(30.0, (100.0, 20.0), first)
    assert (other.cut, other.estimate_cut, other.published_cut) == pytest.approx((0.25, 0.25, 0.6))
    assert first.published_cut is None


def test_heights_over_the_line_through_the_supports_and_judged_supports():
    """On a wire that falls by 0.1 m a span, and 0.02 m below it at mid-span; the second support is not judged."""
    x = np.array([30.0, 90.0])
    one = xr.Dataset(
        {
            "contact_x": ("time", x),
            "contact_z": ("time", 5.0 - 0.1 * x / 60.0 - 0.02),
            "mast_x": ("mast", [0.0, 60.0, 120.0]),
            "mast_z": ("mast", [5.0, 4.9, 4.8]),
            "mast_y": ("mast", [0.2, -0.2, 0.2]),
            "span_overlap": ("span", [0, 1]),
            "support_uplift": ("support", [0.01, 0.09]),
            "support_judged": ("support", [1, 0]),
        }
    )
    site = site_of(one)
    assert site.contact_height == pytest.approx([-0.02, -0.02])
    assert site.contact_span.tolist() == [0, -1]
    assert site.contact_across == pytest.approx([0.0, 0.0])
    assert site.uplift.tolist() == [0.01]
    assert site_of(one.drop_vars("contact_x")).contact_across is None
    assert site_of(one.drop_vars("mast_z")).contact_span is None


def test_the_judged_part_has_both_its_ends_and_nothing_beside():
    """Without a part named it is the whole record."""
    one = xr.Dataset({"f": ("time", np.arange(11.0))}, {"time": 0.1 * np.arange(11)})
    assert judged_window(one) == (0.0, pytest.approx(1.0))
    named = one.assign_attrs(judged_from=0.2, judged_to=0.6)
    assert judged_part(named, "f").tolist() == [2.0, 3.0, 4.0, 5.0, 6.0]


def test_wear_of_a_strip_that_hardly_touches():
    """Half a newton rubs half as much as one, and no current flows."""
    law = WearLaw(friction_force=1.0)
    half, one = law.index(np.array([0.5, 1.0]), 0.0, np.array([80.0, 80.0]))
    assert half / one == pytest.approx(0.5)
