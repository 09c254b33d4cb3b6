"""One side of a co-simulation, as the other side sees it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, final

from panhead.system import Vector


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Port:
    """A number that is exchanged."""

    name: str
    unit: str
    about: str = ""


class Participant(Protocol):
    """A code that advances from one exchange time to the next.

    What happens inside (its equations, its steps) is its own affair; its own step is never longer than the
    exchange step. The four verbs are those of FMI's co-simulation.
    """

    name: str
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]

    @property
    def time(self) -> float:
        """Where it stands [s]."""

    def observe(self, u: Vector) -> Vector:
        """Outputs now, with inputs u (n_in,) now; (n_out,)."""

    def advance(self, dt: float, u0: Vector, u1: Vector) -> Vector:
        """Go on by dt [s], inputs running straight from u0 to u1 (n_in,) each; the outputs then, (n_out,)."""

    def remember(self) -> Any:
        """A copy of the state, for ``recall``."""

    def recall(self, memory: Any) -> None:
        """Back to where ``remember`` was called; as often as wanted."""
