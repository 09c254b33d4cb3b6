"""A loose dropper clamp in the way of a pantograph at 200 km/h: it strikes the bevelled edge of the collector strip.

The CX pantograph from its printed tables, all seven bodies, pressing with 157 N. The clamp hits 0.2 m to the left of
the middle; the bevel turns a part of the speed along the track into a blow that throws the head down and rolls it.
"""

import numpy as np

import panhead as ph
from panhead.engine.bodies import PointMass
from panhead.engine.forces import ImpactLaw, PlaneContact
from panhead.engine.methods.simulate import simulate
from panhead.engine.methods.trajectory import State
from panhead.railway.pantograph.linkage_pantograph import LinkagePantograph
from panhead.railway.pantograph.pantograph_statics import equilibrium_at_height

SPEED, CLAMP, BEVEL, LEFT = 200 / 3.6, 0.25, np.radians(15.0), 0.2  # m/s, kg, assumptions
LAW = ImpactLaw(restitution=0.4, friction=0.2)
HEIGHT, FORCE = 1.51, 157.0

#: Normal impulse [N·s]. By hand (1 + e) V sin α / (D_nn + µ D_nt): 1/D is the mass the clamp and the three freedoms
#: of the head (arms, travel, roll) show along the normal; see ``panhead.validation.cx.by_hand.impact_response``.
EXPECTED = (4.061, 4.062)


def struck() -> tuple[ph.Model, dict[str, float]]:
    """The model, and where its coordinates start."""
    stand = equilibrium_at_height(LinkagePantograph(), height=HEIGHT, force=FORCE)
    places = dict(zip(stand.system.coordinates, stand.state.q.tolist(), strict=True))
    head = next(x for x in stand.mechanics.items if x.name == "head")
    x, z = places["head.x"], places["head.z"]
    normal = (float(np.sin(BEVEL)), 0.0, float(np.cos(BEVEL)))
    ahead = tuple(np.array([x, LEFT, z]) + 1e-5 * np.array(normal))
    clamp = PointMass(name="clamp", mass=CLAMP, position=ahead, velocity=(-SPEED, 0.0, 0.0))
    edge = PlaneContact(
        name="edge", plane=head.at((0.0, LEFT, 0.0), axis=normal, across=(0.0, 1.0, 0.0)),
        point=clamp.at(), law=LAW, shown=0.1,
    )  # fmt: skip
    return ph.Model(name="pantograph struck by a clamp", items=(*stand.mechanics.items, clamp, edge)), places


def main() -> float:
    """The impulse of the first impact."""
    model, places = struck()
    system = model.system()
    q = system.start.q.copy()
    for k, name in enumerate(system.coordinates):
        q[k] = places.get(name, q[k])
    motion = simulate(system, State(q=q, v=system.start.v), duration=2e-3, dt=1e-4)
    first = motion.contacts.strikes[0]
    down = float(motion.v[-1, system.place("head.z")])
    print(f"after {1e3 * first.t:.3f} ms a blow of {first.impulse:.3f} N·s that takes {first.lost:.1f} J")
    print(f"head at {down:.2f} m/s, rolls with {2 * motion.v[-1, system.place('head.e1')]:.1f} rad/s")
    return first.impulse


if __name__ == "__main__":
    main()
