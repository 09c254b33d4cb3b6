"""The ``System`` protocol: the only interface that integrators, formulations and controllers use.

Two front ends produce a System: ``panhead.engine.symbolic`` (positions written by a person, all else derived)
and the component library in absolute coordinates. A method that needs more than this asks too much.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from panhead.errors import ModelError

Vector = np.ndarray
Matrix = Any  #: a dense NumPy array or a SciPy sparse array


class Power(NamedTuple):
    """Power balance: d(T + V)/dt = drivers + controls − dissipated."""

    drivers: float  #: prescribed motions and applied forces put in [W]
    controls: float  #: actuators put in [W]
    dissipated: float  #: dampers take out, ≥ 0 [W]


class Energy(NamedTuple):
    """Kinetic and potential energy [J]."""

    kinetic: float
    potential: float


class CompiledFamilies(NamedTuple):
    """A model as tables of elements, for kernels that march without returning to Python."""

    tables: Any  #: panhead.engine.kernels.element_families.Tables
    work: Any  #: panhead.engine.kernels.element_families.LaneRoom
    slides: Any  #: panhead.engine.kernels.sliders.Slides
    border: np.ndarray  # unknowns (q, lam) whose place in the matrix changes, or which such unknowns hold
    sliders: tuple[str, ...] = ()  #: names of the parts that slide
    memory: tuple[np.ndarray, ...] = ()  #: what laws remember from one evaluation to the next


class ContactRows(NamedTuple):
    """Contacts at one configuration: γ = W v + w, of each its gap's rate, then its slips [m/s]."""

    gap: Vector  # (n,) [m]; infinite where there is nothing to touch
    W: np.ndarray  # (rows, nq)
    w: Vector  # (rows,)


class ContactTerms(Protocol):
    """Unilateral contacts g(t, q) ≥ 0 with their impact and friction laws."""

    names: tuple[str, ...]
    first: np.ndarray  # (n + 1,) int: rows of contact i are first[i] … first[i + 1] − 1
    restitution: Vector  # (n,)
    friction: Vector  # (n,)
    static_friction: Vector  # (n,) of what sticks
    poisson: np.ndarray  # (n,) bool: Poisson's rule instead of Newton's
    two_sided: np.ndarray  # (n,) bool: it never opens

    @property
    def families(self) -> CompiledFamilies:
        """Tables of the contacts, with their sliders."""

    def at(self, t: float, q: Vector) -> ContactRows:
        """Gaps, their rates and slips."""


class TouchingShapes(NamedTuple):
    """Where shapes touch or are near, n contacts."""

    pair: np.ndarray  # (n, 2) shapes
    points: np.ndarray  # (n, 3) halfway between the surfaces [m]
    normals: np.ndarray  # (n, 3) from the first shape to the second
    gaps: Vector  # (n,) [m]


@runtime_checkable
class CollisionTerms(Protocol):
    """Shapes of rigid bodies that may meet in pairs which change."""

    names: tuple[str, ...]  #: of n shapes
    body: np.ndarray  # (n,) int: the body each belongs to, −1: the ground
    first_q: np.ndarray  # (bodies,) int: place of each body's x among q; y, z and Euler parameters follow
    laws: np.ndarray  # (n, 4) friction, spinning [m], rolling [m], restitution
    radius: Vector  # (n,) farthest point from the body's centre [m]

    @property
    def families(self) -> CompiledFamilies:
        """None: shapes are no elements."""

    def touching(self, t: float, q: Vector, reach: Vector) -> TouchingShapes:
        """Contacts with gaps up to the reach (n,) [m] of both shapes."""


