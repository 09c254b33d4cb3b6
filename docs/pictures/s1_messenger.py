"""Designed study of docs/theory/catenary-readings.md: messenger density, droppers and shape of the line.

``python docs/pictures/s1_messenger.py`` computes what ``s1_messenger.csv`` lacks and draws ``s1_messenger.svg``;
``--draw`` only draws.
"""

import csv
import sys
from itertools import product
from math import log
from pathlib import Path

import numpy as np

from panhead.desk.drawing.figures import CYCLE, GREY, Chart, Panel
from panhead.desk.drawing.svg import document
from panhead.files.variants import separate
from panhead.runs import scenarios

TABLE = Path(__file__).with_suffix(".csv")
COLUMNS = ("seconds", "shape", "droppers", "messenger", "moment", "uplift", "law", "mean", "estimate", "force")
#: Shape of the line → settings; droppers → their nodes, of which a span has eight between its masts.
SHAPES = {
    "pre-sagged": [],
    "straight": ["line_changes.presag=0", "line_changes.contact_height=4.945", "cables.straight=true"],
    "displaced": ["line_changes.presag=0", "line_changes.contact_height=4.945", "cables.displaced=true"],
}
NODES = {"1-8": range(1, 9), "2-7": range(2, 8)}
DENSITIES = (0.05, 0.1, 0.2, 0.4, 0.6, 1.29024)  # of the messenger [kg/m]; the last is the contact wire's
LAWS = ("uncontrolled", "derivative", "bang-bang", "exponential")
#: Uplift [N] → mean without control and deviations of the four laws, in print [N].
PRINT = {1521: (110.427, (37.3033, 22.709, 21.214, 20.8)), 3042: (468.145, (41.688, 31.478, 30.522, 30.336))}
SCREEN, WHOLE = 5, 10  # duration without control, and of the tables [s]
BEGUN = 0.05  # the kick of the start is left out [s]
SLOPE = 0.345  # of the mean force over the moment [N/(N·m)]
NEAR = 2.0  # the moment is corrected while the mean is farther off than this [N]
WITHIN, NEAREST = 0.2, 4  # criterion; number of readings run with laws if none is within it


def reading(shape: str, droppers: str, density: float) -> list[str]:
    """Settings of ``s1-low-uplift`` for one reading: bilateral droppers, damper of table 10 of [Ambrosio11]."""
    places = [6.25 * node for node in NODES[droppers]]
    spans = f"[{{name='T1',spans=[{{length=56.25,count=20,dropper_positions={places}}}]}}]"
    return [
        "train.0.changes.arm_damping=13.7",
        f"line_changes.wires.messenger.mass_per_length={density}",
        f"line_changes.tension_lengths={spans}",
        *SHAPES[shape],
    ]


def figures(settings: list[str], laws: tuple[str, ...], seconds: int) -> list[tuple[float, float, float]]:
    """Mean, deviation by (27) and deviation of the force of every law [N]."""
    control = lambda law: "" if law == "uncontrolled" else f",changes={{control={{kind='{law}'}}}}"
    variants = ",".join(f"{{name='{law}'{control(law)}}}" for law in laws)
    length = [f"journey.duration={seconds}.0", f"journey.judged_to={12.5 + seconds * 200 / 3.6 - 0.01}"]
    result = scenarios.read("s1-low-uplift", [*settings, *length, f"variants=[{variants}]"]).simulate()
    runs = separate(result)
    runs = [runs[law].isel(pantograph=0).sel(time=slice(BEGUN, None)) for law in laws]
    estimates = [(d.force_estimate - d.actuator_force).values.std() for d in runs]
    forces = [d.contact_force.values for d in runs]
    return [(f.mean(), e, f.std()) for f, e in zip(forces, estimates, strict=True)]


def screen(shape: str, droppers: str, density: float) -> list[tuple]:
    """Rows of one reading without control at both uplifts; its moment is calibrated at 1521 N."""
    moment, settings = 163.6, reading(shape, droppers, density)
    for _ in range(3):
        (low,) = figures([*settings, f"train.0.changes.moment={moment:.5g}"], LAWS[:1], SCREEN)
        if abs(low[0] - PRINT[1521][0]) < NEAR:
            break
        moment += (PRINT[1521][0] - low[0]) / SLOPE
    (high,) = figures(
        [*settings, f"train.0.changes.moment={moment:.5g}", "train.0.changes.uplift=3042.0"], LAWS[:1], SCREEN
    )
    head = (SCREEN, shape, droppers, density, round(moment, 2))
    return [(*head, 1521, LAWS[0], *low), (*head, 3042, LAWS[0], *high)]


