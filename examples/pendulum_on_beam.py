"""Two arms swing from a point that slides on an elastic beam: the example of Lipinski (2023), figures 4 and 5.

The arms are written in joint coordinates, the beam in cubic elements. The height of the sliding point and the forces
that hold the beam's ends are eliminated in closed form; what remains is an ordinary differential equation. Energy is
kept because the beam pushes along its normal, not upward. Run as a script it draws both figures into a file.
"""

import numpy as np

import panhead as ph
from panhead.engine.methods.formulations import Eliminated
from panhead.engine.methods.simulate import simulate
from panhead.runs.library.pendulum_on_beam import ARMS, LENGTH, pendulum_on_beam

#: Lowest point that the middle of the beam reaches within the first second [m].
EXPECTED = (-0.613, -0.610)

ELEMENTS = 20
HELD = tuple(f"beam.{k}{field}" for k in (0, ELEMENTS) for field in ("w", "w'"))


def motion():
    """The system and its motion over one second; the step resolves the waves that matter."""
    system, start = pendulum_on_beam(elements=ELEMENTS)
    form = Eliminated(dependent=(*HELD, "root.y"))
    method = ph.GeneralizedAlpha(tolerance=1e-9)
    return system, simulate(system, start, duration=1.0, dt=2e-3, keep=0.01, method=method, formulation=form)


def draw(system, run, path: str) -> None:
    """Deflection of the mid-point over time, and poses every 0.2 s."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplot_mosaic([["w"] * 3, [0, 1, 2], [3, 4, 5]], figsize=(9, 8))
    axes["w"].plot(run.t, run.q[:, system.place(f"beam.{ELEMENTS // 2}w")])
    axes["w"].set(xlabel="t [s]", ylabel="mid-point [m]", xlim=(0, 1))
    nodes = [system.place(f"beam.{k}w") for k in range(ELEMENTS + 1)]
    for pose in range(6):
        q, ax = run.q[20 * pose], axes[pose]
        x, y, first, between = (q[system.place(n)] for n in system.coordinates[:4])
        angles = np.array([first, first + between])
        steps = np.array(ARMS) * np.array([np.sin(angles), -np.cos(angles)])
        joints = np.cumsum(np.column_stack([(x, y), steps]), axis=1)
        ax.plot(np.linspace(0, LENGTH, ELEMENTS + 1), q[nodes], "k-", lw=1)
        ax.plot(*joints, "o-", ms=3)
        ax.set(title=f"t = {0.2 * pose:.1f} s", aspect="equal", xlim=(0, LENGTH), ylim=(-3.2, 0.3))
    figure.tight_layout()
    figure.savefig(path, dpi=110)


def main() -> float:
    """Lowest point of the middle of the beam."""
    system, run = motion()
    return float(run.q[:, system.place(f"beam.{ELEMENTS // 2}w")].min())


if __name__ == "__main__":
    draw(*motion(), "pendulum_on_beam.png")
