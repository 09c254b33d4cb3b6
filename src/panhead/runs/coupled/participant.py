"""Co-simulation participant: its protocol, and the ports of line and pantograph."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Protocol, final

from panhead.engine.system import Vector
from panhead.railway.pantograph.pan_head import PanHead


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Port:
    """Exchanged scalar."""

    name: str
    unit: str
    about: str = ""


class Participant(Protocol):
    """Code that advances from one exchange time to the next.

    Its equations and steps are its own; its step is never longer than the exchange step. The four methods are those of
    FMI for co-simulation: ``copy_state`` and ``restore_copy`` repeat an exchange step, as FMI's get and set of a state
    do. Checkpoints on disk are saved and restored by a ``Resumable``.
    """

    name: str
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]

    @property
    def time(self) -> float:
        """Current time [s]."""

    def observe(self, u: Vector) -> Vector:
        """Current outputs for current inputs u (n_in,); (n_out,)."""

    def advance(self, dt: float, u0: Vector, u1: Vector) -> Vector:
        """Advance by dt [s], inputs varying linearly from u0 to u1 (n_in,) each; return the outputs, (n_out,)."""

    def copy_state(self) -> Any:
        """Copy of the state, for ``restore_copy``."""

    def restore_copy(self, memory: Any) -> None:
        """Restore a state from ``copy_state``; any number of times."""


class ForeignPantograph(ABC):
    """Pantograph simulated by an external code, known by its ports alone."""

    name: str
    contact_stiffness: float  #: between strip and wire, unless the run says otherwise [N/m]
    contact_damping: float  #: [N·s/m]
    pan_head: PanHead  #: how wide it is across the track
    behind: tuple[float, ...]  #: of every strip, behind the first [m]
    static_force: float  #: that it presses with before anything moves, shared by its strips [N]

    @abstractmethod
    def participant(self, line: Participant, *, trust: bool) -> Participant:
        """A fresh instance for one run that faces the line; ``trust``: code of others may be loaded."""


def strip_ports(strips: int) -> tuple[Port, ...]:
    """Outputs of the pantograph: height_k [m], rate_k [m/s] of every strip k = 1 …   [Ambrosio11, fig. 5]"""
    entries = (
        ("height", "m", "of the strip at the contact point"),
        ("rate", "m/s", "of that height, along the point's way"),
    )
    return _number_entries(strips, entries)


def contact_ports(strips: int) -> tuple[Port, ...]:
    """Outputs of the line: force_k [N], lateral_k [m], lateral_rate_k [m/s] of the contact on every strip."""
    entries = (
        ("force", "N", "of the contact, down on the strip"),
        ("lateral", "m", "place of the contact point across the track"),
        ("lateral_rate", "m/s", "of that place"),
    )
    return _number_entries(strips, entries)


def _number_entries(strips: int, entries: tuple[tuple[str, str, str], ...]) -> tuple[Port, ...]:
    return tuple(
        Port(name=f"{name}_{k}", unit=unit, about=about) for k in range(1, strips + 1) for name, unit, about in entries
    )
