"""A pantograph of one's own under a line: bodies, a guide, springs and a lift, in a few lines.

Any model of bodies and joints can be a pantograph: its ground is the roof, one place on it is the middle of the strip.
Here a head rests on a frame that a constant force lifts. The run begins in equilibrium under the wire, so that the
contact force starts with what is left of the lift: 120 N.
"""

import panhead as ph

HEAD, FRAME, FORCE = 8.0, 14.0, 120.0  # kg, kg, N
#: Mean contact force of the judged part [N].
EXPECTED = (115.0, 130.0)


def own_pantograph() -> ph.ModelPantograph:
    """Two masses on guides, the head sprung on the frame."""
    roof, up = ph.bodies.ground, (0.0, 0.0, (HEAD + FRAME) * 9.81 + FORCE)
    frame = ph.bodies.RigidBody(
        name="frame", mass=FRAME, inertia=(1.0, 1.0, 1.0), position=(0, 0, 1.0)
    )
    head = ph.bodies.RigidBody(name="head", mass=HEAD, inertia=(0.5, 0.1, 0.5), position=(0, 0, 1.2))
    suspension = ph.forces.SpringDamper(
        name="suspension", along=ph.forces.Slide(a=frame.at(), b=head.at()), stiffness=5e3,
        damping=30.0, rest=0.2 + HEAD * 9.81 / 5e3 + FORCE / 5e3,
    )  # fmt: skip
    items = (
        frame, head, suspension,
        ph.joints.Prismatic(name="mast", a=roof.at(), b=frame.at()),
        ph.joints.Prismatic(name="guide", a=frame.at(), b=head.at()),
        ph.forces.SpringDamper(
            name="arms", along=ph.forces.Slide(a=roof.at(), b=frame.at()), stiffness=50.0, damping=90.0, rest=1.0),
        ph.forces.Push(name="lift", at=frame.at(), force=up),
    )  # fmt: skip
    return ph.ModelPantograph(model=ph.Model(name="my own", items=items), strip=head.at())


def main() -> float:
    """Under the reference line of EN 50318 at 250 km/h, as two codes; the mean contact force."""
    run = ph.Run(
        line="en50318-2002",
        train=(ph.OnTrain(pantograph=own_pantograph()),),
        speed=250 / 3.6,
        solver="coupled",
        journey=ph.Journey(start=30.0, stop=180.0, judged_from=90.0, judged_to=170.0),
        numerics=ph.Numerics(element_length=2.0),
    )
    result = ph.run(run)
    (criteria,) = ph.judgement(result)[""].values()
    found = {c.key: c for c in criteria}
    print(f"{result.verdict}; deviation {found['deviation'].value:.1f} N")
    return float(found["mean_force"].value)


if __name__ == "__main__":
    print(f"mean contact force {main():.1f} N")
