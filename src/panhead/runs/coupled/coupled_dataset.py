"""Dataset of a coupled run: contacts of every strip, and the agreement of the two codes."""

from __future__ import annotations

import numpy as np
import xarray as xr

from panhead.runs.coupled.exchange_schemes import CouplingScheme


def exchange_dataset(
    time: np.ndarray,
    contact: np.ndarray,
    strip: np.ndarray,
    works: np.ndarray,
    iterations: np.ndarray,
    scheme: CouplingScheme,
    truth: xr.Dataset | None,
) -> xr.Dataset:
    """Dataset of two codes: time (n,), contact (n, 3 strips), strip (n, 2 strips), works (n − 1, 2), iterations."""
    data = contact_dataset(time, contact, strip)
    error = np.concatenate([[0.0], np.cumsum(works[:, 0] - works[:, 1])])[: len(time)]
    through = np.concatenate([[0.0], np.cumsum(np.abs(works[:, 1]))])[: len(time)]
    data["interface_energy_error"] = "time", error, units("J", "line side less pantograph side")
    data["interface_energy"] = "time", through, units("J", "passed over the strips, both ways")
    count = np.concatenate([[0], iterations])[: len(time)]
    data["iterations"] = "time", count, units("1", "repetitions of the exchange step")
    data.attrs |= {
        "scheme": repr(scheme),
        "exchange_step": float(time[1] - time[0]) if len(time) > 1 else 0.0,
        "interface_energy_error": float(np.abs(error).max()),
        "iterations_mean": float(iterations.mean()) if len(iterations) else 0.0,
    }
    return data if truth is None else with_distance(data, truth)


def contact_dataset(time: np.ndarray, contact: np.ndarray, strip: np.ndarray) -> xr.Dataset:
    """Contacts and strips over time, with counts of contact losses; the force is that of all strips."""
    strips = contact.shape[1] // 3
    three, two = contact.reshape(-1, strips, 3), strip.reshape(-1, strips, 2)
    both = ("strip", "time")
    data = xr.Dataset(
        {
            "contact_force": ("time", three[..., 0].sum(axis=1), units("N", "contact force")),
            "strip_force": (both, three[..., 0].T, units("N", "contact force of each strip")),
            "contact_y": (both, three[..., 1].T, units("m", "contact point across the track")),
            "strip_z": (both, two[..., 0].T, units("m", "strip at the contact point")),
            "strip_rate": (both, two[..., 1].T, units("m/s", "rate of that height")),
        },
        coords={"time": ("time", time, units("s", "time")), "strip": np.arange(1, strips + 1)},
    )
    touching = three[..., 0] > 0.0
    data.attrs["losses"] = int((touching[:-1] & ~touching[1:]).sum())
    data.attrs["regains"] = int((~touching[:-1] & touching[1:]).sum())
    return data


def with_distance(run: xr.Dataset, truth: xr.Dataset) -> xr.Dataset:
    """Add the difference of the force from a reference run at common times: root mean square and largest."""
    index = np.searchsorted(truth["time"].values, run["time"].values - 1e-9)
    index = np.minimum(index, truth.sizes["time"] - 1)
    same = np.abs(truth["time"].values[index] - run["time"].values) < 1e-9
    gap = run["strip_force"].values[:, same] - truth["strip_force"].values[:, index[same]]
    run.attrs |= {
        "distance_times": int(same.sum()),
        "distance_rms": float(np.sqrt(np.mean(gap**2))) if gap.size else float("nan"),
        "distance_max": float(np.abs(gap).max()) if gap.size else float("nan"),
    }
    return run


def units(unit: str, long_name: str) -> dict[str, str]:
    """Attributes of a variable."""
    return {"units": unit, "long_name": long_name}
