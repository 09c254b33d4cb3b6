"""What goes with what, on a page: the line ``<!-- capabilities -->`` becomes the table of ``runs/capabilities``."""

from panhead.runs.capabilities import FEATURES, PATHS

MARK = "<!-- capabilities -->\n"


def _cell(feature, path):
    if path in feature.lacking:
        return f"no: {feature.lacking[path]}"
    return feature.instead.get(path, "yes")


def table():
    """One table for each path: the features it lacks or takes another way for; all others it carries."""
    lines = []
    for path, words in PATHS.items():
        rows = [(f, _cell(f, path)) for f in FEATURES]
        lines += [f"## {words[0].upper()}{words[1:]}", ""]
        lines += ["Carries: " + ", ".join(f.name for f, cell in rows if cell == "yes") + ".", ""]
        rest = [(f, cell) for f, cell in rows if cell != "yes"]
        if rest:
            lines += ["| feature | key | instead |", "|---|---|---|"]
            lines += [f"| {f.name} | `{f.key}` | {cell} |" for f, cell in rest]
        lines.append("")
    return "\n".join(lines)


def fill(app, docname, source):
    """Write the tables where a page asks for them."""
    if MARK in source[0]:
        source[0] = source[0].replace(MARK, table())


def setup(app):
    app.connect("source-read", fill)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
