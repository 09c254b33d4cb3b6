"""Chain of flexible links in floating frames, eight modes each, against Exudyn.

Both fall from rest by the generalized-α method with steps of 1 ms and the same spectral radius (0.9), from the same
masses, stiffness and shapes. Newton's tolerances are such that they leave 1 µm or less at the tip in either code, a
tenth of what the steps leave: a Newton step of 1e-11 m where factors are kept here, a relative residual of 1e-5 there,
where they are kept, too. Processor time, runs in turn.
"""

import numpy as np
from peers import exudyn_floating as peer
from timing import Marching, ratio, spread

from panhead.engine.bodies import FloatingBody, ground
from panhead.engine.joints import Revolute
from panhead.engine.multibody import Model
from panhead.engine.multibody.outline import positions
from panhead.runs.scenarios.shipped_models import ShippedModel

SIZES, DT, DURATION, REPEATS = (4, 8), 1e-3, 1.0, 5
STEPS = DURATION / DT
OURS = {"fresh factors": {"tolerance": 1e-8}, "kept factors": {"tolerance": 1e-11, "factor": "while it serves"}}
TIGHT = 1e-11  # [m, rad]
THEIRS, THEIRS_TIGHT = 1e-5, 1e-10  # of the residual


def chain(n: int) -> ShippedModel:
    """n links along x, each hinged about y to the one before."""
    before, items = ground.at(axis=peer.AXIS), []
    for i in range(n):
        body = FloatingBody(name=f"link{i}", structure=peer.link(), position=((i + 0.5) * peer.LENGTH, 0.0, 0.0))
        hinge = Revolute(name=f"hinge{i}", a=before, b=body.at("a", axis=peer.AXIS))
        items += [body, hinge]
        before = body.at("b", axis=peer.AXIS)
    model = Model(name="chain", items=tuple(items), gravity=peer.GRAVITY)
    system = model.system()
    return ShippedModel(model=model, system=system, start=system.start)


def tip(marching: Marching, run, n: int) -> np.ndarray:
    last = FloatingBody(name=f"link{n - 1}", structure=peer.link())
    return positions(marching.system, run, [last.at("b")])[-1, 0]


def measure() -> dict[str, object]:
    found: dict[str, object] = {}
    for n in SIZES:
        marching = {name: Marching(chain(n), DURATION, DT, **o) for name, o in OURS.items()}
        ours, theirs = {name: [] for name in OURS}, []
        for _ in range(REPEATS):
            for name, march in marching.items():
                ours[name].append(march.milliseconds())
            figures = peer.time_per_step(n, dt=DT, duration=DURATION, rtol=THEIRS)
            theirs.append(figures["cpu_ms_per_step"])
        fresh = marching["fresh factors"]
        exact = tip(fresh, fresh.every_step(tolerance=TIGHT), n)
        tight = peer.time_per_step(n, dt=DT, duration=DURATION, rtol=THEIRS_TIGHT)["tip"]
        for name, march in marching.items():
            notes = march.last.notes
            found |= {
                f"N = {n}, {name}, ms a step": spread(np.array(ours[name])),
                f"N = {n}, {name}, times faster than Exudyn": ratio(theirs, ours[name]),
                f"N = {n}, {name}, iterations a step": notes["iterations"] / STEPS,
                f"N = {n}, {name}, factors a step": notes["factorisations"] / STEPS,
                f"N = {n}, {name}, tip's error by Newton's tolerance, µm": distance(tip(march, march.last, n), exact),
            }
        found |= {
            f"N = {n}, Exudyn, ms a step": spread(np.array(theirs)),
            f"N = {n}, Exudyn, iterations a step": figures["newton_per_step"],
            f"N = {n}, Exudyn, factors a step": figures["jacobians"] / STEPS,
            f"N = {n}, Exudyn, tip's error by Newton's tolerance, µm": distance(figures["tip"], tight),
            f"N = {n}, tip at 1 s, ours from Exudyn's, tight tolerances, µm": distance(exact, tight),
        }
    return found


def distance(a, b) -> float:
    """Distance of two tip positions [µm]."""
    return 1e6 * float(np.linalg.norm(np.array(a) - np.array(b)))
