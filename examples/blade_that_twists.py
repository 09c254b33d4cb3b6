"""A composite blade whose plies couple bending and twist: a force that bends it also turns its tip.

The section is given as 6 × 6 matrices about the axis, as codes that analyse sections write them. With the coupling
k between bending and twist the tip of a cantilever of length L turns under a force F by k F L² / 2 (GJ EI − k²).
"""

import numpy as np

import panhead as ph

LENGTH, FORCE, COUPLING = 2.0, 30.0, 1.8e3  # [m], [N], [N·m²]
TWIST, BEND = 3.0e3, 9.0e3  # GJ, EI about y [N·m²]

#: Twist of the tip [degrees]: k F L² / 2 (GJ EI − k²) = 0.2604°; the deflection of 0.01 m changes it by 1e-4.
EXPECTED = (0.260, 0.261)


def main() -> float:
    """Twist of the loaded tip."""
    stiffness = np.diag([4.0e7, 6.0e6, 5.0e6, TWIST, BEND, 1.6e4])
    stiffness[3, 4] = stiffness[4, 3] = COUPLING
    inertia = ph.bodies.GeneralSection.inertia_of(3.1, centre=(0.02, 0.0), rotary=np.diag([2.6e-3, 0.9e-3, 1.7e-3]))
    blade = ph.bodies.Beam(
        name="blade", begin=(0.0, 0.0, 0.0), end=(LENGTH, 0.0, 0.0), elements=8, across=(0.0, 1.0, 0.0),
        section=ph.bodies.GeneralSection(stiffness=stiffness, inertia=inertia),
    )  # fmt: skip
    root = ph.joints.Rigid(name="root", a=ph.bodies.ground.at(), b=blade.at_world(0.0))
    gust = ph.forces.Push(name="gust", at=blade.at(LENGTH), force=(0.0, 0.0, FORCE))
    system = ph.Model(name="blade", items=(blade, root, gust), gravity=(0.0, 0.0, 0.0)).system()
    q = ph.equilibrium(system, system.start.q).q
    twist = np.degrees([2 * q[system.place(f"blade.{k}e1")] for k in range(9)])
    formula = np.degrees(COUPLING * FORCE * LENGTH**2 / (2 * (TWIST * BEND - COUPLING**2)))
    print(f"the tip rises by {q[system.place('blade.8z')] * 1e3:.2f} mm and turns by {twist[-1]:.4f}°, {formula:.4f}°")
    return float(twist[-1])


if __name__ == "__main__":
    main()
