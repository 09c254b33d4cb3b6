"""Long line in a moving window: speed, memory and energy balance over 10 km and, with ``--long``, over 100 km."""

import resource
import tempfile
from pathlib import Path
from time import process_time

import numpy as np
from timing import spread

from panhead.engine.jobs import Job
from panhead.runs import scenarios
from panhead.runs.linear.near_spans import spans_at
from panhead.runs.linear.run_driver import drive
from panhead.runs.linear.step.step_arrays import ENERGIES, LEDGER
from panhead.runs.resolve import ResolvedRun, resolve
from panhead.runs.streams import Streams

DROPPERS = [5, 10.5, 17, 23.5, 30, 36.5, 43, 49.5, 55]
NEAR = 7  # spans: the last one, which ends at an anchor, and six that are strung with it
GIVEN = ("uplift", "train", "wind")  # of the ledger; the rest is lost


def measure(*, long: bool = False) -> dict[str, object]:
    """Figures of 10 km, or of 10 km and 100 km; processor time relative to ten fixed spans in the same run."""
    _run(2.0)  # compile and load
    figures: dict[str, object] = {}
    for kilometres in (10, 100) if long else (10,):
        seconds, marks, session, energy = _run(kilometres)
        standing = np.array([_run(0.6, window="whole")[0] / _journey(0.6) for _ in range(5)])
        travel = _journey(kilometres)
        clear = _clear_of_ends(session.model)
        off, turned = _balance(energy, session.energy0)
        figures |= {
            f"{kilometres} km, times real time": travel / seconds,
            f"{kilometres} km, ten standing spans beside it, times real time": spread(1.0 / standing),
            f"{kilometres} km, slowest fifth over quickest fifth, with set-up": _fifths(marks, (0.0, 1.0)),
            f"{kilometres} km, the same of {clear[0]:.0%} to {clear[1]:.0%}, clear of both ends": _fifths(marks, clear),
            f"{kilometres} km, peak memory so far, MB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
            f"{kilometres} km, energy turned over, J": turned,
            f"{kilometres} km, balance off at most by, J, fifth by fifth": " ".join(f"{x:.1e}" for x in off),
        }
    return figures


def _fifths(marks: list[tuple[float, float]], of: tuple[float, float]) -> float:
    """Time of the slowest fifth over the fastest fifth of a part of a run; marks: (fraction, seconds)."""
    parts = np.diff(np.interp(np.linspace(*of, 6), *np.array(marks).T))
    return float(parts.max() / parts.min())


def _clear_of_ends(model: ResolvedRun) -> tuple[float, float]:
    """Fractions of the run between which the window contains no end span of the line."""
    steps = np.linspace(0, model.steps, 1001).astype(int)
    spans = np.array([spans_at(model, int(n)) for n in steps])
    clear = steps[(spans[:, 0] >= NEAR) & (spans[:, 1] <= model.strung.layout.n_spans - NEAR)]
    return float(clear[0] / model.steps), float(clear[-1] / model.steps)


def _journey(kilometres: float) -> float:
    """Travel time at 300 km/h [s]."""
    return (1000.0 * kilometres - 120.0) / (300.0 / 3.6)


def _run(kilometres: float, window: str = "moving"):
    """Processor time of a run at 300 km/h over so many kilometres, (share, seconds) marks, session, energies."""
    count = round(kilometres * 1000 / 60)
    raw = {
        "kind": "run",
        "line": "en50318-2002",
        "speed": "300 km/h",
        "train": [{"pantograph": "en50318-2002"}],
        "journey": {"start": 60.0, "stop": 60.0 * count - 60.0},
        "line_changes": {
            "tension_lengths": [
                {"name": "T1", "spans": [{"length": 60.0, "count": count, "dropper_positions": DROPPERS}]}
            ]
        },
        "numerics": {"window": window},
    }
    model = resolve(scenarios.from_plain(raw, source="bench").description)
    with tempfile.TemporaryDirectory() as folder:
        start = process_time()
        marks = [(0.0, 0.0)]
        note = lambda share, message="": marks.append((share, process_time() - start))
        streams = Streams(Path(folder))
        session, failure = drive(model, streams, Job(progress=note, out=Path(folder)))
        assert failure is None
        return process_time() - start, marks, session, np.array(streams.table("energy"))


def _balance(energy: np.ndarray, begun: float) -> tuple[list[float], float]:
    """Largest |E − E(0) − given + lost| in every fifth of a run, and what was given [J]; energy: rows of samples."""
    stored, ledger = np.split(energy[:, 1:], [len(ENERGIES)], axis=1)
    sign = np.array([1.0 if name in GIVEN else -1.0 for name in LEDGER])
    off = np.abs(stored.sum(axis=1) - begun - ledger @ sign)
    given = np.abs(ledger[:, [LEDGER.index(name) for name in GIVEN]]).max(axis=0).sum()
    return [float(part.max()) for part in np.array_split(off, 5)], float(given)
