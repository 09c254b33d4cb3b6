"""The line in C on one core: worst and mean time of a step over 10⁶ steps, growth with window, memory.

Times are processor time of the thread, each step by itself. Asked for the ten spans of EN 50318 in a moving window at
1 kHz: at most 100 µs for the worst step, 50 µs in the mean. The run is passed many times, a step is the same work in
every pass: the least of its times is without interrupts and cold caches of a shared machine. "Worst" is the longest of
these least times, and "worst seen" the longest of all.
"""

import os
import subprocess
import tempfile
from pathlib import Path

from panhead.runs import scenarios
from panhead.runs.c_export.compiled_rig import compile_sources, compilers
from panhead.runs.c_export.rig_export import rig_sources, write_rig

DROPPERS = [5, 10.5, 17, 23.5, 30, 36.5, 43, 49.5, 55]
STEPS = 1_000_000


def measure(steps: int = int(os.environ.get("PANHEAD_RIG_STEPS", STEPS))) -> dict[str, object]:
    """Figures of windows of ten spans, of eight and twenty, and with lateral motion."""
    figures: dict[str, object] = {}
    for words, count, lateral, share in (
        ("ten spans", 10, False, 1),
        ("eight spans", 8, False, 10),
        ("twenty spans", 20, False, 10),
        ("ten spans, lateral motion", 10, True, 10),
    ):
        found = _timed(_run(count, lateral=lateral), max(1000, steps // share))
        figures |= {
            f"{words}: steps": int(found["steps"]),
            f"{words}: mean, µs": 1e6 * found["mean"],
            f"{words}: one in 10 000 takes more than, µs": 1e6 * found["p9999"],
            f"{words}: worst, µs": 1e6 * found["worst"],
            f"{words}: passes": found["passes"],
            f"{words}: worst seen, µs": 1e6 * found["worst_seen"],
            f"{words}: state, kB": found["state"] / 1e3,
            f"{words}: tables, kB": found["tables"] / 1e3,
            f"{words}: flags": int(found["flags"]),
        }
    return figures


def _run(window: int, *, lateral: bool):
    """EN 50318 at 250 km/h in a moving window of so many spans, the pantograph in the middle."""
    before = (window - 1) // 2
    raw = {
        "kind": "run",
        "line": "en50318-2002",
        "speed": "250 km/h",
        "lateral": lateral,
        "train": [{"pantograph": "en50318-2002"}],
        "journey": {"start": 60.0, "stop": 1740.0},
        "line_changes": {
            "tension_lengths": [{"name": "T1", "spans": [{"length": 60.0, "count": 30, "dropper_positions": DROPPERS}]}]
        },
        "numerics": {
            "window": "moving", "behind": before, "ahead": window - 1 - before, "absorbing": 2, "near": window,
        },
    }  # fmt: skip
    return scenarios.from_plain(raw, source="bench").description


def _timed(run, steps: int) -> dict[str, float]:
    """What the exported program prints about its steps."""
    command = next(iter(compilers().values()))
    with tempfile.TemporaryDirectory() as folder:
        there = Path(folder)
        sources = rig_sources(run, ["closed"])
        write_rig(sources, there)
        names = ("main_closed.c", "rig_closed.c", "line_tables.c")
        options = ("-O3", "-march=native", "-DRIG_FUSED")
        program = compile_sources(command, [there / name for name in names], there / "rig", *options)
        text = subprocess.run([str(program), "time", str(steps)], capture_output=True, text=True, check=True).stdout
    found = dict(line.split() for line in text.splitlines())
    return {name: float(value) for name, value in found.items()} | {"tables": float(sources.table_bytes)}
