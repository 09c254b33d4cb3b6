"""The one type of result: a labelled dataset that can show itself."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, final

import xarray as xr

from panhead.errors import PanheadError

if TYPE_CHECKING:
    from panhead.viewer.drawing import SpaceView


@final
class Result(xr.Dataset):
    """An xarray.Dataset of one simulation, with everything its report needs among its variables and attributes."""

    __slots__ = ()

    @classmethod
    def of(cls, dataset: xr.Dataset) -> Result:
        """The same data as a result."""
        return cls(dataset.data_vars, dataset.coords, dataset.attrs)

    @property
    def verdict(self) -> str:
        """What the standard says of a run under a line: met, not met, undecided; "" for anything else."""
        return str(self.attrs.get("verdict", ""))

    def report(self, folder: str | Path = ".") -> Path:
        """Write ``report.html``, one file that needs nothing else, into a folder."""
        from panhead.reports import page_of
        from panhead.reports.render import write

        return write(page_of(self), Path(folder))

    def view(self, variant: str = "") -> SpaceView:
        """The result in space, to turn, zoom and play; a notebook shows it, ``save(path)`` writes a page."""
        from panhead.viewer import view

        return view(self, variant)

    def _repr_html_(self) -> str:
        """In a notebook: the report with its animation, then the data; a part of a result is data alone."""
        from panhead.reports import page_of
        from panhead.reports.render import html

        try:
            frame = in_frame(html(page_of(self)))
        except (PanheadError, KeyError):
            return str(super()._repr_html_())
        return f"{frame}<details><summary>data</summary>{super()._repr_html_()}</details>"


def in_frame(page: str) -> str:
    """A whole page inside the cell of a notebook."""
    return f'<iframe srcdoc="{escape(page, quote=True)}" style="width:100%;height:640px;border:0"></iframe>'
