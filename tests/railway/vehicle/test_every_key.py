"""Every key of a vehicle matters: each number changed by 1 % changes what is assembled: bodies, links, contacts."""

import dataclasses
import enum

import numpy as np
import pytest
from runs.every_key import digest, idle, keys_of

from panhead.railway.vehicle import Track, TrackSection
from panhead.railway.vehicle.vehicle_description import AntiRollBar, Strut, read_vehicle
from panhead.railway.vehicle.vehicle_model import assemble

EVEN = Track(sections=(TrackSection(length=300.0),))
ENDS = (((0.5, 1.0, 0.5), (0.6, 0.9, 0.9)),)


def plain(thing):
    """Items of a model as tuples of numbers, arrays and words."""
    if dataclasses.is_dataclass(thing) and not isinstance(thing, type):
        return (type(thing).__name__, *(plain(getattr(thing, field.name)) for field in dataclasses.fields(thing)))
    if isinstance(thing, tuple | list):
        return tuple(plain(x) for x in thing)
    if isinstance(thing, enum.Enum) or callable(thing):
        return str(getattr(thing, "__name__", thing))
    return np.asarray(thing) if isinstance(thing, np.ndarray) else thing


def assembled(vehicle):
    found = assemble(vehicle, EVEN)
    return digest(plain(found.model.items), found.rolling_radius, plain(found.rails))


def vehicles():
    """Shipped vehicles, and one that has what they lack: struts by numbers and by tables, a bar, falling friction."""
    coach = read_vehicle("s1-coach")
    a, b = coach.bogie.bushings[0].a, coach.bogie.bushings[0].b
    struts = (
        Strut(name="damper", a=a, b=b, ends=ENDS, damping=1e4, stiffness=2e3),
        Strut(
            name="tabled",
            a=a,
            b=b,
            ends=ENDS,
            spring=((-0.1, -500.0), (0.1, 700.0)),
            damper=((-1.0, -9e3), (0.0, 0.0), (1.0, 8e3)),
        ),
    )
    bar = AntiRollBar(name="bar", a=a, b=b, at=(0.3, 0.2, 0.6), stiffness=1e6)
    bogie = dataclasses.replace(coach.bogie, struts=struts, anti_roll_bars=(bar,))
    law = dataclasses.replace(coach.contact.law, friction_decay=2.0, friction_limit=0.4)
    contact = dataclasses.replace(coach.contact, law=law)
    return {
        "coach": coach,
        "more": dataclasses.replace(coach, bogie=bogie, contact=contact),
        "held": dataclasses.replace(coach, contact=dataclasses.replace(coach.contact, kind="constraint")),
    }


#: place of a number → why it changes nothing that is assembled
LISTED = {"bogie.pivots.axis.2": "a direction: how long it is says nothing"}


@pytest.mark.filterwarnings("ignore::panhead.errors.RunWarning")
def test_every_number_of_a_vehicle_matters():
    seen, idling = idle(vehicles(), [assembled])
    assert keys_of("vehicle") - seen == {"Strut.ends"}, "no example has them"  # pairs of places: below
    assert idling.keys() == LISTED.keys()


def test_the_ends_of_a_strut_matter():
    vehicle = vehicles()["more"]
    found = {assembled(vehicle)}
    for k in range(6):
        ends = np.array(ENDS)
        ends.flat[k] *= 1.01
        pairs = tuple(tuple(map(tuple, pair)) for pair in ends.tolist())
        struts = tuple(dataclasses.replace(strut, ends=pairs) for strut in vehicle.bogie.struts)
        found.add(assembled(dataclasses.replace(vehicle, bogie=dataclasses.replace(vehicle.bogie, struts=struts))))
    assert len(found) == 7
