"""The full toroidal variator                                      [Tebaldi25, section 4]."""

from __future__ import annotations

from casadi import sin

from panhead.engine.symbolic import Damper, Mechanism, Output, Parameters, PlacedBody, StrokeActuator, coordinates


def build() -> Mechanism:
    """Four rotors geared by the tilt θ_t of the rollers, one coordinate θ of the input shaft; Table
    1.

        R₁ = r_a / r_b2,   R₂ = R₁ r_b(θ_t) / r_c,   R₃ = R₁ r_b(θ_t) / r_d(θ_t)     eq. (9)
        r_b = r_b1 + r_c sin θ_t,   r_d = r_b1 − r_c sin θ_t

    Table 1 names radii r_b = 51.5 mm and r_d = 34.3 mm, eq. (9) needs r_b1 and r_b2. We take the
    torus radius r_b1 = 51.5 mm and r_b2 = 34.3 mm. The tilt is an external variable: speeds are
    R(θ_t) θ̇. Bearings take τ = −(b_a + R₁² b_b + R₂² b_c + R₃² b_d) ω_a, none of them printed: zero.
    """
    p = Parameters(
        J_a=(0.026, "kg*m**2"),
        J_b=(7.56e-4, "kg*m**2"),
        J_c=(0.0018, "kg*m**2"),
        J_d=(0.179, "kg*m**2"),
        r_a=(17.2e-3, "m"),
        r_b1=(51.5e-3, "m"),
        r_b2=(34.3e-3, "m"),
        r_c=(27.5e-3, "m"),
        b_a=(0.0, "N*m*s/rad"),
        b_b=(0.0, "N*m*s/rad"),
        b_c=(0.0, "N*m*s/rad"),
        b_d=(0.0, "N*m*s/rad"),
        tilt=(0.0, "rad"),
    )
    (theta,) = coordinates("theta")
    (rate,) = coordinates("theta_dot")
    r_b, r_d = p.r_b1 + p.r_c * sin(p.tilt), p.r_b1 - p.r_c * sin(p.tilt)
    first = p.r_a / p.r_b2
    ratios = {"a": 1, "b": first, "c": first * r_b / p.r_c, "d": first * r_b / r_d}
    inertias = {"a": p.J_a, "b": p.J_b, "c": p.J_c, "d": p.J_d}
    return Mechanism(
        name="variator",
        coordinates=(theta,),
        units=("rad",),
        rates=(rate,),
        parameters=p,
        bodies=tuple(
            PlacedBody(name=f"rotor {k}", inertia=inertias[k], angle=ratio * theta) for k, ratio in ratios.items()
        ),
        forces=(
            *(
                Damper(name=f"bearing {k}", along=ratio * theta, damping=p.symbols[f"b_{k}"])
                for k, ratio in ratios.items()
            ),
            StrokeActuator(name="input torque", along=theta, channel="tau_a"),
        ),
        outputs=tuple(
            Output(name=f"omega_{k}", unit="rad/s", expression=ratio * rate, about=f"speed of rotor {k}")
            for k, ratio in ratios.items()
        ),
    )
