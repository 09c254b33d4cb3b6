"""Planar ANCF catenary of 20 spans with a pantograph at 200 km/h, against Exudyn's sliding joint and penalty contact.

The same mesh, step (1 ms) and method (spectral radius 0.5); Newton to 1e-8 m here, to a relative 1e-6
(joint) or 1e-4 (penalty) there. Processor time, runs in turn; forces in N, from 3 s to 9 s of the long
runs and over the whole of the short ones, unfiltered.
"""

from typing import Any

import numpy as np
from peers import exudyn_catenary as peer
from timing import Marching, ratio, spread

from panhead.runs.cables.cables_assembly import assemble, resting_line
from panhead.runs.description import ContactLaw, Journey, Numerics, OnTrain, Run
from panhead.runs.resolve import resolve
from panhead.runs.scenarios.shipped_models import ShippedModel
from panhead.validation.planar_catenary.model import contact_force, planar_catenary, start

DT, RHO = 1e-3, 0.5
CASES = {9: (10.0, 2), 36: (2.0, 2)}  # elements a span: duration [s], repeats
PEER = {"embedded": "sliding", "elastic": "penalty"}


def measure() -> dict[str, object]:
    found: dict[str, object] = {}
    for elements, (duration, repeats) in CASES.items():
        found |= _compared(elements, duration, repeats)
    return found | _growth() | _in_space()


def _marching(duration: float, **parameters: Any) -> Marching:
    model = planar_catenary(**parameters)
    return Marching(
        ShippedModel(model, model.system(), start(model)),
        duration,
        DT,
        spectral_radius=RHO,
        factor="while it serves",
        tolerance=1e-8,
    )


def _compared(elements: int, duration: float, repeats: int) -> dict[str, object]:
    marching = {form: _marching(duration, contact=form, elements=elements) for form in PEER}
    ours, theirs = {form: [] for form in PEER}, {form: [] for form in PEER}
    figures = {}
    for _ in range(repeats):
        for form, contact in PEER.items():
            ours[form].append(marching[form].milliseconds())
            figures[form] = peer.time_per_step(
                elements, contact=contact, dt=DT, duration=duration, rho=RHO, held_at_masts=False
            )
            theirs[form].append(figures[form]["cpu_ms_per_step"])
    found: dict[str, object] = {}
    for form, contact in PEER.items():
        m, name = marching[form], f"{elements} a span, "
        run = m.every_step()
        force = contact_force(m.system, run)
        exact = contact_force(m.system, m.every_step(tolerance=1e-12))
        found |= {
            f"{name}{form}, ms a step": spread(np.array(ours[form])),
            f"{name}Exudyn's {contact}, ms a step": spread(np.array(theirs[form])),
            f"{name}{form}, times faster than {contact}": ratio(theirs[form], ours[form]),
            f"{name}{form}, iterations a step": run.notes["iterations"] / (len(run.t) - 1),
            f"{name}Exudyn's {contact}, iterations a step": figures[form]["newton_per_step"],
            f"{name}{form}, force": _force(peer.force_figures(run.t, force, DT)),
            f"{name}Exudyn's {contact}, force": _force(figures[form]["force"]),
            f"{name}{form}, largest error of the force by Newton's tolerance, N": float(np.abs(force - exact).max()),
        }
    found[f"{elements} a span, embedded, times faster than penalty"] = ratio(theirs["elastic"], ours["embedded"])
    return found


def _force(figures: dict[str, float]) -> str:
    parts = (figures[k] for k in ("mean", "deviation", "min", "max"))
    return "mean {:.2f}, σ {:.2f}, {:.1f} … {:.1f} N".format(*parts)


def _growth() -> dict[str, object]:
    """Time per step over the number of spans."""
    marching = {n: _marching(2.0, spans=n) for n in (10, 20, 40)}
    ms = {n: [] for n in marching}
    for _ in range(3):
        for n, m in marching.items():
            ms[n].append(m.milliseconds())
    return {f"{n} spans, ms a step": spread(np.array(x)) for n, x in ms.items()}


def _in_space() -> dict[str, object]:
    """Line in space, 9 elements per span, with a pantograph of six bodies; below 1 ms per step is real time."""
    run = Run(
        line="ancf-simple",
        train=(OnTrain(pantograph="cx-six-bodies"),),
        speed=200 / 3.6,
        solver="cables",
        contact=ContactLaw(kind="joint"),
        journey=Journey(start=84.94),
        numerics=Numerics(element_length=6.25),
    )
    resolved = resolve(run)
    whole = assemble(resolved, resting_line(resolved), None)
    march = Marching(
        ShippedModel(whole.model, whole.system, whole.start),
        2.0,
        DT,
        spectral_radius=0.7,
        factor="while it serves",
        tolerance=1e-9,
    )
    return {
        "in space, six bodies, ms a step": spread(np.array([march.milliseconds() for _ in range(3)])),
        "in space, iterations a step": march.last.notes["iterations"] / march.steps,
        "in space, unknowns": len(whole.system.coordinates) + len(whole.system.constraints),
    }
