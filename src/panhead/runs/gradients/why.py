"""Why this peak? What made the largest peaks and the deepest valleys of the judged contact force, by exact gradients.

With F̂ the filtered force at the sample of an extreme, one sweep back gives ∂F̂/∂ of every dropper's length, mast's
height and wire's tension, and of the push of every pantograph at every step. Each part is asked what a change that an
erector could make would do: δF̂ = ∂F̂/∂p · δp, 5 mm of a dropper or a mast, 1 % of a tension; of another pantograph what
its whole push brings, Σ ∂F̂/∂u · u. The first dropper on the list is then changed (``trying``), and both are told.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from panhead.assess.filters import low_pass, low_pass_transposed
from panhead.errors import ModelError, PanheadError, RunWarning
from panhead.jobs import silent
from panhead.kernels.interaction_slopes import Wanted
from panhead.runs.description import Run
from panhead.runs.gradients.families import FAMILIES
from panhead.runs.gradients.gradient import refuse
from panhead.runs.gradients.line import Given, line_slopes
from panhead.runs.gradients.numbers import judged_rows, number, weighted
from panhead.runs.gradients.slopes import Slopes
from panhead.runs.gradients.trying import parts_of_name, with_droppers_changed
from panhead.runs.resolve import ResolvedRun, resolve
from panhead.runs.solvers.linear.adjoint import RunTape, record
from panhead.runs.solvers.linear.session import start
from panhead.runs.solvers.linear.sweeps import taken_back

if TYPE_CHECKING:
    import xarray as xr

SHIFT = 5e-3  #: of a dropper or a mast [m]
PULL = 0.01  #: of a tension [1]
COUNT = 10  #: peaks, and as many valleys
RANKS = 5  #: parts listed for each
BLAMED = ("dropper.length", "support.height", "wire.tension")  #: families of parameters
_NEAR = 0.01  # an extreme of a new run is looked for this near [s]
_SOON = 1.0  # a slack dropper is told of this long before an extreme [s]


@dataclass(frozen=True, slots=True)
class Extreme:
    """A peak (sign 1) or a valley (−1) of the filtered force of a pantograph."""

    sign: int
    row: int  #: sample, from 0
    pantograph: int
    force: float  #: [N]


@dataclass(frozen=True, slots=True)
class Blame:
    """A part, what would be changed of it, and by how much the extreme would change then."""

    part: str
    change: str
    newtons: float
    note: str = ""


def filtered_force(tape: RunTape, force: np.ndarray) -> np.ndarray:
    """Contact forces (steps, nc) as judged of every pantograph, to 20 Hz; (pantographs, steps) [N]."""
    count = len(tape.session.model.names)
    whole = force.reshape(len(force), count, -1).sum(axis=2)
    return np.array([low_pass(whole[:, p], tape.session.sc.h) for p in range(count)])


def extremes(tape: RunTape, count: int = COUNT) -> list[Extreme]:
    """The largest peaks of the judged part, then its deepest valleys."""
    found: list[Extreme] = []
    for p, force in enumerate(filtered_force(tape, tape.force)):
        judged = np.flatnonzero(judged_rows(tape.model, tape.seen, p))
        inner = judged[(judged > 0) & (judged < tape.steps - 1)]
        for sign in (1, -1):
            f = sign * force
            tops = inner[(f[inner] > f[inner - 1]) & (f[inner] >= f[inner + 1])]
            found += [Extreme(sign, int(k), p, float(force[k])) for k in tops]
    order = lambda sign: sorted((e for e in found if e.sign == sign), key=lambda e: -sign * e.force)[:count]
    return [*order(1), *order(-1)]


@dataclass(frozen=True)
class PartSlopes:
    """∂J/∂ of what can be to blame."""

    of: dict[str, dict[str, float]]  #: family → name → value
    push: np.ndarray  #: (steps + 1, masses) of an upward force on each mass at each step

    @cached_property
    def droppers(self) -> dict[str, float]:
        """Of the length of every dropper of the contact wires; of two equal wires together."""
        found: dict[str, float] = {}
        for name, slope in self.of["dropper.length"].items():
            if not name.endswith(" auxiliary"):
                key = name.removesuffix(" left")
                found[key] = found.get(key, 0.0) + slope
        return found


def part_slopes(tape: RunTape, wanted: Sequence[Wanted]) -> list[PartSlopes]:
    """Of several numbers, taken back at once."""
    back = taken_back(tape, wanted, np.zeros(tape.steps, dtype=bool))
    given = [Given(tape, [one.smooth], one.first) for one in back]
    found = []
    for one, line in zip(given, line_slopes(tape, given), strict=True):
        slopes = Slopes(one, line)
        found.append(PartSlopes({name: dict(FAMILIES[name].of(slopes)) for name in BLAMED}, one.slope.uplift))
    return found


def wish(tape: RunTape, extreme: Extreme) -> Wanted:
    """The filtered force at an extreme, as what a sweep back begins with; what comes later has no say in it."""
    weights = np.zeros((tape.steps, len(tape.session.model.names)))
    weights[:, extreme.pantograph] = low_pass_transposed(np.eye(1, tape.steps, extreme.row)[0], tape.session.sc.h)
    return weighted(tape, {"contact_force": weights}).wanted


def blames(tape: RunTape, extreme: Extreme, slopes: PartSlopes) -> list[Blame]:
    """Everything that could be to blame, the most first."""
    found = [*_lengths(tape, extreme, slopes), *_others(tape, extreme, slopes)]
    helps = lambda slope, size: -extreme.sign * np.sign(slope) * size
    for name, slope in slopes.of["support.height"].items():
        step = helps(slope, SHIFT)
        found.append(Blame(f"support {name}", f"{1e3 * step:+.0f} mm", slope * step))
    for name, slope in slopes.of["wire.tension"].items():
        step = helps(slope, PULL)
        found.append(Blame(f"tension of {name}", f"{100 * step:+.0f} %", slope * step * _tension(tape, name)))
    return sorted(found, key=lambda b: -abs(b.newtons))


def _lengths(tape: RunTape, extreme: Extreme, slopes: PartSlopes) -> Iterator[Blame]:
    for name, slope in slopes.droppers.items():
        step = -extreme.sign * float(np.sign(slope)) * SHIFT
        yield Blame(name, f"{1e3 * step:+.0f} mm", slope * step, _slack(tape, extreme, name))


def _tension(tape: RunTape, name: str) -> float:
    piece, _, role = name.rpartition(", ")
    line = tape.session.model.line
    described = next(p.described for p in tape.session.model.strung.layout.pieces if p.name == piece)
    wires = described.wires or line.wires
    wire = wires.stitch.wire if role == "stitch" and wires.stitch is not None else getattr(wires, role)
    return float(wire.tension)


def _others(tape: RunTape, extreme: Extreme, slopes: PartSlopes) -> Iterator[Blame]:
    """What the push of each other pantograph brings: the wave that it sends."""
    model = tape.session.model
    brought = (slopes.push * tape.way.uplift).sum(axis=0)
    first = 0
    for p, pantograph in enumerate(model.pantographs):
        stop = first + len(pantograph.stages)
        if p != extreme.pantograph:
            yield Blame(f"wave of pantograph {p + 1}", "without its push", -float(brought[first:stop].sum()))
        first = stop


def _slack(tape: RunTape, extreme: Extreme, name: str) -> str:
    """When the dropper hung slack last before the extreme."""
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
    """Where each dropper of the contact wires is along the track [m]."""
    layout = tape.session.model.strung.layout
    return {
        f"{piece.name}, span {k + 1}, dropper {link.number}": float(layout.mast_x[piece.first + k] + link.x)
        for piece in layout.pieces
        for k in range(len(piece.spans))
        for link in layout.plan(piece, piece.first + k).links
        if link.lower != "auxiliary"
    }


def judged_tape(model: ResolvedRun) -> RunTape:
    """The run up to the last moment that is judged, ready to be taken back."""
    end = max(model.judged_times(p)[1] for p in range(len(model.names)))
    return record(model, steps=int(end / model.run.numerics.step) + 2)


def explained(
    run: Run, result: xr.Dataset, progress: Callable[[float, str], None] = silent, most: float = np.inf
) -> xr.Dataset:
    """The result with what made its extremes; an attribute says why not where no gradient exists.

    ``most``: steps times coordinates of a run that is not too long for this.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RunWarning)  # said by the run itself
            _refuse(run)
            model = resolve(run)
            if most < np.inf:
                _refuse_long(model, most)
            return result.assign(_variables(model, progress)).assign_attrs(why_not="")
    except PanheadError as error:
        return result.assign_attrs(why_not=str(error).removeprefix("gradient: "))


