"""The environment is the run: without actions that of the scenario, with actions that of the same forces in a table."""

import json
from dataclasses import replace

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from explore.environment.tasks import SHORT, play, short
from panhead.env import ControlTask, PantographActuator, PantographEnv, Reward, RunFamily, Sensors, small_errors
from panhead.errors import FileError, ModelError
from panhead.explore.environment.episode_file import read_episode
from panhead.explore.environment.episode_start import named_run
from panhead.runs.force_histories import PushInTime
from panhead.runs.simulate import simulate_one

ROUNDING = 1e-7  # N: the run is computed in other pieces
WAVE = 0.4 * np.sin(0.4 * np.arange(200))


def count(env):
    return env.episode.prepared.schedule.actions


def test_an_episode_without_actions_is_the_run():
    env = PantographEnv(short())
    env.reset(seed=1)
    _, info = play(env, np.zeros(count(env)))
    result = simulate_one(named_run(env.task))
    mine = env.episode.force()[:, 0]
    assert mine == pytest.approx(result["contact_force"].to_numpy()[0, : mine.size], abs=ROUNDING)
    assert info["score"]["effort"] == 0.0


@pytest.mark.parametrize(("on", "stages"), [("head", (1, 2)), ("frame", (2,))])
def test_an_episode_with_forces_is_the_run_with_the_same_forces(on, stages):
    env = PantographEnv(short(actuator=PantographActuator(on=on)))
    env.reset(seed=1)
    _, info = play(env, WAVE[: count(env)])
    s, h = env.episode.prepared.schedule, env.episode.prepared.model.run.numerics.step
    times = (s.first + s.each * np.arange(s.actions + 1)) * h
    values = np.concatenate([[0.0], env.episode.values])
    pushes = tuple(
        PushInTime(table=tuple(zip(times.tolist(), (sign * values).tolist(), strict=True)), stage=stage)
        for stage, sign in zip(stages, (1.0, -1.0), strict=False)
    )
    result = simulate_one(replace(named_run(env.task), pushes=pushes))
    mine = env.episode.force()[:, 0]
    assert mine == pytest.approx(result["contact_force"].to_numpy()[0, : mine.size], abs=ROUNDING)
    assert np.abs(mine).max() > 150.0  # the forces are felt
    assert info["score"]["deviation"] == pytest.approx(env.episode.score()["deviation"])


def test_a_damper_that_never_changes_is_a_damper_of_the_pantograph():
    """From the start of control on; before it the pantograph has its own damping alone."""
    setting, lead = 200.0, 10.0  # the whole run is controlled
    env = PantographEnv(short(actuator=PantographActuator(on="damper", setting=setting), lead=lead))
    env.reset(seed=1)
    assert env.episode.prepared.schedule.first < env.episode.prepared.schedule.each
    play(env, np.ones(count(env)))
    stiffer = {"train": {"0": {"changes": {"stages": {"0": {"damping": 10.0 + setting}}}}}}
    result = simulate_one(named_run(short(stiffer)))
    mine = env.episode.force()[:, 0]
    assert mine[100:] == pytest.approx(result["contact_force"].to_numpy()[0, 100 : mine.size], abs=1e-2)
    plain = simulate_one(named_run(short()))["contact_force"].to_numpy()[0, : mine.size]
    assert np.abs(mine - plain).max() > 5.0


def test_it_passes_the_checker_of_gymnasium():
    check_env(PantographEnv(short()), skip_render_check=True)
    env = gymnasium.make("panhead.env:Pantograph-v0", task=short())
    env.reset(seed=1)
    assert env.unwrapped.episode.done == 0


def test_a_seed_is_an_episode():
    family = RunFamily(lines=("en50318-2002",), wind=10.0, scatter=small_errors(), step=2e-3, element_length=2.0)
    env = PantographEnv(ControlTask(runs=family))
    first, _ = env.reset(seed=3)
    one = env.step([0.3])[:2]
    again, _ = env.reset(seed=3)
    np.testing.assert_array_equal(first, again)
    assert env.step([0.3])[1] == one[1]
    run = env.episode.prepared.model.run
    env.reset()
    assert env.episode.prepared.model.run != run  # the next episode is another


def test_lines_of_the_test_split_are_held_out():
    family = RunFamily()
    train, test = family.names("train"), family.names("test")
    assert set(train) | set(test) == set(family.lines)
    assert not set(train) & set(test)
    assert replace(family, split_seed=1).names("test") != test
    drawn = {family.draw(np.random.default_rng(k), "test").about.split(" at ")[0] for k in range(12)}
    assert len(drawn) == len(test)


def test_the_second_pantograph_can_be_the_controlled_one():
    journey = {"start": 90.0, "judged_from": 100.0, "judged_to": 140.0, "stop": 230.0, "ramp": 0.2, "run_in": 0.0}
    two = {
        "train": [{"pantograph": "en50318-2002"}, {"pantograph": "en50318-2002", "behind": 80.0}],
        "journey": journey,
    }
    env = PantographEnv(short(two, actuator=PantographActuator(pantograph=2)))
    env.reset(seed=1)
    play(env, WAVE[: count(env)])
    both = env.episode.force()
    plain = simulate_one(named_run(env.task))["contact_force"].to_numpy().T[: len(both)]
    apart = np.abs(both - plain).max(axis=0)
    assert apart[1] > 10.0
    assert apart[0] < 0.2 * apart[1]  # it feels the other only through the wire


