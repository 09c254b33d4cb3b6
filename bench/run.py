"""Measure speed: ``python bench/run.py [NAME …] [--json]``.

Each bench is a file beside this one with a ``measure() -> dict`` of figures: times in seconds with
their spread, and ratios measured in the same run on one core after warm-up.
"""

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ.setdefault(_name, "1")  # one core, before NumPy is loaded

import argparse
import importlib
import json
import sys
from pathlib import Path

HERE = Path(__file__).parent
HELPERS = {"run", "timing"}


def names() -> list[str]:
    return sorted(f.stem.replace("_", "-") for f in HERE.glob("*.py") if f.stem not in HELPERS)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("name", nargs="*", help=f"any of: {', '.join(names())}; default: all")
    parser.add_argument("--json", action="store_true", help="print one JSON object, name → figures")
    options = parser.parse_args()
    unknown = set(options.name) - set(names())
    if unknown:
        parser.error(f"no bench called {', '.join(sorted(unknown))}; there are {', '.join(names())}")
    sys.path.insert(0, str(HERE))
    figures = {}
    for name in options.name or names():
        figures[name] = importlib.import_module(name.replace("-", "_")).measure()
        if not options.json:
            print(f"\n{name}")
            for key, value in figures[name].items():
                print(f"  {key:<48} {value:.4g}" if isinstance(value, float) else f"  {key:<48} {value}")
    if options.json:
        print(json.dumps(figures, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
