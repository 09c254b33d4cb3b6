"""Cards of NASTRAN bulk data and punch files: nodes (GRID) and matrices (DMIG), in small, large and free fields."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import final

from panhead.errors import FileError

Freedom = tuple[int, int]  #: number of a node or scalar point, and its component: 1 … 6, or 0 of a scalar point
_EXPONENT = re.compile(r"(?<=[\d.])([+-]\d+)$")  # 1.5-3 is 1.5E-3


@final
@dataclass(slots=True)
class NastranMatrix:
    """One DMIG matrix as it stands in the file."""

    symmetric: bool
    entries: dict[tuple[Freedom, Freedom], float] = field(default_factory=dict)  #: by row and column


@final
@dataclass(slots=True)
class NastranDeck:
    """What matters of a bulk data or punch file."""

    grids: dict[int, tuple[float, float, float]] = field(default_factory=dict)  #: basic coordinates [m]
    matrices: dict[str, NastranMatrix] = field(default_factory=dict)


def read_cards(*paths: str | Path) -> NastranDeck:
    """Nodes and real DMIG matrices of text files; other cards are skipped. FileError with the line of a bad one."""
    deck = NastranDeck()
    for path in map(Path, paths):
        if path.suffix.lower() in (".op2", ".op4"):
            raise FileError(
                path, "binary NASTRAN output is not read; write the matrices as punch: EXTSEOUT(…, DMIGPCH) = ALL"
            )
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except (OSError, ValueError) as error:
            raise FileError(path, f"cannot be read as NASTRAN text: {error}") from None
        for number, name, fields in _cards(lines):
            try:
                _take(deck, name, fields)
            except (ValueError, IndexError) as error:
                raise FileError(path, f"line {number}, {name}: {error}") from None
    return deck


def _cards(lines: Iterable[str]) -> Iterator[tuple[int, str, list[str]]]:
    """Line number, name and data fields of every GRID and DMIG, continuations joined."""
    open_card: tuple[int, str, list[str]] | None = None
    for number, line in enumerate(lines, 1):
        text = line.split("$", 1)[0].rstrip()
        if not text:
            continue
        name, fields = _fields(text)
        if name in ("", "+", "*") or name[0] in "+*":
            if open_card is not None:
                open_card[2].extend(fields)
            continue
        if open_card is not None:
            yield open_card
        kind = name.rstrip("*").upper()
        open_card = (number, kind, fields) if kind in ("GRID", "DMIG") else None
    if open_card is not None:
        yield open_card


def _fields(text: str) -> tuple[str, list[str]]:
    """Name of a line and its data fields: eight of 8 or four of 16 characters, or between commas."""
    if "," in text:
        name, *rest = (part.strip() for part in text.split(","))
        count = 4 if name.endswith("*") or name.startswith("*") else 8
        return name, (rest + [""] * count)[:count]
    text = text.expandtabs(8)
    name = text[:8].strip()
    width = 16 if name.endswith("*") or name.startswith("*") else 8
    padded = text.ljust(72)
    return name, [padded[k : k + width].strip() for k in range(8, 72, width)]


def _take(deck: NastranDeck, name: str, fields: list[str]) -> None:
    if name == "GRID":
        if fields[1] not in ("", "0") or (len(fields) > 5 and fields[5] not in ("", "0")):
            raise ValueError(f"node {fields[0]} uses coordinate system {fields[1] or fields[5]}; export in basic axes")
        deck.grids[int(fields[0])] = (_real(fields[2]), _real(fields[3]), _real(fields[4]))
        return
    title = fields[0].upper()
    if fields[1] == "0":
        _begin(deck, title, fields)
    elif title not in deck.matrices:
        raise ValueError(f"column of matrix {title} before its header")
    else:
        column = (int(fields[1]), int(fields[2] or 0))
        for k in range(4, len(fields) - 2, 4):
            if fields[k]:
                row = (int(fields[k]), int(fields[k + 1] or 0))
                deck.matrices[title].entries[row, column] = _real(fields[k + 2])


def _begin(deck: NastranDeck, title: str, fields: list[str]) -> None:
    form, kind = int(fields[2]), int(fields[3])
    if form not in (1, 6):
        raise ValueError(f"matrix {title} has form {form}; known: 1 (square), 6 (symmetric)")
    if kind not in (1, 2):
        raise ValueError(f"matrix {title} is complex (type {kind}); stiffness and mass must be real")
    deck.matrices[title] = NastranMatrix(symmetric=form == 6)


def _real(text: str) -> float:
    if not text:
        return 0.0
    word = text.upper().replace("D", "E")
    return float(word if "E" in word else _EXPONENT.sub(r"E\1", word))
