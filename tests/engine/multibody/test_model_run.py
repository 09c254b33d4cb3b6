"""Options of ``Model.simulate``: redundant constraints, places and sensors by name, formulations."""

import numpy as np
import pytest

import panhead as ph
from panhead.engine.methods.formulations import Embedded
from panhead.errors import ConstraintError, ModelError, RunWarning, SimulationError

GROUND = ph.bodies.ground
CORNERS = ((0.0, 0.0, 0.0), (0.0, 0.0, 1.0), (1.0, 0.0, 1.0), (1.0, 0.0, 0.0))


def parallelogram(kind, along):
    """Three bars and four joints with axes along y: revolute joints repeat one another in space."""
    bars = []
    for k in range(3):
        middle = (np.array(CORNERS[k]) + CORNERS[k + 1]) / 2
        bars.append(ph.bodies.RigidBody(name=f"bar {k}", mass=1.0, inertia=(0.1, 0.1, 0.1), position=tuple(middle)))
    on = [GROUND, *bars, GROUND]
    joints = []
    for k, corner in enumerate(CORNERS):
        a, b = (x.at(corner, **along) if x is GROUND else x.at_world(corner, **along) for x in (on[k], on[k + 1]))
        joints.append((ph.joints.Revolute if k in kind else ph.joints.Spherical)(name="ABCD"[k], a=a, b=b))
    return ph.Model(name="parallelogram", items=(*bars, *joints), gravity=(1.0, 0.0, -9.81))


def test_redundant_joints_run_and_say_so():
    """The motion of one equation for the angle; multipliers without a part that does nothing."""
    along = {"axis": (0.0, 1.0, 0.0)}
    model = parallelogram((0, 1, 2, 3), along)
    with pytest.warns(RunWarning, match=r"3 of 23 constraints .* are redundant"):
        motion = model.simulate(duration=0.3, dt=0.01)
    angle = 2 * np.arctan2(motion["q"].values[:, 5], motion["q"].values[:, 3])  # of the first bar about y

    # one equation of the angle: two bars about their ends, one that is carried along
    from scipy.integrate import solve_ivp

    inertia = 2 * (0.1 + 0.25) + 1.0
    pull = lambda a: 2.0 * (1.0 * np.cos(a) + 9.81 * np.sin(a))
    found = solve_ivp(
        lambda t, y: (y[1], pull(y[0]) / inertia), (0.0, 0.3), (0.0, 0.0), rtol=1e-11, atol=1e-12,
        t_eval=motion["time"].values,
    )  # fmt: skip
    np.testing.assert_allclose(angle, found.y[0], rtol=0, atol=1e-7)
    assert float(motion["constraint_residual"].max()) < 1e-8
    system = model.system()
    G = system.constraint_q(0.3, motion["q"].values[-1]).toarray()
    nothing = G @ np.linalg.pinv(G)  # least norm: lam lies in the range of G
    np.testing.assert_allclose(nothing @ motion["lam"].values[-1], motion["lam"].values[-1], atol=1e-8)
    assert "least norm" in motion.attrs["run_note"]


def test_a_contradiction_is_still_refused():
    held = [ph.joints.Held(name=name, values={"mass.x": x}) for name, x in (("one", 0.0), ("two", 0.1))]
    mass = ph.bodies.PointMass(name="mass", mass=1.0, position=(0.0, 0.0, 0.0))
    with pytest.raises(ConstraintError, match="contradict"):
        ph.Model(name="torn", items=(mass, *held)).simulate(duration=0.1, dt=0.01)


def test_a_dependency_of_the_start_alone_is_found():
    """A mass on a line and on a sphere that touches it: both would hold it there; one alone lets it go."""
    mass = ph.bodies.PointMass(name="mass", mass=1.0, position=(1.0, 0.0, 0.0))
    rod = ph.joints.Distance(name="rod", a=GROUND.at(), b=mass.at(), length=1.0)
    guide = ph.joints.PointOnPlane(name="guide", a=GROUND.at((1.0, 0.0, 0.0), axis=(1.0, 0.0, 0.0)), b=mass.at())
    model = ph.Model(name="singular", items=(mass, rod, guide))
    with pytest.raises(SimulationError, match="singular position"):
        model.simulate(duration=0.2, dt=0.01)


def test_places_and_sensors_by_name():
    rod = ph.bodies.PlanarBody(name="rod", mass=1.0, inertia=0.1, position=(0.5, 0.0))
    hinge = ph.joints.Revolute(name="hinge", a=GROUND.at(), b=rod.at_world((0.0, 0.0)))
    model = ph.Model(name="pendulum", items=(rod, hinge), gravity=(0.0, -9.81, 0.0))
    tip = rod.at((0.5, 0.0, 0.0))
    motion = model.simulate(
        duration=0.3,
        dt=0.01,
        points={"tip": tip, "middle": ("rod", (0.0, 0.0, 0.0))},
        sensors={
            "reach": ph.forces.LineBetween(a=GROUND.at((0.0, 1.0, 0.0)), b=tip),
            "angle": "rod.angle",
            "speed": lambda s: abs(s.rate("rod.angle")),
        },
        formulation=Embedded(),
    )
    angle = motion["angle"].values
    np.testing.assert_allclose(motion["tip_x"], np.cos(angle), atol=1e-9)
    np.testing.assert_allclose(motion["middle_y"], 0.5 * np.sin(angle), atol=1e-9)
    np.testing.assert_allclose(motion["reach"], np.hypot(np.cos(angle), 1 - np.sin(angle)), atol=1e-9)
    np.testing.assert_allclose(motion["speed"], np.abs(motion["angle_rate"]), atol=1e-12)
    assert motion["reach"].attrs["units"] == "m"
    assert motion["angle"].attrs["units"] == "rad"
    assert "reach" in motion.attrs["outputs"]


def test_a_sensor_needs_a_name():
    mass = ph.bodies.PointMass(name="mass", mass=1.0, position=(0.0, 0.0, 0.0))
    with pytest.raises(ModelError, match="letters, digits and _ only"):
        ph.Model(name="m", items=(mass,)).simulate(duration=0.1, dt=0.01, sensors={"a b": "mass.x"})
