"""Dropper lengths found by ``panhead design``, recomputed: requested and achieved improvement of σ.

The changes are those of ``en50318-droppers`` and ``en50318-droppers-both-ways``, to a tenth of a millimetre, the same
in every span. Nothing is searched here.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from panhead.assess import judgement
from panhead.errors import RunWarning
from panhead.railway.line.line_description import Line, Span
from panhead.railway.line.line_variants import with_cut_lengths
from panhead.runs import scenarios
from panhead.runs.description import Run
from panhead.runs.resolve import resolve_line
from panhead.runs.simulate import simulate
from panhead.validation.checks import BEFORE, Check, at_least, at_most, listed

#: droppers 1 … 9 of every span, longer by [mm]
ONE_WAY = (-2.8, -15.0, -5.8, -13.6, -1.6, -1.7, 12.5, 13.2, 15.0)
BOTH_WAYS = (-9.7, -15.0, -6.8, -14.0, -5.3, -14.0, -6.8, -15.0, -9.7)
_ELSEWHERE = "three quarters of the requested gain must remain on other meshes, else the search overfitted its mesh"
_OTHER_MODELS: Final[Mapping[str, Mapping[str, Any]]] = {
    "steps and elements of half the size": {"finer": 2.0},
    "droppers hung to 2 mm": {"scatter": 1},
    "cables of large deflection": {"cables": True},
}
_ASKED = "design requirement: σ at 300 km/h at least 20 % lower, σ at 250 km/h not higher"


def with_longer_droppers(line: Line, changes: Sequence[float]) -> Line:
    """Line with the droppers of every span lengthened by ``changes`` [mm]."""
    cut = with_cut_lengths(line)

    def of(span: Span) -> Span:
        pairs = zip(span.droppers, changes, strict=True)
        return replace(span, droppers=tuple(replace(d, length=(d.length or 0.0) + 1e-3 * c) for d, c in pairs))

    lengths = (replace(tl, spans=tuple(map(of, tl.spans))) for tl in cut.tension_lengths)
    return replace(cut, tension_lengths=tuple(lengths))


def deviation(
    name: str, changes: Sequence[float] | None, *, finer: float = 1.0, scatter: int = 0, cables: bool = False
) -> float:
    """σ of a shipped run [N], as it is or with changed droppers.

    finer: by how much steps and elements are smaller; scatter: seed of errors of ±2 mm in every dropper, 0: none;
    cables: by the solver of large deflection, which shares neither line nor step with the search.
    """
    run = scenarios.read(name).description
    assert isinstance(run, Run)  # both are shipped as runs
    numbers = run.numerics
    smaller = replace(numbers, step=numbers.step / finer, element_length=numbers.element_length / finer)
    run = replace(run, numerics=smaller)
    if changes is not None:
        run = replace(run, line=with_longer_droppers(resolve_line(run), changes), line_changes={})
    if scatter:
        run = replace(run, line=_with_length_errors(resolve_line(run), scatter), line_changes={})
    if cables:
        run = _cable_deviation(run)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RunWarning)
        found = judgement(simulate(run))
    (criteria,) = found[""].values()
    return next(c.value for c in criteria if c.key == "deviation")


def line_design() -> Sequence[Check]:
    """σ of both speeds, as it was and with either set of droppers."""
    before = {speed: deviation(f"en50318-{speed}", None) for speed in (250, 300)}
    checks = [listed(f"σ at {speed} km/h, as it was", x, None, "N", "the run itself") for speed, x in before.items()]
    for name, changes in (("one way", ONE_WAY), ("both ways", BOTH_WAYS)):
        ratio = {speed: deviation(f"en50318-{speed}", changes) / x for speed, x in before.items()}
        checks.append(at_least(f"{name}: σ at 300 km/h lower by", 100 * (1 - ratio[300]), 20.0, "%", _ASKED, by=BEFORE))
        checks.append(at_most(f"{name}: σ at 250 km/h over before", ratio[250], 1.0, "1", _ASKED, by=BEFORE))
        for what, other in _OTHER_MODELS.items():
            if name == "both ways" and "cables" in other:
                continue  # forty seconds more; 16 % when it was computed
            pair = [deviation("en50318-300", x, **other) for x in (changes, None)]
            checks.append(at_least(f"{name}: σ at 300 km/h lower by, {what}", 100 * (1 - pair[0] / pair[1]), 15.0,
                "%", _ELSEWHERE, by=BEFORE))  # fmt: skip
    return checks


def _cable_deviation(run: Run) -> Run:
    """Run with the cable solver: longest elements that resolve 20 Hz, over the assessed section only.

    Cables stretch: wires of copper of 150 mm² and bronze of 95 mm², as their masses per metre say.
    """
    line = resolve_line(run)
    wires = replace(
        line.wires,
        contact=replace(line.wires.contact, axial_stiffness=1.7e7),
        messenger=replace(line.wires.messenger or line.wires.contact, axial_stiffness=1.1e7),
    )
    journey = replace(run.journey, stop=370.0)
    numbers = replace(run.numerics, element_length=1.3)
    stretching = replace(line, wires=wires)
    return replace(run, line=stretching, line_changes={}, journey=journey, numerics=numbers, solver="cables")


def _with_length_errors(line: Line, seed: int) -> Line:
    """Line with a random length error in every dropper, uniform within ±2 mm."""
    cut, rng = with_cut_lengths(line), np.random.default_rng(seed)
    wrong = lambda d: replace(d, length=(d.length or 0.0) + float(rng.uniform(-2e-3, 2e-3)))
    of = lambda span: replace(span, droppers=tuple(map(wrong, span.droppers)))
    lengths = (replace(tl, spans=tuple(map(of, tl.spans))) for tl in cut.tension_lengths)
    return replace(cut, tension_lengths=tuple(lengths))
