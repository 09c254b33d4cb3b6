"""One gravity in a run: the line's own counts for its wires, its pantographs and the vehicle below, by every solver."""

import ast
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import panhead
from panhead.engine.bodies import RigidBody, ground
from panhead.engine.forces import Push
from panhead.engine.jobs import Job
from panhead.engine.joints import Prismatic
from panhead.engine.multibody import Model
from panhead.errors import ModelError
from panhead.railway.line import read_line, string
from panhead.railway.pantograph.linkage import read_linkage
from panhead.railway.pantograph.model_pantograph import ModelPantograph
from panhead.railway.vehicle import Track, TrackSection, read_vehicle
from panhead.runs.cables.cables_assembly import assemble, resting_line
from panhead.runs.cables.observers import static_forces
from panhead.runs.cables.vehicle_assembly import assemble_train
from panhead.runs.description import ContactLaw, Journey, Numerics, OnTrain, OnVehicle, Run
from panhead.runs.resolve import resolve
from panhead.runs.ride import ride_along
from panhead.runs.simulate import simulate_one

LIGHT = 4.9  # [m/s²], half of the earth's: nothing agrees by chance
SPAN, SPANS = 56.25, 4
MASS, LIFT = 20.0, 300.0  # of a pantograph that is one mass [kg], [N]


def line(gravity: float = LIGHT):
    """Four spans of the simple line, nine equal gaps between droppers in each."""
    whole = read_line("ancf-simple")
    length = whole.tension_lengths[0]
    few = replace(length, spans=(replace(length.spans[0], count=SPANS),))
    return replace(whole, tension_lengths=(few,), gravity=gravity)


def run(pantograph, solver: str = "cables", **others) -> Run:
    start = 0.6 * SPAN
    return Run(
        line=line(),
        train=(OnTrain(pantograph=pantograph),),
        speed=50.0,
        solver=solver,
        droppers="bilateral" if solver == "cables" else "unilateral",
        journey=Journey(start=start, duration=0.02, judged_from=start, judged_to=start + 0.9),
        numerics=Numerics(element_length=6.25 if solver == "cables" else 1.0, coarse=True),
        **others,
    )


def one_mass(gravity: float = LIGHT) -> ModelPantograph:
    """A body of 20 kg on a vertical guide, pushed up by 300 N: at rest it presses with what its weight leaves."""
    body = RigidBody(name="head", mass=MASS, inertia=(1.0, 1.0, 1.0), position=(0.0, 0.0, 1.0))
    items = (
        body,
        Prismatic(name="guide", a=ground.at((0.0, 0.0, 0.0)), b=body.at()),
        Push(name="lift", at=body.at(), force=(0.0, 0.0, LIFT)),
    )
    model = Model(name="one mass", items=items, gravity=(0.0, 0.0, -gravity))
    return ModelPantograph(model=model, strip=body.at())


def test_droppers_of_strung_line_and_of_cables_carry_the_same_weight():
    """By hand: μ g over the line, less half a gap's share at each of its two ends; 0.5 %: the ends are stiff."""
    described = line()
    weight = described.wires.contact.mu * LIGHT * SPAN * (SPANS - 1 / 9)
    strung = string(described)
    spans = strung.spans(strung.layout.pieces[0], element_length=6.25)
    cables = resting_line(resolve(run("cx-six-bodies")))
    assert sum(float(span.tension.sum()) for span in spans) == pytest.approx(weight, rel=5e-3)
    assert sum(cables.dropper_forces.values()) == pytest.approx(weight, rel=5e-3)


@pytest.mark.parametrize("solver", ["cables", "coupled"])
def test_a_pantograph_of_bodies_weighs_what_the_line_says(solver):
    described = run(one_mass(), solver, contact=ContactLaw(kind="linear"))
    if solver == "cables":
        resolved = resolve(described)
        force = float(static_forces(assemble(resolved, resting_line(resolved), None))[0])
    else:
        force = float(simulate_one(described)["contact_force"][0, 0])
    assert force == pytest.approx(LIFT - MASS * LIGHT, rel=2e-3)  # the first step may feel the wire's slope


def test_the_moment_of_a_linkage_is_found_in_that_gravity():
    """With a static force wanted, it presses with it; its moment was found on the earth before."""
    described = run({"linkage": "cx-six-bodies", "static_force": 70.0})
    resolved = resolve(described)
    force = float(static_forces(assemble(resolved, resting_line(resolved), None))[0])
    assert force == pytest.approx(70.0, abs=6.0)  # the arms stand a little higher under the lifted wire


def test_a_train_on_its_rails_weighs_it_too():
    """Σ wheel loads = weight of vehicle and pantograph − uplift from outside + contact force."""
    on = OnVehicle(
        vehicle="s1-coach", track=Track(sections=(TrackSection(length=250.0),)), foot=(11.73143, 0.0, 3.425), start=20.0
    )
    resolved = resolve(run("cx-six-bodies", vehicle=on))
    train = assemble_train(resolved, on, resting_line(resolved), None)
    tables = read_linkage("cx-six-bodies")
    mass = read_vehicle("s1-coach").mass + sum(body.mass for body in tables.bodies)
    wanted = mass * LIGHT - tables.uplift + float(static_forces(train)[0])
    assert train.standing.wheel_loads().sum() == pytest.approx(wanted, rel=1e-6)


def test_a_vehicle_that_rides_first_weighs_it_too():
    on = OnVehicle(
        vehicle="s1-coach", track=Track(sections=(TrackSection(length=250.0),)), foot=(0.0, 0.0, 3.4), start=20.0
    )
    resolved = resolve(run("en50318-2002", "linear", vehicle=on))
    standing = ride_along(resolved, on, Job()).standing
    assert standing.wheel_loads().sum() == pytest.approx(read_vehicle("s1-coach").mass * LIGHT, rel=1e-6)


def test_a_model_of_another_gravity_is_refused():
    with pytest.raises(ModelError, match=r"9\.81.*4\.9"):
        simulate_one(run(one_mass(9.81), "coupled", contact=ContactLaw(kind="linear")))


def test_a_model_without_gravity_stays_without_it():
    resolved = resolve(run(one_mass(0.0), contact=ContactLaw(kind="linear")))
    force = float(static_forces(assemble(resolved, resting_line(resolved), None))[0])
    assert np.isclose(force, LIFT, rtol=1e-6)


def test_the_constant_stands_once():
    """As a number, in one module; validation cases have their own, being oracles."""
    root = Path(panhead.__file__).parent
    texts = {path.relative_to(root): path.read_text(encoding="utf-8") for path in root.rglob("*.py")}
    found = {
        path.as_posix()
        for path, text in texts.items()
        if path.parts[0] != "validation" and path.parts[:2] != ("runs", "library") and "9.8" in text
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Constant) and node.value in (9.81, 9.80665)
    }
    assert found == {"engine/laws/gravity.py"}
