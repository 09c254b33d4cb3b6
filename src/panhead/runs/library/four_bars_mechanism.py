"""A row of four-bar loops that passes through singular configurations: IFToMM benchmark A02."""

from __future__ import annotations

from typing import Any

from casadi import cos, sin

from panhead.engine.symbolic import Closure, Gravity, Mechanism, Output, Parameters, PlacedBody, coordinates

#: Number of loops of the benchmark.
LOOPS = 2


def build(loops: int = LOOPS) -> Mechanism:
    """N four-bars of N + 1 upright rods and N couplers, all 1 m and 1 kg   [Gonzalez06, problem A02].

    Upright rod i turns by θᵢ from the vertical about (i, 0); coupler i is turned by φᵢ from the horizontal.
    Loop i closes where coupler i meets the head of rod i + 1.
    """
    p = Parameters(m=(1.0, "kg"), L=(1.0, "m"), g=(9.81, "m/s**2"))
    theta = coordinates(*(f"theta{i}" for i in range(loops + 1)))
    phi = coordinates(*(f"phi{i}" for i in range(loops)))
    rates = coordinates(*(f"{s.name()}_dot" for s in (*theta, *phi)))
    head = [(i * p.L + p.L * sin(theta[i]), p.L * cos(theta[i])) for i in range(loops + 1)]
    inertia = p.m * p.L**2 / 12
    uprights = [
        PlacedBody(
            name=f"upright {i}",
            mass=p.m,
            inertia=inertia,
            angle=-theta[i],
            position=(i * p.L + p.L / 2 * sin(theta[i]), p.L / 2 * cos(theta[i])),
        )
        for i in range(loops + 1)
    ]
    couplers = [
        PlacedBody(
            name=f"coupler {i}",
            mass=p.m,
            inertia=inertia,
            angle=phi[i],
            position=(head[i][0] + p.L / 2 * cos(phi[i]), head[i][1] + p.L / 2 * sin(phi[i])),
        )
        for i in range(loops)
    ]
    return Mechanism(
        name="four-bars",
        coordinates=(*theta, *phi),
        units=("rad",) * (2 * loops + 1),
        rates=rates,
        parameters=p,
        bodies=(*uprights, *couplers),
        gravity=Gravity(acceleration=p.g),
        closures=tuple(_closure(i, p, head, phi[i]) for i in range(loops)),
        outputs=(
            Output(name="B0_x", unit="m", expression=head[0][0], about="head of the first rod, horizontal"),
            Output(name="B0_y", unit="m", expression=head[0][1], about="head of the first rod, vertical"),
            Output(
                name="B0_x_dot",
                unit="m/s",
                expression=p.L * cos(theta[0]) * rates[0],
                about="velocity of the head of the first rod, horizontal",
            ),
            Output(
                name="B0_y_dot",
                unit="m/s",
                expression=-p.L * sin(theta[0]) * rates[0],
                about="velocity of the head of the first rod, vertical",
            ),
        ),
        paths={"B0": ("B0_x", "B0_y")},
        outline={f"upright {i}": ((i * p.L, 0), head[i]) for i in range(loops + 1)}
        | {f"coupler {i}": (head[i], head[i + 1]) for i in range(loops)},
    )


def _closure(i: int, p: Parameters, head: list[tuple[Any, Any]], phi: Any) -> Closure:
    end = (head[i][0] + p.L * cos(phi), head[i][1] + p.L * sin(phi))
    return Closure(name=f"loop {i}", labels=("x", "y"), equations=(end[0] - head[i + 1][0], end[1] - head[i + 1][1]))
