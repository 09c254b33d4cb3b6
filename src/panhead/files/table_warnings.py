"""Checks of imported tables: comments, unknown columns, cells without a value, implausible magnitudes."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence

from panhead.files.sheet_rows import ColumnWanted, SheetRows, TableLine, cell_words, head_parts, is_number
from panhead.files.sheet_xml import Sheet, column_letters


def find_wanted_column(head: str, wanted: Sequence[ColumnWanted], named: Mapping[str, str]) -> ColumnWanted | None:
    """Find the wanted column that a header cell names; None if it is not wanted."""
    known = {name: c for c in wanted for name in c.names}
    name = head_parts(head)[0]
    return known.get(named.get(name, name))


def without_comments(
    found: SheetRows, lines: list[TableLine], wanted: Sequence[ColumnWanted], named: Mapping[str, str]
) -> list[TableLine]:
    """Drop rows that begin with #; refuse one that holds values, because # 2 may be a name in the first column."""
    mark = lambda line: cell_words(line[1][0]).startswith("#")
    head = next((line for line in lines if not mark(line)), None)
    if head is None:
        return []
    first = find_wanted_column(cell_words(head[1][0]), wanted, named)
    below = [line for line in lines if line[0] > head[0]]
    full = lambda line: any(cell_words(c) for c in line[1][1:])
    if first is None or first.kind != "text" or not any(mark(line) and full(line) for line in below):
        return [head, *(line for line in below if not mark(line))]
    below = [line for line in below if full(line) or not mark(line)]
    values = below if below and cell_words(below[0][1][0]) else below[1:]  # the first may hold units
    if not all(map(mark, values)):
        for line in filter(mark, values):
            words = f"begins with # and contains values: is it a comment or the name {cell_words(line[1][0])!r}?"
            remedy = "Clear its other cells, or put an apostrophe before the name"
            found.problems.append(f"row {line[0]}, column A ({first.name}): {words} {remedy}")
        found.raise_errors()
    return [head, *below]


def refuse_unknown_columns(
    found: SheetRows,
    columns: Mapping[int, ColumnWanted],
    head: TableLine,
    rest: Sequence[TableLine],
    named: Mapping[str, str],
    wanted: Sequence[ColumnWanted],
) -> None:
    """Refuse unknown columns that contain numbers, since they may be geometry; drop text columns with a warning."""
    for k, name in enumerate(found.heads):
        if k in columns or name in named:
            continue
        numbers = [n for n, row in rest if k < len(row) and cell_words(row[k]) and is_number(cell_words(row[k]))]
        told = repr(cell_words(head[1][k])) if name else "a column without a name"
        if numbers:
            words = f"{told} is unknown and contains numbers; map it to a column, or to nothing to ignore it: --columns"
            remedy = f'"{cell_words(head[1][k])}=COLUMN" or "{cell_words(head[1][k])}="' if name else "needs a name"
            remedy += f"; columns: {', '.join(c.name for c in wanted if c.name not in found.places)}" if name else ""
            found.problems.append(f"row {numbers[0]}, column {column_letters(k + 1)}: {words} {remedy}")
        elif name or any(k < len(row) and cell_words(row[k]) for _, row in rest):
            found.warn(f"column {name!r} is not used" if name else f"column {column_letters(k + 1)} has no name")


def refuse_untrusted_cells(
    found: SheetRows, cells: Sheet, columns: Mapping[int, ColumnWanted], head: TableLine, rest: Sequence[TableLine]
) -> None:
    """Refuse formulas without values, errors, dates and merged cells in used columns; warn of hidden rows."""
    numbers = [number for number, _ in rest]
    read = {head[0], *numbers}
    for (row, column), words in cells.doubts.items():
        if column - 1 in columns and row in read:
            found.add_error(row, columns[column - 1].name, words)
    for (top, left), (bottom, right) in cells.merged:
        name = f"{column_letters(left)}{top}:{column_letters(right)}{bottom}"
        if top <= head[0] <= bottom and right > left:
            found.problems.append(
                f"row {head[0]}: cells {name} are merged; unmerge them and give every column its own name"
            )
        used = [k for k in columns if left <= k + 1 <= right]
        inside = numbers[bisect_left(numbers, top) : bisect_right(numbers, bottom)]
        if used and inside and (top < bottom or left < right):
            found.add_error(
                inside[0], columns[used[0]].name, f"cells {name} are merged; unmerge them and fill in each cell"
            )
    hidden = sorted(set(cells.hidden) & set(numbers))
    if hidden:
        found.warn(f"{len(hidden)} hidden rows are read too; the first is row {hidden[0]}")


def in_usual_range(value: float, column: ColumnWanted) -> bool:
    """Return whether a number lies within the usual range of its column."""
    low, high = column.usual or (0.0, float("inf"))
    return low <= (value if low > 0.0 else abs(value)) <= high


def warn_of_magnitudes(found: SheetRows, column: ColumnWanted) -> None:
    """Warn of numbers with a unit that are far outside the usual range: the unit may be wrong."""
    values = [(row, cells[column.name]) for row, cells in found.rows if isinstance(cells[column.name], float)]
    odd = [(row, value) for row, value in values if not in_usual_range(value, column)]
    unit = column.unit or "(1)"
    if odd and not found.problems:
        low, high = column.usual or (0.0, 0.0)
        more = f" (and {len(odd) - 1} more)" if len(odd) > 1 else ""
        where = found.place(odd[0][0], column.name)
        found.warn(f"{where}: {odd[0][1]:g} {unit}{more}, where {low:g} … {high:g} is usual; check its unit")
    size = max((abs(value) for _, value in values), default=0.0)
    if 0.0 < size < column.largest:
        where = f"column {found.places[column.name]} ({column.name})"
        found.warn(f"{where}: no number is larger than {size:g} {unit}; check its unit")
