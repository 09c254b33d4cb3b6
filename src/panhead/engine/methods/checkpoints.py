"""Checkpoints of a march: its whole state, the rows stored so far, and the memory of its system.

A state holds everything a step reads, the order of pivots and the factor in use among it: a march that is resumed
gives the same bits as one that was never stopped, wherever checkpoints were saved.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import NamedTuple, Protocol, final

import numpy as np

from panhead.engine.kernels.sliders import COUNT, write_slider
from panhead.engine.system import CompiledFamilies, System
from panhead.errors import FileError, PanheadError

Arrays = Mapping[str, np.ndarray]


class Checkpoint(NamedTuple):
    """State of a march at one step."""

    step: int  #: of the grid
    state: Arrays  #: arrays as they are at this step
    rows: Arrays  #: everything kept up to here, (n, …) each
    origin: str = "checkpoint"  #: where it was found, for messages


class Checkpoints(Protocol):
    """Storage to which a march saves its checkpoints."""

    def restore(self) -> Checkpoint | None:
        """Return the checkpoint to resume from; None to start from the beginning."""

    def due(self) -> bool:
        """True if it is time for the next checkpoint."""

    def save(self, here: Checkpoint) -> None:
        """Save a checkpoint."""


@final
class NoCheckpoints:
    """Storage of a march that saves no checkpoints."""

    def restore(self) -> None:
        """Return None: the march starts from the beginning."""

    def due(self) -> bool:
        """Return False: never due."""
        return False

    def save(self, here: Checkpoint) -> None:
        """Do nothing."""


NO_CHECKPOINTS = NoCheckpoints()


@contextmanager
def resume(found: Checkpoint, steps: int) -> Iterator[None]:
    """Context in which a march of ``steps`` steps restores its state; FileError if the checkpoint does not fit it."""
    try:
        if not 0 <= found.step <= steps:
            raise ValueError(f"step {found.step} of {steps}")
        yield
    except (KeyError, ValueError, TypeError, IndexError, PanheadError) as error:
        words = f"the checkpoint does not belong to this run ({error}); run without --resume"
        raise FileError(found.origin, words) from None


def write(places: Arrays, found: Arrays) -> None:
    """Copy arrays into those of the same names in ``places``; type and shape must match."""
    for name, place in places.items():
        np.copyto(place, np.reshape(found[name], place.shape), casting="equiv")


def require_within(found: np.ndarray, first: int, stop: int) -> None:
    """ValueError unless every entry, which kernels use as an index, is first … stop − 1."""
    if found.size and not (first <= found.min() and found.max() < stop):
        raise ValueError(f"{found.min()} … {found.max()} are not all from {first} to {stop - 1}")


def save_memory(system: System) -> dict[str, np.ndarray]:
    """Return a system's memory between evaluations: elements under sliders, starting points of searches in laws."""
    found: dict[str, np.ndarray] = {}
    for whose, tabled in _family_tables(system):
        found |= {f"{whose}_here": tabled.slides.here, f"{whose}_arc": tabled.slides.arc}
        found |= {f"{whose}_law_{k}": kept for k, kept in enumerate(tabled.memory)}
    return found


def restore_memory(system: System, found: Arrays) -> None:
    """Restore a system's memory saved by ``save_memory``; sliders are put onto their elements."""
    for whose, tabled in _family_tables(system):
        slides, here = tabled.slides, np.array(found[f"{whose}_here"])
        if here.shape != slides.here.shape or here.dtype != slides.here.dtype:
            raise ValueError("its sliders differ")
        for k, element in enumerate(here):
            require_within(here[k : k + 1], 0, int(slides.rows[k, COUNT]))
            write_slider(tabled.tables, slides, k, int(element))
    write(save_memory(system), found)


def _family_tables(system: System) -> Iterator[tuple[str, CompiledFamilies]]:
    yield "system", system.families
    if system.contacts is not None:
        yield "contacts", system.contacts.families
