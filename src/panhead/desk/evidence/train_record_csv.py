"""Records of a measuring train as tables that other commands read: a measurement's force, or a survey."""

from __future__ import annotations

import numpy as np

from panhead.desk.evidence.measuring_train import TrainRecord, contact_force
from panhead.errors import ModelError


def lower_wire(record: TrainRecord) -> tuple[np.ndarray, np.ndarray]:
    """Height and stagger (n,) of the lower of two contact wires; inf and NaN where none was seen [m]."""
    heights = [record.channels[f"height_{k}"] for k in (1, 2) if f"height_{k}" in record.channels]
    if not heights:
        raise ModelError("the file has no channel height_1 or height_2; name its columns with --columns")
    filled = [np.nan_to_num(h, nan=np.inf) for h in heights]
    lower, z = np.argmin(filled, axis=0), np.min(filled, axis=0)
    staggers = [record.channels.get(f"stagger_{k}", np.full(z.size, np.nan)) for k in (1, 2)]
    return z, np.where(lower == 0, staggers[0], staggers[-1])


def record_csv(record: TrainRecord) -> str:
    """CSV text: place and force (kind of file "measurement"), or chainage, height and stagger (``panhead line fit``).

    Of two contact wires the lower one is surveyed: it is the one that a pan-head meets.
    """
    if record.kind == "force":
        place, force = contact_force(record)
        return "place [m],force [N]\n" + "".join(f"{x:.3f},{f:.3f}\n" for x, f in zip(place, force, strict=True))
    z, y = lower_wire(record)
    known = np.isfinite(z) & np.isfinite(y)
    rows = zip(record.place[known], z[known], y[known], strict=True)
    return "chainage [m],height [m],stagger [m]\n" + "".join(f"{x:.3f},{h:.4f},{s:.4f}\n" for x, h, s in rows)