class MechanicalTerms(Protocol):
    """The terms of a constrained mechanical system

        M(t, q) a + g_q(t, q)ᵀ lam = f(t, q, v, u),   g(t, q) = 0,   q̇ = v, v̇ = a.

    f holds everything that does not multiply a: applied, elastic, gyroscopic and driven forces.
    """

    name: str
    coordinates: tuple[str, ...]  #: nq names
    constraints: tuple[str, ...]  #: nc names, one per equation
    controls: tuple[str, ...]  #: nu names

    @property
    def parameters(self) -> Mapping[str, float]:
        """np names and values."""

    def mass(self, t: float, q: Vector) -> Matrix:
        """M(t, q), shape (nq, nq), symmetric."""

    def force(self, t: float, q: Vector, v: Vector, u: Vector) -> Vector:
        """f(t, q, v, u), shape (nq,)."""

    def force_q(self, t: float, q: Vector, v: Vector, u: Vector) -> Matrix:
        """∂f/∂q, shape (nq, nq)."""

    def force_v(self, t: float, q: Vector, v: Vector, u: Vector) -> Matrix:
        """∂f/∂v, shape (nq, nq)."""

    def force_u(self, t: float, q: Vector, v: Vector, u: Vector) -> Matrix:
        """∂f/∂u, shape (nq, nu)."""

    def constraint(self, t: float, q: Vector) -> Vector:
        """g(t, q), shape (nc,)."""

    def constraint_q(self, t: float, q: Vector) -> Matrix:
        """∂g/∂q, shape (nc, nq)."""

    def constraint_t(self, t: float, q: Vector) -> Vector:
        """∂g/∂t, shape (nc,); velocities satisfy g_q v + g_t = 0."""

    def constraint_bias(self, t: float, q: Vector, v: Vector) -> Vector:
        """gamma (the Q_d of the papers), shape (nc,); accelerations satisfy g_q a = gamma."""

    def inertia_q(self, t: float, q: Vector, a: Vector) -> Matrix:
        """∂(M a)/∂q at constant a, shape (nq, nq)."""

    def reaction_q(self, t: float, q: Vector, lam: Vector) -> Matrix:
        """∂(g_qᵀ lam)/∂q at constant lam, shape (nq, nq)."""

    def residual_p(self, t: float, q: Vector, v: Vector, a: Vector, lam: Vector, u: Vector) -> Matrix:
        """∂(M a + g_qᵀ lam − f)/∂p, shape (nq, np)."""

    def constraint_p(self, t: float, q: Vector) -> Matrix:
        """∂g/∂p, shape (nc, np)."""

    def energy(self, t: float, q: Vector, v: Vector) -> Energy:
        """Kinetic and potential energy."""

    def power(self, t: float, q: Vector, v: Vector, a: Vector, lam: Vector, u: Vector) -> Power:
        """Power of drivers, controls and dampers."""


class System(MechanicalTerms, Protocol):
    """Terms that are compiled, so that every method marches without returning to Python."""

    def with_parameters(self, **values: float) -> System:
        """Return the system with some named parameters changed."""

    @property
    def corners(self) -> tuple[float, ...]:
        """Times at which given functions of time are not smooth, in order [s]: adaptive steps end there."""

    @property
    def contacts(self) -> ContactTerms | CollisionTerms | None:
        """Unilateral contacts, or shapes that may meet; None if there are neither."""

    def tangent(
        self, c: tuple[float, float, float], t: float, q: Vector, v: Vector, a: Vector, lam: Vector, u: Vector
    ) -> Matrix:
        """[[c₀ r_a + c₁ r_v + c₂ r_q, g_qᵀ], [g_q, 0]] of r = M a + g_qᵀ lam − f."""

    @property
    def tangents_at_rest(self) -> np.ndarray:
        """Addresses (families,) of tangents that take Newton's last step at rest for v; 0: none of its own."""

    def weighed_by_number(self, mu: Vector, t: float, *x: Vector) -> Vector:
        """μᵀ ∂(r, g)/∂p at (t, q, v, a, lam, u), of every number of every element apart."""

    @property
    def places_of_numbers(self) -> Mapping[str, list[int]]:
        """Indices, among the numbers of all elements, of every named parameter."""

    @property
    def addresses_by_number(self) -> np.ndarray:
        """Addresses (families,) of ∂(r, g)/∂p."""

    @property
    def families(self) -> CompiledFamilies:
        """Terms as tables of elements."""

    @property
    def equations(self) -> Any:
        """Terms for kernels over dense matrices: panhead.engine.kernels.equations.Equations."""


def require_no_contacts(system: System, what: str) -> None:
    """Raise ModelError if the system has contacts, which ``what`` does not support."""
    if system.contacts is not None:
        raise ModelError(
            f"{system.name!r} has contacts ({', '.join(system.contacts.names)}), which {what} does not "
            "support. Remove them from the model, or let it come to rest with simulate"
        )


def no_controls(system: MechanicalTerms) -> Vector:
    """Zero control vector, shape (nu,)."""
    return np.zeros(len(system.controls))
