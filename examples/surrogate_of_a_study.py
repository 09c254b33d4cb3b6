"""A data set of runs by recipe, and a surrogate trained on it, with its error beside the solver's own.

Static force and speed vary over 40 runs; ridge regression of the deviation of the contact force on polynomials of both.
Its error on samples it has not seen is set beside what half the mesh and step change in the first eight runs.
"""

import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

from panhead.explore.studies.dataset import write_dataset
from panhead.explore.studies.distributions import Distribution
from panhead.explore.studies.sample_plan import Plan
from panhead.explore.studies.study_description import Study, Vary

EXPECTED = (0.01, 2.0)  # N, error of the surrogate on unseen samples, root of the mean square
FORCE = "train.0.changes.static_force"
SHORT = {
    "line_changes": {"tension_lengths": [{"name": "T1", "spans": [{"length": 50.0, "count": 5, "dropper_count": 6}]}]},
    "numerics": {"step": "2 ms", "element_length": "2 m", "coarse": True},
    "journey": {"judged_from": 100.0, "judged_to": 150.0, "stop": 160.0, "ramp": 0.4},
}
STUDY = Study(
    base="en50318-300", form="tolerance", changes=SHORT, samples=40,
    vary=(
        Vary(input="speed", distribution=Distribution(kind="uniform", low="50 m/s", high="65 m/s")),
        Vary(input=FORCE, distribution=Distribution(kind="uniform", low="100 N", high="140 N")),
    ),
)  # fmt: skip


def computed(study: Study) -> list[dict]:
    """Samples of a study with their statistics."""
    with tempfile.TemporaryDirectory() as folder:
        write_dataset(Plan.of("surrogate", study), Path(folder))
        return pq.read_table(Path(folder) / "samples.parquet").to_pylist()


def features(rows: list[dict]) -> np.ndarray:
    """Monomials up to the third power of speed and force, both scaled to about ±1."""
    v, f = (np.array([float(str(r[name]).split()[0]) for r in rows]) for name in ("speed", FORCE))
    a, b = (v - 57.5) / 7.5, (f - 120.0) / 20.0
    return np.stack([a**i * b**j for i in range(4) for j in range(4 - i)], axis=1)


def main() -> float:
    rows, deviation = computed(STUDY), lambda some: np.array([r["deviation"] for r in some])
    seen, unseen = ([r for r in rows if (r["split"] == "train") == want] for want in (True, False))
    X = features(seen)
    weights = np.linalg.solve(X.T @ X + 1e-3 * np.eye(X.shape[1]), X.T @ deviation(seen))
    error = float(np.sqrt(np.mean((features(unseen) @ weights - deviation(unseen)) ** 2)))
    half = SHORT | {"numerics": {"step": "1 ms", "element_length": "1 m"}}
    solver = deviation(computed(replace(STUDY, changes=half, samples=8))) - deviation(rows[:8])
    print(f"surrogate {error:.2f} N, solver {np.sqrt(np.mean(solver**2)):.2f} N")
    return error
