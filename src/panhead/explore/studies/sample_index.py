"""All samples of a study as one dataset (sample × criterion), and as CSV."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from panhead.assess.criteria import group_of
from panhead.explore.studies.distributions import Quantity
from panhead.explore.studies.sample_file import read
from panhead.explore.studies.sample_plan import Plan, Sample
from panhead.explore.studies.sample_worker import bars_path, path_of
from panhead.files import results

if TYPE_CHECKING:
    import xarray as xr

Arrays = dict[str, np.ndarray]
_FILLED = ("value", "limit", "error", "span_max", "span_min", "span_deviation")


def collect(folder: Path, plan: Plan, samples: Sequence[Sample]) -> xr.Dataset:
    """The samples whose files exist, by number."""
    import xarray as xr

    found: list[tuple[Sample, Arrays, dict[str, str]]] = []
    for sample in samples:
        path = path_of(folder, plan.key(sample))
        if path.exists():
            variables, said = read(path)
            one = {name: values for name, (_, values) in variables.items()}
            found.append((sample, one | _bars(bars_path(folder, plan.key(sample))), said))
    good = [one for _, one, _ in found if "value" in one]
    numbers = np.array([s.number for s, _, _ in found], dtype=np.int64)
    given, shape = [s.values for s, _, _ in found], (len(found), len(plan.study.vary))
    columns: dict[str, Any] = {
        "verdict": ("sample", np.array([said["verdict"] for _, _, said in found], dtype=str)),
        **{
            name: (
                "sample",
                np.array([said.get(name) or _group_verdict(one, said, name) for _, one, said in found], str),
            )
            for name in ("quality", "setting")
        },
        "message": ("sample", np.array([said.get("message", "") for _, _, said in found], dtype=str)),
        "input": (("sample", "varied"), np.array([[str(v) for v in row] for row in given], str).reshape(shape)),
        "number": (("sample", "varied"), np.array([[as_number(v) for v in row] for row in given]).reshape(shape)),
    }
    coords: dict[str, Any] = {"sample": numbers, "varied": [v.input for v in plan.study.vary]}
    if good:
        first = good[0]
        coords |= {name: first[name] for name in ("pantograph", "criterion")}
        columns |= {
            name: ("criterion", first[name]) for name in ("criterion_name", "criterion_unit", "criterion_bound")
        }
        spans = np.unique(np.concatenate([one["span"] for one in good]))
        coords["span"] = spans
        filled = [_like(one, first["criterion"], spans) if "value" in one else None for _, one, _ in found]
        for name in (*_FILLED, "failed"):
            like = next(f for f in filled if f is not None)[name]
            empty = np.full(like.shape, 0 if name == "failed" else np.nan)
            stacked = np.stack([empty if f is None else f[name] for f in filled])
            last = "span" if name.startswith("span") else "criterion"
            columns[name] = (("sample", "pantograph", last), stacked)
    attrs = {"study": json.dumps(plan.plain(), ensure_ascii=False), "wanted": len(samples), "title": plan.name}
    attrs["judged"] = plan.study.judged
    return xr.Dataset(columns, coords, attrs)


def _group_verdict(one: Arrays, said: dict[str, str], name: str) -> str:
    """Verdict of one group of a sample, told from the criteria it missed where its file does not say."""
    if "failed" not in one or said["verdict"] != "not met":
        return said["verdict"]
    mine = [(group_of(str(key)) == "setting") is (name == "setting") for key in one["criterion"]]
    return "not met" if one["failed"][:, mine].any() else "met"


def _bars(path: Path) -> Arrays:
    """The numerical error bars of a sample, if they have been computed."""
    variables = read(path)[0] if path.exists() else {}
    return {"error": variables["error"][1]} if "error" in variables else {}


def as_number(value: Quantity | Any) -> float:
    """A value as a number in the unit it is written in; NaN for words."""
    from panhead.files.units import split_quantity

    try:
        return split_quantity(value)[0]
    except (ValueError, TypeError):
        return float("nan")


def unit_as_written(value: Any) -> str:
    """The unit of a value as it is written; none for words."""
    from panhead.files.units import split_quantity

    try:
        return split_quantity(value)[1]
    except (ValueError, TypeError):
        return ""


def _like(one: Arrays, criteria: np.ndarray, spans: np.ndarray) -> Arrays:
    """The numbers of one sample in the order of the index, NaN where it has none."""
    return {name: _place_of(one, name, "span" if name.startswith("span") else "criterion", criteria, spans)
            for name in (*_FILLED, "failed")}  # fmt: skip


def _place_of(one: Arrays, name: str, along: str, criteria: np.ndarray, spans: np.ndarray) -> np.ndarray:
    wanted, mine = spans if along == "span" else criteria, one[along]
    if np.array_equal(wanted, mine):
        return one[name]
    where, whole = {key: k for k, key in enumerate(mine.tolist())}, one[name].astype(float)
    found = np.full((len(whole), len(wanted)), np.nan)
    for k, key in enumerate(wanted.tolist()):
        if key in where:
            found[:, k] = whole[:, where[key]]
    return found


def write(folder: Path, index: xr.Dataset) -> tuple[Path, Path]:
    """``index.nc`` and ``index.csv``, each whole or not at all."""
    from panhead.files.atomic_files import write_atomic

    saved = results.save(index, folder / "index.nc")
    return saved, write_atomic(folder / "index.csv", as_csv(index).encode())


def as_csv(index: xr.Dataset) -> str:
    """One row for each sample and pantograph: inputs, verdict, every assessed quantity in SI units."""
    from panhead.files.cell_text import csv_lines

    varied = [str(v) for v in index["varied"].to_numpy()]
    keys = [str(k) for k in index["criterion"].to_numpy()] if "value" in index else []
    units = [str(u) for u in index["criterion_unit"].to_numpy()] if keys else []
    heads = [f"{k} ({u or '1'})" for k, u in zip(keys, units, strict=True)]
    groups = ["contact quality", "setting"]
    rows: list[list[object]] = [["sample", *varied, "pantograph", "verdict", *groups, *heads, "message"]]
    names = [str(p) for p in index["pantograph"].to_numpy()] if keys else [""]
    for k, number in enumerate(index["sample"].to_numpy()):
        head = [int(number), *index["input"].to_numpy()[k]]
        for p, name in enumerate(names):
            values = [float(x) for x in index["value"].to_numpy()[k, p]] if keys else []
            said = [index[of].to_numpy()[k] for of in ("verdict", "quality", "setting")]
            rows.append([*head, name, *said, *values, index["message"].to_numpy()[k]])
    return csv_lines(rows)
