"""Cables and rods in Exudyn: its planar ANCF element, the same cubics, strain and curvature."""

from itertools import pairwise
from typing import Any

import exudyn as exu
import numpy as np
from exudyn import itemInterface as item

from . import exudyn_tools as tool
from .multibody_models import SLIDING_PLANAR, Cantilever, FlexiblePendulum, SliderCrank, SlidingMass


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
    nodes, elements = wire(mbs, np.array(places), le=le, line_mass=p.line_mass, EA=p.EA, EI=p.EI, pre=p.tension / p.EA)
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
    first = [(6 * z**2 - 6 * z) / le, 1 - 4 * z + 3 * z**2, (6 * z - 6 * z**2) / le, 3 * z**2 - 2 * z]
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


def cantilever_tip(p: Cantilever, elements: int) -> np.ndarray:
    """Tip displacement [m] of the clamped bar."""
    mbs, le = tool.new_system(), p.length / elements
    zero = tool.ground_coordinate(mbs)
    places = np.array([[i * le, 0.0, 1.0, 0.0] for i in range(elements + 1)])
    nodes, _ = wire(mbs, places, le=le, line_mass=1.0, EA=p.EA, EI=p.EI, pre=0.0)
    for coordinate in (0, 1, 3):
        tool.hold(mbs, zero, nodes[0], coordinate)
    tip = mbs.AddMarker(item.MarkerNodePosition(nodeNumber=nodes[-1]))
    mbs.AddLoad(item.LoadForceVector(markerNumber=tip, loadVector=[0.0, -p.force, 0.0]))
    mbs.Assemble()
    settings = tool.settings_for(sparse=True)
    settings.staticSolver.numberOfLoadSteps = 10
    settings.staticSolver.newton.relativeTolerance = 1e-8
    settings.staticSolver.newton.absoluteTolerance = 1e-3
    settings.staticSolver.verboseMode = 0
    mbs.SolveStatic(settings, autoAssemble=False)
    return mbs.GetNodeOutput(nodes[-1], tool.KIND.Displacement)[:2]


def pendulum(dt: float, p: FlexiblePendulum) -> tool.Histories:
    """Tip and middle node (nt, 2) [m] of the falling rod."""
    mbs, le = tool.new_system(), p.length / p.elements
    zero = tool.ground_coordinate(mbs)
    places = np.array([[i * le, 0.0, 1.0, 0.0] for i in range(p.elements + 1)])
    nodes, elements = wire(mbs, places, le=le, line_mass=p.line_mass, EA=p.EA, EI=p.EI, pre=0.0)
    weigh(mbs, elements, p.gravity)
    tool.hold(mbs, zero, nodes[0], 0)
    tool.hold(mbs, zero, nodes[0], 1)
    see = {"tip": tool.watch_node(mbs, nodes[-1]), "middle": tool.watch_node(mbs, nodes[p.elements // 2])}
    mbs.Assemble()
    tool.march(mbs, dt=dt, duration=p.times[-1], rho=1.0, rtol=1e-9, atol=1e-10)
    return {name: tool.at_times(mbs, sensor, p.times)[:, :2] for name, sensor in see.items()}


def slider_crank(dt: float, p: SliderCrank) -> tool.Histories:
    """Crank angle [rad], block [m] and the rod's middle node (nt, 2) [m]."""
    mbs, le = tool.new_system(), p.rod / p.elements
    zero = tool.ground_coordinate(mbs)
    turn = lambda a: np.array([-a[1], a[0]])
    out = np.array([np.cos(p.angle), np.sin(p.angle)])
    tip, tip_dot = p.crank * out, p.crank * p.speed * turn(out)
    beta = -np.arcsin(tip[1] / p.rod)
    along = np.array([np.cos(beta), np.sin(beta)])
    beta_dot = -tip_dot[1] / (p.rod * along[0])
    places = [[*(tip + i * le * along), *along] for i in range(p.elements + 1)]
    nodes, elements = wire(mbs, np.array(places), le=le, line_mass=p.line_mass, EA=p.EA, EI=p.EI, pre=0.0)
    for i, node in enumerate(nodes):
        rate = [*(tip_dot + i * le * beta_dot * turn(along)), *(beta_dot * turn(along))]
        mbs.SetNodeParameter(node, "initialVelocities", rate)
    weigh(mbs, elements, p.gravity)
    centre = mbs.AddNode(
        item.NodeRigidBody2D(referenceCoordinates=[*(tip / 2), p.angle], initialVelocities=[*(tip_dot / 2), p.speed])
    )
    inertia = p.crank_mass * p.crank**2 / 12
    crank = mbs.AddObject(item.ObjectRigidBody2D(mass=p.crank_mass, inertia=inertia, nodeNumber=centre))
    middle = mbs.AddMarker(item.MarkerBodyPosition(bodyNumber=crank))
    weight = [0.0, -p.crank_mass * p.gravity, 0.0]
    mbs.AddLoad(item.LoadForceVector(markerNumber=middle, loadVector=weight))
    ends = [
        mbs.AddMarker(item.MarkerBodyPosition(bodyNumber=crank, localPosition=[x, 0.0, 0.0]))
        for x in (-p.crank / 2, p.crank / 2)
    ]
    ground = mbs.AddMarker(item.MarkerBodyPosition(bodyNumber=mbs.AddObject(item.ObjectGround())))
    rod = [mbs.AddMarker(item.MarkerNodePosition(nodeNumber=nodes[i])) for i in (0, -1)]
    far = places[-1]
    slider = mbs.AddNode(
        item.NodePoint2D(
            referenceCoordinates=far[:2], initialVelocities=[float(tip_dot[0] + p.rod * beta_dot * turn(along)[0]), 0.0]
        )
    )
    block = mbs.AddObject(item.ObjectMassPoint2D(mass=p.block, nodeNumber=slider))
    on_block = mbs.AddMarker(item.MarkerBodyPosition(bodyNumber=block))
    for pair in ([ground, ends[0]], [ends[1], rod[0]], [rod[1], on_block]):
        mbs.AddObject(item.ObjectJointRevolute2D(markerNumbers=pair))
    tool.hold(mbs, zero, slider, 1)
    see = {
        "angle": tool.watch_node(mbs, centre, tool.KIND.Coordinates),
        "block": tool.watch_node(mbs, slider),
        "middle": tool.watch_node(mbs, nodes[p.elements // 2]),
    }
    mbs.Assemble()
    tool.march(mbs, dt=dt, duration=p.times[-1], rho=1.0, rtol=1e-9, atol=1e-9)
    found = {name: tool.at_times(mbs, sensor, p.times) for name, sensor in see.items()}
    return {"angle": found["angle"][:, 2] + p.angle, "block": found["block"][:, 0], "middle": found["middle"][:, :2]}
