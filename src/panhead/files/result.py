"""Result class and xarray accessor: verdict, criteria, report and 3D view of a simulation."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Literal, cast, final

import xarray as xr

if TYPE_CHECKING:
    from panhead.assess.criteria import Group, Verdict
    from panhead.assess.criteria_table import CriteriaTable
    from panhead.desk.viewer.space_view import SpaceView


@final
@xr.register_dataset_accessor("panhead")
class ResultAccessor:
    """``dataset.panhead``: the verdict, criteria, report and view of any xarray.Dataset that holds a result.

    It works on every dataset that xarray derives from a result (merged, concatenated, read by xarray itself).
    """

    def __init__(self, dataset: xr.Dataset) -> None:
        self._dataset = dataset

    @property
    def verdict(self) -> Verdict | Literal[""]:
        """The verdict of a run under a line: "met", "not met", "undecided" or "for information"; "" if not assessed."""
        return cast("Verdict", str(self._dataset.attrs.get("verdict", "")))

    @property
    def verdicts(self) -> dict[Group, Verdict]:
        """The verdict of each group: "contact quality" (σ, extremes, uplift, losses) and "setting" (mean force).

        Empty if not judged.
        """
        from panhead.assess.criteria import group_verdicts

        return group_verdicts(self.criteria.rows) if "criteria" in self._dataset.attrs else {}

    @property
    def verdict_sentence(self) -> str:
        """The verdict in words: a sentence on the contact quality, and one on the setting."""
        from panhead.assess.verdict_sentence import verdict_sentence

        return verdict_sentence(self._dataset)

    @property
    def criteria(self) -> CriteriaTable:
        """Every assessed quantity with value, error bar, limit and verdict; ModelError if there are none."""
        from panhead.assess.criteria_table import judged_criteria

        return judged_criteria(self._dataset)

    def report(self, folder: str | Path = ".") -> Path:
        """Write ``report.html``, one file that needs nothing else, into a folder."""
        from panhead.desk.reports import page_of
        from panhead.desk.reports.render import write

        return write(page_of(self._dataset), Path(folder))

    def page(self) -> PageView:
        """The report for the cell of a notebook, with its figures and animation."""
        from panhead.desk.reports import page_of
        from panhead.desk.reports.render import html

        return PageView(html(page_of(self._dataset)))

    def view(self, variant: str = "") -> SpaceView:
        """Animated 3D view of the result; a notebook shows it, ``save(path)`` writes an HTML page."""
        from panhead.desk.viewer import view

        return view(self._dataset, variant)


@final
class Result(xr.Dataset):
    """An xarray.Dataset of one simulation, with everything its report needs among its variables and attributes.

    It adds the members of ``ResultAccessor`` to Dataset, so that editors and type checkers know them.
    """

    __slots__ = ()

    @classmethod
    def of(cls, dataset: xr.Dataset) -> Result:
        """Convert a dataset to a Result."""
        return cls(dataset.data_vars, dataset.coords, dataset.attrs)

    @property
    def verdict(self) -> Verdict | Literal[""]:
        """The verdict of a run under a line: "met", "not met", "undecided" or "for information"; "" if not assessed."""
        return ResultAccessor(self).verdict

    @property
    def verdicts(self) -> dict[Group, Verdict]:
        """The verdict of each group: "contact quality" (σ, extremes, uplift, losses) and "setting" (mean force).

        Empty if not judged.
        """
        return ResultAccessor(self).verdicts

    @property
    def verdict_sentence(self) -> str:
        """The verdict in words: a sentence on the contact quality, and one on the setting."""
        return ResultAccessor(self).verdict_sentence

    @property
    def criteria(self) -> CriteriaTable:
        """Every assessed quantity with value, error bar, limit and verdict; ModelError if there are none."""
        return ResultAccessor(self).criteria

    def report(self, folder: str | Path = ".") -> Path:
        """Write ``report.html``, one file that needs nothing else, into a folder."""
        return ResultAccessor(self).report(folder)

    def page(self) -> PageView:
        """The report for the cell of a notebook, with its figures and animation."""
        return ResultAccessor(self).page()

    def view(self, variant: str = "") -> SpaceView:
        """Animated 3D view of the result; a notebook shows it, ``save(path)`` writes an HTML page."""
        return ResultAccessor(self).view(variant)

    def _repr_html_(self) -> str:
        """HTML for notebooks: the verdict, the contact force, the criteria and the data, in less than 100 kB."""
        from panhead.desk.reports.notebook import notebook_html

        return notebook_html(self)


@final
@dataclass(frozen=True, slots=True)
class PageView:
    """A complete HTML page that a notebook shows in a frame."""

    html: str

    def _repr_html_(self) -> str:
        return in_frame(self.html)


def in_frame(page: str) -> str:
    """Embed a complete HTML page in a notebook cell."""
    return f'<iframe srcdoc="{escape(page, quote=True)}" style="width:100%;height:640px;border:0"></iframe>'
