"""Uplift of a line design at its line speed, and its spread over what no text prints."""

from __future__ import annotations

import json
import math
import sys
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from panhead.assess.criteria import DEFAULT_EDITION
from panhead.assess.judge import judgement
from panhead.engine.jobs import Job
from panhead.errors import RunWarning
from panhead.files import parse
from panhead.railway.line.dropper_rules import DropperRule, SpanRule
from panhead.railway.line.line_design import LineDesign, read_design, shipped_designs
from panhead.railway.pantograph.pantograph_files import read_pantograph
from panhead.runs import scenarios
from panhead.runs.design_run import design_run
from panhead.runs.static_force_search import upper_mean_force

FILE: Final = Path(__file__).with_name("predictions.json")
SAMPLES: Final = 12  #: of the spread of each line
SEED: Final = 32
_PANTOGRAPHS: Final = ("dsa380", "benchmark-2015", "en50318-2002")


@dataclass(frozen=True, slots=True)
class Reading:
    """How an uplift was computed."""

    pantographs: int = 1
    one_wire: bool = False  #: the force is carried by one of two contact wires


def uplift(design: LineDesign, reading: Reading = Reading(), pantograph: str = "dsa380") -> float:
    """Largest uplift at a judged support at line speed, the mean force at its upper limit [mm].

    The static force is F_m (1 + k e) − F_aero with the lowest spring k of the pantograph and the elasticity e of the
    rule of thumb; what the mean then differs from F_m (0.1 % with the DSA 380, some 2 % at most) scales the uplift.
    """
    chosen = replace(design, contact_count=1) if reading.one_wire else design
    raw = design_run(chosen, pantograph=pantograph, pantographs=reading.pantographs)
    force = upper_mean_force(DEFAULT_EDITION, chosen.line_speed, chosen.supply)
    static = _static_force(chosen, pantograph, force)
    for one in raw["train"]:
        one |= {"mean_force": None, "changes": {"static_force": static}}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RunWarning)  # of runs that have not settled: the spread shows what that does
        result = scenarios.from_plain(raw, source=design.name).simulate(Job(error_bars="none", explain="none"))
    (found,) = judgement(result).values()
    values = [{c.key: c.value for c in criteria} for criteria in found.values()]
    return max(1e3 * one["uplift"] * force / one["mean_force"] for one in values)


def _static_force(design: LineDesign, pantograph: str, mean: float) -> float:
    head = read_pantograph(pantograph)
    total = design.contact_count * design.contact.tension + design.messenger.tension
    elasticity = design.longest_span / (4.0 * total)
    aerodynamic = sum(stage.aerodynamic for stage in head.stages) + head.aerodynamic
    return float(mean * (1.0 + head.stages[-1].stiffness * elasticity) - aerodynamic * design.line_speed**2)


def spread_samples(design: LineDesign, count: int = SAMPLES, seed: int = SEED) -> Iterator[tuple[LineDesign, str]]:
    """Designs and pantographs drawn from what no text prints: a Latin hypercube, or none of it twice.

    Droppers by the rule, or nine or seven at equal distances; steady arm 0.7 to 1.4 m and 0.5 to 3 kg; damping of the
    wires a third to three times the usual one; three pantographs; pre-sag from none to twice the declared one (of a
    line declared level: to 0.5 ‰).
    """
    from scipy.stats import qmc

    for u in qmc.LatinHypercube(d=6, seed=seed).random(count):
        factor = 3.0 ** (2.0 * u[3] - 1.0)
        yield (
            replace(
                design,
                droppers=_droppers(design, int(3 * u[0])),
                steady_arm=replace(design.steady_arm, length=0.7 + 0.7 * u[1], mass=0.5 + 2.5 * u[2]),
                mass_damping=factor * design.mass_damping,
                stiffness_damping=factor * design.stiffness_damping,
                presag=u[5] * (2.0 * design.presag or 0.0005),
            ),
            _PANTOGRAPHS[int(3 * u[4])],
        )


def _droppers(design: LineDesign, kind: int) -> DropperRule:
    """The rule of the design, or nine or seven droppers at equal distances; stitch droppers are kept."""
    if kind == 0:
        return design.droppers
    count = 9 if kind == 1 else 7
    first = 5.0 if design.stitch else design.longest_span / (count + 1)
    between = count - 2 if design.stitch is None else design.droppers.rule(design.longest_span).between or 5
    between += kind if design.stitch else 0
    return DropperRule(rules=(SpanRule(first=first, between=between),))


def prediction(name: str, *, samples: int = SAMPLES) -> dict[str, Any]:
    """Central uplift of one design and the range of its spread, by every reading [mm]."""
    design = read_design(name)
    twin = design.contact_count == 2
    found: dict[str, Any] = {"one pantograph": uplift(design), "two pantographs": uplift(design, Reading(2))}
    if twin:
        found["one wire"] = uplift(design, Reading(one_wire=True))
    spread = [uplift(d, Reading(one_wire=twin), p) for d, p in spread_samples(design, samples)]
    found["spread"] = [min(spread), max(spread)]
    found["median"] = float(np.median(spread))
    return {key: _rounded(value) for key, value in found.items()}


def _rounded(value: Any) -> Any:
    return [_rounded(x) for x in value] if isinstance(value, list) else round(value, 1 if math.isfinite(value) else 0)


def stored_predictions() -> Mapping[str, Mapping[str, Any]]:
    """Predictions as last computed: design → reading → uplift [mm]."""
    return dict(json.loads(parse.read_text(FILE)))


def main() -> None:
    """Compute predictions of the named designs, or of all of Adif's, and store them."""
    names = sys.argv[1:] or [n for n, path in shipped_designs().items() if path.stem == "adif"]
    for name in names:
        known = dict(stored_predictions()) if FILE.exists() else {}
        known[name] = prediction(name)
        FILE.write_text(json.dumps(known, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        print(name, known[name], flush=True)


if __name__ == "__main__":
    main()
