"""HTML representation of a result in a notebook: verdict, contact force, criteria, variables; under 100 kB."""

from __future__ import annotations

import warnings
from html import escape
from typing import TYPE_CHECKING, Final

from panhead.assess.criteria_table import judged_criteria
from panhead.assess.verdict_sentence import verdict_sentence
from panhead.desk.drawing import svg
from panhead.desk.reports.judgement import entries
from panhead.desk.reports.run_force import force_along_track, passages
from panhead.errors import PanheadError

if TYPE_CHECKING:
    import xarray as xr

_PICTURE, _CRITERIA, _DATA = 45_000, 20_000, 30_000  # [bytes] at most, of what a cell shows
_LONGEST: Final = 300  # letters of an attribute that are shown
_HINT: Final = 'report("folder") writes the report, page() shows it here, view() shows the motion in 3D'


def notebook_html(dataset: xr.Dataset) -> str:
    """The verdict's sentence first where there is one, the force, then the criteria and the data, folded."""
    lines = [f"<strong>{escape(_headline(dataset))}</strong>"]
    if "criteria" in dataset.attrs:
        table = judged_criteria(dataset)
        many = f"{len(table)} criteria: see result.criteria"
        lines += [_force(dataset), _collapsible("criteria", _at_most(_CRITERIA, table._repr_html_(), many))]
    lines += [_collapsible("data", _variable_list(dataset)), f'<div style="opacity:0.7">{escape(_HINT)}</div>']
    return f"<div>{''.join(lines)}</div>"


def _headline(dataset: xr.Dataset) -> str:
    if "criteria" in dataset.attrs:
        return verdict_sentence(dataset)
    failure = dataset.attrs.get("failure")
    return f"The run failed: {failure}" if failure else str(dataset.attrs.get("title", "")) or "Result"


def _collapsible(title: str, inner: str) -> str:
    return f"<details><summary>{title}</summary>{inner}</details>"


def _variable_list(dataset: xr.Dataset) -> str:
    import xarray as xr

    attrs = {name: str(x) if len(str(x)) <= _LONGEST else f"{str(x)[:_LONGEST]} …" for name, x in dataset.attrs.items()}
    own = xr.Dataset(dataset.data_vars, dataset.coords, attrs)._repr_html_()
    return _at_most(_DATA, own, _at_most(_DATA, _names(dataset), f"{len(dataset.variables)} variables"))


def _at_most(size: int, text: str, otherwise: str) -> str:
    return text if len(text.encode()) <= size else otherwise


def _force(dataset: xr.Dataset) -> str:
    """The contact force along the track; nothing of a part of a result that has none."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)  # NumPy's, where nothing of the assessed section is left
        try:
            drawn = svg.document(force_along_track(passages(dataset, entries(dataset)), None, None).chart)
        except (PanheadError, LookupError, RuntimeWarning, TypeError, ValueError):
            return ""
    return _at_most(_PICTURE, f'<div style="max-width:900px">{drawn}</div>', "")


def _names(dataset: xr.Dataset) -> str:
    rows = (
        f"<tr><td><code>{escape(str(name))}</code></td><td>{escape(_shape(x))}</td>"
        f"<td>{escape(str(x.attrs.get('units', '')))}</td><td>{escape(str(x.attrs.get('long_name', '')))}</td></tr>"
        for name, x in dataset.variables.items()
    )
    return f"<table><tr><th>variable</th><th>dimensions</th><th>unit</th><th></th></tr>{''.join(rows)}</table>"


def _shape(x: xr.Variable) -> str:
    return ", ".join(f"{name}: {size}" for name, size in x.sizes.items())
