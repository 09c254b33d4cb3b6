"""Roles of model items: bodies own coordinates, forces act, constraints must stay zero.

Every item writes down expressions once (energies, efforts, residuals); residuals of motion, exact tangents,
biases, powers and sensitivities are derived from them. Items of the same law share one compiled function
and differ in the numbers of a table.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import Field, dataclass, field, fields, is_dataclass
from typing import Any, Literal, final, get_args

import casadi as ca
import numpy as np

from panhead.engine.external_calls import derivative, recorded
from panhead.errors import ModelError, alternatives, label, require_not_negative, require_one_of

Expression = Any  #: a CasADi SX matrix
Triple = tuple[float, float, float]
Account = Literal["dissipated", "driver", "control"]


@final
@dataclass(frozen=True, slots=True)
class Frame:
    """A point and three axes that move with a body, as expressions of the body's coordinates."""

    p: Expression  #: p_WP, (3, 1) [m]
    R: Expression  #: R_WP, (3, 3), columns are the axes
    planar: bool = False  #: it stays in the x–y plane

    def shifted(self, point: Expression, axes: Expression) -> Frame:
        """The frame at ``point`` with ``axes``, both given in this frame."""
        return Frame(self.p + self.R @ point, self.R @ axes, self.planar)

    @property
    def x(self) -> Expression:
        return self.R[:, 0]

    @property
    def y(self) -> Expression:
        return self.R[:, 1]

    @property
    def z(self) -> Expression:
        return self.R[:, 2]


@final
@dataclass(frozen=True, slots=True)
class Effort:
    """A generalised force by its power: Q = (∂ flow/∂v)ᵀ effort.

    ``account`` says where effort · flow is written: taken out by a damper, put in by a driver or a control.
    """

    effort: Expression
    flow: Expression  #: linear in the rates
    account: Account

    def __post_init__(self) -> None:
        if self.account not in get_args(Account):
            raise ModelError(
                f"Effort: no account is called {self.account!r}; {alternatives(self.account, get_args(Account))}"
            )


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """Contribution of an item, in its own coordinates.

        d/dt ∂T/∂v − ∂T/∂q + ∂V/∂q − Q + rows + g_qᵀ lam = 0,   g = 0

    ``hidden`` is a number s, or two, that follow from as many ``closure``(q, s) = 0 and are eliminated from every term;
    with one the numbers ``track.across`` go on as ``across``, from wherever the slider has been brought to.
    """

    kinetic: Expression = 0.0  #: T [J]
    potential: Expression = 0.0  #: V [J], without what ``strain`` adds
    strain: Expression = None  #: ε, (k,): ½ Σ modulus ε² is energy as well, and Newton's method at rest knows it
    modulus: Expression = None  #: (k,)
    efforts: tuple[Effort, ...] = ()
    rows: Expression = None  #: further terms of the equations, (n,)
    constraint: Expression = None  #: g, (m,); of a contact its gap, (1,)
    slip: Expression = None  #: of a contact: speeds of sliding across its normal [m/s], linear in the rates
    hidden: Expression = None  #: s, one for each track
    closure: Expression = None  #: c(t, q, s), as many
    across: Expression = None  #: (3,); None: they stay
    outputs: Mapping[str, Expression] = field(default_factory=dict)  #: what may be observed, by name


