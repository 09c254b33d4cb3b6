"""One description of a run: what can be said, what cannot be combined, what files of before are told."""

from dataclasses import replace

import pytest

from panhead.errors import FileError, ModelError
from panhead.files import parse
from panhead.railway.pantograph.lumped_pantograph import LumpedPantograph, Stage
from panhead.runs import scenarios
from panhead.runs.cables.cables_options import CableOptions, HeadLaw
from panhead.runs.coupled.coupled_options import Coupling
from panhead.runs.description import ContactLaw, Journey, OnTrain, Run, Variant
from panhead.runs.resolve import resolve

PLAIN = Run(line="en50318-2002", train=(OnTrain(pantograph="en50318-2002"),), speed=80.0)


def test_changes_are_merged_deeply():
    raw = {"a": {"b": 1, "c": 2}, "list": [{"x": 1}, {"x": 2}]}
    changed = parse.merge(raw, {"a": {"c": 3}, "list": {"1": {"y": 4}}, "new": 5})
    assert changed == {"a": {"b": 1, "c": 3}, "list": [{"x": 1}, {"x": 2, "y": 4}], "new": 5}
    assert raw["a"] == {"b": 1, "c": 2}
    with pytest.raises(ModelError, match="items 0 to 1"):
        parse.merge(raw, {"list": {"2": {}}})


def test_line_and_pantograph_take_changes():
    run = replace(
        PLAIN,
        line_changes={"wires": {"contact": {"tension": "22 kN"}}},
        train=(OnTrain(pantograph="en50318-2002", changes={"static_force": "130 N"}),),
    )
    found = resolve(run)
    assert found.line.wires.contact.tension == 22e3
    assert found.line.wires.contact.mu == pytest.approx(1.35)  # the rest of the wire is as it was
    assert found.pantographs[0].static_force == 130.0


def test_a_variant_changes_what_it_names_and_nothing_else():
    base = replace(PLAIN, roof=((0.0, 0.0), (9.0, 0.01)))
    variant = Variant(name="v", changes={"speed": "250 km/h", "train": {"0": {"behind": 0.0}}})
    changed = base.variant(variant)
    assert changed.speed == pytest.approx(250 / 3.6)
    assert replace(changed, speed=base.speed) == base
    assert base.variant(Variant(name="w", without=("roof",))).roof == ()
    with pytest.raises(FileError, match=r"variant 'v'(.|\n)*sped"):
        base.variant(Variant(name="v", changes={"sped": 80.0}))


def test_places_are_metres_and_times_follow():
    """240 m from a start at 30 m with 80 m/s is 2.625 s; the judged part ends one span before the stop."""
    found = resolve(replace(PLAIN, journey=Journey(judged_from=240.0, stop=480.0)))
    assert found.judged_times() == (pytest.approx(2.625), pytest.approx((420 - 30) / 80, abs=1e-3))
    timed = resolve(replace(PLAIN, journey=Journey(duration=5.0, judged_from=240.0)))
    assert timed.stop == pytest.approx(430.0)
    with pytest.raises(ModelError, match="either `stop` or `duration`"):
        Journey(stop=1.0, duration=1.0)


@pytest.mark.parametrize(
    "changes, words",
    [
        ({"train": (OnTrain(pantograph="cx"),)}, "solver 'coupled' or 'cables'"),
        ({"contact": ContactLaw(kind="joint")}, "solver 'cables'"),
        ({"control": HeadLaw(kind="exponential")}, "solver 'cables'"),
        ({"cables": CableOptions()}, "or change the solver"),
        ({"coupling": Coupling()}, "or change the solver"),
        ({"solver": "cables", "lateral": True}, "remove `lateral`"),
        ({"solver": "coupled", "speed": None, "speed_table": ((0, 80), (1, 80))}, "a constant `speed`"),
        ({"solver": "coupled", "roof": ((0.0, 0.0), (1.0, 0.0))}, "solver 'linear'"),
        ({"journey": Journey(settled=True)}, "remove `settled`"),
    ],
)
def test_what_cannot_be_combined_says_so_with_the_remedy(changes, words):
    with pytest.raises(ModelError, match=words):
        resolve(replace(PLAIN, **changes))


def test_two_pantographs_on_a_moving_roof_are_refused():
    stage = Stage(mass=10.0, stiffness=50.0)
    chain = LumpedPantograph(name="chain", stages=(stage,), static_force=100.0)
    two = (OnTrain(pantograph=chain), OnTrain(pantograph=chain, behind=50.0))
    with pytest.raises(ModelError, match="one pantograph"):
        resolve(replace(PLAIN, train=two, roof=((0.0, 0.0), (1.0, 0.0))))


@pytest.mark.parametrize("kind", ["catenary", "cosimulation", "train"])
def test_a_file_of_before_is_told_the_new_words(kind):
    with pytest.raises(FileError, match=r'is now kind = "run"'):
        scenarios.from_plain({"kind": kind}, source="old.toml")


def test_an_old_key_is_told_the_new_one():
    raw = {"kind": "run", "line": "en50318-2002", "speed": 80.0, "pantographs": [{"model": "x"}]}
    with pytest.raises(FileError, match="pantographs: is now called train"):
        scenarios.from_plain(raw, source="old.toml")
