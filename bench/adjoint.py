"""Cost of one exact gradient in forward runs, for 1 and for 100 parameters, and its memory.

The planar pantograph over 10 000 Runge–Kutta steps with one control at every step (10 001 unknowns); a
chain of masses with a spring and a damper of its own at each for 1 against 100 parameters at one state size.
"""

import numpy as np
from timing import interleaved, spread

from panhead.engine.control.cost import Term
from panhead.engine.control.problem import ControlProblem
from panhead.engine.methods.trajectory import State
from panhead.engine.symbolic import (
    Damper,
    Mechanism,
    Parameters,
    PlacedBody,
    Spring,
    StrokeActuator,
    SymbolicSystem,
    coordinates,
)
from panhead.runs import scenarios
from panhead.runs.scenarios.motion_kind import start_of, system_of

STEPS, DT, MASSES = 10_000, 1e-3, 10


def measure() -> dict[str, object]:
    pantograph = _pantograph(STEPS)
    system = _chain()
    names = tuple(system.parameters)
    one, all_ = (_problem(system, names[:n]) for n in (1, 100))
    runs = {}
    for label, problem in (
        ("pantograph, 1 control", pantograph),
        ("chain, 1 parameter", one),
        ("chain, 100 parameters", all_),
    ):
        u = np.sin(3 * problem.t)[:, None] * np.ones((1, problem.nu))
        runs[f"{label}: forward"] = lambda p=problem, u=u: p.evaluate(u)
        runs[f"{label}: gradient"] = lambda p=problem, u=u: p.gradient(u)
    seconds = interleaved(runs, repeats=7)
    figures: dict[str, object] = {f"{name}, µs a step": spread(s, per=STEPS, unit=1e-6) for name, s in seconds.items()}
    ratio = lambda over, under: float(np.median(seconds[over] / seconds[under]))
    for label in ("pantograph, 1 control", "chain, 1 parameter", "chain, 100 parameters"):
        figures[f"{label}: gradient in forward runs"] = ratio(f"{label}: gradient", f"{label}: forward")
    figures["chain: gradient of 100 parameters over gradient of 1"] = ratio(
        "chain, 100 parameters: gradient", "chain, 1 parameter: gradient"
    )
    return figures | {
        "gradient of 100 parameters by differences, in forward runs": 200,
        "pantograph, 10 000 steps: memory of the way back, MB": pantograph.memory() / 1e6,
        "pantograph, 10⁶ steps: memory of the way back, MB": _pantograph(1_000_000).memory() / 1e6,
        "pantograph, 10⁶ steps: controls, outputs and their adjoints, MB": _arrays(pantograph) / 1e6,
        "pantograph, 10⁶ steps: the way back without checkpoints, MB": _whole_tape(pantograph) / 1e6,
    }


def _pantograph(steps: int) -> ControlProblem:
    description = scenarios.read("planar-pantograph").description
    system = system_of(description)
    cost = [Term(of="interaction_force", weight=1.0, reference=-29.57), Term(of="u", weight=0.1)]
    return ControlProblem(system, start_of(description, system), cost, duration=steps * DT, dt=DT)


def _arrays(problem: ControlProblem, steps: int = 1_000_000) -> float:
    """Bytes of the inputs and outputs of a gradient on the time grid."""
    return 16.0 * (steps + 1) * (problem.nu + len(problem.terms))


def _whole_tape(problem: ControlProblem, steps: int = 1_000_000) -> float:
    """Bytes of a full tape: stage states, accelerations and multipliers of all steps."""
    return 8.0 * steps * problem.stages * (3 * problem.nq + problem.nc)


def _chain() -> SymbolicSystem:
    """Chain of masses between two walls, tied to the ground, each with ten parameters."""
    kinds = {
        "m": (1.0, "kg"),
        "k": (100.0, "N/m"),
        "c": (0.5, "N*s/m"),
        "rest": (0.1, "m"),
        "ground": (20.0, "N/m"),
        "ground_rest": (0.0, "m"),
        "ground_damping": (0.1, "N*s/m"),
        "second": (5.0, "N/m"),
        "second_rest": (0.0, "m"),
        "second_damping": (0.05, "N*s/m"),
    }
    p = Parameters(**{f"{kind}{i}": kinds[kind] for i in range(MASSES) for kind in kinds})
    q = coordinates(*(f"x{i}" for i in range(MASSES)))
    bodies, forces = [], [StrokeActuator(name="push", along=q[0], channel="u")]
    for i in range(MASSES):
        get = lambda kind, i=i: p.symbols[f"{kind}{i}"]
        stretch = q[i] - (q[i - 1] if i else 0)
        second = q[i] - (q[i - 2] if i > 1 else 0)
        bodies.append(PlacedBody(name=f"mass {i}", mass=get("m"), position=(q[i], 0)))
        forces += [
            Spring(name=f"spring {i}", along=stretch, stiffness=get("k"), rest=get("rest")),
            Damper(name=f"damper {i}", along=stretch, damping=get("c")),
            Spring(name=f"tie {i}", along=q[i], stiffness=get("ground"), rest=get("ground_rest")),
            Damper(name=f"drag {i}", along=q[i], damping=get("ground_damping")),
            Spring(name=f"second {i}", along=second, stiffness=get("second"), rest=get("second_rest")),
            Damper(name=f"second drag {i}", along=second, damping=get("second_damping")),
        ]
    return SymbolicSystem(
        Mechanism(
            name="chain", coordinates=q, units=("m",) * MASSES, parameters=p, bodies=tuple(bodies), forces=tuple(forces)
        )
    )


def _problem(system: SymbolicSystem, parameters: tuple[str, ...]) -> ControlProblem:
    start = State(q=np.zeros(MASSES), v=np.zeros(MASSES))
    cost = [Term(of=f"x{MASSES - 1}", weight=1.0), Term(of="u", weight=0.1)]
    return ControlProblem(system, start, cost, duration=STEPS * DT, dt=DT, parameters=parameters)
