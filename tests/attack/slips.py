"""What people do to tables: each function damages a drawn one, by the hand of a generator of random numbers."""

import datetime
import random
from collections.abc import Callable
from pathlib import Path

from .tables import Drawn, cell_name, drawn, number, outcome, shown

Slip = Callable[[Drawn, random.Random], None]
NUMBERS = ("chainage", "stagger", "contact_height", "encumbrance")


def nothing(made: Drawn, rng: random.Random) -> None:
    """A table as it should be."""


def units_left_out(made: Drawn, rng: random.Random) -> None:
    made.units = False


def another_unit(made: Drawn, rng: random.Random) -> None:
    """Numbers stay, the unit above them does not."""
    name = rng.choice(NUMBERS)
    others = {"m": ("mm", "km"), "mm": ("m",), "cm": ("km",), "km": ("m",)}[made.scale[name]]
    rows = [shown(made, name, k) for k in range(len(made.names))]
    made.scale[name] = rng.choice(others)
    made.cells |= {(k, name): text for k, text in enumerate(rows)}


def kilometres(made: Drawn, rng: random.Random) -> None:
    """A column called km, or chainages in kilometres, without another word."""
    made.scale["chainage"] = rng.choice(("km", "m"))
    made.heads["chainage"] = rng.choice(("km", "Km", "chainage"))
    made.units = False
    for name in NUMBERS[1:]:
        made.scale[name] = "m"


def other_marks(made: Drawn, rng: random.Random) -> None:
    """Decimal commas between commas, or quoted; one column with the other mark."""
    made.kind = "csv"
    if rng.random() < 0.5:
        made.cut, made.mark, made.quoted = ",", ",", rng.random() < 0.5
        return
    name = rng.choice(NUMBERS)
    for k in range(len(made.names)):
        text = str(shown(made, name, k))
        made.cells[k, name] = text.replace(",", "#").replace(".", ",").replace("#", ".")


def thousands(made: Drawn, rng: random.Random) -> None:
    """1,200 and 1.200,5 and 1 200 and 1'200."""
    sign, mark = rng.choice(((",", "."), (".", ","), (" ", made.mark), ("'", made.mark), ("\u00a0", ",")))
    made.scale["chainage"] = "m"
    for k in range(len(made.names)):
        text = f"{number(made, 'chainage', k):,.1f}" if rng.random() < 0.5 else f"{number(made, 'chainage', k):,.0f}"
        made.cells[k, "chainage"] = text.replace(",", "#").replace(".", mark).replace("#", sign)
        made.columns["chainage"][k] = round(made.columns["chainage"][k], 0 if "." not in text else 1)


def merged(made: Drawn, rng: random.Random) -> None:
    made.kind, name = "xlsx", rng.choice([*NUMBERS, "mast"])
    first = rng.randrange(len(made.names) - 1)
    last = rng.randrange(first + 1, len(made.names))
    ends = cell_name(made, name, first), cell_name(made, name, last)
    made.sheet.append(lambda sheet: sheet.merge_cells(":".join(ends)))


def formula(made: Drawn, rng: random.Random) -> None:
    """One that was never calculated, or one with its value beside it."""
    made.kind, name, k = "xlsx", rng.choice(NUMBERS), rng.randrange(len(made.names))
    place = cell_name(made, name, k)
    if rng.random() < 0.5:
        made.sheet.append(lambda sheet: sheet.__setitem__(place, f"={place[0]}2*1"))
        return
    made.xml.append(lambda text: text.replace(f'<c r="{place}" t="n"><v>', f'<c r="{place}"><f>1*1</f><v>'))


def exchanged(made: Drawn, rng: random.Random) -> None:
    """Two columns of numbers under one another's names."""
    one, other = rng.sample(NUMBERS, 2)
    for k in range(len(made.names)):
        made.cells[k, one], made.cells[k, other] = shown(made, other, k), shown(made, one, k)


def moved(made: Drawn, rng: random.Random) -> None:
    """Columns in another order with their names: nothing is wrong."""
    rng.shuffle(made.order)


def reversed_rows(made: Drawn, rng: random.Random) -> None:
    for name in (*NUMBERS, "mast"):
        values = [shown(made, name, k) for k in range(len(made.names))]
        made.cells |= {(k, name): text for k, text in enumerate(values[::-1])}


def encodings(made: Drawn, rng: random.Random) -> None:
    made.kind, made.encoding = "csv", rng.choice(("latin-1", "utf-16", "utf-16-le", "utf-8-sig", "utf-8"))
    made.names[0] = "Süd"


def other_names(made: Drawn, rng: random.Random) -> None:
    name = rng.choice(NUMBERS)
    foreign = {"stagger": "Seitenlage", "contact_height": "Fahrdrahthöhe", "encumbrance": "Systemhöhe"}
    slip = rng.choice((name[:-1], name.replace("a", "aa", 1), f"{name} 2", foreign.get(name, "Station"), ""))
    made.heads[name] = slip


