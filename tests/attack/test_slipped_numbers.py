"""Slipped units are refused or noticed (``attack.slipped_numbers``); what is plausible, and what is said otherwise."""

import dataclasses
import re
import typing
from collections.abc import Iterator
from dataclasses import replace

import pytest

from attack import slipped_numbers as slips
from panhead.desk.sheets.line_check import check_line
from panhead.files import library, parse
from panhead.files.inventory import _unit, stated_fields
from panhead.railway.line import Line, read_line
from panhead.railway.line.assumptions import assumptions
from panhead.railway.line.line_plausibility import implausible
from panhead.railway.pantograph.lumped_pantograph import read_pantograph, shipped_pantographs
from panhead.railway.pantograph.pantograph_plausibility import has_no_damping, implausible_pantograph


@pytest.mark.parametrize("name", ["ancf-simple", "conductor-rail", "overlaps-25kv", slips.FULL])
def test_a_slipped_number_of_a_line_is_refused_or_noticed_or_listed(name):
    """The other lines have the same keys; ``scripts/attack`` takes them all."""
    line = slips.line_of(name)
    assert list(implausible(line)) == []
    assert slips.unnoticed_of_line(line)[1] == []


@pytest.mark.parametrize("name", shipped_pantographs())
def test_a_slipped_number_of_a_pantograph_is_refused_or_noticed_or_listed(name):
    pantograph = read_pantograph(name)
    assert (list(implausible_pantograph(pantograph)), has_no_damping(pantograph)) == ([], False)
    assert slips.unnoticed_of_pantograph(pantograph)[1] == []


def test_every_dimensional_key_of_a_line_is_slipped_somewhere():
    lines = [*(read_line(name) for name in library.shipped("lines")), slips.full_line()]
    slipped = {
        tuple(part for part in path.split(".") if not part.isdigit())[-1]
        for line in lines for path, value, unit in stated_fields(line) if unit and value != 0.0
    }  # fmt: skip
    shown_only, without_messenger = {"latitude", "longitude"}, {"left", "right"}  # on maps; of a cross-span
    allowed = {"length"} | shown_only | without_messenger
    assert {name for _, name in _keys(Line, set())} - slipped == allowed - slipped


def _keys(cls: type, seen: set[type]) -> Iterator[tuple[str, str]]:
    """Class and name of every dimensional field of a description and of what is in it."""
    if cls in seen:
        return
    seen.add(cls)
    for name, hint in typing.get_type_hints(cls, include_extras=True).items():
        if name in {f.name for f in dataclasses.fields(cls)} and _unit(hint):
            yield cls.__name__, name
        for inner in parse.descriptions_in(hint):
            yield from _keys(inner, seen)


@pytest.mark.parametrize("name", library.shipped("lines"))
def test_no_shipped_line_is_implausible_or_leaves_something_out(name):
    line = read_line(name)
    assert (list(implausible(line)), list(assumptions(line))) == ([], [])


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"tension": 200e3}, r"wave speed of the contact wire 384\.9 m/s is above the plausible maximum of 200 m/s"),
        ({"bending_stiffness": 195e3}, "bending stiffness of the contact wire over that of a solid copper wire"),
        ({"mass_per_length": 0.135}, "wave speed of the contact wire 384"),
        ({"mass_per_length": 0.0135, "tension": 200.0}, "mass per length of the wire"),
        ({"area": 150e-9}, r"stress of the contact wire 133\.3 kN/mm²"),
        ({"area": 150e-6, "axial_stiffness": 17e3}, "modulus, axial stiffness over area"),
        ({"area": 15e-6}, "density, mass per length over area 9e"),
    ],
)
def test_numbers_that_contradict_each_other(change, words):
    """Stress, wave speed, density, modulus and bending stiffness follow from several keys."""
    line = read_line("en50318-2002")
    slipped = replace(line, wires=replace(line.wires, contact=replace(line.wires.contact, **change)))
    found = [odd.words for odd in implausible(slipped)]
    assert any(re.search(words, said) for said in found), found


def test_soft_droppers_are_told_by_line_check_and_by_a_run():
    from panhead.errors import RunWarning
    from panhead.runs.description import Journey, OnTrain, Run
    from panhead.runs.resolve import resolve

    line = read_line("en50318-2002")
    soft = replace(line, dropper=replace(line.dropper, stiffness=1e3))
    found = [f for f in check_line(soft).findings if f.level == "doubtful" and f.quantity == "plausibility"]
    assert [f.place for f in found] == ["dropper.stiffness"]
    run = Run(
        line=soft, train=(OnTrain(pantograph="en50318-2002"),), speed=300 / 3.6,
        journey=Journey(judged_from=320.0, judged_to=440.0, stop=480.0),
    )  # fmt: skip
    with pytest.warns(
        RunWarning, match=r"dropper\.stiffness: stiffness 1000 N/m is below the plausible minimum of 10 kN/m"
    ):
        resolved = resolve(run)
    assert any("dropper.stiffness" in words for words in resolved.warnings)  # the page tells these
