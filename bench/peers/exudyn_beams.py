"""A thin strip with a dead force at its end in Exudyn: geometrically exact and fully parameterised ANCF beams.

Clamped, 0.508 m long, 12.7 × 3.2 mm, force at an angle to both axes [Dowell75].
"""

import time
from typing import Any

from peers import exudyn_child as child

LENGTH, HEIGHT, WIDTH, YOUNG, NU, DENSITY = 0.508, 12.7e-3, 3.2e-3, 7.17e10, 0.31, 2700.0
FORCE = (0.0, -4.8356, -12.4380)  # N, 13.345 N at 1.2 rad


def strip(n: int, *, element: str, torsion: float, rtol: float = 1e-8, atol: float = 1e-10) -> dict[str, Any]:
    """Tip's displacement [m] and processor time [s] of n elements, ``exact`` or ``ancf``."""
    arguments = {"n": n, "element": element, "torsion": torsion, "rtol": rtol, "atol": atol}
    return child.run_alone("peers.exudyn_beams", arguments)


def section(exu: Any, torsion: float) -> Any:
    """Stiffness and inertia as ours: strains Γ, then curvatures."""
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


def run(n: int, element: str, torsion: float, rtol: float, atol: float) -> dict[str, Any]:
    """One run in this process."""
    exu = child.exudyn()
    from exudyn import itemInterface as item

    mbs = exu.SystemContainer().AddSystem()
    last = beam(exu, item, mbs, n, element, torsion)
    tip_marker = mbs.AddMarker(item.MarkerNodePosition(nodeNumber=last))
    mbs.AddLoad(item.LoadForceVector(markerNumber=tip_marker, loadVector=list(FORCE)))
    mbs.Assemble()
    settings = child.quiet_settings(exu, sparse=n > 8)
    begin = time.process_time()
    settings.staticSolver.numberOfLoadSteps = 5
    settings.staticSolver.newton.relativeTolerance, settings.staticSolver.newton.absoluteTolerance = rtol, atol
    settings.staticSolver.verboseMode = 0
    mbs.SolveStatic(settings, autoAssemble=False)
    seconds = time.process_time() - begin
    tip = mbs.GetNodeOutput(last, exu.OutputVariableType.Displacement)
    return {"tip": [float(x) for x in tip], "seconds": seconds, "exudyn": exu.GetVersionString()}


if __name__ == "__main__":
    child.answer(run)
