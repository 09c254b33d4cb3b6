"""Dispatch samples to workers in batches, and retry those whose worker died.

Results are files, written one by one as samples are assessed; a lost worker therefore costs only the samples that it
had not written. They are computed again, once more together, then one by one: a sample that kills its worker is
identified and recorded as failed, and the others continue.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from panhead.errors import FileError, SimulationError
from panhead.explore.studies.sample_plan import Plan, Sample
from panhead.explore.studies.sample_worker import Workers, compute, path_of, write

_TRIES = 3  # of a sample that fails unforeseen, or whose worker dies
_HANDFUL = 8  # samples computed side by side
_IN_A_ROW = 8  # samples written off and none done between: then it is not the samples

Part = list[tuple[Sample, str]]  #: samples with their keys


@dataclass
class _Tally:
    """Progress of a study."""

    of: int
    done: int
    failed: int = 0
    dead: int = 0  #: workers that died, each with one sample, since the last one was done


def compute_all(
    folder: Path, plan: Plan, samples: Sequence[Sample], workers: Workers, told: Callable[[int, int, int], None]
) -> None:
    """Compute those samples whose files do not exist; ``told(done, of, failed)`` after each handful."""
    missing = [(s, key) for s in samples if not path_of(folder, key := plan.key(s)).exists()]
    tally = _Tally(len(samples), len(samples) - len(missing))
    told(tally.done, tally.of, tally.failed)
    queue = [(part, 0) for part in reversed(_batches(missing, workers.count))]
    waiting: dict[Any, tuple[Part, int]] = {}
    while queue or waiting:
        while queue and len(waiting) < workers.ahead * workers.count:
            part, tries = queue.pop()
            waiting[workers.submit(compute, str(folder), [s for s, _ in part], [key for _, key in part])] = part, tries
        for future in workers.done(list(waiting))[0]:
            queue += _settle(folder, *waiting.pop(future), future, workers.lost, tally)
            told(tally.done, tally.of, tally.failed)


def _settle(
    folder: Path, part: Part, tries: int, future: Any, lost: tuple[type[BaseException], ...], tally: _Tally
) -> list[tuple[Part, int]]:
    """Count the finished samples of a task; return those to be tried again, and how often they have been tried."""
    error = future.exception()
    left = [] if error is None else [one for one in part if not path_of(folder, one[1]).exists()]
    tally.done += len(part) - len(left)
    if len(left) < len(part):
        tally.dead = 0
    if error is None:
        tally.failed += future.result()
        return []
    tries += 1
    if isinstance(error, FileError):
        raise error
    if not isinstance(error, lost):
        if isinstance(error, OSError) or tries == _TRIES:
            raise _failure_error(left, error)
        return [(left, tries)]
    if len(left) == 1 and tries == _TRIES:
        tally.done, tally.failed, tally.dead = tally.done + 1, tally.failed + 1, tally.dead + 1
        _write_off(folder, *left[0], tally.dead)
        return []
    return _retry_parts(left, tries)


def _retry_parts(left: Part, tries: int) -> list[tuple[Part, int]]:
    """Retry plan after a lost worker: the batch once more, then each sample alone with two more attempts."""
    if not left:
        return []
    return [(left, tries)] if tries == 1 or len(left) == 1 else [([one], 1) for one in left]


def _write_off(folder: Path, sample: Sample, key: str, dead: int) -> None:
    """Keep a sample whose worker died every time as a failure; refuse to go on if that is all that happens."""
    from panhead.explore.studies.sample_outcome import failure

    if dead > _IN_A_ROW:
        raise SimulationError(
            f"the workers of {dead} samples in a row died (killed, or out of memory?), the last of sample "
            f"{sample.number}; computed samples are kept. Repeat the command to continue, with fewer --workers if "
            "memory is short"
        )
    again = f"to retry it, delete samples/{key}.nc and repeat the study"
    write(folder, sample, key, failure(f"its worker died every time (killed, or out of memory?); {again}"))


def _batches(missing: Part, workers: int) -> list[Part]:
    """Batches for the workers: as many samples as run in parallel lanes, fewer if that keeps all workers busy."""
    size = max(1, min(_HANDFUL, -(-len(missing) // workers)))
    return [missing[k : k + size] for k in range(0, len(missing), size)]


def _failure_error(part: Part, error: BaseException) -> SimulationError:
    numbers = ", ".join(str(s.number) for s, _ in part)
    which = f"{'samples' if len(part) > 1 else 'sample'} {numbers}"
    what = "written" if isinstance(error, OSError) else f"computed: {type(error).__name__}"
    return SimulationError(
        f"{which} could not be {what}: {error}; computed samples are kept. Fix the cause and repeat the command to "
        "continue"
    )
