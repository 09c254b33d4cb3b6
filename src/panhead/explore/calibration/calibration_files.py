"""Files of a calibration: parameters (TOML), everything (netCDF), calibrated runs, which ``panhead run`` takes."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from panhead.explore.calibration.laplace import covariance
from panhead.explore.calibration.run_calibration import CalibrationOutcome
from panhead.files import results
from panhead.files.atomic_files import write_atomic
from panhead.files.readable_toml import readable_toml

if TYPE_CHECKING:
    import xarray as xr


def write_files(outcome: CalibrationOutcome, folder: Path) -> list[Path]:
    """Write all files into a folder."""
    written = [write_atomic(folder / "parameters.toml", _parameters(outcome).encode())]
    written.append(results.save(dataset(outcome), folder / "calibration.nc"))
    for k, model in enumerate(outcome.problem.misfit.models):
        stem = re.sub(r"[^\w.-]+", "-", model.looked.title.removesuffix(".csv")).strip("-")
        run = outcome.problem.misfit.run(k, outcome.estimate.z)
        about = f"{run.about} Calibrated by {outcome.problem.name}.".strip()
        text = readable_toml(replace(run, about=about), head=_head(outcome))
        written.append(write_atomic(folder / f"run-{stem}.toml", f'kind = "run"\n{text}'.encode()))
    return written


def _head(outcome: CalibrationOutcome) -> str:
    words = [f"Calibrated by panhead calibrate {outcome.problem.name}.", *([] if outcome.trusted else [UNTRUSTED])]
    for one in outcome.parameters:
        words.append(f"{one.title}: {one.value:.6g} {one.unit} ± {one.deviation:.2g}, before {one.prior:.6g}")
    return "\n".join(words)


UNTRUSTED = "The fit is not to be trusted: noise does not explain the residuals, the model is wrong or incomplete."


def _parameters(outcome: CalibrationOutcome) -> str:
    import tomli_w

    rows: list[dict[str, Any]] = []
    for one, at in zip(outcome.misfit.coordinates, outcome.parameters, strict=True):
        rows.append({
            "parameter": one.family, "names": list(one.names), "unit": one.unit, "prior": at.prior, "value": at.value,
            "deviation": at.deviation, "interval": list(at.interval), "learned": at.learned,
        })  # fmt: skip
    facts = {
        "trusted": outcome.trusted, "doubts": outcome.doubts, "left_open": outcome.open,
        "confidence": outcome.problem.calibration.confidence, "parameters": rows,
    }  # fmt: skip
    return tomli_w.dumps(facts)


def dataset(outcome: CalibrationOutcome) -> xr.Dataset:
    """Maximum, covariance, draws and traces of a calibration."""
    import xarray as xr

    n = len(outcome.parameters)
    C = covariance(outcome.estimate)
    of = lambda dims, values, unit, name: (dims, values, {"units": unit, "long_name": name})
    variables: dict[str, Any] = {
        "value": of("parameter", [p.value for p in outcome.parameters], "1", "maximum, in the unit of the parameter"),
        "prior": of("parameter", [p.prior for p in outcome.parameters], "1", "prior value"),
        "deviation": of("parameter", [p.deviation for p in outcome.parameters], "1", "standard deviation"),
        "coordinate": of("parameter", outcome.estimate.z[:n], "1", "coordinate with a standard normal prior"),
        "covariance": of(("parameter", "other"), C[:n, :n], "1", "covariance of the coordinates"),
        "clock_shift": of("clock", outcome.estimate.z[n:] * outcome.misfit.clocks, "s", "shift of each record's clock"),
    }
    if outcome.samples is not None:
        z = outcome.samples.z[:, :, :n]
        variables["draws"] = of(("chain", "draw", "parameter"), z, "1", "draws of the coordinates")
        variables["r_hat"] = of("parameter", outcome.samples.r_hat[:n], "1", "split R-hat")
        variables["effective_draws"] = of("parameter", outcome.samples.effective[:n], "1", "effective sample size")
    for k, one in enumerate(outcome.residuals):
        where, quantity = f"sample_{k}", one.trace.channel.quantity
        unit = {"force": "N", "uplift": "m"}.get(quantity, "m/s**2")
        title = f"{one.trace.channel.title}, {outcome.misfit.models[one.trace.passage].looked.title}"
        variables[f"measured_{k}"] = of(where, one.trace.data, unit, f"measured {title}")
        variables[f"computed_{k}"] = of(where, one.computed, unit, f"computed {title}")
        variables[f"instant_{k}"] = of(
            where, _instants(one.trace.instants, one.trace.data), "s", f"instants of {title}"
        )
    names = np.array([p.title for p in outcome.parameters], dtype=str)
    units = np.array([p.unit for p in outcome.parameters], dtype=str)
    coords = {"parameter": names, "unit": ("parameter", units)}
    return xr.Dataset(variables, coords, {"title": outcome.problem.name, "trusted": int(outcome.trusted)})


def _instants(at: np.ndarray, data: np.ndarray) -> np.ndarray:
    return at if at.size else np.full(data.size, np.nan)
