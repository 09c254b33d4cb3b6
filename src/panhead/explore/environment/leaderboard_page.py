"""Page of a leaderboard: policies beside the ceiling, episode by episode."""

from __future__ import annotations

import numpy as np

from panhead.desk.drawing import figures
from panhead.desk.reports.page import Block, Mood, Page, PageList, PageTable, PageVerdict, Picture, page_with
from panhead.explore.environment.leaderboard import Leaderboard

_NOTE = (
    "Share of the possible: (σ none − σ policy)/(σ none − σ ceiling). The ceiling is the best force within the "
    "actuator's limits, found with knowledge of line and future; negative: worse than no control."
)


def page(board: Leaderboard) -> Page:
    """The report of a leaderboard."""
    names = board.policies()
    best = names[0]
    sentence = (
        f"{best}: {100.0 * board.mean_share(best):.0f} % of the possible on average over {len(board.ceilings)} "
        f"episodes of the {board.split} split."
    )
    mood: Mood = "warning" if board.surpassed else "neutral"
    seeds = ", ".join(map(str, board.surpassed))
    doubts = [
        f"No ceiling in {len(board.surpassed)} of {len(board.ceilings)} episodes (seeds {seeds}): a policy did better "
        "than the force that was found, so their shares are no shares of the possible. Repeat with more --iterations."
    ] * bool(board.surpassed)
    sections: dict[str, list[Block | None]] = {
        "Policies": [_policies(board, names), _chart(board, names)],
        "Episodes": [_episodes(board, names)],
        "About": [PageList("How it was computed", _about(board))],
    }
    return page_with("Leaderboard", "Control of a pantograph", PageVerdict(mood, sentence, doubts), sections)


def _policies(board: Leaderboard, names: list[str]) -> PageTable:
    mean = lambda name, key: np.mean([one.score[key] for one in board.of(name)])
    rows = [
        [name, f"{100.0 * board.mean_share(name):.1f} %", f"{mean(name, 'deviation'):.2f} N"]
        + [f"{mean(name, 'highest'):.0f} N", f"{mean(name, 'lowest'):.0f} N"]
        + [f"{100.0 * mean(name, 'loss'):.2f} %", f"{mean(name, 'effort'):.1f} N"]
        for name in names
    ]
    ceiling = np.mean([c.deviation for c in board.ceilings.values()])
    rows.insert(0, ["ceiling", "100 %", f"{ceiling:.2f} N", "", "", "", ""])
    headings = ["policy", "share of the possible", "σ", "highest", "lowest", "loss of contact", "effort, rms"]
    return PageTable("Mean over all episodes", headings, rows, note=_NOTE)


def _chart(board: Leaderboard, names: list[str]) -> Picture:
    chart, (panel,) = figures.chart(240)
    for k, name in enumerate(names):
        shares = [100.0 * one.share for one in board.of(name)]
        panel.dots(np.arange(1, len(shares) + 1), np.array(shares), name, color=figures.hue(k), size=4.0)
    panel.rule(y=0.0)
    panel.name("episode", "share of the possible (%)")
    return Picture("shares", "Every policy in every episode", chart, _NOTE)


def _episodes(board: Leaderboard, names: list[str]) -> PageTable:
    about = {one.seed: one.about for one in board.scores}
    by = {(one.policy, one.seed): one.score["deviation"] for one in board.scores}
    rows = [
        [str(seed), about[seed], f"{c.deviation:.2f}", f"{c.least:.2f}", *(f"{by[name, seed]:.2f}" for name in names)]
        for seed, c in board.ceilings.items()
    ]
    note = "σ [N]. Least: no force gives less with contacts and droppers in the modes of the best force (convex bound)."
    return PageTable("Deviation in every episode", ["seed", "run", "ceiling", "least", *names], rows, note=note)


def _about(board: Leaderboard) -> list[str]:
    a, s = board.task.actuator, board.task.sensors
    rate = "unlimited" if a.rate is None else f"{a.rate:g} N/s"
    return [
        f"Actuator on the {a.on} of pantograph {a.pantograph}: at most {a.force:g} N, rate {rate}.",
        f"Sensors: {', '.join(s.signals)}; noise × {s.noise:g}, delay {s.delay:g} s, every {board.task.interval:g} s.",
        "σ: standard deviation of the contact force in the assessed section, filtered to 20 Hz (EN 50317).",
        "Gains of the laws are assumptions; those of LQG and MPC were chosen under the EN 50318 line.",
        "The network ppo was trained on lines of the split train with the standard task.",
        *(f"Left out: {name}: {why}" for name, why in board.left_out.items()),
    ]
