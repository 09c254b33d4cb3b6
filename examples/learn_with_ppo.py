"""Train a controller of a pantograph by proximal policy optimisation (stable-baselines3), and use it without.

``python examples/learn_with_ppo.py FILE.json`` trains on the six lines of the split "train" and writes
the network as plain numbers. That needs stable-baselines3 and one core. The shipped baseline "ppo" was trained so, but
with a falling learning rate; here it is played on a line it has not seen, beside no control.
"""

import sys
from pathlib import Path

from panhead.env import ControlTask, PantographEnv, PantographVectorEnv
from panhead.explore.environment.evaluation import play_episode
from panhead.explore.environment.network_policy import NetworkPolicy, shipped_network
from panhead.explore.environment.policies import NoControl

EXPECTED = (0.6, 0.99)  # deviation of the contact force with the shipped policy, over that without control
TASK, STEPS, STACK, ENVS = ControlTask(), 400_000, 8, 48


def train(path: Path) -> None:
    """Train a network of two layers of 64 and write it."""
    from stable_baselines3 import PPO
    from stable_baselines3.common.vec_env import VecEnv, VecFrameStack, VecNormalize

    class Lanes(VecEnv):
        """The vector environment as stable-baselines3 knows them."""

        def __init__(self):
            self.env = PantographVectorEnv(ENVS, TASK)
            super().__init__(ENVS, self.env.single_observation_space, self.env.single_action_space)

        reset = lambda self: self.env.reset(seed=1)[0]
        step_async = lambda self, actions: setattr(self, "actions", actions)
        close = set_attr = env_method = lambda self, *words, **more: None
        get_attr = env_is_wrapped = lambda self, name, indices=None: [None] * ENVS

        def step_wait(self):
            seen, reward, _, over, more = self.env.step(self.actions)
            end = lambda k: {"TimeLimit.truncated": True, "terminal_observation": more["final_obs"][k]}
            return seen, reward, over, [end(k) if over[k] else {} for k in range(ENVS)]

    lanes = VecNormalize(VecFrameStack(Lanes(), STACK), norm_obs=False, gamma=0.95)
    settings = {"n_steps": 128, "batch_size": 1024, "n_epochs": 6, "gamma": 0.95, "gae_lambda": 0.9, "target_kl": 0.05}
    shape = {"net_arch": [64, 64], "log_std_init": -1.2}
    model = PPO("MlpPolicy", lanes, learning_rate=1e-3, policy_kwargs=shape, seed=1, device="cpu", **settings)
    policy = model.learn(STEPS).policy
    dense = [*(m for m in policy.mlp_extractor.policy_net if hasattr(m, "weight")), policy.action_net]
    layers = tuple((m.weight.detach().double().numpy(), m.bias.detach().double().numpy()) for m in dense)
    NetworkPolicy(signals=TASK.sensors.signals, stack=STACK, layers=layers, about=f"PPO, {STEPS} steps").write(path)


def main() -> float:
    env = PantographEnv(TASK, split="test")
    found = [play_episode(env, policy, 1000)["deviation"] for policy in (shipped_network("ppo"), NoControl())]
    return found[0] / found[1]


if __name__ == "__main__":
    train(Path(sys.argv[1])) if len(sys.argv) > 1 else print(f"deviation, share of that without control: {main():.3f}")
