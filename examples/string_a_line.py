"""String an overhead line: from wires, tensions and nominal heights to dropper lengths.

A simple line of ten spans with 20 mm pre-sag and a stagger of 200 mm: dropper lengths for installation, elasticity
and its non-uniformity for the designer, and the speed that the waves of the contact wire allow.
"""

import panhead as ph
from panhead.railway.line import (
    DropperKind,
    Span,
    SteadyArm,
    Support,
    TensionLength,
    Wire,
    Wires,
    check_speed,
    elasticity,
    static_shape,
    string,
)

#: Elasticity at mid-span under 100 N [mm/N].
EXPECTED = (0.450, 0.465)

LINE = ph.Line(
    name="plain line",
    wires=Wires(
        contact=Wire(tension=20e3, mass_per_length=1.35, bending_stiffness=195.0),
        messenger=Wire(tension=16e3, mass_per_length=1.07, bending_stiffness=131.7),
    ),
    dropper=DropperKind(stiffness=100e3, mass_per_length=0.11),
    support=Support(encumbrance=1.2, stagger=0.2, steady_arm=SteadyArm(length=1.0, mass=1.5, rise=0.03)),
    presag=0.02,
    tension_lengths=(TensionLength(name="T1", spans=(Span(length=60.0, count=10, dropper_count=9),)),),
)


def main() -> float:
    """String it, print what each of the three wants to know; the elasticity at mid-span."""
    strung = string(LINE)
    table = static_shape(strung, spans=(5, 6)).droppers
    for name, length, tension in zip(table.names, table.length, table.tension, strict=True):
        print(f"{name:26s} cut to {1e3 * length:7.1f} mm, pulls {tension:6.1f} N")

    curve = elasticity(strung, span=5, force=100.0, points=61)
    low, high = 1e3 * curve.minimum, 1e3 * curve.maximum
    print(f"elasticity {low:.3f} … {high:.3f} mm/N, uneven by {curve.non_uniformity:.0%}")

    speed = check_speed(LINE, 300 / 3.6)
    print(f"waves at {3.6 * speed.wave_speed:.0f} km/h allow {3.6 * speed.limit:.0f} km/h")
    return 1e3 * float(curve.value[30])


if __name__ == "__main__":
    print(f"mid-span elasticity {main():.3f} mm/N")
