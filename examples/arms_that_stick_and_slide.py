"""Two arms hang from a point that rubs on an elastic beam: it sticks until the arms pull harder than friction holds.

The paper's constraint (Lipinski 2023) with Coulomb's law on its reaction, |F| ≤ µ |λ|: no bristle, no creep.
"""

from panhead.engine.methods.simulate import simulate
from panhead.runs.library.pendulum_on_beam_contact import rubbing_model

#: When the point lets go after the release [s].
EXPECTED = (0.12, 0.16)


def main() -> float:
    """The time of the first sliding."""
    case = rubbing_model(elements=10, friction=0.2)
    motion = simulate(case.system, case.start, duration=0.5, dt=2e-3)
    seen = motion.contacts
    slides = seen.slip[:, 0] > 1e-9
    share = seen.friction[1:, 0] / abs(seen.normal[1:, 0])
    print(f"friction is at most {share.max():.6f} of the normal force; rubbed away: {seen.lost[-1, 1]:.3f} J")
    return float(motion.t[slides][0])


if __name__ == "__main__":
    main()
