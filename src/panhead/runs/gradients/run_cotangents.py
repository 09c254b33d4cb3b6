"""Cotangents of a run after a backward sweep, and the parameter families read from them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from panhead.runs.gradients.line_gradient import LineCotangents
from panhead.runs.gradients.tension_lengths import TensionLengthGradient
from panhead.runs.linear.step.adjoint_arrays import Slope
from panhead.runs.linear.taped_run import RunTape
from panhead.runs.resolve import ResolvedRun


class LineSlopes(Protocol):
    """Derivatives from which line families are read, for any solver."""

    @property
    def model(self) -> ResolvedRun: ...
    @property
    def pieces(self) -> list[TensionLengthGradient]: ...


@dataclass(frozen=True, slots=True)
class Slopes:
    """All derivatives ∂J/∂ after a backward sweep."""

    given: LineCotangents
    pieces: list[TensionLengthGradient]

    @property
    def tape(self) -> RunTape:
        """Tape of the run."""
        return self.given.tape

    @property
    def slope(self) -> Slope:
        """Derivatives of the train."""
        return self.given.slope

    @property
    def first(self) -> np.ndarray:
        """∂J/∂ of the initial positions of the masses (masses,)."""
        return self.given.first

    @property
    def model(self) -> ResolvedRun:
        """Resolved run."""
        return self.tape.model


Named = Iterator[tuple[str, float]]


@dataclass(frozen=True, slots=True)
class ParameterFamily:
    """Parameters of one kind: their names and ∂J/∂."""

    unit: str
    about: str
    of: Callable[[Any], Named]  #: of ``Slopes``, or of those of another solver
