"""Thin strip in large bending and torsion against Exudyn's beams: error over processor time, statics and dynamics.

Errors are those of the tip over its displacement: at rest beside the rod's differential equations, in motion beside
our own fine mesh and step. ``again`` is a further solution of the same system, ``first`` the first one, which also
finds the order of pivots.
"""

from __future__ import annotations

from collections.abc import Sequence
from time import process_time
from typing import Literal

import numpy as np
from peers import exudyn_beams as peer
from timing import spread

from panhead.engine.bodies import Beam, Section, ground
from panhead.engine.forces import Push, Twist
from panhead.engine.joints import Rigid
from panhead.engine.methods.equilibrium import equilibrium
from panhead.engine.methods.integrators import GeneralizedAlpha
from panhead.engine.methods.simulate import simulate
from panhead.engine.multibody import Model
from panhead.engine.multibody.multibody_system import MultibodySystem
from panhead.validation.beams_in_space.rod import Rod

REPEATS = 5
OURS, THEIRS = (2, 3, 4, 8), (4, 8, 16, 32)
MOVING_OURS = ((2, 2.5e-4), (4, 2.5e-4), (8, 1e-4))
MOVING_THEIRS = ((4, 5e-4), (8, 5e-4), (16, 2e-4), (32, 2e-4))  # 4 at 1 ms, 16 at 0.25 ms do not converge
DURATION = 0.1  # s, a period of the slowest vibration

Load = Literal["force", "torque"]


def strip(elements: int, load: Load = "force") -> MultibodySystem:
    """Model of the strip, identical to the peer's."""
    beam = Beam(
        name="b", begin=(0.0, 0.0, 0.0), end=(peer.LENGTH, 0.0, 0.0), elements=elements, height=peer.HEIGHT,
        width=peer.WIDTH, young=peer.YOUNG, poisson=peer.NU, density=peer.DENSITY, across=(0.0, 1.0, 0.0),
    )  # fmt: skip
    clamp = Rigid(name="clamp", a=ground.at((0.0, 0.0, 0.0)), b=beam.at_world(0.0))
    end = beam.at(peer.LENGTH)
    pull = Push(name="pull", at=end, force=peer.FORCE) if load == "force" else Twist(
        name="twist", at=end, torque=peer.TORQUE
    )  # fmt: skip
    return Model(name="strip", items=(beam, clamp, pull), gravity=(0.0, 0.0, 0.0)).system()


