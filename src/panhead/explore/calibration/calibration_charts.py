"""Charts of a calibration page."""

from __future__ import annotations

import numpy as np

from panhead.desk.drawing import figures
from panhead.desk.reports.page import Picture
from panhead.explore.calibration.laplace import covariance
from panhead.explore.calibration.residual_checks import TraceResidual, residual_spectrum
from panhead.explore.calibration.run_calibration import CalibrationOutcome

_SHOWN = {"force": ("contact force (N)", 1.0), "uplift": ("uplift (mm)", 1e3)}


def intervals(outcome: CalibrationOutcome) -> Picture:
    """Prior and posterior of every parameter, in standard deviations of its prior."""
    n = len(outcome.parameters)
    chart, (panel,) = figures.chart(30.0 * n + 60.0)
    s = np.sqrt(np.diag(covariance(outcome.estimate)))[:n]
    x = outcome.estimate.z[:n]
    up = np.arange(1.0, n + 1)
    for k in range(n):
        panel.curve(np.array([-1.645, 1.645]), np.full(2, up[k]), color=figures.PALE, width=7.0)
        panel.curve(x[k] + np.array([-1.645, 1.645]) * s[k], np.full(2, up[k]), color=figures.BLUE, width=3.5)
    panel.dots(x, up, "maximum and 90 % interval", color=figures.BLUE, size=3.5)
    if outcome.samples is not None:
        z = outcome.samples.z[:, :, :n].reshape(-1, n)
        low, high = np.quantile(z, 0.05, axis=0), np.quantile(z, 0.95, axis=0)
        for k in range(n):
            ends = np.array([low[k], high[k]])
            panel.curve(ends, np.full(2, up[k] - 0.25), color=figures.ORANGE, width=2.0)
        panel.dots(z.mean(axis=0), up - 0.25, "chains", color=figures.ORANGE, size=2.5)
    panel.rule(x=0.0, color=figures.GREY, dash=figures.DOTTED)
    panel.y_limits = (0.4, n + 0.6)
    panel.name("standard deviations of the prior from its value (1)", "number of the parameter (1)")
    return Picture("intervals", "What was learned", chart, "Pale bars: 90 % of the prior. Numbers as in the table.")


def fit(outcome: CalibrationOutcome, k: int, one: TraceResidual) -> Picture:
    """A trace measured and computed, and their difference."""
    chart, (panel, lower) = figures.chart(220, 110)
    channel = one.trace.channel
    label, scale = _SHOWN.get(channel.quantity, (f"{channel.quantity.replace('_', ' ')} (m/s²)", 1.0))
    at = one.trace.instants
    panel.curve(at, scale * one.trace.data, "measured", color=figures.ORANGE)
    panel.curve(at, scale * one.computed, "computed", color=figures.BLUE)
    panel.name("time of the run (s)", label)
    lower.curve(at, scale * (one.computed - one.trace.data), color=figures.GREEN)
    for sign in (-2.0, 2.0):
        lower.rule(y=sign * scale * one.sigma, color=figures.GREY, dash=figures.DOTTED)
    lower.name("time of the run (s)", "computed − measured")
    lower.y_label = "difference " + label[label.index("(") :]
    title = f"{channel.title}, {outcome.problem.calibration.passages[_passage(outcome, one)].title}"
    return Picture(
        f"fit_{k + 1}", title[0].upper() + title[1:], chart, "Dotted: ± two standard deviations of the noise."
    )


def _passage(outcome: CalibrationOutcome, one: TraceResidual) -> int:
    """Number of the passage in the calibration, of a trace of the fitted ones."""
    title = outcome.misfit.models[one.trace.passage].looked.title
    return [p.title for p in outcome.problem.calibration.passages].index(title)


def spectrum(outcome: CalibrationOutcome) -> Picture:
    """Spectra of the whitened residuals; flat at one where noise explains them."""
    chart, (panel,) = figures.chart(180)
    for k, one in enumerate(o for o in outcome.residuals if o.trace.instants.size > 16):
        f, power = residual_spectrum(one)
        width = max(3, f.size // 24)
        smooth = np.convolve(power, np.ones(width) / width, mode="valid")
        at = np.convolve(f, np.ones(width) / width, mode="valid")
        panel.curve(at, smooth, f"{one.trace.channel.title}, {one.trace.passage + 1}", color=figures.hue(k))
    panel.rule("white noise", y=1.0, dash=figures.DASHED)
    panel.name("frequency (Hz)", "power of the residual over that of noise (1)")
    return Picture("residual_spectrum", "Spectrum of the residuals", chart, "Averaged over neighbouring frequencies.")
