"""Draw how the rows of EN 50318 spread: python docs/pictures/en50318_spread.py [--grid]."""

import sys
from pathlib import Path

import numpy as np

from panhead.validation.en50318.references import EN50318
from panhead.validation.en50318.spread import SPEEDS, spread_values, spread_variants
from panhead.desk.drawing.figures import CYCLE, GREY, Chart, Panel
from panhead.desk.drawing.svg import document

ROWS = [key for key in EN50318 if key != "contact_loss"]  # the range of a loss is a point


def main(*, grid: bool = False) -> Path:
    """Both speeds, one panel each: the place of every value in its range."""
    variants = spread_variants(grid=grid)
    groups = list(dict.fromkeys(v.group for v in variants))
    panels = []
    for column, speed in enumerate(SPEEDS):
        panel = Panel(
            height=250.0,
            x_label=", ".join(f"{k} {key.replace('_', ' ')}" for k, key in enumerate(ROWS, 1)),
            y_label="place in the range",
            title=f"{speed} km/h",
            x_limits=(0.4, len(ROWS) + 0.6),
        )
        for y in (0.0, 1.0):
            panel.rule(y=y, color=GREY)
        found = [spread_values(v, speed) for v in variants]
        for g, group in enumerate(groups):
            x, y = [], []
            for v, values in zip(variants, found, strict=True):
                if v.group == group:
                    x += [k + 0.1 * (g - (len(groups) - 1) / 2) for k in range(1, len(ROWS) + 1)]
                    y += [_place(values[key], EN50318[key][2][column]) for key in ROWS]
            panel.dots(np.array(x), np.array(y), group, color=CYCLE[g], size=3.5)
        panels.append(panel)
    path = Path(__file__).with_suffix(".svg")
    path.write_text(document(Chart(panels)), "utf-8")
    return path


def _place(value: float, bounds: tuple[float, float]) -> float:
    low, high = bounds
    return (value - low) / (high - low)


if __name__ == "__main__":
    print(main(grid="--grid" in sys.argv))
