"""One judge: the same force gets the same verdict, whoever computed it."""

import json

import numpy as np
import pytest
import xarray as xr

from panhead.assess import judge, judgement, side_by_side
from panhead.assess.judge import add_error_bars
from panhead.errors import ModelError
from panhead.files.variants import join


def run(solver: str, supply: str = "3 kV DC", mean: float = 130.0, **attrs: object) -> xr.Dataset:
    """A record of 10 s at 160 km/h whose force swings about its mean."""
    t = np.arange(1, 10001) * 1e-3
    force = mean + 10.0 * np.sin(2 * np.pi * 1.3 * t)
    return xr.Dataset(
        {"contact_force": (("pantograph", "time"), force[None])},
        {"time": t, "pantograph": ["one"]},
        {
            "solver": solver,
            "speed": 160 / 3.6,
            "supply": supply,
            "edition": "en50367-2012",
            "judged_from": 2.0,
            "judged_to": 9.0,
            **attrs,
        },
    )


def limits(dataset: xr.Dataset) -> dict[str, float | None]:
    return {c.key: c.limit for c in judgement(judge(dataset))[""]["one"]}


@pytest.mark.parametrize("solver", ["linear", "cables", "coupled"])
def test_supply_and_edition_decide_for_every_solver(solver):
    """EN 50367:2012: 0.00097 v² + 110 N at 3 kV DC, 0.00047 v² + 90 N at 25 kV AC (v ≤ 200 km/h)."""
    direct, alternating = (limits(run(solver, supply)) for supply in ("3 kV DC", "25 kV AC"))
    assert direct["mean_force"] == pytest.approx(0.00097 * 160**2 + 110.0, rel=1e-3)
    assert alternating["mean_force"] == pytest.approx(0.00047 * 160**2 + 90.0, rel=1e-3)
    assert judge(run(solver)).attrs["verdict"] == "met"
    assert judge(run(solver, "25 kV AC")).attrs["verdict"] == "not met"


def test_the_verdict_is_in_the_result_as_plain_data():
    plain = json.loads(judge(run("linear")).attrs["criteria"])
    assert {c["key"] for c in plain[""]["one"]} >= {"mean_force", "deviation_ratio", "arcing"}


def test_a_filter_does_not_swing_in_from_the_first_instant_of_a_settled_run():
    """The first sample of a load that sets off is a spike; the instrument has held the static force before it."""
    raw = run("cables", judged_from=0.0)
    raw["contact_force"][0, 0] = 5000.0
    still = raw.assign(static_force=("pantograph", [130.0]))
    spike, settled = ({c.key: c.value for c in judgement(judge(x))[""]["one"]}["actual_max"] for x in (raw, still))
    assert settled == pytest.approx(140.0, abs=1.0)
    assert spike > 4000.0


def test_error_bars_are_the_distance_from_the_repeat():
    bars = add_error_bars(judge(run("linear")), judge(run("linear", mean=133.0)), ratio=2.0)
    found = {c.key: c for c in judgement(bars)[""]["one"]}
    assert found["mean_force"].error == pytest.approx(2.7, abs=1e-9)  # 2.7 · 3 N / (2² − 1)
    assert found["deviation"].error == pytest.approx(0.0, abs=1e-9)


def test_curves_that_are_not_alike_widen_the_bars_and_say_so():
    """Two swings in opposite phase have one deviation, by which their curves differ twice over."""
    one, other = run("linear"), run("linear")
    force = other["contact_force"].to_numpy()
    other["contact_force"][:] = 2.0 * force.mean() - force
    bars = add_error_bars(judge(one), judge(other), ratio=2.0)
    found = {c.key: c for c in judgement(bars)[""]["one"]}
    sigma = found["deviation"].value
    assert found["deviation"].error == pytest.approx(0.21 * 2.0 * sigma, rel=0.02)
    assert found["actual_min"].error == pytest.approx(1.1 * 2.0 * sigma, rel=0.02)
    (words,) = json.loads(bars.attrs["doubts"])
    assert "200 % of its standard deviation" in words
    assert "the error bars are the whole difference" in words


def test_variants_are_measured_by_the_first():
    both = judge(join({"a": run("linear", mean=120.0), "b": run("linear", mean=132.0)}))
    first, second = side_by_side(both)
    assert first.moved is None
    assert second.moved == pytest.approx(0.1, abs=1e-3)
    assert second.cut == pytest.approx(0.0, abs=1e-9)
    assert (first.verdict, second.verdict) == ("met", "met")


def test_what_is_no_run_under_a_line_is_refused():
    with pytest.raises(ModelError, match="only a pantograph run"):
        judge(xr.Dataset({"q": ("time", [1.0])}, {"time": [0.0]}))
    with pytest.raises(ModelError, match="has not been assessed"):
        judgement(run("linear"))


def test_each_pantograph_is_judged_in_its_own_window():
    """The force of both rises with time; the rear one is where the first was, 2 s later."""
    t = np.arange(1, 10001) * 1e-3
    force = np.stack([100.0 + t, 100.0 + t])
    data = xr.Dataset(
        {
            "contact_force": (("pantograph", "time"), force),
            "judged_from": ("pantograph", [2.0, 4.0]),
            "judged_to": ("pantograph", [6.0, 8.0]),
        },
        {"time": t, "pantograph": ["front", "rear"]},
        {"speed": 50.0, "judged_from": 2.0, "judged_to": 6.0},
    )
    found = judgement(judge(data))[""]
    means = {name: next(c.value for c in of if c.key == "mean_force") for name, of in found.items()}
    assert means["rear"] - means["front"] == pytest.approx(2.0, abs=1e-6)


def test_variants_of_other_lengths_are_judged():
    """Another speed has other times; what fits one variant alone is called name@variant."""
    short = run("linear").isel(time=slice(0, 9500))
    both = judge(join({"a": run("linear"), "b": short}))
    assert set(judgement(both)) == {"a", "b"}
