"""Wrong models are refused in words that name the part, the value and the remedy."""

import re

import numpy as np
import pytest

from panhead.engine.bodies import Cable, GuidedMass, PlanarBody, PointMass, RigidBody, ground
from panhead.engine.forces import (
    Actuator,
    Bearing,
    Bushing,
    DryFriction,
    LineBetween,
    Push,
    SpringDamper,
    Stop,
    Table,
    TabulatedSpringDamper,
    TensionOnly,
    Twist,
)
from panhead.engine.joints import (
    Coupled,
    Cylindrical,
    Distance,
    Driven,
    Held,
    Prismatic,
    Revolute,
    Rigid,
    Spherical,
    Travel,
    Turn,
)
from panhead.engine.methods.equilibrium import assemble_configuration, require_inertia
from panhead.engine.methods.rank import rank_report, require_independent
from panhead.engine.multibody import Model
from panhead.engine.rotations import about
from panhead.errors import ConstraintError, ModelError

ONE = PlanarBody(name="one", mass=1.0, inertia=1.0)
TWO = PlanarBody(name="two", mass=1.0, inertia=1.0, position=(1.0, 0.0))
SOLID = RigidBody(name="solid", mass=1.0, inertia=(1, 1, 1))
LINE = LineBetween(a=ONE.at(), b=TWO.at())
BETWEEN = {"a": ONE.at(), "b": TWO.at()}
NEGATIVE = tuple(tuple(float(-(i == j)) for j in range(6)) for i in range(6))

WRONG = {
    "RigidBody 'b': mass must be finite and > 0, got -1": lambda: RigidBody(name="b", mass=-1, inertia=(1, 1, 1)),
    "RigidBody 'b': inertia must be positive definite": lambda: RigidBody(name="b", mass=1, inertia=(1, 1, 1, 2, 0, 0)),
    "RigidBody 'b': inertia (1, 1, 5) is not physical": lambda: RigidBody(name="b", mass=1, inertia=(1, 1, 5)),
    "RigidBody 'b': inertia must be xx, yy, zz": lambda: RigidBody(name="b", mass=1, inertia=(1, 1)),
    "RigidBody 'b': attitude must have length 1": lambda: RigidBody(
        name="b", mass=1, inertia=(1, 1, 1), attitude=(1, 1, 0, 0)
    ),
    "PlanarBody 'b': inertia must be finite and > 0": lambda: PlanarBody(name="b", mass=1.0, inertia=float("nan")),
    "GuidedMass 'b': axis must be three numbers, not all zero": lambda: GuidedMass(name="b", mass=1, axis=(0, 0, 0)),
    "between nodes (1, 0) and (1, 0) has no length": lambda: Cable(
        name="w", nodes=((0, 0), (1, 0), (1, 0)), mass_per_length=1.0, axial_stiffness=1.0
    ),
    "Revolute 'pin' joins 'one' with itself; name two bodies": lambda: Revolute(name="pin", a=ONE.at(), b=ONE.at()),
    "Turn 'pin' joins 'one' with itself": lambda: Turn(name="pin", a=ONE.at(), b=ONE.at()),
    "Travel 'pin' joins 'ground' and 'ground', neither of which has coordinates": lambda: Travel(
        name="pin", a=ground.at(), b=ground.at()
    ),
    "Distance 'rod': length must be finite and > 0, got 0": lambda: Distance(name="rod", length=0, **BETWEEN),
    "Distance 'rod' joins 'one' with itself": lambda: Distance(name="rod", length=1, a=ONE.at(), b=ONE.at()),
    "Coupled 'gear': ratios must be given, finite and not zero": lambda: Coupled(name="gear", ratios={"one.x": 0.0}),
    "Held 'pin': values must be given and finite": lambda: Held(name="pin", values={"one.x": float("inf")}),
    "Driven 'drive': motion must be a function of time, got 3.0; use Held": lambda: Driven(
        name="drive", coordinate="one.x", motion=3.0
    ),
    "SpringDamper 's': stiffness must be finite and ≥ 0": lambda: SpringDamper(name="s", along=LINE, stiffness=-1),
    "SpringDamper 's': along must be a Line, a Slide or the full name": lambda: SpringDamper(name="s", along="angle"),
    "SpringDamper 's' acts between two places on the same body 'one'": lambda: SpringDamper(
        name="s", along=LineBetween(a=ONE.at(), b=ONE.at((1, 0)))
    ),
    "TensionOnly 's': stiffness must be finite and > 0, got 0": lambda: TensionOnly(name="s", along=LINE, stiffness=0),
    "Stop 's': side must be 'upper' or 'lower', got 'left'": lambda: Stop(
        name="s", along=LINE, limit=1, stiffness=1, side="left"
    ),
    "TabulatedSpringDamper 's': give a spring or a damper": lambda: TabulatedSpringDamper(name="s", along=LINE),
    "damper must pass through (0, 0)": lambda: TabulatedSpringDamper(
        name="s", along=LINE, damper=Table(((-1.0, 1.0), (0.0, 0.0), (1.0, 1.0)))
    ),
    "Table: abscissae must increase from point to point; (1.0, 2.0) is followed by (1.0, 3.0)": lambda: Table(
        ((0.0, 0.0), (1.0, 2.0), (1.0, 3.0))
    ),
    "Bushing 's': stiffness must be six rows of six": lambda: Bushing(name="s", stiffness=((1.0,),), **BETWEEN),
    "Bushing 's': stiffness must be positive semidefinite; its least eigenvalue is -1": lambda: Bushing(
        name="s", stiffness=NEGATIVE, **BETWEEN
    ),
    "Bearing 's': clearance must be finite and ≥ 0": lambda: Bearing(name="s", stiffness=1, clearance=-0.1, **BETWEEN),
    "DryFriction 's': stick_force must be finite and at least slip_force 2.0, got 1.0": lambda: DryFriction(
        name="s", along=LINE, slip_force=2.0, stick_force=1.0, bristle_stiffness=1.0
    ),
    "DryFriction 's': elastic_share must be ≥ 0 and < 1": lambda: DryFriction(
        name="s", along=LINE, slip_force=2.0, bristle_stiffness=1.0, elastic_share=1.0
    ),
    "Push 's': force must be three finite numbers": lambda: Push(name="s", at=ONE.at(), force=(1.0, 2.0)),
    "Twist 's': torque must be three finite numbers": lambda: Twist(name="s", at=ONE.at(), torque=(0, 0, float("nan"))),
    "Actuator 's': gain must be finite": lambda: Actuator(name="s", along=LINE, gain=float("inf")),
}  # fmt: skip


