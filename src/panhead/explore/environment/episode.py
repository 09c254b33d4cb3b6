"""One episode: a plant, its actuator, sensors and rewards; it knows nothing of gymnasium.

The plant is asked through three functions, so that an episode is the same alone and in a lane.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from panhead.assess import low_pass
from panhead.assess.assessment_inputs import judged_samples
from panhead.errors import ModelError
from panhead.explore.environment.episode_start import PreparedRun
from panhead.explore.environment.returns import RewardTerms
from panhead.explore.environment.task import RANGE, SIGNALS, ControlTask

_ROUND = 1e-6  # by which an action may pass its bounds: 32-bit numbers


@dataclass(slots=True)
class Episode:
    """State of an episode beside that of its plant."""

    task: ControlTask
    prepared: PreparedRun
    rng: np.random.Generator
    done: int = 0  #: actions so far
    value: float = 0.0  #: present actuator force [N] or setting [N·s/m]
    total: float = 0.0  #: return so far
    values: list[float] = field(default_factory=list)  #: actuator value after every action
    history: list[np.ndarray] = field(default_factory=list)  #: contact forces of every action, (each, np) [N]
    waiting: deque[np.ndarray] = field(default_factory=deque)  #: measured and not yet observed

    terms: RewardTerms = field(init=False)  #: the reward with this episode's numbers
    own: slice = field(init=False)  #: masses of the controlled pantograph, the head first
    noise: np.ndarray = field(init=False)  #: (signals,) standard deviation of every observed signal, in scales
    scale: np.ndarray = field(init=False)  #: (signals,)
    rise: np.ndarray = field(init=False)  #: (each + 1,) share of a control interval at its steps, 0 … 1

    def __post_init__(self) -> None:
        rows = [SIGNALS[name] for name in self.task.sensors.signals]
        self.scale = np.array([scale for scale, _, _ in rows])
        self.noise = self.task.sensors.noise * np.array([noise for _, noise, _ in rows]) / self.scale
        self.rise = np.arange(self.prepared.schedule.each + 1) / self.prepared.schedule.each
        model, s, a = self.prepared.model, self.prepared.schedule, self.task.actuator
        mine = model.pantographs[a.pantograph - 1]
        first = sum(p.size for p in model.pantographs[: a.pantograph - 1])
        self.own = slice(first, first + mine.size)
        self.terms = RewardTerms(self.task.reward, mine.total_uplift(model.fastest), a.force, 1.0 / (s.last - s.judged))

    @property
    def over(self) -> bool:
        """True after the last action."""
        return self.done >= self.prepared.schedule.actions

    def command(self, action: Any) -> np.ndarray:
        """Take an action: the forces of its steps on all masses, (each + 1, nm) [N]; a damper's are zero."""
        a, each, model = self.task.actuator, self.prepared.schedule.each, self.prepared.model
        before, self.value = self.value, self._actuator_setting(checked_action(action))
        self.values.append(self.value)
        push = np.zeros((each + 1, sum(p.size for p in model.pantographs)))
        if a.on != "damper":
            up, down = self.prepared.pair
            push[:, up] = before + (self.value - before) * self.rise
            if down is not None:
                push[:, down] = -push[:, up]
        return push

    def _actuator_setting(self, action: float) -> float:
        a = self.task.actuator
        if a.on == "damper":
            return 0.5 * a.setting * (action + 1.0)
        wanted = a.force * action
        if a.rate is None:
            return wanted
        swing = a.rate * self.task.interval
        return min(max(wanted, self.value - swing), self.value + swing)

    def book(self, force: np.ndarray, push: np.ndarray) -> float:
        """Store the contact forces (each, np) of an action's steps and return its reward."""
        s, k = self.prepared.schedule, self.task.actuator.pantograph - 1
        steps = s.first + self.done * s.each + 1 + np.arange(s.each)
        reward = float(self.terms.of_steps(force[:, k], push[1:, self.prepared.pair[0]], steps >= s.judged).sum())
        self.history.append(force)
        self.done += 1
        self.total += reward
        return reward

    def observe(self, masses: np.ndarray, forces: np.ndarray) -> np.ndarray:
        """Measure now and observe what was measured ``delay`` ago; masses (3, nm), forces (np,) [N]."""
        names, exact = self.task.sensors.signals, self.signals(masses, forces)
        seen = np.array([exact[name] for name in names]) / self.scale
        seen += self.noise * self.rng.standard_normal(len(names))
        self.waiting.append(seen := np.minimum(np.maximum(seen, -RANGE), RANGE))
        while len(self.waiting) <= self.task.delay_intervals:
            self.waiting.append(seen)
        return self.waiting.popleft().astype(np.float32)

    def signals(self, masses: np.ndarray, forces: np.ndarray) -> dict[str, float]:
        """Exact signals of this moment by name."""
        a = self.task.actuator
        z, v, acceleration = masses[:, self.own].tolist()
        apart = lambda x: x[0] - x[1] if len(x) > 1 else x[0]
        return {
            "force": float(forces[a.pantograph - 1]),
            "head_acceleration": acceleration[0],
            "suspension": apart(z),
            "suspension_rate": apart(v),
            "frame_height": z[-1],
            "frame_rate": v[-1],
            "span_position": float(self.prepared.places[self.done]),
            "speed": float(self.prepared.speeds[self.done]),
            "actuator": self.value / (a.setting if a.on == "damper" else a.force),
        }

    @property
    def time(self) -> float:
        """Present time of the run [s]."""
        s = self.prepared.schedule
        return (s.first + self.done * s.each) * self.prepared.model.run.numerics.step

    def force(self) -> np.ndarray:
        """Contact forces from the start of the run until now, (steps, np) [N]."""
        return np.concatenate([self.prepared.force, *self.history])

    def score(self) -> dict[str, float]:
        """Statistics of the assessed section so far, filtered as EN 50317 asks for."""
        s, k = self.prepared.schedule, self.task.actuator.pantograph - 1
        h, force = self.prepared.model.run.numerics.step, self.force()[:, k]
        times = (np.arange(force.size) + 1) * h
        judged = judged_samples(times, (s.judged * h, s.last * h))
        if not judged.any():
            raise ModelError("score: the assessed section has not begun; take more actions")
        mine = low_pass(force, h)[judged]
        return {
            "deviation": float(mine.std()),
            "mean": float(mine.mean()),
            "highest": float(mine.max()),
            "lowest": float(mine.min()),
            "loss": float((force[judged] <= 0.0).mean()),
            "effort": float(np.sqrt(np.mean(np.square(self.values)))) if self.values else 0.0,
            "return": self.total,
        }


def checked_action(action: Any) -> float:
    """The number of an action; ModelError naming what is wrong with it."""
    found = np.asarray(action, dtype=float)
    if found.size != 1:
        raise ModelError(f"action: must be one number from −1 to 1, got an array of shape {found.shape}")
    value = float(found.reshape(()) if found.ndim == 0 else found.ravel()[0])
    if not np.isfinite(value):
        raise ModelError(f"action: must be a finite number from −1 to 1, got {value}; check the policy for NaN")
    if abs(value) > 1.0 + _ROUND:
        raise ModelError(
            f"action: {value:g} is outside its limits −1 … 1 (1 is the largest force or setting); clip it in the policy"
        )
    return min(1.0, max(-1.0, value))
