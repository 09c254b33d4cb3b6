"""``panhead line check``: compare the geometry and statics of a line with limits, before any run."""

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
from panhead.desk.sheets.survey_limits import survey_findings
from panhead.errors import ModelError, NotConverged
from panhead.railway.line.assumptions import assumptions
from panhead.railway.line.conditions import Conditions, Wind, line_in
from panhead.railway.line.layout import PlacedTensionLength
from panhead.railway.line.line_description import Line
from panhead.railway.line.line_places import MastPlaces
from panhead.railway.line.line_plausibility import implausible
from panhead.railway.line.line_speed import check_speed, share_allowed
from panhead.railway.line.strung_line import Strung, string
from panhead.runs.description import FASTEST

LIMITS: Final = "line-geometry"
_FORCES: Final = "en50367-2012"  # whose mean force lifts the wire

#: quantity → what it is called
NAMES: Final = {
    "contact_height": "contact wire height above rail",
    "wire_gradient": "gradient of the contact wire",
    "gradient_change": "change of the contact wire's gradient",
    "stagger": "stagger",
    "encumbrance": "encumbrance",
    "dropper_length": "dropper length",
    "dropper_spacing": "dropper spacing",
    "dropper_load": "static dropper load",
    "uplift_space_factor": "uplift space divided by static uplift",
    "wave_speed_ratio": "speed divided by wave speed",
    "lateral": "lateral offset of the contact wire from the track centre",
    "overlap_separation": "lateral separation of the contact wires in the overlap",
    "overlap_clearance": "clearance between the wires of the two sections",
    "steady_arm_pull": "static steady-arm load",
}
_REMEDIES: Final = {
    ("contact_height", "lower"): "raise contact_height here",
    ("contact_height", "upper"): "lower contact_height here",
    ("wire_gradient", "upper"): "spread the change of height over more spans, or reduce the speed",
    ("gradient_change", "upper"): "insert a transition span with half the gradient, or reduce the speed",
    ("stagger", "upper"): "reduce the stagger, or shorten the spans of a curve",
    ("encumbrance", "lower"): "increase the encumbrance, or shorten the spans",
    ("encumbrance", "upper"): "reduce the encumbrance, if the mid-span droppers stay long enough",
    ("dropper_length", "lower"): "increase the encumbrance or the messenger tension, or shorten the span",
    ("dropper_length", "upper"): "reduce the encumbrance",
    ("dropper_spacing", "lower"): "move or remove one of the two",
    ("dropper_spacing", "upper"): "add a dropper between them",
    ("dropper_load", "lower"): "change its length or the pre-sag, or remove it; it will slacken at every passage",
    ("dropper_load", "upper"): "add a dropper beside it, or change its length; it carries part of its neighbours' load",
    ("uplift_space_factor", "lower"): "increase the uplift space or the tension, or fit an uplift stop; then check "
    "with a run",
    ("wave_speed_ratio", "upper"): "increase the contact wire tension, or reduce the speed",
    ("overlap_separation", "lower"): "increase the separation of the overlap, or change the staggers at its masts",
    ("overlap_clearance", "lower"): "increase separation and lift of the overlap, or change the staggers at its masts",
    ("steady_arm_pull", "lower"): "increase the stagger, so that the steady arm stays in tension",
    ("steady_arm_pull", "upper"): "reduce the stagger, or register the wire at more masts",
    ("lateral", "upper"): "shorten the span, reduce the stagger, or increase the contact wire tension",
}


