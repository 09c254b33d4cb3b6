"""A thin strip bent and twisted by a dead force at rest, beside Exudyn's beams: error over time.

The error is that of the tip beside our own 48 elements, over its displacement; processor time of the solution alone.
"""

from __future__ import annotations

from time import process_time

import numpy as np
from peers import exudyn_beams as peer
from timing import spread

from panhead.bodies import Beam, Section, ground
from panhead.forces import Push
from panhead.joints import Rigid
from panhead.methods.equilibrium import equilibrium
from panhead.multibody import Model
from panhead.multibody.system import MultibodySystem

REPEATS = 5
OURS, THEIRS = (1, 2, 4, 8), (2, 4, 8, 16)


def strip(elements: int) -> MultibodySystem:
    """The same strip as the peer's."""
    beam = Beam(
        name="b", begin=(0.0, 0.0, 0.0), end=(peer.LENGTH, 0.0, 0.0), elements=elements, height=peer.HEIGHT,
        width=peer.WIDTH, young=peer.YOUNG, poisson=peer.NU, density=peer.DENSITY, across=(0.0, 1.0, 0.0),
    )  # fmt: skip
    clamp = Rigid(name="clamp", a=ground.at((0.0, 0.0, 0.0)), b=beam.at_world(0.0))
    pull = Push(name="pull", at=beam.at(peer.LENGTH), force=peer.FORCE)
    return Model(name="strip", items=(beam, clamp, pull), gravity=(0.0, 0.0, 0.0)).system()


def _tip(system: MultibodySystem, q: np.ndarray, elements: int) -> np.ndarray:
    first = system.place(f"b.{elements}x")
    return np.asarray(q[first : first + 3] - (peer.LENGTH, 0.0, 0.0))


def solved(system: MultibodySystem, elements: int) -> tuple[np.ndarray, float]:
    """Tip [m] and processor time [s]."""
    begin = process_time()
    q = equilibrium(system, system.start.q).q
    return _tip(system, q, elements), process_time() - begin


def measure() -> dict[str, object]:
    torsion = Section.rectangle(width=peer.HEIGHT, height=peer.WIDTH).torsion
    found: dict[str, object] = {}
    exact = solved(strip(48), 48)[0]
    error = lambda tip: float(np.linalg.norm(np.subtract(tip, exact)) / np.linalg.norm(exact))
    for n in OURS:
        system = strip(n)
        solved(system, n)
        runs = [solved(system, n) for _ in range(REPEATS)]
        found |= _told(f"ours, {n} elements", error(runs[0][0]), [s for _, s in runs])
    for element in ("exact", "ancf"):
        for n in THEIRS:
            theirs = [peer.strip(n, element=element, torsion=torsion) for _ in range(REPEATS)]
            seconds = [r["seconds"] for r in theirs]
            found |= _told(f"Exudyn {element}, {n} elements", error(theirs[0]["tip"]), seconds)
    return found


def _told(name: str, error: float, seconds: list[float]) -> dict[str, object]:
    return {f"{name}: error, ms": f"{error:.2e}, {spread(np.array(seconds), unit=1e-3)}"}
