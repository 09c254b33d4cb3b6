"""What a coupled run leaves, labelled."""

from __future__ import annotations

import numpy as np
import xarray as xr

from panhead.run.solvers.coupled.schemes import Scheme


def run_dataset(
    time: np.ndarray,
    contact: np.ndarray,
    strip: np.ndarray,
    works: np.ndarray,
    iterations: np.ndarray,
    scheme: Scheme,
    truth: xr.Dataset | None,
) -> xr.Dataset:
    """A co-simulated run: time (n,), contact (n, 3 strips), strip (n, 2 strips), works (n − 1, 2), iterations."""
    data = contact_dataset(time, contact, strip)
    error = np.concatenate([[0.0], np.cumsum(works[:, 0] - works[:, 1])])[: len(time)]
    through = np.concatenate([[0.0], np.cumsum(np.abs(works[:, 1]))])[: len(time)]
    data["interface_energy_error"] = "time", error, _units("J", "line side less pantograph side")
    data["interface_energy"] = "time", through, _units("J", "passed over the strips, both ways")
    data["iterations"] = "time", np.concatenate([[0], iterations])[: len(time)], _units("1", "")
    data.attrs |= {
        "scheme": repr(scheme),
        "exchange_step": float(time[1] - time[0]) if len(time) > 1 else 0.0,
        "interface_energy_error": float(np.abs(error).max()),
        "iterations_mean": float(iterations.mean()) if len(iterations) else 0.0,
    }
    return data if truth is None else with_distance(data, truth)


def contact_dataset(time: np.ndarray, contact: np.ndarray, strip: np.ndarray) -> xr.Dataset:
    """Contacts and strips over time, with losses and regains of contact counted."""
    strips = contact.shape[1] // 3
    three, two = contact.reshape(-1, strips, 3), strip.reshape(-1, strips, 2)
    both = ("time", "strip")
    data = xr.Dataset(
        {
            "contact_force": (both, three[..., 0], _units("N", "contact force")),
            "lateral": (both, three[..., 1], _units("m", "contact point across the track")),
            "strip_height": (both, two[..., 0], _units("m", "strip at the contact point")),
            "strip_rate": (both, two[..., 1], _units("m/s", "rate of that height")),
        },
        coords={"time": ("time", time, _units("s", "")), "strip": np.arange(1, strips + 1)},
    )
    touching = three[..., 0] > 0.0
    data.attrs["losses"] = int((touching[:-1] & ~touching[1:]).sum())
    data.attrs["regains"] = int((~touching[:-1] & touching[1:]).sum())
    return data


def with_distance(run: xr.Dataset, truth: xr.Dataset) -> xr.Dataset:
    """The run with its distance from the truth at the times both have: root mean square and largest, of the force."""
    index = np.searchsorted(truth["time"].values, run["time"].values - 1e-9)
    index = np.minimum(index, truth.sizes["time"] - 1)
    same = np.abs(truth["time"].values[index] - run["time"].values) < 1e-9
    gap = run["contact_force"].values[same] - truth["contact_force"].values[index[same]]
    run.attrs |= {
        "distance_times": int(same.sum()),
        "distance_rms": float(np.sqrt(np.mean(gap**2))) if gap.size else float("nan"),
        "distance_max": float(np.abs(gap).max()) if gap.size else float("nan"),
    }
    return run


def _units(units: str, long_name: str) -> dict[str, str]:
    return {"units": units, "long_name": long_name} if long_name else {"units": units}
