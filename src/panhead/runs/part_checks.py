"""Checks of the parts of a run before it is computed; errors name the remedy.

Which features go together is a table of its own (``capabilities``).
"""

from __future__ import annotations

from collections.abc import Sequence

from panhead.errors import ModelError
from panhead.railway.pantograph.lumped_pantograph import LumpedPantograph
from panhead.runs.description import Run
from panhead.runs.linear.head_law import check_law


def check_linear_parts(run: Run, pantographs: Sequence[LumpedPantograph]) -> None:
    """ModelError if a lumped pantograph, a push or a control law cannot be run with solver 'linear'."""
    speeds = [run.speed] if run.speed is not None else [v for _, v in run.speed_table]
    for p in pantographs:
        for speed in (min(speeds), max(speeds)):
            if p.total_uplift(speed) <= 0.0:
                raise ModelError(
                    f"pantograph {p.name!r}: its total uplift force is {p.total_uplift(speed):.3g} N at "
                    f"{3.6 * speed:.4g} km/h, so it never touches the wire. Raise its static_force"
                )
    for push in run.pushes:
        push.mass(pantographs)
    if run.control is not None and run.control.kind != "none":
        check_law(run.control, pantographs)
    if run.roof or run.vehicle is not None:
        check_foot(pantographs)


def check_foot(pantographs: Sequence[LumpedPantograph]) -> None:
    """ModelError unless the pantograph stands on a moving roof by a spring and a damper only."""
    foot = pantographs[0].stages[-1]
    if len(pantographs) > 1:
        raise ModelError("a moving roof supports only one pantograph; remove the others from `train`")
    if foot.friction or foot.stop_up is not None or foot.stop_down is not None:
        raise ModelError(
            f"pantograph {pantographs[0].name!r}: friction and stops of its lowest stage are not supported on "
            "a moving roof; remove them"
        )
