"""Baseline policies: no control, a passive damper, damping laws in print, force feedback, regulators, a network.

The damping laws are u = −r(t) (ẏ₁ − ẏ₂) with a constant, switched or growing r [Pappalardo16, eqs (28)–(30)].

A policy is started for every episode and then maps what it observes to an action in [−1, 1]. It may use what a train
knows: its pantograph, its speed, the lengths of spans; not where it is, nor what comes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, final

import numpy as np

from panhead.errors import ModelError
from panhead.explore.environment.episode_start import PreparedRun
from panhead.explore.environment.task import SIGNALS, ControlTask
from panhead.runs.cables.head_feedback import ForceFeedback
from panhead.runs.cables.head_laws import BangBang, Derivative, Exponential, HeadFeedback, Measurements, SemiActive

Act = Callable[[np.ndarray], float]  #: observation → action


class Policy(Protocol):
    """A controller that can be started for every episode."""

    def begin(self, prepared: PreparedRun, task: ControlTask) -> Act:
        """The controller of one episode."""


def signal_reader(task: ControlTask, *names: str) -> Callable[[np.ndarray], tuple[float, ...]]:
    """Function from an observation to these signals in SI units; ModelError if one is not observed."""
    missing = [name for name in names if name not in task.sensors.signals]
    if missing:
        raise ModelError(f"policy: it needs the signal {missing[0]!r}; add it to sensors.signals")
    at = [(task.sensors.signals.index(name), SIGNALS[name][0]) for name in names]
    return lambda seen: tuple(float(seen[k]) * scale for k, scale in at)


def require_force(task: ControlTask) -> float:
    """Largest force of the actuator; ModelError if the action is the setting of a damper."""
    if task.actuator.on == "damper":
        raise ModelError('policy: it asks for a force, but the action is the setting of a damper; use on = "head"')
    return task.actuator.force


def to_action(force: float, largest: float) -> float:
    """Force as an action."""
    return min(1.0, max(-1.0, force / largest))


@final
@dataclass(frozen=True, slots=True)
class NoControl:
    """Action of no effect: zero force, or a damper at its lowest setting."""

    def begin(self, prepared: PreparedRun, task: ControlTask) -> Act:
        rest = -1.0 if task.actuator.on == "damper" else 0.0
        return lambda seen: rest


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class LawPolicy:
    """Control law of the head as solvers have it, on what is observed; time counts from the start of control.

    Between two observations the force moves as the actuator does. The mass below the head is taken for the lowest one.
    """

    law: HeadFeedback

    def begin(self, prepared: PreparedRun, task: ControlTask) -> Act:
        largest, names = require_force(task), ("force", "suspension", "suspension_rate", "frame_height", "frame_rate")
        read, u, time = signal_reader(task, *names), self.law.begin(task.interval), [0.0]

        def act(seen: np.ndarray) -> float:
            force, apart, apart_rate, height, rate = read(seen)
            m = Measurements(
                head=height + apart, plunger=height, head_rate=rate + apart_rate, plunger_rate=rate, force=force, x=0.0
            )
            found = u(time[0], m)
            time[0] += task.interval
            return to_action(found, largest)

        return act


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class LinearPolicy:
    """a = tanh(θ · (y, 1)): the policy that examples and searches train; θ (signals + 1,)."""

    parameters: tuple[float, ...]

    def begin(self, prepared: PreparedRun, task: ControlTask) -> Act:
        if len(self.parameters) != len(task.sensors.signals) + 1:
            raise ModelError(
                f"LinearPolicy: {len(task.sensors.signals)} signals need {len(task.sensors.signals) + 1} parameters, "
                f"got {len(self.parameters)}"
            )
        theta = np.array(self.parameters)
        return lambda seen: float(np.tanh(theta[:-1] @ seen + theta[-1]))


def baselines() -> dict[str, Policy]:
    """Name → policy of every shipped baseline; gains are assumptions for heads of 5 to 10 kg."""
    from panhead.explore.environment.linear_regulator import Lqg, Mpc
    from panhead.explore.environment.network_policy import shipped_network

    return {
        "none": NoControl(),
        "passive damper": LawPolicy(law=SemiActive(law=Derivative(damping=50.0))),
        "derivative": LawPolicy(law=Derivative(damping=100.0)),
        "bang-bang": LawPolicy(law=BangBang(first=50.0, second=150.0, switch=0.5)),
        "exponential": LawPolicy(law=Exponential(final=150.0, time=0.5)),
        "force feedback": LawPolicy(law=ForceFeedback(proportional=0.05, gain=4.0)),
        "lqg": Lqg(),
        "mpc": Mpc(),
        "ppo": shipped_network("ppo"),
    }
