"""Contacts with friction in space that hold more than there are freedoms, rows of touching bodies, many balls."""

import numpy as np
import pytest

from panhead.engine.bodies import RigidBody, ground
from panhead.engine.forces import BallContact, ImpactLaw, PlaneContact
from panhead.engine.methods.contact_newton import polish
from panhead.engine.methods.integrators import MoreauJean
from panhead.engine.multibody import Model
from panhead.engine.rotations import about
from panhead.errors import ModelError, RunWarning

G = 9.81


def _box(mu, velocity=(1.0, 0.0, 0.0), spin=(0.0, 0.0, 0.0), low=0.01, **start):
    """A flat box on four corners: so low that sliding does not tip it."""
    body = RigidBody(
        name="box", mass=2.0, inertia=(0.02, 0.03, 0.04), velocity=velocity, spin=spin,
        position=start.pop("position", (0.0, 0.0, low)), **start,
    )  # fmt: skip
    law = ImpactLaw(friction=mu)
    corners = [
        PlaneContact(name=f"foot {i} {j}", plane=ground.at(), point=body.at((0.2 * i, 0.15 * j, -low)), law=law)
        for i in (-1, 1)
        for j in (-1, 1)
    ]
    return Model(name="box", items=(body, *corners))


@pytest.mark.parametrize("mu", [0.1, 0.3, 0.8])
def test_box_on_four_corners_slides_as_far_as_friction_lets_it(mu):
    """v²/2μg by hand; steps of 2 ms, the last of which ends within v_last h = μ g h²."""
    result = _box(mu).simulate(duration=1.2, dt=2e-3)
    assert result.q.values[-1, 0] == pytest.approx(1 / (2 * mu * G), abs=2 * mu * G * 2e-3**2)
    assert np.abs(result.v.values[-1]).max() < 1e-9


@pytest.mark.parametrize("dt", [5e-3, 2e-3, 5e-4])
@pytest.mark.parametrize("mu", [0.1, 0.3, 0.8])
def test_box_that_slides_and_spins_comes_to_rest(mu, dt):
    """Friction takes all of ½ m v² + ½ J ω² = 1.09 + 0.18 J, no more: 1e-4 of it by steps of second order."""
    result = _box(mu, velocity=(1.0, 0.3, 0.0), spin=(0.0, 0.0, 3.0)).simulate(duration=1.3, dt=dt)
    assert float(result.dissipated[-1]) == pytest.approx(1.09 + 0.5 * 0.04 * 9, rel=1e-4)


def test_dropped_tilted_box_lies_flat():
    tilted = about((1.0, 2.0, 0.3), 0.4)
    result = _box(0.3, spin=(1.0, 2.0, 3.0), low=0.1, position=(0.0, 0.0, 0.6), attitude=tilted).simulate(
        duration=1.5, dt=2e-3
    )
    q = result.q.values[-1]
    assert q[2] == pytest.approx(0.1, abs=1e-7)  # on its corners
    assert np.abs(q[4:6]).max() < 1e-6  # upright: no rotation but about z


def _row_of_balls(e):
    balls = [
        RigidBody(
            name=f"b{k}", mass=1.0, inertia=(1.0, 1.0, 1.0), position=(0.2 * k - 0.1 * (k == 0), 0.0, 0.0),
            velocity=(float(k == 0), 0.0, 0.0),
        )
        for k in range(5)
    ]  # fmt: skip
    law = ImpactLaw(restitution=e)
    meets = [
        BallContact(name=f"c{k}", a=balls[k].at(), b=balls[k + 1].at(), radii=(0.1, 0.1), law=law) for k in range(4)
    ]
    return Model(name="cradle", items=(*balls, *meets), gravity=(0.0, 0.0, 0.0))


def _speeds(result):
    return result.v.sel(coordinate=[f"b{k}.x" for k in range(5)]).values[-1]


