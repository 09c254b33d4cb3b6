"""What a sweep back knows, and a family of parameters that is read from it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from panhead.kernels.interaction_slopes import Slope
from panhead.runs.gradients.line import PieceSlope
from panhead.runs.solvers.linear.adjoint import RunTape


@dataclass(frozen=True, slots=True)
class Slopes:
    """Everything known of ∂J/∂ after a sweep back."""

    tape: RunTape
    slope: Slope
    first: np.ndarray  #: (masses,) ∂J/∂ of where the masses begin
    pieces: list[PieceSlope]


Named = Iterator[tuple[str, float]]


@dataclass(frozen=True, slots=True)
class ParameterFamily:
    """Parameters of one kind: what each is called and ∂J/∂ of it."""

    unit: str
    about: str
    of: Callable[[Slopes], Named]