def test_sensors_are_exact_without_noise_and_late_with_delay():
    exact = PantographEnv(short(sensors=Sensors(noise=0.0)))
    late = PantographEnv(short(sensors=Sensors(noise=0.0, delay=0.03)))
    noisy = PantographEnv(short())
    seen = {}
    for name, env in (("exact", exact), ("late", late), ("noisy", noisy)):
        first, _ = env.reset(seed=1)
        seen[name] = np.array([first, *(env.step([a])[0] for a in WAVE[:40])])
    np.testing.assert_array_equal(seen["late"][3:], seen["exact"][:-3])
    errors = (seen["noisy"] - seen["exact"])[:, 0] * 100.0
    assert 1.2 < errors.std() < 2.8  # 2 N of 41 samples: within 4 standard errors


def test_the_whole_state_can_be_observed():
    env = PantographEnv(short(sensors=Sensors(signals=("force",), noise=0.0, state=True)))
    seen, _ = env.reset(seed=1)
    state = env.plant.session.state
    assert seen.shape == env.observation_space.shape == (1 + 2 * 2 + 2 * state.q[0].size,)
    assert seen[1:3] == pytest.approx(state.z[0], rel=1e-6)


@pytest.mark.parametrize("on", ["head", "damper"])
def test_a_checkpoint_continues_with_the_same_bits(on, tmp_path):
    task = short(actuator=PantographActuator(on=on, travel=0.06))
    env = PantographEnv(task)
    env.reset(seed=4)
    play(env, WAVE[:20])
    path = env.save(tmp_path / "episode.npz")
    rest, info = play(env, WAVE[20 : count(env)])
    other = PantographEnv(task)
    other.restore(path)
    again, seen = play(other, WAVE[20 : count(other)])
    assert again == rest
    assert seen["score"] == info["score"]
    json.loads(str(read_episode(path)["run"]))  # text and numbers, no code


def test_a_foreign_checkpoint_is_refused(tmp_path):
    env = PantographEnv(short())
    env.reset(seed=1)
    state = env.save_state()
    with pytest.raises(ModelError, match="another task"):
        PantographEnv(short(interval=0.02)).restore_state(state)
    del state["plant.z"]
    with pytest.raises(ModelError, match="not one of an episode"):
        env.restore_state(state)
    (tmp_path / "x.npz").write_bytes(b"PK nothing")
    with pytest.raises(FileError, match="cannot be read"):
        env.restore(tmp_path / "x.npz")


@pytest.mark.parametrize(
    ("action", "words"), [(np.nan, "NaN"), (1.5, "outside its limits"), ([0.1, 0.2], "one number"), (-np.inf, "finite")]
)
def test_wrong_actions_are_refused_by_name(action, words):
    env = PantographEnv(short())
    env.reset(seed=1)
    with pytest.raises(ModelError, match=words):
        env.step(action)
    assert env.episode.done == 0


def test_the_rate_of_the_actuator_is_kept():
    env = PantographEnv(short(actuator=PantographActuator(force=50.0, rate=1000.0)))
    env.reset(seed=1)
    play(env, [1.0, 1.0, -1.0, -1.0])
    assert env.episode.values == pytest.approx([10.0, 20.0, 10.0, 0.0])


def test_the_reward_is_its_equation():
    """Each step of an interval, written out; every term is felt."""
    reward = Reward(variance=2.0, extremes=3.0, loss=5.0, effort=0.1, low=100.0, high=130.0)
    env = PantographEnv(short(reward=reward))
    env.reset(seed=1)
    found = play(env, WAVE[: count(env)])[0]
    s, F0, u0 = env.episode.prepared.schedule, 120.0, 0.0
    force = env.episode.force()[:, 0]
    for k, u1 in enumerate(env.episode.values):
        expected = 0.0
        for i in range(1, s.each + 1):
            step = s.first + k * s.each + i
            F, u = force[step - 1], u0 + (u1 - u0) * i / s.each
            judged = step >= s.judged
            expected -= judged * (2.0 * ((F - F0) / F0) ** 2 + 5.0 * (F <= 0.0)) + 0.1 * (u / 50.0) ** 2
            expected -= judged * 3.0 * (max(0.0, F - 130.0) ** 2 + max(0.0, 100.0 - F) ** 2) / F0**2
        assert found[k] == pytest.approx(expected / (s.last - s.judged), rel=1e-9)
        u0 = u1


REFUSED = {
    "window too short": (lambda: short({"journey": SHORT["journey"] | {"judged_to": 104.0}}), "assessed section"),
    "moving window": (lambda: short({"numerics": {"window": "moving", "step": "2 ms"}}), "numerics.window"),
    "solver": (lambda: short({"solver": "coupled"}), "solver"),
    "mean force": (lambda: short({"train": {"0": {"mean_force": "120 N"}}}), "mean_force"),
    "no such pantograph": (lambda: short(actuator=PantographActuator(pantograph=2)), "no pantograph 2"),
    "interval": (lambda: short(interval=0.003), "multiple of the time step"),
    "delay": (lambda: short(sensors=Sensors(delay=0.005)), "multiple of the control interval"),
    "signal": (lambda: short(sensors=Sensors(signals=("forse",))), "forse"),
    "state of a family": (lambda: ControlTask(sensors=Sensors(state=True)), "one run"),
    "no scenario": (lambda: ControlTask(runs="chain"), "not a run"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_carried_is_refused_by_name(name):
    task, words = REFUSED[name]
    with pytest.raises(ModelError, match=words):
        PantographEnv(task()).reset(seed=1)


def test_steps_before_and_after_an_episode_are_refused():
    env = PantographEnv(short())
    with pytest.raises(ModelError, match="reset"):
        env.step([0.0])
    env.reset(seed=1)
    play(env, np.zeros(count(env)))
    with pytest.raises(ModelError, match="is over"):
        env.step([0.0])
    with pytest.raises(ModelError, match="unknown option"):
        env.reset(options={"lines": 1})
