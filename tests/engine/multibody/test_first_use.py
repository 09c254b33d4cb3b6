"""What a first model must not do without a word: step over forces, jump, ignore gravity, end in bare errors."""

import warnings

import casadi as ca
import numpy as np
import pytest

from panhead.engine.bodies import PlanarBody, PointMass, RigidBody, ground
from panhead.engine.forces import Push, Table
from panhead.engine.joints import Driven, Revolute, Spherical
from panhead.engine.methods.integrators import GeneralizedAlpha
from panhead.engine.methods.modes import modes
from panhead.engine.multibody import Model
from panhead.engine.rotations import about
from panhead.errors import ConstraintError, ModelError, RunWarning

NO_GRAVITY = (0.0, 0.0, 0.0)
ONE = PointMass(name="p", mass=1.0)


def _simulate(*items, gravity=NO_GRAVITY, duration=0.1, dt=1e-4, **more):
    return Model(name="m", items=items, gravity=gravity).simulate(duration=duration, dt=dt, **more)


@pytest.mark.parametrize("begin", [0.0123, 0.05, 0.0871])
def test_short_force_is_not_stepped_over(begin):
    """1000 N for 1 ms on 1 kg: 1 N·s, 1 m/s. A jump is met to dt/1000 by error control, so 1e-4 of 1 ms."""
    pulse = lambda t: ca.if_else(ca.logic_and(t > begin, t < begin + 1e-3), 1, 0)
    result = _simulate(ONE, Push(name="push", at=ONE.at(), force=(1000.0, 0.0, 0.0), course=pulse))
    assert result.v.values[-1] == pytest.approx([1.0, 0.0, 0.0], abs=1e-4)
    assert result.attrs["run_steps"] >= 1000  # dt bounds every step
    assert result.attrs["run_method"].startswith("Adaptive(")
    assert result.attrs["run_method"].endswith("chosen by default")


def test_steps_end_at_the_corners_of_a_table():
    """A table of 2 ms in steps of 50 ms: ∫ of its cubics, area under (0,0) (1,1) (2,0) ms with level ends, 1 N·s."""
    table = Table(((0.0, 0.0), (0.0405, 0.0), (0.0415, 1.0), (0.0425, 0.0), (0.2, 0.0)))
    system = Model(
        name="m", items=(ONE, Push(name="push", at=ONE.at(), force=(1000.0, 0, 0), course=table)), gravity=NO_GRAVITY
    )
    assert system.system().corners == (0.0, 0.0405, 0.0415, 0.0425, 0.2)
    result = system.simulate(duration=0.1, dt=0.05)
    assert result.v.values[-1, 0] == pytest.approx(1.0, abs=1e-9)  # rtol of the method; cubics are integrated exactly


def _chain(n):
    bodies, joints, length = [], [], 1.0 / n
    for k in range(n):
        body = RigidBody(name=f"b{k}", mass=1.0, inertia=(1e-3, 1e-3, 1e-3), position=((k + 0.5) * length, 0.0, 0.0))
        before = bodies[-1].at((length / 2, 0.0, 0.0), axis=(0, 1, 0)) if bodies else ground.at(axis=(0, 1, 0))
        joints.append(Revolute(name=f"j{k}", a=before, b=body.at((-length / 2, 0.0, 0.0), axis=(0, 1, 0))))
        bodies.append(body)
    return Model(name="chain", items=(*bodies, *joints))


def test_default_method_is_as_good_beyond_sixty_coordinates():
    """Nine links, 63 coordinates; reference: steps of 0.1 ms, whose error falls with dt². 1e-8 a step asked."""
    model = _chain(9)
    tip = lambda result: result.q.sel(coordinate=["b8.x", "b8.z"]).values[-1]
    fine = [tip(model.simulate(duration=0.5, dt=dt, keep=0.5, method=GeneralizedAlpha())) for dt in (2e-4, 1e-4)]
    reference = fine[1] + (fine[1] - fine[0]) / 3
    coarse = model.simulate(duration=0.5, dt=0.01)
    assert "local_error=1e-08" in coarse.attrs["run_method"]
    assert tip(coarse) == pytest.approx(reference, abs=1e-5)


def test_motion_that_loses_energy_is_told():
    """A spinning body in free flight at 0.2 rad a step without error control: the balance says so."""
    body = RigidBody(name="b", mass=1.0, inertia=(1.0, 2.0, 2.5), spin=(0.1, 20.0, 0.1))
    with pytest.warns(RunWarning, match="energy balance"):
        _simulate(body, duration=10.0, dt=0.01, method=GeneralizedAlpha(spectral_radius=0.3))


