"""Attribution of σ and the largest force peaks to droppers, supports and tensions, by exact gradients.

With F̂ the filtered force at the sample of an extreme, one backward sweep gives ∂F̂/∂ of every dropper length, mast
height and wire tension, and of the uplift force of every pantograph at every step. The contribution of a part is the
effect of a change that could be made on site: δF̂ = ∂F̂/∂p · δp, 5 mm of a dropper or a mast, 1 % of a tension; that of
another pantograph is the effect of its whole uplift force, Σ ∂F̂/∂u · u. The line is not strung again, and the
forces of the run with checkpoints must agree with those of the result.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from panhead.assess.filters import low_pass, low_pass_transposed
from panhead.assess.quantities import without_lag
from panhead.errors import ModelError
from panhead.runs.gradients.line_gradient import LineCotangents, line_slopes
from panhead.runs.gradients.objectives import judged_rows, objective, weighted_sum
from panhead.runs.gradients.parameter_families import FAMILIES
from panhead.runs.gradients.run_cotangents import Slopes
from panhead.runs.linear.backward import LANES, backpropagate
from panhead.runs.linear.step.adjoint_arrays import OutputCotangents
from panhead.runs.linear.taped_run import RunTape, tape_run
from panhead.runs.resolve import ResolvedRun

if TYPE_CHECKING:
    import xarray as xr

SHIFT = 5e-3  #: of a dropper or a mast [m]
PULL = 0.01  #: of a tension [1]
PEAKS = 3  #: of the sweep that is made without being asked for: with σ one for each of four lanes
RANKS = 5  #: parts listed for each
FAMILIES_ASKED = ("dropper.length", "support.height", "wire.tension")  #: of parameters
_SAME = 1e-3  # by which forces of the run with checkpoints may differ from the run's own [N]
_LAG = 0.06  # at most, of the filter of EN 50317 at its corner [s]
_SOON = 1.0  # a slack dropper is told of this long before an extreme [s]


@dataclass(frozen=True, slots=True)
class Extreme:
    """Peak (sign 1) or valley (−1) of the filtered force of a pantograph."""

    sign: int
    row: int  #: sample, from 0
    pantograph: int
    force: float  #: [N]


@dataclass(frozen=True, slots=True)
class Contribution:
    """Contribution of a part to an extreme: the change of the extreme if the part is changed."""

    part: str
    change: str
    newtons: float
    note: str = ""


def filtered_force(tape: RunTape, force: np.ndarray) -> np.ndarray:
    """Filtered contact force (20 Hz) of every pantograph from forces (steps, nc); (pantographs, steps) [N]."""
    count = len(tape.session.model.names)
    whole = force.reshape(len(force), count, -1).sum(axis=2)
    return np.array([low_pass(whole[:, p], tape.session.sc.h) for p in range(count)])


def extremes(tape: RunTape, peaks: int, valleys: int) -> list[Extreme]:
    """Largest peaks of the assessed section, then its deepest valleys."""
    found: list[Extreme] = []
    for p, force in enumerate(filtered_force(tape, tape.force)):
        judged = np.flatnonzero(judged_rows(tape.model, tape.seen, p))
        inner = judged[(judged > 0) & (judged < tape.steps - 1)]
        for sign in (1, -1):
            f = sign * force
            tops = inner[(f[inner] > f[inner - 1]) & (f[inner] >= f[inner + 1])]
            found += [Extreme(sign, int(k), p, float(force[k])) for k in tops]
    order = lambda sign: sorted((e for e in found if e.sign == sign), key=lambda e: -sign * e.force)
    return [*order(1)[:peaks], *order(-1)[:valleys]]


@dataclass(frozen=True)
class PartSlopes:
    """∂J/∂ of the parts of a line and of the pantograph forces."""

    of: dict[str, dict[str, float]]  #: family → name → value
    push: np.ndarray  #: (steps + 1, masses) of an upward force on each mass at each step

    @cached_property
    def droppers(self) -> dict[str, float]:
        """∂J/∂ of the length of every dropper of the contact wires; two equal wires together."""
        found: dict[str, float] = {}
        for name, slope in self.of["dropper.length"].items():
            if not name.endswith(" auxiliary"):
                key = name.removesuffix(" left")
                found[key] = found.get(key, 0.0) + slope
        return found


def part_slopes(tape: RunTape, wanted: Sequence[OutputCotangents], lanes: int = LANES) -> list[PartSlopes]:
    """Derivatives for several objectives in one backward sweep."""
    back = backpropagate(tape, wanted, np.zeros(tape.steps, dtype=bool), lanes=lanes)
    given = [LineCotangents(tape, [one.smooth], one.first) for one in back]
    found = []
    for one, line in zip(given, line_slopes(tape, given), strict=True):
        slopes = Slopes(one, line)
        found.append(PartSlopes({name: dict(FAMILIES[name].of(slopes)) for name in FAMILIES_ASKED}, one.slope.uplift))
    return found


def seed(tape: RunTape, extreme: Extreme) -> OutputCotangents:
    """Seed of a backward sweep: the filtered force at an extreme; later times have no influence on it."""
    weights = np.zeros((tape.steps, len(tape.session.model.names)))
    weights[:, extreme.pantograph] = low_pass_transposed(np.eye(1, tape.steps, extreme.row)[0], tape.session.sc.h)
    return weighted_sum(tape, {"contact_force": weights}).wanted


def contributions(tape: RunTape, extreme: Extreme, slopes: PartSlopes) -> list[Contribution]:
    """Contributions of all parts to an extreme, largest first."""
    helps = lambda slope, size: -extreme.sign * float(np.sign(slope)) * size
    found = []
    for name, slope in slopes.droppers.items():
        step = helps(slope, SHIFT)
        found.append(Contribution(name, f"{1e3 * step:+.0f} mm", slope * step, _slack(tape, extreme, name)))
    found += _others(tape, extreme, slopes)
    for name, slope in slopes.of["support.height"].items():
        step = helps(slope, SHIFT)
        found.append(Contribution(f"support {name}", f"{1e3 * step:+.0f} mm", slope * step))
    for name, slope in slopes.of["wire.tension"].items():
        step = helps(slope, PULL)
        found.append(Contribution(f"tension of {name}", f"{100 * step:+.0f} %", slope * step * _tension(tape, name)))
    return sorted(found, key=lambda b: -abs(b.newtons))


def _tension(tape: RunTape, name: str) -> float:
    piece, _, role = name.rpartition(", ")
    line = tape.session.model.line
    described = next(p.described for p in tape.session.model.strung.layout.pieces if p.name == piece)
    wires = described.wires or line.wires
    wire = wires.stitch.wire if role == "stitch" and wires.stitch is not None else getattr(wires, role)
    return float(wire.tension)


def _others(tape: RunTape, extreme: Extreme, slopes: PartSlopes) -> Iterator[Contribution]:
    """Contributions of the waves from the other pantographs."""
    model = tape.session.model
    brought = (slopes.push * tape.way.uplift).sum(axis=0)
    first = 0
    for p, pantograph in enumerate(model.pantographs):
        stop = first + len(pantograph.stages)
        if p != extreme.pantograph:
            yield Contribution(f"wave of pantograph {p + 1}", "without its push", -float(brought[first:stop].sum()))
        first = stop


def parts_of_name(name: str) -> tuple[str, int, int]:
    """Tension length, span and number of a dropper from its name in a family."""
    found = re.fullmatch(r"(.*), span (\d+), dropper (\d+)", name)
    assert found is not None  # as families name droppers
    return found[1], int(found[2]), int(found[3])


def _slack(tape: RunTape, extreme: Extreme, name: str) -> str:
    """Time since the dropper was last slack before the extreme."""
    piece, span, dropper = parts_of_name(name)
    keys = tape.dropper_names()
    key = f"{piece}.span{span}.dropper{dropper}"
    if key not in keys or not tape.dropper.shape[1]:
        return ""
    h = tape.session.sc.h
    pull = tape.dropper[max(0, extreme.row - round(_SOON / h)) : extreme.row + 1, keys.index(key)]
    slack = np.flatnonzero(pull <= 0.0)
    if not slack.size:
        return ""
    ago = (pull.size - 1 - int(slack[-1])) * h
    return "slack then" if ago < 2 * h else f"slack {1e3 * ago:.0f} ms before"


def dropper_places(tape: RunTape) -> dict[str, float]:
    """Position of each dropper of the contact wires along the track [m]."""
    layout = tape.session.model.strung.layout
    return {
        f"{piece.name}, span {k + 1}, dropper {link.number}": float(layout.mast_x[piece.first + k] + link.x)
        for piece in layout.pieces
        for k in range(len(piece.spans))
        for link in layout.plan(piece, piece.first + k).links
        if link.lower != "auxiliary"
    }


@dataclass(frozen=True, slots=True)
class Attribution:
    """Extremes of a run, and ∂/∂ of the parts that contribute to them and to σ."""

    tape: RunTape
    extremes: list[Extreme]
    slopes: list[PartSlopes]  #: of each extreme
    sigma: PartSlopes  #: of the deviation of the pantograph that has the largest


def attribute_peaks(
    model: ResolvedRun, result: xr.Dataset, progress: Callable[[float, str], None], peaks: int, valleys: int
) -> Attribution:
    """Attribute the extremes and σ of a run by one backward sweep; ModelError where that is not possible."""
    progress(0.0, "attribution, forwards")
    end = max(model.judged_times(p)[1] for p in range(len(model.names)))
    tape = tape_run(model, steps=int(end / model.run.numerics.step) + 2)  # up to the end of the assessed section
    own = result["contact_force"].to_numpy()
    apart = float(np.abs(tape.force.reshape(tape.steps, len(own), -1).sum(axis=2) - own.T[: tape.steps]).max())
    if not apart <= _SAME:
        raise ModelError(
            f"the taped run differs by {apart:.3g} N from the run itself, so its gradients are not valid for it"
        )
    found = extremes(tape, peaks, valleys)
    if not found:
        raise ModelError("there is no force peak in the assessed section")
    if not dropper_places(tape):
        raise ModelError("the line has no droppers to attribute peaks to")
    progress(0.2, "attribution, backwards")
    worst = max(range(len(model.names)), key=lambda p: objective(tape, "deviation", p).value)
    wishes = [objective(tape, "deviation", worst).wanted, *(seed(tape, e) for e in found)]
    sigma, *slopes = part_slopes(tape, wishes, min(LANES, 1 + PEAKS) if len(wishes) <= 1 + PEAKS else LANES)
    return Attribution(tape, found, slopes, sigma)


def _place(result: xr.Dataset, extreme: Extreme, step: float) -> float:
    """Position of an extreme, from the force without filter lag, as in the assessment [m]."""
    first = max(0, extreme.row - round(_LAG / step))
    force, x = (result[name].to_numpy()[extreme.pantograph] for name in ("contact_force", "contact_x"))
    near = extreme.sign * without_lag(force, step)[first : extreme.row + 1]
    return float(x[first + int(np.argmax(near))])


def variables(found: Attribution, result: xr.Dataset) -> dict[str, Any]:
    """Dataset variables of an attribution."""
    of = lambda dims, values, unit, words: (dims, np.array(values), {"units": unit, "long_name": words})
    tape, every, places = found.tape, found.extremes, dropper_places(found.tape)
    rows, each = np.array([e.row for e in every]), ("extreme", "rank")
    x = tape.way.position[rows + 1, [e.pantograph for e in every]]
    happened = [_place(result, e, tape.step) for e in every]
    table = [contributions(tape, e, one)[:RANKS] for e, one in zip(every, found.slopes, strict=True)]
    influence = [[SHIFT * one.droppers[name] for name in places] for one in found.slopes]
    sigma = [1e-3 * found.sigma.droppers[name] for name in places]
    return {
        "why_sign": of("extreme", [e.sign for e in every], "1", "1: a peak, −1: a valley"),
        "why_time": of("extreme", tape.times[rows + 1], "s", "when the extreme is"),
        "why_x": of("extreme", x, "m", "where the pantograph is then"),
        "why_place": of("extreme", happened, "m", "where it happened, without the lag of the filter"),
        "why_pantograph": of("extreme", [e.pantograph for e in every], "1", "number of the pantograph, from 0"),
        "why_force": of("extreme", [e.force for e in every], "N", "filtered force"),
        "why_part": of(each, [[c.part for c in row] for row in table], "1", "what it comes from, the most first"),
        "why_change": of(each, [[c.change for c in row] for row in table], "1", "what would be changed of it"),
        "why_newtons": of(each, [[c.newtons for c in row] for row in table], "N", "change of the extreme, predicted"),
        "why_note": of(each, [[c.note for c in row] for row in table], "1", "slack of the dropper"),
        "why_dropper": of("why_droppers", list(places), "1", "dropper"),
        "why_dropper_x": of("why_droppers", list(places.values()), "m", "place of the dropper"),
        "why_influence": of(("extreme", "why_droppers"), influence, "N", "change of the extreme if it is 5 mm longer"),
        "why_sigma": of("why_droppers", sigma, "N/mm", "∂σ/∂(length of the dropper)"),
    }
