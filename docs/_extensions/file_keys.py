"""Keys of files on a page: the line ``<!-- keys -->`` becomes the tables of ``panhead schema``, kind by kind."""

from panhead.files import schema

MARK = "<!-- keys -->\n"


def fill(app, docname, source):
    """Write the tables of keys where a page asks for them, from the descriptions of this version."""
    if MARK in source[0]:
        source[0] = source[0].replace(MARK, "\n".join(map(schema.as_markdown, schema.kinds())))


def setup(app):
    app.connect("source-read", fill)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
