"""Every option of every command is typed by a test: the command tree against the words of the tests.

An option counts as typed where one test module has the command's words in a row and the option among its words.
"""

import ast
from functools import cache
from pathlib import Path

import pytest
import typer

from panhead.app.cli import app

TESTS = Path(__file__).resolve().parents[2]

#: option → why no test types it
LISTED = {
    "run --no-resume": "what happens without the option, for those who want to say so",
    "view --browser": "what happens without the option: it opens a browser on the desk; --no-browser is typed",
    "workbench --browser": "what happens without the option: it opens a browser on the desk; --no-browser is typed",
}


def commands(command, words=()):
    """Words and parameters of every command."""
    if not hasattr(command, "commands"):
        yield words, command.params
        return
    for name, inner in command.commands.items():
        yield from commands(inner, (*words, name))


def options():
    """(words of the command, option) of everything that can be typed."""
    for words, parameters in commands(typer.main.get_command(app)):
        for parameter in parameters:
            names = [*parameter.opts, *parameter.secondary_opts]
            yield from ((words, name) for name in names if name.startswith("--"))


def said(node):
    """The words of one text, of a folder or number an empty one."""
    return node.value.split() if isinstance(node, ast.Constant) and isinstance(node.value, str) else [""]


@cache
def typed(path):
    """What a test module says in one call, list or tuple, word after word; and all its words."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    rows = []
    for node in ast.walk(tree):
        parts = node.args if isinstance(node, ast.Call) else getattr(node, "elts", None)
        if parts:
            rows.append([word for part in parts for word in said(part)])
    every = {word for node in ast.walk(tree) for word in said(node)}
    return rows, every


def types(path, words, option):
    rows, every = typed(path)
    count = len(words)
    return option in every and any(tuple(row[k : k + count]) == words for row in rows for k in range(len(row)))


@pytest.mark.parametrize(("words", "option"), list(options()), ids=lambda x: x if isinstance(x, str) else " ".join(x))
def test_an_option_is_typed_by_a_test(words, option):
    name = f"{' '.join(words)} {option}"
    found = any(types(path, words, option) for path in TESTS.rglob("*.py") if path != Path(__file__))
    assert found != (name in LISTED), "no test types it" if not found else "it is typed: take it out of the list"


def test_every_command_is_typed_by_a_test():
    for words, _ in commands(typer.main.get_command(app)):
        paths = (path for path in TESTS.rglob("*.py") if path != Path(__file__))
        assert any(types(path, words, words[0]) for path in paths), words
