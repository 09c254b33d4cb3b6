"""Verdict on several assessed runs together, such as one line at several speeds: one sentence for each group."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from panhead.assess.criteria import DEFAULT_EDITION, GROUPS, Group, Verdict
from panhead.assess.verdict_sentence import GroupSentence, in_words, standard_name, verdict_sentences

if TYPE_CHECKING:
    import xarray as xr


def verdict_of_cases(results: Mapping[str, xr.Dataset]) -> list[GroupSentence]:
    """Verdict of each group over runs by name ("250 km/h"), the worst of them; what is not met is told run by run."""
    said = {name: {one.group: one for one in verdict_sentences(result)} for name, result in results.items()}
    edition = str(next(iter(results.values())).attrs.get("edition", DEFAULT_EDITION))
    found = (_group({n: of[group] for n, of in said.items() if group in of}, group, edition) for group in GROUPS)
    return [one for one in found if one is not None]


def _group(said: Mapping[str, GroupSentence], group: Group, edition: str) -> GroupSentence | None:
    if not said:
        return None
    order: tuple[Verdict, ...] = ("not met", "undecided", "met")
    by = {verdict: [name for name, one in said.items() if one.verdict == verdict] for verdict in order}
    worst = next(verdict for verdict in order if by[verdict])
    parts = []
    if by["met"]:
        words = {
            "contact quality": f"Contact quality complies with {standard_name(edition)}",
            "setting": "Setting: mean contact force within its limits",
        }[group]
        parts.append(f"{words} at {in_words(by['met'])}.")
    for name in (*by["not met"], *by["undecided"]):
        words = said[name].sentence
        parts.append(f"At {name}: {words.removeprefix('Setting ') if parts else words}")
    return GroupSentence(group, worst, " ".join(parts))
