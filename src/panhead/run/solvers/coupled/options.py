"""How two codes exchange, as a file writes it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, final

from panhead.errors import require_not_negative, require_positive
from panhead.files.units import Metres, Newtons, Seconds


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Coupling:
    """How line and pantograph exchange; the exchange step is the run's own step."""

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}

    scheme: Literal["jacobi", "gauss-seidel", "iterated"] = "iterated"
    extrapolation: Literal["constant", "linear"] = "linear"
    tolerance: Newtons = 1e-6  #: of contact forces, where the exchange is iterated
    own_error: Metres | None = None  #: by which the pantograph chooses its steps; None: the run's
    truth: Seconds = 0.0  #: length of the run in one piece that the coupling is measured by

    def __post_init__(self) -> None:
        require_positive(self, "tolerance")
        require_not_negative(self, "truth")
