"""The planar robot with two links                                 [Tebaldi25, section 5]."""

from __future__ import annotations

from casadi import cos, sin

from panhead.engine.symbolic import Mechanism, Output, Parameters, PlacedBody, StrokeActuator, coordinates


def build() -> Mechanism:
    """First link turned by θ₁, second by θ₂ relative to it; gravity is compensated, as in the
    paper.

        P₁ = θ₁,   P₂ = (L₁ cos θ₁ + r₂ cos θ₁₂, L₁ sin θ₁ + r₂ sin θ₁₂, θ₁₂),   θ₁₂ = θ₁ + θ₂
                                                                                    eq. (12)

    The first link is a rotor of inertia m₁r₁² + I₁. The paper prints no numbers: these are ours, of
    a laboratory arm with uniform links (r = L/2, I = m L²/12).
    """
    p = Parameters(
        L1=(0.5, "m"),
        L2=(0.4, "m"),
        r1=(0.25, "m"),
        r2=(0.2, "m"),
        m1=(6.0, "kg"),
        m2=(4.0, "kg"),
        I1=(0.125, "kg*m**2"),
        I2=(0.05333333333333334, "kg*m**2"),
    )
    theta1, theta2 = coordinates("theta1", "theta2")
    elbow = (p.L1 * cos(theta1), p.L1 * sin(theta1))
    towards = (cos(theta1 + theta2), sin(theta1 + theta2))
    hand = (elbow[0] + p.L2 * towards[0], elbow[1] + p.L2 * towards[1])
    return Mechanism(
        name="two-link-robot",
        coordinates=(theta1, theta2),
        units=("rad", "rad"),
        parameters=p,
        bodies=(
            PlacedBody(name="first link", inertia=p.m1 * p.r1**2 + p.I1, angle=theta1),
            PlacedBody(
                name="second link",
                mass=p.m2,
                inertia=p.I2,
                angle=theta1 + theta2,
                position=(elbow[0] + p.r2 * towards[0], elbow[1] + p.r2 * towards[1]),
            ),
        ),
        forces=(
            StrokeActuator(name="shoulder motor", along=theta1, channel="tau1"),
            StrokeActuator(name="elbow motor", along=theta2, channel="tau2"),
        ),
        outputs=(
            Output(name="hand_x", unit="m", expression=hand[0], about="hand, horizontal"),
            Output(name="hand_y", unit="m", expression=hand[1], about="hand, vertical"),
        ),
        outline={"first link": ((0, 0), elbow), "second link": (elbow, hand)},
    )
