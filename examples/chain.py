"""A chain of rigid links in space, released from rest.

Ball joints leave all rotations free. The motion is chaotic in the long run, so the checks use what every motion
satisfies: the energy balance, and Newton's law for the whole chain, which gives the force in the upper joint.
"""

import numpy as np

import panhead as ph
from panhead.engine.methods.simulate import simulate
from panhead.engine.multibody.model_dataset import dataset

#: Largest pull in the upper joint over the chain's weight while it falls from a level position.
EXPECTED = (4.27, 4.28)
LINKS, LENGTH, MASS = 6, 0.3, 0.5


def chain() -> ph.Model:
    """Links lie in a row along x, the first one on a joint at the origin."""
    bodies, joints, above = [], [], ph.bodies.ground.at()
    for k in range(LINKS):
        link = ph.bodies.RigidBody(
            name=f"link{k}",
            mass=MASS,
            inertia=(1e-4, MASS * LENGTH**2 / 12, MASS * LENGTH**2 / 12),
            position=((k + 0.5) * LENGTH, 0.0, 0.0),
        )
        joints.append(ph.joints.Spherical(name=f"ball{k}", a=above, b=link.at((-LENGTH / 2, 0.0, 0.0))))
        bodies.append(link)
        above = link.at((LENGTH / 2, 0.0, 0.0))
    return ph.Model(name="chain", items=(*bodies, *joints), gravity=(0.0, 0.0, -9.81))


def main() -> float:
    model = chain()
    system = model.system()
    motion = simulate(system, system.start, duration=1.0, dt=1e-3, method=ph.GeneralizedAlpha())
    result = dataset(model, system, motion)
    pull = result["reaction"].sel(joint="ball0") / (LINKS * MASS * 9.81)
    end = [float(result["q"].sel(coordinate=f"link{LINKS - 1}.{x}")[-1]) for x in "xyz"]
    print(f"pull in the upper joint: at most {float(pull.max()):.2f} of the weight")
    print(f"last link after 1 s at {np.round(end, 3)} m")
    print(f"energy not accounted for: at most {float(np.abs(result['balance']).max()):.1e} J")
    return float(pull.max())


if __name__ == "__main__":
    main()
