"""Places along a line: metres, chainages and masts are one place, whoever writes it."""

from dataclasses import replace

import numpy as np
import pytest

from panhead.errors import FileError, ModelError
from panhead.files import parse
from panhead.railway.line import Mast
from panhead.railway.line.layout import Layout
from panhead.railway.line.line_places import MastPlaces
from panhead.runs.description import Journey, OnTrain, Run
from panhead.runs.resolve import resolve
from railway.line.builders import plain_line


def numbered_line(spans=8):
    """Masts 12-01, 12-02 …, 60 m apart, from km 12+345."""
    line = replace(plain_line(spans=spans), chainage=12_345.0)
    masts = tuple(Mast(at=k, name=f"12-{k + 1:02d}") for k in range(spans + 1))
    return replace(line, tension_lengths=(replace(line.tension_lengths[0], masts=masts),))


PLACES = MastPlaces.from_layout(Layout(numbered_line()))


@pytest.mark.parametrize(
    "text", [120.0, "120 m", "0.12 km", "km 12+465", "12+465.00", "km 12.465", "mast 12-03", "12-03"]
)
def test_one_place_in_many_words(text):
    """The third mast stands 2 · 60 m from the first, at 12 345 + 120 m."""
    assert PLACES.position(text) == pytest.approx(120.0, abs=1e-9)


def test_there_and_back():
    for x in np.linspace(0.0, 480.0, 7):
        assert PLACES.position(PLACES.to_text(float(x), 2).split(" (")[0]) == pytest.approx(x, abs=0.005 + 1e-9)
    assert PLACES.describe(120.0) == "km 12+465 (120.0 m), mast 12-03"
    assert PLACES.describe(132.5) == "km 12+478 (132.5 m), 12.5 m after mast 12-03"
    assert MastPlaces.from_layout(Layout(plain_line(spans=3))).describe(132.5) == "132.5 m"


@pytest.mark.parametrize(
    ("text", "words"), [("mast 12-3", "did you mean '12-0"), ("here", "km 12[+]345"), ("5 kg", "mast 12-07")]
)
def test_what_is_no_place(text, words):
    with pytest.raises(ModelError, match=words):
        PLACES.position(text)


def test_a_journey_in_chainages_and_masts():
    """The same run as one in metres, to the last bit: only words differ."""
    train = (OnTrain(pantograph="en50318-2002"),)
    settings = {"start": "km 12+405", "judged_from": "mast 12-04", "judged_to": "12+645", "stop": "mast 12-08"}
    words = parse.build(Journey, settings, source="journey")
    metres = Journey(start=60.0, judged_from=180.0, judged_to=300.0, stop=420.0)
    one, other = (resolve(Run(line=numbered_line(), train=train, speed=30.0, journey=j)) for j in (words, metres))
    assert (one.timetable.start, one.judged, one.stop, one.steps) == (60.0, (180.0, 300.0), other.stop, other.steps)
    assert one.run.journey == other.run.journey
    with pytest.raises(ModelError, match=r"journey\.stop: there is no mast '12-99'"):
        resolve(Run(line=numbered_line(), train=train, speed=30.0, journey=Journey(stop="mast 12-99")))
    with pytest.raises(FileError, match="start"):
        parse.build(Journey, {"start": "somewhere"}, source="journey")
