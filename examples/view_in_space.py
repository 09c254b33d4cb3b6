"""A result in space: one page that opens offline, to turn, to zoom and to play.

Two four-bar loops turn freely. ``result.view()`` as the last line of a notebook cell shows them there; ``save`` writes
the page that ``panhead view result.nc`` writes. What is drawn are recorded places, so the bars keep their lengths.
"""

import tempfile
from pathlib import Path

import numpy as np

import panhead as ph

#: Largest change of the length of a drawn bar, of its length.
EXPECTED = (0.0, 1e-6)


def main() -> float:
    """Run, write the page, and measure the bars in the scene it shows."""
    result = ph.run("iftomm-a02", changes={"run": {"duration": "2 s"}})
    view = result.view()
    with tempfile.TemporaryDirectory() as folder:
        page = view.save(Path(folder) / "view.html")
        print(f"{page.name}: {page.stat().st_size / 1e3:.0f} kB, nothing else is needed to open it")
    bars = [part for part in view.scene.parts if part.shape == "link"]
    lengths = np.array([np.linalg.norm(bar.points[:, 1] - bar.points[:, 0], axis=1) for bar in bars])
    print(f"{len(bars)} bars at {len(view.scene.frames)} moments")
    return float((np.ptp(lengths, axis=1) / lengths.mean(axis=1)).max())


if __name__ == "__main__":
    print(f"lengths change by {main():.1e}")
