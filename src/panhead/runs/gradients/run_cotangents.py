"""What a sweep back knows, and a family of parameters that is read from it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from panhead.runs.gradients.line_gradient import LineCotangents
from panhead.runs.gradients.tension_lengths import PieceSlope
from panhead.runs.linear.step.adjoint_arrays import Slope
from panhead.runs.linear.taped_run import RunTape
from panhead.runs.resolve import ResolvedRun


class LineSlopes(Protocol):
    """What families of the line are read from, whatever solved the run."""

    @property
    def model(self) -> ResolvedRun: ...
    @property
    def pieces(self) -> list[PieceSlope]: ...


@dataclass(frozen=True, slots=True)
class Slopes:
    """Everything known of ∂J/∂ after a sweep back."""

    given: LineCotangents
    pieces: list[PieceSlope]

    @property
    def tape(self) -> RunTape:
        """The run, recorded."""
        return self.given.tape

    @property
    def slope(self) -> Slope:
        """Of the train."""
        return self.given.slope

    @property
    def first(self) -> np.ndarray:
        """∂J/∂ of where the masses begin (masses,)."""
        return self.given.first

    @property
    def model(self) -> ResolvedRun:
        """The run."""
        return self.tape.model


Named = Iterator[tuple[str, float]]


@dataclass(frozen=True, slots=True)
class ParameterFamily:
    """Parameters of one kind: what each is called and ∂J/∂ of it."""

    unit: str
    about: str
    of: Callable[[Any], Named]  #: of ``Slopes``, or of those of another solver
