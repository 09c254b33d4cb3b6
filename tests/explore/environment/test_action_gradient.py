"""Derivative of the return by the actions, against differences of plain episodes."""

import numpy as np
import pytest

from explore.environment.tasks import play, short
from panhead.env import PantographActuator, PantographEnv, Reward
from panhead.errors import ModelError


def returns(env, actions):
    env.reset(seed=1)
    return sum(play(env, actions)[0])


@pytest.mark.parametrize(
    "actuator", [PantographActuator(), PantographActuator(on="frame", rate=400.0)], ids=["head", "limited frame"]
)
def test_the_gradient_is_that_of_plain_episodes(actuator):
    """Central differences of step 1e-5 err by h² and by the rounding of the return over h: 1e-6 of the gradient's
    size. The force of the second actuator is held back by its rate in half of the intervals."""
    reward = Reward(extremes=1.0, low=110.0, high=125.0, effort=0.05)
    env = PantographEnv(short(actuator=actuator, reward=reward))
    env.reset(seed=1)
    n = env.episode.prepared.schedule.actions
    actions = 0.3 * np.sin(0.37 * np.arange(n))
    found = env.gradient(actions)
    assert found.value == pytest.approx(returns(env, actions), rel=1e-10)
    if actuator.rate < 1000.0:
        assert 0.2 < np.mean(found.by_action == 0.0) < 0.9
    for seed in range(3):
        d = np.random.default_rng(seed).standard_normal(n)
        h = 1e-5
        slope = (returns(env, actions + h * d) - returns(env, actions - h * d)) / (2 * h)
        assert found.by_action @ d == pytest.approx(slope, abs=1e-5 * np.linalg.norm(found.by_action))


def test_parameters_of_a_policy_follow_by_their_jacobian():
    env = PantographEnv(short())
    env.reset(seed=1)
    n = env.episode.prepared.schedule.actions
    basis = np.stack([np.sin(0.2 * np.arange(n)), np.cos(0.2 * np.arange(n))], axis=1)
    theta = np.array([0.2, -0.1])
    found = env.gradient(basis @ theta, basis)
    assert found.by_parameter == pytest.approx(found.by_action @ basis)
    h = 1e-5
    for k in range(2):
        step = h * np.eye(2)[k]
        slope = (returns(env, basis @ (theta + step)) - returns(env, basis @ (theta - step))) / (2 * h)
        assert found.by_parameter[k] == pytest.approx(slope, rel=1e-4)


def test_what_has_no_gradient_is_refused_by_name():
    env = PantographEnv(short(actuator=PantographActuator(on="damper")))
    env.reset(seed=1)
    with pytest.raises(ModelError, match="damper"):
        env.gradient(np.zeros(env.episode.prepared.schedule.actions))
    env = PantographEnv(short())
    env.reset(seed=1)
    with pytest.raises(ModelError, match="actions, got 3"):
        env.gradient(np.zeros(3))
