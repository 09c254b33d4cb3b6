"""ShippedModel models: they start consistently, keep their energy, and are recorded as they move."""

import json

import numpy as np
import pytest

from panhead.engine.bodies import PlanarBody, ground
from panhead.engine.joints import Revolute
from panhead.engine.methods.equilibrium import require_consistent
from panhead.engine.methods.integrators import GeneralizedAlpha
from panhead.engine.methods.simulate import simulate
from panhead.engine.multibody import Model
from panhead.engine.multibody.model_dataset import accounts, dataset
from panhead.engine.multibody.outline import outline
from panhead.engine.multibody.tree import in_joint_coordinates
from panhead.errors import FileError, ModelError, SimulationError
from panhead.runs import scenarios
from panhead.runs.scenarios import shipped_models

SMALL = {
    "chain": {"links": 3},
    "flexible-pendulum": {"elements": 4},
    "four-bars": {"loops": 2},
    "moving-load": {"length": "10 m", "elements": 10, "form": "augmented"},
    "pendulum-on-beam": {"elements": 4},
    "slider-crank": {"elements": 2},
    "sliding-mass": {"elements": 8},
    "spatial-slider-crank": {"joints": "cylindrical"},
    "spinning-beam": {"pieces": 2},
}
STEP = 5e-4


def run(name, duration=0.05, **parameters):
    made = shipped_models.shipped_model(name, SMALL.get(name, {}) | parameters)
    motion = simulate(made.system, made.start, duration=duration, dt=STEP, method=GeneralizedAlpha())
    return made, motion


def test_every_model_is_tried_here():
    struck = {
        "pendulum-that-leaves-the-beam",
        "pendulum-that-rubs-on-the-beam",
        "pendulum-on-shoe",
    }  # tests/engine/multibody/test_contacts.py
    assert set(shipped_models.names()) == {*SMALL, *struck}


@pytest.mark.parametrize("name", SMALL)
def test_a_model_starts_consistently_and_accounts_for_its_energy(name):
    made, motion = run(name)
    require_consistent(made.system, made.start, tolerance=1e-9)
    result = dataset(made.model, made.system, motion, tree=made.tree)
    turned = max(np.ptp(result[k].to_numpy()) for k in ("kinetic", "potential", "work_drivers"))
    # second order at 0.5 ms; the load's first steps shake a wire whose waves are faster than the step, and the
    # crank in space makes 20 rad/s with little energy going to and fro
    share = {"moving-load": 2e-2, "spatial-slider-crank": 1e-2}.get(name, 1e-3)
    assert np.abs(result["balance"]).max() < share * turned
    assert result["constraint_residual"].max() < 1e-10


@pytest.mark.parametrize("name", ["slider-crank", "sliding-mass", "moving-load"])
def test_energies_along_a_motion_are_those_of_its_states(name):
    """The kernel walks the whole motion and lets sliders follow; the system is asked state by state."""
    made, motion = run(name)
    found = accounts(made.system, motion)
    for k in range(0, len(motion.t), 7):
        state = float(motion.t[k]), motion.q[k], motion.v[k]
        np.testing.assert_allclose(found[k, :2], made.system.energy(*state), rtol=1e-13, atol=1e-12)
        power = made.system.power(*state, motion.a[k], motion.lam[k], motion.u[k])
        np.testing.assert_allclose(found[k, 2:], power, rtol=1e-12, atol=1e-10)


def test_the_upper_joint_carries_what_hangs_on_it():
    """Newton for the whole chain: reaction = Σ m (a − g); the multiplier pulls the other way."""
    made, motion = run("chain", links=4)
    result = dataset(made.model, made.system, motion)
    needed = sum(
        np.array([result["a"].sel(coordinate=f"link{k}.{axis}") for axis in "xyz"]) for k in range(4)
    ) + 4 * np.array([[0.0], [0.0], [9.81]])
    lam = np.array([result["lam"].sel(constraint=f"ball0.{axis}") for axis in "xyz"])
    np.testing.assert_allclose(-lam, needed, atol=1e-8)  # forces of 50 N, solved to round-off
    size = result["reaction"].sel(joint="ball0")
    np.testing.assert_allclose(size, np.linalg.norm(needed, axis=0), atol=1e-8)


