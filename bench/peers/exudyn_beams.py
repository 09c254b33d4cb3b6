"""A thin strip with a dead load at its end in Exudyn: geometrically exact and fully parameterised ANCF beams.

Clamped, 0.508 m long, 12.7 × 3.2 mm, loaded at an angle to both axes [Dowell75]; at rest, and let go from rest. At rest
the number of load steps is the quickest that converges, so that nothing is held against the peer.
"""

import time
from typing import Any

from peers import exudyn_child as child

LENGTH, HEIGHT, WIDTH, YOUNG, NU, DENSITY = 0.508, 12.7e-3, 3.2e-3, 7.17e10, 0.31, 2700.0
FORCE = (0.0, -4.8356, -12.4380)  # N, 13.345 N at 1.2 rad
TORQUE = (1.5, 4.0, 2.0)  # N·m
LOAD_STEPS = (1, 2, 3, 5, 10, 20, 40)


def at_rest(n: int, *, element: str, load: str, torsion: float, repeats: int) -> dict[str, Any]:
    """Tip's displacement [m] and processor times [s] of n elements, ``exact`` or ``ancf``, under a force or torque."""
    arguments = {"n": n, "element": element, "load": load, "torsion": torsion, "repeats": repeats}
    return child.run_alone("peers.exudyn_beams", arguments)


def let_go(n: int, *, dt: float, steps: int, torsion: float, repeats: int) -> dict[str, Any]:
    """Tip displacement and processor time after ``steps`` time steps under a suddenly applied force; exact beams."""
    arguments = {"n": n, "element": "exact", "load": "force", "torsion": torsion, "repeats": repeats}
    return child.run_alone("peers.exudyn_beams", arguments | {"dt": dt, "steps": steps})


def section(exu: Any, torsion: float) -> Any:
    """Stiffness and inertia as in Panhead: strains Γ, then curvatures."""
    area, iy, iz = HEIGHT * WIDTH, HEIGHT * WIDTH**3 / 12, WIDTH * HEIGHT**3 / 12
    shear = YOUNG / (2 * (1 + NU))
    values = (YOUNG * area, 5 / 6 * shear * area, 5 / 6 * shear * area, shear * torsion, YOUNG * iy, YOUNG * iz)
    data = exu.BeamSection()
    data.stiffnessMatrix = [[v if i == k else 0.0 for k in range(6)] for i, v in enumerate(values)]
    data.massPerLength = DENSITY * area
    moments = (DENSITY * (iy + iz), DENSITY * iy, DENSITY * iz)
    data.inertia = [[v if i == k else 0.0 for k in range(3)] for i, v in enumerate(moments)]
    return data


def beam(exu: Any, item: Any, mbs: Any, n: int, element: str, torsion: float) -> int:
    """A clamped beam; the number of its last node."""
    data, le = section(exu, torsion), LENGTH / n
    if element == "exact":
        node = lambda x: item.NodeRigidBodyEP(referenceCoordinates=[x, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
        kind = item.ObjectBeamGeometricallyExact
    else:
        node = lambda x: item.NodePointSlope23(referenceCoordinates=[x, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0])
        kind = item.ObjectANCFBeam
    nodes = [mbs.AddNode(node(k * le)) for k in range(n + 1)]
    for k in range(n):
        mbs.AddObject(kind(nodeNumbers=[nodes[k], nodes[k + 1]], length=le, sectionData=data))
    fixed = mbs.AddMarker(item.MarkerNodeCoordinate(nodeNumber=mbs.AddNode(item.NodePointGround()), coordinate=0))
    # Euler parameters: the length of one is the node's own equation, so three of the four are held
    for c in (0, 1, 2, 4, 5, 6) if element == "exact" else range(9):
        held = mbs.AddMarker(item.MarkerNodeCoordinate(nodeNumber=nodes[0], coordinate=c))
        mbs.AddObject(item.ObjectConnectorCoordinate(markerNumbers=[fixed, held]))
    return int(nodes[-1])


def loaded(exu: Any, n: int, element: str, load: str, torsion: float) -> tuple[Any, int]:
    """The assembled system and the number of its last node."""
    from exudyn import itemInterface as item

    mbs = exu.SystemContainer().AddSystem()
    last = beam(exu, item, mbs, n, element, torsion)
    if load == "force":
        place = mbs.AddMarker(item.MarkerNodePosition(nodeNumber=last))
        mbs.AddLoad(item.LoadForceVector(markerNumber=place, loadVector=list(FORCE)))
    else:
        place = mbs.AddMarker(item.MarkerNodeRigid(nodeNumber=last))
        mbs.AddLoad(item.LoadTorqueVector(markerNumber=place, loadVector=list(TORQUE)))
    mbs.Assemble()
    return mbs, last


def solved(mbs: Any, settings: Any) -> float:
    """Processor time of a static solution from the shape at rest [s]; infinite if it fails."""
    from exudyn import SolverError

    begin = time.process_time()
    try:
        mbs.SolveStatic(settings, autoAssemble=False)
    except (SolverError, ValueError):
        return float("inf")
    return time.process_time() - begin


def run(
    n: int, element: str, load: str, torsion: float, repeats: int, dt: float = 0.0, steps: int = 0
) -> dict[str, Any]:
    """One problem in this process, warmed up."""
    exu = child.exudyn()
    mbs, last = loaded(exu, n, element, load, torsion)
    settings = child.quiet_settings(exu, sparse=True)
    if dt > 0:
        march = child.fixed_steps(settings, dt=dt, steps=steps, rtol=1e-6, atol=1e-8, rho=0.9)
        march.newton.useModifiedNewton = True
        once, chosen = lambda: child.timed(mbs, settings, steps)["cpu_ms_per_step"] * steps * 1e-3, steps
    else:
        static = settings.staticSolver
        # ANCF stops short of its own solution at 1e-6, and 32 elements do not reach 1e-8
        static.newton.relativeTolerance = 1e-6 if element == "exact" else 1e-7
        static.newton.absoluteTolerance = 1e-10
        static.verboseMode = 0
        once, chosen = lambda: solved(mbs, settings), quickest(mbs, settings)
        static.numberOfLoadSteps = chosen
    seconds = [once() for _ in range(repeats + 1)][1:]
    tip = mbs.GetNodeOutput(last, exu.OutputVariableType.Displacement)
    return {"tip": [float(x) for x in tip], "seconds": seconds, "steps": chosen}


def quickest(mbs: Any, settings: Any) -> int:
    """Number of load steps with the shortest solution time."""
    taken = {}
    for count in LOAD_STEPS:
        settings.staticSolver.numberOfLoadSteps = count
        taken[count] = min(solved(mbs, settings) for _ in range(2))
        if taken[count] > 3 * min(taken.values()) < float("inf"):
            break
    return min(taken, key=lambda count: taken[count])


if __name__ == "__main__":
    child.answer(run)
