"""Trained networks as policies: the formula, the file, and what is refused."""

import json

import numpy as np
import pytest

from explore.environment.tasks import short
from panhead.env import PantographEnv, Sensors
from panhead.errors import FileError, ModelError
from panhead.explore.environment.leaderboard import conduct
from panhead.explore.environment.network_policy import NetworkPolicy, read_network, shipped_network
from panhead.explore.environment.policies import NoControl


def small():
    """Two observations of one signal, one hidden unit."""
    layers = ((np.array([[0.5, -2.0]]), np.array([0.25])), (np.array([[3.0]]), np.array([0.1])))
    return NetworkPolicy(signals=("force",), stack=2, layers=layers, about="by hand")


def test_the_network_is_its_formula_and_outlives_its_file(tmp_path):
    """a = 3 tanh(0.5 y₀ − 2 y₁ + 0.25) + 0.1 with y₀ the observation before y₁, zero at first; then clipped."""
    env = PantographEnv(short(sensors=Sensors(signals=("force",))))
    env.reset(seed=1)
    act = read_network(small().write(tmp_path / "net.json")).begin(env.episode.prepared, env.task)
    a = lambda y0, y1: 3.0 * np.tanh(0.5 * y0 - 2.0 * y1 + 0.25) + 0.1
    assert act(np.array([0.1])) == pytest.approx(a(0.0, 0.1))
    assert act(np.array([0.2])) == pytest.approx(a(0.1, 0.2))
    assert act(np.array([2.0])) == -1.0


def test_a_network_for_other_signals_is_left_out_of_a_leaderboard(tmp_path):
    task = short(sensors=Sensors(signals=("force",)))
    found = conduct(
        task, tmp_path, episodes=1, iterations=1, policies={"none": NoControl(), "ppo": shipped_network("ppo")}
    )
    assert found.policies() == ["none"]
    assert "head_acceleration" in found.left_out["ppo"]
    with pytest.raises(ModelError, match="no policy can act"):
        conduct(task, tmp_path, episodes=1, iterations=1, policies={"ppo": shipped_network("ppo")})


@pytest.mark.parametrize(
    "damage",
    [{"stack": 3}, {"layers": []}, {"layers": [{"weights": [[0.0, float("nan")]], "bias": [0.0]}]}, {"signals": None}],
)
def test_damaged_files_are_refused(tmp_path, damage):
    path = small().write(tmp_path / "net.json")
    path.write_text(json.dumps(json.loads(path.read_text(encoding="utf-8")) | damage), encoding="utf-8")
    with pytest.raises(FileError, match="network policy"):
        read_network(path)
