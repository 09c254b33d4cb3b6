"""Cables and rods in Exudyn: its planar ANCF element, the same cubics, strain and curvature."""

from itertools import pairwise
from typing import Any

import exudyn as exu
import numpy as np
from exudyn import itemInterface as item

from . import exudyn_tools as tool
from .multibody_models import SLIDING_PLANAR, SlidingMass


def wire(
    mbs: Any, nodes: np.ndarray, *, le: float, line_mass: float, EA: float, EI: float, pre: float
) -> tuple[list[int], list[int]]:
    """Nodes (n + 1, 4) of a straight wire and the elements between them."""
    numbers = [mbs.AddNode(item.NodePoint2DSlope1(referenceCoordinates=list(n))) for n in nodes]
    elements = [
        mbs.AddObject(
            item.ObjectANCFCable2D(
                length=le,
                massPerLength=line_mass,
                bendingStiffness=EI,
                axialStiffness=EA,
                referenceAxialStrain=-pre,
                nodeNumbers=[a, b],
            )
        )
        for a, b in pairwise(numbers)
    ]
    return numbers, elements


def weigh(mbs: Any, elements: list[int], gravity: float) -> None:
    for element in elements:
        mark = mbs.AddMarker(item.MarkerBodyMass(bodyNumber=element))
        mbs.AddLoad(item.LoadMassProportional(markerNumber=mark, loadVector=[0.0, -gravity, 0.0]))


def solve_statics(mbs: Any) -> None:
    settings = tool.settings_for(sparse=False)
    settings.staticSolver.numberOfLoadSteps = 1
    settings.staticSolver.useLoadFactor = False
    settings.staticSolver.discontinuous.maxIterations = 5
    settings.staticSolver.newton.relativeTolerance = 1e-10
    settings.staticSolver.newton.absoluteTolerance = 1e-8
    settings.staticSolver.verboseMode = 0
    mbs.SolveStatic(settings, updateInitialValues=True, autoAssemble=False)


def sliding_mass(dt: float, p: SlidingMass = SLIDING_PLANAR) -> tool.Histories:
    """Mass position, S and the middle node of the planar case, on Exudyn's sliding joint.

    The joint is of first order in dt. Its `classical` formulation is not used: in a static test
    the nodes felt (N + z N') R instead of N R, z the place in the element, 2e-5 m in the sag.
    """
    mbs, le = tool.new_system(), p.length / p.elements
    zero = tool.ground_coordinate(mbs)
    places = [[i * le, 0.0, 1.0, 0.0] for i in range(p.elements + 1)]
    nodes, elements = wire(
        mbs, np.array(places), le=le, line_mass=p.line_mass, EA=p.EA, EI=p.EI, pre=p.tension / p.EA
    )
    weigh(mbs, elements, p.gravity)
    for node in (nodes[0], nodes[-1]):
        tool.hold(mbs, zero, node, 0)
        tool.hold(mbs, zero, node, 1)
    ball = mbs.AddNode(item.NodePoint2D(referenceCoordinates=[p.start, 0.0]))
    body = mbs.AddObject(item.ObjectMassPoint2D(mass=p.mass, nodeNumber=ball))
    at = mbs.AddMarker(item.MarkerBodyPosition(bodyNumber=body))
    mbs.AddLoad(item.LoadForceVector(markerNumber=at, loadVector=[0.0, -p.mass * p.gravity, 0.0]))
    held = tool.hold(mbs, zero, ball, 0)
    cables = [mbs.AddMarker(item.MarkerBodyCable2DCoordinates(bodyNumber=e)) for e in elements]
    first = int(p.start / le)
    data = item.NodeGenericData(initialCoordinates=[first, p.start], numberOfDataCoordinates=2)
    joint = mbs.AddObject(
        item.ObjectJointSliding2D(
            markerNumbers=[at, cables[first]],
            slidingMarkerNumbers=cables,
            slidingMarkerOffsets=[i * le for i in range(p.elements)],
            nodeNumber=mbs.AddNode(data),
            useClassicalFormulation=False,
        )
    )
    see = {
        "p": tool.watch_node(mbs, ball),
        "middle": tool.watch_node(mbs, nodes[p.elements // 2]),
        "S": mbs.AddSensor(
            item.SensorObject(
                objectNumber=joint,
                storeInternal=True,
                writeToFile=False,
                outputVariableType=exu.OutputVariableType.SlidingCoordinate,
            )
        ),
    }
    mbs.Assemble()
    solve_statics(mbs)
    mbs.SetObjectParameter(held, "activeConnector", False)
    start_speed(mbs, p, nodes, ball, joint)
    tool.march(mbs, dt=dt, duration=p.times[-1], atol=1e-10)
    found = {name: tool.at_times(mbs, sensor, p.times) for name, sensor in see.items()}
    return {"p": found["p"][:, :2], "middle": found["middle"][:, :2], "S": found["S"][:, 0]}


def start_speed(mbs: Any, p: SlidingMass, nodes: list[int], ball: int, joint: int) -> None:
    """The mass leaves along the cable's tangent at S."""
    S = float(np.ravel(mbs.GetObjectOutput(joint, exu.OutputVariableType.SlidingCoordinate))[0])
    le = p.length / p.elements
    e = int(S / le)
    z = S / le - e
    first = [
        (6 * z**2 - 6 * z) / le,
        1 - 4 * z + 3 * z**2,
        (6 * z - 6 * z**2) / le,
        3 * z**2 - 2 * z,
    ]
    initial = exu.ConfigurationType.Initial
    reference = exu.ConfigurationType.Reference
    q = np.array(mbs.systemData.GetODE2Coordinates(configuration=initial))
    q = q + np.array(mbs.systemData.GetODE2Coordinates(configuration=reference))
    at = mbs.GetNodeODE2Index(nodes[e])
    tangent = first @ q[at : at + 8].reshape(4, 2)
    v = np.zeros_like(q)
    at = mbs.GetNodeODE2Index(ball)
    v[at : at + 2] = p.speed * tangent / np.linalg.norm(tangent)
    mbs.systemData.SetODE2Coordinates_t(v, configuration=initial)