def test_newtons_cradle_by_both_rules():
    """One after the other: e = 1 swaps velocities pair by pair. Together: γ⁺ = −e γ⁻ for all four gaps at once."""
    swapped = _row_of_balls(1.0).simulate(duration=0.3, dt=0.01, method=MoreauJean(impacts="sequential"))
    assert _speeds(swapped) == pytest.approx([0, 0, 0, 0, 1], abs=1e-12)
    with pytest.warns(RunWarning, match="Newton's cradle"):
        together = _row_of_balls(1.0).simulate(duration=0.3, dt=0.01)
    assert _speeds(together) == pytest.approx([-0.6, 0.4, 0.4, 0.4, 0.4], abs=1e-9)


def test_lossy_row_passes_the_share_of_two_balls_on():
    """(1 + e)/2 of the speed at each of four blows, 0.9⁴; momentum and the loss of energy add up."""
    result = _row_of_balls(0.8).simulate(duration=0.3, dt=0.01, method=MoreauJean(impacts="sequential"))
    speeds = _speeds(result)
    assert speeds[-1] == pytest.approx(0.9**4, abs=1e-12)
    assert speeds.sum() == pytest.approx(1.0, abs=1e-12)
    assert float(result.dissipated[-1]) == pytest.approx(0.5 - 0.5 * (speeds**2).sum(), abs=1e-12)
    assert (np.diff(speeds) > -1e-12).all()


def test_sequential_impacts_need_instants():
    with pytest.raises(ModelError, match="events='located'"):
        MoreauJean(impacts="sequential", events="stepped")


def test_balls_in_a_pit_come_to_rest_on_one_another():
    """Ten balls in a box of 0.62 m: the last lies on others; weights of all are carried by the floor."""
    rng, r = np.random.default_rng(3), 0.1
    law = ImpactLaw(restitution=0.2, friction=0.4)
    balls = [
        RigidBody(
            name=f"b{k}", mass=1.0, inertia=(0.004,) * 3,
            position=((k % 3 - 1) * 0.205, (k // 3 % 3 - 1) * 0.205, 0.11 + 0.3 * (k // 9) + 0.01 * rng.random()),
        )
        for k in range(10)
    ]  # fmt: skip
    walls = {"floor": ((0, 0, 0), (0, 0, 1))} | {
        f"wall {a}{s}": (tuple(-0.31 * s * (i == a) for i in range(3)), tuple(float(s * (i == a)) for i in range(3)))
        for a in (0, 1)
        for s in (-1, 1)
    }
    items = [
        PlaneContact(name=f"{w} {b.name}", plane=ground.at(p, axis=n), point=b.at(), radius=r, law=law)
        for b in balls
        for w, (p, n) in walls.items()
    ]
    items += [
        BallContact(name=f"{a.name} {b.name}", a=a.at(), b=b.at(), radii=(r, r), law=law)
        for k, a in enumerate(balls)
        for b in balls[:k]
    ]
    result = Model(name="pit", items=(*balls, *items)).simulate(
        duration=1.5, dt=5e-3, method=MoreauJean(events="stepped", theta=1.0)
    )
    floor = [name for name in result.contact.values if name.startswith("floor")]
    carried = float(result.contact_normal.sel(contact=floor).isel(time=-1).sum())
    assert float(result.contact_gap.min()) > -6e-3  # stepped: half a step at √(2 g 0.3 m) = 2.4 m/s
    assert carried == pytest.approx(10 * G, rel=0.02)  # walls rub a little


def test_newton_on_the_natural_map_solves_four_legs():
    """A plate pressed on four legs: P_N sums to the load, no slip; D has rank 3, so P is not unique, y is."""
    legs = np.array([(1, 1), (1, -1), (-1, 1), (-1, -1)], float)
    W = np.column_stack([np.ones(4), legs])
    D, c = W @ W.T, -W @ np.array([1.0, 0.2, -0.1])
    first = np.arange(5)
    P, residual = polish(D, c, first, np.zeros(4), np.zeros(4, bool), np.zeros(4), np.ones(4))
    assert residual < 1e-12
    assert pytest.approx([1.0, 0.2, -0.1], abs=1e-12) == W.T @ P
