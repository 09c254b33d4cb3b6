"""Why this peak? What made the largest peaks and the deepest valleys of the judged contact force, by exact gradients.

With F̂ the filtered force at the sample of an extreme, one sweep back gives ∂F̂/∂ of every dropper's length, mast's
height and wire's tension, and of the push of every pantograph at every step. Each part is asked what a change that an
erector could make would do: δF̂ = ∂F̂/∂p · δp, 5 mm of a dropper or a mast, 1 % of a tension; of another pantograph what
its whole push brings, Σ ∂F̂/∂u · u. The first dropper on the list is then changed in a new run, and both are told.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from panhead.assess import low_pass
from panhead.errors import ModelError, PanheadError, RunWarning
from panhead.jobs import silent
from panhead.line.changes import with_one_dropper_changed
from panhead.runs.description import Run
from panhead.runs.gradients.gradient import gradient_of, recorded
from panhead.runs.gradients.numbers import filter_transposed, judged_rows, number
from panhead.runs.resolve import resolve_line
from panhead.runs.solvers.linear.adjoint import RunTape

if TYPE_CHECKING:
    import xarray as xr

SHIFT = 5e-3  #: of a dropper or a mast [m]
PULL = 0.01  #: of a tension [1]
COUNT = 10  #: peaks, and as many valleys
RANKS = 5  #: parts listed for each
FAMILIES = ("dropper.length", "support.height", "wire.tension")
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


def filtered(tape: RunTape) -> np.ndarray:
    """The judged force of every pantograph, to 20 Hz; (pantographs, steps) [N]."""
    count = len(tape.session.model.names)
    whole = tape.force.reshape(tape.steps, count, -1).sum(axis=2)
    return np.array([low_pass(whole[:, p], tape.session.sc.h) for p in range(count)])


def extremes(tape: RunTape, count: int = COUNT) -> list[Extreme]:
    """The largest peaks of the judged part, then its deepest valleys."""
    found: list[Extreme] = []
    for p, force in enumerate(filtered(tape)):
        judged = np.flatnonzero(judged_rows(tape.model, tape.seen, p))
        inner = judged[(judged > 0) & (judged < tape.steps - 1)]
        for sign in (1, -1):
            f = sign * force
            tops = inner[(f[inner] > f[inner - 1]) & (f[inner] >= f[inner + 1])]
            found += [Extreme(sign, int(k), p, float(force[k])) for k in tops]
    order = lambda sign: sorted((e for e in found if e.sign == sign), key=lambda e: -sign * e.force)[:count]
    return [*order(1), *order(-1)]


def slopes_at(tape: RunTape, extreme: Extreme) -> xr.Dataset:
    """∂F̂/∂ of every part, by one sweep back from the extreme; what comes later has no say in it."""
    k = int(np.searchsorted(tape.marks, extreme.row, side="right"))  # of the first mark after it
    n = tape.marks[k]
    early = replace(
        tape, marks=tape.marks[: k + 1], states=tape.states[:k], force=tape.force[:n], height=tape.height[:n],
        support=tape.support[:n], dropper=tape.dropper[:n], margin=tape.margin[:n],
    )  # fmt: skip
    weights = np.zeros((n, len(tape.session.model.names)))
    weights[:, extreme.pantograph] = filter_transposed(np.eye(1, n, extreme.row)[0], tape.session.sc.h)
    return gradient_of(early, {"contact_force": weights}, FAMILIES)


def blames(tape: RunTape, extreme: Extreme, slopes: xr.Dataset) -> list[Blame]:
    """Everything that could be to blame, the most first."""
    found = [*_lengths(tape, extreme, slopes), *_others(tape, extreme, slopes)]
    helps = lambda slope, size: -extreme.sign * np.sign(slope) * size
    for name, slope in _named(slopes, "support.height"):
        step = helps(slope, SHIFT)
        found.append(Blame(f"support {name}", f"{1e3 * step:+.0f} mm", slope * step))
    for name, slope in _named(slopes, "wire.tension"):
        step = helps(slope, PULL)
        found.append(Blame(f"tension of {name}", f"{100 * step:+.0f} %", slope * step * _tension(tape, name)))
    return sorted(found, key=lambda b: -abs(b.newtons))


def _lengths(tape: RunTape, extreme: Extreme, slopes: xr.Dataset) -> Iterator[Blame]:
    for name, slope in dropper_slopes(slopes).items():
        step = -extreme.sign * float(np.sign(slope)) * SHIFT
        yield Blame(name, f"{1e3 * step:+.0f} mm", slope * step, _slack(tape, extreme, name))


def dropper_slopes(slopes: xr.Dataset) -> dict[str, float]:
    """∂/∂(length) of every dropper of the contact wires; of two equal wires together."""
    found: dict[str, float] = {}
    for name, slope in _named(slopes, "dropper.length"):
        if not name.endswith(" auxiliary"):
            key = name.removesuffix(" left")
            found[key] = found.get(key, 0.0) + slope
    return found


def _named(slopes: xr.Dataset, family: str) -> Iterator[tuple[str, float]]:
    yield from zip(map(str, slopes[f"{family}.names"].to_numpy()), map(float, slopes[family].to_numpy()), strict=True)


def _tension(tape: RunTape, name: str) -> float:
    piece, _, role = name.rpartition(", ")
    line = tape.session.model.line
    described = next(p.described for p in tape.session.model.strung.layout.pieces if p.name == piece)
    wires = described.wires or line.wires
    wire = wires.stitch.wire if role == "stitch" and wires.stitch is not None else getattr(wires, role)
    return float(wire.tension)


def _others(tape: RunTape, extreme: Extreme, slopes: xr.Dataset) -> Iterator[Blame]:
    """What the push of each other pantograph brings: the wave that it sends."""
    model, control = tape.session.model, slopes["control"].to_numpy()
    brought = (control * tape.way.uplift[: len(control)]).sum(axis=0)
    first = 0
    for p, pantograph in enumerate(model.pantographs):
        stop = first + len(pantograph.stages)
        if p != extreme.pantograph:
            yield Blame(f"wave of pantograph {p + 1}", "without its push", -float(brought[first:stop].sum()))
        first = stop


def _parts(name: str) -> tuple[str, int, int]:
    found = re.fullmatch(r"(.*), span (\d+), dropper (\d+)", name)
    assert found is not None  # as families name droppers
    return found[1], int(found[2]), int(found[3])


def _slack(tape: RunTape, extreme: Extreme, name: str) -> str:
    """When the dropper hung slack last before the extreme."""
    piece, span, dropper = _parts(name)
    keys = [key for _, key in tape.session.window.dropper_keys]
    key = f"{piece}.span{span}.dropper{dropper}"
    if key not in keys:
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


def changed_by(run: Run, name: str, change: float) -> np.ndarray:
    """The filtered forces of a new run with one dropper longer by ``change`` [m]."""
    line = with_one_dropper_changed(resolve_line(run), *_parts(name), change)
    return filtered(_taped(replace(run, line=line, line_changes={})))


def _taped(run: Run) -> RunTape:
    if run.solver != "linear":
        raise ModelError('gradient: what made a peak is told of solver = "linear" only')
    tape = recorded(run)
    assert isinstance(tape, RunTape)
    return tape


def explained(run: Run, result: xr.Dataset, progress: Callable[[float, str], None] = silent) -> xr.Dataset:
    """The result with what made its extremes; an attribute says why not where no gradient exists."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RunWarning)  # said by the run itself
            return result.assign(_variables(run, progress)).assign_attrs(why_not="")
    except PanheadError as error:
        return result.assign_attrs(why_not=str(error).removeprefix("gradient: "))


