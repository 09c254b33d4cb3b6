"""A fast mechanism of seven bodies: halving the step divides the error by four, with kept factors too."""

import numpy as np
import pytest
from casadi import cos, sin, sqrt

from panhead.engine.methods.equilibrium import assemble_configuration
from panhead.engine.methods.integrators import GeneralizedAlpha, RungeKutta4
from panhead.engine.methods.simulate import simulate
from panhead.engine.methods.trajectory import State
from panhead.engine.symbolic import Closure, ConstantForce, Mechanism, PlacedBody, Spring, SymbolicSystem, coordinates

START = (-0.0617138900142764, 0.0, 0.45527981916307, 0.222668390165886, 0.487364979543843, -0.222668390165886,
         1.23054744454982)  # fmt: skip


@pytest.fixture(scope="module")
def squeezer():
    """Andrews' squeezing mechanism: a crank of 7 mm under a torque of 0.033 N·m turns 2.5 times in 30 ms."""
    angles = coordinates("b", "th", "g", "ph", "d", "om", "ep")
    b, th, g, ph, d, om, ep = angles
    a, c, s = (-0.06934, -0.00227), (0.014, 0.072), (-0.03635, 0.03273)
    elbow = 0.007 * cos(b) - 0.028 * cos(b + th), 0.007 * sin(b) - 0.028 * sin(b + th)
    places = (
        (0.00092 * cos(b), 0.00092 * sin(b)),
        (0.007 * cos(b) - 0.0115 * cos(b + th), 0.007 * sin(b) - 0.0115 * sin(b + th)),
        (s[0] + 0.01874 * sin(g) + 0.01043 * cos(g), s[1] - 0.01874 * cos(g) + 0.01043 * sin(g)),
        (a[0] + 0.04 * cos(d) + 0.00579 * sin(ph + d), a[1] + 0.04 * sin(d) - 0.00579 * cos(ph + d)),
        (a[0] + 0.02308 * cos(d) - 0.00916 * sin(d), a[1] + 0.02308 * sin(d) + 0.00916 * cos(d)),
        (a[0] + 0.04 * sin(ep) + 0.00579 * cos(om + ep), a[1] - 0.04 * cos(ep) + 0.00579 * sin(om + ep)),
        (a[0] + 0.01228 * sin(ep) - 0.00449 * cos(ep), a[1] - 0.01228 * cos(ep) - 0.00449 * sin(ep)),
    )
    turned = (b, b + th, g, ph + d, d, om + ep, ep)
    masses = (0.04325, 0.00365, 0.02373, 0.00706, 0.0705, 0.00706, 0.05498)
    inertias = (2.194e-6, 4.41e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5)
    bodies = tuple(
        PlacedBody(name=f"body {k}", position=place, mass=m, angle=angle, inertia=J)
        for k, (place, m, angle, J) in enumerate(zip(places, masses, turned, inertias, strict=True))
    )
    x, y = s[0] + 0.018 * sin(g) + 0.02 * cos(g) - c[0], s[1] - 0.018 * cos(g) + 0.02 * sin(g) - c[1]
    forces = (
        Spring(name="spring", along=sqrt(x * x + y * y), stiffness=4530.0, rest=0.07785),
        ConstantForce(name="motor", along=b, force=0.033),
    )
    ends = (
        (s[0] + 0.035 * sin(g), s[1] - 0.035 * cos(g)),
        (a[0] + 0.02 * sin(ph + d) + 0.04 * cos(d), a[1] - 0.02 * cos(ph + d) + 0.04 * sin(d)),
        (a[0] + 0.02 * cos(om + ep) + 0.04 * sin(ep), a[1] + 0.02 * sin(om + ep) - 0.04 * cos(ep)),
    )
    loops = tuple(
        Closure(name=f"loop {k}", equations=(elbow[0] - end[0], elbow[1] - end[1])) for k, end in enumerate(ends)
    )
    mechanism = Mechanism(
        name="squeezer", coordinates=angles, units=("rad",) * 7, bodies=bodies, forces=forces, closures=loops
    )
    system = SymbolicSystem(mechanism)
    return system, State(q=assemble_configuration(system, np.array(START)), v=np.zeros(7))


def end(problem, method, steps):
    motion = simulate(*problem, duration=0.03, dt=0.03 / steps, keep=0.03, method=method)
    return motion.q[-1]


@pytest.mark.parametrize("factor", ["each step", "while it serves"])
def test_the_error_falls_with_the_square_of_the_step(squeezer, factor):
    """1500 to 24000 steps at the default tolerance; kept factors used to end at 3e-4 whatever the step."""
    exact = end(squeezer, RungeKutta4(), 24000)
    errors = [np.abs(end(squeezer, GeneralizedAlpha(factor=factor), n) - exact).max() for n in (1500, 6000, 24000)]
    assert np.divide(errors[:-1], errors[1:]) == pytest.approx(16.0, rel=0.1), errors
