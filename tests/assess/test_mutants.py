"""What mutants of this room showed to be untested."""

import numpy as np
import pytest
import xarray as xr

from panhead.assess import Site, assess, judge
from panhead.assess.assessment_inputs import judged_window, site_of
from panhead.assess.criteria import Criterion
from panhead.assess.error_bars import CurveDifference, Repeat, curve_difference, with_error_bars
from panhead.assess.filters import sampling_step
from panhead.assess.limits import Limit
from panhead.assess.number_text import with_bar
from panhead.assess.variant_comparison import VariantFigures, judged_part, side_by_side
from panhead.assess.wear import WearLaw
from panhead.errors import ModelError


@pytest.mark.parametrize(
    "value, limit, digits",
    [
        (100.0, 200.0, 4),
        (175.61, 175.6, 5),
        (175.6001, 175.6, 7),
        (1.0, 1.0, 4),
        (np.nan, 1.0, 4),
        (np.nextafter(0.1, 1.0), 0.1, 17),
    ],
)
def test_as_many_figures_as_tell_value_and_limit_apart(value, limit, digits):
    assert Criterion(key="k", name="n", value=value, unit="N", limit=limit).digits == digits


@pytest.mark.parametrize(
    "value, limit, error, said",
    [
        (108.8637, 108.8, 0.0015, "108.86 ± 0.01"),  # was 108.9 ± 0.1, which reaches across 108.8
        (108.80155, 108.8, 0.00154, "108.80155 ± 0.00154"),
        (108.8637, 108.8, 0.07, "108.9 ± 0.1"),  # undecided, and so it looks
        (175.65, 175.55, 0.1001, "175.7 ± 0.2"),
        (120.0, 350.0, 3.3, "120.0 ± 3.3"),
    ],
)
def test_a_printed_bar_reaches_across_its_limit_only_if_the_bar_does(value, limit, error, said):
    c = Criterion(key="k", name="n", value=value, unit="N", limit=limit, error=error)
    assert with_bar(value, error, c.digits) == said
    shown, bar = map(float, said.split(" ± "))
    assert (abs(shown - limit) <= bar * (1 + 1e-9)) is (c.verdict == "undecided")


def test_bars_and_limits_drawn_at_random_say_in_print_what_they_are():
    """Log-uniform distances and bars beside a limit of four figures."""
    rng = np.random.default_rng(6)
    for _ in range(3000):
        limit = round(rng.uniform(1, 400), 2)
        value, error = limit + rng.choice([-1, 1]) * 10 ** rng.uniform(-5, 1), 10 ** rng.uniform(-6, 1)
        c = Criterion(key="k", name="n", value=value, unit="N", limit=limit, error=error)
        shown, bar = map(float, with_bar(value, error, c.digits).replace("−", "-").split(" ± "))
        assert (abs(shown - limit) <= bar * (1 + 1e-6)) is (c.verdict == "undecided"), (value, limit, error)


def test_times_that_are_no_samples():
    for times in (np.zeros((3, 3)), np.array([0.0, 1.0])):
        with pytest.raises(ModelError, match="at least three samples"):
            sampling_step(times)
    with pytest.raises(ModelError, match=r"at 0\.2 s the step is 0\.01 s"):  # a short one is as wrong as a long one
        sampling_step(np.array([0.0, 0.1, 0.2, 0.21, 0.31, 0.41]))
    far = 1e9 + 1e-3 * np.arange(5)  # the clock's own rounding, 1e-7 s, is no unequal step
    assert sampling_step(far) == pytest.approx(1e-3, rel=1e-3)


def test_a_limit_holds_at_its_own_speed_whoever_divided():
    limit = Limit(quantity="uplift", bound="upper", value=0.1, up_to=200 / 3.6, clause="1", status="quoted")
    assert limit.holds(200 / 3.6 * (1 + 1e-12), "25 kV AC")
    assert not limit.holds(200 / 3.6 + 1e-6, "25 kV AC")


def test_cuts_beside_the_first_variant():
    values = dict.fromkeys(("largest", "smallest", "loss"), 1.0)
    figures = lambda deviation, published, first: VariantFigures(
        variant="v", pantograph="p", verdict="met", deviation=deviation, estimate=2 * deviation, published=published,
        first=first, mean=200 - deviation, filtered=0.5 * deviation, **values,
    )  # fmt: skip
    first = figures(40.0, (100.0, 50.0), None)
    other = figures(30.0, (100.0, 20.0), first)
    assert (other.cut, other.estimate_cut, other.published_cut) == pytest.approx((0.25, 0.25, 0.6))
    assert (other.moved, other.change) == pytest.approx((10 / 160, -0.25))
    assert (first.published_cut, first.estimate_cut, first.moved, first.change) == (None,) * 4