def _variables(run: Run, progress: Callable[[float, str], None]) -> dict[str, Any]:
    tape = _taped(run)
    found, places, h = extremes(tape), dropper_places(tape), tape.session.sc.h
    influence = np.zeros((len(found), len(places)))
    table: list[list[Blame]] = []
    checks: dict[tuple[str, float], np.ndarray] = {}
    checked = []
    for k, e in enumerate(found):
        progress(k / len(found), f"why, extreme {k + 1} of {len(found)}")
        slopes = slopes_at(tape, e)
        by = dropper_slopes(slopes)
        influence[k] = [SHIFT * by[name] for name in places]
        ranked = blames(tape, e, slopes)
        table.append(ranked[:RANKS])
        first = max(by, key=lambda name: abs(by[name]))
        change = -e.sign * float(np.sign(by[first])) * SHIFT
        if (first, change) not in checks:
            checks[first, change] = changed_by(run, first, change)
        near = slice(max(0, e.row - round(_NEAR / h)), e.row + round(_NEAR / h) + 1)
        new = e.sign * float((e.sign * checks[first, change][e.pantograph, near]).max())
        checked.append((first, change, by[first] * change, new - e.force))
    worst = max(range(len(tape.session.model.names)), key=lambda p: number(tape, "deviation", p).value)
    sigma = dropper_slopes(gradient_of(tape, "deviation", "dropper.length", pantograph=worst))
    return _as_variables(tape, found, table, checked, influence, places, sigma)


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
        "why_predicted": of("extreme", [c[2] for c in checked], "N", "change of the extreme, predicted"),
        "why_new_run": of("extreme", [c[3] for c in checked], "N", "change of the extreme in a new run"),
        "why_dropper": of("why_droppers", list(places), "1", "dropper"),
        "why_dropper_x": of("why_droppers", list(places.values()), "m", "place of the dropper"),
        "why_influence": of(("extreme", "why_droppers"), influence, "N", "change of the extreme if it is 5 mm longer"),
        "why_sigma": of("why_droppers", [1e-3 * sigma[n] for n in places], "N/mm", "∂σ/∂(length of the dropper)"),
    }  # fmt: skip