def test_units_of_multipliers():
    made, motion = run("moving-load")
    result = dataset(made.model, made.system, motion)
    unit = dict(zip(result["constraint"].values, result["multiplier_units"].values, strict=True))
    assert unit["ends wire.0x"] == "N"
    assert unit["ends wire.0'y"] == "N*m"
    joints = [str(x) for x in result["joint"].values]
    assert joints == ["ends wire.0", "ends wire.10", "drive slider", "slide"]


def test_outline_of_a_chain_hangs_together():
    made, motion = run("chain", links=3, length="0.7 m")
    parts = outline(made.model, made.system, motion)
    ends = [parts[f"link{k}"] for k in range(3)]
    for points in ends:
        np.testing.assert_allclose(np.linalg.norm(points[:, 1] - points[:, 0], axis=1), 0.7)
    np.testing.assert_allclose(ends[0][:, 0], 0.0, atol=1e-12)
    np.testing.assert_allclose(ends[0][:, 1], ends[1][:, 0], atol=1e-9)


def test_outline_of_a_wire_follows_its_nodes_and_the_slider_is_on_it():
    made, motion = run("sliding-mass", elements=8)
    parts = outline(made.model, made.system, motion)
    wire, mass = parts["cable"], parts["mass"][:, 0]
    assert wire.shape[1] == 8 * 4 + 1
    node = [made.system.place(f"cable.3{axis}") for axis in "xy"]
    np.testing.assert_allclose(wire[:, 12, :2], motion.q[:, node], atol=1e-14)
    heights = [np.interp(p[0], w[:, 0], w[:, 1]) for p, w in zip(mass, wire, strict=True)]
    # chords of 0.63 m below a curve of 2 kN under 1 kg/m: sag of a chord 2.4e-4 m, and a kink
    np.testing.assert_allclose(heights, mass[:, 1], atol=2e-3)


def test_bodies_on_a_tree_are_drawn_where_the_same_bodies_are_in_absolute_coordinates():
    arms = [PlanarBody(name=f"arm{k}", mass=1.0, inertia=0.1, position=(k + 0.5, 0.0)) for k in (0, 1)]
    hinges = (
        Revolute(name="upper", a=ground.at(), b=arms[0].at((-0.5, 0.0))),
        Revolute(name="lower", a=arms[0].at((0.5, 0.0)), b=arms[1].at((-0.5, 0.0))),
    )
    model = Model(name="double pendulum", items=(*arms, *hinges), gravity=(0.0, -9.81, 0.0))
    tree, points = in_joint_coordinates(model), {"tip": ("arm1", (0.5, 0.0))}
    found = []
    for system, carried in ((model.system(), None), (tree.system(), tree)):
        motion = simulate(system, system.start, duration=0.2, dt=STEP, method=GeneralizedAlpha())
        found.append(dataset(model, system, motion, points=points, tree=carried))
    assert found[0].sizes["coordinate"] == 6
    assert found[1].sizes["coordinate"] == 2
    for name in ("outline_x", "outline_y", "tip_x", "tip_y"):
        # both integrate to second order, in different coordinates
        np.testing.assert_allclose(found[1][name], found[0][name], atol=2e-6)


def test_watched_places_and_outputs():
    made, motion = run("slider-crank")
    points = {"pin": ("crank", (0.075, 0.0)), "end": ("rod", (0.5,)), "block": ("block", ())}
    outputs = ("crank.angle", "rate crank.angle", "guide block.y")
    result = dataset(made.model, made.system, motion, points=points, outputs=outputs)
    np.testing.assert_allclose(result["pin_x"], 0.15 * np.cos(result["crank_angle"]), atol=1e-12)
    np.testing.assert_allclose(result["end_x"], result["block_x"], atol=1e-9)
    assert result["rate_crank_angle"].attrs["units"] == "rad/s"
    assert result["guide_block_y"].attrs["units"] == "N"
    assert "block_y" not in result  # it never moves
    assert set(json.loads(result.attrs["paths"])) == {"pin"}  # a line is no path to draw


def test_an_eliminated_arc_length_can_be_watched():
    """It is the coordinate that the augmented form keeps."""
    kept, eliminated = (run("sliding-mass", form=form) for form in ("augmented", "embedded"))
    s = dataset(kept[0].model, kept[0].system, kept[1], outputs=("slide.s",))["slide_s"]
    arc = dataset(eliminated[0].model, eliminated[0].system, eliminated[1], outputs=("slide.arc",))
    np.testing.assert_allclose(arc["slide_arc"], s, atol=1e-9)
    assert arc["slide_arc"].attrs["units"] == "m"


