"""The numbers of the multibody cases, written once for every road that computes them.

SI units; y upward where there is a plane, z upward in space; g = 9.81 m/s². What the numbers mean
(which point is held, where a motion starts) stands with each class.
"""

from dataclasses import dataclass

GRAVITY = 9.81  #: [m/s²]


@dataclass(frozen=True, slots=True, kw_only=True)
class PendulumOnBeam:
    """Two arms hang from a point that slides on a beam: [Lipinski23, section 5].

    The upper end of the first arm slides along the beam, its lower end carries the second arm.
    The beam is clamped at x = 0 and x = length and, as printed, has no weight of its own. The pair
    of 100 N·m between the arms cannot be balanced with g = 9.81: the second arm weighs at most
    m g l/2 = 98.1 N·m about its hinge. Both g = 10 (where 100 N·m is exactly that limit) and the
    limit moment itself lead to one pose, the second arm level, the centre of mass under the
    sliding point, which is at mid-span; the start is this pose at rest, the pair let go.
    """

    length: float = 5.0
    elements: int = 50
    area: float = 1.5e-4
    second_moment: float = 2.81e-9
    density: float = 7860.0
    young: float = 2.1e11
    arms: tuple[float, float] = (1.5, 1.0)
    masses: tuple[float, float] = (20.0, 20.0)
    inertias: tuple[float, float] = (2.0, 2.0)  # about the centres
    gravity: float = GRAVITY
    duration: float = 1.0
    shown_nodes: tuple[int, ...] = (8, 16, 25, 34, 42)  # of 0 … 50


PENDULUM_ON_BEAM = PendulumOnBeam()


@dataclass(frozen=True, slots=True, kw_only=True)
class SlidingMass:
    """A point mass on a stretched cable of cubic ANCF elements, pinned at (0, …) and (length, 0, …).

    S ∈ [0, length] is the place along the straight cable *under its tension*: there N = tension,
    elsewhere N = tension + EA (|r'| − 1) and M = EI κ with κ = |r' × r''|/|r'|²; mass per length
    of S. Gradients at the ends are free. The start: static equilibrium under gravity with the
    mass held at x = start by a force along x (the cable feels the normal force alone), then the
    mass is let go with `speed` along the tangent, and the nodes with the sideways velocities
    v = sideways · sin(πS/length), v' = sideways · π/length · cos(πS/length), which the mass shares.
    Quadrature: `axial_points` Gauss points for N, `bending_points` for M.
    """

    dimension: int
    length: float = 20.0
    elements: int = 20
    line_mass: float = 1.0
    tension: float
    EA: float
    EI: float
    mass: float = 5.0
    start: float
    speed: float
    sideways: float
    gravity: float = GRAVITY
    axial_points: int = 5
    bending_points: int = 3
    times: tuple[float, ...]


SLIDING_PLANAR = SlidingMass(
    dimension=2,
    tension=2e3,
    EA=5e5,
    EI=20.0,
    start=4.0,
    speed=4.0,
    sideways=0.0,
    times=(0.0, 0.5, 1.0, 1.5, 2.0, 2.5),
)
SLIDING_SPATIAL = SlidingMass(
    dimension=3,
    tension=500.0,
    EA=1e5,
    EI=5.0,
    start=6.0,
    speed=0.0,
    sideways=3.0,
    times=(0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class FourBars:
    """IFToMM A02: n loops of 1 kg, 1 m rods, upright, B₀ starting with (1, 0) m/s; see iftomm_a02."""

    n: int
    times: tuple[float, ...] = (0.5, 1.0, 2.0, 5.0, 10.0)


FOUR_BARS = (FourBars(n=2), FourBars(n=40))