@final
@dataclass(frozen=True, slots=True)
class Symbols:
    """Symbols that an item's expressions may use."""

    t: Expression
    q: Expression  #: (n,) all coordinates of the row
    v: Expression  #: (n,)
    own_q: Expression  #: the coordinates the item owns
    own_v: Expression
    u: Expression  #: (k,)
    p: Mapping[str, Expression]  #: numbers of the table, by name
    frames: tuple[Frame, ...]  #: one per marker
    wires: tuple[Callable[[Expression], Expression], ...] = ()  #: positions on the tracks, by length along each

    def rate(self, expression: Expression) -> Expression:
        """d/dt at fixed hidden numbers."""
        calls = recorded()
        if calls:
            return derivative(expression, self.q, calls) @ self.v + derivative(expression, self.t, calls)
        return ca.jtimes(expression, self.q, self.v) + ca.jacobian(expression, self.t)

    def vector(self, name: str, size: int = 3) -> Expression:
        """Numbers name.0, name.1 … as a column."""
        return ca.vertcat(*(self.p[f"{name}.{i}"] for i in range(size)))


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Coordinate:
    """A coordinate with its initial value and rate."""

    name: str
    unit: str = "m"
    start: float = 0.0
    rate: float = 0.0
    first_order: bool = False  #: its equation has no acceleration in it


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Marker:
    """A place on a body to which items can be attached.

    ``law`` names how a frame is made from coordinates and numbers; equal laws share compiled code.
    """

    body: str  #: name of the body, "ground" for the world
    law: Hashable
    coordinates: tuple[str, ...]  #: full names
    numbers: Mapping[str, float]
    frame: Callable[[Symbols], Frame] = field(compare=False)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class WirePath:
    """A wire on which something slides: the element under the slider changes as it moves."""

    body: str
    law: Hashable
    elements: tuple[tuple[str, ...], ...]  #: full names of each element's coordinates, in order
    breaks: tuple[float, ...]  #: lengths along the wire at which elements begin, and the end [m]
    position: Callable[[Expression, Expression, Expression, Mapping[str, Expression]], Expression] = field(
        compare=False
    )
    """p_WP (3,) from the length along the element, the element's length, its coordinates, and the numbers
    of the track: ``begin``, the length along the wire at which the element begins, and ``numbers``."""
    planar: bool = False  #: it stays in the x–y plane
    across: Triple = (0.0, 1.0, 0.0)  #: a direction across the wire at the start
    numbers: Mapping[str, float] = field(default_factory=dict)  #: the same for all elements
    start: float = 0.0  #: where on the wire the slider starts [m]


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Native:
    """Compiled functions, written by hand, in place of expressions; see ``panhead.engine.multibody.native_rows``.

    Each is the address of ``void f(const double *x, double *y)``. ``keep`` is what addresses among the row's
    numbers point to: it must live as long as the row.
    """

    residual: int  #: r (n), r = g_qᵀ lam − Q, and g (m)
    tangent: int  #: c_a ∂r/∂a + c_v ∂r/∂v + c_q ∂r/∂q, row by row (n·n), then g_q (m·n)
    account: int  #: T, V [J]; power of drivers, of controls, dissipated [W]
    rates: int = 0  #: g_t (m), gamma (m); 0: no constraints
    keep: object = field(compare=False)
    memory: np.ndarray = field(default_factory=lambda: np.zeros(0), compare=False)
    """State kept from one call to the next; a checkpoint stores it."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class ImpactLaw:
    """Impact law of two surfaces: restitution and friction coefficients.

    ``newton``: the gap's rate after an impact is at least −e times the one before. ``poisson``: the impulse of
    expansion is at least e times that of compression.  Coulomb: |P_T| ≤ μ |P_N|, against the slip [Glocker01].
    What sticks lets go at ``static_friction``; in impacts, which shake it loose, μ acts.
    """

    restitution: float = 0.0  #: e, 0 … 1
    friction: float = 0.0  #: μ ≥ 0, sticking and sliding
    rule: Literal["newton", "poisson"] = "newton"
    static_friction: float | None = None  #: of what sticks, ≥ μ > 0; None: μ

    def __post_init__(self) -> None:
        require_not_negative(self, "friction")
        if not 0.0 <= self.restitution <= 1.0:
            raise ModelError(f"ImpactLaw: restitution must be 0 … 1, got {self.restitution!r}")
        require_one_of(self, ("newton", "poisson"), "rule")
        if self.static_friction is not None and not 0.0 < self.friction <= self.static_friction < np.inf:
            raise ModelError(
                f"ImpactLaw: static_friction must be finite and at least the friction {self.friction!r}, which must be "
                f"positive, got {self.static_friction!r}"
            )


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One element of a family: whose coordinates, which numbers."""

    law: Hashable
    terms: Callable[[Symbols], Terms] = field(compare=False)
    owned: tuple[str, ...] = ()  #: full names of the coordinates the item owns
    numbers: Mapping[str, float] = field(default_factory=dict)
    markers: tuple[Marker, ...] = ()
    tracks: tuple[WirePath, ...] = ()
    controls: tuple[str, ...] = ()
    constraints: tuple[str, ...] = ()  #: full names, one per equation
    native: Native | None = None  #: these functions instead of ``terms``
    impact: ImpactLaw | None = None  #: the row is a contact: its terms are a gap and slips, no part of the equations
    two_sided: bool = False  #: a contact that never opens: a constraint with friction
    corners: tuple[float, ...] = ()  #: times at which a given function of time is not smooth [s]


