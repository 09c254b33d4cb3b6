"""A hanging chain of three masses: static equilibrium, redundant coordinates, modes.

The same chain is described by three angles, and by the six coordinates of its masses with three
closures. Both must have the same frequencies.
"""

import numpy as np
from casadi import cos, sin

import panhead as ph
from panhead.engine.methods.modes import linearise
from panhead.engine.symbolic import Closure, Gravity, Mechanism, PlacedBody, SymbolicSystem, coordinates

#: Lowest frequency [Hz]: √(x g/l) / 2π, x = 0.41577 the least root of Laguerre's polynomial L₃.
EXPECTED = (0.45456, 0.45457)
LINK = 0.5


def chain(name: str, q: tuple, places: list, closures: tuple = ()) -> SymbolicSystem:
    """Three masses of 1 kg at ``places``."""
    bodies = tuple(PlacedBody(name=f"mass {i}", mass=1.0, position=p) for i, p in enumerate(places))
    units = ("",) * len(q)
    parts = {"bodies": bodies, "closures": closures, "gravity": Gravity()}
    return SymbolicSystem(Mechanism(name=name, coordinates=q, units=units, **parts))


def by_angles() -> SymbolicSystem:
    """Angles from the vertical; nothing to close."""
    q = coordinates("first", "second", "third")
    x = np.cumsum([LINK * sin(angle) for angle in q])
    y = np.cumsum([-LINK * cos(angle) for angle in q])
    return chain("by angles", q, list(zip(x, y, strict=True)))


def by_positions() -> SymbolicSystem:
    """Two coordinates per mass; every link is a closure, written as a length."""
    q = coordinates("x1", "y1", "x2", "y2", "x3", "y3")
    places = [q[0:2], q[2:4], q[4:6]]
    closures = []
    for i, (a, b) in enumerate(zip([(0.0, 0.0), *places], places, strict=False)):
        squared = (a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2
        closures.append(Closure(name=f"link {i}", equations=((squared - LINK**2) / (2 * LINK),)))
    return chain("by positions", q, places, tuple(closures))


def main() -> float:
    """Frequencies both ways; the lowest in Hz, of the description they agree on."""
    places = np.array([0.1, -0.4, 0.1, -0.9, 0.0, -1.4])
    lowest = []
    for system, guess in ((by_angles(), np.full(3, 0.2)), (by_positions(), places)):
        small = ph.modes(linearise(system, *ph.equilibrium(system, guess)))
        print(f"{system.name}: " + ", ".join(f"{f:.6f} Hz" for f in small.frequency))
        lowest.append(float(small.frequency[0]))
    return max(lowest) if abs(lowest[0] - lowest[1]) < 1e-9 else np.nan


if __name__ == "__main__":
    main()
