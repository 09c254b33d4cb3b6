"""A model of one's own as a pantograph, and every kind of pantograph as items on a mount."""

import numpy as np
import pytest

from panhead.engine.bodies import Beam, GuidedMass, RigidBody, Section, ground
from panhead.engine.forces import Push, Slide, SpringDamper, Twist
from panhead.engine.joints import Prismatic, Revolute
from panhead.engine.multibody import Model
from panhead.engine.multibody.outline import MotionView, positions
from panhead.engine.rotations import about
from panhead.errors import ModelError
from panhead.railway.pantograph.lumped_pantograph import LumpedPantograph, Stage
from panhead.railway.pantograph.model_pantograph import ModelPantograph
from panhead.railway.pantograph.pantograph_protocol import CarBody, TrainAxes, moving_marker
from panhead.railway.pantograph.pantograph_statics import equilibrium_with_strip_at

AXES = TrainAxes(50.0)


def two_masses() -> ModelPantograph:
    """As bodies of one's own: a frame on a guide, a head above it, both with their weight."""
    frame = RigidBody(name="frame", mass=15.0, inertia=(1.0, 1.0, 1.0), position=(0.3, 0.0, 1.0))
    head = RigidBody(
        name="head", mass=9.5, inertia=(1.0, 1.0, 1.0), position=(0.3, 0.0, 1.5),
        attitude=about((0.0, 0.0, 1.0), 0.5),
    )  # fmt: skip
    lift = (15.0 + 9.5) * 9.81 + 110.0
    items = (
        frame,
        head,
        Prismatic(name="guide", a=ground.at((0.3, 0.0, 0.0)), b=frame.at()),
        Prismatic(name="head guide", a=frame.at(), b=head.at(across=_unturned(0.5))),
        SpringDamper(name="springs", along=Slide(a=frame.at(), b=head.at()), stiffness=7200.0, damping=26.0, rest=0.5),
        SpringDamper(name="damper", along="frame.z", damping=90.0),
        Push(name="lift", at=frame.at(), force=(0.0, 0.0, lift)),
    )
    return ModelPantograph(model=Model(name="own", items=items), strip=head.at((0.0, 0.0, 0.05)))


def _unturned(angle: float) -> tuple[float, float, float]:
    """The default direction across, as a body turned by ``angle`` about z has it."""
    return (np.cos(angle), -np.sin(angle), 0.0)


def test_it_presses_with_what_is_left_of_its_lift():
    assert equilibrium_with_strip_at(two_masses(), AXES, (0.0, 0.0, 5.0)).forces == pytest.approx((110.0,), rel=1e-9)


def test_its_strip_is_where_the_wire_is_and_lies_across_the_track():
    """Its own place and the direction its head happens to look do not matter."""
    settled = equilibrium_with_strip_at(two_masses(), AXES, (1.0, 0.2, 5.3))
    strip = settled.strips[0].on(settled.system)
    here, left = (strip.touch(0.0, settled.state.q, settled.state.v, y) for y in (0.0, 0.4))
    assert (here.x, here.height) == pytest.approx((1.0, 5.3), abs=1e-9)
    assert left.x == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize("young", [7e10, 7e8])