@pytest.mark.parametrize(
    ("name", "parameters", "words"),
    [
        ("no-such", {}, ["no-such", "four-bars"]),
        ("chain", {"link": 3}, ["link", "links", "length"]),
        ("chain", {"links": 0}, ["links", "0"]),
        ("chain", {"links": 2.5}, ["links", "whole number", "2.5"]),
        ("chain", {"length": "3 kg"}, ["length", "3 kg"]),
        ("chain", {"length": float("nan")}, ["length", "finite"]),
        ("slider-crank", {"crank": "1 m"}, ["crank", "shorter", "1.0"]),
        ("sliding-mass", {"form": "soft"}, ["form", "embedded", "soft"]),
        ("sliding-mass", {"dimensions": 4}, ["dimensions", "4"]),
        ("spatial-slider-crank", {"rod": "0.2 m"}, ["rod", "0.2", "does not reach"]),
        ("sliding-mass", {"place": "30 m"}, ["slide", "30", "cable"]),
    ],
)
def test_wrong_parameters_are_named(name, parameters, words):
    with pytest.raises(ModelError) as error:
        shipped_models.shipped_model(name, parameters)
    assert [word for word in words if word not in str(error.value)] == []


@pytest.mark.parametrize(
    ("points", "outputs", "words"),
    [
        ({"p": ("nothing", ())}, (), ["nothing", "rod"]),
        ({"p": ("rod", (2.0,))}, (), ["rod", "2.0"]),
        ({"p": ("rod", (0.1, 0.0))}, (), ["rod", "one length along it"]),
        ({}, ("rod.99x",), ["rod.99x", "crank.x", "bearing.x"]),
    ],
)
def test_what_cannot_be_watched_is_named(points, outputs, words):
    made, motion = run("slider-crank", duration=2 * STEP)
    with pytest.raises(ModelError) as error:
        dataset(made.model, made.system, motion, points=points, outputs=outputs)
    assert [word for word in words if word not in str(error.value)] == []


def test_a_scenario_is_read_run_and_repeated():
    settings = ["parameters.elements=4", "run.duration=20 ms", "run.keep=2 ms"]
    scenario = scenarios.read("flexible-pendulum", settings)
    result = scenario.simulate()
    assert result.sizes["time"] == 11
    assert {"tip_x", "tip_y", "hinge_rod_0y"} <= set(result)
    again = scenarios.from_plain(scenario.inputs(), source="memory").simulate()
    assert again["q"].identical(result["q"])
    assert any("reaction" in row.quantity for row in scenario.kind.summarise(result))


def test_a_wrong_scenario_is_refused_before_it_runs():
    with pytest.raises(FileError, match="spectral_radius"):
        scenarios.read("chain", ["run.spectral_radius=2"])
    with pytest.raises(FileError, match="links"):
        scenarios.read("chain", ["parameters.links=-1"])


def test_a_slider_that_leaves_its_wire_keeps_the_run_so_far():
    settings = ["parameters.place=19 m", "parameters.elements=10", "run.duration=2 s"]
    with pytest.raises(SimulationError, match="end of its wire") as error:
        scenarios.read("sliding-mass-on-cable", settings).simulate()
    partial = error.value.partial
    assert 0.0 < float(partial["time"][-1]) < 1.0
    assert float(partial["mass_x"][-1]) > 19.5


def test_the_beam_under_the_pendulum_is_damped_by_mass_and_stiffness():
    """Curvature grows at κ̇ everywhere: the dampers take β EI κ̇² L + α m κ̇² L⁵/20."""
    alpha, beta, length = 0.3, 2e-3, 5.0
    damped = shipped_models.shipped_model(
        "pendulum-on-beam", {"elements": 4, "mass_damping": "0.3 1/s", "stiffness_damping": "2 ms"}
    )
    system, v = damped.system, np.zeros(damped.system.nq)
    for k, x in enumerate(np.linspace(0.0, length, 5)):
        v[system.place(f"beam.{k}w")], v[system.place(f"beam.{k}w'")] = x**2 / 2, x
    q, zero = damped.start.q, np.zeros(system.nq)
    power = system.power(0.0, q, v, zero, np.zeros(len(system.constraints)), np.zeros(0)).dissipated
    exact = beta * 2.1e11 * 2.81e-9 * length + alpha * 7860.0 * 1.5e-4 * length**5 / 20
    assert power == pytest.approx(exact, rel=1e-9)
