"""Lateral buckling of a thin strip, clamped upright, under a load at its free end.

The load is followed from zero; where the smallest eigenvalue of the stiffness changes its sign, the path reports the
load and the mode. Timoshenko's formula neglects the deflection before buckling.
"""

import numpy as np

import panhead as ph

LENGTH, HEIGHT, WIDTH, YOUNG = 1.0, 0.06, 0.002, 7e10  # [m], [Pa]

#: Critical load [N]: 4.0126 √(EI GJ) / L² = 13.79 N with a thin strip's small corrections.
EXPECTED = (13.7, 14.0)


def main() -> float:
    """The critical load with eight elements."""
    section = ph.bodies.Section.rectangle(width=HEIGHT, height=WIDTH)
    strip = ph.bodies.Beam(
        name="strip", begin=(0.0, 0.0, 0.0), end=(LENGTH, 0.0, 0.0), elements=8, section=section, young=YOUNG,
        density=2700.0, across=(0.0, 1.0, 0.0),
    )  # fmt: skip
    clamp = ph.joints.Rigid(name="clamp", a=ph.bodies.ground.at((0.0, 0.0, 0.0)), b=strip.at_world(0.0))
    load = ph.forces.Push(name="load", at=strip.at(LENGTH), force=(0.0, -1.0, 0.0), course=lambda t: t)
    system = ph.Model(name="strip", items=(strip, clamp, load), gravity=(0.0, 0.0, 0.0)).system()
    path = ph.load_path(system, system.start.q, load="time", to=20.0)
    critical = path.first("bifurcation")
    sideways = critical.mode[system.place("strip.8z")]
    G = YOUNG / (2 * (1 + strip.poisson))
    formula = 4.0126 * np.sqrt(YOUNG * section.inertia_y * G * section.torsion) / LENGTH**2
    print(path)
    print(f"critical load {critical.load:.3f} N, formula {formula:.3f} N; the end moves sideways by {sideways:.2f}")
    return critical.load


if __name__ == "__main__":
    main()
