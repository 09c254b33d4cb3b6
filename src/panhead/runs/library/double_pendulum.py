"""The double inverted pendulum on a driven cart                [Pappalardo20, section III]."""

from __future__ import annotations

from casadi import cos, sin

from panhead.engine.symbolic import Gravity, Mechanism, Output, Parameters, PlacedBody, coordinates, time


def build() -> Mechanism:
    """Two rods of half lengths L₁, L₂ on a cart that moves as x = X₀ sin Ωt; Table I.

    R₁ = (x + L₁ cos θ₁, L₁ sin θ₁)                                            eq. (47)
    R₂ = (x + 2L₁ cos θ₁ + L₂ cos θ₂, 2L₁ sin θ₁ + L₂ sin θ₂)                  eq. (48)
    """
    p = Parameters(
        L1=(0.1, "m"),
        L2=(0.2, "m"),
        m1=(3.0, "kg"),
        m2=(4.0, "kg"),
        I1=(0.01, "kg*m**2"),
        I2=(0.05333, "kg*m**2"),
        g=(9.807, "m/s**2"),
        X0=(0.5, "m"),
        Omega=(0.9425, "rad/s"),
    )
    theta1, theta2 = coordinates("theta1", "theta2")
    rate1, rate2 = coordinates("theta1_dot", "theta2_dot")
    x = p.X0 * sin(p.Omega * time)
    x_dot = p.X0 * p.Omega * cos(p.Omega * time)
    joint = (x + 2 * p.L1 * cos(theta1), 2 * p.L1 * sin(theta1))
    tip = (joint[0] + 2 * p.L2 * cos(theta2), joint[1] + 2 * p.L2 * sin(theta2))
    tip_x_dot = x_dot - 2 * p.L1 * sin(theta1) * rate1 - 2 * p.L2 * sin(theta2) * rate2
    tip_y_dot = 2 * p.L1 * cos(theta1) * rate1 + 2 * p.L2 * cos(theta2) * rate2
    return Mechanism(
        name="double-pendulum",
        coordinates=(theta1, theta2),
        units=("rad", "rad"),
        rates=(rate1, rate2),
        bodies=(
            PlacedBody(
                name="first rod",
                mass=p.m1,
                inertia=p.I1,
                angle=theta1,
                position=(x + p.L1 * cos(theta1), p.L1 * sin(theta1)),
            ),
            PlacedBody(
                name="second rod",
                mass=p.m2,
                inertia=p.I2,
                angle=theta2,
                position=(joint[0] + p.L2 * cos(theta2), joint[1] + p.L2 * sin(theta2)),
            ),
        ),
        gravity=Gravity(acceleration=p.g),
        parameters=p,
        outputs=(
            Output(name="cart_x", unit="m", expression=x, about="cart displacement"),
            Output(name="tip_x", unit="m", expression=tip[0], about="tip, horizontal"),
            Output(name="tip_y", unit="m", expression=tip[1], about="tip, vertical"),
            Output(name="tip_x_dot", unit="m/s", expression=tip_x_dot, about="tip velocity, horizontal"),
            Output(name="tip_y_dot", unit="m/s", expression=tip_y_dot, about="tip velocity, vertical"),
        ),
        paths={"tip": ("tip_x", "tip_y")},
        outline={"cart": ((x - 0.08, 0), (x + 0.08, 0)), "first rod": ((x, 0), joint), "second rod": (joint, tip)},
    )
