"""The case line-statics: everything inside its bounds, and printable as JSON."""

import json

from panhead import validation


def test_line_statics():
    table = validation.as_json(validation.run("line-statics"))
    assert len(table) == 19
    assert [name for name, check in table.items() if not check["ok"]] == []
    assert json.loads(json.dumps(table)) == table
