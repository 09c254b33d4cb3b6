"""The command ``panhead asbuilt``: what is done is not done again, pages and tables are written, errors are named."""

import json

import numpy as np
import pytest
from explore.asbuilt.test_repair_list import assessment

from panhead.errors import PanheadError
from panhead.explore.asbuilt.route_plan import RoutePlan, prepare
from panhead.explore.asbuilt.route_records import record_path, save_arrays, save_json
from panhead.files import library

ROUTE = """kind = "route"
run = { speed = "200 km/h", train = [{ pantograph = "dsa250" }] }
[[part]]
line = "en50318-2002"
passes = [{ file = "survey.csv" }]
"""


def finished(folder):
    """A route of one tension length with everything computed."""
    (folder / "survey.csv").write_text("chainage [m],height [m]\n0,5.08\n")
    (folder / "route.toml").write_text(ROUTE)
    out = folder / "out"
    prepare(RoutePlan.read(folder / "route.toml"), out)
    save_arrays(record_path(out, "readings", 0, "npz"), {"x": np.zeros(1)})
    save_json(record_path(out, "fits", 0, "json"), {})
    one = assessment()
    save_json(record_path(out, "assessments", 0, "json"), one)
    save_json(record_path(out, "verified", 0, "json"), one["verified"])
    return out


def test_a_finished_route_is_only_written_again(panhead, tmp_path):
    out = finished(tmp_path)
    answer = panhead("asbuilt", "route.toml", "--out", "out", "--workers", "1", "--excel", "--pdf")
    assert answer.returncode == 0, answer.stderr
    assert "1 of 1 tension lengths do not comply" in answer.stdout
    rows = (out / "work_order.csv").read_text(encoding="utf-8-sig").splitlines()
    assert "renew: 1000 mm as drawn" in rows[2]
    assert (out / "work_order.xlsx").stat().st_size > 1000
    assert (out / "manager.pdf").read_bytes().startswith(b"%PDF")
    assert "T1, span 3, dropper 4" in (out / "crew" / "report.html").read_text(encoding="utf-8")


def test_another_route_in_the_folder_is_computed_anew(tmp_path):
    out = finished(tmp_path)
    (tmp_path / "route.toml").write_text(ROUTE.replace("200 km/h", "210 km/h"))
    prepare(RoutePlan.read(tmp_path / "route.toml"), out)
    assert not list((out / "assessments").iterdir())
    assert json.loads((out / "route.json").read_text(encoding="utf-8"))["name"] == "route"


def test_wrong_input_is_named(panhead, tmp_path):
    (tmp_path / "survey.csv").write_text("chainage [m],height [m]\n0,5.08\n")
    (tmp_path / "route.toml").write_text(ROUTE.replace("passes", "pases"))
    assert "pases" in panhead("asbuilt", "route.toml").stderr
    (tmp_path / "route.toml").write_text(ROUTE)
    away = panhead("asbuilt", "route.toml", "--workers", "1")
    assert away.returncode == 2
    assert "check the chainage of lines and surveys" in " ".join(away.stderr.split())
    lost = panhead("asbuilt", "lost.toml", "--cluster", "tcp://127.0.0.1:1")
    assert "lost.toml" in lost.stderr


@pytest.mark.parametrize(
    ("kind", "name", "old", "new"),
    [
        ("pantographs", "dsa250", 'static_force = "', 'static_force = "1'),
        ("repair_work", "repair-work", "cost = ", "cost = 1"),
        ("limits", "no-trv", 'about = "', 'about = "Other. '),
    ],
)
def test_a_file_that_the_route_names_counts_by_its_contents(tmp_path, kind, name, old, new):
    """An edited pantograph, price list or table of limits: what was assessed with the old one is not reused."""
    own = tmp_path / "own.toml"
    text = library.shipped(kind)[name].read_text(encoding="utf-8")
    assert old in text
    own.write_text(text, encoding="utf-8")
    named = {"pantographs": ROUTE.replace("dsa250", "own.toml"), "repair_work": f'work = "own.toml"\n{ROUTE}'}
    (tmp_path / "route.toml").write_text(named.get(kind, f'geometry = "own.toml"\n{ROUTE}'))
    (tmp_path / "survey.csv").write_text("chainage [m],height [m]\n0,5.08\n")
    before = RoutePlan.read(tmp_path / "route.toml").key()
    assert RoutePlan.read(tmp_path / "route.toml").key() == before
    own.write_text(text.replace(old, new, 1), encoding="utf-8")
    assert RoutePlan.read(tmp_path / "route.toml").key() != before


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (f'work = "foo"\n{ROUTE}', "foo"),
        (f'geometry = "en50367-2012"\n{ROUTE}', "has no survey limits"),
        (ROUTE.replace("200 km/h", "nan km/h"), "nan km/h"),
        (ROUTE.replace("dsa250", "dsa25"), "dsa25"),
    ],
)
def test_what_assesses_a_route_is_read_before_it_is_fitted(tmp_path, given, words):
    (tmp_path / "route.toml").write_text(given)
    with pytest.raises(PanheadError, match=words):
        RoutePlan.read(tmp_path / "route.toml")