def _refuse(run: Run) -> None:
    if run.solver != "linear":
        raise ModelError(f'what made a peak is told of solver = "linear", not of {run.solver!r}')
    refuse(run)


def _refuse_long(model: ResolvedRun, most: float) -> None:
    if model.steps * start(model).state.q[0].size > most:
        raise ModelError("the run is long, and it costs some nine of it; “panhead report --why result.nc” tells it")


def _variables(model: ResolvedRun, progress: Callable[[float, str], None]) -> dict[str, Any]:
    progress(0.0, "why, once more")
    tape = judged_tape(model)
    found, places = extremes(tape), dropper_places(tape)
    if not (found and places):
        raise ModelError("there is no peak in the judged part" if places else "the line has no droppers to blame")
    progress(0.1, "why, back")
    worst = max(range(len(tape.session.model.names)), key=lambda p: number(tape, "deviation", p).value)
    wishes = [*(wish(tape, e) for e in found), number(tape, "deviation", worst).wanted]
    *slopes, of_sigma = part_slopes(tape, wishes)
    influence = np.array([[SHIFT * one.droppers[name] for name in places] for one in slopes])
    table = [blames(tape, e, one)[:RANKS] for e, one in zip(found, slopes, strict=True)]
    progress(0.6, "why, droppers changed")
    tried = _tried(tape, found, slopes)
    return _as_variables(tape, found, table, tried, influence, places, of_sigma.droppers)


