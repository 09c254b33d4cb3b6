"""Three damping laws between pan-head and plunger that steady the contact force and leave its mean.

u = −r (ẏ₁ − ẏ₂), r constant, switched at 0.5 s, or rising as 1 − exp(−t/τ): Pappalardo et al. 2016, eqs (26)–(30).
Tuned there by trial, here by gradients. Masses are theirs; wire, stiffnesses, 10 kg of arm on the plunger are assumed.
"""

import numpy as np
from casadi import copysign, exp, pi, sin

import panhead as ph
from panhead.engine import symbolic as sym
from panhead.engine.control import cost, feedback, optimise, problem, variables
from panhead.engine.methods.trajectory import State

EXPECTED = (65.0, 75.0)  # % of the deviation that the exponential law takes away; the others take less
STEADY = cost.Term(of="force", weight=1.0, reference="mean")
switched = lambda t, a, b: (a + b) / 2 + copysign(1, t) * (b - a) / 2  # a before t = 0, then b
LAWS = {
    "none": (lambda m: 0.0, ()),
    "derivative": (lambda m: m.p["r1"], ("r1",)),
    "bang-bang": (lambda m: switched(m.t - 0.5, m.p["r1"], m.p["r2"]), ("r1", "r2")),
    "exponential": (lambda m: m.p["r1"] * (1 - exp(-m.t / m.p["tau"])), ("r1", "tau")),
}


def pan_head() -> sym.Mechanism:
    """Pan-head y₁ at a moving wire, plunger y₂; spring, damper and actuator between."""
    (y1, y2), t = sym.coordinates("y1", "y2"), sym.time
    d = y1 - y2
    wire = 9e-3 * sin(2 * pi * 0.988 * t) + 0.45e-3 * sin(2 * pi * 8.89 * t)  # spans, droppers
    wire += 0.9e-3 * exp(-t / 0.4) * sin(2 * pi * 5 * t)  # waves of the start that die away
    return sym.Mechanism(
        name="pan-head", coordinates=(y1, y2), units=("m", "m"), gravity=sym.Gravity(),
        parameters=sym.Parameters(r1=(100.0, "N*s/m"), r2=(100.0, "N*s/m"), tau=(0.5, "s")),
        bodies=(sym.PlacedBody(name="pan-head", mass=9.5, position=(0, y1)),
                sym.PlacedBody(name="plunger", mass=11.51, position=(0, y2))),
        forces=(sym.ConstantForce(name="lift", along=y2, force=316.0),
                sym.Spring(name="suspension", along=d, stiffness=5e3, rest=0.11),
                sym.Damper(name="damper", along=d, damping=20.0),
                sym.Spring(name="contact", along=y1 - wire, stiffness=2e4),
                sym.StrokeActuator(name="actuator", along=d, channel="u")),
        outputs=(sym.Output(name="force", unit="N", expression=-2e4 * (y1 - wire)),))  # fmt: skip


def main() -> float:
    """Tune each law; the share of the deviation that the exponential law takes away."""
    system, force = sym.SymbolicSystem(pan_head()), {}
    start = State(q=ph.equilibrium(system, np.array([0.0, -0.07])).q, v=np.zeros(2))
    for law, (r, names) in LAWS.items():
        loop = feedback.closed_loop(system, lambda m, r=r: {"u": -r(m) * (m.v["y1"] - m.v["y2"])})
        task = problem.ControlProblem(loop, start, [STEADY], duration=10, dt=4e-3, parameters=names)
        free = variables.Variables(task, bounds={"r1": (0, 2e3), "r2": (0, 2e3), "tau": (0.01, 9)})
        theta = optimise.l_bfgs(free).theta if names else free.start()
        F = force[law] = task.evaluate(*free.split(theta)).y[:, 0]
        print(f"{law}: mean {F.mean():.1f} N, deviation {F.std():.2f} N", free.split(theta)[1])
    return float(100 * (1 - force["exponential"].std() / force["none"].std()))


if __name__ == "__main__":
    print(f"exponential law: {main():.1f} % less deviation")
