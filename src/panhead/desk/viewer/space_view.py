"""The page of a 3D view: one file with its own WebGL code, without network requests."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Final, final

from jinja2 import Environment, PackageLoader
from markupsafe import Markup

from panhead.desk.drawing.figures import COLORS
from panhead.desk.viewer.scene import Scene
from panhead.desk.viewer.scene_json import scene_json
from panhead.files.atomic_files import write_atomic
from panhead.files.result import in_frame

#: in the order in which they need one another
_SCRIPTS: Final = (
    "vectors", "arrays", "meshes", "shaders", "renderer", "themes", "track", "pantograph", "posts", "line", "bodies",
    "camera", "strip", "app",
)  # fmt: skip
_PAPER: Final = ("#ffffff", "#0f172a")


@final
@dataclass(frozen=True, slots=True)
class SpaceView:
    """A scene as a page: shows itself in a notebook, goes to a file of its own."""

    scene: Scene

    def html(self) -> str:
        """The whole page, self-contained."""
        light, dark = (
            "".join(f"--{name}:{values[k]};" for name, values in {"paper": _PAPER, **COLORS}.items()) for k in (0, 1)
        )
        return (
            _environment()
            .get_template("view.html.j2")
            .render(
                title=self.scene.title,
                note=self.scene.note,
                key=self.scene.key,
                colors=Markup(f":root{{{light}}}@media (prefers-color-scheme:dark){{:root{{{dark}}}}}"),
                css=_asset("style.css"),
                js=Markup("\n").join(_asset(f"{name}.js") for name in _SCRIPTS),
                scene=Markup(scene_json(self.scene)),
            )
        )

    def save(self, path: str | Path) -> Path:
        """Write the page; it appears whole or not at all."""
        return write_atomic(Path(path), self.html().encode())

    def _repr_html_(self) -> str:
        return in_frame(self.html())


@functools.cache
def _environment() -> Environment:
    return Environment(loader=PackageLoader("panhead.desk.viewer", "page"), autoescape=True)


@functools.cache
def _asset(name: str) -> Markup:
    """A shipped stylesheet or script, inserted without escaping."""
    return Markup((resources.files("panhead.desk.viewer") / "page" / name).read_text("utf-8"))
