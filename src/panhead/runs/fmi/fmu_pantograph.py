"""FMU as the pantograph of a run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, final

from panhead.errors import FileError, ModelError, require_not_negative, require_positive
from panhead.files.embed import digest
from panhead.files.units import Metres, Newtons, NewtonSecondsPerMetre, NewtonsPerMetre
from panhead.railway.pantograph.pan_head import PanHead
from panhead.runs.coupled.participant import ForeignPantograph, Participant
from panhead.runs.fmi.fmu_ports import Channel
from panhead.runs.fmi.foreign_fmu import ForeignUnit


@final
@dataclass(frozen=True, kw_only=True)
class UnitPantograph(ForeignPantograph):
    """FMU with inputs force_k, lateral_k, lateral_rate_k of the contact on strip k and outputs height_k, rate_k.

    Ports that it calls otherwise, counts from elsewhere or does not take are named in ``inputs`` and ``outputs``. It
    starts as it says, with its strips where the line's wire is or will be met (``parameters`` of the unit, or the
    offset of a channel), under ``static_force``.
    """

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}

    path: Path  #: FILE.fmu
    sha256: str = ""  #: of the file; another content is refused. None: any
    name: str = ""  #: none: that of the file
    behind: tuple[Metres, ...] = (0.0,)  #: of every strip, behind the first [m]
    static_force: Newtons = 0.0  #: the line rests under at first [N]
    inputs: Mapping[str, str | Channel | None] = field(default_factory=dict)  #: port → variable
    outputs: Mapping[str, str | Channel | None] = field(default_factory=dict)
    parameters: Mapping[str, float] = field(default_factory=dict)  #: of the unit
    contact_stiffness: NewtonsPerMetre = 50e3  #: between strip and wire [N/m]
    contact_damping: NewtonSecondsPerMetre = 0.0  #: [N·s/m]
    pan_head: PanHead = field(default_factory=PanHead)  #: how wide it is across the track

    def __post_init__(self) -> None:
        if not self.name:
            object.__setattr__(self, "name", Path(self.path).stem)
        require_positive(self, "contact_stiffness")
        require_not_negative(self, "contact_damping", "static_force")
        if not self.behind or self.behind[0] != 0.0 or list(self.behind) != sorted(self.behind):
            raise ModelError(
                f"pantograph {self.name!r}: behind must list the strips from front to rear, the first at 0 m; got "
                f"{self.behind!r}"
            )

    def participant(self, line: Participant, *, trust: bool) -> ForeignUnit:
        """Fresh instance of the FMU."""
        if self.sha256 and digest(self.path) != self.sha256:
            raise FileError(self.path, f"is not the FMU this run was described with (SHA-256 {self.sha256[:12]}…)")
        return ForeignUnit(
            self.path, trust=trust, inputs=self.inputs, outputs=self.outputs, facing=line, parameters=self.parameters
        )
