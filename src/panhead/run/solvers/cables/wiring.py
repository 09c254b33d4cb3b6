"""The line of a scenario, and how it is made a model of cables."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, final

from panhead.errors import require_positive
from panhead.files.units import Metres
from panhead.line import Line, read_line, string
from panhead.run.solvers.cables.assembly import GRAVITY
from panhead.run.solvers.cables.statics import Hung, hung
from panhead.run.solvers.cables.wires import cables_of


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Wiring:
    """The line and how it is made a model."""

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}

    line: str = "ancf-simple"  #: shipped name or file
    element_length: Metres = 6.25
    mast_elements: int = 1  #: into which an element beside a mast is cut
    droppers: Literal["bilateral", "tension only"] = "bilateral"
    contact_held: bool = False  #: the contact wire cannot rise at the masts
    presag: Metres | None = None  #: of the contact wire at mid-span; none: the line's own
    contact_height: Metres | None = None  #: at the masts; none: the line's own
    straight: bool = False  #: wires begin level, then sag as a whole
    tautness: float = 1.0  #: tension of contact wire and messenger, in the line's own

    def __post_init__(self) -> None:
        require_positive(self, "element_length", "tautness")

    def described(self) -> Line:
        """The line with what is changed of it."""
        line = read_line(self.line)
        if self.presag is not None:
            line = replace(line, presag=self.presag)
        if self.contact_height is not None:
            line = replace(line, contact_height=self.contact_height)
        return line if self.tautness == 1.0 else tauter(line, self.tautness)

    def hung(self) -> Hung:
        """The line at rest."""
        cables = cables_of(
            string(self.described()),
            element_length=self.element_length,
            bilateral=self.droppers == "bilateral",
            contact_held=self.contact_held,
            straight=self.straight,
            mast_elements=self.mast_elements,
        )
        return hung(cables, GRAVITY)


def tauter(line: Line, factor: float) -> Line:
    """The same line, contact wire and messenger pulled ``factor`` times as hard."""
    wires = line.wires
    pulled = replace(
        wires,
        contact=replace(wires.contact, tension=factor * wires.contact.tension),
        messenger=replace(wires.messenger, tension=factor * wires.messenger.tension),
    )
    return replace(line, wires=pulled)
