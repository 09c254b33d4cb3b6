"""``panhead line check``: a line as drawn against limits as data, before anybody waits for a run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from panhead.assess import limits
from panhead.assess.limits import QUANTITIES, Edition, Limit
from panhead.desk.sheets.line_issue import Finding, Level, LineCheck
from panhead.desk.sheets.line_measures import (
    LineMeasure,
    arm_measures,
    dropper_measures,
    lateral_measure,
    mast_measures,
    overlap_measures,
    uplift_measures,
)
from panhead.errors import ModelError, NotConverged
from panhead.railway.line.assumptions import assumptions
from panhead.railway.line.conditions import Conditions, Wind, line_in
from panhead.railway.line.layout import Piece
from panhead.railway.line.line_description import Line
from panhead.railway.line.line_plausibility import implausible
from panhead.railway.line.line_speed import check_speed, share_allowed
from panhead.railway.line.strung_line import Strung, string
from panhead.runs.description import FASTEST

LIMITS: Final = "line-geometry"
_FORCES: Final = "en50367-2012"  # whose mean force lifts the wire

#: quantity → what it is called
NAMES: Final = {
    "contact_height": "contact wire above rail",
    "wire_gradient": "gradient of the contact wire",
    "gradient_change": "change of the contact wire's gradient",
    "stagger": "stagger",
    "encumbrance": "encumbrance",
    "dropper_length": "length of the dropper",
    "dropper_spacing": "distance between droppers",
    "dropper_load": "load of the dropper at rest",
    "uplift_space_factor": "room for uplift over the static uplift",
    "wave_speed_ratio": "speed over wave speed",
    "lateral": "contact wire from the track's middle",
    "overlap_separation": "contact wires of an overlap, apart across the track",
    "overlap_clearance": "wires of two sections, apart",
    "steady_arm_pull": "pull of the steady arm at rest",
}
_REMEDIES: Final = {
    ("contact_height", "lower"): "raise contact_height here",
    ("contact_height", "upper"): "lower contact_height here",
    ("wire_gradient", "upper"): "spread the change of height over more spans, or run slower",
    ("gradient_change", "upper"): "ease the gradient in over one span with half of it, or run slower",
    ("stagger", "upper"): "reduce the stagger, or shorten the spans of a curve",
    ("encumbrance", "lower"): "raise the messenger: give more encumbrance, or shorten the spans",
    ("encumbrance", "upper"): "lower the messenger, if the droppers at mid-span stay long enough",
    ("dropper_length", "lower"): "give more encumbrance or messenger tension, or shorten the span",
    ("dropper_length", "upper"): "give less encumbrance",
    ("dropper_spacing", "lower"): "move or leave out one of the two",
    ("dropper_spacing", "upper"): "add a dropper between them",
    ("dropper_load", "lower"): "change its length or the pre-sag, or leave it out: it will slacken at every passage",
    ("dropper_load", "upper"): "add a dropper beside it, or change its length: it carries its neighbours' load",
    ("uplift_space_factor", "lower"): "give more room above the steady arm, more tension, or a stop; then run it",
    ("wave_speed_ratio", "upper"): "raise the contact wire's tension, or run slower",
    ("overlap_separation", "lower"): "give the overlap more separation, or the masts other staggers",
    ("overlap_clearance", "lower"): "give the overlap more separation and lift, or the masts other staggers",
    ("steady_arm_pull", "lower"): "give more stagger, so that the arm is pulled and keeps its place",
    ("steady_arm_pull", "upper"): "give less stagger, or hold the wire at more masts",
    ("lateral", "upper"): "shorten the span, reduce the stagger, or raise the contact wire's tension",
}


def check_line(
    line: Line,
    *,
    speed: float | None = None,
    wind: float = 0.0,
    working_width: float | None = None,
    edition: str = LIMITS,
) -> LineCheck:
    """Every quantity of the line beside its limits.

    ``speed`` [m/s] chooses limits that depend on it; ``wind`` [m/s] blows the contact wire off; ``working_width`` [m]
    is the part of the head on which the wire may run, instead of the limit in the table.
    """
    if speed is not None and not 0.0 < speed <= FASTEST:
        raise ModelError(f"speed must be above 0 and at most {FASTEST:g} m/s, got {speed:g} m/s; is its unit right?")
    found = _Found(line, speed, working_width, limits.read(edition))
    strung = string(line)
    for measure in _measures(found, strung, wind):
        found.add(measure)
    found.findings += [*_of_numbers(line), *_of_junctions(strung), *_not_checked(line, speed, wind), *found.unlimited()]
    order: tuple[Level, ...] = ("wrong", "doubtful", "note")
    findings = sorted(found.findings, key=lambda f: (order.index(f.level), f.quantity))
    return LineCheck(line=line.name, findings=findings, measured=found.measured)


class _Found:
    """Findings and extremes, collected measure by measure."""

    def __init__(self, line: Line, speed: float | None, working_width: float | None, table: Edition) -> None:
        self.line, self.speed, self.width, self.table = line, speed, working_width, table
        self.findings: list[Finding] = []
        self.measured: dict[str, tuple[float, float]] = {}

    def add(self, measure: LineMeasure) -> None:
        """Keep the extremes; write a finding if a limit is broken."""
        low, high = self.measured.get(measure.quantity, (measure.value, measure.value))
        self.measured[measure.quantity] = min(low, measure.value), max(high, measure.value)
        for limit in self._limits(measure.quantity):
            if limit.room(measure.value, self.speed) < 0.0:
                self.findings.append(_line_issue(measure, limit, self.speed, described=self._by_head(measure.quantity)))

    def _by_head(self, quantity: str) -> bool:
        return quantity == "lateral" and self.width is not None

    def _limits(self, quantity: str) -> Iterator[Limit]:
        """Those that apply; without a speed only what holds at every speed."""
        if quantity == "lateral" and self.width is not None:
            clause = "working width of the pan-head"
            yield Limit(quantity=quantity, bound="upper", value=0.5 * self.width, clause=clause, status="quoted")
        elif quantity == "wave_speed_ratio" and self.speed is not None:
            yield self._share(self.speed)
        else:
            yield from self.table.limits_of(quantity, self.speed, self.line.supply)

    def _share(self, speed: float) -> Limit:
        """Of v/c: the table's or, where it has none, the one that counts in a run; below the waves in any case."""
        allowed = share_allowed(limits.to_json(self.table), speed, self.line.supply)
        if allowed.at(speed) <= 1.0:
            return allowed
        return replace(allowed, value=1.0, quadratic=0.0, clause="the waves: above them no contact is steady")

    def unlimited(self) -> Iterator[Finding]:
        """What was measured and not compared with anything, since the table has no limit of it."""
        at_any_speed = {limit.quantity for limit in self.table.limit}
        names = [
            NAMES[quantity]
            for quantity in self.measured
            if not any(self._limits(quantity)) and (self.speed is not None or quantity not in at_any_speed)
        ]
        if names:
            words = f"{self.table.name} has no limit that holds here of {', '.join(names)}: not checked"
            remedy = f"give --limits {LIMITS}, or a file of your own that has them"
            yield Finding(level="note", quantity="limits", place="line", words=words, remedy=remedy)


