"""A bracket of two tubes, reduced to a few coordinates: it still bends and twists exactly under a load at its tip.

Held at the wall, with F along z at the tip, strength of materials says
δ = F a³ / 3EI + F b³ / 3EI + F a b² / GJ: bending of both tubes, torsion of the first.
"""

import numpy as np

from panhead.engine.structures import BeamMaterial, Member, Section, frame, reduce_structure
from panhead.engine.structures.structure import rigid_motions

#: Relative difference of the tip's deflection from the closed form.
EXPECTED = (0.0, 1e-6)

A, B, FORCE = 0.8, 0.5, 100.0
STEEL = BeamMaterial(young=210e9, poisson=0.3, density=7850.0)
TUBE = Section.tube(diameter=0.04, thickness=0.003)


def main() -> float:
    """Reduce the bracket, hold it at the wall, load its tip; how far from the closed form it is."""
    bracket = frame(
        "bracket",
        joints={"wall": (0.0, 0.0, 0.0), "corner": (A, 0.0, 0.0), "tip": (A, B, 0.0)},
        members=(
            Member(begin="wall", end="corner", section=TUBE, material=STEEL),
            Member(begin="corner", end="tip", section=TUBE, material=STEEL),
        ),
    )
    body = reduce_structure(bracket, interfaces=("wall", "tip"), modes=4, damping=0.01)
    print(body.table)

    # small motion of the free body: six rigid coordinates, then the deformation w
    wall, tip = (
        np.hstack([rigid_motions(p.point[None], 6, np.zeros(3)), p.shape])
        for p in (body.places["wall"], body.places["tip"])
    )
    k = len(body.modes)
    K = np.block([[np.zeros((6, 6 + k))], [np.zeros((k, 6)), body.stiffness]])
    held = np.block([[K, wall.T], [wall, np.zeros((6, 6))]])
    load = np.concatenate([tip.T @ np.array([0.0, 0.0, FORCE, 0.0, 0.0, 0.0]), np.zeros(6)])
    deflection = tip[2] @ np.linalg.solve(held, load)[: 6 + k]

    EI, GJ = STEEL.young * TUBE.inertia_y, STEEL.shear * TUBE.torsion
    expected = FORCE * (A**3 / (3 * EI) + B**3 / (3 * EI) + A * B**2 / GJ)
    print(f"tip: {1e3 * deflection:.4f} mm, by hand {1e3 * expected:.4f} mm")
    return float(abs(deflection / expected - 1))


if __name__ == "__main__":
    print(f"relative difference {main():.1e}")
