"""Commands around real lines: new line of a design, limits, spans by radius, files of a measuring train."""

import pytest

from panhead.desk.sheets.survey_fit import survey_of
from panhead.desk.sheets.table_rows import DeskTable, TableColumn, csv_text
from panhead.railway.line import read_line


def test_a_line_of_a_design_is_written_and_can_be_read(panhead, tmp_path):
    answer = panhead("new", "line", "mine", "--design", "C-350", "--spans", "64 m x 6, 54 m x 2", "--yes")
    assert answer.returncode == 0, answer.stderr
    line = read_line(tmp_path / "mine.toml")
    assert [(s.kind, s.count) for s in line.tension_lengths[0].spans] == [("64 m", 6), ("54 m", 2)]
    assert any("assumption" in source for source in line.sources)
    text = (tmp_path / "mine.toml").read_text()  # as a person writes it, not every key in SI units
    assert 'tension = "30.87 kN"' in text
    assert "gravity" not in text
    again = panhead("new", "line", "mine", "--design", "C-350", "--height", "5 m", "--replace")
    assert again.returncode == 2
    assert "the design C-350 states this" in " ".join(again.stderr.split())


def test_limits_are_listed_explained_and_compared(panhead):
    answer = panhead("limits")
    assert "es-ife-2023" in answer.stdout
    assert "default en50367-2012" in answer.stdout
    for wrong in (("--speed", "-3 km/h"), ("--supply", "25 V")):  # refused even where nothing is compared
        assert panhead("limits", "eu-tsi-ene", *wrong).returncode == 2
    one = panhead("limits", "eu-tsi-ene").stdout
    assert "missing" in one
    assert "not complete" in one
    both = panhead("limits", "en50367-2012", "es-ife-2023", "--speed", "330 km/h", "--supply", "25 kV AC")
    assert "400 N" in both.stdout
    assert panhead("limits", "en50367-2012", "no-trv", "--supply", "50 kV").returncode == 2
    assert panhead("limits", "en50367-2012", "no-trv", "--speed", "fast").returncode == 2


def test_spans_by_radius(panhead):
    given = ("--wind", "29 m/s", "--head", "1950 mm", "--radii", "0, 500")
    answer = panhead("line", "spans", "CA-220/25kV", *given)
    assert answer.returncode == 0, answer.stderr
    assert "49.5 m" in answer.stdout  # √(8 (0.55 + 0.2)/(1/500 + q/T)), rounded down
    assert panhead("line", "spans", "CA-220/25kV", "--head", "1700 mm").returncode == 2
    assert "400 mm" in panhead("line", "spans", "CA-220/25kV", "--head", "1700 mm", "--allowed", "400 mm").stdout


def test_a_file_of_a_measuring_train_is_checked_and_converted(panhead, tmp_path, monkeypatch):
    (tmp_path / "run.csv").write_text(
        "Paikka,F 1.1 [N],F 1.2 [N],FInt [N],FComp [N]\n"
        + "".join(f"001+{0.25 * k:06.2f},20,21,{41 if k else 43},80\n" for k in range(5))
    )
    given = ("--kind", "force", "--columns", "Paikka=location", "--inertia", "plus", "--out", "f.csv")
    said = []
    monkeypatch.setattr("warnings.warn", lambda words, *_, **__: said.append(words))
    answer = panhead("line", "measured", "run.csv", *given)
    assert "fint = f_1_1 + f_1_2 is off by up to 2 N in 1 of 5 rows" in said[0]
    assert answer.returncode == 0, answer.stderr
    assert "missing" in answer.stdout
    assert "mean 80 N" in answer.stdout
    assert (tmp_path / "f.csv").read_text(encoding="utf-8-sig").splitlines()[1] == "1000.000,80.000"
    assert panhead("line", "measured", "run.csv", "--kind", "sound").returncode == 2


@pytest.mark.parametrize(
    ("limits", "said"), [("no-trv", "none beyond maintenance"), ("en50367-2012", "no survey limits")]
)
def test_a_fit_tells_what_is_beyond_survey_limits(panhead, tmp_path, limits, said):
    panhead("new", "line", "mine", "--design", "S25", "--spans", "60 m x 3", "--yes")
    line = read_line(tmp_path / "mine.toml")
    survey = survey_of(line, step=1.0)
    columns = [TableColumn(name, "m") for name in ("chainage", "height", "stagger")]
    rows = [list(row) for row in zip(survey.x, survey.height, survey.stagger, strict=True)]
    (tmp_path / "survey.csv").write_text(csv_text(DeskTable("survey", columns, rows)))
    answer = panhead("line", "fit", "survey.csv", "--line", "mine.toml", "--limits", limits)
    assert answer.returncode == 0, answer.stderr
    assert said in " ".join(answer.stdout.split())
