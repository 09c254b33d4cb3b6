"""What may not be asked: foreign pages, tricks with paths, sizes, broken messages; nothing outside is touched."""

import json

import pytest
from attack.requests import attack, prepared

from app.workbench.server import Server


@pytest.fixture(scope="module")
def besieged(tmp_path_factory):
    served = Server(prepared(tmp_path_factory.mktemp("siege")))
    yield served
    served.close()


def test_generated_requests_never_fall(besieged):
    """A few hundred here; scripts/attack --long sends a hundred thousand."""
    assert attack(besieged, 400, seed=1) == []


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Host": "evil.example"}, 421),
        ({"Content-Type": "text/plain"}, 415),
    ],
)
def test_foreigners_change_nothing(besieged, headers, status):
    good = {"Origin": f"http://{besieged.host}", "Content-Type": "application/json"}
    sent = {"Content-Type": "application/json"} if headers == {} else good | headers
    body = json.dumps({"path": "mine.toml", "to": "stolen.toml"}).encode()
    assert besieged.ask("POST", f"/{besieged.token}/api/copy", body, sent)[0] == status
    assert not (besieged.folder / "stolen.toml").exists()


def test_without_the_token_there_is_nothing(besieged):
    for path in ("/", "/api/project", "/page/app.js", "/wrong/api/project", f"/{besieged.token[:-1]}/"):
        assert besieged.ask("GET", path)[0] == 404


def test_an_oversized_body_is_refused(besieged):
    headers = {"Origin": f"http://{besieged.host}", "Content-Type": "application/json"}
    body = b'{"path": "' + b"x" * 9_000_000 + b'"}'
    assert besieged.ask("POST", f"/{besieged.token}/api/check", body, headers)[0] == 413


def test_page_and_command_line_refuse_in_the_same_words(besieged, panhead):
    """The sentence below the field is the one of the terminal."""
    raw = besieged.get("api/file?path=mine.toml")["raw"] | {"contact_height": "5 kg"}
    status, said = besieged.post("check", raw=raw)
    text = (besieged.folder / "mine.toml").read_text().replace('"5.08 m"', '"5 kg"')
    (besieged.folder / "wrong.toml").write_text(text)
    printed = panhead("line", "check", str(besieged.folder / "wrong.toml")).stderr
    assert status == 422
    assert said["problems"][0]["where"] == "contact_height"
    assert " ".join(said["problems"][0]["says"].split()) in " ".join(printed.split())


def test_the_interface_is_described_by_the_schema_of_files(besieged):
    from panhead.files import schema

    assert besieged.get("api/schema/line") == schema.json_schema("line")
    assert set(besieged.get("api/messages")) >= {"/api/run", "/api/save", "/api/edit"}
