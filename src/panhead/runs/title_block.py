"""Title block of a report: who made it, who checked it, for which project."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, slots=True, kw_only=True)
class TitleBlock:
    """Fields of the title block of a report; empty ones are left out."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    project: str = ""
    author: str = ""
    checker: str = ""
    revision: str = ""
    date: str = ""  #: of the document, as it is to be printed; empty: the day the run was computed