def check_line(
    line: Line,
    *,
    speed: float | None = None,
    wind: float = 0.0,
    working_width: float | None = None,
    edition: str = LIMITS,
) -> LineCheck:
    """Compare every quantity of the line with its limits.

    ``speed`` [m/s] chooses limits that depend on it; ``wind`` [m/s] blows the contact wire off; ``working_width`` [m]
    is the part of the head on which the wire may run, instead of the limit in the table.
    """
    if speed is not None and not 0.0 < speed <= FASTEST:
        raise ModelError(f"speed must be above 0 and at most {FASTEST:g} m/s, got {speed:g} m/s; check its unit")
    found = _Found(line, speed, working_width, limits.read(edition))
    strung = string(line)
    for measure in _measures(found, strung, wind):
        found.add(measure)
    found.findings += [
        *_plausibility_findings(line),
        *_overlap_findings(strung),
        *_not_checked(line, speed, wind),
        *found.without_limit(),
    ]
    order: tuple[Level, ...] = ("wrong", "doubtful", "note")
    places = MastPlaces.from_layout(strung.layout)
    said = [f if f.x is None else replace(f, at=places.describe(f.x)) for f in found.findings]
    findings = sorted(said, key=lambda f: (order.index(f.level), f.quantity))
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
        survey = self.table.survey_limit(measure.quantity, self.line.contact_height)
        if survey is not None:
            self.findings += survey_findings(survey, measure)

    def _by_head(self, quantity: str) -> bool:
        return quantity == "lateral" and self.width is not None

    def _limits(self, quantity: str) -> Iterator[Limit]:
        """Applicable limits; without a speed only those that hold at every speed."""
        if quantity == "lateral" and self.width is not None:
            clause = "working width of the pan-head"
            yield Limit(quantity=quantity, bound="upper", value=0.5 * self.width, clause=clause, status="quoted")
        elif quantity == "wave_speed_ratio" and self.speed is not None:
            yield self._share(self.speed)
        else:
            yield from self.table.limits_of(quantity, self.speed, self.line.supply)

    def _share(self, speed: float) -> Limit:
        """Limit of v/c: that of the table or, without one, that of a run; never above 1."""
        allowed = share_allowed(limits.to_json(self.table), speed, self.line.supply)
        if allowed.at(speed) <= 1.0:
            return allowed
        return replace(allowed, value=1.0, quadratic=0.0, clause="wave speed: no steady contact above it")

    def without_limit(self) -> Iterator[Finding]:
        """Quantities without a limit in the table, which were therefore not checked."""
        at_any_speed = {limit.quantity for limit in self.table.limit}
        names = [
            NAMES[quantity]
            for quantity in self.measured
            if not any(self._limits(quantity)) and (self.speed is not None or quantity not in at_any_speed)
        ]
        if names:
            words = f"{self.table.name} has no applicable limit for {', '.join(names)}: not checked"
            remedy = f"give --limits {LIMITS}, or your own limits file"
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
            found.findings.append(_stringing_finding(piece, str(error)))
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
    """The line in wind from either side, or as strung without wind."""
    return [string(line_in(line, Conditions(wind=Wind(speed=v)))) for v in (wind, -wind)] if wind else [strung]


def _stringing_finding(piece: PlacedTensionLength, words: str) -> Finding:
    """Finding for a tension length that cannot be strung; the message begins with the place and ends with the
    remedy."""
    match = re.match(r"(.+?, span \d+)[, ]*((?:auxiliary )?dropper \d+ at [\d.]+ m)?", words)
    place = ", ".join(filter(None, match.groups())) if match else piece.name
    last = re.split(r"; |\. ", words)[-1]
    return Finding(level="wrong", quantity="stringing", place=place, words=words, remedy=last)


def _line_issue(measure: LineMeasure, limit: Limit, speed: float | None, *, described: bool) -> Finding:
    side = "above the limit of" if limit.bound == "upper" else "below the limit of"
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
        words=f"{NAMES[measure.quantity]} {shown}{more}, {side} {allowed} ({limit.clause})",
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


def _plausibility_findings(line: Line) -> Iterator[Finding]:
    """Findings on assumed values and on implausible numbers."""
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


def _overlap_findings(strung: Strung) -> Iterator[Finding]:
    for one in strung.layout.junctions():
        place = f"{one.before} and {one.after}"
        level: Level = "doubtful" if one.rail else "wrong"
        yield Finding(level=level, quantity="overlap", place=place, x=one.x, words=one.words, remedy=one.remedy)


def _not_checked(line: Line, speed: float | None, wind: float) -> list[Finding]:
    """Checks that were skipped, and the input each of them needs."""
    left = []
    if speed is None:
        left.append(("wave_speed_ratio", "gradients, wave speed and uplift need a speed", "give --speed"))
    elif check_speed(line, speed) is None:
        left.append(
            (
                "wave_speed_ratio",
                "speed divided by wave speed (a conductor rail has no single wave speed)",
                "check with a run",
            )
        )
    if not wind:
        left.append(("lateral", "the lateral offset of the contact wire in wind", 'give --wind, e.g. "26 m/s"'))
    if line.uplift_space is None:
        left.append(("uplift_space_factor", "the line gives no uplift space", "set uplift_space"))
    if any(tl.overlap is not None and tl.overlap.insulated is None for tl in line.tension_lengths):
        words = "clearance in the overlaps: the line does not state whether they are insulated"
        remedy = "set insulated in the overlap"
        left.append(("overlap_clearance", words, remedy))
    return [Finding(level="note", quantity=q, place="line", words=f"{w}: not checked", remedy=r) for q, w, r in left]
