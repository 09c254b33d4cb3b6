"""Whoever watches a run sees the force that the result holds, whichever solver computes it."""

import numpy as np
import pytest

from panhead.engine.jobs import Job
from panhead.runs.description import Journey, Numerics, OnTrain, Run
from panhead.runs.simulate import simulate_one
from runs.cables.builders import run as under_cables


def a_run(solver: str) -> Run:
    if solver == "cables":
        return under_cables()
    return Run(
        line="en50318-2002", train=(OnTrain(pantograph="en50318-2002"),), speed=70.0, solver=solver,
        numerics=Numerics(element_length=4.0, coarse=True),
        journey=Journey(start=75.0, duration=0.1, judged_from=75.5, judged_to=81.0),
    )  # fmt: skip


@pytest.mark.parametrize("solver", ["linear", "cables", "coupled"])
def test_the_force_is_shown_while_it_is_computed(solver):
    seen = []
    result = simulate_one(a_run(solver), Job(watch=lambda place, force: seen.append((place, force))))
    place, force = (np.concatenate([part[k] for part in seen])[:, 0] for k in (0, 1))
    assert place.size >= 100  # a tenth of a second in steps of a millisecond
    assert np.all(np.diff(place) > 0.0)
    kept = np.interp(place, result["contact_x"].to_numpy()[0], result["contact_force"].to_numpy()[0])
    np.testing.assert_allclose(force, kept, atol=1e-6)  # the same numbers; only places are interpolated to rounding
