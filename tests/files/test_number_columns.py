"""Long tables of numbers: the quick way reads what the careful one reads, and leaves to it what is not plain."""

import numpy as np
import pytest

from panhead.errors import FileError
from panhead.files import number_columns
from panhead.files.number_columns import read_numbers
from panhead.files.sheet_rows import ColumnWanted
from panhead.files.tables import read_rows

WANTED = (
    ColumnWanted("chainage", "m", others=("x", "km"), required=True, stations=True),
    ColumnWanted("height", "m", required=True, foreign=("hoehe",)),
    ColumnWanted("stagger", "m"),
)
PLAIN = {
    "points": b"chainage,height,stagger\n12000.25,5.0801,-0.2\n12000.5,5.079,1e-3\n",
    "office": b"\xef\xbb\xbfkm;hoehe [mm];stagger [cm]\r\n12,00025;5080,1;-20\r\n12,0005;5079;0,1\r\n",
    "tabs": b"stagger\tx\theight\n-0.2\t12000.25\t5.0801\n+0.001\t12000.5\t5.079\n",
    "no stagger": b"x [km],height [mm]\n12.00025,5080.1\n12.0005,5079\n\n",
}
OTHERS = {
    "empty cell": b"chainage,height,stagger\n12000.25,5.0801,\n12000.5,5.079,0.1\n",
    "row of units": b"chainage,height,stagger\nm,mm,mm\n12000.25,5080.1,-200\n",
    "stations": b"chainage,height\n12+000.25,5.0801\n12+000.5,5.079\n",
    "unit in a cell": b"chainage,height\n12000.25,5080.1 mm\n",
    "comment": b"chainage,height\n# by hand\n12000.25,5.0801\n",
    "text beside": b"chainage,height,track\n12000.25,5.0801,east\n",
}
WRONG = {
    "thousands": b'chainage\theight\n12,000\t"5,080"\n',
    "both marks": b"chainage;height\n12000,25;5.08\n",
    "unknown numbers": b"chainage,height,left\n12000.25,5.0801,0.2\n",
    "no height": b"chainage,stagger\n12000.25,0.2\n",
    "more cells than names": b"chainage,height\n12000.25,5.0801,0.2\n",
    "word": b"chainage,height\n12000.25,low\n",
}


def careful(path):
    """The same by ``read_rows``."""
    table = read_rows(path, "survey", WANTED)
    table.raise_errors()
    rows = table.rows
    return {c.name: np.array([np.nan if row[c.name] is None else row[c.name] for _, row in rows]) for c in WANTED}


def written(folder, content):
    path = folder / "survey.csv"
    path.write_bytes(content)
    return path


@pytest.mark.filterwarnings("ignore::panhead.errors.RunWarning")  # a column that is not used
@pytest.mark.parametrize("kind", [*PLAIN, *OTHERS])
def test_numbers_are_those_of_the_careful_way(tmp_path, kind):
    path = written(tmp_path, (PLAIN | OTHERS)[kind])
    found, wanted = read_numbers(path, "survey", WANTED, {}), careful(path)
    for name in wanted:
        # a unit is a factor here and an exact fraction there: one rounding of 1.1e-16 more
        np.testing.assert_allclose(found[name], wanted[name], rtol=3e-16, atol=0.0)


@pytest.mark.parametrize("kind", PLAIN)
def test_plain_files_go_the_quick_way(tmp_path, monkeypatch, kind):
    monkeypatch.setattr(number_columns, "read_rows", None)
    assert read_numbers(written(tmp_path, PLAIN[kind]), "survey", WANTED, {})["height"].size == 2


@pytest.mark.parametrize("kind", WRONG)
def test_what_the_careful_way_refuses_is_refused(tmp_path, kind):
    path = written(tmp_path, WRONG[kind])
    with pytest.raises(FileError) as wanted:
        careful(path)
    with pytest.raises(FileError) as found:
        read_numbers(path, "survey", WANTED, {})
    assert str(found.value) == str(wanted.value)
