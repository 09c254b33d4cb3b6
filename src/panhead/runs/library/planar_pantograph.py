"""The planar pantograph with a kinematically driven support    [Pappalardo20, section IV]."""

from __future__ import annotations

from casadi import cos, pi, sin

from panhead.engine.symbolic import (
    Closure,
    ConstantForce,
    Damper,
    Gravity,
    Mechanism,
    Output,
    Parameters,
    PlacedBody,
    Spring,
    StrokeActuator,
    coordinates,
    time,
)

#: Speed, span and dropper spacing behind the two harmonics of the support motion.
_SPEED, _SPAN, _DROPPERS = 200 / 3.6, 56.25, 6.25


def parameters() -> Parameters:
    """Table II, and the support motion s(t) = s₀ + s₁ sin 2πf₁t + s₂ sin 2πf₂t.

    f₁ and f₂ are the passing frequencies of spans and droppers at 200 km/h. The paper describes but does
    not print s(t); s₀, s₁ and s₂ are set by the scenario so that Table III is met without control.
    """
    return Parameters(
        L1=(0.700, "m"),
        L2=(0.110, "m"),
        L3=(0.850, "m"),
        L4=(0.950, "m"),
        H0=(2.635, "m"),
        H1=(0.200, "m"),
        H2=(0.140, "m"),
        HE=(0.140, "m"),
        LE=(0.500, "m"),
        beta=(0.209, "rad"),
        m1=(2.000, "kg"),
        m2=(1.038, "kg"),
        m3=(1.038, "kg"),
        m4=(8.962, "kg"),
        m5=(0.500, "kg"),
        g=(9.810, "m/s**2"),
        p1=(1000.0, "N"),
        k1=(100.0, "N/m"),
        r1=(1.0, "N*s/m"),
        k2=(200.0, "N/m"),
        r2=(2.0, "N*s/m"),
        k3=(300.0, "N/m"),
        r3=(3.0, "N*s/m"),
        s0=(0.0, "m"),
        s1=(0.0, "m"),
        s2=(0.0, "m"),
        f1=(_SPEED / _SPAN, "Hz"),
        f2=(_SPEED / _DROPPERS, "Hz"),
    )


def build() -> Mechanism:
    """Thrust rod θ₁, crank θ₂ with the upper arm fixed to it at −β, lower arm θ₃, pan-head x.

    H₁, H₂ = 2L₁ e(θ₁) + 2L₂ e(θ₂) + 2L₃ e(θ₃)   (closure)                     eq. (135)
    y = 2L₁ sin θ₁ + 2L₂ sin θ₂ + 2L₄ sin(θ₂ − β) + x   (height of the head)
    F = −[k₃ (H₀ + s − y) + r₃ (ṡ − ẏ)]   (interaction force, negative when the wire presses down)
    """
    p = parameters()
    theta1, theta2, theta3, x = q = coordinates("theta1", "theta2", "theta3", "x")
    rates = coordinates("theta1_dot", "theta2_dot", "theta3_dot", "x_dot")
    s = p.s0 + p.s1 * sin(2 * pi * p.f1 * time) + p.s2 * sin(2 * pi * p.f2 * time)
    s_dot = 2 * pi * (p.s1 * p.f1 * cos(2 * pi * p.f1 * time) + p.s2 * p.f2 * cos(2 * pi * p.f2 * time))

    knee = (2 * p.L1 * cos(theta1), 2 * p.L1 * sin(theta1))
    crank = (knee[0] + 2 * p.L2 * cos(theta2), knee[1] + 2 * p.L2 * sin(theta2))
    foot = (crank[0] + 2 * p.L3 * cos(theta3), crank[1] + 2 * p.L3 * sin(theta3))
    top = (
        knee[0] + 2 * p.L2 * cos(theta2) + 2 * p.L4 * cos(theta2 - p.beta),
        knee[1] + 2 * p.L2 * sin(theta2) + 2 * p.L4 * sin(theta2 - p.beta),
    )
    y = top[1] + x
    y_dot = (
        2 * p.L1 * cos(theta1) * rates[0]
        + 2 * p.L2 * cos(theta2) * rates[1]
        + 2 * p.L4 * cos(theta2 - p.beta) * rates[1]
        + rates[3]
    )
    cylinder = crank[1] + (p.L3 + p.LE) * sin(theta3) - p.HE
    return Mechanism(
        name="planar-pantograph",
        coordinates=q,
        units=("rad", "rad", "rad", "m"),
        rates=rates,
        parameters=p,
        bodies=_bodies(p, q, knee, crank, top, y),
        forces=(
            ConstantForce(name="lift", along=cylinder, force=p.p1),
            Spring(name="lift spring", along=cylinder, stiffness=p.k1),
            Damper(name="lift damper", along=cylinder, damping=p.r1),
            Spring(name="head spring", along=x, stiffness=p.k2),
            Damper(name="head damper", along=x, damping=p.r2),
            Spring(name="wire", along=p.H0 + s - y, stiffness=p.k3),
            Damper(name="wire damper", along=p.H0 + s - y, damping=p.r3),
            StrokeActuator(name="head actuator", along=x, channel="u"),
        ),
        gravity=Gravity(acceleration=p.g),
        closures=(Closure(name="four-bar closure", equations=(foot[0] - p.H1, foot[1] - p.H2), labels=("x", "y")),),
        outputs=(
            Output(name="support", unit="m", expression=p.H0 + s, about="height of the moving support"),
            Output(name="head_height", unit="m", expression=y, about="height of the pan-head"),
            Output(name="head_velocity", unit="m/s", expression=y_dot, about="velocity of the pan-head"),
            Output(
                name="interaction_force",
                unit="N",
                about="interaction force",
                expression=-(p.k3 * (p.H0 + s - y) + p.r3 * (s_dot - y_dot)),
            ),
        ),
        outline={
            "thrust rod": ((0, 0), knee),
            "crank": (knee, crank),
            "lower arm": (crank, foot),
            "upper arm": (crank, top),
            "pan-head": ((top[0] - 0.3, y), (top[0] + 0.3, y)),
            "wire": ((top[0] - 0.8, p.H0 + s), (top[0] + 0.8, p.H0 + s)),
        },
    )


def _bodies(p: Parameters, q: tuple, knee: tuple, crank: tuple, top: tuple, y: object) -> tuple[PlacedBody, ...]:
    """Five uniform rods of half length L: inertia m L²/3; the pan-head is a point mass."""
    theta1, theta2, theta3, _ = q
    middle = lambda a, b: ((a[0] + b[0]) / 2, (a[1] + b[1]) / 2)
    return (
        PlacedBody(
            name="thrust rod", mass=p.m1, position=(knee[0] / 2, knee[1] / 2), angle=theta1, inertia=p.m1 * p.L1**2 / 3
        ),
        PlacedBody(name="crank", mass=p.m2, position=middle(knee, crank), angle=theta2, inertia=p.m2 * p.L2**2 / 3),
        PlacedBody(
            name="lower arm",
            mass=p.m3,
            angle=theta3,
            inertia=p.m3 * p.L3**2 / 3,
            position=(crank[0] + p.L3 * cos(theta3), crank[1] + p.L3 * sin(theta3)),
        ),
        PlacedBody(name="upper arm", mass=p.m4, position=middle(crank, top), angle=theta2, inertia=p.m4 * p.L4**2 / 3),
        PlacedBody(name="pan-head", mass=p.m5, position=(top[0], y)),
    )
