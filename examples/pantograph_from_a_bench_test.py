"""Identify a two-mass pantograph from a frequency response of its head, and write it as a file.

The response is that of the reference pantograph of EN 50318 by its own matrices, with 1 % of noise in amplitude and
phase.
"""

import tempfile
from pathlib import Path

import numpy as np

from panhead.desk.evidence.instrument_error import head_receptance
from panhead.explore.calibration.bench_files import identify_file
from panhead.railway.pantograph.lumped_pantograph import read_pantograph

#: Identified over true mass of the head [1].
EXPECTED = (0.98, 1.02)


def main() -> float:
    true = read_pantograph("en50318-2002")
    f = np.linspace(0.5, 25.0, 80)
    rng = np.random.default_rng(2)
    noise = 1.0 + 0.01 * (rng.standard_normal(f.size) + 1j * rng.standard_normal(f.size))
    response = head_receptance(true, f) * noise
    with tempfile.TemporaryDirectory() as name:
        bench = Path(name) / "bench.csv"
        rows = (f"{a},{h.real},{h.imag}\n" for a, h in zip(f, response, strict=True))
        bench.write_text("frequency,receptance_real,receptance_imaginary\nHz,m/N,m/N\n" + "".join(rows))
        words, _ = identify_file(bench, 2, "from the bench", true.static_force, bench.with_suffix(".toml"))
        found = read_pantograph(bench.with_suffix(".toml"))
    print("\n".join(words))
    return found.stages[0].mass / true.stages[0].mass


if __name__ == "__main__":
    main()