def _measures(found: _Found, strung: Strung, wind: float) -> Iterator[LineMeasure]:
    line, layout, strings = found.line, strung.layout, True
    winds: list[Strung] | None = None
    for piece in layout.pieces:
        yield from mast_measures(strung, piece)
        try:
            spans = strung.spans(piece)
        except (ModelError, NotConverged) as error:
            strings = False
            found.findings.append(_unstrung(piece, str(error)))
            continue
        for number, span in zip(range(piece.first, piece.stop), spans, strict=True):
            yield from dropper_measures(strung, piece, number, span)
            yield from arm_measures(strung, piece, number, span)
            if not (span.mesh.plan.left.lift and span.mesh.plan.right.lift):  # out of running: no head is there
                winds = winds or _in_wind(line, strung, wind)
                yield lateral_measure(winds, piece, number, wind)
    if strings:
        yield from overlap_measures(strung)
    if found.speed is None:
        return
    waves = check_speed(line, found.speed)
    if waves is not None:
        yield LineMeasure("wave_speed_ratio", waves.share, "slowest contact wire of the line")
    force = limits.read(_FORCES).find("mean_force", "upper", found.speed, line.supply)
    if strings and line.uplift_space is not None and force is not None:
        yield from uplift_measures(strung, force.at(found.speed), line.uplift_space)


