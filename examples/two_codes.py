"""Co-simulation of a line and a pantograph: the error of non-iterated exchange.

The reference line of EN 50318 is integrated by Newmark's method, its two-mass pantograph is a multibody model. They
exchange every millisecond: in parallel, one after the other, or iterated until they agree. The monolithic solution
shows the error of each scheme in contact force and in energy at the interface.
"""

import panhead as ph
from panhead.railway.line import linear_line, string
from panhead.railway.pantograph.pantograph_files import read_pantograph
from panhead.runs.coupled.coupled_problem import cosimulate
from panhead.runs.coupled.exchange_schemes import GaussSeidel, Iterated, Jacobi
from panhead.runs.coupled.monolith import solve_monolithic
from panhead.runs.coupled.placement import place_lifted
from panhead.runs.timetable import Timetable

#: Distance of the loosest exchange from the truth, root mean square of the contact force [N].
EXPECTED = (2.5, 3.7)

SCHEMES = {
    "side by side": Jacobi(),
    "side by side, straight on": Jacobi(extrapolation="linear"),
    "one after the other": GaussSeidel(),
    "one after the other, straight on": GaussSeidel(extrapolation="linear"),
    "until they agree": Iterated(),
}


def main() -> float:
    """Couple in five ways; the distance of the loosest from the truth."""
    line = linear_line(string(ph.read_line("en50318-2002")), element_length=2.0, spans=(0, 3))
    way = Timetable.of(250 / 3.6, (), 30.0, 0.0)
    encounter = place_lifted(line, way, read_pantograph("en50318-2002"), ramp=0.2).encounter
    truth = solve_monolithic(encounter, duration=0.32)
    distance = {}
    for name, scheme in SCHEMES.items():
        run = cosimulate(encounter, scheme, duration=0.32, truth=truth)
        distance[name] = run.attrs["distance_rms"]
        made, passed = run.attrs["interface_energy_error"], float(run["interface_energy"][-1])
        print(
            f"{name:33} {distance[name]:8.1e} N from the truth, {1e3 * made:8.1e} mJ of "
            f"{1e3 * passed:.0f} mJ made or lost, {run.attrs['iterations_mean']:.1f} repetitions"
        )
    return distance["side by side"]


if __name__ == "__main__":
    print(f"distance of the loosest exchange {main():.2f} N")
