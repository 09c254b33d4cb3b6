"""A result in the cell of a notebook: the verdict, the criteria, then the variables; small enough to be saved often."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Final

from panhead.assess.criteria_table import judged_criteria
from panhead.assess.verdict_sentence import verdict_sentence

if TYPE_CHECKING:
    import xarray as xr

_LARGEST: Final = 50_000  # [bytes] of xarray's own listing; a longer one becomes a table of names
_LONGEST: Final = 300  # letters of an attribute that are shown
_HINT: Final = 'report("folder") writes the report, page() shows it here, view() shows the motion in space'


def notebook_html(dataset: xr.Dataset) -> str:
    """The verdict's sentence first where there is one; below it the criteria and the data, folded."""
    lines = [f"<strong>{escape(_headline(dataset))}</strong>"]
    if "criteria" in dataset.attrs:
        lines.append(_folded("criteria", judged_criteria(dataset)._repr_html_()))
    lines += [_folded("data", _listing(dataset)), f'<div style="opacity:0.7">{escape(_HINT)}</div>']
    return f"<div>{''.join(lines)}</div>"


def _headline(dataset: xr.Dataset) -> str:
    if "criteria" in dataset.attrs:
        return verdict_sentence(dataset)
    failure = dataset.attrs.get("failure")
    return f"The run failed: {failure}" if failure else str(dataset.attrs.get("title", "")) or "Result"


def _folded(title: str, inner: str) -> str:
    return f"<details><summary>{title}</summary>{inner}</details>"


def _listing(dataset: xr.Dataset) -> str:
    import xarray as xr

    attrs = {name: str(x) if len(str(x)) <= _LONGEST else f"{str(x)[:_LONGEST]} …" for name, x in dataset.attrs.items()}
    own = xr.Dataset(dataset.data_vars, dataset.coords, attrs)._repr_html_()
    return own if len(own.encode()) <= _LARGEST else _names(dataset)


def _names(dataset: xr.Dataset) -> str:
    rows = (
        f"<tr><td><code>{escape(str(name))}</code></td><td>{escape(_shape(x))}</td>"
        f"<td>{escape(str(x.attrs.get('units', '')))}</td><td>{escape(str(x.attrs.get('long_name', '')))}</td></tr>"
        for name, x in dataset.variables.items()
    )
    return f"<table><tr><th>variable</th><th>dimensions</th><th>unit</th><th></th></tr>{''.join(rows)}</table>"


def _shape(x: xr.Variable) -> str:
    return ", ".join(f"{name}: {size}" for name, size in x.sizes.items())
