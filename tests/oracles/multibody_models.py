"""The numbers of the multibody cases, written once for every road that computes them.

SI units; y upward where there is a plane, z upward in space; g = 9.81 m/s². What the numbers mean
(which point is held, where a motion starts) stands with each class.
"""

from dataclasses import dataclass
from math import pi

GRAVITY = 9.81  #: [m/s²]


@dataclass(frozen=True, slots=True, kw_only=True)
class PendulumOnBeam:
    """Two arms hang from a point that slides on a beam: [Lipinski23, section 5].

    The upper end of the first arm slides along the beam, its lower end carries the second arm.
    The beam is clamped (or pinned) at x = 0 and x = length and has no weight of its own. The pair
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
    clamped: bool = True
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
    dimension=2, tension=2e3, EA=5e5, EI=20.0, start=4.0, speed=4.0, sideways=0.0, times=(0.0, 0.5, 1.0, 1.5, 2.0, 2.5)
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Cantilever:
    """A square steel bar clamped at x = 0 (position and the slope's y held), tip force downward."""

    length: float = 2.0
    young: float = 2.07e11
    side: float = 0.1
    meshes: tuple[int, ...] = (4, 8, 16, 32, 64)

    @property
    def EA(self) -> float:
        return self.young * self.side**2

    @property
    def EI(self) -> float:
        return self.young * self.side**4 / 12

    @property
    def force(self) -> float:
        return 3 * self.EI / self.length**2


@dataclass(frozen=True, slots=True, kw_only=True)
class FlexiblePendulum:
    """A rubber rod, straight along +x and at rest, pinned at the origin (gradient free), falls."""

    length: float = 1.0
    elements: int = 16
    line_mass: float = 0.35
    EA: float = 600.0
    EI: float = 0.015
    gravity: float = GRAVITY
    times: tuple[float, ...] = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class SliderCrank:
    """A rigid crank about the origin, an elastic rod of ANCF elements, a block on the x axis.

    The rod is pinned to the crank's tip and to the block (gradients free). Start: crank at
    `angle` from +x with `speed`, rod straight and unstrained, moving as a rigid body; gravity acts
    on crank and rod. The crank is a uniform bar.
    """

    crank: float = 0.15
    crank_mass: float = 1.0
    rod: float = 0.5
    elements: int = 8
    line_mass: float = 0.6
    EA: float = 2e4
    EI: float = 1.0
    block: float = 0.4
    angle: float = pi / 4
    speed: float = 20.0
    gravity: float = GRAVITY
    times: tuple[float, ...] = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5)


CANTILEVER = Cantilever()
FLEXIBLE_PENDULUM = FlexiblePendulum()
SLIDER_CRANK = SliderCrank()


@dataclass(frozen=True, slots=True, kw_only=True)
class Chain:
    """Equal rigid links in space, ball joints between them, the first one at the origin; z upward.

    A link's own x axis runs along it, its centre is in the middle, `inertia` is about its own axes.
    Start, at rest: link k = 0, 1, … stands at R = R_z(0.5 k) R_y(0.3 + 0.1 k), its x axis
    (cos β cos α, cos β sin α, −sin β) with α = 0.5 k, β = 0.3 + 0.1 k.
    """

    links: int
    length: float = 0.5
    mass: float = 1.0
    inertia: tuple[float, float, float] = (0.004, 0.02, 0.022)
    gravity: float = GRAVITY
    times: tuple[float, ...] = (0.0, 0.25, 0.5, 0.75, 1.0)

    def angles(self, k: int) -> tuple[float, float]:
        """(α, β) of link k."""
        return 0.5 * k, 0.3 + 0.1 * k


@dataclass(frozen=True, slots=True, kw_only=True)
class SpatialSliderCrank:
    """A crank about an axis along x, a rod with a ball at the crank's tip, a block along the x axis.

    Crank tip B = A + crank (0, sin θ, cos θ), block at C = (s, 0, 0), s > 0, z upward. Rod frame: x
    from B to C, centre in the middle. Two ways to hold block and rod:
    `universal`: universal joint at C with the axes z of the block and y of the rod, which stay at
    right angles, y = z_block × x/|…|; the block on a prismatic joint;
    `cylindrical`: revolute joint at C along the common y of rod and block; the block on a
    cylindrical joint turns about x: y = x_block × x/|…|, z_block = x_block × y.
    Bodies' inertias are about their centres and own axes; the crank's frame is turned by θ about −x
    (θ grows from +z towards +y). Gravity along −z.
    """

    joints: str
    pivot: tuple[float, float, float] = (0.0, 0.1, 0.12)
    crank: float = 0.08
    crank_mass: float = 0.12
    crank_inertia: tuple[float, float, float] = (1e-4, 1e-4, 1e-5)
    rod: float = 0.3
    rod_mass: float = 0.5
    rod_inertia: tuple[float, float, float] = (6e-4, 4e-3, 3.5e-3)
    block_mass: float = 2.0
    block_inertia: tuple[float, float, float] = (1e-3, 1e-3, 1e-3)
    angle: float = 0.0
    speed: float = 20.0
    gravity: float = GRAVITY
    times: tuple[float, ...] = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class HookeShaft:
    """Two shafts that meet at the origin in a universal joint, at an angle `bend`; no gravity.

    Shaft 1 turns about x (revolute). Shaft 2 runs along a = (cos bend, sin bend, 0); its far end, at
    0.6 m, stays on the line along a (point on line). The joint keeps the y axis of shaft 1 and the z
    axis of shaft 2 at right angles; both frames are unturned at angles zero (z up, x along).
    tan φ₂ = tan φ₁/cos bend, and ½ I₁ φ̇₁² + ½ I₂ φ̇₂² is constant.
    """

    bend: float = 0.6
    far: float = 0.6
    masses: tuple[float, float] = (1.0, 2.0)
    inertias: tuple[tuple[float, float, float], ...] = ((0.02, 0.01, 0.01), (0.03, 0.05, 0.05))
    centres: tuple[float, float] = (-0.2, 0.3)  # along the shafts' own x axes
    speed: float = 10.0
    times: tuple[float, ...] = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)


CHAINS = (Chain(links=3), Chain(links=20))
SPATIAL_SLIDER_CRANKS = (SpatialSliderCrank(joints="universal"), SpatialSliderCrank(joints="cylindrical"))
HOOKE_SHAFT = HookeShaft()