def test_coarse_turns_are_told_with_the_step():
    """0.2 rad a step: the body, its step and 0.05 rad a step as remedy; 0.1 rad a step says nothing."""
    body = RigidBody(name="b", mass=1.0, inertia=(1.0, 2.0, 2.5), spin=(0.1, 20.0, 0.1))
    with pytest.warns(RunWarning, match=r"'b' of 'm' turns by 0\.2 rad in one step of 0\.01 s .* Use dt ≤ 0\.0025 s"):
        _simulate(body, duration=0.1, dt=0.01, method=GeneralizedAlpha())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        _simulate(body, duration=0.1, dt=0.005, method=GeneralizedAlpha())


def test_system_at_rest_is_balanced():
    """Rounding of 1e-12 J is no missing energy, however little is exchanged."""
    held = RigidBody(name="b", mass=1.0, inertia=(1.0, 1.0, 1.0), position=(0.0, 0.0, 100.0), velocity=(1e-9, 0.0, 0.0))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        _simulate(held, gravity=(1e-7, 0.0, -9.81), duration=1e-8, dt=1e-9, method=GeneralizedAlpha())


def test_fast_top_runs_with_every_spectral_radius():
    """200 rad/s in steps of 2 ms; without projected rates Newton stopped for 0.8 … 0.95. Reference: ρ = 1, 0.5 ms."""
    lean = 0.4
    body = RigidBody(
        name="top", mass=1.0, inertia=(0.01, 0.01, 0.005), spin=(0.0, 0.0, 200.0), attitude=about((0, 1, 0), lean),
        position=(0.2 * np.sin(lean), 0.0, 0.2 * np.cos(lean)),
    )  # fmt: skip
    model = Model(name="top", items=(body, Spherical(name="tip", a=ground.at(), b=body.at((0.0, 0.0, -0.2)))))
    run = lambda rho, dt: model.simulate(
        duration=0.4, dt=dt, keep=0.4, method=GeneralizedAlpha(spectral_radius=rho)
    ).q.values[-1, :3]
    reference = run(1.0, 5e-4)
    for rho in (0.95, 0.9, 0.8):
        assert run(rho, 2e-3) == pytest.approx(reference, abs=3e-3), rho  # 0.4 rad a step: a per cent of the lean


def test_jump_of_a_prescribed_motion_is_told():
    jump = Driven(name="d", coordinate="p.x", motion=lambda t: ca.if_else(t > 0.05, 1, 0))
    with pytest.warns(RunWarning, match=r"p\.x of 'm' jumps by 1 between t = 0\.05"):
        _simulate(ONE, jump, dt=0.01)


def test_planar_model_without_gravity_is_told():
    with pytest.warns(RunWarning, match="only planar bodies"):
        Model(name="m", items=(PlanarBody(name="b", mass=1.0, inertia=1.0),))


def test_inertia_as_a_matrix():
    J = ((1.0, 0.1, 0.2), (0.1, 1.1, 0.3), (0.2, 0.3, 1.2))
    body = RigidBody(name="b", mass=1.0, inertia=J)
    assert (body.inertia_matrix() == np.array(J)).all()
    with pytest.raises(ModelError, match="symmetric 3×3 matrix"):
        RigidBody(name="b", mass=1.0, inertia=((1.0, 0.2, 0.0), (0.1, 1.0, 0.0), (0.0, 0.0, 1.0)))


def _one_hinge(**sides):
    body = RigidBody(name="b", mass=1.0, inertia=(1.0, 1.0, 1.0))
    places = {side: where.at(**sides.get(side, {})) for side, where in (("a", ground), ("b", body))}
    return Model(name="m", items=(body, Revolute(name="hinge", **places)))


@pytest.mark.parametrize(
    "make, error, words",
    [
        (lambda: Model(name="m", items=(ONE,), gravity=(0, -9.81)), ModelError, "gravity must be three finite numbers"),
        (lambda: _simulate(ONE, q=[1.0, 2.0]), ModelError, r"q must be 3 finite numbers, .* p\.x, p\.y, p\.z"),
        (
            lambda: _one_hinge(a={"axis": (0, 1, 0)}).simulate(duration=0.1, dt=0.01),
            ConstraintError,
            "two sides of 'hinge' in 'm' differ by 90°",
        ),
        (
            lambda: _simulate(ONE, Driven(name="d", coordinate="p.x", motion=lambda t: 1 if t > 0 else 0)),
            ModelError,
            r"'d': a function given to it must be an expression .* casadi\.if_else",
        ),
        (lambda: modes(Model(name="m", items=(ONE,)).system()), ModelError, "modes takes a linearisation"),
    ],
    ids=["gravity", "start", "axis on one side", "if in a motion", "modes of a system"],
)
def test_error_names_part_and_remedy(make, error, words):
    with pytest.raises(error, match=words):
        make()
