"""A planar ANCF catenary with a moving two-mass pantograph in Exudyn.

Two wires of 144 mm² copper over spans of 56.25 m with eight droppers each, the contact wire
levelled and both tensions trimmed before the run (not timed); 200 km/h. The head slides on the
contact wire with a joint (``sliding``) or is pressed on it by a spring of 50 kN/m (``penalty``).

The joint is used in its `classical` formulation, the one that was quickest; it is of first order
in the step, and in a static test its nodal forces were (N + z N') R instead of N R, z the place in
the element, which moves the wire by some 1e-5 m. ``local`` is its other formulation.
"""

from dataclasses import dataclass
from functools import cached_property
from math import pi
from typing import Any

import numpy as np

from peers import exudyn_child as child

SPAN, DROPPERS, ENCUMBRANCE = 56.25, 8, 1.2  # m, a span, m
AREA, DENSITY, YOUNG, GRAVITY = 144e-6, 8960.0, 1.2e11, 9.81
EA, EI, LINE_MASS = YOUNG * AREA, YOUNG * AREA**2 / (4 * pi), DENSITY * AREA
TENSION = {"contact": 20e3, "messenger": 14e3}  # N
DROPPER_STIFFNESS, DROPPER_DAMPING = 2e5, 1e4  # N/m, N·s/m
HEAD, FRAME, SHOE = 9.5, 15.0, 1e-2  # kg; the shoe is the light point that slides under a spring
SUSPENSION, SUSPENSION_DAMPING, FRAME_DAMPING = 7200.0, 26.0, 90.0
CONTACT_STIFFNESS, UPLIFT = 5e4, 110.0  # N/m, N
SPEED, START_SPANS = 200 / 3.6, 1.51
TRIMS = 15  # rounds of levelling and tensioning


def time_per_step(
    n: int = 9,
    *,
    contact: str = "sliding",
    spans: int = 20,
    dt: float = 1e-3,
    duration: float = 10.0,
    rtol: float | None = None,
    rho: float = 0.5,
    held_at_masts: bool = True,
) -> dict[str, Any]:
    """Milliseconds a step for n elements a span, Newton iterations, and the contact force [N].

    ``force``: mean, standard deviation, smallest and largest from 3 s to 9 s, unfiltered, and the
    deviation below 20 Hz. ``contact``: "sliding", "local" or "penalty". Without ``rtol``, 1e-6 for
    the joint and 1e-4 for the spring.
    """
    if n % (DROPPERS + 1):
        raise ValueError(f"{n} elements a span: take a multiple of {DROPPERS + 1}")
    arguments = {
        "n": n,
        "contact": contact,
        "spans": spans,
        "dt": dt,
        "duration": duration,
        "rtol": rtol or (1e-4 if contact == "penalty" else 1e-6),
        "rho": rho,
        "held_at_masts": held_at_masts,
    }
    return child.run_alone("peers.exudyn_catenary", arguments)


def messenger(x: np.ndarray) -> np.ndarray:
    """Height over one span: a string under its weight and the droppers' pulls [m]."""
    spacing = SPAN / (DROPPERS + 1)
    at, load = spacing * np.arange(1, DROPPERS + 1), LINE_MASS * GRAVITY
    pull = load * spacing
    support = load * SPAN / 2 + (pull * (SPAN - at) / SPAN).sum()
    moment = support * x - load * x**2 / 2
    moment -= (pull * np.clip(x[:, None] - at, 0.0, None)).sum(axis=1)
    return ENCUMBRANCE - moment / TENSION["messenger"]


def messenger_slope(x: np.ndarray, total: float) -> np.ndarray:
    """Mean of the slopes on both sides: droppers and masts are kinks."""
    near = 1e-6
    left, right = (x - near) % SPAN, (x + near) % SPAN
    inner = (messenger(right) - messenger(left)) / (2 * near)
    at_mast = (x % SPAN < 1e-9) | (SPAN - x % SPAN < 1e-9)
    slope = np.where(at_mast, 0.0, inner)
    end = (messenger(np.array([near])) - messenger(np.array([0.0]))) / near
    slope[0], slope[-1] = end[0], -end[0]
    return slope


