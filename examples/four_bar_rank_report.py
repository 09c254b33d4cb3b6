"""A four-bar linkage with one closure too many: the rank report names it in words."""

from collections.abc import Callable

import numpy as np
from casadi import cos, sin

from panhead.equilibrium import assembled
from panhead.errors import ConstraintError
from panhead.rank import rank_report, require_independent
from panhead.symbolic import Body, Closure, Mechanism, SymbolicSystem, coordinates

#: Degrees of freedom that remain.
EXPECTED = (1, 1)


def four_bar(*extra: Callable[[tuple, tuple], Closure]) -> SymbolicSystem:
    """Crank 1 m, coupler 3 m, rocker 2 m over a frame of 3 m, closed at the rocker's foot."""
    a, b, c = q = coordinates("crank", "coupler", "rocker")
    pin = (cos(a) + 3 * cos(b), sin(a) + 3 * sin(b))
    foot = Closure(name="rocker foot", labels=("x", "y"),
                   equations=(pin[0] - 2 * cos(c) - 3, pin[1] - 2 * sin(c)))
    rods = ((a, (cos(a) / 2, sin(a) / 2)), (b, (cos(a) + 1.5 * cos(b), sin(a) + 1.5 * sin(b))),
            (c, (3 + cos(c), sin(c))))
    bodies = tuple(Body(name=str(angle), mass=1.0, inertia=0.1, angle=angle, position=place)
                   for angle, place in rods)
    more = tuple(make(pin, q) for make in extra)
    return SymbolicSystem(Mechanism(name="four-bar", coordinates=q, units=("rad",) * 3, bodies=bodies,
                                    closures=(foot, *more)))


def rod_length(pin: tuple, q: tuple) -> Closure:
    """The rocker is 2 m long: true, but the foot closure says so already."""
    return Closure(name="rocker length", equations=((pin[0] - 3) ** 2 + pin[1] ** 2 - 4,))


def main() -> float:
    """Report on the good linkage and on the one that says a thing twice; freedoms of the latter."""
    guess = np.array([1.0, 0.3, 1.5])
    good, doubled = four_bar(), four_bar(rod_length)
    print(rank_report(good, assembled(good, guess)), end="\n\n")
    q = assembled(doubled, guess)
    try:
        require_independent(doubled, q)
    except ConstraintError as error:
        print(error)
    return rank_report(doubled, q).freedoms


if __name__ == "__main__":
    main()
