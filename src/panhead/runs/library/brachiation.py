"""Two arms that swing along the beam of [Lipinski23] hand over hand: model, grips, torque of the elbow."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.optimize import minimize

from panhead.engine.bodies import PlanarBody
from panhead.engine.forces import Actuator
from panhead.engine.joints import Revolute
from panhead.engine.methods.events import Event, EventAction, NamedState
from panhead.engine.methods.integrators import GeneralizedAlpha
from panhead.engine.methods.motion_derivatives import SimulatedMotion
from panhead.engine.methods.trajectory import State
from panhead.engine.multibody import Model
from panhead.engine.multibody.multibody_system import MultibodySystem
from panhead.runs.library.pendulum_on_beam import beam_items, printed_beam

ARM, MASS, REACH, FIRST_HOLD = 0.8, 1.0, 1.0, 1.5  # [m], [kg], way from hold to hold, first hold [m]
SWING, STEP, ELEMENTS = 0.95, 0.01, 10  # time of a swing, step [s]; elements of the beam
BEAM = printed_beam(ELEMENTS, mass_damping=1.0)  # damping: assumed
METHOD = GeneralizedAlpha(spectral_radius=0.8)
GAIN = 10.0  # [N·m] per unit of the control


def arms() -> tuple[PlanarBody, PlanarBody]:
    """Rods that hang from two hands at the same height, the elbow below; the local y axis points to the hand."""
    inertia, lean = MASS * ARM**2 / 12, float(np.arcsin(REACH / 2 / ARM))
    down = ARM / 2 * np.cos(lean)
    rear, lead = (
        PlanarBody(name=name, mass=MASS, inertia=inertia, angle=side * lean,
                             position=(FIRST_HOLD - REACH / 2 + side * -REACH / 4, -down))
        for name, side in (("rear", 1.0), ("lead", -1.0))
    )  # fmt: skip
    return rear, lead


REAR, LEAD = arms()
ELBOW = Revolute(name="elbow", a=REAR.at((0.0, -ARM / 2)), b=LEAD.at((0.0, -ARM / 2)))
MOTOR = (
    Actuator(name="motor on lead", along="lead.angle", control="motor", gain=GAIN),
    Actuator(name="motor on rear", along="rear.angle", control="motor", gain=-GAIN),
)


def model(arm: PlanarBody, place: float) -> Model:
    """The beam, both arms and the grip of one hand."""
    items = (*beam_items(BEAM, "clamped"), REAR, LEAD, ELBOW, *MOTOR, grip(arm, place))
    return Model(name="brachiation", items=items, gravity=(0.0, -9.81, 0.0))


def grip(arm: PlanarBody, place: float) -> Revolute:
    """A hand that holds the beam there."""
    return Revolute(name=f"hand of {arm.name}", a=BEAM.at(place), b=arm.at((0.0, ARM / 2)))


def hand(arm: str, get: Callable[[str], float]) -> np.ndarray:
    """Position of the hand of an arm; ``get`` gives a coordinate by name."""
    angle = get(f"{arm}.angle")
    return np.array([get(f"{arm}.x") - ARM / 2 * np.sin(angle), get(f"{arm}.y") + ARM / 2 * np.cos(angle)])


def torques(system: MultibodySystem, start: State, arm: str, place: float, guess: np.ndarray) -> np.ndarray:
    """Control over one swing that brings the free hand slowly to its hold, 2 cm above a node of the beam."""
    x, y, angle = (system.place(f"{arm}.{c}") for c in ("x", "y", "angle"))
    node = system.place(f"beam.{round(place / BEAM.length * ELEMENTS)}w")
    steps, nq = len(guess) - 1, len(system.coordinates)

    def objective(u: np.ndarray) -> tuple[float, np.ndarray]:
        """½·10⁴ (|distance|² + (0.1 s)² |rate of it|²) at the end + ½ Σ u² dt, and its gradient."""
        motion = SimulatedMotion(system=system, duration=SWING, dt=STEP, start=start, u=u[:, None], method=METHOD)
        run = motion.run()
        q, v = run.q[-1], run.v[-1]
        s, c = ARM / 2 * np.sin(q[angle]), ARM / 2 * np.cos(q[angle])
        J = np.zeros((2, nq))
        J[0, [x, angle]], J[1, [y, angle, node]] = (1.0, -c), (1.0, -s, -1.0)
        gap, rate = np.array([q[x] - s - place, q[y] + c - q[node] - 0.02]), J @ v
        turn = np.zeros((2, nq))  # derivative of the rate by the angle
        turn[0, angle], turn[1, angle] = s * v[angle], -c * v[angle]
        weights = {"q": np.zeros((steps + 1, nq)), "v": np.zeros((steps + 1, nq))}
        weights["q"][-1] = 1e4 * (J.T @ gap + 0.01 * turn.T @ rate)
        weights["v"][-1] = 1e2 * J.T @ rate
        cost = 5e3 * (gap @ gap + 0.01 * rate @ rate) + 0.5 * STEP * u @ u
        return cost, motion.vjp(weights).controls[:, 0] + STEP * u

    return np.asarray(minimize(objective, guess, jac=True, method="L-BFGS-B", options={"maxiter": 40}).x)


def touch(free: PlanarBody, held: PlanarBody, beyond: float, seen: dict[str, State]) -> Event:
    """The free hand meets the beam beyond a place from below: it grips once, and the other hand lets go."""
    width = BEAM.length / ELEMENTS

    def above(s: NamedState) -> float:
        if free.name in seen:
            return -1.0
        place, height = hand(free.name, s.__getitem__)
        k = min(max(int(place / width), 0), ELEMENTS - 1)
        z = place / width - k
        shape = np.array([s[f"beam.{k + i}{field}"] for i in (0, 1) for field in ("w", "w'")])
        cubic = [1 - 3 * z**2 + 2 * z**3, width * z * (1 - z) ** 2, z**2 * (3 - 2 * z), width * z**2 * (z - 1)]
        return float(min(height - cubic @ shape, place - beyond))

    def act(s: NamedState) -> EventAction:
        place = float(hand(free.name, s.__getitem__)[0])
        seen[free.name] = State(q=s.q.copy(), v=s.v.copy(), t=s.t)
        return EventAction(releases=(f"hand of {held.name}",), grips=(grip(free, place),))

    return Event(name=f"{free.name} grips", when=above, act=act, direction="rising")


def on(plan: np.ndarray, t: float) -> float:
    """Control at a time within its swing; none after it."""
    return float(np.interp(t, STEP * np.arange(len(plan)), plan, right=0.0))
