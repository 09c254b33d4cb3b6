"""Problem and trajectory: input and result of every integrator."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import final

import numpy as np

from panhead.engine.jobs import ignore_progress
from panhead.engine.methods.checkpoints import NO_CHECKPOINTS, Checkpoints
from panhead.engine.methods.formulations import Augmented, Formulation, Projection, Stabilisation
from panhead.engine.system import Matrix, System, Vector
from panhead.errors import ModelError


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """Initial state of a motion."""

    q: Vector  # (nq,)
    v: Vector  # (nq,)
    t: float = 0.0  # [s]


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """An initial-value problem on a grid of times."""

    system: System
    start: State
    t: Vector  # (n + 1,) grid of steps [s]
    u: Matrix  # (n + 1, nu) controls on the grid, linear in between
    every: int = 1  #: keep every so many-th state
    formulation: Formulation = field(default_factory=Augmented)
    stabilisation: Stabilisation = field(default_factory=Projection)
    progress: Callable[[float, str], None] = ignore_progress
    checkpoints: Checkpoints = NO_CHECKPOINTS  #: of methods that can be resumed

    def __post_init__(self) -> None:
        nq = len(self.system.coordinates)
        for name, value in (("q", self.start.q), ("v", self.start.v)):
            if np.shape(value) != (nq,) or not np.isfinite(value).all():
                raise ModelError(f"start {name} of {self.system.name!r} must be {nq} finite numbers, got {value!r}")
        if len(self.t) < 2 or not (np.diff(self.t) > 0).all():
            raise ModelError("the time grid must increase and have at least one step")
        if (len(self.t) - 1) % self.every:
            raise ModelError(f"{len(self.t) - 1} steps are not a multiple of every = {self.every}")

    @property
    def kept(self) -> Vector:
        """Times at which states are stored."""
        return self.t[:: self.every]


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Strike:
    """One contact in one impact."""

    t: float  # [s]
    contact: str
    approach: float  #: rate of the gap before, < 0 [m/s]
    departure: float  #: after [m/s]
    impulse: float  #: normal [N·s]
    lost: float  #: energy taken out at this contact, −½ P·(γ⁻ + γ⁺) [J]


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class ContactHistory:
    """Contacts along a motion: k contacts at the n stored times."""

    names: tuple[str, ...]
    first: np.ndarray  # (k + 1,) rows of contact i are first[i] … first[i + 1] − 1
    gap: Matrix  # (n, k) [m]
    force: Matrix  # (n, rows) means over the step before: of each contact along its normal, then along its slips [N]
    slip: Matrix  # (n, k) speed of sliding [m/s]
    lost: Matrix  # (n, 2) energy lost since the start: in impacts, by rubbing [J]
    strikes: tuple[Strike, ...]  #: in the order of time

    @property
    def normal(self) -> Matrix:
        """(n, k) normal forces [N]."""
        return self.force[:, self.first[:-1]]

    @property
    def friction(self) -> Matrix:
        """(n, k) sizes of the friction forces [N]."""
        along = [self.force[:, a + 1 : b] for a, b in pairwise(self.first)]
        return np.stack([np.linalg.norm(x, axis=1) for x in along], axis=1)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class CollisionHistory:
    """Shapes that touched at the n stored times: k contacts in all, those of one time behind one another."""

    names: tuple[str, ...]  #: of the shapes
    count: Vector  # (n,) contacts that press at each time
    pair: Matrix  # (k, 2) shapes
    points: Matrix  # (k, 3) [m]
    normals: Matrix  # (k, 3) from the first shape to the second
    gaps: Vector  # (k,) at the beginning of the step [m]
    forces: Matrix  # (k, 6) along normal and two tangents [N], moments about them [N·m]; means over the step before
    lost: Matrix  # (n, 2) energy lost since the start: in impacts, by rubbing [J]
    residual: Vector  # (n,) of the laws of contact, of the largest impulse: the worst since the time before
    sweeps: Vector  # (n,) in the step that took most
    overlap: Vector  # (n,) the deepest [m]


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Trajectory:
    """A motion at its n stored times."""

    t: Vector  # (n,) [s]
    q: Matrix  # (n, nq)
    v: Matrix  # (n, nq)
    a: Matrix  # (n, nq)
    lam: Matrix  # (n, nc)
    u: Matrix  # (n, nu)
    work: Matrix  # (n, 3): work of drivers, work of controls, dissipated, since the start [J]
    g: Matrix  # (n, nc) constraint residual
    g_dot: Matrix  # (n, nc) velocity residual
    notes: dict[str, float] = field(default_factory=dict)  #: steps, switches, iterations …
    method: str = ""  #: the integrator with its options
    contacts: ContactHistory | None = None  #: of a system with contacts
    collisions: CollisionHistory | None = None  #: of a system with shapes that meet