def with_laws(shape: str, droppers: str, density: float, moment: float) -> list[tuple]:
    """Rows of one reading with all laws at both uplifts, over the duration of the tables."""
    rows = []
    for uplift in PRINT:
        tuned = [f"train.0.changes.moment={moment:.5g}", f"train.0.changes.uplift={uplift}.0"]
        found = figures([*reading(shape, droppers, density), *tuned], LAWS, WHOLE)
        head = (WHOLE, shape, droppers, density, moment, uplift)
        rows += [(*head, law, *values) for law, values in zip(LAWS, found, strict=True)]
    return rows


def recorded() -> list[dict]:
    """Rows of the table, numbers as numbers."""
    if not TABLE.exists():
        return []
    words = ("shape", "droppers", "law")
    with TABLE.open(encoding="utf-8", newline="") as file:
        return [{k: v if k in words else float(v) for k, v in row.items()} for row in csv.DictReader(file)]


def append(rows: list[tuple]) -> None:
    """Add rows to the table."""
    fresh = not TABLE.exists()
    with TABLE.open("a", encoding="utf-8", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        if fresh:
            out.writerow(COLUMNS)
        out.writerows([f"{x:.5g}" if isinstance(x, float) else x for x in row] for row in rows)


def key(row: dict) -> tuple[str, str, float]:
    """The reading of a row."""
    return row["shape"], row["droppers"], round(row["messenger"], 4)


def largest_ratio(rows: list[dict]) -> float:
    """Largest |log(ours / print)| of the deviations without control at both uplifts."""
    return max(abs(log(row["estimate"] / PRINT[int(row["uplift"])][1][0])) for row in rows)


def chosen(rows: list[dict]) -> list[tuple[str, str, float, float]]:
    """Readings to run with laws: within the criterion without control, or else the nearest."""
    groups: dict[tuple, list[dict]] = {}
    for row in rows:
        if row["seconds"] == SCREEN:
            groups.setdefault(key(row), []).append(row)
    ranked = sorted(groups.values(), key=largest_ratio)
    inside = [g for g in ranked if all(abs(r["estimate"] / PRINT[int(r["uplift"])][1][0] - 1) < WITHIN for r in g)]
    return [(*key(g[0]), g[0]["moment"]) for g in inside or ranked[:NEAREST]]


def compute() -> None:
    """All that the table lacks."""
    for shape, droppers, density in product(SHAPES, NODES, DENSITIES):
        if (shape, droppers, round(density, 4)) not in {key(r) for r in recorded()}:
            append(screen(shape, droppers, density))
            print(*recorded()[-2:], sep="\n", flush=True)
    for shape, droppers, density, moment in chosen(recorded()):
        done = {key(r) for r in recorded() if r["seconds"] == WHOLE}
        if (shape, droppers, density) not in done:
            append(with_laws(shape, droppers, density, moment))
            print(*recorded()[-8:], sep="\n", flush=True)


def draw() -> Path:
    """Deviation over the density, one panel for each uplift, one curve for each shape and set of droppers."""
    rows, panels = [r for r in recorded() if r["seconds"] == SCREEN], []
    for uplift, (_, deviations) in PRINT.items():
        panel = Panel(height=250.0, x_label="messenger (kg/m)", y_label="log₁₀ σ/N", title=f"{uplift} N")
        for factor in (1 - WITHIN, 1 + WITHIN):
            panel.rule(y=np.log10(factor * deviations[0]), color=GREY)
        for k, (shape, droppers) in enumerate(product(SHAPES, NODES)):
            own = [r for r in rows if (r["shape"], r["droppers"], r["uplift"]) == (shape, droppers, uplift)]
            own.sort(key=lambda r: r["messenger"])
            x, y = (np.array([r[name] for r in own]) for name in ("messenger", "estimate"))
            panel.dots(x, np.log10(y), f"{shape}, nodes {droppers}", color=CYCLE[k % len(CYCLE)], size=4.0)
        panels.append(panel)
    path = TABLE.with_suffix(".svg")
    path.write_text(document(Chart(panels)), "utf-8")
    return path


if __name__ == "__main__":
    if "--draw" not in sys.argv:
        compute()
    print(draw())