class Item(ABC):
    """Something with a name that contributes rows to a model."""

    name: str

    def coordinates(self) -> tuple[Coordinate, ...]:
        """The coordinates the item owns, with their starts."""
        return ()

    def start_coordinates(self, start: Mapping[str, tuple[float, float]]) -> tuple[Coordinate, ...]:
        """The coordinates, once all initial values are known: q and v by full name."""
        del start
        return self.coordinates()

    @abstractmethod
    def rows(self, gravity: Triple) -> tuple[Row, ...]:
        """The rows it contributes; ``gravity`` is the acceleration of free fall [m/s²]."""

    def own(self, *names: str) -> tuple[str, ...]:
        """Full names of its own coordinates."""
        return tuple(f"{self.name}.{n}" for n in names)


class Body(Item):
    """Something with coordinates and inertia."""


class Force(Item):
    """Something that pushes or pulls, and accounts for its energy."""


class Constraint(Item):
    """Something that must stay zero: g(t, q) = 0."""


class Contact(Item):
    """A gap g(t, q) ≥ 0 between surfaces that must not become negative, with friction."""


_PLACES: Mapping[str, tuple[type, str]] = {
    "Marker": (Marker, "a place on a body, e.g. body.at((0, 0, 0))"),
    "WirePath": (WirePath, "a way along a wire, e.g. cable.track(start)"),
}


def require_places(item: Item) -> None:
    """ModelError where an item is attached to something that is not a place, such as a body as a whole."""
    told: tuple[Field[Any], ...] = fields(item) if is_dataclass(item) else ()
    for f in told:
        kind, wanted = _PLACES.get(f.type if isinstance(f.type, str) else f.type.__name__, (object, ""))
        value = getattr(item, f.name)
        if not isinstance(value, kind):
            raise ModelError(f"{label(item)}: {f.name} must be {wanted}, got {label(value)}")


def numbers(name: str, values: Any) -> dict[str, float]:
    """name.0, name.1 … for the entries of ``values``, row by row."""
    return {f"{name}.{i}": x for i, x in enumerate(np.asarray(values, dtype=float).ravel().tolist())}


def corners_of(function: object) -> tuple[float, ...]:
    """Times at which a given function of time is not smooth: its ``corners``, if it has that attribute [s]."""
    return tuple(getattr(function, "corners", ()))


def require_axis(owner: str, field_name: str, axis: Triple) -> np.ndarray:
    """The axis as a unit vector; ModelError if it is zero."""
    vector = np.array(axis, dtype=float)
    length = math.hypot(*vector.ravel().tolist())
    if vector.shape != (3,) or not (length > 0 and math.isfinite(length)):
        raise ModelError(f"{owner}: {field_name} must be three numbers, not all zero, got {axis!r}")
    return np.asarray(vector / length)


_NEARLY_ALONG = 0.9  # cosine of the angle to x above which y is the reference


def axes_along(axis: Triple, across: Triple | None = None, *, owner: str = "a marker") -> np.ndarray:
    """A right-handed set of axes, (3, 3) by columns: the third along ``axis``, the first towards ``across``.

    Without ``across`` the first lies towards the x axis, or towards the y axis where ``axis`` is nearly x: a place
    along z has the axes of its body.
    """
    z = require_axis(owner, "axis", axis)
    if across is None:
        across = (1.0, 0.0, 0.0) if abs(z[0]) < _NEARLY_ALONG else (0.0, 1.0, 0.0)
    x = require_axis(owner, "across", across)
    x = x - z * (x @ z)
    length = math.hypot(*x.tolist())
    if not length > 1e-9:
        raise ModelError(f"{owner}: across {across!r} must not be parallel to axis {axis!r}")
    (a, b, c), (d, e, f) = z.tolist(), (x / length).tolist()
    return np.array([[d, b * f - c * e, a], [e, c * d - a * f, b], [f, a * e - b * d, c]])  # columns x, z × x, z


def frame_numbers(
    owner: str, point: Sequence[float], axis: Triple, across: Triple | None = None, *, planar: bool = False
) -> dict[str, float]:
    """Point p and axes R of a marker as entries of a table; ``planar`` points may be two numbers, z is then 0."""
    place = np.array((*point, 0.0)[:3] if planar and len(point) == 2 else point, dtype=float)
    if place.shape != (3,) or not np.isfinite(place).all():
        wanted = "three finite numbers (x, y, z) [m]" + ", or two in the plane" * planar
        raise ModelError(f"{owner}: a point must be {wanted}, got {point!r}")
    return numbers("p", place) | numbers("R", axes_along(axis, across, owner=owner))
