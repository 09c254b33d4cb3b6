"""Gymnasium environment: a pantograph under an overhead line, stepped by the linear solver."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gymnasium
import numpy as np

from panhead.errors import ModelError
from panhead.explore.environment.action_gradient import ActionGradient, action_gradient
from panhead.explore.environment.episode import Episode
from panhead.explore.environment.episode_file import pack_episode, read_episode, unpack_episode, write_episode
from panhead.explore.environment.episode_start import named_run, prepare
from panhead.explore.environment.family import RunFamily, Split
from panhead.explore.environment.plant import Plant, add_damper
from panhead.explore.environment.task import RANGE, ControlTask
from panhead.runs.description import Run
from panhead.runs.linear.step.step_arrays import U, V

Observation = np.ndarray


class PantographEnv(gymnasium.Env[Observation, np.ndarray]):
    """Control of a pantograph under an overhead line.

    observation  signals of ``task.sensors``, divided by their scales, float32
    action       one number in [−1, 1], see ``task.PantographActuator``
    reward       see ``task.Reward``; its sum is the return
    episode      a run of the family (or the run) from shortly before its assessed section to its end; nothing ends it
                 earlier
    info         exact signals by name; after the last action also ``score`` (σ of the filtered force and others)

    ``reset(seed=…)`` draws the same episode on every machine; ``reset(options={"line": NAME})`` fixes the line of a
    family, ``options={"run": Run}`` gives the run itself.
    """

    metadata = {"render_modes": []}  # noqa: RUF012  gymnasium declares it so

    def __init__(self, task: ControlTask | None = None, *, split: Split = "train") -> None:
        self.task, self.split = task or ControlTask(), split
        self.run: Run | None = None if isinstance(self.task.runs, RunFamily) else named_run(self.task)
        size = len(self.task.sensors.signals)
        if self.task.sensors.state:
            assert self.run is not None  # a task refuses families here
            size += _state_size(prepare(self.run, self.task).plant())
        self.observation_space = gymnasium.spaces.Box(-RANGE, RANGE, (size,), np.float32)
        self.action_space = gymnasium.spaces.Box(-1.0, 1.0, (1,), np.float32)
        self.render_mode = None
        self._episode: Episode | None = None
        self._plant: Plant | None = None

    @property
    def episode(self) -> Episode:
        """The episode in progress."""
        if self._episode is None:
            raise ModelError("PantographEnv: no episode is in progress; call reset() first")
        return self._episode

    @property
    def plant(self) -> Plant:
        """Line and pantographs of the episode in progress."""
        assert self._plant is not None or self.episode  # raises if there is none
        assert self._plant is not None
        return self._plant

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Start the next episode, or that of a seed."""
        super().reset(seed=seed)
        prepared = prepare(self._next_run(options or {}), self.task)
        self._begin(Episode(self.task, prepared, self.np_random), prepared.plant())
        return self._observe(), self._info()

    def _next_run(self, options: dict[str, Any]) -> Run:
        unknown = set(options) - {"line", "run"}
        if unknown:
            raise ModelError(f"reset: unknown option {sorted(unknown)[0]!r}; there are line and run")
        if "run" in options:
            given = options["run"]
            if not isinstance(given, Run):
                raise ModelError(f"reset: options['run'] must be a Run, got {type(given).__name__}")
            return given
        if isinstance(self.task.runs, RunFamily):
            return self.task.runs.draw(self.np_random, self.split, options.get("line"))
        if "line" in options:
            raise ModelError("reset: options['line'] chooses among the lines of a family, and this task has one run")
        assert self.run is not None
        return self.run

    def _begin(self, episode: Episode, plant: Plant) -> None:
        self._episode, self._plant = episode, plant
        self._damping = plant.session.train.C.copy()

    def step(self, action: np.ndarray) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Take an action for one control interval."""
        episode, plant = self.episode, self.plant
        if episode.over:
            raise ModelError("PantographEnv: the episode is over; call reset() before the next step")
        push = episode.command(action)
        self._set_damper()
        force = plant.advance(episode.prepared.schedule.each, push)
        reward = episode.book(force, push)
        info = self._info()
        if episode.over:
            info["score"] = episode.score()
        return self._observe(), reward, False, episode.over, info

    def _set_damper(self) -> None:
        episode, s = self.episode, self.plant.session
        up, down = episode.prepared.pair
        if self.task.actuator.on == "damper" and down is not None:
            add_damper(s.train, s.window.work, s.sc, s.state.contact.size, self._damping, (up, down), episode.value)

    def _observe(self) -> Observation:
        plant = self.plant
        seen = self.episode.observe(plant.masses, plant.forces)
        if self.task.sensors.state:
            q = plant.session.state.q
            rest = (plant.masses[:2].ravel(), q[U].ravel(), q[V].ravel())
            seen = np.clip(np.concatenate([seen, *rest]), -RANGE, RANGE).astype(np.float32)
        return seen

    def _info(self) -> dict[str, Any]:
        return {"time": self.episode.time, "signals": self.episode.signals(self.plant.masses, self.plant.forces)}

    def gradient(self, actions: np.ndarray, jacobian: np.ndarray | None = None) -> ActionGradient:
        """Return of the present episode from its start under a sequence of actions, and its exact derivative.

        actions (n,): one for every control interval. With ``jacobian`` (n, p) = ∂actions/∂θ of a policy whose actions
        do not depend on what it observes, the derivative by θ follows. See ``action_gradient``.
        """
        return action_gradient(self.episode.prepared, self.task, actions, jacobian)

    def save_state(self) -> dict[str, np.ndarray]:
        """Everything the next step depends on, as plain arrays: a checkpoint."""
        return pack_episode(self.episode, self.plant)

    def restore_state(self, state: dict[str, np.ndarray]) -> None:
        """Return to a checkpoint, of this environment or of another with the same task."""
        episode, plant = unpack_episode(state, self.task)
        self.np_random = episode.rng
        self._begin(episode, plant)
        if episode.done:
            self._set_damper()

    def save(self, path: str | Path) -> Path:
        """Write a checkpoint to a file (NumPy's .npz; plain arrays, nothing is executed when it is read)."""
        return write_episode(Path(path), self.save_state())

    def restore(self, path: str | Path) -> None:
        """Read a checkpoint of ``save``."""
        self.restore_state(read_episode(Path(path)))


def _state_size(plant: Plant) -> int:
    return 2 * plant.masses.shape[1] + 2 * plant.session.state.q[U].size
