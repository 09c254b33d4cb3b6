"""The page of a run under an overhead line: verdict, contact force, line, animation.

What it reads from the dataset (SI units; only the first four are needed, the rest adds sections):

    time (time), pantograph (pantograph): names
    contact_force (pantograph, time)          unfiltered [N]
    contact_x (pantograph, time)              place of the contact along the track [m]
    contact_z (pantograph, time)              height of the contact point above rail [m]
    support_x, support_uplift, support_judged (support)    uplift is the largest of the run [m]
    dropper_x, dropper_static_force, dropper_max_force, dropper_slack_time (dropper)
    slack_dropper, slack_start, slack_end (slack)          index and moments of each slackening [s]
    elasticity_x, elasticity (elasticity_point)            [m], [m/N]
    kinetic, potential, work_…, dissipated_…, balance (time, or sample if kept less often) [J]
    static_x, static_contact_z, static_messenger_z (station)
    frame_time (frame), frame_x, frame_contact_z, frame_messenger_z (frame, frame_point),
    frame_pantograph_x, frame_head_z (frame, pantograph)   pictures for the animation

Attributes: title, about, speed [m/s], judged_from and judged_to [s], supply, edition, wave_speed
[m/s], uplift_space [m], criteria (see ``panhead.assess.judge``).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from panhead.assess import Criterion, limits, overall
from panhead.assess import judgement as judgement_of
from panhead.assess.criteria import DEFAULT_EDITION
from panhead.report import energy, line_animation, line_figures, provenance
from panhead.report.page import Block, Page, Section, Verdict
from panhead.report.words import MOODS, brief, criteria_table, information_table, number

if TYPE_CHECKING:
    import xarray as xr


def page(dataset: xr.Dataset) -> Page:
    """The report of one run of the scenario kind ``line``."""
    judgement = next(iter(judgement_of(dataset).values()))
    sections = [
        Section("Judgement", _tables(judgement)),
        Section("Contact force", line_figures.force_pictures(dataset, judgement)),
        Section("Overhead line", line_figures.line_pictures(dataset)),
        Section("Animation", line_animation.animations(dataset)),
        Section("Energy", energy.pictures(dataset)),
        Section("About this run", provenance.blocks(dataset)),
    ]
    return Page(
        title=str(dataset.attrs.get("title", "Run under an overhead line")),
        subtitle=_subtitle(dataset),
        verdict=_verdict(dataset, judgement),
        sections=[section for section in sections if section.blocks],
    )


def _subtitle(dataset: xr.Dataset) -> str:
    about = str(dataset.attrs.get("about", ""))
    speed = f"{brief(3.6 * float(dataset.attrs['speed']))} km/h"
    count = dataset.sizes["pantograph"]
    carried = "one pantograph" if count == 1 else f"{count} pantographs"
    told = [about, "" if "km/h" in about else speed, carried]
    return " · ".join(text for text in told if text)


def _verdict(dataset: xr.Dataset, judgement: dict[str, list[Criterion]]) -> Verdict:
    every = [c for criteria in judgement.values() for c in criteria]
    found = overall(every)
    table = limits.read(str(dataset.attrs.get("edition", DEFAULT_EDITION)))
    standard = " and ".join([table.name, *(limits.read(name).name for name in table.includes)])
    standard = standard.replace("EN ", "EN\u00a0")  # a name is not torn apart
    limited = [c for c in every if c.limit is not None]
    failed = _reasons(limited)
    opened = dict.fromkeys(c.name for c in limited if c.verdict == "undecided")
    sentence = {
        "met": f"The contact is good enough: all {len(limited)} criteria of {standard} are met.",
        "not met": f"The contact is not good enough by {standard}: {'; '.join(failed)}.",
        "undecided": f"By {standard} it cannot be decided: the numerical error bar of "
        f"{', '.join(opened)} straddles the limit.",
        "for information": "No limit applies to this run; the numbers stand for themselves.",
    }[found]
    details = [_summary(name, criteria) for name, criteria in judgement.items()]
    return Verdict(MOODS[found], sentence, details)


def _reasons(criteria: Sequence[Criterion]) -> list[str]:
    """Each criterion not met in a few words: name, value, limit."""
    found = []
    for c in criteria:
        if c.verdict == "not met":
            value, limit, _, unit = c.shown()
            sign = "above" if c.bound == "upper" else "below"
            found.append(f"{c.name} {number(value, 3)} {unit}, {sign} {brief(limit or 0.0)} {unit}")
    return found


def _summary(name: str, criteria: Sequence[Criterion]) -> str:
    """One line of the numbers an engineer asks for first."""
    wanted = {
        "mean_force": "mean",
        "deviation": "σ",
        "actual_max": "maximum",
        "actual_min": "minimum",
        "uplift": "uplift",
        "contact_loss": "contact lost",
    }
    shown = {c.key: c.shown() for c in criteria}
    parts = [
        f"{word} {number(shown[k][0], 3)} {shown[k][3]}" for k, word in wanted.items() if k in shown
    ]
    return f"{name}: " + ", ".join(parts)


def _tables(judgement: dict[str, list[Criterion]]) -> list[Block]:
    blocks: list[Block] = []
    several = len(judgement) > 1
    for name, criteria in judgement.items():
        suffix = f", {name}" if several else ""
        blocks.append(criteria_table(criteria, f"Criteria{suffix}"))
        blocks.append(information_table(criteria, f"For information{suffix}"))
    return blocks
