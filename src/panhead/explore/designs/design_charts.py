"""Charts of a design page."""

from __future__ import annotations

import numpy as np

from panhead.assess import low_pass
from panhead.assess.filters import sampling_step
from panhead.desk.drawing import figures
from panhead.desk.reports.page import Block, Picture
from panhead.desk.reports.run_force import mark_supports
from panhead.explore.designs.run_design import DesignOutcome, Passages

_TRACK = "distance along the track (m)"


def force(p: Passages, k: int) -> Picture:
    """The filtered force of one run before and after, on the finer mesh, over the assessed section."""
    chart, (panel,) = figures.chart(210)
    for when, color in (("before", figures.GREY), ("after", figures.BLUE)):
        r = p.results[when, "finer"]
        times = r["time"].to_numpy()
        for n, name in enumerate(r["pantograph"].to_numpy()):
            inside = (times >= r["judged_from"].to_numpy()[n]) & (times <= r["judged_to"].to_numpy()[n])
            x = r["contact_x"].to_numpy()[n][inside]
            smooth = low_pass(r["contact_force"].to_numpy()[n], sampling_step(times), zero_phase=True)[inside]
            if when == "before" and n == 0:
                mark_supports(panel, r, float(x.min()), float(x.max()))
            whose = f", {name}" if r.sizes["pantograph"] > 1 else ""
            panel.curve(x, smooth, when + whose, color=color if n == 0 else figures.hue(n), width=1.8)
    panel.name(_TRACK, "contact force (N)")
    seen = ", not part of the optimisation" if p.shown else ""
    return Picture(
        f"force_{k + 1}", f"Contact force, {p.title}{seen}", chart, "Filtered to 20 Hz. Vertical lines mark supports."
    )


def changes(outcome: DesignOutcome) -> list[Block]:
    """The line at rest before and after, and how much longer each dropper is."""
    if outcome.after.line is None:
        return []
    old, new = (outcome.passages[0].results[when, "finer"] for when in ("before", "after"))
    chart, (wire, cut) = figures.chart(190, 150)
    for r, word, color in ((old, "before", figures.GREY), (new, "after", figures.BLUE)):
        mine = np.char.endswith(r["rest_wire"].to_numpy().astype(str), ", contact")
        wire.curve(r["rest_x"].to_numpy()[mine], 1e3 * r["rest_z"].to_numpy()[mine], word, color=color, thin=False)
    longer = 1e3 * (new["cut_length"].to_numpy() - old["cut_length"].to_numpy())
    x = old["cut_x"].to_numpy()
    for panel in (wire, cut):
        mark_supports(panel, old, float(x.min()), float(x.max()))
    cut.bars(x, 0.0, longer, color=figures.GREEN, width=3.0)
    cut.dots(x, longer, color=figures.GREEN, size=2.5)
    cut.rule(y=0.0)
    wire.name(_TRACK, "contact wire at rest (mm)")
    cut.name(_TRACK, "change of dropper length (mm)")
    return [Picture("line", "The line at rest, and its droppers", chart, "Spans of the assessed section.")]


def descent(outcome: DesignOutcome) -> Picture:
    """Objective and feasibility over the evaluated points."""
    aim = outcome.aim
    points = [x for x in aim.evaluator.ledger.points() if aim.evaluator.numbers(x, aim.keys) is not None]
    values = np.array([aim.objective(x) for x in points])
    kept = np.array([float(aim.margins(x).min(initial=0.0)) > -1e-4 for x in points])
    n = np.arange(1.0, values.size + 1)
    chart, (panel,) = figures.chart(180)
    panel.curve(n, values, color=figures.PALE, width=1.0)
    for mask, color, word in ((kept, figures.BLUE, "all limits satisfied"), (~kept, figures.ORANGE, "limit violated")):
        if mask.any():
            panel.dots(n[mask], values[mask], word, color=color, size=2.5)
    panel.rule("before", y=1.0, dash=figures.DASHED)
    panel.name("evaluated point (1)", "objective (1)")
    return Picture("descent", "Progress of the optimisation", chart)
