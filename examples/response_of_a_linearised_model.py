"""A crane trolley with a hanging load: frequency response of the load to the trolley's drive, by SciPy as well."""

import numpy as np

import panhead as ph
from panhead.engine.methods.linear_response import frequency_response, to_scipy
from panhead.engine.methods.modes import linearise

#: Frequency at which the load swings most [Hz]; √(g/l (1 + m/M)) / 2π = 0.3033 without damping.
EXPECTED = (0.300, 0.306)


def main() -> float:
    """Frequency of the largest response of the load."""
    trolley = ph.bodies.PlanarBody(name="trolley", mass=6.0, inertia=1.0, position=(0.0, 0.0))
    load = ph.bodies.PlanarBody(name="load", mass=2.0, inertia=1e-6, position=(0.0, -3.6))
    items = (
        trolley, load,
        ph.joints.Held(name="guide", values={"trolley.y": 0.0, "trolley.angle": 0.0}),
        ph.joints.Revolute(name="rope", a=trolley.at(), b=load.at_world((0.0, 0.0))),
        ph.forces.SpringDamper(name="friction", along="trolley.x", damping=0.2),
        ph.forces.Actuator(name="drive", along="trolley.x"),
    )  # fmt: skip
    system = ph.Model(name="crane", items=items, gravity=(0.0, -9.81, 0.0)).system()
    q, lam = ph.equilibrium(system, system.start.q)
    linear = linearise(system, q, lam)
    frequency = np.linspace(0.2, 0.5, 601)
    swing = np.abs(frequency_response(linear, frequency)[:, system.place("load.angle"), 0])
    exported = to_scipy(linear, system, ["load.angle"])
    at = 2j * np.pi * frequency[100] * np.eye(len(exported.A)) - exported.A
    assert np.isclose(abs((exported.C @ np.linalg.solve(at, exported.B))[0, 0]), swing[100])
    return float(frequency[swing.argmax()])


if __name__ == "__main__":
    print(f"the load swings most at {main():.4f} Hz")
