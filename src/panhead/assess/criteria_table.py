"""Table of the criteria of an assessed result: one row per pantograph and quantity."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from html import escape
from typing import TYPE_CHECKING, Any, Final, final

from panhead.assess.criteria import Criterion, Group, Verdict
from panhead.assess.judge import judgement
from panhead.assess.number_text import brief, with_bar
from panhead.errors import ModelError

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

_HEADS: Final = ("variant", "pantograph", "group", "criterion", "value", "limit", "verdict")
_CSS: Final = {"met": "", "not met": "color:#b3261e", "undecided": "color:#9a6700", "for information": ""}


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedCriterion(Criterion):
    """A criterion with the variant and the pantograph to which it belongs. Values in SI units."""

    variant: str = ""  #: "" where the run has no variants
    pantograph: str = ""


@final
@dataclass(frozen=True, slots=True)
class CriteriaTable:
    """The criteria of a run: iterate over them, look one up by its key, or take the table as a pandas DataFrame."""

    rows: tuple[JudgedCriterion, ...]

    def __iter__(self) -> Iterator[JudgedCriterion]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, key: str) -> JudgedCriterion:
        """The one criterion with a key, such as "deviation"; ModelError where none or several have it."""
        found = [c for c in self.rows if c.key == key]
        if len(found) == 1:
            return found[0]
        if not found:
            raise ModelError(f"no criterion has the key {key!r}; there are {', '.join(_unique(c.key for c in self))}")
        several = ", ".join(" · ".join(filter(None, (c.variant, c.pantograph))) for c in found)
        raise ModelError(
            f"{len(found)} criteria have the key {key!r} ({several}); select one first with "
            "select(variant=…, pantograph=…)"
        )

    @property
    def variants(self) -> list[str]:
        """Names of the variants, in the order they were run; [""] where there are none."""
        return _unique(c.variant for c in self.rows)

    @property
    def pantographs(self) -> list[str]:
        """Names of the pantographs."""
        return _unique(c.pantograph for c in self.rows)

    def select(
        self,
        *,
        variant: str | None = None,
        pantograph: str | None = None,
        verdict: Verdict | None = None,
        group: Group | None = None,
    ) -> CriteriaTable:
        """The rows of one variant, one pantograph, one verdict or one group ("contact quality", "setting")."""
        for word, known in ((variant, self.variants), (pantograph, self.pantographs)):
            if word is not None and word not in known:
                raise ModelError(f"no {word!r} in this table; it has {', '.join(map(repr, known))}")
        return CriteriaTable(
            tuple(
                c
                for c in self.rows
                if variant in (None, c.variant)
                and pantograph in (None, c.pantograph)
                and verdict in (None, c.verdict)
                and group in (None, c.group)
            )
        )

    def to_dataframe(self) -> pd.DataFrame:
        """The table as a pandas DataFrame, in SI units; a missing limit, error, place or time is NaN."""
        import pandas as pd

        names = ["variant", "pantograph", "key", "name", "value", "error", "limit", "bound", "unit", "verdict", "group"]
        names += [f.name for f in fields(JudgedCriterion) if f.name not in names]
        columns: dict[str, Any] = {name: [getattr(c, name) for c in self.rows] for name in names}
        numbers = ("value", "error", "limit", "place", "time")
        return pd.DataFrame(columns).astype(dict.fromkeys(numbers, float))

    def __str__(self) -> str:
        cells = _cells(self.rows)
        width = [max(map(len, column)) for column in zip(*cells, strict=True)]
        return "\n".join("  ".join(map(str.ljust, row, width)).rstrip() for row in cells)

    def _repr_html_(self) -> str:
        heads, *cells = _cells(self.rows)
        rows = (f'<tr style="{_CSS[c.verdict]}">{_html("td", row)}</tr>' for c, row in zip(self, cells, strict=True))
        return f"<table><thead><tr>{_html('th', heads)}</tr></thead><tbody>{''.join(rows)}</tbody></table>"


def judged_criteria(dataset: xr.Dataset) -> CriteriaTable:
    """Criteria table of an assessed result; ModelError if it has not been assessed."""
    return CriteriaTable(
        tuple(
            JudgedCriterion(variant=variant, pantograph=pantograph, **_values(c))
            for variant, of in judgement(dataset).items()
            for pantograph, criteria in of.items()
            for c in criteria
        )
    )


def _values(c: Criterion) -> dict[str, Any]:
    return {f.name: getattr(c, f.name) for f in fields(Criterion)}


def _unique(names: Iterator[str]) -> list[str]:
    return list(dict.fromkeys(names))


def _cells(rows: Sequence[JudgedCriterion]) -> list[list[str]]:
    """Header and rows in display units (mm, %, km/h), without empty columns."""
    cells = [_HEADS, *map(_row, rows)]
    shown = [k for k in range(len(_HEADS)) if any(row[k] for row in cells[1:])]
    return [[row[k] for k in shown] for row in cells]


def _row(c: JudgedCriterion) -> tuple[str, ...]:
    value, limit, error, unit = c.shown()
    count = not unit and value == round(value)
    text = brief(value) if count else f"{with_bar(value, error, c.digits)} {unit}".strip()
    bounded = "" if limit is None else f"{'≤' if c.bound == 'upper' else '≥'} {brief(limit, c.digits)} {unit}".strip()
    group = "" if limit is None else c.group
    return c.variant, c.pantograph, group, c.name, text, bounded, c.verdict


def _html(tag: str, cells: Sequence[str]) -> str:
    return "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in cells)
