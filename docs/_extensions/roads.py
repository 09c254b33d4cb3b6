"""Capabilities and what confirms them on a page: ``<!-- roads -->`` and ``<!-- rooms -->`` become tables."""

import tomllib
from pathlib import Path

TABLES = Path(__file__).parents[1] / "roads.toml"


def roads(found):
    """Capability, the road that shares no code with it, and where it is gone."""
    rows = ["| capability | confirmed by | validation cases | tests |", "|---|---|---|---|"]
    for one in found["capability"]:
        cases, tests = (", ".join(f"`{x}`" for x in one.get(key, [])) for key in ("cases", "tests"))
        rows.append(f"| {one['name']} | {one['road']} | {cases} | {tests} |")
    return "\n".join(rows) + "\n"


def rooms(found):
    rows = ["| room of `src/panhead` | tests |", "|---|---|"]
    rows += [f"| `{room}` | {', '.join(f'`{t}`' for t in tests)} |" for room, tests in sorted(found["rooms"].items())]
    return "\n".join(rows) + "\n"


def fill(app, docname, source):
    """Write the tables where a page asks for them."""
    if "<!-- roads -->" in source[0]:
        found = tomllib.loads(TABLES.read_text(encoding="utf-8"))
        source[0] = source[0].replace("<!-- roads -->\n", roads(found)).replace("<!-- rooms -->\n", rooms(found))


def setup(app):
    app.connect("source-read", fill)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
