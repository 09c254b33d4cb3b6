"""Bench tests from tables, the pantograph that is written, and its page."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import numpy as np

from panhead.assess.number_text import number
from panhead.desk.drawing import figures
from panhead.desk.reports.page import Page, PageList, PageTable, PageVerdict, Picture, page_with
from panhead.desk.reports.render import html
from panhead.errors import FileError
from panhead.explore.calibration.bench_identification import BenchModel, identify, receptance
from panhead.files.atomic_files import write_atomic
from panhead.files.readable_toml import readable_toml
from panhead.files.sheet_rows import ColumnWanted
from panhead.files.tables import read_rows
from panhead.railway.pantograph.lumped_pantograph import LumpedPantograph, Stage
from panhead.railway.pantograph.pantograph_plausibility import implausible_pantograph

#: response → power of iω by which it differs from the receptance, and its unit
KINDS: Final = {"receptance": (0, "m/N"), "mobility": (1, "m/s/N"), "inertance": (2, "m/s**2/N")}
_W = ColumnWanted
COLUMNS: Final = (
    _W("frequency", "Hz", others=("f",), required=True),
    *(_W(f"{kind}{part}", unit) for kind, (_, unit) in KINDS.items() for part in ("", "_real", "_imaginary")),
    _W("phase", "deg"),
)


def read_bench(path: Path) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """Frequencies [Hz] and receptance [m/N] of the head of a table, and what was found in it."""
    found = read_rows(path, "bench", COLUMNS, strict=False)
    kind = next((k for k in KINDS if k in found.places or f"{k}_real" in found.places), None)
    if kind is None:
        names = ", ".join(f"{k} [{unit}]" for k, (_, unit) in KINDS.items())
        raise FileError(path, f"no response; name a column {names} (with phase), or its _real and _imaginary")
    parts = (kind, "phase") if kind in found.places else (f"{kind}_real", f"{kind}_imaginary")
    missing = [name for name in parts if name not in found.places]
    if missing:
        raise FileError(path, f"column {missing[0]!r} is missing; a response needs amplitude and phase, or both parts")
    rows = [cells for _, cells in found.rows if None not in (cells["frequency"], *(cells[p] for p in parts))]
    f, a, b = (np.array([cells[name] for cells in rows], float) for name in ("frequency", *parts))
    order = np.argsort(f, kind="stable")
    f, a, b = f[order], a[order], b[order]
    response = a * np.exp(1j * np.deg2rad(b)) if kind in found.places else a + 1j * b
    if not (f.size and (f > 0.0).all() and (np.abs(response) > 0.0).all()):
        raise FileError(path, "frequencies and responses must be positive and not zero")
    response = response / (2j * np.pi * f) ** KINDS[kind][0]
    return f, *_with_sign(path, response, len(found.rows) - len(rows))


def _with_sign(path: Path, response: np.ndarray, empty: int) -> tuple[np.ndarray, list[str]]:
    """Response with the motion in the direction of the force: one that does no work on the head is turned."""
    notes = [f"{path.name}: {empty} rows without a value were left out"] if empty else []
    if np.sum(response.imag) > 0.0:  # a passive head lags: Im R ≤ 0 at every frequency
        response = -response
        notes.append(f"{path.name}: force and motion have opposite directions; the sign was turned")
    if (response.imag > 0.1 * np.abs(response)).mean() > 0.1:
        raise FileError(
            path, "the response leads the force at many frequencies, which a passive head cannot; check the phase"
        )
    return response, notes


def identify_file(path: Path, masses: int, name: str, static_force: float, out: Path) -> tuple[list[str], Path]:
    """Identify, write the pantograph and a page beside it; sentences and the page."""
    f, response, notes = read_bench(path)
    model = identify(f, response, masses)
    rows = parameter_rows(model)
    stages = tuple(
        Stage(mass=_plain(m), stiffness=_plain(k), damping=_plain(c))
        for m, k, c in zip(model.mass, model.stiffness, model.damping, strict=True)
    )
    words = [f"{what}: {value} {unit} ± {bar} %" for what, unit, value, bar, _ in rows]
    sources = (f"identified from {path.name}, {f.size} frequencies from {f[0]:g} to {f[-1]:g} Hz", *words)
    found = LumpedPantograph(name=name, stages=stages, static_force=static_force, sources=sources)
    head = (
        f"{name}: identified by panhead identify from {path.name}.\nStatic force and contact stiffness were not tested."
    )
    notes += [f"{one.place}: {one.words}; {one.remedy}" for one in implausible_pantograph(found)]
    write_atomic(out, readable_toml(found, head=head).encode())
    page = write_atomic(out.with_suffix(".html"), html(bench_page(model, f, response, name, notes)).encode())
    return [*words, *notes, *model.doubts], page


def parameter_rows(model: BenchModel) -> list[list[str]]:
    """Name, unit, value, standard deviation in per cent and 90 % interval of every parameter, stage by stage."""
    n, rows = model.mass.size, []
    for i in range(n):
        kinds = (("mass", "kg", model.mass), ("stiffness", "N/m", model.stiffness), ("damping", "N·s/m", model.damping))
        for kind, (what, unit, values) in enumerate(kinds):
            k = kind * n + i
            low, high = model.interval(k)
            bar = number(100 * model.deviation(k), 2)
            rows.append(
                [f"stage {i + 1}, {what}", unit, number(values[i], 4), bar, f"{number(low, 4)} … {number(high, 4)}"]
            )
    return rows


def bench_page(model: BenchModel, f: np.ndarray, response: np.ndarray, name: str, notes: list[str]) -> Page:
    """The page: parameters with bars, amplitude and phase."""
    fine = np.geomspace(f[0], f[-1], 600)
    computed = receptance(np.concatenate([model.mass, model.stiffness, model.damping]), 2.0 * np.pi * fine)[0]
    chart, (size, phase) = figures.chart(230, 150)
    size.x_log = size.y_log = phase.x_log = True
    size.dots(f, 1e3 * np.abs(response), "measured", color=figures.ORANGE, size=2.0)
    size.curve(fine, 1e3 * np.abs(computed), "model", color=figures.BLUE)
    phase.dots(f, _lag(response), color=figures.ORANGE, size=2.0)
    phase.curve(fine, _lag(computed), color=figures.BLUE)
    size.name("frequency (Hz)", "receptance (mm/N)")
    phase.name("frequency (Hz)", "phase (°)")
    heads = ["Parameter", "Unit", "Value", "σ (%)", "90 % interval"]
    mood = "warning" if model.doubts else "good"
    sentence = f"{model.mass.size} masses reproduce the response within {number(100 * model.scatter, 2)} %."
    note = f"{model.found} of the starts ended here."
    sections = {
        "Response": [Picture("response", "Response of the head to a force on it", chart)],
        "Parameters": [PageTable("", heads, parameter_rows(model), note=note)],
        "Found": [PageList("", [*notes, *model.doubts])] if notes or model.doubts else [],
    }
    return page_with(name, "identified from a bench test", PageVerdict(mood, sentence, model.doubts), sections)  # type: ignore[arg-type]


def _lag(response: np.ndarray) -> np.ndarray:
    """Phase from −270° to 90°: that of a passive head lies within, whatever its noise."""
    phase = np.degrees(np.angle(response))
    return np.where(phase > 90.0, phase - 360.0, phase)


def _plain(value: float) -> float:
    """A number as a person would write it, five figures."""
    return float(f"{value:.5g}")
