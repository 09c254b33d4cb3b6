"""Requests of the page: frozen descriptions, validated like files and with the same schema."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeVar

from panhead.app.workbench.auth import read_json
from panhead.app.workbench.edits import Edit
from panhead.files import parse
from panhead.files.units import Metres, MetresPerSecond

if TYPE_CHECKING:
    from starlette.requests import Request

Plain = Mapping[str, Any]
M = TypeVar("M")


@dataclass(frozen=True, slots=True, kw_only=True)
class SaveFile:
    """Write a description into the project."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    path: str  #: from the project's folder
    raw: Plain  #: what the file is to hold
    mark: str | None = None  #: of the content it was opened with; none: it is new


@dataclass(frozen=True, slots=True, kw_only=True)
class CopyFile:
    """Copy a project file or a shipped file to a new name."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    path: str  #: what is copied; "shipped:KIND/NAME" comes with the package
    to: str  #: new name


@dataclass(frozen=True, slots=True, kw_only=True)
class RenameFile:
    """Rename a project file."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    path: str
    to: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EditLine:
    """Apply one edit to a line; the response is the new line or an error."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    line: Plain
    edit: Edit


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckDescription:
    """Validate a description as the command line does."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    raw: Plain


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawLine:
    """Compute the static shape of a line: wires, droppers and their forces, the elasticity of one span."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    line: Plain
    first: int = 0  #: number of the first span drawn
    count: int = 40  #: spans drawn, at most 40
    span: int | None = None  #: whose elasticity is shown; none: the middle one of those drawn


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckLine:
    """Check a line like ``panhead line check``."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    line: Plain
    speed: MetresPerSecond | None = None  #: of the train; limits depend on it


@dataclass(frozen=True, slots=True, kw_only=True)
class StartRun:
    """Simulate and assess a run; progress, force and verdict arrive as events of the task."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    run: Plain  #: description of the run
    line: Plain | None = None  #: the line as it stands on the page, instead of the one that the run names
    path: str = ""  #: file of the run, from whose folder names of files count
    keep: str = ""  #: folder under out/ that the result is kept in; empty: not kept
    page: str = ""  #: who asks; a newer run that is not kept takes the place of an older one of the same page


@dataclass(frozen=True, slots=True, kw_only=True)
class StartGradient:
    """Gradient of σ with respect to every dropper length and support height."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    run: Plain
    line: Plain | None = None
    path: str = ""
    of: Literal["deviation", "mean_force", "actual_max", "actual_min", "uplift"] = "deviation"
    page: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class StartStudy:
    """Run a study of the project or a shipped one; its samples are stored in out/."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    path: str
    page: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenResult:
    """Open a stored result."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    path: str  #: out/NAME/result.nc
    page: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class StopTask:
    """Stop a task; its partial result is kept."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    task: int


@dataclass(frozen=True, slots=True, kw_only=True)
class NewLine:
    """Create a line from a template, and a run under it."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    to: str  #: file of the line, NAME.toml; its run is NAME-run.toml
    answers: Mapping[str, str]  #: to the questions of ``panhead new line``; what is not answered has its default
    pantograph: str  #: shipped name or file of the project
    speed: str  #: of the run


@dataclass(frozen=True, slots=True, kw_only=True)
class Upload:
    """A file of the user."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    name: str
    content: str  #: base64


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportTables:
    """Create a line from tables of masts and droppers like ``panhead line import``, and a run under it."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    to: str
    masts: Upload  #: or a workbook with all tables
    droppers: Upload | None = None
    keys: Upload | None = None
    base: str = ""  #: line that wires and supports are taken from; "" if the tables have them
    columns: str = ""  #: "Lage quer=stagger, Nr=", or a file of such names in the project
    units: str = ""  #: "stagger=mm, chainage=km"
    pantograph: str
    speed: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FitSurvey:
    """Create a line as built from surveys like ``panhead line fit``, and a run under it."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    to: str
    surveys: tuple[Upload, ...]  #: one for each pass
    line: str  #: as designed: file of the project, or a shipped one
    columns: str = ""
    units: str = ""
    noise: Metres = 2e-3  #: standard deviation of the heights [m]
    tolerance: Metres = 0.01  #: expected deviation of a dropper from its design length [m]
    pantograph: str
    speed: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CopyLine:
    """Create a copy of a line, and a run under it."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    to: str
    path: str  #: file of the project, or a shipped one
    pantograph: str
    speed: str


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
    "new_line": NewLine,
    "import_tables": ImportTables,
    "fit_survey": FitSurvey,
    "copy_line": CopyLine,
}


async def read_message(request: Request, cls: type[M]) -> M:
    """Read a request as one of these descriptions; FileError if it is none."""
    return parse.build(cls, parse.check_plain(dict(await read_json(request)), "request"), source="request")


def plain(message: Any) -> dict[str, Any]:
    """The fields of a request, for a worker."""
    return {f.name: getattr(message, f.name) for f in fields(message)}
