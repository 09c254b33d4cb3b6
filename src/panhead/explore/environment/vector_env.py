"""Vector environment: several episodes at once, those under one line in the lanes of a vector register."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode

from panhead.errors import ModelError
from panhead.explore.environment.episode import Episode
from panhead.explore.environment.episode_start import prepare
from panhead.explore.environment.family import RunFamily, Split
from panhead.explore.environment.lane_block import LaneBlock, blocks_of, in_lanes
from panhead.explore.environment.pantograph_env import PantographEnv
from panhead.explore.environment.plant import Plant, add_damper
from panhead.explore.environment.task import ControlTask
from panhead.runs.linear.run_lanes import WIDTH


class PantographVectorEnv(gymnasium.vector.VectorEnv[np.ndarray, np.ndarray, np.ndarray]):
    """As many episodes of ``PantographEnv`` as asked for, advanced together.

    Eight at a time are under the same line and are computed in lanes; their speeds, wind and errors of erection differ.
    Every ``reset`` shuffles the lines of the split and gives each eight the next one, for all episodes that follow.
    Each is what the single environment gives with the same seed and line. An episode that ends is followed by the next
    one in the same step (``AutoresetMode.SAME_STEP``: its last observation and information
    are in ``final_obs`` and ``final_info``).
    """

    metadata = {"render_modes": [], "autoreset_mode": AutoresetMode.SAME_STEP}  # noqa: RUF012  declared so by gymnasium

    def __init__(self, num_envs: int = WIDTH, task: ControlTask | None = None, *, split: Split = "train") -> None:
        if num_envs < 1:
            raise ModelError(f"PantographVectorEnv: num_envs must be at least 1, got {num_envs}")
        self.task, self.split, self.num_envs = task or ControlTask(), split, num_envs
        if self.task.sensors.state:
            raise ModelError("PantographVectorEnv: sensors.state is not observed in lanes; use PantographEnv for it")
        one = PantographEnv(self.task, split=split)
        self.single_observation_space, self.single_action_space = one.observation_space, one.action_space
        self.observation_space = gymnasium.vector.utils.batch_space(one.observation_space, num_envs)
        self.action_space = gymnasium.vector.utils.batch_space(one.action_space, num_envs)
        self.run = one.run
        self.episodes: list[Episode] = []
        self._plants: list[Plant] = []
        self._damping: list[np.ndarray] = []
        self._blocks: list[tuple[list[int], LaneBlock | None]] = []
        self.lines: list[str | None] = [None] * num_envs  #: fixed line of every environment; None: not of a family

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Start an episode in every environment: environment k has the seed ``seed + k``, or its own of a list."""
        if options:
            raise ModelError(f"reset: a vector environment has no options, got {sorted(options)}")
        seeds = seed if isinstance(seed, list) else [None if seed is None else seed + k for k in range(self.num_envs)]
        if len(seeds) != self.num_envs:
            raise ModelError(f"reset: give one seed for each of {self.num_envs} environments, got {len(seeds)}")
        self._random = [gymnasium.utils.seeding.np_random(one)[0] for one in seeds]
        self._choose_lines(seeds)
        self.episodes, self._plants, self._damping = [], [], []
        for k in range(self.num_envs):
            episode, plant = self._next(k)
            self.episodes.append(episode)
            self._plants.append(plant)
            self._damping.append(plant.session.train.C.copy())
        self._blocks = []
        for first in range(0, self.num_envs, WIDTH):
            self._group(list(range(first, min(first + WIDTH, self.num_envs))))
        return np.stack([self._observe(k) for k in range(self.num_envs)]), {}

    def _choose_lines(self, seeds: Sequence[int | None]) -> None:
        family = self.task.runs
        if isinstance(family, RunFamily):
            names = np.random.default_rng(seeds[0]).permutation(family.names(self.split)).tolist()
            self.lines = [names[k // WIDTH % len(names)] for k in range(self.num_envs)]

    def _next(self, k: int) -> tuple[Episode, Plant]:
        family, rng = self.task.runs, self._random[k]
        run = family.draw(rng, self.split, self.lines[k]) if isinstance(family, RunFamily) else self.run
        assert run is not None  # a task has a family or a run
        prepared = prepare(run, self.task)
        return Episode(self.task, prepared, rng), prepared.plant()

    def _group(self, members: list[int]) -> None:
        """Put environments into blocks of lanes; what lanes do not carry is computed alone."""
        able = [k for k in members if in_lanes(self._plants[k])]
        for group in blocks_of([self._plants[k] for k in able]) if able else []:
            mine = [able[n] for n in group]
            self._blocks.append((mine, LaneBlock([self._plants[k] for k in mine])))
        self._blocks += [([k], None) for k in members if k not in able]

    def step(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Take an action in every environment."""
        if not self.episodes:
            raise ModelError("PantographVectorEnv: no episode is in progress; call reset() first")
        if len(actions) != self.num_envs:
            raise ModelError(f"action: give one for each of {self.num_envs} environments, got {len(actions)}")
        pushes = [episode.command(action) for episode, action in zip(self.episodes, actions, strict=True)]
        rewards, forces = np.zeros(self.num_envs), self._advance(pushes)
        for k, episode in enumerate(self.episodes):
            rewards[k] = episode.book(forces[k], pushes[k])
        seen = np.stack([self._observe(k) for k in range(self.num_envs)])
        over = np.array([episode.over for episode in self.episodes])
        infos: dict[str, Any] = self._follow(over, seen) if over.any() else {}
        return seen, rewards, np.zeros(self.num_envs, bool), over, infos

    def _advance(self, pushes: Sequence[np.ndarray]) -> list[np.ndarray]:
        found: list[np.ndarray] = [np.zeros(0)] * self.num_envs
        for members, block in self._blocks:
            each = self.episodes[members[0]].prepared.schedule.each
            self._set_dampers(members, block)
            if block is None:
                found[members[0]] = self._plants[members[0]].advance(each, pushes[members[0]])
                continue
            for k, force in zip(members, block.advance(each, [pushes[k] for k in members]), strict=True):
                found[k] = force
        return found

    def _set_dampers(self, members: Sequence[int], block: LaneBlock | None) -> None:
        if self.task.actuator.on != "damper":
            return
        for n, k in enumerate(members):
            session, (up, down) = self._plants[k].session, self.episodes[k].prepared.pair
            train, work = (session.train, session.window.work) if block is None else block.arrays(n)
            assert down is not None  # a damper was refused otherwise
            contacts, value = session.state.contact.size, self.episodes[k].value
            add_damper(train, work, session.sc, contacts, self._damping[k], (up, down), value)

    def _observe(self, k: int) -> np.ndarray:
        for members, block in self._blocks:
            if k in members and block is not None:
                n = members.index(k)
                return self.episodes[k].observe(block.masses(n), block.forces(n))
        return self.episodes[k].observe(self._plants[k].masses, self._plants[k].forces)

    def _follow(self, over: np.ndarray, seen: np.ndarray) -> dict[str, Any]:
        """Start the next episode where one has ended; its first observation replaces the last, which is returned."""
        infos: dict[str, Any] = {}
        last = np.full(self.num_envs, None, dtype=object)
        ended = np.flatnonzero(over).tolist()
        for k in ended:
            last[k] = seen[k].copy()
            infos = self._add_info(infos, {"final_info": {"score": self.episodes[k].score()}}, k)
        touched = [(m, b) for m, b in self._blocks if set(m) & set(ended)]
        self._blocks = [(m, b) for m, b in self._blocks if not set(m) & set(ended)]
        for _, block in touched:
            if block is not None:
                block.leave()
        for k in ended:
            self.episodes[k], self._plants[k] = self._next(k)
            self._damping[k] = self._plants[k].session.train.C.copy()
        self._group(sorted(k for members, _ in touched for k in members))
        for k in ended:
            seen[k] = self._observe(k)
        infos["final_obs"], infos["_final_obs"] = last, over.copy()
        return infos
