"""Control environments for gymnasium: a pantograph under an overhead line (extra ``env``).

import panhead as ph

env = ph.env.PantographEnv()
observation, info = env.reset(seed=1)
observation, reward, terminated, truncated, info = env.step([0.2])
"""

from panhead.errors import ModelError

try:
    import gymnasium as _gymnasium
except ImportError:
    raise ModelError("panhead.env needs gymnasium: pip install panhead[env]") from None

from panhead.explore.environment.action_gradient import ActionGradient
from panhead.explore.environment.family import RunFamily, small_errors
from panhead.explore.environment.pantograph_env import PantographEnv
from panhead.explore.environment.task import SIGNALS, ControlTask, PantographActuator, Reward, Sensors
from panhead.explore.environment.vector_env import PantographVectorEnv

__all__ = [
    "SIGNALS",
    "ActionGradient",
    "ControlTask",
    "PantographActuator",
    "PantographEnv",
    "PantographVectorEnv",
    "Reward",
    "RunFamily",
    "Sensors",
    "small_errors",
]

_gymnasium.register(
    "Pantograph-v0",
    entry_point=f"{__name__}.pantograph_env:PantographEnv",
    vector_entry_point=f"{__name__}.vector_env:PantographVectorEnv",
)
