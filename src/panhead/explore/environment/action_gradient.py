"""Derivative of an episode's return by its actions, through the adjoint of the run.

    dJ/du_k = Σ_i (∂J/∂F_i dF_i/du_k) + ∂J/∂u_k,   u(t) straight between the values u_k = U a_k at the ends of intervals

dF/du is never formed: one forward run with a tape and one backward sweep give the sum for all k. Where the actuator
holds back an action (rate), the derivative follows the value that was reached: u_k = u_{k−1} ± rate · interval.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from panhead.errors import ModelError
from panhead.explore.environment.episode import Episode, checked_action
from panhead.explore.environment.episode_start import PreparedRun
from panhead.explore.environment.task import ControlTask
from panhead.runs.gradients.objectives import Objective, objective
from panhead.runs.linear.backward import slopes
from panhead.runs.linear.step.adjoint_arrays import OutputCotangents
from panhead.runs.linear.taped_run import RunTape, tape_run


@dataclass(frozen=True, slots=True)
class ActionGradient:
    """Return of an episode and its derivatives."""

    value: float  #: the return
    by_action: np.ndarray  #: (n,) by every action
    by_parameter: np.ndarray | None  #: (p,) by the parameters of an open-loop policy, if their Jacobian was given
    margin: float  #: least force by which a contact or dropper keeps its mode [N]: below it the return has a kink


class ActionTape:
    """A taped episode under values u_0 … u_n of the actuator force, u_0 at the start of control."""

    def __init__(self, prepared: PreparedRun, task: ControlTask) -> None:
        if task.actuator.on == "damper":
            raise ModelError('gradient: the setting of a damper is not differentiable here; use on = "head" or "frame"')
        prepared.model.require("taped")
        self.prepared, self.task = prepared, task
        s = prepared.schedule
        self.weights = _interpolation(s.actions, s.each)

    def push(self, u: np.ndarray) -> np.ndarray:
        """Forces on all masses at every step of the run up to its assessed end, (last + 1, nm) [N]."""
        p, s = self.prepared, self.prepared.schedule
        found = np.zeros((s.last + 1, sum(one.size for one in p.model.pantographs)))
        up, down = p.pair
        found[s.first :, up] = self.weights @ u
        if down is not None:
            found[s.first :, down] = -found[s.first :, up]
        return found

    def tape(self, u: np.ndarray) -> RunTape:
        """The run up to its assessed end under these forces."""
        return tape_run(self.prepared.model, push=self.push(u), steps=self.prepared.schedule.last)

    def back(self, tape: RunTape, wanted: OutputCotangents) -> np.ndarray:
        """∂/∂u (n + 1,) of what has these cotangents by contact forces."""
        up, down = self.prepared.pair
        by = slopes(tape, wanted).uplift
        whole = by[:, up] - (by[:, down] if down is not None else 0.0)
        return np.asarray(self.weights.T @ whole[self.prepared.schedule.first : self.prepared.schedule.last + 1])

    def deviation(self, tape: RunTape) -> Objective:
        """σ of the filtered force in the assessed section."""
        return objective(tape, "deviation", self.task.actuator.pantograph - 1)


def _interpolation(actions: int, each: int) -> np.ndarray:
    """Weights of the values u_0 … u_n in the force of every step, (n·each + 1, n + 1)."""
    i = np.arange(actions * each + 1)
    k = np.minimum(i // each, actions - 1)
    found = np.zeros((i.size, actions + 1))
    xi = i / each - k
    found[i, k], found[i, k + 1] = 1.0 - xi, xi
    return found


def action_gradient(
    prepared: PreparedRun, task: ControlTask, actions: np.ndarray, jacobian: np.ndarray | None = None
) -> ActionGradient:
    """Return under a sequence of actions, and its derivatives."""
    s, k = prepared.schedule, task.actuator.pantograph - 1
    given = np.asarray(actions, dtype=float).ravel()
    if given.size != s.actions:
        raise ModelError(f"gradient: this episode has {s.actions} actions, got {given.size}")
    episode = Episode(task, prepared, np.random.default_rng(0))
    for a in given:
        episode.command(checked_action(a))
    u = np.concatenate([[0.0], episode.values])
    taped = ActionTape(prepared, task)
    tape = taped.tape(u)
    wires = tape.force.shape[1] // len(prepared.model.names)
    mine = slice(k * wires, (k + 1) * wires)
    force = tape.force[:, mine].sum(axis=1)
    push = np.zeros(s.last + 1)
    push[s.first :] = taped.weights @ u
    terms, steps = episode.terms, np.arange(1, s.last + 1)
    judged, controlled = steps >= s.judged, steps > s.first
    value = float((terms.of_steps(force, push[1:], judged) * controlled).sum())
    wanted = tape.zero_seed()
    wanted.force[:, mine] = (terms.by_force(force, judged) * controlled)[:, None]
    by_value = taped.back(tape, wanted)
    by_value += taped.weights[1:].T @ terms.by_push(push[s.first + 1 :])
    by_action = _through_rate(by_value, given, u, task)
    by = None if jacobian is None else by_action @ np.asarray(jacobian, dtype=float)
    return ActionGradient(value, by_action, by, float(tape.margin[s.first :].min()))


def _through_rate(by_value: np.ndarray, actions: np.ndarray, u: np.ndarray, task: ControlTask) -> np.ndarray:
    """∂/∂actions from ∂/∂u: a value that the rate limits follows the one before it."""
    size, found, carried = task.actuator.force, np.zeros(actions.size), 0.0
    for k in range(actions.size - 1, -1, -1):
        total = by_value[k + 1] + carried
        limited = abs(u[k + 1] - size * actions[k]) > 1e-9 * size
        found[k], carried = (0.0, total) if limited else (size * total, 0.0)
    return found
