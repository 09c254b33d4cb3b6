"""Collector strip geometry for contact: height at a lateral position, and distribution of a force there.

        y₁        y        y₂                height  z(y) = Σ N_j(y) z_j + H_j(y) s_j
    ────●────────↓────────●────              force   F at y: N_j F on z_j, H_j F on the slope s_j

One station on a rigid head: N = 1, H = y, the lever rule. Several on a flexible one: cubic Hermite weights
between neighbours, the consistent loads of a beam; or, with ``linear`` weights, the straight line through two virtual
bodies, which share the force by the lever rule. Always the power is F ż(y), exactly.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, final

import casadi as ca
import numpy as np

from panhead.engine.laws.hermite import shape, shape_x
from panhead.engine.roles import Effort, Expression, Force, Marker, Row, Symbols, Terms, Triple
from panhead.engine.system import System, Vector
from panhead.errors import ModelError

_ENTRIES = ("z", "slope", "x", "yaw")  # of a station, in this order everywhere


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class StripStation(Force):
    """A place on a strip, pushed by controls: height z, slope s = ∂z/∂y, place x along the track, x′ = ∂x/∂y.

    The controls are the forces on z and x [N] and on s and x′ [N·m]; s and x′ are the z and x parts of the
    strip's own y axis.
    """

    name: str
    at: Marker  #: its second axis lies along the strip
    drag: bool = False  #: controls along the track as well

    def controls(self) -> tuple[str, ...]:
        """Full names, two or with ``drag`` four."""
        return self.own(*_ENTRIES[: 4 if self.drag else 2])

    def rows(self, gravity: Triple) -> tuple[Row, ...]:
        count = 4 if self.drag else 2

        def terms(s: Symbols) -> Terms:
            e = _entries(s)[:count]
            return Terms(efforts=(Effort(s.u, s.rate(e), "control"),), outputs={"height": e[0]})

        return (Row(law=(type(self), count), terms=terms, markers=(self.at,), controls=self.controls()),)


def _entries(s: Symbols) -> Expression:
    """(z, s, x, x′) of the first place, (4,)."""
    frame = s.frames[0]
    return ca.vertcat(frame.p[2], frame.y[2], frame.p[0], frame.y[0])


class Touch(NamedTuple):
    """Kinematics of the strip at one lateral position, in world axes."""

    height: float  #: z [m]
    rate: float  #: ż [m/s]
    slope: float  #: ∂z/∂y
    x: float  #: [m]
    x_rate: float  #: [m/s]


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Strip:
    """One strip: its stations from right to left, y growing, and how far it reaches."""

    name: str
    places: tuple[float, ...]  #: y of the stations, undeformed, in the head's axes [m]
    stations: tuple[StripStation, ...]
    half_width: float  #: it reaches from −half_width to half_width [m]
    weighting: Literal["cubic", "linear"] = "cubic"  #: between stations; linear also beyond the last ones

    def __post_init__(self) -> None:
        if not self.places or len(self.places) != len(self.stations):
            raise ModelError(f"strip {self.name!r}: give as many places as stations, at least one")
        if not (np.diff(self.places) > 0).all():
            raise ModelError(f"strip {self.name!r}: places must increase, got {self.places!r}")
        if self.weighting == "linear" and len(self.places) < 2:
            raise ModelError(f"strip {self.name!r}: linear weights need two stations, got {len(self.places)}")

    @property
    def middle(self) -> Marker:
        """Station nearest to the middle, which slides under a wire; ModelError if only its ends are held."""
        if self.weighting == "linear":
            raise ModelError(
                f"strip {self.name!r} takes its force at two virtual bodies and has no point in its middle; "
                "set contact_acts_on = 'strip', or use solver 'coupled'"
            )
        return min(zip(self.places, self.stations, strict=True), key=lambda x: abs(x[0]))[1].at

    def span(self, y: float) -> tuple[int, float, float]:
        """First station of the span that holds y [m], how far along it y is (0 … 1), and its length [m].

        A length of zero says that y lies beyond the last station, or that there is but one.
        """
        if not abs(y) <= self.half_width:
            raise ModelError(
                f"strip {self.name!r} extends {self.half_width:g} m to either side; y = {y:g} m is beyond it"
            )
        places = self.places
        if y <= places[0] or len(places) == 1:
            return 0, y - places[0], 0.0
        if y >= places[-1]:
            return len(places) - 1, y - places[-1], 0.0
        k = bisect_right(places, y) - 1
        length = places[k + 1] - places[k]
        return k, (y - places[k]) / length, length

    def weights(self, y: float) -> np.ndarray:
        """(n, 2): N_j and H_j [m] at y [m], cubic between stations, straight beyond the last ones."""
        k, x, L = self.span(y)
        out = np.zeros((len(self.places), 2))
        if self.weighting == "linear":
            k, length = self._chord(k)
            x = (y - self.places[k]) / length
            out[k : k + 2, 0] = 1.0 - x, x
            return out
        if L == 0:
            out[k] = 1.0, x
            return out
        out[k : k + 2] = np.reshape(shape(x, L), (2, 2))
        return out

    def slopes(self, y: float) -> np.ndarray:
        """(n, 2): ∂N_j/∂y [1/m] and ∂H_j/∂y at y."""
        k, x, L = self.span(y)
        out = np.zeros((len(self.places), 2))
        if self.weighting == "linear":
            k, length = self._chord(k)
            out[k : k + 2, 0] = -1.0 / length, 1.0 / length
            return out
        if L == 0:
            out[k] = 0.0, 1.0
            return out
        out[k : k + 2] = np.reshape(shape_x(x, L), (2, 2))
        return out

    def _chord(self, k: int) -> tuple[int, float]:
        """First station of the straight line that carries the span of station k, and the length of that line [m]."""
        k = min(k, len(self.places) - 2)
        return k, self.places[k + 1] - self.places[k]

    def on(self, system: System) -> BoundStrip:
        """Bind the strip to a system that contains its stations."""
        return BoundStrip(self, system)


@final
class BoundStrip:
    """A strip bound to its indices in q, v and u; cheap enough for every step."""

    def __init__(self, strip: Strip, system: System) -> None:
        self.strip, self.controls = strip, len(system.controls)
        names = sorted({n for s in strip.stations for n in s.at.coordinates})
        self._at = np.array([system.coordinates.index(n) for n in names])
        self._u = np.array([[system.controls.index(c) for c in s.controls()] for s in strip.stations])
        self._function = _motion(strip.stations, names)
        buffer: Any
        buffer, self._evaluate = self._function.buffer()  # numbers go in and out without a copy
        self._inputs = np.zeros(1), np.zeros(len(names)), np.zeros(len(names))
        self._outputs = np.zeros((4, len(strip.stations))), np.zeros((4, len(strip.stations)))
        self._buffer = buffer  # it owns what is evaluated
        for k in range(3):
            buffer.set_arg(k, _shares(self._inputs[k]))
        for k in range(2):
            buffer.set_res(k, _shares(self._outputs[k].reshape(-1)))

    def motion(self, t: float, q: Vector, v: Vector) -> tuple[np.ndarray, np.ndarray]:
        """(z, s, x, x′) of all stations and their rates, (4, n) each; overwritten by the next call."""
        self._inputs[0][0] = t
        np.take(q, self._at, out=self._inputs[1])
        np.take(v, self._at, out=self._inputs[2])
        self._evaluate()
        return self._outputs

    def touch(self, t: float, q: Vector, v: Vector, y: float) -> Touch:
        """Height, rates and slope at y [m]; rates are those of the point of the strip, at constant y."""
        e, rate = self.motion(t, q, v)
        N, dN = self.strip.weights(y).T, self.strip.slopes(y).T
        pair = lambda e, w: float(np.vdot(e, w))
        return Touch(pair(e[:2], N), pair(rate[:2], N), pair(e[:2], dN), pair(e[2:], N), pair(rate[2:], N))

    def push(self, u: Vector, y: float, force: float, drag: float = 0.0) -> None:
        """Add a vertical force [N] (up is positive) and a force along x at y to the controls u (nu,)."""
        N = self.strip.weights(y)
        u[self._u[:, 0]] += N[:, 0] * force
        u[self._u[:, 1]] += N[:, 1] * force
        if not drag:
            return
        if self._u.shape[1] < 4:
            raise ModelError(
                f"strip {self.strip.name!r} was built without controls along the track; build it with drag=True"
            )
        u[self._u[:, 2]] += N[:, 0] * drag
        u[self._u[:, 3]] += N[:, 1] * drag


def _shares(numbers: Any) -> memoryview:
    return memoryview(numbers)


def _motion(stations: tuple[StripStation, ...], names: list[str]) -> ca.Function:
    """(t, q, v) → entries and their rates, (n, 4) each by columns."""
    t, q, v = ca.SX.sym("t"), ca.SX.sym("q", len(names)), ca.SX.sym("v", len(names))
    columns: list[Any] = []
    for station in stations:
        at = [names.index(n) for n in station.at.coordinates]
        p = {name: ca.SX(value) for name, value in station.at.numbers.items()}
        s = Symbols(t, q[at], v[at], q[at], v[at], ca.SX(0, 1), p, ())
        columns.append(_entries(Symbols(t, q, v, q, v, s.u, {}, (station.at.frame(s),))).T)
    e = ca.vertcat(*columns)
    rate = ca.reshape(ca.jtimes(ca.vec(e), q, v) + ca.jacobian(ca.vec(e), t), e.shape)
    return ca.Function("strip", [t, q, v], [ca.densify(e), ca.densify(rate)])
