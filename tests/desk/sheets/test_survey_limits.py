"""Survey limits in line check and line fit, and the largest span by radius."""

from dataclasses import replace

import numpy as np
import pytest

from panhead.assess import limits
from panhead.desk.sheets.line_check import check_line
from panhead.desk.sheets.span_table import blow_off, largest_offset, longest_spans
from panhead.desk.sheets.survey_fit import Survey
from panhead.desk.sheets.survey_limits import survey_sentences
from panhead.errors import ModelError
from panhead.railway.line import Mast, read_line
from panhead.railway.line.design_line import design_line
from panhead.railway.line.line_design import read_design


def with_mast(height):
    line = design_line(read_design("S25"), [60.0] * 5)
    (length,) = line.tension_lengths
    return replace(line, tension_lengths=(replace(length, masts=(Mast(at=2, contact_height=height),)),))


@pytest.mark.parametrize("height, level", [(5.12, None), (5.14, "doubtful"), (5.21, "wrong")])
def test_line_check_judges_heights_by_the_survey_limits(height, level):
    """S25 at 5.10 m: maintenance 5070 to 5130 mm, critical 5000 to 5200 mm."""
    found = [f for f in check_line(with_mast(height), edition="no-trv").findings if f.quantity == "contact_height"]
    assert [f.level for f in found] == ([] if level is None else [level])


def test_a_survey_tells_what_is_beyond_its_limits():
    survey = Survey(np.arange(4.0), np.array([5.10, 5.14, 5.06, 4.99]), np.array([0.0, 0.46, 0.1, 0.51]))
    height, stagger = survey_sentences(limits.read("no-trv"), 5.1, survey)
    assert "3 of 4 points beyond maintenance, worst 4990 mm at 3.0 m; 1 of 4 points beyond critical" in height
    assert "2 of 4 points beyond maintenance" in stagger
    assert next(iter(survey_sentences(limits.read("en50367-2012"), 5.1, survey))).endswith(
        "panhead limits lists editions"
    )


def test_spans_shrink_with_radius_and_wind():
    """ℓ²/8R + qℓ²/8T − a = e: the printed span keeps the offset, half a metre more does not."""
    line = read_line("CA-220/25kV")
    rows = list(longest_spans(line, wind=29.0, allowed=0.55, radii=[0, 1500, 800, 500, 300]))
    spans = [row.span for row in rows]
    assert spans == sorted(spans, reverse=True)
    load, tension = blow_off(line, 29.0)
    for row in rows:
        assert row.offset <= 0.55
        more = largest_offset(row.span + 0.5, row.radius, row.stagger, load / tension)
        assert more > 0.55 or row.span == 60.0
    calmer = next(iter(longest_spans(line, wind=20.0, allowed=0.55, radii=[500])))
    assert calmer.span > spans[3]


def test_the_offset_in_a_curve_by_hand():
    """Chord of 60 m at 500 m: 900 mm inside, less 200 mm of stagger; wind of q/T = 1e-4 1/m adds 45 mm."""
    assert largest_offset(60.0, 500.0, 0.2, 1e-4) == pytest.approx(0.9 + 0.045 - 0.2)
    assert largest_offset(60.0, 0.0, 0.2, 1e-4) == pytest.approx(0.2, abs=1e-3)  # at the mast


def test_the_wind_load_is_that_of_all_wires():
    """½ ρ c d U² of each wire by hand: a contact wire of 13.8 mm and a strand of 12.7 mm at 29 m/s."""
    line = read_line("CA-220/25kV")
    diameters = np.sqrt(4 * 150e-6 / np.pi), np.sqrt(4 * 95e-6 / (0.75 * np.pi))
    load, tension = blow_off(line, 29.0)
    assert load == pytest.approx(0.5 * 1.225 * 1.1 * sum(diameters) * 29.0**2)
    assert tension == 18370.0 + 15430.0


def test_a_stagger_beyond_the_head_is_refused():
    with pytest.raises(ModelError, match=r"beyond the offset of 0\.15 m"):
        next(iter(longest_spans(read_line("CA-220/25kV"), wind=20.0, allowed=0.15, radii=[0])))


def test_a_rail_is_not_blown_aside():
    with pytest.raises(ModelError, match="conductor rail is not blown aside"):
        next(iter(longest_spans(read_line("conductor-rail"), wind=20.0, allowed=0.4, radii=[0])))


@pytest.mark.parametrize(
    ("wind", "radius", "words"),
    [
        (20.0, float("nan"), "radii must be finite"),
        (20.0, -300.0, "radii must be"),
        (20.0, 0.01, "no span keeps within"),
    ],
)
def test_what_no_span_can_meet_is_told(wind, radius, words):
    with pytest.raises(ModelError, match=words):
        list(longest_spans(read_line("CA-220/25kV"), wind=wind, allowed=0.55, radii=[radius]))
