"""The project's folder, beyond which nothing is read or written."""

import os
import shutil

import pytest
from attack.saving import lost_saves

from panhead.app.workbench.project import Conflict, Project, kind_of, shipped
from panhead.errors import FileError
from panhead.files import library, parse
from panhead.railway.line.line_description import Line
from panhead.railway.line.line_files import read_line


@pytest.fixture
def project(tmp_path):
    inside = tmp_path / "project"
    inside.mkdir()
    (tmp_path / "secret.toml").write_text('name = "secret"\n')
    shutil.copy(library.shipped("lines")["en50318-2002"], inside / "mine.toml")
    return Project(inside)


TRICKS = [
    "../secret.toml",
    "/etc/passwd.toml",
    "a/../../secret.toml",
    "..\\secret.toml",
    ".hidden.toml",
    "",
    "x",
    "a\0.toml",
    "link.toml",
    "folder/secret.toml",
    "a/b/c/d/e/f/g.toml",
    "x" * 400 + ".toml",
    "./mine.toml",
    "//mine.toml",
    "mine.toml/",
]


@pytest.mark.parametrize("name", TRICKS)
def test_no_name_leads_outside(project, name):
    (project.folder / "link.toml").symlink_to(project.folder.parent / "secret.toml")
    (project.folder / "folder").symlink_to(project.folder.parent)
    raw = project.read("mine.toml").raw
    for act in (
        lambda: project.read(name),
        lambda: project.write(name, raw, None),
        lambda: project.rename("mine.toml", name),
    ):
        with pytest.raises(FileError):
            act()
    assert (project.folder.parent / "secret.toml").read_text() == 'name = "secret"\n'


@pytest.mark.parametrize("line", ["../secret.toml", "/etc/hostname", "folder/secret.toml"])
def test_no_description_names_what_is_outside(project, line):
    (project.folder / "folder").symlink_to(project.folder.parent)
    raw = {"kind": "run", "line": line, "speed": 60.0, "train": [{"pantograph": "en50318-2002"}]}
    with pytest.raises(FileError, match="outside the project"):
        project.write("run.toml", raw, None)
    (project.folder / "other.toml").write_text(f'kind = "run"\nline = "{line}"\n')
    with pytest.raises(FileError, match="outside the project"):  # a file of the project that names one outside
        project.require_inside({"base": "other.toml"})


def test_two_who_save_do_not_overwrite_each_other(project):
    first, second = project.read("mine.toml"), project.read("mine.toml")
    project.write("mine.toml", first.raw | {"presag": "10 mm"}, first.mark)
    with pytest.raises(Conflict, match="changed on the disk"):
        project.write("mine.toml", second.raw | {"presag": "30 mm"}, second.mark)
    assert project.read("mine.toml").raw["presag"] == "10 mm"
    with pytest.raises(Conflict, match="already"):
        project.write("mine.toml", first.raw, None)


def test_an_accepted_save_is_never_lost(project):
    """What two processes on one project were told is saved is in the file. 111 of 180 were lost."""
    assert lost_saves(project.folder, 25)[1] == []


def test_saving_cleans_away_what_a_dead_process_left_and_nothing_else(project):
    old, young, other = (project.folder / f".{name}.part" for name in ("a.toml.4194400", "b.toml.4194400", "fetched"))
    for path in (old, young, other):
        path.touch()
    for path in (old, other):
        os.utime(path, (0, 0))
    found = project.read("mine.toml")
    project.write("mine.toml", found.raw | {"presag": "10 mm"}, found.mark)
    assert [path.exists() for path in (old, young, other)] == [False, True, True]


def test_a_project_in_which_another_saves_is_told(project, monkeypatch):
    from panhead.files.lock import hold_lock

    monkeypatch.setattr("panhead.app.workbench.project._LOCK_TIMEOUT", 0.05)
    found = project.read("mine.toml")
    with (
        hold_lock(project.folder / ".saving.lock"),
        pytest.raises(Conflict, match=r"not saved.*process \d+.*try again"),
    ):
        project.write("mine.toml", found.raw | {"presag": "10 mm"}, found.mark)


def test_what_the_command_line_would_refuse_is_not_saved(project):
    found = project.read("mine.toml")
    with pytest.raises(FileError, match=r"contact_height: .5 kg. is not a quantity in m"):
        project.write("mine.toml", found.raw | {"contact_height": "5 kg"}, found.mark)
    assert project.read("mine.toml") == found


def test_every_shipped_description_has_its_kind(project):
    for one in shipped():
        kind = "line" if one["kind"] == "design" else one["kind"]
        assert kind_of(project.read(one["path"]).raw) == kind, one["path"]


def test_a_design_of_a_real_line_is_a_line_of_its_rules(project):
    """Its name has a slash; the line is that of ``panhead new line --design``, and the copy of it a valid file."""
    path = "shipped:design/CA-220/25kV"
    assert path in {one["path"] for one in shipped()}
    found = parse.build(Line, project.read(path).raw, source=path)
    assert found == read_line("CA-220/25kV")
    assert project.write("copy.toml", project.read(path).raw, None).kind == "line"
    with pytest.raises(FileError, match="is not shipped with Panhead"):
        project.read("shipped:design/none")
