"""Dropper trials: batch of runs with one dropper changed in each, including kinks that gradients miss.

A dropper that is 5 mm longer changes the static shape and the dropper forces of its tension length, which is balanced
again. The matrices of the line would change only by the inclination and mass of droppers; they are left unchanged, so
that one factorisation serves all runs, which are computed side by side in lanes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from panhead.errors import ModelError, SimulationError
from panhead.railway.line.line_matrices import parts_of
from panhead.railway.line.span_grid import Z_X, Z
from panhead.railway.line.strung_line import stringing_groups
from panhead.runs.gradients.line_gradient import groups_of
from panhead.runs.gradients.peak_attribution import SHIFT, Attribution, filtered_force, parts_of_name
from panhead.runs.gradients.tension_lengths import StringGroup
from panhead.runs.linear.kernel_arrays import contact_paths, dropper_table
from panhead.runs.linear.run_lanes import WIDTH, advance
from panhead.runs.linear.session import start
from panhead.runs.linear.taped_run import RunTape
from panhead.runs.linear.window import PackedLine

_NEAR = 0.01  # an extreme of a new run is looked for this near [s]
Change = tuple[str, float]  #: name of a dropper, and how much longer it is cut [m]


def trial_variables(found: Attribution) -> dict[str, Any]:
    """Dataset variables of dropper trials: for each extreme its main dropper, predicted and computed change."""
    tape, asked = found.tape, []
    for e, one in zip(found.extremes, found.slopes, strict=True):
        first = max(one.droppers, key=lambda name: abs(one.droppers[name]))
        asked.append((first, -e.sign * float(np.sign(one.droppers[first])) * SHIFT))
    near = round(_NEAR / tape.step)
    forces = with_droppers_changed(tape, asked, [min(tape.steps, e.row + near + 1) for e in found.extremes])
    tried = []
    for e, change in zip(found.extremes, asked, strict=True):
        around = filtered_force(tape, forces[change])[e.pantograph, max(0, e.row - near) : e.row + near + 1]
        tried.append(e.sign * float((e.sign * around).max()) - e.force)
    by_gradient = [one.droppers[name] * change for one, (name, change) in zip(found.slopes, asked, strict=True)]
    of = lambda values, unit, words: ("extreme", np.array(values), {"units": unit, "long_name": words})
    return {
        "why_checked": of([name for name, _ in asked], "1", "the dropper that it comes from most"),
        "why_shift": of([change for _, change in asked], "m", "how much longer it was made"),
        "why_by_gradient": of(by_gradient, "N", "change of the extreme, by gradient"),
        "why_predicted": of(tried, "N", "change of the extreme, tried"),
    }


def with_droppers_changed(tape: RunTape, changes: Sequence[Change], until: Sequence[int]) -> dict[Change, np.ndarray]:
    """Contact forces (steps, nc) of the run with each change alone, for the requested number of steps."""
    model = tape.session.model
    model.require("trials")
    steps: dict[Change, int] = {}
    for change, stop in zip(changes, until, strict=True):
        steps[change] = max(stop, steps.get(change, 0))
    wanted = sorted(steps, key=lambda change: steps[change])  # those that end early go together
    named = {parts_of_name(name)[0] for name, _ in wanted}
    pieces = [piece for piece in model.strung.layout.pieces if piece.name in named]
    if any(len(stringing_groups(len(piece.spans))) > 1 for piece in pieces):
        raise ModelError("dropper trials support tension lengths of at most 40 spans")
    strings = [group for piece in pieces for group in groups_of(model, piece)]
    found: dict[Change, np.ndarray] = {}
    for k in range(0, len(wanted), WIDTH):
        group = wanted[k : k + WIDTH]
        sessions = [start(model, _changed_line(tape, strings, *change)) for change in group]
        force, state = advance(sessions, steps[group[-1]])
        if state.status[: len(group)].any():
            raise SimulationError("a dropper trial did not converge")
        found |= {change: force[:, lane, :, 0] for lane, change in enumerate(group)}
    return found


def _changed_line(tape: RunTape, strings: Sequence[StringGroup], name: str, longer: float) -> PackedLine:
    """Line with one dropper cut longer: shape and dropper forces of its tension length."""
    piece_name, span, number = parts_of_name(name)
    one = next(s for s in strings if s.piece.name == piece_name)
    grid, old = one.balance.grid, tape.session.window
    links = [(k, link) for k, mesh in enumerate(grid.meshes, 1) for link in mesh.links]
    chosen = [(k, link.number) == (span, number) and link.lower != "auxiliary" for k, link in links]
    changed = one.built.with_longer_droppers(np.flatnonzero(chosen), longer)
    linear, at = old.linear, np.arange(grid.n)
    first = int(linear.masts[one.piece.first - linear.first_span])
    paths, roles = list(linear.paths), iter(grid.contact)
    for k, path in enumerate(paths):
        if path.piece == one.piece.index:
            role = next(roles)
            z0, z0_x = path.z0.copy(), path.z0_x.copy()
            z0[first : first + grid.n], z0_x[first : first + grid.n] = (
                changed.q[grid.dof(at, role, c)] for c in (Z, Z_X)
            )
            paths[k] = path._replace(z0=z0, z0_x=z0_x)
    (L, _), (_, n) = changed.geometry(), one.balance.geometry()
    pull = linear.droppers.static_tension.copy()
    parts = parts_of(linear.source, linear.first_span, linear.stop_span)
    sizes = [(p.piece.index == one.piece.index, p.blocks.links["x"].size) for p in parts]
    mine = np.concatenate([np.full(n, own) for own, n in sizes])  # droppers of the window, in the order of its parts
    pull[mine] = changed.links.k * (L - changed.given) * n[:, 0]
    linear = replace(linear, paths=tuple(paths), droppers=linear.droppers._replace(static_tension=pull))
    drop, order = dropper_table(linear, bilateral=tape.session.model.run.droppers == "bilateral")
    line = old.line._replace(shape=contact_paths(linear)[1])
    return PackedLine(linear, line, drop, order, old.work.y.shape[0])
