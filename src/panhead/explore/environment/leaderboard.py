"""Leaderboard: baselines over episodes of held-out lines, each score beside the ceiling of its episode.

A folder holds ``episodes/SEED-….json`` (the ceiling of every episode, found once), ``leaderboard.csv`` (a row for every
policy and episode), ``leaderboard.toml`` (a table for every policy) and a page.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
import tomli_w

from panhead import __version__
from panhead.errors import ModelError
from panhead.explore.environment.episode_bound import ITERATIONS, EpisodeCeiling, episode_ceiling
from panhead.explore.environment.evaluation import EpisodeScore, compare
from panhead.explore.environment.family import Split
from panhead.explore.environment.pantograph_env import PantographEnv
from panhead.explore.environment.policies import Policy, baselines
from panhead.explore.environment.task import ControlTask
from panhead.files import parse
from panhead.files.atomic_files import write_atomic
from panhead.files.cell_text import csv_lines
from panhead.files.embed import with_embedded_files

FIRST_SEED: Final = 1000  #: of the episodes of a leaderboard
COLUMNS: Final = ("deviation", "mean", "highest", "lowest", "loss", "effort", "return")


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """Scores of policies and ceilings of episodes."""

    task: ControlTask
    split: Split
    scores: Sequence[EpisodeScore]
    ceilings: Mapping[int, EpisodeCeiling]
    left_out: Mapping[str, str] = field(default_factory=dict)  #: policy that cannot act in this task → why

    def policies(self) -> list[str]:
        """Policies, the best mean share first."""
        names = list(dict.fromkeys(one.policy for one in self.scores))
        return sorted(names, key=lambda name: -np.nan_to_num(self.mean_share(name), nan=-np.inf))

    def of(self, policy: str) -> list[EpisodeScore]:
        """Scores of a policy."""
        return [one for one in self.scores if one.policy == policy]

    @property
    def surpassed(self) -> list[int]:
        """Episodes in which a policy reached less than the ceiling, or none was found: their search ended too early."""
        best = {seed: min(one.score["deviation"] for one in self.scores if one.seed == seed) for seed in self.ceilings}
        return [
            seed for seed, c in self.ceilings.items() if not c.deviation <= best[seed] or not c.deviation < c.passive
        ]

    def mean_share(self, policy: str) -> float:
        """Mean share of the possible over all episodes."""
        return float(np.mean([one.share for one in self.of(policy)]))


def read_task(path: str | Path) -> ControlTask:
    """Task of a TOML file."""
    return parse.build(ControlTask, parse.read_toml(Path(path)), source=path)


def conduct(
    task: ControlTask,
    folder: Path,
    *,
    episodes: int = 4,
    seed: int = FIRST_SEED,
    split: Split = "test",
    policies: Mapping[str, Policy] | None = None,
    iterations: int = ITERATIONS,
    told: Callable[[float, str], None] = lambda share, words: None,
) -> Leaderboard:
    """Play every policy in ``episodes`` episodes and write the files; ceilings in the folder are not sought again."""
    env = PantographEnv(task, split=split)
    seeds = list(range(seed, seed + episodes))
    ceilings: dict[int, EpisodeCeiling] = {}
    scores: list[EpisodeScore] = []
    chosen, left_out = dict(baselines() if policies is None else policies), {}
    for n, one in enumerate(seeds):
        env.reset(seed=one)
        if n == 0:
            left_out = _unable(chosen, env)
            chosen = {name: policy for name, policy in chosen.items() if name not in left_out}
        words = f"episode {n + 1} of {episodes}, {env.episode.prepared.model.run.about}"
        tell = lambda k, sigma, n=n, words=words: told(
            (n + 0.8 * k / iterations) / episodes, f"{words}: ceiling, deviation {sigma:.2f} N"
        )
        ceilings[one] = _stored_ceiling(env, folder, one, iterations, tell)
        told((n + 0.8) / episodes, f"{words}: policies")
        scores += compare(env, chosen, [one], ceilings)
    found = Leaderboard(task, split, scores, ceilings, left_out)
    write_atomic(folder / "leaderboard.csv", _csv(found).encode())
    write_atomic(folder / "leaderboard.toml", tomli_w.dumps(summary(found)).encode())
    return found


def _unable(policies: Mapping[str, Policy], env: PantographEnv) -> dict[str, str]:
    """Policies that cannot act in a task, such as networks trained with other signals, and why."""
    found = {}
    for name, policy in policies.items():
        try:
            policy.begin(env.episode.prepared, env.task)
        except ModelError as error:
            found[name] = str(error)
    if len(found) == len(policies):
        raise ModelError(f"leaderboard: no policy can act in this task: {next(iter(found.values()), 'there are none')}")
    return found


def _stored_ceiling(
    env: PantographEnv, folder: Path, seed: int, iterations: int, told: Callable[[int, float], None]
) -> EpisodeCeiling:
    """Ceiling of the present episode, from the folder if it is there."""
    prepared = env.episode.prepared
    plain = [__version__, parse.to_plain(env.task), parse.to_plain(with_embedded_files(prepared.model.run)), iterations]
    digest = hashlib.sha256(json.dumps(plain, sort_keys=True).encode()).hexdigest()[:16]
    path = folder / "episodes" / f"{seed}-{digest}.json"
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError):  # none yet, or damaged: found again
        raw = json.loads(path.read_text(encoding="utf-8"))
        return EpisodeCeiling(raw["passive"], raw["deviation"], raw["least"], np.array(raw["force"]))
    found = episode_ceiling(prepared, env.task, iterations, told)
    raw = {"passive": found.passive, "deviation": found.deviation, "least": found.least, "force": found.force.tolist()}
    write_atomic(path, json.dumps(raw | {"seed": seed, "about": prepared.model.run.about}, indent=1).encode())
    return found


def summary(board: Leaderboard) -> dict[str, Any]:
    """The leaderboard as plain data: task, episodes with their ceilings, policies with their mean scores."""
    episodes = {one.seed: one.about for one in board.scores}
    mean = lambda name, key: float(np.mean([one.score[key] for one in board.of(name)]))
    return {
        "version": __version__,
        "split": board.split,
        "episodes": [
            {"seed": seed, "about": episodes[seed], "none": c.passive, "ceiling": c.deviation, "least": c.least}
            for seed, c in board.ceilings.items()
        ],
        "policies": [
            {"name": name, "share_of_the_possible": board.mean_share(name)} | {k: mean(name, k) for k in COLUMNS}
            for name in board.policies()
        ],
        "left_out": dict(board.left_out),
        "task": parse.to_plain(board.task),
    }


def _csv(board: Leaderboard) -> str:
    rows: list[list[object]] = [["policy", "seed", "run", "none [N]", "ceiling [N]", "share of the possible", *COLUMNS]]
    for one in board.scores:
        c = board.ceilings[one.seed]
        numbers = [c.passive, c.deviation, one.share, *(one.score[key] for key in COLUMNS)]
        rows.append([one.policy, one.seed, one.about, *(f"{x:.6g}" for x in numbers)])
    return csv_lines(rows)
