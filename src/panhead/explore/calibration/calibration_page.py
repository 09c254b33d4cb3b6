"""Page of a calibration: parameters with intervals, what the data leave open, residuals, predictions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from panhead.assess.criteria import shown_unit
from panhead.assess.number_text import number, unit_text
from panhead.desk.reports.page import Block, Mood, Page, PageList, PageTable, PageVerdict, page_with
from panhead.explore.calibration import calibration_charts as charts
from panhead.explore.calibration.calibration_files import UNTRUSTED
from panhead.explore.calibration.residual_checks import TraceResidual
from panhead.explore.calibration.run_calibration import CalibrationOutcome


def page(outcome: CalibrationOutcome, files: Sequence[str] = ()) -> Page:
    """The report of one calibration."""
    every = [one for one in outcome.residuals if one.trace.instants.size]
    sections: dict[str, Sequence[Block | None]] = {
        "Parameters": [_parameters(outcome), charts.intervals(outcome), _open(outcome)],
        "Fit": [*(charts.fit(outcome, k, one) for k, one in enumerate(every)), _residuals(outcome)],
        "Residuals": [charts.spectrum(outcome) if every else None, _distrust(outcome)],
        "Prediction": [_left_out(outcome), _unseen(outcome)],
        "Sampling": [_samples(outcome)],
        "Records": [
            PageList("Found in the records", outcome.problem.notes) if outcome.problem.notes else None,
            _clocks(outcome),
        ],
        "How it was computed": [_method(outcome)],
        "Files": ["Written: " + ", ".join(files) + ". `panhead run` takes the run files."] if files else [],
    }
    return page_with(
        outcome.problem.name, outcome.problem.calibration.about or "calibration", verdict(outcome), sections
    )


def verdict(outcome: CalibrationOutcome) -> PageVerdict:
    """Whether the fit may be used."""
    details = [
        f"{one.title}: {number(one.value, 4)} ± {number(one.deviation, 2)} {unit_text(one.unit)} "
        f"(before {number(one.prior, 4)})"
        for one in outcome.parameters
    ]
    if not outcome.trusted:
        return PageVerdict("bad", UNTRUSTED, [*outcome.doubts, *details])
    doubts = [*outcome.open, *([] if outcome.samples is None else outcome.samples.doubts)]
    sentence = f"{len(outcome.parameters)} parameters found; noise explains the residuals."
    if doubts:
        return PageVerdict("warning", f"{sentence} Not all of them are determined.", [*doubts, *details])
    return PageVerdict("good", sentence, details)


def _parameters(outcome: CalibrationOutcome) -> PageTable:
    rows: list[list[str]] = []
    moods: list[Mood] = []
    for k, one in enumerate(outcome.parameters, 1):
        low, high = one.interval
        rows.append([
            str(k), one.title, unit_text(one.unit), number(one.prior, 5), number(one.value, 5),
            number(one.deviation, 2), f"{number(low, 5)} … {number(high, 5)}", f"{100 * one.learned:.0f}",
        ])  # fmt: skip
        moods.append("good" if one.learned > 0.5 else "warning")
    share = f"{100 * outcome.problem.calibration.confidence:g} %"
    heads = ["", "Parameter", "Unit", "Before", "Now", "σ", f"{share} interval", "Learned (%)"]
    note = "Learned: by how much the standard deviation is smaller than that of the prior. Intervals by Laplace."
    return PageTable("", heads, rows, moods, note)


def _open(outcome: CalibrationOutcome) -> PageList | str:
    if not outcome.open:
        return "The data determine every combination of the parameters better than the prior does."
    return PageList("Left open by the data", outcome.open)


def _residuals(outcome: CalibrationOutcome) -> PageTable:
    rows = [_residual_row(outcome, one) for one in outcome.residuals]
    moods: list[Mood] = ["good" if one.trusted else "bad" for one in outcome.residuals]
    heads = ["Passage", "Channel", "Samples", "Noise", "Residual/noise", "Neighbours", "Chance"]
    note = (
        "Neighbours: autocorrelation of the whitened residual from one sample to the next. Chance: of residuals so "
        "large (χ², where the noise is given) or so correlated (Ljung–Box) if the model were true; below 0.1 % the fit "
        "is not to be trusted."
    )
    return PageTable("Residuals", heads, rows, moods, note)


def _residual_row(outcome: CalibrationOutcome, one: TraceResidual) -> list[str]:
    unit, scale = shown_unit({"force": "N", "uplift": "m"}.get(one.trace.channel.quantity, "m/s**2"))
    chances = [p for p in (one.chance_chi, one.chance_white) if p is not None]
    lag = "–" if one.lag_one is None else f"{one.lag_one:+.2f}"
    given = "given" if one.trace.noise is not None else "estimated"
    ratio = "–" if one.chi_square is None else number(float(np.sqrt(one.chi_square)), 3)
    title = outcome.misfit.models[one.trace.passage].looked.title
    return [
        title, one.trace.channel.title, str(one.trace.data.size),
        f"{number(scale * one.sigma, 3)} {unit_text(unit)} ({given})",
        ratio, lag, number(100 * min(chances), 2) + " %" if chances else "–",
    ]  # fmt: skip


def _distrust(outcome: CalibrationOutcome) -> PageList | str:
    if outcome.trusted:
        return "No residual is larger or more correlated than noise makes it."
    return PageList("Model error dominates; intervals are too narrow and values may be biased", outcome.doubts)


def _left_out(outcome: CalibrationOutcome) -> PageTable | None:
    if not outcome.left_out:
        return None
    rows = [
        [
            outcome.misfit.models[one.passage].looked.title,
            *(number(v, 3) for v in (one.prior, one.fitted, one.predicted, one.moved)),
        ]
        for one in outcome.left_out
    ]
    heads = ["Left out", "Before", "Fitted", "Predicted by the others", "Parameters move (σ)"]
    note = (
        "Root mean square of the whitened residual: 1 is noise. Parameters without a passage by one Gauss–Newton step, "
        "then a run."
    )
    return PageTable("Each passage predicted from the others", heads, rows, note=note)


def _unseen(outcome: CalibrationOutcome) -> PageTable | None:
    if not outcome.unseen:
        return None
    rows = [
        [
            one.trace.channel.source,
            one.trace.channel.title,
            number(float(np.sqrt(np.mean((one.computed - one.trace.data) ** 2))), 3),
        ]
        for one in outcome.unseen
    ]
    return PageTable("Passages that were only predicted", ["File", "Channel", "Root mean square difference (SI)"], rows)


def _samples(outcome: CalibrationOutcome) -> Block | None:
    found = outcome.samples
    if found is None:
        return None
    n = len(outcome.parameters)
    z = found.z[:, :, :n].reshape(-1, n)
    rows = []
    for k, (one, at) in enumerate(zip(outcome.misfit.coordinates, outcome.parameters, strict=True)):
        low, middle, high = (one.values(float(q))[0] for q in np.quantile(z[:, k], (0.05, 0.5, 0.95)))
        rows.append([at.title, number(middle, 5), f"{number(low, 5)} … {number(high, 5)}", number(found.r_hat[k], 4),
                     f"{found.effective[k]:.0f}"])  # fmt: skip
    kind = {
        "hmc": "Hamiltonian Monte Carlo on exact gradients",
        "surrogate": "trajectories on the linearised traces, accepted by runs",
    }
    note = (
        f"{kind[outcome.problem.calibration.posterior]}: {found.z.shape[0]} chains of {found.z.shape[1]} draws, "
        f"{100 * found.accepted:.0f} % accepted. " + " ".join(found.doubts)
    )
    return PageTable(
        "Posterior by chains", ["Parameter", "Median", "90 % interval", "R̂", "Effective draws"], rows, note=note
    )


def _clocks(outcome: CalibrationOutcome) -> PageTable | None:
    n, rows = len(outcome.parameters), []
    C = np.linalg.inv(outcome.estimate.hessian)
    for c, spread in enumerate(outcome.misfit.clocks):
        mine = next((t for t in outcome.misfit.traces if t.clock == c), None)
        if mine is not None:
            shift, s = outcome.estimate.z[n + c] * spread, np.sqrt(C[n + c, n + c]) * spread
            rows.append([mine.channel.source, number(1e3 * shift, 3), number(1e3 * s, 2)])
    note = "Added to the alignment of largest correlation."
    return PageTable("Alignment", ["Record", "Shift (ms)", "σ (ms)"], rows, note=note) if rows else None


def _method(outcome: CalibrationOutcome) -> str:
    e = outcome.estimate
    return (
        f"Maximum a posteriori after {e.iterations} iterations and {outcome.runs} runs; the next step would be "
        f"{number(float(np.sqrt(e.decrement)), 2)} standard deviations. Traces filtered to "
        f"{outcome.problem.calibration.cutoff:g} Hz. The differenced Jacobian and the exact gradient by backward "
        f"sweeps differ by {number(e.gradient_error, 2)} standard deviations at most."
    )