def test_an_arm_that_bends_presses_with_the_moment_left_over_its_lever(young):
    """F x = T − Σ m g x_k about the hinge, x of the bent arm with its mass in the nodes, however soft it is."""
    section, lift = Section.tube(diameter=0.05, thickness=0.003), 150.0
    arm = Beam(
        name="arm", begin=(0.0, 0.0, 0.0), end=(1.2, 0.0, 0.9), elements=3, young=young, density=2700.0,
        section=section, across=(0.0, 1.0, 0.0), inertia="lumped",
    )  # fmt: skip
    hinge = Revolute(
        name="hinge", a=ground.at((0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0)), b=arm.at_world(0.0, axis=(0.0, 1.0, 0.0))
    )
    motor = Twist(name="motor", at=arm.at(0.0), torque=(0.0, -lift, 0.0))
    own = ModelPantograph(model=Model(name="soft", items=(arm, hinge, motor)), strip=arm.at(1.5))
    found = equilibrium_with_strip_at(own, AXES, (0.0, 0.0, 5.0))
    x, z = (np.array([found.state.q[found.system.place(f"arm.{k}{axis}")] for k in range(4)]) for axis in "xz")
    weight = 2700.0 * section.area * 1.5 * 9.81 * np.array([1, 2, 2, 1]) / 6
    assert found.force * x[-1] == pytest.approx(lift - weight @ x, rel=1e-6)
    bow = abs(x[1] * z[-1] - z[1] * x[-1]) / np.hypot(x[-1], z[-1])  # from its chord
    if young == 7e10:  # at a third of a beam with a moment at one end: 10 / 162 T L² / EI; its weight takes 2 % of it
        assert bow == pytest.approx(10 / 162 * lift * 1.5**2 / (young * section.inertia_y), rel=0.03)
    else:
        assert bow > 0.1


def test_what_is_carried_twice_goes_both_ways():
    """A strip is carried to its place above the rails, then along the line."""
    system, marker = Model(name="m", items=two_masses().model.items).system(), two_masses().strip
    there = moving_marker(marker, by=(1.0, 0.0, 2.0), velocity=(3.0, 0.0, 0.0))
    twice = moving_marker(there, by=(0.5, 0.0, 0.0), velocity=(1.0, 0.0, 0.0))
    motion = MotionView(system.coordinates, np.array([0.0, 2.0]), np.tile(system.start.q, (2, 1)))
    p = positions(motion, motion, [marker, twice])
    assert np.allclose(p[:, 1] - p[:, 0], [[1.5, 0.0, 2.0], [9.5, 0.0, 2.0]], atol=1e-12)


def test_a_chain_of_masses_presses_with_its_uplift():
    chain = LumpedPantograph(
        name="two masses",
        stages=(Stage(mass=9.5, stiffness=7200.0, damping=26.0), Stage(mass=15.0, stiffness=0.0, damping=90.0)),
        static_force=110.0,
        aerodynamic=0.01,
    )  # fmt: skip
    assert equilibrium_with_strip_at(chain, AXES, (0.0, 0.0, 5.0)).force == pytest.approx(chain.total_uplift(50.0))
    car = RigidBody(name="car", mass=3e4, inertia=(1e5, 1e6, 1e6), position=(2.0, 0.0, 1.8))
    items = chain.on(CarBody(car, 50.0), (3.0, 0.0, 5.0)).items
    system = Model(name="on a car", items=(car, *items)).system()
    assert system.start.v[system.place("mass_1.x")] == 50.0


def test_a_stop_of_a_chain_holds():
    """1 N/m carries nothing of 110 N; the stop with 1e5 N/m does, 1.1 mm behind its face."""
    stage = Stage(mass=9.5, stiffness=1.0, stop_up=0.01, friction=5.0)
    chain = LumpedPantograph(name="stopped", stages=(stage,), static_force=110.0)
    mechanics = chain.on(AXES, (0.0, 0.0, 5.0))
    from panhead.engine.methods.equilibrium import equilibrium

    system = Model(name="chain", items=mechanics.items).system()
    q, _ = equilibrium(system, system.start.q + 0.011)
    assert q[0] == pytest.approx(0.01 + (110.0 - 0.01) / 1e5, rel=1e-3)


def test_what_lies_on_its_side_is_refused():
    mass = GuidedMass(name="mass", mass=1.0, axis=(0.0, 1.0, 0.0))
    with pytest.raises(ModelError, match="gravity must act along −z"):
        ModelPantograph(model=Model(name="side", items=(mass,), gravity=(0.0, -9.81, 0.0)), strip=mass.at())


def test_a_car_body_needs_a_pantograph_that_can_stand_on_it():
    car = RigidBody(name="car", mass=3e4, inertia=(1e5, 1e6, 1e6))
    with pytest.raises(ModelError, match="car body"):
        two_masses().on(CarBody(car, 50.0), (0.0, 0.0, 5.0))
