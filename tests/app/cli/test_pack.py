"""``panhead evidence`` of a train with two pantographs, by its options; the finer repeats asked for, not computed."""

import json

import pytest

from panhead.desk.evidence import evidence_pack as packs
from panhead.files import results

SHORT = ("journey.start=90 m", "journey.stop=250 m", "journey.judged_from=180 m", "journey.judged_to=230 m",
         "journey.run_in=5 m")  # fmt: skip
REFERENCE = 'name = "Ours"\nruns = ["en50318-250"]\nranges = "en50318-2002"\ncompleted_by = "N. N."\n'


def test_a_pack_of_two_pantographs(panhead, tmp_path):
    """They stand as far apart as asked, both are judged, by the editions asked for, against the reference given."""
    (tmp_path / "ours.toml").write_text(REFERENCE)
    words = ["--speed", "180 km/h", "--spacing", "60 m", "--reference", "ours.toml", "--out", "pack"]
    words += ["--standard", "en50367-2006", "--standard", "en50367-2012", *(w for s in SHORT for w in ("--set", s))]
    answer = panhead("evidence", "en50318-2002", "en50318-2002", "dsa380", *words)
    assert answer.returncode == 0, answer.stderr
    manifest = json.loads((tmp_path / "pack" / "evidence.json").read_text())
    run = next(run for run in manifest["runs"].values() if run["name"] == "speed-180")
    found = results.load(tmp_path / "pack" / run["result"])
    x = found["contact_x"].to_numpy()
    assert x.shape[0] == 2
    assert x[0] - x[1] == pytest.approx(60.0)
    assert "2006" in results.inputs_of(found)["standard"]["name"]
    assert sum(run["name"].startswith("en50318") for run in manifest["runs"].values()) <= 1  # one run of reference
    page = (tmp_path / "pack" / "evidence.html").read_text()
    assert "N. N." in page
    assert "EN 50367:2006" in page


def test_error_bars_by_finer_repeats_are_asked_of_every_run(panhead, monkeypatch):
    """Five times longer: what is asked is looked at, not computed."""
    seen = []
    stop = lambda wanted, *_: (seen.append(wanted), (_ for _ in ()).throw(KeyboardInterrupt))
    monkeypatch.setattr(packs, "make_pack", stop)
    words = ("en50318-2002", "en50318-2002", "--speed", "240 km/h")
    for more in ((), ("--error-bars",)):
        assert panhead("evidence", *words, *more).returncode == 130
    assert [wanted.finer for wanted in seen] == [False, True]
