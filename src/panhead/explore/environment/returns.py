"""Return of an episode as a function of contact and actuator forces, and its derivatives (``task.Reward``)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from panhead.explore.environment.task import Reward


@dataclass(frozen=True, slots=True)
class RewardTerms:
    """The reward with the numbers of one episode."""

    reward: Reward
    target: float  #: F₀, quasi-static mean of the contact force [N]
    size: float  #: U, largest actuator force [N]
    share: float  #: h/T, a step as a share of the assessed section

    def of_steps(self, force: np.ndarray, push: np.ndarray, judged: np.ndarray) -> np.ndarray:
        """Reward of every step; force, push (steps,) [N], judged (steps,) bool."""
        r = self.reward
        return -self.share * (
            judged * (r.variance * ((force - self.target) / self.target) ** 2)
            + judged * (r.extremes * (self._over(force) ** 2 + self._under(force) ** 2) / self.target**2)
            + judged * (r.loss * (force <= 0.0))
            + r.effort * (push / self.size) ** 2
        )

    def by_force(self, force: np.ndarray, judged: np.ndarray) -> np.ndarray:
        """Derivative of the return by the contact force of every step [1/N]; losses have none."""
        r = self.reward
        by = r.variance * (force - self.target) + r.extremes * (self._over(force) - self._under(force))
        return np.asarray(-2.0 * self.share * judged * by / self.target**2)

    def by_push(self, push: np.ndarray) -> np.ndarray:
        """Direct derivative of the return by the actuator force of every step [1/N]."""
        return np.asarray(-2.0 * self.share * self.reward.effort * push / self.size**2)

    def _over(self, force: np.ndarray) -> np.ndarray:
        return np.maximum(0.0, force - self.reward.high)

    def _under(self, force: np.ndarray) -> np.ndarray:
        return np.maximum(0.0, self.reward.low - force)
