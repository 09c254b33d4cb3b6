"""Control environments against what shares none of their code above the solver, and the plant against NumPy."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np

from panhead.explore.environment import ControlTask, PantographEnv, PantographVectorEnv
from panhead.explore.environment.episode_bound import episode_ceiling
from panhead.explore.environment.episode_start import named_run
from panhead.explore.environment.evaluation import compare
from panhead.explore.environment.plant import Plant
from panhead.explore.environment.policies import baselines
from panhead.runs import scenarios
from panhead.runs.description import Run
from panhead.runs.force_histories import PushInTime
from panhead.runs.resolve import resolve
from panhead.runs.simulate import simulate_one
from panhead.validation.checks import AFTER, BEFORE, Check, below, largest
from panhead.validation.gymnasium.numpy_plant import NumpyPlant, ReferenceData

_SHORT: dict[str, Any] = {
    "line_changes": {"tension_lengths": [{"name": "T1", "spans": [{"length": 50.0, "count": 6, "dropper_count": 6}]}]},
    "numerics": {"step": "2 ms", "repeat": "none", "explain": "none"},
    "journey": {"judged_from": 100.0, "judged_to": 150.0, "stop": 180.0, "ramp": 0.4},
    "speed": 60.0,
}
_LANES = 8
_RAMP, _STEPS = 0.3, 500  # of the plant in NumPy: contact is lost and droppers slacken within


def gymnasium_case() -> list[Check]:
    """All rows."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [*_episodes(), _lanes(), _plant(), _gradient(), *_ceiling()]


def _task() -> ControlTask:
    return ControlTask(runs="en50318-300", changes=_SHORT)


def _episode_return(env: PantographEnv, actions: np.ndarray) -> float:
    env.reset(seed=1)
    return sum(env.step(np.array([a]))[1] for a in actions)


def _episodes() -> list[Check]:
    env = PantographEnv(_task())
    env.reset(seed=1)
    s, run = env.episode.prepared.schedule, named_run(env.task)
    apart = []
    for size in (0.0, 0.4):
        _episode_return(env, size * np.sin(0.4 * np.arange(s.actions)))
        times = (s.first + s.each * np.arange(s.actions + 1)) * env.episode.prepared.model.run.numerics.step
        values = np.concatenate([[0.0], env.episode.values])
        table = lambda sign, values=values, times=times: tuple(
            zip(times.tolist(), (sign * values).tolist(), strict=True)
        )
        pushes = tuple(PushInTime(table=table(sign), stage=stage) for stage, sign in ((1, 1.0), (2, -1.0)))
        mine = env.episode.force()[:, 0]
        apart.append(np.abs(mine - _force(replace(run, pushes=pushes if size else ()))[: mine.size]).max())
    told = "the same run by the solver; rounding, because it is computed in other pieces"
    return [
        below("episode without actions", apart[0], 1e-6, "N", told, by=BEFORE),
        below("episode with forces", apart[1], 1e-6, "N", f"{told}; forces in a table", by=BEFORE),
    ]


def _force(run: Run) -> np.ndarray:
    return np.asarray(simulate_one(run)["contact_force"].to_numpy()[0])


def _lanes() -> Check:
    many, one = PantographVectorEnv(_LANES, _task()), PantographEnv(_task())
    many.reset(seed=5)
    n = many.episodes[0].prepared.schedule.actions
    actions = np.random.default_rng(0).uniform(-1.0, 1.0, (n, _LANES, 1))
    rewards = np.array([many.step(a)[1] for a in actions])
    apart = []
    for k in range(0, _LANES, 3):
        one.reset(seed=5 + k)
        apart.append(np.abs(rewards[:, k] - [one.step(a)[1] for a in actions[:, k]]).max())
    source = f"rewards of {_LANES} lanes against single episodes; the same operations in the same order"
    return below("lanes against single episodes", largest(apart), 1e-12, "1", source, by=BEFORE)


def _plant() -> Check:
    found = scenarios.read("en50318-300", changes={"journey": {"ramp": _RAMP}}).description
    assert isinstance(found, Run)
    mine = Plant(resolve(found)).advance(_STEPS)[:, 0]
    other = NumpyPlant(ReferenceData(ramp=_RAMP))
    reference = np.array([other.step() for _ in range(_STEPS)])
    source = "line and pantograph written in NumPy from the equations, same mesh and rule; forces from 0 to 230 N"
    return below("plant against NumPy, contact force", np.abs(mine - reference).max(), 0.01, "N", source, by=AFTER)


def _gradient() -> Check:
    env = PantographEnv(_task())
    env.reset(seed=1)
    n = env.episode.prepared.schedule.actions
    actions = 0.3 * np.sin(0.37 * np.arange(n))
    found, h = env.gradient(actions).by_action, 1e-5
    d = np.random.default_rng(0).standard_normal(n)
    slope = (_episode_return(env, actions + h * d) - _episode_return(env, actions - h * d)) / (2.0 * h)
    source = "central differences of plain episodes, over the length of the gradient"
    return below(
        "gradient of the return", float(found @ d - slope) / float(np.linalg.norm(found)), 1e-5, "1", source, by=BEFORE
    )


def _ceiling() -> list[Check]:
    env = PantographEnv(_task())
    env.reset(seed=1)
    ceiling = episode_ceiling(env.episode.prepared, env.task, 6)
    scores = compare(env, baselines(), [1], {1: ceiling})
    best = max(scores, key=lambda one: one.share)
    return [
        below("none, share of the possible", scores[0].share, 1e-9, "1", "no control is no share", by=BEFORE),
        below(
            "best baseline, share of the possible",
            best.share,
            1.0,
            "1",
            "the ceiling, 6 steps of its search",
            by=BEFORE,
        ),
    ]
