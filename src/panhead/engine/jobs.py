"""Context of a run: output folder, progress, messages, and options for what is computed beside it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import numpy as np
    import xarray as xr

#: environment in which NumPy's and SciPy's libraries, not yet loaded, compute with one thread: with more, sums are
#: split otherwise, and the last bits are others
ONE_THREAD = dict.fromkeys(("MKL_NUM_THREADS", "NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")

#: why a search ended, where a person has stopped it; the attribute ``reason`` of its result
STOPPED = "interrupted"


ErrorBars = Literal["none", "described", "coarser", "finer"]
Explain = Literal["none", "described", "sweep", "trials"]


def ignore_progress(fraction: float, message: str = "") -> None:
    """Default progress callback: does nothing."""


def ignore_message(message: str) -> None:
    """Default message callback: does nothing."""


def ignore_forces(place: np.ndarray, force: np.ndarray) -> None:
    """Default callback for contact forces: does nothing."""


def ignore_verdict(result: xr.Dataset) -> None:
    """Default callback for verdicts: does nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """Context and options of one run. Every field has a default, so ``Job()`` is a quiet run in memory."""

    progress: Callable[[float, str], None] = ignore_progress  #: called with the share done, 0 … 1
    say: Callable[[str], None] = ignore_message  #: told in a sentence what a person should know of the run
    watch: Callable[[np.ndarray, np.ndarray], None] = ignore_forces
    """Shown the steps just computed: place [m] and contact force [N] of each contact, (steps, contacts)."""
    out: Path | None = None  #: folder for checkpoints and streamed results; None: memory only
    resume: bool = False  #: continue from the checkpoint in ``out`` if there is one
    error_bars: ErrorBars = "none"  #: the repeat that tells the numerical error; "described": as the run itself says
    explain: Explain = "none"  #: how peaks are attributed to parts of the model; "described": as the run itself says
    judged: Callable[[xr.Dataset], None] = (
        ignore_verdict  #: shown a result with its verdict, before anything that explains it
    )
    trust: bool = False  #: functional mock-up units, which are native code of others, may be loaded

    def restarts(self, what: str) -> None:
        """Tell the user that a job with ``resume`` starts from the beginning; one wording for every kind of run."""
        if self.resume:
            self.say(f"checkpoints cannot store {what}. The run starts from the beginning")
