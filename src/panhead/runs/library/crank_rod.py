"""Crank, connecting rod and piston                                [Tebaldi25, section 3]."""

from __future__ import annotations

from casadi import cos, sin, sqrt

from panhead.engine.symbolic import Damper, Mechanism, Output, Parameters, PlacedBody, StrokeActuator, coordinates


def build() -> Mechanism:
    """A crank of radius R and inertia J turns θ and pushes a piston of mass m along x, offset by d.

        P₁ = θ,   P₂ = R cos θ + √(L² − (R sin θ − d)²)                              eq. (7)

    The connecting rod has no mass, as in the paper. The paper prints no numbers: these are ours, of
    a small single-cylinder engine (stroke about 100 mm, rod three crank radii long).
    """
    p = Parameters(
        R=(0.05, "m"),
        L=(0.15, "m"),
        d=(0.005, "m"),
        J=(0.01, "kg*m**2"),
        m=(0.6, "kg"),
        b_m=(0.0, "N*m*s/rad"),
        b_p=(0.0, "N*s/m"),
    )
    (theta,) = coordinates("theta")
    (rate,) = coordinates("theta_dot")
    piston = p.R * cos(theta) + sqrt(p.L**2 - (p.R * sin(theta) - p.d) ** 2)
    slope = -p.R * sin(theta) + p.R * cos(theta) * (p.d - p.R * sin(theta)) / sqrt(
        p.L**2 - (p.R * sin(theta) - p.d) ** 2
    )  # eq. (8)
    pin = (p.R * cos(theta), p.R * sin(theta))
    return Mechanism(
        name="crank-rod",
        coordinates=(theta,),
        units=("rad",),
        rates=(rate,),
        parameters=p,
        bodies=(
            PlacedBody(name="crank", inertia=p.J, angle=theta),
            PlacedBody(name="piston", mass=p.m, position=(piston,)),
        ),
        forces=(
            Damper(name="crank bearing", along=theta, damping=p.b_m),
            Damper(name="cylinder wall", along=piston, damping=p.b_p),
            StrokeActuator(name="motor", along=theta, channel="tau_m"),
            StrokeActuator(name="gas force", along=piston, channel="F"),
        ),
        outputs=(
            Output(name="piston_x", unit="m", expression=piston, about="piston position"),
            Output(name="piston_v", unit="m/s", expression=slope * rate, about="piston velocity"),
        ),
        outline={
            "crank": ((0, 0), pin),
            "connecting rod": (pin, (piston, p.d)),
            "piston": tuple(
                (piston + x * p.R, p.d + y * p.R) for x, y in ((0, -0.5), (0, 0.5), (0.8, 0.5), (0.8, -0.5), (0, -0.5))
            ),
        },
    )
