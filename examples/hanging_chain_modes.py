"""A hanging chain of three rods: static equilibrium, redundant coordinates, modes.

The same chain is described twice, by three angles and by the six coordinates of its joints with
three closures. Both must have the same frequencies.
"""

import numpy as np
from casadi import cos, sin

from panhead.equilibrium import equilibrium
from panhead.modes import linearise, modes
from panhead.symbolic import Body, Closure, Gravity, Mechanism, SymbolicSystem, coordinates

#: Lowest frequency [Hz]: √(x g/l) / 2π with x = 0.41577, the least root of Laguerre's polynomial L₃.
EXPECTED = (0.4545, 0.4547)
LINK, COUNT = 0.5, 3


def by_angles() -> SymbolicSystem:
    """Angles from the vertical; nothing to close."""
    q = coordinates(*(f"angle{i}" for i in range(COUNT)))
    bodies, x, y = [], 0.0, 0.0
    for i, angle in enumerate(q):
        x, y = x + LINK * sin(angle), y - LINK * cos(angle)
        bodies.append(Body(name=f"mass {i}", mass=1.0, position=(x, y)))
    return SymbolicSystem(Mechanism(name="chain by angles", coordinates=q, units=("rad",) * COUNT,
                                    bodies=tuple(bodies), gravity=Gravity()))


def by_positions() -> SymbolicSystem:
    """Two coordinates per mass; every link is a closure."""
    q = coordinates(*(f"{c}{i}" for i in range(COUNT) for c in "xy"))
    places = [(q[2 * i], q[2 * i + 1]) for i in range(COUNT)]
    tops = [(0.0, 0.0), *places[:-1]]
    bodies = tuple(Body(name=f"mass {i}", mass=1.0, position=place) for i, place in enumerate(places))
    closures = tuple(
        Closure(name=f"link {i}", equations=((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2 - LINK**2,))
        for i, (a, b) in enumerate(zip(tops, places, strict=True)))
    return SymbolicSystem(Mechanism(name="chain by positions", coordinates=q, units=("m",) * (2 * COUNT),
                                    bodies=bodies, closures=closures, gravity=Gravity()))


def main() -> float:
    """Frequencies both ways; the lowest in Hz."""
    by_place = np.array([0.1, -0.4, 0.1, -0.9, 0.0, -1.4])
    lowest = []
    for system, guess in ((by_angles(), np.full(COUNT, 0.2)), (by_positions(), by_place)):
        q, lam = equilibrium(system, guess)
        small = modes(linearise(system, q, lam))
        print(f"{system.name}: " + ", ".join(f"{f:.6f} Hz" for f in small.frequency))
        lowest.append(small.frequency[0])
    if abs(lowest[0] - lowest[1]) > 1e-9:
        raise ArithmeticError("two descriptions of one chain disagree")
    return float(lowest[1])


if __name__ == "__main__":
    main()
