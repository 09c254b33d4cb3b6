"""Figure of a survey fit: measured and fitted heights, residual, dropper length errors."""

from __future__ import annotations

from panhead.desk.drawing.figures import BLUE, GREY, ORANGE, RED, Chart, chart
from panhead.desk.sheets.survey_fit import SurveyFit


def survey_figure(fit: SurveyFit) -> Chart:
    """Height, residual, and difference of every dropper length from the drawing."""
    drawing, (height, left, droppers) = chart(170, 110, 130)
    x = fit.x + fit.line.chainage
    height.curve(x, fit.height, "measured", color=GREY, width=1.0)
    height.curve(x, fit.height - fit.residual, "fitted", color=BLUE)
    height.name("", "contact wire (m)")
    left.curve(x, 1e3 * fit.residual, color=GREY, width=0.8)
    left.name("", "measured − fitted (mm)")
    for word, color, slack in (("dropper, ±2 standard deviations", ORANGE, False), ("slack", RED, True)):
        mine = [d for d in fit.droppers if d.slack is slack]
        if mine:
            at = [d.x + fit.line.chainage for d in mine]
            off = [1e3 * (d.length - d.drawn) for d in mine]
            wide = [2e3 * d.deviation for d in mine]
            low, high = ([o + s * w for o, w in zip(off, wide, strict=True)] for s in (-1, 1))
            droppers.bars(at, low, high, color=color, width=1.0)  # type: ignore[arg-type]  # lists become arrays there
            droppers.dots(at, off, word, color=color, size=2.5)  # type: ignore[arg-type]
    droppers.rule(y=0.0)
    droppers.name("chainage (m)", "found − drawn (mm)")
    return drawing
