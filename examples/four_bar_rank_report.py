"""A four-bar linkage with a redundant closure: the rank report names it."""

import numpy as np
from casadi import cos, sin

from panhead.engine.methods.equilibrium import assemble_configuration
from panhead.engine.methods.rank import rank_report, require_independent
from panhead.engine.symbolic import Closure, Mechanism, PlacedBody, SymbolicSystem, coordinates
from panhead.errors import ConstraintError

#: Degrees of freedom that remain.
EXPECTED = (1, 1)


def four_bar(*, twice: bool) -> SymbolicSystem:
    """Crank 1 m, coupler 3 m, rocker 2 m over a frame of 3 m, closed at the rocker's head.

    ``twice`` adds that the rocker is 2 m long: true, but the closure says so already.
    """
    a, b, c = q = coordinates("crank", "coupler", "rocker")
    end = (cos(a) + 3 * cos(b), sin(a) + 3 * sin(b))
    head = (3 + 2 * cos(c), 2 * sin(c))
    pin = Closure(name="rocker pin", equations=(end[0] - head[0], end[1] - head[1]), labels=("x", "y"))
    length = Closure(name="rocker length", equations=((end[0] - 3) ** 2 + end[1] ** 2 - 4,))
    centres = {a: (cos(a) / 2, sin(a) / 2), b: (cos(a) + 1.5 * cos(b), sin(a) + 1.5 * sin(b)), c: (3 + cos(c), sin(c))}
    rods = tuple(
        PlacedBody(name=angle.name(), mass=1.0, inertia=0.1, angle=angle, position=centre)
        for angle, centre in centres.items()
    )
    closures = (pin, length) if twice else (pin,)
    return SymbolicSystem(Mechanism(name="four-bar", coordinates=q, units=("rad",) * 3, bodies=rods, closures=closures))


def main() -> float:
    """Report on the good linkage and on the one that says a thing twice; freedoms of the latter."""
    guess = np.array([1.0, 0.3, 1.5])
    good, doubled = four_bar(twice=False), four_bar(twice=True)
    print(rank_report(good, assemble_configuration(good, guess)), end="\n\n")
    q = assemble_configuration(doubled, guess)
    try:
        require_independent(doubled, q)
    except ConstraintError as error:
        print(error)
    return rank_report(doubled, q).freedoms


if __name__ == "__main__":
    main()
