"""Baselines, ceiling and leaderboard: the ceiling bounds every policy, and its force can be played."""

import csv
import re
import tomllib
from dataclasses import replace

import numpy as np
import pytest

from explore.environment.tasks import play, short
from panhead.desk.reports.render import write
from panhead.env import PantographActuator, PantographEnv, Sensors
from panhead.errors import ModelError
from panhead.explore.environment import leaderboard
from panhead.explore.environment.design_model import LineModel, design_model, passing_frequencies
from panhead.explore.environment.episode_bound import EpisodeCeiling, episode_ceiling
from panhead.explore.environment.evaluation import compare, play_episode
from panhead.explore.environment.leaderboard import conduct, read_task
from panhead.explore.environment.leaderboard_page import page
from panhead.explore.environment.linear_regulator import Lqg
from panhead.explore.environment.policies import LinearPolicy, NoControl, baselines
from panhead.files import library


@pytest.fixture(scope="module")
def board(tmp_path_factory):
    folder = tmp_path_factory.mktemp("board")
    return conduct(short(), folder, episodes=1, iterations=6), folder


def test_the_ceiling_bounds_every_baseline(board):
    found, _ = board
    shares = {name: found.mean_share(name) for name in found.policies()}
    assert set(shares) == set(baselines())
    assert shares["none"] == pytest.approx(0.0, abs=1e-9)
    assert max(shares.values()) < 1.0
    assert min(shares["derivative"], shares["lqg"], shares["mpc"]) > 0.05
    (ceiling,) = found.ceilings.values()
    assert 0.0 <= ceiling.least <= ceiling.deviation < 0.6 * ceiling.passive


@pytest.mark.parametrize("reached", [0.99, 1.0])
def test_a_search_that_ended_too_early_is_no_ceiling(board, reached):
    """A policy beat what the search had found, or that was no better than none."""
    found, _ = board
    ((seed, ceiling),) = found.ceilings.items()
    assert found.surpassed == []
    assert page(found).verdict.details == []
    early = replace(found, ceilings={seed: replace(ceiling, deviation=reached * ceiling.passive)})
    verdict = page(early).verdict
    assert early.surpassed == [seed]
    assert verdict.mood == "warning"
    assert f"No ceiling in 1 of 1 episodes (seeds {seed})" in verdict.details[0]


def test_the_force_of_the_ceiling_is_an_episode(board):
    """Played as actions it gives the deviation of the search, but for its first value: control starts at zero."""
    found, _ = board
    (seed, ceiling), *_ = found.ceilings.items()
    env = PantographEnv(found.task)
    env.reset(seed=seed)
    _, info = play(env, ceiling.force[1:] / env.task.actuator.force)
    assert info["score"]["deviation"] == pytest.approx(ceiling.deviation, rel=0.02)


def test_files_hold_what_was_found_and_are_resumed(board):
    found, folder = board
    rows = list(csv.DictReader((folder / "leaderboard.csv").read_text(encoding="utf-8").splitlines()))
    assert len(rows) == len(baselines())
    table = tomllib.loads((folder / "leaderboard.toml").read_text(encoding="utf-8"))
    assert [row["name"] for row in table["policies"]] == found.policies()
    (path,) = (folder / "episodes").glob("*.json")
    before = path.stat().st_mtime_ns
    again = conduct(short(), folder, episodes=1, iterations=6, policies={"none": NoControl()})
    assert path.stat().st_mtime_ns == before
    assert again.ceilings[1000].deviation == found.ceilings[1000].deviation
    path.write_text('{"passive": ', encoding="utf-8")  # damaged: found again
    damaged = conduct(short(), folder, episodes=1, iterations=6, policies={"none": NoControl()})
    assert damaged.ceilings[1000].deviation == found.ceilings[1000].deviation
    shown = write(page(found), folder).read_text(encoding="utf-8")
    assert "share of the possible" in shown


def test_an_edited_pantograph_has_another_ceiling(tmp_path, monkeypatch):
    """A ceiling is found again by what the files say that the run names, not by their names."""
    found = EpisodeCeiling(20.0, 10.0, 5.0, np.zeros(3))
    monkeypatch.setattr(leaderboard, "episode_ceiling", lambda *given: found)
    own = tmp_path / "own.toml"
    for _ in range(2):  # the second time from the folder
        for force in (60, 70):
            text = library.shipped("pantographs")["dsa250"].read_text(encoding="utf-8")
            own.write_text(re.sub('static_force = ".*"', f'static_force = "{force} N"', text), encoding="utf-8")
            task = short({"train": [{"pantograph": str(own)}]})
            conduct(task, tmp_path, episodes=1, iterations=1, policies={"none": NoControl()})
    assert len(list((tmp_path / "episodes").glob("*.json"))) == 2


def test_a_task_is_read_from_a_file(tmp_path):
    path = tmp_path / "task.toml"
    path.write_text('runs = "en50318-300"\ninterval = "20 ms"\n[actuator]\nforce = "30 N"\n', encoding="utf-8")
    assert read_task(path).actuator.force == 30.0
    path.write_text("intervall = 1\n", encoding="utf-8")
    with pytest.raises(ModelError, match="intervall"):
        read_task(path)


def test_the_design_model_is_a_pantograph_on_a_spring():
    """At rest its force is the lift that the springs do not carry; an uncontrolled step keeps that state."""
    env = PantographEnv(short())
    env.reset(seed=1)
    model = design_model(env.episode.prepared, env.task, LineModel(damping=0.0))
    x = np.append(model.at_rest(0.01), 0.01)
    np.testing.assert_allclose(model.A @ x + model.g, x, atol=1e-12)
    z1, z2 = x[0], x[1]
    assert model.c @ x == pytest.approx(4200.0 * (z2 - z1), rel=1e-9)  # the head's spring carries the force
    assert 120.0 - 50.0 * z2 == pytest.approx(model.c @ x, rel=1e-9)
    assert passing_frequencies(env.episode.prepared)[0] == pytest.approx(60.0 / 50.0)
    assert np.abs(np.linalg.eigvals(model.A - model.kalman() @ model.H @ model.A)).max() < 1.0


def test_policies_that_lack_something_are_refused_by_name():
    env = PantographEnv(short(sensors=Sensors(signals=("force",))))
    with pytest.raises(ModelError, match="suspension"):
        play_episode(env, Lqg(), 1)
    with pytest.raises(ModelError, match="need 2 parameters"):
        play_episode(env, LinearPolicy(parameters=(1.0,)), 1)
    damper = PantographEnv(short(actuator=PantographActuator(on="damper")))
    with pytest.raises(ModelError, match="setting of a damper"):
        play_episode(damper, Lqg(), 1)
    damper.reset(seed=1)
    with pytest.raises(ModelError, match="not differentiable"):
        episode_ceiling(damper.episode.prepared, damper.task, 1)
    with pytest.raises(ModelError, match="no episodes"):
        compare(env, {}, [], {})
