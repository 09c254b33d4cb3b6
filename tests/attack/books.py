"""Excel workbooks as a broken disk, another program or malice leaves them: read, or refused in our words."""

import functools
import io
import random
import re
import zipfile
from pathlib import Path

import openpyxl

from panhead.desk.sheets.from_tables import line_from_tables
from panhead.railway.line import read_line

HEADS = ("mast", "chainage [m]", "stagger", "contact_height", "remark")
SIZES = (
    *("-1", "0", "1.5", "", "x", "9" * 5000, "1e999", "nan", "²", "A1", "XFD1048576", "A0", "ZZZZ9", "A1:XFD1048576"),
    *("&#0;", "&x;", "𝟙", "true", "n", "s", "str", "inlineStr", "b", "e", "d", "../../etc/passwd", "/", "a" * 40_000),
)


@functools.cache
def sound() -> bytes:
    """A workbook with a date, a percentage, a formula, merged cells and three sheets."""
    book = openpyxl.Workbook()
    masts = book.active
    masts.title = "masts"
    for row in (HEADS, (None, None, "m", "m", None)):
        masts.append(row)
    for k in range(4):
        masts.append([f"M{k}", 60.0 * k, 0.2 * (-1) ** k, 5.3, f"note {k}"])
    masts.merge_cells("E3:E4")
    masts["E5"] = "=1+1"
    masts["E6"].number_format = "0.0%"
    droppers = book.create_sheet("droppers")
    for row in (["span", "position [m]"], *([k + 1, 30.0] for k in range(3))):
        droppers.append(row)
    book.create_sheet("empty")
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def parts_of(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def packed(parts: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return out.getvalue()


def wrong_book(rng: random.Random) -> bytes:
    """A workbook with bytes, parts, elements or values exchanged."""
    way = rng.randrange(10)
    if way < 2:
        return _struck(sound(), rng)
    parts = parts_of(sound())
    name = rng.choice([*parts, *(n for n in parts if "sheet" in n.lower()), "xl/worksheets/sheet1.xml"])
    if way == 2:
        del parts[name]
    elif way == 3:
        parts[name] = parts[rng.choice(list(parts))]
    elif way == 4:
        parts[name] = _struck(parts[name], rng)
    elif way == 5:
        parts[name] = rng.choice((b"", b"<x/>", b"\xff\xfe", b"<a>" * 5000, parts[name] * 2, b"x" * 100_000))
    elif way == 6:
        head = b'<!DOCTYPE x [<!ENTITY x "' + b"y" * 1000 + b'">]>'
        parts[name] = re.sub(rb"^(<\?xml[^>]*\?>)?", lambda m: m[0] + head, parts[name], count=1)
    elif way == 7:
        tags = re.findall(rb"<[^>]+>", parts[name]) or [b"<x>"]
        parts[name] = parts[name].replace(rng.choice(tags), rng.choice((b"", *tags)), rng.choice((1, -1)))
    else:
        parts[name] = _value_changed(parts[name], rng)
    return packed(parts, rng.choice((zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED)))


def _value_changed(text: bytes, rng: random.Random) -> bytes:
    """One to three attributes or texts of an XML part, made wrong."""
    for _ in range(rng.choice((1, 1, 3))):
        found = [m.span(1) for m in re.finditer(rb'="([^"]*)"', text)] + [
            m.span(1) for m in re.finditer(rb">([^<>]+)<", text)
        ]
        if not found:
            return text
        low, high = rng.choice(found)
        text = text[:low] + rng.choice(SIZES).encode() + text[high:]
    return text


def _struck(content: bytes, rng: random.Random) -> bytes:
    if rng.random() < 0.3:
        return content[: rng.randrange(len(content))]
    changed = bytearray(content)
    for _ in range(rng.choice((1, 1, 10, 100))):
        changed[rng.randrange(len(changed))] = rng.randrange(256)
    return bytes(changed)


def read_book(content: bytes, folder: Path) -> None:
    path = folder / "wrong.xlsx"
    path.write_bytes(content)
    line_from_tables(path, base=base())


@functools.cache
def base():
    return read_line("en50318-2002")
