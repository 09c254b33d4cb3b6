"""Train a controller of a pantograph on eight lanes: an evolution strategy in NumPy.

A policy a = tanh(θ · (y, 1)) maps seven measured signals to the force of an actuator. Every generation plays eight
perturbed policies at once, in pairs θ ± s ε, and moves θ along the differences of their returns.
"""

import numpy as np

from panhead.env import ControlTask, PantographEnv, PantographVectorEnv
from panhead.explore.environment.evaluation import play_episode
from panhead.explore.environment.policies import LinearPolicy, NoControl

EXPECTED = (0.5, 0.97)  # deviation of the contact force with the trained policy, over that without control
GENERATIONS, LANES, SPREAD, RATE = 10, 8, 0.15, 0.25
SPANS = [{"length": 50.0, "count": 6, "dropper_count": 6}]
TASK = ControlTask(
    runs="en50318-300",
    changes={
        "line_changes": {"tension_lengths": [{"name": "T1", "spans": SPANS}]},
        "numerics": {"step": "2 ms"},
        "journey": {"judged_from": 100.0, "judged_to": 150.0, "stop": 180.0, "ramp": 0.4},
        "speed": 60.0,
    },
)


def returns(env: PantographVectorEnv, theta: np.ndarray, seed: int) -> np.ndarray:
    """Return of every row of theta (lanes, signals + 1) in one episode."""
    seen, _ = env.reset(seed=seed)
    total, over = np.zeros(len(theta)), np.zeros(len(theta), bool)
    while not over.any():
        actions = np.tanh((theta[:, :-1] * seen).sum(axis=1) + theta[:, -1])
        seen, reward, _, over, _ = env.step(actions[:, None])
        total += reward
    return total


def main() -> float:
    rng, env = np.random.default_rng(1), PantographVectorEnv(LANES, TASK)
    theta = np.zeros(env.single_observation_space.shape[0] + 1)
    for k in range(GENERATIONS):
        noise = rng.standard_normal((LANES // 2, theta.size))
        found = returns(env, theta + SPREAD * np.concatenate([noise, -noise]), seed=100 * k)
        better = found[: LANES // 2] - found[LANES // 2 :]
        theta += RATE * (better / (np.abs(better).max() or 1.0)) @ noise / (LANES // 2)
    single = PantographEnv(TASK)
    trained = play_episode(single, LinearPolicy(parameters=tuple(theta)), 1)["deviation"]
    return trained / play_episode(single, NoControl(), 1)["deviation"]


if __name__ == "__main__":
    print(f"deviation with the trained policy, share of that without control: {main():.3f}")
