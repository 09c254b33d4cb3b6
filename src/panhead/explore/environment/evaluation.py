"""Scores of policies over episodes, beside the ceiling of each episode."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from panhead.errors import ModelError
from panhead.explore.environment.episode_bound import EpisodeCeiling
from panhead.explore.environment.pantograph_env import PantographEnv
from panhead.explore.environment.policies import Policy


@dataclass(frozen=True, slots=True)
class EpisodeScore:
    """What a policy reached in an episode."""

    policy: str
    seed: int
    about: str  #: the run
    score: Mapping[str, float]  #: as ``Episode.score`` gives it
    share: float  #: of the possible; NaN without ceiling


def play_episode(env: PantographEnv, policy: Policy, seed: int) -> dict[str, float]:
    """Score of a policy in the episode of a seed."""
    seen, _ = env.reset(seed=seed)
    act, over = policy.begin(env.episode.prepared, env.task), False
    info: dict[str, Any] = {}
    while not over:
        seen, _, _, over, info = env.step(np.array([act(seen)]))
    return dict(info["score"])


def compare(
    env: PantographEnv, policies: Mapping[str, Policy], seeds: Sequence[int], ceilings: Mapping[int, EpisodeCeiling]
) -> list[EpisodeScore]:
    """Scores of all policies in the episodes of these seeds."""
    if not seeds:
        raise ModelError("leaderboard: no episodes; give at least one seed")
    found = []
    for seed in seeds:
        for name, policy in policies.items():
            score = play_episode(env, policy, seed)
            about = env.episode.prepared.model.run.about
            share = ceilings[seed].share(score["deviation"]) if seed in ceilings else np.nan
            found.append(EpisodeScore(name, seed, about, score, share))
    return found