@pytest.mark.parametrize("words", WRONG)
def test_wrong_numbers_are_named(words):
    with pytest.raises(ModelError, match=re.escape(words)):
        WRONG[words]()


def system(*items, **fields):
    return Model(name="model", items=items, **fields).system()


def test_missing_parts_are_named():
    pin = Revolute(name="pin", **BETWEEN)
    with pytest.raises(ModelError, match="'pin' is attached to 'two', which is not in the model; add that body"):
        system(ONE, pin)
    with pytest.raises(ModelError, match="'two', which is not in the model"):
        system(ONE, Turn(name="turn", **BETWEEN))
    with pytest.raises(ModelError, match=r"'s' needs the coordinate 'one.phi', but 'one' has only x, y, angle"):
        system(ONE, SpringDamper(name="s", along="one.phi"))
    with pytest.raises(ModelError, match="several items called one"):
        system(ONE, ONE)
    with pytest.raises(ModelError, match="Cylindrical 'c' joins planar bodies 'one' and 'two'"):
        system(ONE, TWO, Cylindrical(name="c", **BETWEEN))


def test_a_start_that_is_no_number_is_named():
    lost = PointMass(name="p", mass=1.0, position=(0.0, float("nan"), 0.0))
    with pytest.raises(ModelError, match="'p': y must start at a finite value with a finite rate, got nan"):
        system(lost)


def test_redundant_joints_are_named_with_their_direction():
    """A door on two hinges: of ten equations five repeat others; only one hinge and a point on the axis are needed."""
    door = RigidBody(name="door", mass=20.0, inertia=(4.0, 5.0, 1.0), position=(0.5, 0.0, 1.0))
    low, high = (
        Revolute(name=n, a=ground.at((0, 0, z)), b=door.at_world((0, 0, z))) for n, z in (("low", 0.2), ("high", 1.8))
    )
    model = system(door, low, high)
    report = rank_report(model, model.start.q)
    assert (report.rank, report.freedoms, len(report.redundant)) == (6, 1, 5)
    with pytest.raises(ConstraintError, match=r"high\.tilt about y repeats what low\.x and high\.x"):
        require_independent(model, model.start.q)


