"""Route as built: time of one fit; with ``--long`` a route of 77 km with 60 planted faults, from files to repair list.

python bench/asbuilt.py --long --workers 2 --seed 78 --folder out/route

What is in the folder is not computed again: repeat the command to resume.
"""

import argparse
import json
import resource
import tempfile
import warnings
from pathlib import Path
from time import perf_counter, process_time

import numpy as np

from panhead.explore.asbuilt.fit_tension_length import fit
from panhead.explore.asbuilt.height_model import HeightSamples
from panhead.explore.asbuilt.route_description import AlarmLevels, PartSpread
from panhead.explore.asbuilt.route_output import write_route
from panhead.explore.asbuilt.route_plan import RoutePlan
from panhead.explore.asbuilt.run_route import conduct
from panhead.explore.studies.sample_worker import local_workers
from panhead.railway.line.line_variants import expand_spans
from panhead.validation.asbuilt.planted_route import drawn_line, plant, readings
from panhead.validation.asbuilt.references import compared_with_truth, planted_files

SPANS = 24  # of a tension length: 1.2 km, of which 1.05 km are its own
LENGTHS = 73  # 77 km
FAULTS = 60
SEED = 77


def measure(*, long: bool = False) -> dict[str, object]:
    """Processor time of one fit; of the whole route times, counts and peak memory."""
    seconds, points, droppers = _one_fit()
    figures: dict[str, object] = {f"fit, {droppers} droppers, {points} points, s": seconds}
    if long:
        with tempfile.TemporaryDirectory() as folder:
            figures |= measure_route(Path(folder), workers=2, lengths=LENGTHS, seed=SEED)
    return figures


def measure_route(folder: Path, *, workers: int, lengths: int, seed: int) -> dict[str, object]:
    """Files of a planted route, the command's work on them, and what is found compared with the truth."""
    warnings.simplefilter("ignore")
    line, faults = drawn_line(lengths, SPANS), round(FAULTS * lengths / LENGTHS)
    truth, route = planted_files(folder, line, faults, seed)
    before, begun = _processor_time(), perf_counter()
    plan = RoutePlan.read(route)
    with local_workers(workers) as hands:
        conduct(plan, folder / "out", hands, _print_progress)
        held = _peaks() if workers == 1 else None
    write_route(plan, folder / "out")
    wall, used, held = perf_counter() - begun, _processor_time() - before, held or _peaks()
    told = {
        f"{lengths} tension lengths on {workers} workers, wall, min": wall / 60.0,
        "processor time, min": used / 60.0,
        "peak memory of this process and of the largest worker, MB": " ".join(f"{m:.0f}" for m in held),
    }
    (folder / f"measured-{begun:.0f}.json").write_text(json.dumps(told))  # a resumed run has several
    _print_progress(1.0, str(told))
    tally = compared_with_truth(plan, folder / "out", truth)
    return told | {
        "faults planted, costly, found": f"{tally.planted} {tally.matter} {tally.found}",
        "false alarms, parts": f"{tally.false} {tally.parts}",
        "tension lengths beyond limits, within after repair, all": f"{tally.needed} {tally.repaired} {tally.lengths}",
        "adjustments": tally.items,
        "errors over standard deviations, rms": tally.ratio,
    }


def _processor_time() -> float:
    """Of this process and of workers that have ended [s]."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(u.ru_utime + u.ru_stime for u in used)


def _peaks() -> list[float]:
    """Peak memory of this process and of the largest worker that has ended [MB]."""
    return [resource.getrusage(who).ru_maxrss / 1024 for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]


def _print_progress(share: float, words: str) -> None:
    print(f"  {perf_counter():9.1f} s {100 * share:3.0f} % {words}", flush=True)


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
    options.add_argument("--seed", type=int, default=SEED)
    options.add_argument("--folder", type=Path, default=Path("out/asbuilt-route"))
    given = options.parse_args()
    shown = (
        measure_route(given.folder, workers=given.workers, lengths=given.lengths, seed=given.seed)
        if given.long
        else measure()
    )
    for name, value in shown.items():
        print(f"{name}: {value}")