def tip(system: MultibodySystem, q: np.ndarray) -> np.ndarray:
    """Displacement of the end [m]."""
    last = (system.nq // 7 - 1) * 7
    return np.asarray(q[last : last + 3] - (peer.LENGTH, 0.0, 0.0))


class _Curve:
    """Errors and times of one code on one problem, by mesh."""

    def __init__(self, name: str) -> None:
        self.name, self.rows = name, list[tuple[str, float, list[float]]]()

    def add(self, mesh: str, error: float, seconds: list[float]) -> None:
        self.rows.append((mesh, error, seconds))

    def told(self) -> dict[str, object]:
        return {
            f"{self.name}, {mesh}: error, ms": f"{e:.2e}, {spread(np.array(s), unit=1e-3)}" for mesh, e, s in self.rows
        }

    def seconds_at(self, error: float) -> float:
        """Smallest median time for a given error, by log-log interpolation."""
        errors, seconds = np.log([e for _, e, _ in self.rows]), np.log([np.median(s) for _, _, s in self.rows])
        order = np.argsort(errors)
        return float(np.exp(np.interp(np.log(error), errors[order], seconds[order])))


def _compared(ours: _Curve, theirs: Sequence[_Curve]) -> dict[str, object]:
    """Figures of all codes, and the speed-up of each of our meshes at equal error, where the peer reaches it."""
    found = ours.told()
    for peer_ in theirs:
        found |= peer_.told()
        low, high = (f(e for _, e, _ in peer_.rows) for f in (min, max))
        for mesh, e, seconds in ours.rows:
            if low <= e <= high:
                times = spread(peer_.seconds_at(e) / np.array(seconds))
                found[f"{ours.name}, {mesh}: times quicker than {peer_.name} at its error"] = times
    return found


def _at_rest(load: Load, torsion: float) -> dict[str, object]:
    theirs = {
        kind: [peer.at_rest(n, element=kind, load=load, torsion=torsion, repeats=REPEATS) for n in THEIRS]
        for kind in (("exact", "ancf") if load == "force" else ("exact",))  # their ANCF nodes take no torque
    }
    section = Section.rectangle(width=peer.HEIGHT, height=peer.WIDTH)
    rod = Rod(section=section, young=peer.YOUNG, poisson=peer.NU, lengths=(peer.LENGTH,))
    nothing = (0.0, 0.0, 0.0)
    end = rod.solve_under_load(peer.FORCE, nothing) if load == "force" else rod.solve_under_load(nothing, peer.TORQUE)
    exact = end[0] - (peer.LENGTH, 0.0, 0.0)
    error = lambda x: float(np.linalg.norm(np.subtract(x, exact)) / np.linalg.norm(exact))
    first, again = _Curve(f"{load}: ours, first"), _Curve(f"{load}: ours, again")
    for n in OURS:
        solved = [_solved(strip(n, load)) for _ in range(REPEATS + 1)][1:]
        first.add(f"{n} elements", error(solved[0][0]), [s for _, s in solved])
        system = strip(n, load)
        runs = [_solved(system) for _ in range(REPEATS + 1)][1:]
        again.add(f"{n} elements", error(runs[0][0]), [s for _, s in runs])
    curves = []
    for kind, rows in theirs.items():
        curve = _Curve(f"{load}: Exudyn {kind}")
        for n, run in zip(THEIRS, rows, strict=True):
            curve.add(f"{n} elements, {run['steps']} load steps", error(run["tip"]), run["seconds"])
        curves.append(curve)
    return _compared(first, curves) | _compared(again, curves)


def _solved(system: MultibodySystem) -> tuple[np.ndarray, float]:
    begin = process_time()
    q = equilibrium(system, system.start.q).q
    seconds = process_time() - begin
    return tip(system, q), seconds


def _moved(system: MultibodySystem, dt: float) -> tuple[np.ndarray, float]:
    begin = process_time()
    motion = simulate(
        system, system.start, duration=DURATION, dt=dt, keep=DURATION,
        method=GeneralizedAlpha(factor="while it serves"),
    )  # fmt: skip
    return tip(system, motion.q[-1]), process_time() - begin


def _in_motion(torsion: float) -> dict[str, object]:
    exact = _moved(strip(16), 2.5e-5)[0]
    fine = peer.let_go(64, dt=5e-5, steps=round(DURATION / 5e-5), torsion=torsion, repeats=1)["tip"]
    error = lambda x: float(np.linalg.norm(np.subtract(x, exact)) / np.linalg.norm(exact))
    found: dict[str, object] = {"motion: Exudyn's 64 elements, 50 µs, from our 16, 25 µs": error(fine)}
    ours, theirs = _Curve("motion: ours"), _Curve("motion: Exudyn exact")
    for n, dt in MOVING_OURS:
        system = strip(n)
        runs = [_moved(system, dt) for _ in range(REPEATS + 1)][1:]
        ours.add(f"{n} elements, {1e3 * dt:g} ms", error(runs[0][0]), [s for _, s in runs])
    for n, dt in MOVING_THEIRS:
        run = peer.let_go(n, dt=dt, steps=round(DURATION / dt), torsion=torsion, repeats=REPEATS)
        theirs.add(f"{n} elements, {1e3 * dt:g} ms", error(run["tip"]), run["seconds"])
    return found | _compared(ours, [theirs])


def measure() -> dict[str, object]:
    torsion = Section.rectangle(width=peer.HEIGHT, height=peer.WIDTH).torsion
    return _at_rest("force", torsion) | _at_rest("torque", torsion) | _in_motion(torsion)
