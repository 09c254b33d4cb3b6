"""A level chain of 10, 100 and 1000 links that falls, in the plane and in space, against Exudyn.

Absolute coordinates, steps of 1 ms by the generalized-α method with the same spectral radius (0.9). The default here;
there the sparse solver with a modified Newton iteration, the quickest of what it offers for each size, at two relative
tolerances. What each Newton iteration leaves at the tip is told. Processor time, in turn.
"""

import numpy as np
from peers import exudyn_chain as peer
from timing import Marching, ratio, spread

from panhead.engine.bodies import PlanarBody, RigidBody, ground
from panhead.engine.joints import Revolute
from panhead.engine.multibody import Model
from panhead.engine.multibody.outline import positions
from panhead.runs.scenarios.shipped_models import ShippedModel

DURATIONS = {10: 1.0, 100: 0.5, 1000: 0.1}  # s by links
DT, REPEATS, TOLERANCES, TIGHT = 1e-3, 2, (1e-6, 1e-8), 1e-11
ALONG_Y = {"axis": (0.0, -1.0, 0.0)}


def chain(n: int, space: bool) -> tuple[ShippedModel, object]:
    """n links along x, each hinged to the one before, and the place of the tip."""
    axis, half = ALONG_Y if space else {}, (peer.LENGTH / 2, 0.0, 0.0)
    before, items = ground.at(**axis), []
    for k in range(n):
        x, j = (k + 0.5) * peer.LENGTH, peer.SLENDER
        link = (
            RigidBody(name=f"link{k}", mass=peer.MASS, inertia=(j, j, j), position=(x, 0.0, 0.0))
            if space
            else PlanarBody(name=f"link{k}", mass=peer.MASS, inertia=j, position=(x, 0.0))
        )
        items += [link, Revolute(name=f"hinge{k}", a=before, b=link.at((-half[0], 0.0, 0.0), **axis))]
        before = link.at(half, **axis)
    gravity = (0.0, 0.0, -peer.GRAVITY) if space else (0.0, -peer.GRAVITY, 0.0)
    model = Model(name="chain", items=tuple(items), gravity=gravity)
    system = model.system()
    return ShippedModel(model=model, system=system, start=system.start), before


def measure() -> dict[str, object]:
    found: dict[str, object] = {}
    for space in (False, True):
        for n, duration in DURATIONS.items():
            shipped, tip = chain(n, space)
            marching = Marching(shipped, duration, DT)
            ours, theirs, peers = [], {rtol: [] for rtol in TOLERANCES}, {}
            for _ in range(REPEATS):
                ours.append(marching.milliseconds())
                for rtol in TOLERANCES:
                    peers[rtol] = peer.time_per_step(n, space=space, duration=duration, dt=DT, rtol=rtol)
                    theirs[rtol].append(peers[rtol]["cpu_ms_per_step"])
            end = lambda run, at=tip, of=shipped: positions(of.system, run, [at])[-1, 0]
            tight = peer.time_per_step(n, space=space, duration=duration, dt=DT, rtol=TIGHT)["tip"]
            left = _distance(end(marching.last), end(marching.every_step(tolerance=TIGHT)))
            name = f"{n} links, {'space' if space else 'plane'}"
            found |= {f"{name}, ms a step": spread(np.array(ours)), f"{name}, tip's error by Newton, µm": left}
            for rtol in TOLERANCES:
                peer_error = _distance(peers[rtol]["tip"], tight)
                found |= {
                    f"{name}, Exudyn at {rtol:g}, ms a step": spread(np.array(theirs[rtol])),
                    f"{name}, Exudyn at {rtol:g}, tip's error by Newton, µm": peer_error,
                    f"{name}, times faster than Exudyn at {rtol:g}": ratio(theirs[rtol], ours),
                }
    return found


def _distance(a: object, b: object) -> float:
    """Distance of two places [µm]."""
    return 1e6 * float(np.linalg.norm(np.asarray(a) - np.asarray(b)))
