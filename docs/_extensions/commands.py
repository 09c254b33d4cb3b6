"""Commands on a page: the line ``<!-- commands -->`` becomes what ``panhead COMMAND --help`` says of every command."""

import re

import typer

MARK = "<!-- commands -->\n"


def _text(words):
    plain = re.sub(r"([|*<\[$])", r"\\\1", " ".join((words or "").split()))
    return re.sub(r"(--[a-z][a-z-]*)", r"`\1`", plain)  # else two hyphens become a dash


def _walk(command, words):
    inner = getattr(command, "commands", None)
    if inner:
        for name, one in inner.items():
            yield from _walk(one, [*words, name])
    else:
        yield " ".join(words), command


def listing():
    """One section for each command: its sentence, its arguments and options."""
    from panhead.app.cli import app

    parts = []
    for name, command in _walk(typer.main.get_command(app), ["panhead"]):
        parts += [f"## {name}", "", _text(command.help), ""]
        rows = [(param, _text(getattr(param, "help", None))) for param in command.params]
        shown = [(param, words) for param, words in rows if words]
        if shown:
            parts += ["| argument or option | meaning |", "|---|---|"]
            for param, words in shown:
                option = param.opts[0].startswith("-")
                label = ", ".join((*param.opts, *param.secondary_opts)) if option else param.opts[0].upper()
                parts.append(f"| `{label}` | {words} |")
            parts.append("")
    return "\n".join(parts)


def fill(app, docname, source):
    """Write the commands where a page asks for them."""
    if MARK in source[0]:
        source[0] = source[0].replace(MARK, listing())


def setup(app):
    app.connect("source-read", fill)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