def test_heights_over_the_line_through_the_supports_and_judged_supports():
    """On a wire that falls by 0.1 m a span, and 0.02 m below it; the second support is not judged, nor the overlap."""
    x = np.array([30.0, 90.0, 120.0])
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
    assert site.contact_height == pytest.approx([-0.02, -0.02, -0.02])
    assert site.contact_span.tolist() == [0, -1, -1]  # at the last mast it is still in the last span
    assert site.contact_across == pytest.approx([0.0, 0.0, 0.2])
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


def test_wear_by_hand():
    """Twice the current at half the speed: 0.6 · 1.5^−½ + 0.4 · 4 · 2, and without contact 20 · 2 · 2."""
    worn = WearLaw().index(np.array([120.0, 0.0]), 1000.0, np.array([27.5, 27.5]))
    assert worn == pytest.approx([0.6 / np.sqrt(1.5) + 3.2, 80.0], rel=1e-14)


def test_space_for_uplift_in_words():
    assert (
        found(100 + 0 * TIMES, uplift=np.array([0.05]), uplift_space=0.13)["uplift_space_factor"].note == "space 130 mm"
    )


TIMES = 1e-3 * np.arange(1000)


def found(force, times=TIMES, **site):
    return {c.key: c for c in assess(np.asarray(force), times, 50.0, site=Site(**site))}


def test_the_largest_force_is_placed_where_it_is_after_the_filter_and_without_its_lag():
    """A hump of 60 N at 0.5 s beside a spike of one sample; a record too short to be filtered so is judged too."""
    force = 100.0 + 60.0 * np.exp(-(((TIMES - 0.5) / 0.05) ** 2)) + 100.0 * (TIMES[200] == TIMES)
    assert found(force)["actual_max"].time == pytest.approx(0.5, abs=2e-3)
    assert found(np.append(np.full(11, 100.0), 120.0), TIMES[:12])["actual_max"].time == TIMES[11]
    assert found(np.append(np.full(12, 100.0), 120.0), TIMES[:13])["actual_max"].value > 100.0


def test_deviation_over_a_mean_that_is_small_or_none():
    swing = np.sin(2 * np.pi * 2.0 * TIMES)
    assert found(0.5 + swing)["deviation_ratio"].value == pytest.approx(np.sqrt(2.0), rel=0.05)
    assert found(-0.5 + swing)["deviation_ratio"].value == np.inf


def test_losses_in_words():
    """12 ms and 4 ms at 50 m/s; the longer one gives the place."""
    force = np.full(1000, 100.0)
    force[100:104] = force[500:512] = 0.0
    loss = found(force, contact_place=50.0 * TIMES)["contact_loss"]
    assert loss.note == "2 losses, 16 ms, 0.8 m in all"
    assert (loss.time, loss.place) == pytest.approx((0.5, 25.0))


@pytest.mark.parametrize(
    "spans, amplitude, of", [([5, 3, 2], 0.03, 2), ([3, 2, 2], 0.01, 1), ([2, 2, 2], 0.05, 3)], ids=str
)
def test_the_amplitude_is_that_of_spans_with_three_samples_if_there_is_one(spans, amplitude, of):
    """Ranges of 10, 30 and 50 mm in spans that are passed in so many samples."""
    span = np.repeat([0, 1, 2], spans)
    first = np.append(True, np.diff(span) > 0)
    height = 5.0 + np.where(first, 0.0, np.array([0.01, 0.03, 0.05])[span])
    site = {"contact_height": height, "contact_span": span}
    got = found(np.full(span.size, 100.0), TIMES[: span.size], **site)["amplitude"]
    assert got.value == pytest.approx(amplitude)
    assert f"largest of {of}," in got.note
    assert "overlaps" not in got.note
    site["contact_span"] = np.where(span == 2, -1, span)
    got = found(np.full(span.size, 100.0), TIMES[: span.size], **site)["amplitude"]
    assert "overlaps left out" in got.note or (got.unjudged and max(spans) < 3)


def record(force):
    return xr.Dataset({"contact_force": ("time", force)}, {"time": TIMES})


def test_curves_of_a_small_swing_and_of_none():
    """A swing of ± 0.5 N beside its half is off by half of it; where nothing swings nothing is off."""
    swing = 0.5 * np.sin(2 * np.pi * 2.0 * TIMES)
    assert curve_difference(record(100 + swing), record(100 + 0.5 * swing)).share == pytest.approx(0.5, rel=1e-6)
    assert curve_difference(record(100 + 0 * TIMES), record(101 + 0 * TIMES)).share == 0.0


@pytest.mark.parametrize("mean, bar", [(0.5, 0.21 * 2.0 / 0.5 / 3.0), (-1.0, np.inf)])
def test_a_bar_over_a_mean_that_is_small_or_none(mean, bar):
    units = {"mean_force": "N", "deviation_ratio": "1", "statistical_max": "N"}
    given = [Criterion(key=key, name=key, value=mean, unit=unit) for key, unit in units.items()]
    apart = CurveDifference(force=2.0, mean=0.1, slow=0.2, share=0.2)
    bars = {c.key: c.error for c in with_error_bars(given, Repeat(2.0, given, apart))}
    assert bars["deviation_ratio"] == pytest.approx(bar)
    assert bars["statistical_max"] == pytest.approx(0.63 * 2.0 / 3.0)


