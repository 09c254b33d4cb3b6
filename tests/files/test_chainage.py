"""Chainage as text: what is written reads back, and what is no chainage is told apart from a length."""

import pytest

from panhead.files.chainage import format_chainage, is_chainage, parse_chainage


@pytest.mark.parametrize(
    ("text", "metres"),
    [
        ("km 12+345", 12345.0),
        ("12+345.60", 12345.6),
        ("12+345,6", 12345.6),
        ("PK 12+045", 12045.0),
        ("km 12.345", 12345.0),
        ("12.345 km", 12345.0),
        ("12345 m", 12345.0),
        ("-0+050", -50.0),
        ("km −1+250.5", -1250.5),
    ],
)
def test_what_railways_write(text, metres):
    assert parse_chainage(text) == metres


@pytest.mark.parametrize("text", ["12+1345", "12+", "km", "mast 3", "+", "12+34a"])
def test_what_is_no_chainage(text):
    with pytest.raises(ValueError, match=r".+"):
        parse_chainage(text)


@pytest.mark.parametrize("text", ["345 m", "12.3", "1e3", "12345", "+12"])
def test_a_length_is_no_chainage(text):
    assert not is_chainage(text)


@pytest.mark.parametrize("metres", [0.0, 0.004, 999.996, 12345.67, -50.0, -0.001, -1999.999])
def test_there_and_back_within_the_digits(metres):
    """Two digits are told, so half a centimetre may be lost; no carry makes 1000 m behind the sign."""
    text = format_chainage(metres, 2)
    assert "+1000" not in text
    assert parse_chainage(text) == pytest.approx(metres, abs=0.005 + 1e-12)