def number_signs(made: Drawn, rng: random.Random) -> None:
    """Masts called # 2, all of them or one."""
    made.order.remove("mast")
    made.order.insert(0, "mast")
    for k in range(len(made.names)) if rng.random() < 0.5 else [rng.randrange(len(made.names))]:
        made.names[k] = f"# {k}"


def gap(made: Drawn, rng: random.Random) -> None:
    made.cells[rng.randrange(len(made.names)), rng.choice(NUMBERS)] = ""


def one_row_down(made: Drawn, rng: random.Random) -> None:
    """A cell was inserted above a column."""
    name = rng.choice(NUMBERS)
    values = ["", *(shown(made, name, k) for k in range(len(made.names)))]
    made.cells |= {(k, name): values[k] for k in range(len(made.names))}
    made.last.append([values[-1] if head == name else "" for head in made.order])


def twice(made: Drawn, rng: random.Random) -> None:
    made.last.append([shown(made, name, len(made.names) - 1) for name in made.order])


def total(made: Drawn, rng: random.Random) -> None:
    """A row of sums below the table."""
    sums = {name: sum(number(made, name, k) for k in range(len(made.names))) for name in NUMBERS}
    sums = sums if made.kind == "xlsx" else {n: f"{x:.3f}".replace(".", made.mark) for n, x in sums.items()}
    made.last.append(["total" if name == "mast" else sums[name] for name in made.order])


def title(made: Drawn, rng: random.Random) -> None:
    made.first.append(["Masts of km 12 to 14", *[""] * (len(made.order) - 1)])


def hidden(made: Drawn, rng: random.Random) -> None:
    made.kind = "xlsx"
    row = int(cell_name(made, "mast", 1)[1:])
    made.sheet.append(lambda sheet: setattr(sheet.row_dimensions[row], "hidden", True))


def date(made: Drawn, rng: random.Random) -> None:
    made.kind = "xlsx"
    made.cells[rng.randrange(len(made.names)), rng.choice([*NUMBERS, "mast"])] = datetime.date(2026, 8, 5)


def texts(made: Drawn, rng: random.Random) -> None:
    """Numbers as text in Excel, with spaces, another minus, a unit of their own: all of that can be read."""
    name, way = rng.choice(NUMBERS), rng.randrange(3)
    for k in range(len(made.names)):
        text = f"{number(made, name, k):.7f}".rstrip("0").rstrip(".")
        text = text if made.kind == "xlsx" else text.replace(".", made.mark)
        text = (f" {text}\u00a0", text.replace("-", "−"), f"{text} {made.scale[name]}")[way]
        made.cells[k, name] = text


def droppers_in_another_unit(made: Drawn, rng: random.Random) -> None:
    factor = rng.choice((1e-3, 1e3))
    made.hung_unit = rng.choice(("m", ""))
    made.hung = lambda row: (row[0], factor * row[1])


def droppers_of_other_spans(made: Drawn, rng: random.Random) -> None:
    """Spans counted from 0, droppers of one span lost, or placed along the line instead of along the span."""
    lost, way = rng.randint(1, len(made.names) - 1), rng.randrange(3)
    along = [x - made.columns["chainage"][0] for x in made.columns["chainage"]]
    made.hung = (
        lambda row: (row[0] - 1, row[1]),
        lambda row: (-1 if row[0] == lost else row[0], row[1]),
        lambda row: (row[0], row[1] + along[row[0] - 1]),
    )[way]


SLIPS: tuple[Slip, ...] = (
    *(nothing, units_left_out, another_unit, kilometres, other_marks, thousands, merged, formula, exchanged, moved),
    *(reversed_rows, encodings, other_names, number_signs, gap, one_row_down, twice, total, title, hidden, date, texts),
    *(droppers_in_another_unit, droppers_of_other_spans),
)


HARMLESS = ("nothing", "moved", "texts")  # slips after which the table still says what it said
ANSWERS = ("same", "refused", "doubted")


def failure(seed: int, folder: Path) -> str:
    """What is wrong with the answer to the table of this number; empty: nothing."""
    made, name = slipped(seed)
    try:
        said = outcome(made, folder)
    except Exception as error:  # noqa: BLE001 what is looked for
        said = f"{type(error).__name__}: {error}"
    right = said == "same" if name in HARMLESS else said in ANSWERS
    return "" if right else f"table {seed}, {name}: {said}"


def slipped(seed: int) -> tuple[Drawn, str]:
    """The table of this number, and what was done to it."""
    rng = random.Random(seed)
    made, slip = drawn(rng), SLIPS[seed % len(SLIPS)]
    slip(made, rng)
    return made, slip.__name__
