"""From a drawing office's tables to a checked line: masts and droppers as CSV, findings with place and remedy.

Five spans in a curve, written as a spreadsheet would: a row of units, decimal commas, millimetres here and metres
there. The line is checked as drawn, a mast is corrected where the check says so, and the dropper schedule is made.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

from panhead.desk.sheets.from_tables import line_from_tables
from panhead.desk.sheets.line_check import check_line
from panhead.desk.sheets.schedules import line_tables
from panhead.railway.line import read_line

#: Shortest dropper to cut [m].
EXPECTED = (0.55, 0.75)

MASTS = """mast;chainage;contact height;stagger;encumbrance;curve radius;cant
;m;m;mm;m;m;mm
A1;4200,0;5,08;-150;1,2;2500;60
A2;4255,0;5,08;-250;1,2;2500;60
A3;4310,0;5,20;-250;1,2;2500;60
A4;4365,0;5,08;-250;1,2;2500;60
A5;4420,0;5,08;-250;1,2;2500;60
A6;4475,0;5,08;-150;1,2;2500;60
"""
DROPPERS = "span;position\n;m\n" + "".join(f"{k};{x}\n" for k in range(1, 6) for x in (5, 14, 23, 32, 41, 50))


def line_of(masts: str, folder: Path):
    """Wires, droppers and supports are those of the EN 50318 line, everything else stands in the tables."""
    (folder / "masts.csv").write_text(masts)
    (folder / "droppers.csv").write_text(DROPPERS)
    return line_from_tables(folder / "masts.csv", folder / "droppers.csv", base=read_line("en50318-2002"))


def main() -> float:
    """Print what is wrong, correct it, print the schedule; the shortest dropper."""
    with TemporaryDirectory() as folder:
        for masts in (MASTS, MASTS.replace("5,20", "5,08")):
            line = line_of(masts, Path(folder))
            found = check_line(line, speed=160 / 3.6, wind=20.0, working_width=0.8)
            for finding in (f for f in found.findings if f.level == "wrong"):
                print(f"{finding.place}: {finding.words}; {finding.remedy}")
            print(f"{line.name}: {'something is wrong' if found.wrong else 'in order'}")
    droppers = line_tables(line)[0]
    lengths = [row[6] for row in droppers.rows]
    print(f"{len(lengths)} droppers of {min(lengths):.3f} to {max(lengths):.3f} m")
    return float(min(lengths))


if __name__ == "__main__":
    print(f"shortest dropper {main():.3f} m")