def _tried(tape: RunTape, found: list[Extreme], slopes: list[PartSlopes]) -> list[tuple[str, float, float, float]]:
    """The dropper to blame most of each extreme, its change, and what that does: by gradient, and tried."""
    asked = []
    for e, one in zip(found, slopes, strict=True):
        first = max(one.droppers, key=lambda name: abs(one.droppers[name]))
        asked.append((first, -e.sign * float(np.sign(one.droppers[first])) * SHIFT))
    near, answers = round(_NEAR / tape.session.sc.h), []
    until = [min(tape.steps, e.row + near + 1) for e in found]
    forces = with_droppers_changed(tape, asked, until)
    for e, one, (name, change) in zip(found, slopes, asked, strict=True):
        around = filtered_force(tape, forces[name, change])[e.pantograph, max(0, e.row - near) : e.row + near + 1]
        answers.append((name, change, one.droppers[name] * change, e.sign * float((e.sign * around).max()) - e.force))
    return answers


def _as_variables(
    tape: RunTape, found: list[Extreme], table: list[list[Blame]], checked: list[tuple[str, float, float, float]],
    influence: np.ndarray, places: dict[str, float], sigma: dict[str, float],
) -> dict[str, Any]:  # fmt: skip
    of = lambda dims, values, unit, words: (dims, np.array(values), {"units": unit, "long_name": words})
    rows = [e.row for e in found]
    x = tape.way.position[np.array(rows) + 1, [e.pantograph for e in found]]
    each = ("extreme", "rank")
    return {
        "why_sign": of("extreme", [e.sign for e in found], "1", "1: a peak, −1: a valley"),
        "why_time": of("extreme", tape.times[np.array(rows) + 1], "s", "when the extreme is"),
        "why_x": of("extreme", x, "m", "where the pantograph is then"),
        "why_pantograph": of("extreme", [e.pantograph for e in found], "1", "number of the pantograph, from 0"),
        "why_force": of("extreme", [e.force for e in found], "N", "filtered force"),
        "why_part": of(each, [[b.part for b in row] for row in table], "1", "what made it, the most first"),
        "why_change": of(each, [[b.change for b in row] for row in table], "1", "what would be changed of it"),
        "why_newtons": of(each, [[b.newtons for b in row] for row in table], "N", "change of the extreme, predicted"),
        "why_note": of(each, [[b.note for b in row] for row in table], "1", "slack of the dropper"),
        "why_checked": of("extreme", [c[0] for c in checked], "1", "the dropper to blame most"),
        "why_shift": of("extreme", [c[1] for c in checked], "m", "how much longer it was made"),
        "why_by_gradient": of("extreme", [c[2] for c in checked], "N", "change of the extreme, by gradient"),
        "why_predicted": of("extreme", [c[3] for c in checked], "N", "change of the extreme, tried"),
        "why_dropper": of("why_droppers", list(places), "1", "dropper"),
        "why_dropper_x": of("why_droppers", list(places.values()), "m", "place of the dropper"),
        "why_influence": of(("extreme", "why_droppers"), influence, "N", "change of the extreme if it is 5 mm longer"),
        "why_sigma": of("why_droppers", [1e-3 * sigma[n] for n in places], "N/mm", "∂σ/∂(length of the dropper)"),
    }  # fmt: skip
