"""Reports: one self-contained HTML file per result, readable offline."""

from __future__ import annotations

import importlib
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


def page_of(dataset: xr.Dataset) -> Page:
    """Build the report page that fits the variables of a result."""
    held = {str(name).partition("@")[0] for name in dataset.variables}  # "name@variant" belongs to one variant
    for name, module in _PAGES.items():
        if name in held:
            return importlib.import_module(module).page(dataset)  # type: ignore[no-any-return]
    raise ModelError(
        "report: there is no page for a result with the variables "
        f"{', '.join(map(str, dataset.data_vars)) or 'nothing'}; it needs one of {', '.join(_PAGES)}"
    )
