"""A controller as native code in the loop of a pantograph under the line."""

from dataclasses import dataclass, replace

import numpy as np
import pytest

from panhead.errors import ModelError
from panhead.runs.cables.head_laws import Measurements
from panhead.runs.description import HeadLaw, Journey, Numerics, OnTrain, Run
from panhead.runs.fmi.fmu_controller import UnitLaw
from panhead.runs.fmi.fmu_ports import Channel
from panhead.runs.simulate import simulate_one

from .native import Mass, needs_compiler, unit

pytest.importorskip("fmpy")
SEEN = Measurements(head=1.0, plunger=0.9, head_rate=0.2, plunger_rate=0.1, force=150.0, x=3.0)


@dataclass(frozen=True)
class InPython:
    """The mass of ``native`` as a law, from its start for every run."""

    def begin(self, period):
        mass = Mass()
        return lambda t, m: float(mass.advance(period, m.force, m.force)[1])


@needs_compiler
def test_a_native_controller_controls_as_the_same_law_in_python(tmp_path):
    """The mass of ``native`` as a filter between measured force and actuator: u = ẋ, driven by F. It has a state,
    so that a sample too many or too few, in steps that are repeated, would show."""
    path = unit(tmp_path / "mass.fmu", "2.0")
    law = UnitLaw(path=path, trust=True, output="v", inputs={"F": "force"})
    one, other = (
        simulate_one(
            Run(
                line="en50318-2002",
                train=(OnTrain(pantograph="en50318-2002"),),
                speed=70.0,
                solver="coupled",
                control=HeadLaw(kind="own", feedback=each),
                numerics=Numerics(element_length=4.0, coarse=True),
                journey=Journey(start=75.0, duration=0.04, judged_from=75.5, judged_to=77.0),
            )
        )
        for each in (law, InPython())
    )
    assert np.abs(one["actuator_force"]).max() > 0.5
    for name in ("actuator_force", "contact_force"):  # the same arithmetic: round-off differs
        np.testing.assert_allclose(one[name], other[name], rtol=0, atol=1e-9)


@pytest.mark.parametrize("version", ["2.0", "3.0"])
@needs_compiler
def test_it_answers_each_sample_as_the_same_law_in_python(tmp_path, version):
    law = UnitLaw(
        path=unit(tmp_path / "mass.fmu", version),
        trust=True,
        output=Channel(variable="v", factor=-1.0),  # theirs is positive downwards
        inputs={"F": "head_rate"},
        parameters={"k": 80.0},
    )
    call, mass = law.begin(2e-3), Mass(stiffness=80.0)
    for k in range(20):
        seen = replace(SEEN, head_rate=float(np.sin(k)))
        expected = -mass.advance(2e-3, seen.head_rate, seen.head_rate)[1]
        assert call(2e-3 * k, seen) == pytest.approx(expected, abs=1e-14)


@needs_compiler
def test_every_run_begins_afresh(tmp_path):
    path = unit(tmp_path / "mass.fmu", "3.0")
    law = UnitLaw(path=path, trust=True, output="v", inputs={"F": "force"})
    first, again = law.begin(1e-3), law.begin(1e-3)
    answers = [first(0.0, SEEN), first(1e-3, SEEN)]
    assert [again(0.0, SEEN), again(1e-3, SEEN)] == answers
    assert answers[0] != answers[1]


def test_what_is_not_measured_or_not_said_is_named(tmp_path):
    path = unit(tmp_path / "mass.fmu", "3.0", library=False)
    with pytest.raises(ModelError, match=r"none of its inputs .F. has the name of a measurement"):
        UnitLaw(path=path, trust=True).begin(1e-3)
    with pytest.raises(ModelError, match="'wind' is not a measurement; available: head"):
        UnitLaw(path=path, trust=True, inputs={"F": "wind"}).begin(1e-3)
    with pytest.raises(ModelError, match="with your privileges"):
        UnitLaw(path=path, output="v", inputs={"F": "force"}).begin(1e-3)
