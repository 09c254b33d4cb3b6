"""``panhead export c``: sources in a folder, and wrong requests in words."""

import pytest

from panhead.app.cli.rig import export_rig
from panhead.errors import ModelError


def export(name, out, **more):
    given = {"interfaces": ["force"], "fmus": [], "settings": [], "single": True, "record": 16} | more
    export_rig(name, out, **given)


def test_sources_are_written_and_told(tmp_path, capsys):
    export("en50318-250", tmp_path / "rig", settings=["speed=60"])
    found = {path.name for path in (tmp_path / "rig").iterdir()}
    assert {"rig_force.c", "rig_force.h", "main_force.c", "line_tables.c", "line_tables.h", "rig_math.h"} <= found
    assert "#define RECORD 16" in (tmp_path / "rig" / "rig_force.h").read_text(encoding="utf-8")
    assert "windows 1" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "more", "words"),
    [
        ("", {}, "name a run"),
        ("chain", {}, "does not describe a pantograph run"),
        ("en50318-250", {"record": 0}, "between 1 and"),
        ("s1-high-uplift", {}, "does not support"),
        ("en50318-250", {"fmus": ["4"]}, "FMI version '4' cannot be exported"),
    ],
)
def test_wrong_requests_are_refused(tmp_path, name, more, words):
    with pytest.raises(ModelError, match=words):
        export(name, tmp_path / "rig", **more)
    assert not (tmp_path / "rig").exists()