@dataclass
class Line:
    """The model under construction; numbers of its parts by wire."""

    exu: Any
    n: int
    spans: int
    held_at_masts: bool

    def __post_init__(self) -> None:
        from exudyn import itemInterface

        self.item = itemInterface
        self.mbs = self.exu.SystemContainer().AddSystem()
        self.le, self.count = SPAN / self.n, self.n * self.spans
        self.x = np.arange(self.count + 1) * self.le
        level, flat = np.zeros(self.count + 1), np.zeros(self.count + 1)
        one = messenger(self.x[: self.n])
        high = np.append(np.tile(one, self.spans), messenger(np.array([SPAN])))
        slope = messenger_slope(self.x, SPAN * self.spans)
        self.nodes, self.elements = {}, {}
        for wire, y, dy in (("contact", level, flat), ("messenger", high, slope)):
            self.string(wire, y, dy)
        self.droppers = self.hang(high)

    @cached_property
    def zero(self) -> int:
        ground = self.mbs.AddNode(self.item.NodePointGround())
        return self.coordinate(ground, 0)

    def coordinate(self, node: int, k: int) -> int:
        return self.mbs.AddMarker(self.item.MarkerNodeCoordinate(nodeNumber=node, coordinate=k))

    def tie(self, a: int, b: int, **options: Any) -> int:
        return self.mbs.AddObject(self.item.ObjectConnectorCoordinate(markerNumbers=[a, b], **options))

    def spring(self, a: int, b: int, stiffness: float, damping: float) -> int:
        return self.mbs.AddObject(
            self.item.ObjectConnectorCoordinateSpringDamper(markerNumbers=[a, b], stiffness=stiffness, damping=damping)
        )

    def string(self, wire: str, y: np.ndarray, slope: np.ndarray) -> None:
        """Nodes, elements, weight and supports of one wire."""
        item, mbs = self.item, self.mbs
        size = np.hypot(1.0, slope)
        places = np.column_stack([self.x, y, 1 / size, slope / size])
        nodes = [mbs.AddNode(item.NodePoint2DSlope1(referenceCoordinates=list(p))) for p in places]
        lengths = np.hypot(np.diff(self.x), np.diff(y))
        elements = []
        for i, length in enumerate(lengths):
            element = item.ObjectANCFCable2D(
                length=length,
                massPerLength=LINE_MASS,
                bendingStiffness=EI,
                axialStiffness=EA,
                referenceAxialStrain=-TENSION[wire] / EA,
                strainIsRelativeToReference=1.0,
                nodeNumbers=[nodes[i], nodes[i + 1]],
            )
            elements.append(mbs.AddObject(element))
            mark = mbs.AddMarker(item.MarkerBodyMass(bodyNumber=elements[-1]))
            down = [0.0, -GRAVITY, 0.0]
            mbs.AddLoad(item.LoadMassProportional(markerNumber=mark, loadVector=down))
        for i in (0, self.count):
            self.tie(self.zero, self.coordinate(nodes[i], 0))
        for s in range(self.spans + 1):
            if wire == "messenger" or self.held_at_masts or s in (0, self.spans):
                self.tie(self.zero, self.coordinate(nodes[s * self.n], 1))
        self.nodes[wire], self.elements[wire] = nodes, elements

    def hang(self, high: np.ndarray) -> list[tuple[int, int, float]]:
        """Droppers (place in the span, object, length without load), loaded with their wire."""
        item, mbs, every = self.item, self.mbs, self.n // (DROPPERS + 1)
        stretch = LINE_MASS * GRAVITY * SPAN / (DROPPERS + 1) / DROPPER_STIFFNESS
        droppers = []
        for i in range(self.count):
            j = i % self.n
            if j == 0 or j % every:
                continue
            ends = [
                mbs.AddMarker(item.MarkerNodePosition(nodeNumber=self.nodes[wire][i]))
                for wire in ("contact", "messenger")
            ]
            length = high[i] - stretch
            dropper = item.ObjectConnectorSpringDamper(
                markerNumbers=ends, referenceLength=length, stiffness=DROPPER_STIFFNESS, damping=DROPPER_DAMPING
            )
            droppers.append((j, mbs.AddObject(dropper), length))
        return droppers

    def heights(self) -> np.ndarray:
        kind = self.exu.OutputVariableType.Position
        return np.array([self.mbs.GetNodeOutput(k, kind)[1] for k in self.nodes["contact"]])

    def tension(self, wire: str) -> float:
        kind = self.exu.OutputVariableType.ForceLocal
        middle = [[0.5 * self.mbs.GetObjectParameter(e, "length"), 0.0, 0.0] for e in self.elements[wire]]
        return float(
            np.mean(
                [
                    np.atleast_1d(self.mbs.GetObjectOutputBody(e, kind, at))[0]
                    for e, at in zip(self.elements[wire], middle, strict=True)
                ]
            )
        )

    def trim(self, settings: Any) -> None:
        """Dropper lengths that level the wire of a middle span, strains that give the tensions."""
        first = (self.spans // 2) * self.n
        shorter = dict.fromkeys(range(self.n), 0.0)
        strain = {wire: -pull / EA for wire, pull in TENSION.items()}
        for _ in range(TRIMS):
            self.mbs.SolveStatic(settings, updateInitialValues=False, autoAssemble=False)
            height = self.heights()[first : first + self.n]
            for j, dropper, length in self.droppers:
                self.mbs.SetObjectParameter(dropper, "referenceLength", length + shorter[j] + height[j])
            shorter = {j: shorter[j] + height[j] for j in shorter}
            for wire, pull in TENSION.items():
                strain[wire] -= (pull - self.tension(wire)) / EA
                for e in self.elements[wire]:
                    self.mbs.SetObjectParameter(e, "referenceAxialStrain", strain[wire])


@dataclass
class Pantograph:
    """Head and frame under the line, and the parts switched between statics and the run."""

    load: int
    held: int
    driven: int
    points: tuple[int, ...]  # nodes that travel
    sensor: int


def sliding_point(line: Line, x0: float, mass: float) -> tuple[int, int]:
    node = line.mbs.AddNode(line.item.NodePoint2D(referenceCoordinates=[x0, 0.0], initialVelocities=[SPEED, 0.0]))
    return node, line.mbs.AddObject(line.item.ObjectMassPoint2D(mass=mass, nodeNumber=node))


def slide(line: Line, body: int, x0: float, *, classical: bool) -> int:
    """A sliding joint of a point mass on the whole contact wire."""
    item, mbs = line.item, line.mbs
    wires = [mbs.AddMarker(item.MarkerBodyCable2DCoordinates(bodyNumber=e)) for e in line.elements["contact"]]
    first = min(int(x0 / line.le), line.count - 1)
    data = item.NodeGenericData(initialCoordinates=[first, x0], numberOfDataCoordinates=2)
    joint = item.ObjectJointSliding2D(
        markerNumbers=[mbs.AddMarker(item.MarkerBodyPosition(bodyNumber=body)), wires[first]],
        slidingMarkerNumbers=wires,
        slidingMarkerOffsets=list(line.x[:-1]),
        nodeNumber=mbs.AddNode(data),
        useClassicalFormulation=classical,
    )
    return mbs.AddObject(joint)


def add_pantograph(line: Line, contact: str) -> Pantograph:
    item, mbs = line.item, line.mbs
    x0 = START_SPANS * SPAN
    head, head_body = sliding_point(line, x0, HEAD)
    frame = mbs.AddNode(item.Node1D(referenceCoordinates=[0.0]))
    mbs.AddObject(item.ObjectMass1D(mass=FRAME, nodeNumber=frame))
    along, up = line.coordinate(head, 0), line.coordinate(head, 1)
    frame_up = line.coordinate(frame, 0)
    line.spring(frame_up, up, SUSPENSION, SUSPENSION_DAMPING)
    line.spring(line.zero, frame_up, 0.0, FRAME_DAMPING)
    load = mbs.AddLoad(item.LoadCoordinate(markerNumber=frame_up, load=UPLIFT))
    held = line.tie(line.zero, along)
    driven = line.tie(line.zero, along, velocityLevel=True, offset=SPEED, activeConnector=False)
    points: tuple[int, ...] = (head,)
    if contact == "penalty":
        shoe, shoe_body = sliding_point(line, x0, SHOE)
        line.tie(along, line.coordinate(shoe, 0))
        source = line.spring(up, line.coordinate(shoe, 1), CONTACT_STIFFNESS, 0.0)
        slide(line, shoe_body, x0, classical=True)
        points = (head, shoe)
    else:
        source = slide(line, head_body, x0, classical=contact == "sliding")
    sensor = item.SensorObject(
        objectNumber=source, storeInternal=True, writeToFile=False, outputVariableType=line.exu.OutputVariableType.Force
    )
    return Pantograph(load, held, driven, points, mbs.AddSensor(sensor))


def static_settings(exu: Any) -> Any:
    settings = child.quiet_settings(exu, sparse=True)
    solver = settings.staticSolver
    solver.numberOfLoadSteps = 1
    solver.newton.relativeTolerance, solver.newton.absoluteTolerance = 1e-8, 1e-6
    solver.verboseMode = 0
    solver.useLoadFactor = solver.computeLoadsJacobian = False
    solver.discontinuous.maxIterations = 3
    return settings


def set_off(line: Line, pantograph: Pantograph) -> None:
    """Initial velocities: static equilibrium under the uplift force, pantograph at running speed, wires at rest."""
    mbs, initial = line.mbs, line.exu.ConfigurationType.Initial
    mbs.SetObjectParameter(pantograph.held, "activeConnector", False)
    mbs.SetObjectParameter(pantograph.driven, "activeConnector", True)
    v = np.zeros(len(mbs.systemData.GetODE2Coordinates_t(configuration=initial)))
    for node in pantograph.points:
        v[mbs.GetNodeODE2Index(node)] = SPEED
    mbs.systemData.SetODE2Coordinates_t(v, configuration=initial)


def run_settings(exu: Any, dt: float, steps: int, rtol: float, rho: float) -> Any:
    settings = child.quiet_settings(exu, sparse=True)
    settings.solution.sensors.active = True
    settings.solution.sensors.writePeriod = dt
    march = child.fixed_steps(settings, dt=dt, steps=steps, rtol=rtol, atol=1e-6, rho=rho)
    march.newton.useModifiedNewton = True
    march.newton.modifiedNewtonContractivity = 0.5
    march.newton.maxModifiedNewtonIterations = 8
    march.discontinuous.maxIterations = 3
    march.discontinuous.iterationTolerance = 1e-3
    march.reuseConstantMassMatrix = True
    march.computeLoadsJacobian = False
    march.generalizedAlpha.computeInitialAccelerations = False
    return settings


def force_figures(t: np.ndarray, force: np.ndarray, dt: float) -> dict[str, float]:
    """Statistics from 3 s to 9 s (or of the whole run if it is shorter)."""
    inside = (t >= 3.0) & (t <= 9.0) if t[-1] > 3.5 else t >= 0.0
    spectrum = np.fft.rfft(force)
    spectrum[np.fft.rfftfreq(force.size, dt) > 20.0] = 0.0
    slow = np.fft.irfft(spectrum, force.size)[inside]
    f = force[inside]
    return {
        "mean": float(f.mean()),
        "deviation": float(f.std()),
        "min": float(f.min()),
        "max": float(f.max()),
        "deviation_20Hz": float(slow.std()),
    }


def run(n: int, contact: str, spans: int, dt: float, duration: float, rtol: float, rho: float,
        held_at_masts: bool) -> dict[str, Any]:  # fmt: skip
    """One run in this process."""
    exu = child.exudyn()
    line = Line(exu, n, spans, held_at_masts)
    pantograph = add_pantograph(line, contact)
    line.mbs.Assemble()
    statics = static_settings(exu)
    line.mbs.SetLoadParameter(pantograph.load, "load", 0.0)
    line.trim(statics)
    line.mbs.SetLoadParameter(pantograph.load, "load", UPLIFT)
    line.mbs.SolveStatic(statics, updateInitialValues=True, autoAssemble=False)
    set_off(line, pantograph)
    steps = round(duration / dt)
    figures = child.timed(line.mbs, run_settings(exu, dt, steps, rtol, rho), steps)
    data = np.asarray(line.mbs.GetSensorStoredData(pantograph.sensor))
    force = data[:, 2] if data.shape[1] > 2 else data[:, 1]
    return figures | {
        "force": force_figures(data[:, 0], np.sign(force.mean()) * force, dt),
        "tension_contact": line.tension("contact"),
        "exudyn": exu.GetVersionString(),
    }


if __name__ == "__main__":
    child.answer(run)
