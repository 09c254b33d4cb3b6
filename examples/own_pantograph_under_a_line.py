"""A user-defined pantograph under an overhead line: one arm, a rod that keeps the head level, a head on a spring.

The arm turns about A on the roof and carries the head's fork at C; a rod from B on the roof to D on the fork makes a
parallelogram of them; a constant moment on the arm lifts it all.
"""

from math import atan2

import panhead as ph
from panhead.engine.bodies import RigidBody, ground
from panhead.engine.forces import Slide, SpringDamper, Twist
from panhead.engine.joints import Distance, Prismatic, Revolute
from panhead.engine.rotations import about

EXPECTED = (30.0, 38.0)  # deviation of the contact force at 160 km/h, cables [N]
Y = (0.0, 1.0, 0.0)  # hinges turn about y, the roof is the ground


def pantograph(force: float = 100.0) -> ph.ModelPantograph:
    """It presses with about ``force`` where it stands, 1.2 m above the roof."""
    arm = RigidBody(
        name="arm", mass=20.0, inertia=(0.2, 6.0, 6.0), position=(0.75, 0.0, 0.5),
        attitude=about(Y, -atan2(1.0, 1.5)),
    )  # fmt: skip
    fork = RigidBody(name="fork", mass=2.0, inertia=(0.1, 0.1, 0.1), position=(1.5, 0.0, 1.0))
    head = RigidBody(name="head", mass=9.0, inertia=(1.5, 0.2, 1.5), position=(1.5, 0.0, 1.2))
    moment = (force + 11.0 * 9.81) * 1.5 + 20.0 * 9.81 * 0.75  # of forces and weights about A
    items = (
        arm, fork, head,
        Revolute(name="A", a=ground.at(axis=Y), b=arm.at_world((0.0, 0.0, 0.0), axis=Y)),
        Revolute(name="C", a=arm.at_world((1.5, 0.0, 1.0), axis=Y), b=fork.at(axis=Y)),
        Distance(name="rod", a=ground.at((0.0, 0.0, -0.2)), b=fork.at((0.0, 0.0, -0.2)), length=3.25**0.5),
        Prismatic(name="guide", a=fork.at(), b=head.at()),
        SpringDamper(
            name="spring", along=Slide(a=fork.at(), b=head.at()), stiffness=7e3, damping=40.0,
            rest=0.2 + (force + 9.0 * 9.81) / 7e3,
        ),
        SpringDamper(name="damper", along="fork.z", damping=60.0),
        Twist(name="lift", at=arm.at(), torque=(0.0, -moment, 0.0)),
    )  # fmt: skip
    return ph.ModelPantograph(model=ph.Model(name="one arm", items=items), strip=head.at())


def main() -> float:
    """Mean and deviation by cables (large deflections, one system) and by two codes that meet at every step."""
    journey = ph.Journey(start=70.0, duration=2.5, judged_from=120.0, judged_to=180.0)
    deviations = []
    for solver in ("coupled", "cables"):
        run = ph.Run(
            line="ancf-simple", train=(ph.OnTrain(pantograph=pantograph()),), speed=160 / 3.6,
            solver=solver, journey=journey, numerics=ph.Numerics(element_length=3.125),
        )  # fmt: skip
        force = ph.run(run)["contact_force"].sel(time=slice(1.125, 2.475))
        print(f"{solver}: {float(force.mean()):.1f} ± {float(force.std()):.1f} N")
        deviations.append(float(force.std()))
    return deviations[-1]


if __name__ == "__main__":
    main()
