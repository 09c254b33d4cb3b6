"""A pantograph under a line, before it is decided who solves what: the one model behind both ways of solving it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from panhead.errors import ModelError
from panhead.line.linear import LinearLine
from panhead.methods.integrators import Method
from panhead.methods.trajectory import State
from panhead.run.description import ContactLaw
from panhead.run.solvers.coupled.line_side import LineSide
from panhead.run.solvers.coupled.methods import Alpha, Newmark, Passage
from panhead.run.solvers.coupled.multibody_side import METHOD, MultibodySide
from panhead.run.solvers.coupled.strips import Drives, Surface
from panhead.system import System


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Encounter:
    """A line, a pantograph with its strips, how they touch and how they begin."""

    line: LinearLine
    passage: Passage
    law: ContactLaw
    pantograph: System
    start: State  #: of the pantograph
    strips: tuple[Surface, ...]
    drives: Drives | None = None  #: the pantograph's controls, contacts left out
    standing: tuple[float, ...] | None = (
        None  #: forces the line stands under at first [N]; None: none
    )

    def __post_init__(self) -> None:
        places = len(self.passage.behind)
        if len(self.strips) != places or len(self.standing or self.strips) != places:
            raise ModelError(
                f"Encounter: {len(self.strips)} strips and {len(self.standing or self.strips)} standing forces, but "
                f"the passage has places for {places}; give one of each per strip"
            )

    def line_side(self, step: float, method: Newmark | Alpha | None = None) -> LineSide:
        """The line as a participant with steps of its own [s]."""
        return LineSide(
            self.line,
            self.passage,
            law=self.law,
            step=step,
            method=method,
            standing=self.standing,
        )

    def pantograph_side(self, method: Method = METHOD, *, steps: int = 1) -> MultibodySide:
        """The pantograph as a participant."""
        return MultibodySide(
            self.pantograph, self.start, self.strips, drives=self.drives, method=method, steps=steps
        )
