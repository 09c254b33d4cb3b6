"""Swing up a pendulum by pushing its cart, in two and a half seconds and with as little force as possible.

The cost is the distance from standing upright at rest in the middle of the track at the end, plus a small weight on
the force. The optimiser finds by itself that it has to swing back first.
"""

import numpy as np
from casadi import cos, sin

from panhead.engine import symbolic as sym
from panhead.engine.control.cost import Term
from panhead.engine.control.optimise import l_bfgs
from panhead.engine.control.problem import ControlProblem
from panhead.engine.control.variables import Shape, Variables
from panhead.engine.methods.trajectory import State

#: How far the pendulum is from upright at the end, in degrees.
EXPECTED = (0.0, 1.0)


def cart_pendulum() -> sym.Mechanism:
    """A cart at x, pushed by u; a point mass below it at the angle θ from hanging."""
    p = sym.Parameters(M=(1.0, "kg"), m=(0.3, "kg"), L=(0.5, "m"), g=(9.81, "m/s**2"))
    x, theta = sym.coordinates("x", "theta")
    return sym.Mechanism(
        name="cart-pendulum",
        coordinates=(x, theta),
        units=("m", "rad"),
        parameters=p,
        bodies=(
            sym.PlacedBody(name="cart", mass=p.M, position=(x, 0)),
            sym.PlacedBody(name="bob", mass=p.m, position=(x + p.L * sin(theta), -p.L * cos(theta))),
        ),
        forces=(sym.StrokeActuator(name="push", along=x, channel="u"),),
        gravity=sym.Gravity(acceleration=p.g),
    )


def main() -> float:
    """Optimise, tell the story, give the angle that is missing at the end in degrees."""
    upright = {"x": 0.0, "theta": np.pi, "rate x": 0.0, "rate theta": 0.0}
    cost = [Term(of=k, weight=200.0, reference=r, when="end") for k, r in upright.items()]
    cost += [Term(of="u", weight=0.01), Term(of="x", weight=0.0)]  # x costs nothing: it is watched
    start = State(q=np.zeros(2), v=np.zeros(2))
    problem = ControlProblem(sym.SymbolicSystem(cart_pendulum()), start, cost, duration=2.5, dt=0.01)
    variables = Variables(problem, Shape(low=-20.0, high=20.0))
    found = l_bfgs(variables, iterations=300)
    u, _ = variables.split(found.theta)
    run = problem.evaluate(u)
    print(f"{len(found.history)} iterations; force within {u.min():.1f} … {u.max():.1f} N")
    print(f"the cart stays within {run.y[:, -1].min():.2f} … {run.y[:, -1].max():.2f} m")
    return float(np.degrees(abs(run.x_end[1] - np.pi)))


if __name__ == "__main__":
    print(f"upright to {main():.3f}°")
