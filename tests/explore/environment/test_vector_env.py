"""Lanes are the single environment: the same observations, rewards and scores, bit for bit."""

import numpy as np
import pytest

from explore.environment.tasks import short
from panhead.env import ControlTask, PantographActuator, PantographEnv, PantographVectorEnv, RunFamily, small_errors
from panhead.errors import ModelError

LANES = 8


@pytest.mark.parametrize("on", ["head", "damper"])
def test_every_lane_is_the_single_environment_beyond_its_first_episode(on):
    task = short(actuator=PantographActuator(on=on, travel=0.06))
    many, one = PantographVectorEnv(LANES, task), PantographEnv(task)
    first, _ = many.reset(seed=5)
    n = many.episodes[0].prepared.schedule.actions
    actions = np.random.default_rng(0).uniform(-1.0, 1.0, (n + 5, LANES, 1))
    steps = [many.step(a) for a in actions]
    score = steps[n - 1][4]["final_info"]["score"]["deviation"]
    for k in (0, LANES - 1):
        np.testing.assert_array_equal(one.reset(seed=5 + k)[0], first[k])
        for j, action in enumerate(actions[:, k]):
            seen, reward, _, over, info = one.step(action)
            assert reward == steps[j][1][k]
            assert over == steps[j][3][k]
            if over:
                assert info["score"]["deviation"] == score[k]
                np.testing.assert_array_equal(seen, steps[j][4]["final_obs"][k])
                seen, _ = one.reset()
            np.testing.assert_array_equal(seen, steps[j][0][k])


def test_lanes_share_a_line_and_differ_in_speed():
    family = RunFamily(lines=("en50318-2002", "Re 250"), spans=8, step=2e-3, element_length=2.0, scatter=small_errors())
    many = PantographVectorEnv(3, ControlTask(runs=family))
    first, _ = many.reset(seed=2)
    assert len(set(many.lines)) == 1
    assert len({e.prepared.model.run.speed for e in many.episodes}) == 3
    one = PantographEnv(many.task)
    seen, _ = one.reset(seed=4, options={"line": many.lines[2]})
    np.testing.assert_array_equal(seen, first[2])
    actions = np.random.default_rng(1).uniform(-1.0, 1.0, (20, 3, 1))
    for a in actions:
        rewards = many.step(a)[1]
        assert one.step(a[2])[1] == rewards[2]


def test_what_lanes_do_not_carry_is_computed_alone():
    gusts = {"lateral": True, "conditions": {"wind": {"speed": 15.0, "intensity": 0.2}}}
    task = short(gusts)
    many, one = PantographVectorEnv(2, task), PantographEnv(task)
    many.reset(seed=1)
    one.reset(seed=1)
    for a in (0.3, -0.2):
        assert many.step(np.full((2, 1), a))[1][0] == one.step([a])[1]


def test_wrong_requests_are_refused_by_name():
    many = PantographVectorEnv(2, short())
    with pytest.raises(ModelError, match="reset"):
        many.step(np.zeros((2, 1)))
    many.reset(seed=1)
    with pytest.raises(ModelError, match="each of 2"):
        many.step(np.zeros((3, 1)))
    with pytest.raises(ModelError, match="NaN"):
        many.step(np.array([[0.0], [np.nan]]))
    with pytest.raises(ModelError, match="num_envs"):
        PantographVectorEnv(0, short())
    with pytest.raises(ModelError, match="one seed"):
        many.reset(seed=[1])
