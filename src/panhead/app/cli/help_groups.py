"""Help of the command line: commands in groups, each with its whole first sentence."""

from __future__ import annotations

from typing import Any, Final

from typer.core import TyperGroup

START: Final = "Start"
LINE: Final = "Line"
RUN: Final = "Run"
RESULTS: Final = "Results"
FAMILIES: Final = "Families of runs"
TOOLS: Final = "Tools"
_ORDER: Final = (START, LINE, RUN, RESULTS, FAMILIES, TOOLS)


class GroupedCommands(TyperGroup):
    """A group of commands whose help lists them by ``rich_help_panel`` and cuts nothing off."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write one section for each group of commands; without groups, one section."""
        sections: dict[str, list[tuple[str, str]]] = {}
        for name in self.list_commands(ctx):
            command: Any = self.get_command(ctx, name)
            if command is not None and not command.hidden:
                title = getattr(command, "rich_help_panel", None)
                sections.setdefault(title if isinstance(title, str) else "", []).append((name, first_sentence(command)))
        if list(sections) == [""]:
            sections = {"Commands": sections[""]}
        elif "" in sections:
            sections.setdefault(TOOLS, []).extend(sections.pop(""))
        widest = max((len(name) for rows in sections.values() for name, _ in rows), default=0)
        for title in sorted(sections, key=lambda name: _ORDER.index(name) if name in _ORDER else len(_ORDER)):
            with formatter.section(title):
                formatter.write_dl([(name.ljust(widest), words) for name, words in sections[title]])


def first_sentence(command: Any) -> str:
    """First sentence of a command's help, without its stop."""
    paragraph = " ".join((command.help or "").strip().split("\n\n")[0].split())
    return paragraph.split(". ")[0].rstrip(".")
