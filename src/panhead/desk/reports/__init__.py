"""Reports: one self-contained HTML file per result, readable offline."""

from __future__ import annotations

import importlib
import json
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from panhead.errors import ModelError

if TYPE_CHECKING:
    import xarray as xr

    from panhead.desk.reports.page import Page

#: a variable that only this kind of result has → the module with its page, looked at in this order
_PAGES: Final = {
    "pantograph": "panhead.desk.reports.run",
    "cost_history": "panhead.desk.reports.control",
    "wheel_force": "panhead.desk.reports.vehicle",
    "open_after": "panhead.desk.reports.modes",
    "form": "panhead.desk.reports.factorized_form",
    "q": "panhead.desk.reports.motion",
}


#: fields of a title block, in this order
TITLE_BLOCK: Final = ("project", "author", "checker", "revision", "date")


def title_block(dataset: xr.Dataset) -> list[tuple[str, str]]:
    """Title block of a result, as its run states it: field and text; empty if it states none.

    Without a date of its own it has the day of the computation.
    """
    stated = json.loads(str(dataset.attrs.get("title_block", "{}")))
    if not any(stated.get(name) for name in TITLE_BLOCK):
        return []
    stated["date"] = stated.get("date") or str(dataset.attrs.get("created", ""))[:10]
    return [(name.capitalize(), str(stated[name])) for name in TITLE_BLOCK if stated.get(name)]


def with_title_block(dataset: xr.Dataset, given: Mapping[str, str | None]) -> xr.Dataset:
    """The result with some fields of its title block replaced; None leaves a field as the run states it."""
    stated = json.loads(str(dataset.attrs.get("title_block", "{}")))
    stated |= {name: text for name, text in given.items() if text is not None}
    return dataset.assign_attrs(title_block=json.dumps(stated, ensure_ascii=False)) if stated else dataset


def page_of(dataset: xr.Dataset) -> Page:
    """Build the report page that fits the variables of a result."""
    held = {str(name).partition("@")[0] for name in dataset.variables}  # "name@variant" belongs to one variant
    for name, module in _PAGES.items():
        if name in held:
            page: Page = importlib.import_module(module).page(dataset)
            return replace(page, title_block=title_block(dataset))
    raise ModelError(
        "report: there is no page for a result with the variables "
        f"{', '.join(map(str, dataset.data_vars)) or 'nothing'}; it needs one of {', '.join(_PAGES)}"
    )
