"""Route as built: time of one fit; with ``--long`` a route of 77 km with 60 planted faults, from files to repair list.

python bench/asbuilt.py --long --workers 2
"""

import argparse
import resource
import tempfile
from pathlib import Path
from time import perf_counter, process_time

import numpy as np

from panhead.explore.asbuilt.fit_tension_length import fit
from panhead.explore.asbuilt.height_model import HeightSamples
from panhead.explore.asbuilt.route_description import AlarmLevels, PartSpread
from panhead.explore.studies.sample_worker import local_workers
from panhead.railway.line.line_variants import expand_spans
from panhead.validation.asbuilt.planted_route import drawn_line, plant, readings
from panhead.validation.asbuilt.references import planted_and_found

SPANS = 24  # of a tension length: 1.2 km, of which 1.05 km are its own
LENGTHS = 73  # 77 km
FAULTS = 60
SEED = 77


def measure(*, long: bool = False, workers: int = 2, lengths: int = LENGTHS) -> dict[str, object]:
    """Processor time of one fit; of the whole route the time on the wall, counts and peak memory."""
    seconds, points, droppers = _one_fit()
    figures: dict[str, object] = {f"fit, {droppers} droppers, {points} points, s": seconds}
    if not long:
        return figures
    begun = perf_counter()
    with tempfile.TemporaryDirectory() as folder, local_workers(workers) as hands:
        faults = round(FAULTS * lengths / LENGTHS)
        tally = planted_and_found(Path(folder), lengths=lengths, spans=SPANS, faults=faults, seed=SEED, workers=hands)
    used = [resource.getrusage(who).ru_maxrss / 1024 for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return figures | {
        f"{lengths} tension lengths on {workers} workers, min": (perf_counter() - begun) / 60.0,
        "faults planted, costly, found": f"{tally.planted} {tally.matter} {tally.found}",
        "false alarms, parts": f"{tally.false} {tally.parts}",
        "tension lengths beyond limits, within after repair, all": f"{tally.needed} {tally.repaired} {tally.lengths}",
        "adjustments": tally.items,
        "peak memory, parent and largest worker, MB": " ".join(f"{m:.0f}" for m in used),
    }


def _one_fit() -> tuple[float, int, int]:
    """One tension length of 43 spans, 215 droppers and 0.25 m of spacing."""
    line = drawn_line(1, 43)
    truth = plant(line, 2, SEED)
    table = readings(line, truth, noise=2e-3, seed=SEED)
    samples = HeightSamples(table[:, 0] - line.chainage, table[:, 1], table[:, 2], np.zeros(len(table), int))
    begun = process_time()
    found = fit(expand_spans(line), 0, samples, PartSpread(), AlarmLevels())
    return process_time() - begun, len(table), sum(p.kind == "dropper length" for p in found.parts)


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--long", action="store_true")
    options.add_argument("--workers", type=int, default=2)
    options.add_argument("--lengths", type=int, default=LENGTHS)
    given = options.parse_args()
    for name, value in measure(long=given.long, workers=given.workers, lengths=given.lengths).items():
        print(f"{name}: {value}")
