"""What the page may ask: frozen descriptions, read by the same door as files, shown by the same schema."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from panhead.app.workbench.edits import Edit
from panhead.files.units import MetresPerSecond

Plain = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class SaveFile:
    """Write a description into the project."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    path: str  #: from the project's folder
    raw: Plain  #: what the file is to hold
    mark: str | None = None  #: of the content it was opened with; none: it is new


@dataclass(frozen=True, slots=True, kw_only=True)
class CopyFile:
    """Write a copy of a file, or of a shipped one, under a new name."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    path: str  #: what is copied; "shipped:KIND/NAME" comes with the package
    to: str  #: new name


@dataclass(frozen=True, slots=True, kw_only=True)
class RenameFile:
    """Give a file of the project another name."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    path: str
    to: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EditLine:
    """One change of a line; the answer is the changed line, or why it cannot be."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    line: Plain
    edit: Edit


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckDescription:
    """Whether a description would be taken by the command line, and where it would not."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    raw: Plain


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawLine:
    """The line at rest: wires, droppers and their loads, the elasticity of one span."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    line: Plain
    first: int = 0  #: number of the first span drawn
    count: int = 40  #: spans drawn, at most 40
    span: int | None = None  #: whose elasticity is shown; none: the middle one of those drawn


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckLine:
    """What ``panhead line check`` finds in a line."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    line: Plain
    speed: MetresPerSecond | None = None  #: of the train; limits depend on it


@dataclass(frozen=True, slots=True, kw_only=True)
class StartRun:
    """Simulate and judge; progress, force and verdict come as events of the task."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    run: Plain  #: description of the run
    line: Plain | None = None  #: the line as it stands on the page, instead of the one that the run names
    path: str = ""  #: file of the run, from whose folder names of files count
    keep: str = ""  #: folder under out/ that the result is kept in; empty: not kept
    page: str = ""  #: who asks; a newer run that is not kept takes the place of an older one of the same page


@dataclass(frozen=True, slots=True, kw_only=True)
class StartGradient:
    """How σ changes with every dropper's length and support's height."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    run: Plain
    line: Plain | None = None
    path: str = ""
    of: Literal["deviation", "mean_force", "actual_max", "actual_min", "uplift"] = "deviation"
    page: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class StartStudy:
    """Conduct a study of the project, or a shipped one; its samples are kept under out/."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    path: str
    page: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenResult:
    """Show a kept result."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    path: str  #: out/NAME/result.nc
    page: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class StopTask:
    """Stop a task; what there is of it is kept."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    task: int


#: name of a request → what it holds
MESSAGES: Mapping[str, type] = {
    "save": SaveFile,
    "copy": CopyFile,
    "rename": RenameFile,
    "edit": EditLine,
    "check": CheckDescription,
    "draw": DrawLine,
    "findings": CheckLine,
    "run": StartRun,
    "gradient": StartGradient,
    "study": StartStudy,
    "open": OpenResult,
    "stop": StopTask,
}
