"""The names of ``panhead`` itself on a page: the line ``<!-- names -->`` becomes a table of them, as they are."""

import inspect

from sphinx.util import logging

import panhead

log = logging.getLogger(__name__)
MARK = "<!-- names -->\n"


def table():
    """Name, first sentence of its docstring, and the room it lives in."""
    rows = ["| name | what it is | lives in |", "|---|---|---|"]
    for name in sorted(panhead.__all__, key=str.lower):
        try:
            found = getattr(panhead, name)
        except ModuleNotFoundError as trouble:
            log.info("front door: %s is not there: %s", name, trouble)
            continue
        room = getattr(found, "__module__", None) or f"panhead.{name}"
        words = (inspect.getdoc(found) or "").split("\n\n")[0].replace("\n", " ").replace("|", "\\|")
        rows.append(f"| `{name}` | {words} | `{room}` |")
    return "\n".join(rows) + "\n"


def fill(app, docname, source):
    if MARK in source[0]:
        source[0] = source[0].replace(MARK, table())


def setup(app):
    app.connect("source-read", fill)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
