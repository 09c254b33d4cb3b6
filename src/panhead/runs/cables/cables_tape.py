"""Tape of a cable run for the backward sweep: its records, and states at checkpoints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, final

import numpy as np

from panhead.engine.methods.integrators import GeneralizedAlpha
from panhead.railway.pantograph.lumped_pantograph import LumpedPantograph
from panhead.runs.cables.cables_assembly import CableSystem
from panhead.runs.linear.step.adjoint_arrays import OutputCotangents
from panhead.runs.linear.tape_outputs import Peaks
from panhead.runs.resolve import ResolvedRun

NEAR = 0.5  #: [N] a dropper or contact that holds by less than this is at a kink


class CableCheckpoint(NamedTuple):
    """State from which a stretch of steps begins."""

    motion: tuple[np.ndarray, ...]
    arc: np.ndarray  #: where sliders are on their wires


@final
@dataclass(frozen=True, slots=True)
class CableTape:
    """Differentiable run of cables; rows are the start and every step."""

    whole: CableSystem
    method: GeneralizedAlpha
    marks: tuple[int, ...]  #: first step of every stretch, and the last step
    states: tuple[CableCheckpoint, ...]  #: at the marks but the last
    force: np.ndarray  #: (steps + 1, pantographs) [N]
    height: np.ndarray  #: (steps + 1, 0): not recorded
    support: np.ndarray  #: (steps + 1, supports) uplift [m]
    dropper: np.ndarray  #: (steps + 1, droppers) [N]
    modes: np.ndarray  #: (steps + 1, droppers + pantographs) whether each holds; 2: with all of its damper

    @property
    def model(self) -> ResolvedRun:
        """Resolved run."""
        return self.whole.resolved

    @property
    def step(self) -> float:
        """Length of a step [s]."""
        return self.model.run.numerics.step

    @property
    def steps(self) -> int:
        """Number of steps of the whole run."""
        return self.marks[-1]

    @property
    def seen(self) -> np.ndarray:
        """Times of the rows [s]."""
        return np.arange(self.steps + 1) * self.step

    @property
    def series(self) -> tuple[np.ndarray, ...]:
        """Recorded time series, in the order of ``OutputCotangents``."""
        return self.force, self.height, self.support, self.dropper

    @property
    def kinks(self) -> np.ndarray:
        """Rows at which a dropper or contact is within ``NEAR`` of a mode change, or has changed; (steps + 1,) bool."""
        pulls = np.concatenate([self.dropper, self.force], axis=1)
        flips = np.zeros(pulls.shape, dtype=bool)
        flips[1:] = self.modes[1:] != self.modes[:-1]
        return np.asarray((((self.modes > 0) & (pulls < NEAR)) | flips).any(axis=1))

    def masses(self) -> dict[str, str]:
        """Stage of a lumped pantograph → its height coordinate."""
        found = {}
        for k, (name, p) in enumerate(zip(self.model.names, self.model.pantographs, strict=True)):
            label = "" if k == 0 else f"{k + 1} "
            for stage in range(1, len(p.stages) + 1 if isinstance(p, LumpedPantograph) else 1):
                found[f"{name}, stage {stage}"] = f"{label}mass_{stage}.x"
        return found

    @property
    def times(self) -> np.ndarray:
        """Times of the start and of all steps [s]."""
        return self.seen

    def support_names(self) -> list[str]:
        return [s.name for s in self.whole.line.catenary.supports]

    def support_masts(self) -> np.ndarray:
        """Number of the mast of every support."""
        return np.array([s.mast for s in self.whole.line.catenary.supports])

    def dropper_names(self) -> list[str]:
        """Dropper names as in the linear solver: the item "dropper 2-3" is T.span2.dropper3."""
        (piece,), found = self.model.strung.layout.pieces, []
        for d in self.whole.line.catenary.droppers:
            span, _, number = d.name.removeprefix("dropper ").partition("-")
            found.append(f"{piece.name}.span{span}.dropper{number}")
        return found

    @property
    def highest(self) -> Peaks:
        """Extremes of the uplifts of all supports."""
        return Peaks.of(self.support)

    @property
    def pulls(self) -> Peaks:
        """Extremes of the forces of all droppers."""
        return Peaks.of(self.dropper)

    def zero_seed(self) -> OutputCotangents:
        """Zero seed: cotangents of an objective that depends on nothing, to be filled in."""
        return OutputCotangents(*(np.zeros(x.shape) for x in self.series))
