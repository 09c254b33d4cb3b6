"""The case line-statics: everything inside its bounds, and printable as JSON."""

import json

from panhead import cases
from panhead.cases.checks import as_json


def test_line_statics():
    table = as_json(cases.run("line-statics"))
    assert len(table) == 19
    assert [name for name, check in table.items() if check["ok"] is False] == []
    assert json.loads(json.dumps(table)) == table
