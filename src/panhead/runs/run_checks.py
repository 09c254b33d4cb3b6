"""Checks of a run: warnings and errors before it starts and after it ends.

Each check yields a message that is printed, stored in the result (attribute ``warnings``) and shown in the report;
input that would make the result meaningless is refused with an error instead.

The shortest relevant wave runs ahead of the pantograph. A motion of the head with the frequency f has in the wire

    f_w = f c/(c − v),   λ = (c − v)/f,   c = √(T/μ)

At f = 20 Hz, the end of the assessed band, a mesh of cubic elements longer than ⅔ λ, or fewer than eight steps in
a period (phase error (2π/8)²/12 = 5 % of the trapezoidal rule), warn. At the frequency with which droppers are passed,
v over their distance, an element longer than λ or fewer than five steps (13 %) are refused: that wave drives the head.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from panhead.assess import limits
from panhead.assess.assessment_inputs import contact_across
from panhead.assess.filters import CUTOFF
from panhead.errors import ModelError, SimulationError
from panhead.railway.line.layout import droppers_of
from panhead.railway.line.line_description import Line
from panhead.railway.line.line_speed import check_speed, speed_ahead
from panhead.railway.line.span_mesh import mesh_span, stations
from panhead.runs.input_warnings import law_warnings, line_warnings, pantograph_warnings

if TYPE_CHECKING:
    import xarray as xr

    from panhead.runs.resolve import ResolvedRun

ELEMENTS_WANTED, STEPS_WANTED = 2.0 / 3.0, 8.0  #: element over wavelength, steps in a period, of 20 Hz: else a warning
ELEMENTS_NEEDED, STEPS_NEEDED = 1.0, 5.0  #: the same of dropper passing: else a refusal
RODS_WANTED = 8.0  #: rad of a rod's fastest swing in a step: else a warning
_BALANCE, _LOST = 1e-6, 1e-2  # of the energy turned over: more is said; more than that is no result


def warnings_before(resolved: ResolvedRun, described: Line) -> Iterator[str]:
    """Warnings about a run that is about to start; ModelError if it must not.

    ``described``: the line without the weather of the run.
    """
    way = resolved.timetable.start - float(resolved.behind[-1]), resolved.stop
    yield from line_warnings(described, resolved.strung.layout, way)
    yield from pantograph_warnings(resolved.pantographs)
    yield from law_warnings(resolved.run)
    for check in (
        _check_journey,
        _check_wave_speed,
        _check_missing_droppers,
        _check_stagger,
        _check_mesh_and_step,
        _check_contact_step,
        _check_rod_step,
        _check_window,
    ):
        yield from check(resolved)


def _check_journey(resolved: ResolvedRun) -> Iterator[str]:
    """Check that the assessed section lies on the journey and starts after the pantograph is raised."""
    first, last = resolved.judged
    if not resolved.timetable.start <= first < last <= resolved.stop:
        raise ModelError(
            f"journey: the assessed section {first:g} … {last:g} m must lie between start {resolved.timetable.start:g} "
            f"m and stop {resolved.stop:g} m; lengthen the line, or correct judged_from and judged_to"
        )
    lifted, _ = resolved.settled_from
    if first < lifted - 1e-6:
        yield (
            f"journey: assessment starts at {first:.4g} m, while the pantograph is still being raised (until "
            f"{lifted:.0f} m). Set journey.judged_from to {lifted:.0f} m or more, or shorten journey.ramp"
        )
    least = 4.0 * resolved.run.numerics.step * resolved.fastest
    for name, behind in zip(resolved.names, resolved.behind, strict=True):
        reached = resolved.stop - float(behind)
        if behind and reached - first < least:
            raise ModelError(
                f"journey: pantograph {name!r}, {behind:g} m behind the first, is at {reached:.4g} m when the run ends "
                f"and does not reach the assessed section {first:.4g} … {last:.4g} m. Move journey.stop to "
                f"{last + behind:.4g} m (lengthen the line if necessary), or assess an earlier section"
            )
        if reached < last - 1e-6:
            yield (
                f"journey: pantograph {name!r} is assessed only over {first:.4g} … {reached:.4g} m instead of to "
                f"{last:.4g} m, because the run ends there. Move journey.stop to {last + behind:.4g} m"
            )


def _check_wave_speed(resolved: ResolvedRun) -> Iterator[str]:
    found = check_speed(resolved.line, resolved.fastest, limits.to_json(resolved.run.standard))
    if found is None:
        return
    speed = f"speed: {3.6 * resolved.fastest:.4g} km/h"
    waves = f"the wave speed in the contact wire of line {resolved.line.name!r} is {3.6 * found.wave_speed:.4g} km/h"
    if found.share >= 1.0:
        raise ModelError(
            f"{speed}, but {waves}. At or above the wave speed there is no steady contact. Lower the speed or raise "
            "the tension of the wire"
        )
    if not found.ok:
        yield (
            f"{speed} is {100 * found.share:.3g} % of the wave speed; {waves}, and {found.clause} allows "
            f"{100 * found.allowed:.3g} %"
        )


def _check_missing_droppers(resolved: ResolvedRun) -> Iterator[str]:
    pieces = resolved.strung.layout.pieces
    empty = [
        f"span {k} of {piece.name!r}"
        for piece in pieces
        for k, span in enumerate(piece.spans, 1)
        if not droppers_of(span) and (piece.described.wires or resolved.line.wires).messenger is not None
    ]
    if empty:
        total = sum(len(piece.spans) for piece in pieces)
        yield (
            f"line {resolved.line.name!r}: {len(empty)} of {total} spans have no dropper, the first is {empty[0]}; "
            "there only the supports carry the contact wire. Give dropper_positions, dropper_count or "
            "droppers"
        )


def _check_stagger(resolved: ResolvedRun) -> Iterator[str]:
    """Check that the wire at rest lies on every head along the whole journey."""
    wire = resolved.running_wire
    for name, pantograph, behind in zip(resolved.names, resolved.pantographs, resolved.behind, strict=True):
        head, (begin, end) = pantograph.pan_head, (resolved.timetable.start - behind, resolved.stop - behind)
        inner = (wire.x > begin) & (wire.x < end)
        x = np.concatenate([[begin], wire.x[inner], [end]])
        y = np.interp(x, wire.x, wire.y)
        worst = int(np.argmax(np.abs(y)))
        told = (
            f"at {x[worst]:.4g} m the contact wire of line {resolved.line.name!r} is {1e3 * y[worst]:+.0f} mm off "
            "centre"
        )
        if abs(y[worst]) > 0.5 * head.length:
            raise ModelError(
                f"{told}, outside the head of pantograph {name!r}, which extends to ±{500 * head.length:.0f} mm; "
                "reduce the stagger, or correct pan_head.length"
            )
        if abs(y[worst]) > 0.5 * head.working_width:
            yield f"{told}; the working width of pantograph {name!r} is ±{500 * head.working_width:.0f} mm"


def _check_mesh_and_step(resolved: ResolvedRun) -> Iterator[str]:
    """Check that mesh and step resolve the wave ahead of the pantograph."""
    n, v = resolved.run.numerics, resolved.fastest
    layout, far = resolved.strung.layout, speed_ahead(resolved.line, v, CUTOFF)
    number = layout.span_at(float(np.mean(resolved.judged)))  # a span in the middle of the assessed section
    marks = layout.plan(layout.tension_lengths_at(number)[0], number).marks
    element = float(np.diff(stations(marks, n.element_length)).max())
    gaps = np.diff(marks)
    passing = v / float(np.median(gaps[gaps > 0.1])) if len(marks) > 2 else 0.0
    for f, what, elements, steps in (
        (passing, "dropper passing", ELEMENTS_NEEDED, STEPS_NEEDED),
        (CUTOFF, "upper limit of the assessed band", ELEMENTS_WANTED, STEPS_WANTED),
    ):
        if not f:
            continue
        c = speed_ahead(resolved.line, v, f)
        wave, period = (c - v) / f, (1.0 - v / c) / f
        ahead = f"for the wave of {f:.3g} Hz ({what}) ahead of the pantograph"
        faults = []
        if element > elements * wave:
            faults.append(
                f"numerics.element_length: elements of {element:.3g} m are too long {ahead}, {wave:.3g} m long; "
                f"use at most {ELEMENTS_WANTED * (far - v) / CUTOFF:.2g} m"
            )
        if n.step * steps > period:
            faults.append(
                f"numerics.step: {1e3 * n.step:.3g} ms is too long {ahead}, whose period in the wire is "
                f"{1e3 * period:.3g} ms; use at most {1e3 * (1.0 - v / far) / CUTOFF / STEPS_WANTED:.2g} ms"
            )
        if faults and what == "dropper passing" and not n.coarse:
            raise ModelError(
                f"{'. '.join(faults)}. The result would depend on mesh or step; set numerics.coarse = true to run "
                "anyway"
            )
        yield from faults
        if faults:
            return


def _check_window(resolved: ResolvedRun) -> Iterator[str]:
    """Check that damping suppresses reflections from the ends of a moving window (solver "linear")."""
    from panhead.runs.linear.near_spans import DIES, lost_by_waves

    if resolved.run.solver == "linear" and resolved.moving and lost_by_waves(resolved) < DIES:
        yield (
            "numerics.window: the contact wire has very little damping, so waves are reflected at the ends of the "
            "moving window and the contact force may be wrong by several newtons. Set numerics.window = 'whole'"
        )


def _check_contact_step(resolved: ResolvedRun) -> Iterator[str]:
    """Check that the step resolves the contact spring and the passage of elements (solver "linear")."""
    if resolved.run.solver != "linear":
        return
    run, h, cell = resolved.run, resolved.run.numerics.step, resolved.run.numerics.element_length
    passed = resolved.fastest * h
    if passed > cell:
        raise ModelError(
            f"numerics.step: {1e3 * h:g} ms is too long: the train travels {passed:.3g} m per step, more than an "
            f"element of {cell:g} m. Use at most {1e3 * 0.25 * cell / resolved.fastest:.2g} ms"
        )
    for name, p in zip(resolved.names, resolved.pantographs, strict=True):
        k = p.contact_stiffness if run.contact.given_stiffness is None else run.contact.given_stiffness
        swing = h * np.sqrt(k / min(p.stages[0].mass, resolved.line.wires.contact.mu * cell))
        linear = run.contact.kind == "linear"
        if (linear and swing > 1.0) or passed > 0.5 * cell:
            yield (
                f"numerics.step: {1e3 * h:g} ms is long for the contact of pantograph {name!r} "
                f"({swing:.2f} rad of its fastest vibration and {passed / cell:.2f} elements per step); halve it"
            )


def _check_rod_step(resolved: ResolvedRun) -> Iterator[str]:
    """Check that the step resolves the parts of rod droppers: 2m √(k/μL) h; beyond, slackening makes spurious
    forces."""
    layout, n = resolved.strung.layout, resolved.run.numerics
    number = layout.span_at(float(np.mean(resolved.judged)))
    piece = layout.tension_lengths_at(number)[0]
    links = mesh_span(layout.plan(piece, number), n.element_length).links
    if resolved.run.solver != "linear" or all(link.kind.rod is None for link in links):
        return  # nothing to be strung for
    span = resolved.strung.span(piece, number, element_length=n.element_length)
    swings = [
        2.0 * kind.rod.parts * np.sqrt(kind.stiffness / (kind.mass_per_length * length)) * n.step
        for kind, length in zip((link.kind for link in span.mesh.links), span.length, strict=True)
        if kind.rod is not None
    ]
    if max(swings) <= RODS_WANTED:
        return
    yield (
        f"numerics.step: {1e3 * n.step:.3g} ms is long for the parts of rod droppers, {max(swings):.0f} rad of their "
        "fastest vibration per step; their computed loads may be too large. Use at most "
        f"{1e3 * n.step * RODS_WANTED / max(swings):.2g} ms, or fewer parts"
    )


def warnings_after(resolved: ResolvedRun, result: xr.Dataset) -> Iterator[str]:
    """Warnings about a finished run; SimulationError if it is not a valid contact under a line."""
    _check_touch(resolved, result)
    _check_uplift(resolved, result)
    _check_head(resolved, result)
    yield from _check_energy_balance(resolved, result)


def _check_touch(resolved: ResolvedRun, result: xr.Dataset) -> None:
    for k, name in enumerate(resolved.names):
        begin, end = resolved.judged_times(k)
        force = result["contact_force"].isel(pantograph=k).sel(time=slice(begin, end))
        if not float(force.max()) > 0.0:
            raise SimulationError(
                f"pantograph {name!r} never touches the contact wire of line {resolved.line.name!r} in the "
                "assessed section; check its static_force and stops, and the height of the wire",
                partial=result,
            )


def _check_uplift(resolved: ResolvedRun, result: xr.Dataset) -> None:
    """SimulationError if the contact wire moves by more than the encumbrance."""
    wire, x = resolved.running_wire, result["contact_x"].to_numpy()
    if "contact_uplift" in result:
        lift = result["contact_uplift"].to_numpy()
    else:
        lift = result["contact_z"].to_numpy() - np.interp(x, wire.x, wire.z)
    room = np.interp(x, wire.x, wire.encumbrance)
    found = _first_exceedance(~(np.abs(lift) <= room))  # NaN is beyond
    if found:
        raise _failed_run(
            resolved,
            result,
            found,
            f"the contact wire is displaced by {lift[found]:+.3g} m, more than the encumbrance of {room[found]:.3g} m: "
            "it would have hit the messenger or its support. Either the contact force is too high or the run has "
            "diverged; check static_force, the contact stiffness and numerics.step",
        )


def _check_head(resolved: ResolvedRun, result: xr.Dataset) -> None:
    """SimulationError if the wire leaves the head while in contact."""
    across = contact_across(result)
    if across is None:
        return
    half = np.array([0.5 * p.pan_head.length for p in resolved.pantographs])
    found = _first_exceedance((np.abs(across) > half[:, None]) & (result["contact_force"].to_numpy() > 0.0))
    if found:
        raise _failed_run(
            resolved,
            result,
            found,
            f"the contact wire leaves the head: it is {1e3 * across[found]:+.0f} mm off centre, and the head extends "
            f"to ±{1e3 * half[found[0]]:.0f} mm; reduce the stagger, or correct pan_head.length",
        )


def _first_exceedance(beyond: np.ndarray) -> tuple[int, int] | None:
    """Pantograph and sample of the first moment at which a mask (pantographs, samples) is true."""
    if not beyond.any():
        return None
    i = int(beyond.any(axis=0).argmax())
    return int(beyond[:, i].argmax()), i


def _failed_run(resolved: ResolvedRun, result: xr.Dataset, found: tuple[int, int], words: str) -> SimulationError:
    """SimulationError that carries the result up to the failure."""
    k, i = found
    time, place = float(result["time"][i]), float(result["contact_x"][k, i])
    kept = {name: slice(None, time) for name in ("time", "sample") if name in result.indexes}
    return SimulationError(
        f"t = {time:.4g} s, {place:.5g} m, pantograph {resolved.names[k]!r}: {words}", partial=result.sel(kept)
    )


def _check_energy_balance(resolved: ResolvedRun, result: xr.Dataset) -> Iterator[str]:
    """Check that the energy balance of the linear solver closes to rounding."""
    if resolved.run.solver != "linear" or "balance" not in result:
        return
    turned = max(float(abs(result["work_train"]).max() + abs(result["work_uplift"]).max()), 1.0)
    missing = float(np.abs(result["balance"]).max())
    told = f"the energy balance has an error of {missing:.2g} J out of {turned:.2g} J"
    if not missing <= _LOST * turned:
        raise SimulationError(f"{told}: the run has diverged; reduce numerics.step", partial=result)
    if missing > _BALANCE * turned:
        yield f"{told}; halve numerics.step"
