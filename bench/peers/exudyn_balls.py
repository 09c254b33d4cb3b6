"""A pit of balls in Exudyn: its general contact of spheres with triangles, explicit steps on one thread.

Contact is a spring with a damper and regularised friction, so the balls overlap by what the spring gives. The step is
one that the stiffness allows, not that of the other codes.
"""

import time
from typing import Any

import numpy as np

from peers import exudyn_child as child

STIFFNESS, DAMPING = 1e5, 100.0  # N/m, N·s/m of two touching balls in series


def pit(places: list[list[float]], *, radius: float, half_width: float, duration: float, keep: float) -> dict[str, Any]:
    """Centres (n, balls, 3) every ``keep`` seconds [m], processor time [s], and the step [s]."""
    arguments = {
        "places": places, "radius": radius, "half_width": half_width, "duration": duration, "keep": keep,
    }  # fmt: skip
    return child.run_alone("peers.exudyn_balls", arguments)


def _room(contact: Any, marker: int, half: float) -> None:
    """Floor and four walls as static triangles whose normals point inside."""
    a, high = half, 3.0
    corners = [(-a, -a, 0), (a, -a, 0), (a, a, 0), (-a, a, 0)]
    points = [*corners, *((x, y, high) for x, y, _ in corners)]
    triangles = [(0, 1, 2), (0, 2, 3)]
    for i in range(4):
        j = (i + 1) % 4
        triangles += [(j, i, i + 4), (j, i + 4, j + 4)]
    contact.AddTrianglesRigidBodyBased(
        rigidBodyMarkerIndex=marker, contactStiffness=STIFFNESS, contactDamping=DAMPING, frictionMaterialIndex=0,
        pointList=[list(map(float, p)) for p in points], triangleList=[list(t) for t in triangles],
        staticTriangles=True,
    )  # fmt: skip


def run(places: list[list[float]], radius: float, half_width: float, duration: float, keep: float) -> dict[str, Any]:
    """One run in this process."""
    exu = child.exudyn()
    from exudyn import itemInterface as item
    from exudyn.utilities import InertiaSphere

    mbs = exu.SystemContainer().AddSystem()
    ground = mbs.AddObject(item.ObjectGround())
    contact = mbs.AddGeneralContact()
    contact.SetFrictionPairings(np.array([[0.5]]))
    contact.SetFrictionProportionalZone(1e-3)
    contact.SetSearchTreeCellSize([8, 8, 16])
    _room(contact, mbs.AddMarker(item.MarkerBodyRigid(bodyNumber=ground)), half_width)
    mass = 1000.0 * 4 / 3 * np.pi * radius**3
    bodies = []
    for place in places:
        body = mbs.CreateRigidBody(
            referencePosition=place, inertia=InertiaSphere(mass, radius), gravity=[0, 0, -9.81],
            nodeType=exu.NodeType.RotationRotationVector,
        )  # fmt: skip
        marker = mbs.AddMarker(item.MarkerBodyRigid(bodyNumber=body))
        contact.AddSphereWithMarker(marker, radius, STIFFNESS, DAMPING, 0)
        bodies.append(body)
    mbs.Assemble()
    dt, centres = 1e-4, [np.array(places)]
    settings = child.quiet_settings(exu, sparse=True)
    march = settings.timeIntegration
    march.verboseMode = 0
    march.explicitIntegration.computeEndOfStepAccelerations = False
    cpu = 0.0
    for k in range(round(duration / keep)):
        march.startTime, march.endTime = k * keep, (k + 1) * keep
        march.numberOfSteps = round(keep / dt)
        begin = time.process_time()
        mbs.SolveDynamic(
            settings, solverType=exu.DynamicSolverType.ExplicitMidpoint, updateInitialValues=True, autoAssemble=False
        )
        cpu += time.process_time() - begin
        kind = exu.OutputVariableType.Position
        centres.append(np.array([mbs.GetObjectOutputBody(b, kind) for b in bodies]))
    return {"centres": np.array(centres).tolist(), "seconds": cpu, "dt": dt, "exudyn": exu.GetVersionString()}


if __name__ == "__main__":
    child.answer(run)