def test_bars_by_two_meshes_and_by_three():
    """A finer repeat tells the difference itself, times 4/3: by 3 with two meshes, by 1.25 if three show the order."""
    one, other = (Criterion(key="deviation", name="σ", value=x, unit="N") for x in (30.0, 30.3))
    apart = lambda force: CurveDifference(force=force, mean=0.0, slow=0.0, share=0.02 * force)
    finer = Repeat(0.5, [other], apart(1.5))
    bar = lambda *repeats: with_error_bars([one], *repeats)[0].error
    unseen = 0.1 * 0.21 * 1.5
    assert bar(finer) == pytest.approx(4.0 / 3.0 * (3.0 * 0.3 + unseen))
    assert bar(finer, Repeat(2.0, [one], apart(6.0))) == pytest.approx(4.0 / 3.0 * (1.25 * 0.3 + unseen))
    assert bar(finer, Repeat(2.0, [one], apart(1.6))) == bar(finer)  # hardly smaller on the finer mesh: no order


def test_an_estimate_without_its_actuator():
    """The estimate has no term for the actuator, whose force is taken out of it."""
    push, rest = 5.0 * np.cos(40 * TIMES), 7.0 * np.sin(9 * TIMES)
    one = xr.Dataset(
        {name: (("pantograph", "time"), x[None]) for name, x in
         (("contact_force", 100 + rest), ("force_estimate", rest + push), ("actuator_force", push))},
        {"time": TIMES, "pantograph": ["one"]}, {"speed": 50.0},
    )  # fmt: skip
    (figures,) = side_by_side(judge(one))
    assert figures.estimate == pytest.approx(rest.std(), rel=1e-12)


def test_an_uplift_without_a_support_and_an_amplitude_in_overlaps_are_shown_and_not_judged():
    got = found(np.full(1000, 100.0), uplift=np.array([]), uplift_space=0.13)
    for key in ("uplift", "uplift_space_factor"):
        assert (got[key].verdict, got[key].unjudged) == ("undecided", "no support is assessed")
        assert np.isnan(got[key].value)
    span = np.where(np.arange(1000) < 998, -1, 3)  # the last samples stand on the next mast
    got = found(np.full(1000, 100.0), contact_height=np.linspace(5.0, 5.01, 1000), contact_span=span)["amplitude"]
    assert (got.verdict, got.unjudged) == ("undecided", "only spans in overlaps are assessed")


def shaken(growth: float, *, judged: tuple[float, float], run_in_end: float = 0.0, masts=None) -> xr.Dataset:
    """Ten spans of 60 m at 50 m/s, or masts elsewhere; σ grows every 60 m."""
    times = 1e-3 * np.arange(12000)
    places = 50.0 * times
    force = 120.0 + 20.0 * growth ** (places // 60.0) * np.sin(2 * np.pi * 6 * places / 60.0)
    return judge(
        xr.Dataset(
            {
                "contact_force": (("pantograph", "time"), force[None]),
                "contact_x": (("pantograph", "time"), places[None]),
                "mast_x": ("mast", 60.0 * np.arange(11) if masts is None else masts),
            },
            {"time": times, "pantograph": ["one"]},
            {"speed": 50.0, "judged_from": judged[0] / 50, "judged_to": judged[1] / 50, "run_in_end": run_in_end},
        )
    )


@pytest.mark.parametrize(
    "growth, judged, run_in_end, said",
    [
        (1.0, (240.0, 360.0), 0.0, ""),
        (1.0, (240.0, 360.0), 320.0, ""),  # inside the run-in, but seen to be settled
        (1.0, (240.0, 300.0), 0.0, "only 1 whole span(s), 1.2 s, are assessed"),
        (1.014, (240.0, 360.0), 0.0, "σ grows by 1.4 % per span in the assessed section, which starts at 240 m"),
        (1.0, (0.0, 60.0), 320.0, "starts at 0 m, before the run-in ends (320 m)"),
        (1.0, (250.0, 260.0), 0.0, ""),  # the verdict says that
    ],
)
def test_what_is_doubted_of_the_judged_part_is_measured(growth, judged, run_in_end, said):
    words = shaken(growth, judged=judged, run_in_end=run_in_end).attrs["doubts"]
    assert said in words
    assert (words == "[]") is (said == "")


def test_a_trend_over_unlike_spans_names_them():
    """65 m and 55 m in turn: σ may differ from span to span for good; of equal spans nothing is said."""
    masts = np.repeat(120.0 * np.arange(6), 2)[:11] + 65.0 * (np.arange(11) % 2)
    words = shaken(1.04, judged=(120.0, 480.0), masts=masts).attrs["doubts"]
    assert "σ grows" in words
    assert "Its spans differ (55 to 65 m), which may be the reason. If not: " in words
    assert "spans differ" not in shaken(1.04, judged=(120.0, 480.0)).attrs["doubts"]
