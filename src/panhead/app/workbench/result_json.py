"""An assessed result as JSON; numbers are formatted as on the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from panhead.assess import judgement, spectrum, verdict_sentences
from panhead.assess.number_text import value_and_bar
from panhead.desk.drawing.figures import thin_curve
from panhead.desk.reports.judgement import entries, headline
from panhead.desk.reports.run_force import Passage, passages
from panhead.runs.scenarios.run_kind import summarise

if TYPE_CHECKING:
    import xarray as xr

_MAX_POINTS = 3000  # of a curve
_MAX_FREQUENCY = 20.0  # of the spectrum [Hz]
_HISTORIES = 400  # droppers whose force over time is at hand


def result_json(result: xr.Dataset) -> dict[str, Any]:
    """Verdict, table and curves of an assessed pantograph run."""
    found = entries(result)
    said, ways = headline(result, found), passages(result, found)
    return {
        "title": str(result.attrs.get("title", "")),
        "verdict": str(result.attrs["verdict"]),
        "sentence": " ".join([said.sentence, *(words for _, words in said.beside)]),
        "groups": [{"group": g.group, "verdict": g.verdict, "sentence": g.sentence} for g in verdict_sentences(result)],
        "details": list(said.details),
        "rows": [{"quantity": r.quantity, "value": r.shown, "unit": r.unit, "note": r.note} for r in summarise(result)],
        "criteria": _criteria(result),
        "curves": [_curves(way) for way in ways],
        "line": _line(ways[0].result),
    }


def partial_result_json(result: xr.Dataset, words: str) -> dict[str, Any]:
    """Contact force of a run up to where it was stopped or failed, without a verdict."""
    names = [str(n) for n in result["pantograph"].to_numpy()] if "pantograph" in result.coords else [""]
    both = all(name in result and result[name].size for name in ("contact_x", "contact_force"))
    curves = []
    for k, name in enumerate(names if both else []):
        x, force = thin_curve(result["contact_x"].to_numpy()[k], result["contact_force"].to_numpy()[k], _MAX_POINTS)
        curves.append({"name": name, "judged": [], "raw": _curve(x, force)})
    return {"title": "", "verdict": "", "sentence": words, "details": [], "rows": [], "criteria": [], "curves": curves}


def _criteria(result: xr.Dataset) -> list[dict[str, Any]]:
    rows = []
    for variant, pantographs in judgement(result).items():
        for name, criteria in pantographs.items():
            for c in criteria:
                value, limit, error, unit = c.shown()
                text, bar = value_and_bar(value, error, c.digits)
                rows.append(
                    {
                        "of": " · ".join(word for word in (variant, name) if word),
                        "key": c.key,
                        "name": c.name,
                        "group": c.group,
                        "value": text,
                        "limit": None if limit is None else f"{limit:.{c.digits}g}",
                        "bound": c.bound,
                        "error": bar or None,
                        "unit": unit,
                        "verdict": c.verdict,
                        "place": c.place,
                        "clause": c.clause,
                        "standing": c.standing,
                        "note": c.note,
                    }
                )
    return rows


def _curve(x: np.ndarray, y: np.ndarray) -> dict[str, list[float | None]]:
    """Curve with six significant digits; NaN becomes null."""
    return {"x": [float(f"{v:.6g}") for v in x], "y": [float(f"{v:.6g}") if np.isfinite(v) else None for v in y]}


def _curves(way: Passage) -> dict[str, Any]:
    x, judged = way.curve("contact_x"), way.judged
    inside = x[judged]
    frequencies, density = spectrum(way.smooth[judged], way.step)
    low = (frequencies > 0) & (frequencies <= _MAX_FREQUENCY)
    return {
        "name": way.name,
        "judged": [float(inside[0]), float(inside[-1])],
        "force": _curve(*thin_curve(x, way.smooth, _MAX_POINTS)),
        "raw": _curve(*thin_curve(x, way.curve("contact_force"), _MAX_POINTS)),
        "uplift": _curve(*thin_curve(x, 1e3 * way.curve("contact_uplift"), _MAX_POINTS))
        if _has(way, "contact_uplift")
        else None,
        "spectrum": _curve(frequencies[low], density[low]),
    }


def _has(way: Passage, name: str) -> bool:
    return name in way.result


def _line(one: xr.Dataset) -> dict[str, Any]:
    """Results of the line: uplift at supports, dropper forces, elasticity."""
    return {
        "masts": _list(one, "mast_x"),
        "supports": _table(one, ("support_x", "support_uplift")),
        "droppers": _table(
            one, ("dropper_x", "dropper_static_force", "dropper_min_force", "dropper_max_force", "dropper_slack_time")
        ),
        "elasticity": _table(one, ("elasticity_x", "elasticity")),
    }


def _table(one: xr.Dataset, names: Sequence[str]) -> dict[str, list[float]] | None:
    return {name: _list(one, name) for name in names} if all(name in one for name in names) else None


def _list(one: xr.Dataset, name: str) -> list[float]:
    return [float(f"{v:.6g}") for v in one[name].to_numpy()[:_MAX_POINTS]] if name in one else []


def frames(result: xr.Dataset) -> dict[str, Any]:
    """Animation frames of the first variant: wires and heads over time."""
    from panhead.files.variants import separate

    one = next(iter(separate(result).values()))
    wires = [
        str(n) for n in one.variables if str(n).startswith("frame_") and str(n).endswith("_z") and n != "frame_head_z"
    ]
    if "frame_x" not in one or not wires:
        return {"times": []}
    rest = {"x": _list(one, "static_x")} if "static_x" in one else None
    round_ = lambda name: _without_nan(np.round(one[name].to_numpy(), 5))
    return {
        "times": round_("frame_time"),
        "x": round_("frame_x"),
        "wires": {name.removeprefix("frame_").removesuffix("_z"): round_(name) for name in wires},
        "pantographs": round_("frame_pantograph_x"),
        "heads": round_("frame_head_z"),
        "rest": rest,
    }


def _without_nan(values: np.ndarray) -> list[Any]:
    """Nested lists in which NaN is null: a wire that is not there has no height."""
    found = values.astype(object)
    found[~np.isfinite(values)] = None
    return found.tolist()


def as_csv(result: xr.Dataset) -> str:
    """CSV of time, position, force and uplift at every time step, per variant and pantograph, in SI units."""
    from panhead.files.cell_text import csv_lines
    from panhead.files.variants import separate

    names = ("contact_x", "contact_force", "contact_uplift")
    heads = ["variant", "pantograph", "time (s)", "contact_x (m)", "contact_force (N)", "contact_uplift (m)"]
    rows: list[list[object]] = [[*heads]]
    for variant, one in separate(result).items():
        times = one["time"].to_numpy()
        for k, pantograph in enumerate(one["pantograph"].to_numpy()):
            columns = [one[n].to_numpy()[k] if n in one else np.full(times.size, np.nan) for n in names]
            rows += ([variant, str(pantograph), *map(float, row)] for row in zip(times, *columns, strict=True))
    return csv_lines(rows)
