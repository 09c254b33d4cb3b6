"""Help in groups with nothing cut off; a file in the wrong place is answered with the command that takes it."""

import pytest
import typer

from panhead.app.cli import app
from panhead.app.cli.help_groups import first_sentence
from panhead.desk.evidence.instrument import read_measurement
from panhead.errors import FileError
from panhead.files.file_kinds import kind_of
from panhead.files.library import shipped
from panhead.files.parse import read_toml

GROUPS = ("Start:", "Line:", "Run:", "Results:", "Families of runs:", "Tools:")


def groups(command, words=()):
    if hasattr(command, "commands"):
        yield words, command
        for name, inner in command.commands.items():
            yield from groups(inner, (*words, name))


EVERY = list(groups(typer.main.get_command(app)))


@pytest.mark.parametrize(("words", "group"), EVERY, ids=[" ".join(words) or "panhead" for words, _ in EVERY])
def test_help_tells_every_command_in_full(panhead, monkeypatch, words, group):
    """At 80 columns, as in a plain terminal: no line is longer, no sentence ends in three points."""
    monkeypatch.setenv("COLUMNS", "80")
    text = panhead(*words, "--help").stdout
    assert max(map(len, text.splitlines())) <= 80
    assert "..." not in text.split("Options:")[1]
    told = "".join(text.split())  # a hyphen may end a line
    for name, command in group.commands.items():
        assert f"\n  {name} " in text
        assert "".join(first_sentence(command).split()) in told
    if not words:
        places = [text.index(f"\n{title}\n") for title in GROUPS]
        assert places == sorted(places)


def test_list_of_one_kind(panhead):
    told = panhead("list", "--kind", "pantograph").stdout
    assert "dsa380" in told
    assert "stitched-25kv" not in told
    assert "en50318-300" not in told
    assert panhead("list", "--kind", "lines").stdout.count("stitched-25kv") == 1
    assert "did you mean 'line'" in panhead("list", "--kind", "lime").stderr


@pytest.mark.parametrize("folder", ["lines", "pantographs", "vehicles", "studies", "designs"])
def test_shipped_files_are_known_by_their_keys(folder):
    """A file without a key `kind` is told by keys that no other kind has."""
    kinds = {"lines": {"line"}, "pantographs": {"pantograph"}, "vehicles": {"vehicle"}}
    for path in shipped(folder).values():
        raw = read_toml(path)
        raw.pop("kind", None)
        assert kind_of(raw) in kinds.get(folder, {folder.replace("ies", "ys").removesuffix("s")}), path.name


def test_a_file_in_the_wrong_place_is_answered_with_its_command(panhead, tmp_path):
    assert panhead("new", "line", "mine", "--yes").returncode == 0
    assert panhead("new", "pantograph", "head", "--yes").returncode == 0
    (tmp_path / "masts.csv").write_text("mast,chainage\nA,0\nB,60\n")
    say = lambda *words: " ".join(panhead(*words).stderr.split())
    assert "this is a line, not a run; `panhead new run NAME --line mine.toml`" in say("run", "mine.toml")
    assert "this is a line, not a study" in say("study", "mine.toml")
    assert "this is a line, not a design" in say("design", "mine.toml")
    assert "`panhead new run NAME --pantograph head.toml`" in say("run", "head.toml")
    assert "this is a pantograph, not a line" in say("line", "check", "head.toml")
    assert "`panhead line import masts.csv" in say("line", "draw", "masts.csv")
    assert "`panhead line import masts.csv" in say("run", "masts.csv")
    (tmp_path / "run.toml").write_text('line = "mine.toml"\nspeed = 50\ntrain = []\n')
    assert 'write kind = "run" at its top' in say("run", "run.toml")


def test_a_measurement_may_say_its_kind(tmp_path):
    """The command's help names it: FILE.toml with kind = "measurement"; another kind is refused."""
    (tmp_path / "f.csv").write_text("place,force\nm,N\n0,100\n1,101\n")
    path = tmp_path / "m.toml"
    path.write_text('kind = "measurement"\nname = "a"\nspeed = "50 m/s"\nforce = "f.csv"\n')
    assert read_measurement(path).name == "a"
    path.write_text(path.read_text().replace('"measurement"', '"run"'))
    with pytest.raises(FileError, match="this is a run, not a measurement"):
        read_measurement(path)
