"""Run benchmarks: ``python bench/run.py [NAME …] [--json] [--long] [--table FILE]``.

Each bench is a file of this folder with a ``measure() -> dict`` of figures: times in seconds with
their spread, and ratios measured in the same run on one core after warm-up.
"""

# ruff: noqa: E402  threads are counted before NumPy is loaded
import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

import argparse
import importlib
import importlib.metadata
import inspect
import json
import sys
from pathlib import Path
from typing import Any

from panhead.files.results import cpu_name, versions

HERE = Path(__file__).parent
#: Each is a file of this folder with a function ``measure``.
BENCHES = (
    "adjoint",
    "asbuilt",
    "beams",
    "ancf-catenary",
    "cable-moving-load",
    "calibration",
    "chain",
    "contact-scenes",
    "en50318",
    "environment",
    "floating-frame",
    "four-bar-n",
    "inverse-dynamics",
    "line-gradient",
    "long-line",
    "mechanism",
    "rig",
    "study",
    "vehicle",
    "workbench",
)


def shown(value: Any) -> str:
    """Format a figure with four digits; text is unchanged."""
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def peer_versions() -> dict[str, str]:
    """Versions of the installed codes that benches are set beside."""
    found = {d.metadata["Name"].lower(): d.version for d in importlib.metadata.distributions()}
    return {name: found[name] for name in ("exudyn", "pin", "mujoco", "fmpy") if name in found}


def table(figures: dict[str, dict[str, Any]]) -> str:
    """Markdown table of all figures, with the machine they were measured on."""
    used = ", ".join(f"{name} {version}" for name, version in (versions() | peer_versions()).items())
    lines = [f"Measured on one core of {cpu_name()}, {used}.", "", "| bench | figure | value |", "|---|---|---|"]
    for name, measured in figures.items():
        rows = [(key, shown(value).replace("|", "\\|")) for key, value in measured.items()]
        lines += [f"| {f'`{name}`' if k == 0 else ''} | {key} | {value} |" for k, (key, value) in enumerate(rows)]
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("name", nargs="*", help=f"any of: {', '.join(BENCHES)}; default: all")
    parser.add_argument("--json", action="store_true", help="print one JSON object, name → figures")
    parser.add_argument("--long", action="store_true", help="also benchmarks that take minutes: 100 km of line")
    parser.add_argument("--table", metavar="FILE", type=Path, help="write the figures as a Markdown table")
    options = parser.parse_args()
    unknown = set(options.name) - set(BENCHES)
    if unknown:
        parser.error(f"no bench called {', '.join(sorted(unknown))}; there are {', '.join(BENCHES)}")
    sys.path.insert(0, str(HERE))
    figures = {}
    for name in options.name or BENCHES:
        measure = importlib.import_module(name.replace("-", "_")).measure
        has_more = options.long and "long" in inspect.signature(measure).parameters
        figures[name] = measure(long=True) if has_more else measure()
        if not options.json:
            print(f"\n{name}")
            for key, value in figures[name].items():
                print(f"  {key:<48} {shown(value)}")
    if options.json:
        print(json.dumps(figures, indent=1))
    if options.table:
        options.table.write_text(table(figures), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
