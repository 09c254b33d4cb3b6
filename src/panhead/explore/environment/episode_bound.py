"""Ceiling of an episode: the least deviation that any force within the actuator's limits could give.

    min σ(u)   over   |u_k| ≤ U,   |u_{k+1} − u_k| ≤ R Δ,   u straight between its values

σ is that of the filtered contact force in the assessed section. The values u_k are free in time: the search knows the
line and the future, which no policy does. Its gradient is exact (``action_gradient.ActionTape``); with modes of
contacts and droppers as they are, σ² is convex in u, and no force gives less than ``least`` [Birgin00].
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from panhead.explore.designs.projected_gradient import minimise_projected, nearest, steepest_room
from panhead.explore.environment.action_gradient import ActionTape
from panhead.explore.environment.episode_start import PreparedRun
from panhead.explore.environment.task import ControlTask

ITERATIONS = 20  #: of the descent


@dataclass(frozen=True, slots=True)
class EpisodeCeiling:
    """What an actuator that knew the future could do in an episode."""

    passive: float  #: σ without force [N]
    deviation: float  #: σ under the best force that was found [N]
    least: float  #: no force gives less, modes of contacts and droppers as they are at that force [N]
    force: np.ndarray  #: (n + 1,) that force, at the start of control and after every action [N]

    def share(self, deviation: float) -> float:
        """Share of the possible: (σ_none − σ)/(σ_none − σ_ceiling); 1 is the ceiling, 0 no control.

        NaN where the search found no force that is better than none.
        """
        possible = self.passive - self.deviation
        return (self.passive - deviation) / possible if possible > 0.0 else np.nan


def episode_ceiling(
    prepared: PreparedRun,
    task: ControlTask,
    iterations: int = ITERATIONS,
    told: Callable[[int, float], None] = lambda k, value: None,
) -> EpisodeCeiling:
    """Search the best force of an episode by spectral projected gradients; ``told``: step and σ so far."""
    taped, size = ActionTape(prepared, task), task.actuator.force
    swing = None if task.actuator.rate is None else task.actuator.rate * task.interval

    def half_square(u: np.ndarray) -> tuple[float, Callable[[], np.ndarray]]:
        tape = taped.tape(u)
        sigma = taped.deviation(tape)
        slope = functools.cache(lambda: sigma.value * taped.back(tape, sigma.wanted))
        return 0.5 * sigma.value**2, slope

    zero = np.zeros(prepared.schedule.actions + 1)
    end = minimise_projected(
        half_square,
        zero,
        lambda u: nearest(u, size, swing),
        size,
        iterations,
        lambda k, value: told(k, float(np.sqrt(2.0 * value))),
    )
    room = steepest_room(end.slope, end.x, size, swing)
    root = lambda value: float(np.sqrt(max(0.0, 2.0 * value)))
    return EpisodeCeiling(root(end.history[0]), root(end.value), root(end.value - room), end.x)
