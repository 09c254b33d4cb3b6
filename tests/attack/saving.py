"""Two processes that save the same file of a project again and again, as two workbenches do."""

import subprocess
import sys
from pathlib import Path
from subprocess import PIPE

_SAVING = """
import sys
from pathlib import Path
from panhead.app.workbench.project import Conflict, Project

project, who = Project(Path(sys.argv[1])), sys.argv[2]
sys.stdin.read()
for k in range(int(sys.argv[3])):
    found = project.read("mine.toml")
    try:
        project.write("mine.toml", found.raw | {"name": f"{found.raw['name']} {who}{k}"}, found.mark)
        print(f"{who}{k}")
    except Conflict:
        pass
"""


def save_twice(folder: Path, count: int) -> tuple[list[str], list[str]]:
    """Saves that were accepted of two processes with ``count`` each, and what went wrong; each adds a word."""
    command = [sys.executable, "-c", _SAVING, str(folder)]
    pair = [
        subprocess.Popen([*command, who, str(count)], stdin=PIPE, stdout=PIPE, stderr=PIPE, text=True)
        for who in ("one", "two")
    ]
    for one in pair:
        assert one.stdin is not None
        one.stdin.close()  # both are ready
        one.stdin = None
    said = [one.communicate() for one in pair]
    return "".join(words for words, _ in said).split(), [errors for _, errors in said if errors]


def lost_saves(folder: Path, count: int) -> tuple[int, list[str]]:
    """Saves tried, and those that were accepted and are not in the file; strays are told too."""
    from panhead.app.workbench.project import Project

    accepted, failed = save_twice(folder, count)
    kept = set(str(Project(folder).read("mine.toml").raw["name"]).split())
    failed += [f"save {name} was accepted and is lost" for name in accepted if name not in kept]
    failed += [f"left behind: {path.name}" for path in folder.iterdir() if path.name != "mine.toml"]
    return 2 * count, failed
