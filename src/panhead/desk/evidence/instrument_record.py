"""Records of the virtual instrument: a run as a measuring coach would have written it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from panhead.desk.evidence.virtual_instrument import Instrument
from panhead.files.atomic_files import write_atomic

if TYPE_CHECKING:
    import xarray as xr


def write_record(path: Path, instrument: Instrument, one: xr.Dataset, *, shift: float = 0.0) -> Path:
    """Write time, place and noisy force of one pantograph as CSV; shift: error of the places [m]."""
    at, force = instrument.reads(one, noisy=True)
    place = np.interp(at, one["time"].to_numpy(), one["contact_x"].to_numpy()) + shift
    rows = (f"{t:.6f},{x:.4f},{f:.4f}" for t, x, f in zip(at, place, force, strict=True))
    return write_atomic(path, ("time,place,force\ns,m,N\n" + "\n".join(rows) + "\n").encode())