def _in_wind(line: Line, strung: Strung, wind: float) -> list[Strung]:
    """The line blown to the left and to the right; as it is in calm air."""
    return [string(line_in(line, Conditions(wind=Wind(speed=v)))) for v in (wind, -wind)] if wind else [strung]


def _unstrung(piece: Piece, words: str) -> Finding:
    """Why a tension length has no shape at rest; the message begins with the place and ends with the remedy."""
    match = re.match(r"(.+?, span \d+)[, ]*((?:auxiliary )?dropper \d+ at [\d.]+ m)?", words)
    place = ", ".join(filter(None, match.groups())) if match else piece.name
    last = re.split(r"; |\. ", words)[-1]
    return Finding(level="wrong", quantity="stringing", place=place, words=words, remedy=last)


def _line_issue(measure: LineMeasure, limit: Limit, speed: float | None, *, described: bool) -> Finding:
    side = "more than the" if limit.bound == "upper" else "less than the"
    value = limit.at(speed)
    shown, allowed = (format_value(measure.quantity, x) for x in (measure.value, value))
    more = f" ({measure.note})" if measure.note else ""
    return Finding(
        level="doubtful" if limit.status == "usual" else "wrong",
        quantity=measure.quantity,
        place=measure.place,
        x=measure.x,
        value=measure.value,
        limit=value,
        unit=QUANTITIES[measure.quantity],
        words=f"{NAMES[measure.quantity]} {shown}{more}, {side} {allowed} of {limit.clause}",
        remedy=_REMEDIES[measure.quantity, limit.bound],
        clause=limit.clause,
        status="described" if described else limit.status,
    )


def format_value(quantity: str, value: float) -> str:
    """A value as an engineer writes it."""
    if quantity in ("wire_gradient", "gradient_change"):
        return f"{1e3 * value:.3g} ‰"
    unit = QUANTITIES[quantity]
    return f"{1e3 * value:.4g} mm" if unit == "m" and abs(value) < 1.0 else f"{value:.4g} {unit}".strip()


def _of_numbers(line: Line) -> Iterator[Finding]:
    """What the line leaves out, and numbers that no line has."""
    for left in assumptions(line):
        yield Finding(
            level="doubtful", quantity="assumption", place=left.place, words=left.words, remedy=left.remedy, value=0.0
        )
    for odd in implausible(line):
        yield Finding(
            level="doubtful",
            quantity="plausibility",
            place=odd.place,
            words=odd.words,
            remedy=odd.remedy,
            value=odd.value,
            limit=odd.limit,
            unit=odd.unit,
            clause=odd.source,
            status="usual",
        )


def _of_junctions(strung: Strung) -> Iterator[Finding]:
    for one in strung.layout.junctions():
        place = f"{one.before} and {one.after}"
        level: Level = "doubtful" if one.rail else "wrong"
        yield Finding(level=level, quantity="overlap", place=place, x=one.x, words=one.words, remedy=one.remedy)


def _not_checked(line: Line, speed: float | None, wind: float) -> list[Finding]:
    """What was left out, and what to give so that it is not."""
    left = []
    if speed is None:
        left.append(("wave_speed_ratio", "gradients, wave speed and uplift depend on the speed", "give --speed"))
    elif check_speed(line, speed) is None:
        left.append(("wave_speed_ratio", "speed over wave speed (a conductor rail has no single one)", "run it"))
    if not wind:
        left.append(("lateral", "the wire's place on the head was checked without wind", 'give --wind, e.g. "26 m/s"'))
    if line.uplift_space is None:
        left.append(
            ("uplift_space_factor", "the line does not say how much room for uplift it has", "give uplift_space")
        )
    if any(tl.overlap is not None and tl.overlap.insulated is None for tl in line.tension_lengths):
        words, remedy = "whether its overlaps are insulated nobody says, so that their clearance was", "give insulated"
        left.append(("overlap_clearance", words, remedy))
    return [Finding(level="note", quantity=q, place="line", words=f"{w}: not checked", remedy=r) for q, w, r in left]
