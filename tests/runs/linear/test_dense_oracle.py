"""The fast solver against a dense one of the same equations (``oracles.dense_line``).

Both solve the same discrete equations exactly, so that only round-off is between them: about 1e-13 m
of displacement times 1e5 N/m of a dropper, magnified a little whenever something slackens or lands.
1e-6 N leaves room for that and none for other equations: a contact point one step late, the old force
at the new contact point, a wire's slope left out of a damped contact's rate, a ramp one step late or
droppers that push make differences from newtons to hundreds of newtons.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from oracles.dense_line import CLOSED, EDGE, OPEN, History, Ride, integrate

from panhead.railway.line import DropperError, Line, linear_line, read_line, string
from panhead.railway.pantograph.lumped_pantograph import read_pantograph
from panhead.railway.pantograph.strips import CollectorStrips
from panhead.runs.description import ContactLaw, Journey, Numerics, OnTrain, Run
from panhead.runs.simulate import simulate

TOLERANCE = 1e-6  # N
REFERENCE = "en50318-2002"


def short(name: str, spans: int, **changes: Any) -> Line:
    """A shipped line of one kind of span with a few spans only; changes are of its tension length."""
    line = read_line(name)
    length = line.tension_lengths[0]
    few = (replace(length.spans[0], count=spans),)
    return replace(line, tension_lengths=(replace(length, spans=few, **changes),))


def with_dropper_damping(line: Line, damping: float) -> Line:
    return replace(line, dropper=replace(line.dropper, damping=damping))


@dataclass(frozen=True, kw_only=True)
class Case:
    """A ride short enough for dense matrices."""

    line: Line
    start: float = 20.0  #: [m]
    way: float = 60.0  #: [m]
    speed: float = 300 / 3.6  #: [m/s]
    ramp: float = 0.2  #: [s]
    static_force: float = 120.0  #: [N]
    behind: tuple[float, ...] = (0.0,)
    contact_damping: float = 0.0
    spectral_radius: float = 1.0
    element_length: float = 3.0
    lateral: bool = False
    strips: CollectorStrips | None = None


def both(case: Case) -> tuple[Any, History]:
    """The package's result and the dense one, dropper forces in the package's order."""
    pantograph = replace(read_pantograph(REFERENCE), static_force=case.static_force, strips=case.strips)
    step, stop = 2e-3, case.start + case.way
    run = Run(
        line=case.line,
        train=tuple(OnTrain(pantograph=pantograph, behind=x) for x in case.behind),
        speed=case.speed,
        lateral=case.lateral,
        contact=ContactLaw(damping=case.contact_damping),
        journey=Journey(start=case.start, stop=stop, judged_from=case.start, judged_to=stop, ramp=case.ramp),
        numerics=Numerics(
            step=step, element_length=case.element_length, spectral_radius=case.spectral_radius, keep=step, coarse=True
        ),
    )
    result = simulate(run)
    linear = linear_line(string(case.line), element_length=case.element_length, lateral=case.lateral)
    ride = Ride(
        pantographs=(pantograph,) * len(case.behind),
        start=case.start,
        speed=case.speed,
        ramp=case.ramp,
        step=step,
        steps=result.sizes["time"],
        behind=case.behind,
        contact_damping=case.contact_damping,
        spectral_radius=case.spectral_radius,
    )
    history = integrate(linear, ride)
    order = [linear.droppers.names.index(name) for name in result["dropper_name"].values]
    return result, replace(history, pull=history.pull[:, order])


def compare(case: Case) -> History:
    """Contact and dropper forces are the same at every step, and never of the wrong sign."""
    result, history = both(case)
    force, pull = result["contact_force"].values.T, result["dropper_force"].values
    assert force.shape == history.contact_force.shape
    np.testing.assert_allclose(force, history.contact_force, rtol=0.0, atol=TOLERANCE)
    np.testing.assert_allclose(pull, history.pull, rtol=0.0, atol=TOLERANCE)
    np.testing.assert_allclose(result["mass_z"].values.T, history.mass_z, rtol=0.0, atol=1e-11)
    assert force.min() >= 0.0
    assert pull.min() >= 0.0
    return history


def slackened(history: History) -> int:
    """Droppers that were taut and slack during the ride."""
    modes = history.modes[:, : history.pull.shape[1]]
    return int(((modes == OPEN).any(axis=0) & (modes != OPEN).any(axis=0)).sum())


def landings(history: History) -> int:
    """How often a contact closed after it was open."""
    touching = (history.modes[:, history.pull.shape[1] :] != OPEN).astype(int)
    return int((np.diff(touching, axis=0) > 0).sum())


def test_reference_line():
    """Four spans, 300 km/h, almost one second: in contact all the second half, droppers slacken."""
    history = compare(Case(line=short(REFERENCE, 4), start=30.0, way=80.0, ramp=0.3))
    assert slackened(history) >= 5
    contact = history.modes[:, history.pull.shape[1] :]
    assert (contact[contact.shape[0] // 2 :] == CLOSED).all()


def test_contact_lost_and_regained():
    """A static force that cannot follow the wire: the head leaves it again and again."""
    case = Case(line=short(REFERENCE, 3), start=10.0, ramp=0.1, static_force=20.0)
    assert landings(compare(case)) >= 5


def test_dampers_that_jump():
    """Dampers in droppers and contact: some steps end on the filled jump of the law."""
    line = with_dropper_damping(short(REFERENCE, 3), 2e3)
    history = compare(Case(line=line, start=30.0, contact_damping=2e3))
    assert slackened(history) >= 5
    assert (history.modes == EDGE).any()


def test_two_pantographs_with_numerical_damping_and_droppers_slack_at_rest():
    """Droppers 30 mm too long hang slack and are pulled taut by the waves of the wires."""
    errors = tuple(DropperError(span=s, dropper=d, error=0.03) for s in (1, 2, 3) for d in (4, 6))
    line = with_dropper_damping(short(REFERENCE, 3, dropper_errors=errors), 300.0)
    case = Case(line=line, start=50.0, behind=(0.0, 20.0), spectral_radius=0.7, contact_damping=100.0)
    history = compare(case)
    assert (history.pull[0] == 0.0).sum() == len(errors)
    assert slackened(history) >= 5


def test_two_contact_wires_with_lateral_motion():
    """Stagger couples vertical and lateral motion; the head presses against two wires at once."""
    case = Case(
        line=short("twin-3kv", 2), start=30.0, way=20.0, speed=200 / 3.6, lateral=True, element_length=4.0, ramp=0.1
    )
    history = compare(case)
    touching = (history.modes[:, history.pull.shape[1] :] == CLOSED).all(axis=1)
    assert touching.any()
    assert slackened(history) >= 1


@pytest.mark.slow
def test_from_one_tension_length_to_the_next():
    """An overlap of one span: the second wire begins, shares the load, and takes over."""
    line = read_line("overlaps-25kv")
    length = line.tension_lengths[0]
    overlap = replace(length.overlap, spans=1)
    line = short("overlaps-25kv", 3, repeat=2, overlap=overlap)
    history = compare(Case(line=line, start=90.0, way=110.0, element_length=4.0))
    touched = (history.modes[:, history.pull.shape[1] :] == CLOSED).any(axis=0)
    assert touched.all()
