"""N four-bars in a row (IFToMM A02) in Exudyn: planar bodies in absolute coordinates, index 3.

Five hundred unknowns for N = 40. Of the settings tried, the sparse solver with a full Newton
iteration was the fastest at this size; modified Newton needs six iterations where this needs two.
"""

from math import pi
from typing import Any

from peers import exudyn_child as child

GRAVITY = 9.81


def time_per_step(
    n: int = 40, *, dt: float = 1e-3, duration: float = 10.0, rtol: float = 1e-8, atol: float = 1e-10, rho: float = 0.9
) -> dict[str, Any]:
    """Milliseconds a step, Newton iterations a step and B₀ at the end [m]."""
    arguments = {"n": n, "dt": dt, "duration": duration, "rtol": rtol, "atol": atol, "rho": rho}
    return child.run_alone("peers.exudyn_four_bars", arguments)


def mechanism(exu: Any, n: int) -> tuple[Any, int]:
    """The assembled system, and the node of the first rod: its centre is halfway to B₀."""
    from exudyn import itemInterface as item

    mbs = exu.SystemContainer().AddSystem()
    ground = mbs.AddObject(item.ObjectGround())

    def bar(x: float, y: float, angle: float, v: list[float]) -> tuple[int, int, int]:
        node = mbs.AddNode(item.NodeRigidBody2D(referenceCoordinates=[x, y, angle], initialVelocities=v))
        body = mbs.AddObject(item.ObjectRigidBody2D(mass=1.0, inertia=1 / 12, nodeNumber=node))
        height = mbs.AddMarker(item.MarkerNodeCoordinate(nodeNumber=node, coordinate=1))
        mbs.AddLoad(item.LoadCoordinate(markerNumber=height, load=-GRAVITY))
        ends = [mbs.AddMarker(item.MarkerBodyPosition(bodyNumber=body, localPosition=[s, 0, 0])) for s in (-0.5, 0.5)]
        return node, ends[0], ends[1]

    def hinge(a: int, b: int) -> None:
        mbs.AddObject(item.ObjectJointRevolute2D(markerNumbers=[a, b]))

    rods = [bar(i, 0.5, pi / 2, [0.5, 0.0, -1.0]) for i in range(n + 1)]
    couplers = [bar(i + 0.5, 1.0, 0.0, [1.0, 0.0, 0.0]) for i in range(n)]
    for i, (_, foot, _) in enumerate(rods):
        at = item.MarkerBodyPosition(bodyNumber=ground, localPosition=[i, 0, 0])
        hinge(mbs.AddMarker(at), foot)
    for i, (_, left, right) in enumerate(couplers):
        hinge(rods[i][2], left)
        hinge(right, rods[i + 1][2])
    mbs.Assemble()
    return mbs, rods[0][0]


def run(n: int, dt: float, duration: float, rtol: float, atol: float, rho: float) -> dict[str, Any]:
    """One run in this process."""
    exu = child.exudyn()
    mbs, first = mechanism(exu, n)
    steps = round(duration / dt)
    settings = child.quiet_settings(exu, sparse=True)
    march = child.fixed_steps(settings, dt=dt, steps=steps, rtol=rtol, atol=atol, rho=rho)
    march.newton.useModifiedNewton = False
    figures = child.timed(mbs, settings, steps)
    kind = exu.OutputVariableType
    position = [2.0 * float(x) for x in mbs.GetNodeOutput(first, kind.Position)[:2]]
    velocity = [2.0 * float(x) for x in mbs.GetNodeOutput(first, kind.Velocity)[:2]]
    return figures | {"B0": position, "B0_dot": velocity, "exudyn": exu.GetVersionString()}


if __name__ == "__main__":
    child.answer(run)