def test_contradictory_joints_are_told_apart():
    """Two rods of 1 m and of 1.2 m between the same points: dependent, and they cannot both be met."""
    point = PointMass(name="p", mass=1.0, position=(1.0, 0.0, 0.0))
    rods = [Distance(name=n, a=ground.at(), b=point.at(), length=x) for n, x in (("short", 1.0), ("long", 1.2))]
    model = system(point, *rods)
    with pytest.raises(ConstraintError, match=r"contradictory: .*long\.length.* by 0\.2") as error:
        require_independent(model, model.start.q)
    assert "short.length" in str(error.value)
    with pytest.raises(ConstraintError, match="cannot be assembled"):
        assemble_configuration(model, model.start.q)


def test_contradictory_drivers_are_told_apart():
    drivers = [Driven(name=n, coordinate="one.x", motion=lambda t, k=k: k * t) for n, k in (("slow", 1), ("fast", 3))]
    model = system(ONE, *drivers)
    with pytest.raises(ConstraintError, match=r"contradicts .*\.motion in its rate by 2"):
        require_independent(model, model.start.q)


def test_followers_and_bristles_need_no_inertia():
    free = system(SOLID, Turn(name="turn", a=ground.at(), b=SOLID.at()))
    require_inertia(free, free.start)  # θ follows the body: fine
    body = PointMass(name="p", mass=1.0)
    bristle = DryFriction(name="rub", along="p.x", slip_force=1.0, bristle_stiffness=1e3)
    rubbing = system(body, bristle)
    require_inertia(rubbing, rubbing.start)  # an equation of first order needs none
    tied = system(ONE, Prismatic(name="guide", a=ground.at(axis=(1, 0, 0)), b=ONE.at(axis=(1, 0, 0))))
    require_inertia(tied, tied.start)


def test_assembly_keeps_euler_parameters_of_length_one():
    """From parameters 20 % too long and points 0.1 m apart: closed, and of unit length."""
    body = RigidBody(name="b", mass=1.0, inertia=(1, 1, 1), position=(0.6, 0.1, 0.0), attitude=about((1, 2, 3), 0.2))
    model = system(body, Spherical(name="ball", a=ground.at(), b=body.at((-0.5, 0, 0))))
    guess = model.start.q.copy()
    guess[3:] *= 1.2
    q = assemble_configuration(model, guess)
    assert np.linalg.norm(q[3:]) == pytest.approx(1.0, abs=1e-13)
    assert np.abs(model.constraint(0.0, q)).max() < 1e-12


def test_weld_between_planar_bodies_holds_three_motions():
    model = system(ONE, Rigid(name="weld", a=ground.at((0, 0, 0), across=(1, 0, 0)), b=ONE.at(across=(1, 0, 0))))
    assert rank_report(model, model.start.q).freedoms == 0


def test_a_coordinate_that_is_none_is_told_with_the_nearest():
    wire = Cable(
        name="w", nodes=tuple((float(x), 0.0, 0.0) for x in range(9)), mass_per_length=1.0, axial_stiffness=1e5
    )
    system = Model(name="long", items=(wire,)).system()
    with pytest.raises(ModelError, match=r"no coordinate 'w\.8X'; it has .*w\.8x.*… \(54 in all\)"):
        system.place("w.8X")


def test_a_point_of_the_wrong_size_is_refused_and_the_plane_needs_two_numbers():
    """``ground.at((x, y))`` ended in KeyError 'p.2' when the model was derived."""
    assert ground.at((3.0, 4.0)).numbers == ground.at((3.0, 4.0, 0.0)).numbers
    assert ONE.at((3.0, 4.0)).numbers == ONE.at((3.0, 4.0, 0.0)).numbers
    for body in (ground, ONE):
        with pytest.raises(ModelError, match=r"must be three finite numbers .*, or two in the plane, got \(1.0,\)"):
            body.at((1.0,))
    for wrong in ((3.0, 4.0), (1.0, 2.0, 3.0, 4.0), (1.0, float("nan"), 0.0)):
        with pytest.raises(ModelError, match=r"must be three finite numbers \(x, y, z\) \[m\], got"):
            SOLID.at(wrong)


def test_a_pendulum_on_a_planar_place_of_the_ground_assembles():
    hinge = Revolute(name="hinge", a=ground.at((1.0, 2.0)), b=ONE.at((1.0, 2.0)))
    assert np.abs(system(ONE, hinge).constraint(0.0, system(ONE, hinge).start.q)).max() < 1e-12
