"""Validation cases, one folder per problem.

    references.py   recompute quantities and compare them with references: ``panhead validate NAME``
    model.py        bodies and joints, where the model is not one of ``panhead.runs.library``

Scenarios are in ``data/scenarios``. Nothing here reads a stored result, and no other group imports this one when it is
loaded: the command ``panhead validate`` does when it runs.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from functools import partial
from typing import Any, Final

from panhead.errors import FileError
from panhead.runs.worker_processes import end, pool
from panhead.validation.checks import Check, as_json, check_row_count
from panhead.validation.rows import ROWS

#: Validation case → module and function.
CASES = {
    "double-pendulum": "double_pendulum.references:double_pendulum",
    "planar-pantograph": "planar_pantograph.references:planar_pantograph",
    "planar-pantograph-control": "planar_pantograph.control:planar_pantograph_control",
    "crank-rod": "factorized.references:crank_rod",
    "variator": "factorized.references:variator",
    "two-link-robot": "factorized.references:two_link_robot",
    "iftomm-a01": "pendulum.references:iftomm_a01",
    "iftomm-a02": "four_bars.references:iftomm_a02",
    "en50318-250": "en50318.references:en50318_250",
    "en50318-300": "en50318.references:en50318_300",
    "en50318-spread": "en50318.spread:en50318_spread",
    "error-bars": "error_bars.references:error_bars",
    "contact-restitution": "cosimulation.references:contact_restitution",
    "cosimulation": "cosimulation.references:cosimulation",
    "moving-load-string": "moving_load.references:moving_load_string",
    "moving-load-beam": "moving_load.references:moving_load_beam",
    "linear-vs-ancf": "planar_catenary.references:linear_vs_ancf",
    "line-statics": "line_statics.references:line_statics",
    "real-lines": "real_lines.references:real_lines",
    "declared-uplift": "declared_values.references:declared_uplift",
    "declared-elasticity": "declared_values.elasticity:declared_elasticity",
    "span-by-radius": "declared_values.span_radius:span_by_radius",
    "conductor-rail": "conductor_rail.references:conductor_rail",
    "whipping-droppers": "whipping_droppers.references:whipping_droppers",
    "long-line": "long_line.references:long_line",
    "c-export": "c_export.references:c_export",
    "line-gradient": "line_gradient.references:line_gradient",
    "cable-gradient": "line_gradient.cables:cable_gradient",
    "line-design": "line_design.references:line_design",
    "study": "study.references:study",
    "asbuilt": "asbuilt.references:asbuilt",
    "gymnasium": "gymnasium.references:gymnasium_case",
    "calibration": "calibration.references:calibration",
    "pendulum-on-beam": "pendulum_on_beam.references:pendulum_on_beam_case",
    "pendulum-on-beam-contact": "pendulum_on_beam.contact_references:pendulum_on_beam_contact",
    "beams-in-space": "beams_in_space.references:beams_in_space",
    "impact": "impact.references:impact",
    "contact-in-space": "contact_in_space.references:contact_in_space",
    "fe-import": "fe_import.references:fe_import",
    "rotor-dynamics": "rotor_dynamics.references:rotor_dynamics",
    "model-gradient": "model_gradient.references:model_gradient",
    "wheel-rail": "wheel_rail.references:wheel_rail",
    "klingel": "wheel_rail.references:klingel",
    "wheel-rail-constraint": "wheel_rail.constraint:wheel_rail_constraint",
    "vehicle-statics": "vehicle.references:vehicle_statics",
    "vehicle-straight": "vehicle.references:vehicle_straight",
    "vehicle-constraint": "vehicle.constraint:vehicle_constraint",
    "chain": "chain.references:chain",
    "four-bar-n": "four_bars.references:four_bar_n",
    "slider-crank": "slider_crank.references:slider_crank",
    "ancf-cantilever": "ancf_cantilever.references:ancf_cantilever",
    "flexible-pendulum": "flexible_pendulum.references:flexible_pendulum",
    "floating-frame": "floating_frame.references:floating_frame",
    "sliding-mass-on-cable": "sliding_mass.references:sliding_mass_on_cable",
    "cx-modes": "cx.references:cx_modes",
    "s4-cx": "s4_cx.references:s4_cx",
    "s1-statics": "s1.references:s1_statics",
    "s1-low-uplift": "s1.references:s1_low_uplift",
    "s1-high-uplift": "s1.references:s1_high_uplift",
    "s1-coupled-train": "s1.train:s1_coupled_train",
}

#: Cases that take long, the longest first: started first, so that none runs alone at the end.
SLOW_CASES: Final = (
    "s4-cx", "study", "planar-pantograph-control", "cosimulation", "line-design", "asbuilt", "line-gradient",
    "s1-high-uplift", "s1-low-uplift", "c-export", "s1-coupled-train", "calibration", "cable-gradient", "error-bars",
)  # fmt: skip


def names() -> list[str]:
    """Names of all validation cases, in order of display."""
    return list(CASES)


def run(name: str) -> Sequence[Check]:
    """Compute one case."""
    if name not in CASES:
        raise FileError(name, f"is not a validation case. Cases: {', '.join(CASES)}")
    module, function = CASES[name].split(":")
    case: Callable[[], Sequence[Check]] = getattr(importlib.import_module(f"panhead.validation.{module}"), function)
    return case()


def tables(
    wanted: Sequence[str], jobs: int = 1, told: Callable[[str], None] = lambda name: None
) -> Iterator[tuple[str, dict[str, dict[str, Any]]]]:
    """Yield name and table of each case as plain data, in order; ``jobs`` processes compute several in parallel.

    ``told`` is called with the name of each case as it ends, in order of completion.
    """
    if jobs <= 1:
        yield from ((name, _table(name)) for name in wanted)
        return
    hands = pool(jobs)
    try:
        rank = {name: k for k, name in enumerate(SLOW_CASES)}
        order = sorted(wanted, key=lambda name: rank.get(name, len(rank)))
        begun = {name: hands.submit(_table, name) for name in order}
        for name, future in begun.items():
            future.add_done_callback(partial(_report_completed, told, name))
        yield from ((name, begun[name].result()) for name in wanted)
    finally:
        end(hands)


def _report_completed(told: Callable[[str], None], name: str, future: Future[Any]) -> None:
    if not future.cancelled() and future.exception() is None:
        told(name)


def _table(name: str) -> dict[str, dict[str, Any]]:
    from panhead.validation.pins import check_pins, pins  # a command of its own, too

    rows = run(name)
    return as_json(check_pins(name, check_row_count(rows, *ROWS[name]), pins().get(name, {})))
