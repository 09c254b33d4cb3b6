"""Pages of source documents: ``<!-- paper NAME -->`` becomes the page of ``panhead reproduce NAME``.

The numbers are those of docs/validation_results.json, as recorded by ``scripts/validation_record``.
"""

import re

from validation import record

from panhead.validation import papers

MARK = re.compile(r"<!-- paper ([a-z0-9]+) -->\n")
CITE = "Source: {{cite:p}}`{key}`. Written from the recorded results of `panhead validate`; `panhead reproduce {name}` computes them again."


def text(name):
    """The page of one document."""
    paper = papers.read_paper(name)
    return papers.page(paper, record(), CITE.replace("{name}", name))


def fill(app, docname, source):
    """Write the page that a file asks for."""
    source[0] = MARK.sub(lambda found: text(found[1]), source[0])


def setup(app):
    app.connect("source-read", fill)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
