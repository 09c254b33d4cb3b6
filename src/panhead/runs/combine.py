"""What goes with what: a run that no solver can carry is refused, with the remedy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from panhead.errors import ModelError
from panhead.line.bows import bows
from panhead.line.description import Line
from panhead.line.extras import beyond_cables
from panhead.line.rods import inner_nodes
from panhead.pantograph.lumped import LumpedPantograph
from panhead.runs.description import Run
from panhead.runs.solvers.coupled.participant import ForeignPantograph
from panhead.runs.solvers.linear.head_law import check_law


def check_combination(run: Run, pantographs: Sequence[Any]) -> None:
    """ModelError if the run's solver cannot carry what the run asks for."""
    _check_options(run)
    _check_units(run, pantographs)
    _check_strips(run, pantographs)
    {"linear": _check_linear, "cables": _check_cables, "coupled": _check_coupled}[run.solver](run, pantographs)


def _check_units(run: Run, pantographs: Sequence[Any]) -> None:
    for p in pantographs:
        if isinstance(p, ForeignPantograph) and run.solver != "coupled":
            raise ModelError(
                f"pantograph {p.name!r} is a code of its own, which needs solver 'coupled', and the run has "
                f"{run.solver!r}; change the solver"
            )


def _check_strips(run: Run, pantographs: Sequence[Any]) -> None:
    for p in pantographs:
        if isinstance(p, LumpedPantograph) and p.strips is not None and run.solver != "linear":
            raise ModelError(
                f"pantograph {p.name!r}: strips of a chain of masses go with solver 'linear', and the run has "
                f"{run.solver!r}; leave `strips` out, or change the solver"
            )


def check_line(run: Run, line: Line) -> None:
    """ModelError if the run's solver does not know what the line has."""
    if run.solver == "cables":
        for what in beyond_cables(line, run.conditions):
            raise ModelError(f"line {line.name!r}: solver 'cables' does not know {what}; take solver 'linear'")
    if run.solver == "coupled" and line.tunnels:
        raise ModelError(f"line {line.name!r}: solver 'coupled' does not know tunnels; take solver 'linear'")
    if run.solver == "coupled" and (inner_nodes(line) or bows(line)):
        raise ModelError(f"line {line.name!r}: solver 'coupled' has droppers of one spring; leave `rod` and `bow` out")
    if run.droppers == "bilateral" and inner_nodes(line):
        raise ModelError("droppers: a rod that pushes is no rod; leave out `rod` or `droppers`")
    if run.droppers == "bilateral" and bows(line):
        raise ModelError("droppers: what pushes does not bow; leave out `bow` or `droppers`")
    wind = run.conditions.wind if run.conditions else None
    if wind is not None and wind.intensity > 0.0 and not (run.solver == "linear" and run.lateral):
        raise ModelError("conditions.wind: gusts need solver 'linear' and lateral = true; give both, or intensity = 0")


def _check_options(run: Run) -> None:
    for solver in ("cables", "coupling"):
        if getattr(run, solver) is not None and run.solver[:5] != solver[:5]:
            wanted = "cables" if solver == "cables" else "coupled"
            raise ModelError(
                f"{solver}: these options are of solver {wanted!r}, and the run has solver {run.solver!r}; "
                "leave them out or change the solver"
            )
    if run.contact.kind == "joint" and run.solver != "cables":
        raise ModelError(
            f"contact: a joint that cannot open needs solver 'cables', and the run has {run.solver!r}; "
            "take contact.kind = 'linear', or the other solver"
        )
    if run.speed_table and run.solver != "linear":
        raise ModelError(f"speed_table: solver {run.solver!r} runs at constant speed; give `speed`, or solver 'linear'")
    if run.pushes and run.solver != "linear":
        raise ModelError(
            f"pushes: forces in time on the masses of a pantograph go with solver 'linear' only, not {run.solver!r}; "
            "take solver 'linear', or a law of the head (`control`)"
        )
    if run.roof and run.solver != "linear":
        raise ModelError(
            f"roof: a given motion of the roof is felt with solver 'linear' only, not {run.solver!r}; "
            "take solver 'linear', or a `vehicle` with solver 'cables'"
        )


def _check_linear(run: Run, pantographs: Sequence[Any]) -> None:
    for p in pantographs:
        if not isinstance(p, LumpedPantograph):
            raise ModelError(
                f"pantograph {p.name!r} is made of bodies and joints; solver 'linear' carries chains of masses only. "
                "Take solver 'coupled' or 'cables'"
            )
        speeds = [run.speed] if run.speed is not None else [v for _, v in run.speed_table]
        for speed in (min(speeds), max(speeds)):
            if p.total_uplift(speed) <= 0.0:
                raise ModelError(
                    f"pantograph {p.name!r} is lifted with {p.total_uplift(speed):.3g} N at {3.6 * speed:.4g} km/h: "
                    "it never touches the wire. Raise its static_force"
                )
    if run.journey.settled:
        raise ModelError(
            "journey: solver 'linear' lifts its pantographs over the ramp; leave out `settled`, or take another solver"
        )
    for push in run.pushes:
        push.mass(pantographs)
    if run.control is not None and run.control.kind != "none":
        check_law(run.control, pantographs)
    if run.roof or run.vehicle is not None:
        check_foot(pantographs)


def check_foot(pantographs: Sequence[LumpedPantograph]) -> None:
    """The roof moves only what stands on it by a spring and a damper."""
    foot = pantographs[0].stages[-1]
    if len(pantographs) > 1:
        raise ModelError("a moving roof carries one pantograph; take the others off the train")
    if foot.friction or foot.stop_up is not None or foot.stop_down is not None:
        raise ModelError(
            f"pantograph {pantographs[0].name!r}: friction and stops of its lowest stage are not offered on a "
            "roof that moves; leave them out"
        )


def _check_cables(run: Run, pantographs: Sequence[Any]) -> None:
    if run.lateral:
        raise ModelError("lateral: solver 'cables' always moves in space; leave `lateral` out")
    if len(pantographs) > 1:
        raise ModelError(
            f"train: solver 'cables' carries one pantograph, and there are {len(pantographs)}; take the others off, or "
            "take solver 'linear'"
        )
    if run.contact.kind == "lankarani-nikravesh":
        raise ModelError(
            "contact: solver 'cables' has the kinds 'linear' and 'joint'; 'lankarani-nikravesh' goes with solver "
            "'linear' or 'coupled'"
        )


def _check_coupled(run: Run, pantographs: Sequence[Any]) -> None:
    if len(pantographs) > 1:
        raise ModelError(
            f"train: solver 'coupled' carries one pantograph, and there are {len(pantographs)}; take the others off, "
            "or take solver 'linear'"
        )
    if run.control is not None and run.control.search is not None:
        raise ModelError(
            "control.search: numbers of a law are searched with solver 'cables'; give `parameters`, or take that solver"
        )
    if run.droppers == "bilateral":
        raise ModelError(
            "droppers: solver 'coupled' has slackening ones; leave `droppers` out, or take solver 'linear'"
        )
    if run.vehicle is not None:
        raise ModelError(
            "vehicle: solver 'coupled' stands on a level roof; take solver 'linear' (the roof's motion is felt) or "
            "'cables' (both ways)"
        )
