"""Stress at the welded root of an arm that is struck: matrices of a finite-element code, and its stress matrix.

Stiffness, mass and S with σ = S u would come from files (MATLAB, NASTRAN punch, Matrix Market); here they are written
for a steel bar of 12 beam elements. A load F put on at once bends an undamped bar to about twice its static stress.
"""

import numpy as np

import panhead as ph
from panhead.engine.structures import BeamMaterial, BodyFixed, Member, Section, frame, from_matrices, reduce_structure

LENGTH, SIDE, YOUNG, LOAD, COUNT = 1.2, 0.02, 2.1e11, 40.0, 12  # [m], [m], [Pa], [N]
STATIC = LOAD * LENGTH * 6 / SIDE**3  # F L / W [Pa]

#: Largest stress over the static one: 2 if only the first mode moved; a load at the tip moves others too.
EXPECTED = (1.9, 2.6)


def main() -> float:
    """The largest stress at the root in the first 0.1 s, over the static one."""
    steel = BeamMaterial(young=YOUNG, poisson=0.3, density=7850.0)
    bar = Member(
        begin="root", end="tip", section=Section.rectangle(width=SIDE, height=SIDE), material=steel, elements=COUNT
    )
    mesh = frame("mesh", joints={"root": (0, 0, 0), "tip": (LENGTH, 0, 0)}, members=(bar,))
    order = mesh.points[:, 0].argsort()  # nodes of a mesh have any order
    S, h = np.zeros((1, 6 * len(order))), LENGTH / COUNT
    first, second = 6 * order[:2]
    S[0, [first + 2, first + 4, second + 2, second + 4]] = (
        YOUNG * SIDE / 2 * np.array([6 / h**2, -4 / h, -6 / h**2, -2 / h])
    )

    structure = from_matrices(
        "arm", points=mesh.points, stiffness=mesh.stiffness, mass=mesh.consistent_mass, places=dict(mesh.places)
    )
    ends = ("root", "tip")
    shapes = reduce_structure(
        structure, interfaces=ends, modes=6, method="craig-bampton", reference=BodyFixed(("root",))
    )
    arm = ph.bodies.FloatingBody(name="arm", structure=shapes)
    weld = ph.joints.Rigid(name="weld", a=ph.bodies.ground.at(), b=arm.at("root"))
    load = ph.forces.Push(name="load", at=arm.at("tip"), force=(0.0, 0.0, -LOAD))
    model = ph.Model(name="arm", items=(arm, weld, load), gravity=(0.0, 0.0, 0.0))
    result = model.simulate(
        duration=0.1, dt=1e-4, method=ph.GeneralizedAlpha(),
        sensors={"stress": ph.bodies.StressRecovery(body=arm, matrix=S, rows=("root",))},
    )  # fmt: skip
    share = float(np.abs(result["stress_root"]).max()) / STATIC
    print(f"static stress {STATIC / 1e6:.1f} MPa, largest {share:.2f} times that")
    return share


if __name__ == "__main__":
    main()
