"""A route goes on when a worker dies, and says of which tension length it cannot."""

from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool

import pytest
from app.cli.test_asbuilt import finished

from panhead.errors import SimulationError
from panhead.explore.asbuilt.route_plan import RoutePlan
from panhead.explore.asbuilt.route_records import load_json, record_path, save_json
from panhead.explore.asbuilt.run_route import conduct


class Dying:
    """Workers of which so many die before one fits the tension length."""

    count = ahead = 1
    lost = (BrokenProcessPool,)

    def __init__(self, deaths, out):
        self.deaths, self.out = deaths, out

    def submit(self, task, *given):
        future = Future()
        self.deaths -= 1
        if self.deaths >= 0:
            future.set_exception(BrokenProcessPool("killed"))
        else:
            save_json(record_path(self.out, "fits", given[1], "json"), {"fitted": True})
            future.set_result(0)
        return future

    def done(self, waiting):
        return waiting, []


def test_a_task_whose_worker_died_is_begun_once_more(tmp_path):
    out = finished(tmp_path)
    fit, plan = record_path(out, "fits", 0, "json"), RoutePlan.read(tmp_path / "route.toml")
    fit.unlink()
    assert conduct(plan, out, Dying(1, out)) == 1
    assert load_json(fit)["fitted"]
    fit.unlink()
    with pytest.raises(SimulationError, match="tension length 1: killed"):
        conduct(plan, out, Dying(2, out))
