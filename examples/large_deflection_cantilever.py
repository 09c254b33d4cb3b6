"""A steel bar bent by 60 % of its length: static equilibrium from the straight bar, two kinds of elements.

Under the force 3 EI / L² linear theory would say 2 m. The cable's cubic elements converge with order
four, the beam with three slopes per node with order two, to an answer that differs by shear.
"""

import numpy as np

import panhead as ph

LENGTH, SIDE, YOUNG = 2.0, 0.1, 2.07e11
EI = YOUNG * SIDE**4 / 12
FORCE = (0.0, -3 * EI / LENGTH**2, 0.0)

#: Deflection of the tip [m] with 32 cubic elements; the elastica's is 1.2072398546.
EXPECTED = (1.20723980, 1.20723986)


def tip(body: ph.bodies.Cable | ph.bodies.AncfBeam, held: tuple[str, ...]) -> np.ndarray:
    """Displacement (x, y) of the free end [m]; ``held`` coordinates keep their start."""
    start = {f"bar.{c.name}": c.start for c in body.coordinates()}
    clamp = ph.joints.Held(name="clamp", values={name: start[name] for name in held})
    pull = ph.forces.Push(name="pull", at=body.at(LENGTH), force=FORCE)
    model = ph.Model(name="bar", items=(body, clamp, pull), gravity=(0.0, 0.0, 0.0))
    system = model.system()
    q, _ = ph.equilibrium(system, system.start.q)
    last = len(body.breaks) - 1
    return np.array([q[system.place(f"bar.{last}{a}")] for a in "xy"]) - (LENGTH, 0.0)


def main() -> float:
    """Tips of both kinds on three meshes; the cable's deflection on the finest."""
    for n in (8, 16, 32):
        nodes = tuple((float(x), 0.0) for x in np.linspace(0.0, LENGTH, n + 1))
        thin = {"mass_per_length": 78.0, "axial_stiffness": YOUNG * SIDE**2}
        cable = ph.bodies.Cable(name="bar", nodes=nodes, bending_stiffness=EI, **thin)
        ends = {"begin": (0.0, 0.0, 0.0), "end": (LENGTH, 0.0, 0.0), "across": (0.0, 1.0, 0.0)}
        steel = {"height": SIDE, "width": SIDE, "young": YOUNG, "density": 7800.0}
        beam = ph.bodies.AncfBeam(name="bar", elements=n, **ends, **steel)
        of_cable = tip(cable, ("bar.0x", "bar.0y", "bar.0'y"))
        of_beam = tip(beam, beam.node_names(0))
        print(f"{n:3d} elements: cable {of_cable}, beam {of_beam}")
    return float(-of_cable[1])


if __name__ == "__main__":
    main()
