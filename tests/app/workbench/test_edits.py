"""Changes of a line as it is written: they mean what a hand means, and touch nothing else."""

import tomllib

import pytest

from panhead.app.workbench.edits import (
    AddDropper,
    ChangeMast,
    ChangeSpan,
    MoveDropper,
    RemoveDropper,
    SetValue,
    apply_edit,
)
from panhead.app.workbench.toml_edit import update_toml
from panhead.errors import FileError, ModelError
from panhead.files import library, parse
from panhead.railway.line.line_description import Line
from panhead.railway.line.line_variants import expand_spans


def raw_of(name):
    return tomllib.loads(library.shipped("lines")[name].read_text())


def spans(raw):
    """Every span of the first tension length, one by one: (length, droppers)."""
    line = expand_spans(parse.build(Line, raw, source="line"))
    return [(s.length, [(d.position, d.sag, d.length) for d in _droppers(s)]) for s in line.tension_lengths[0].spans]


def _droppers(span):
    from panhead.railway.line.layout import droppers_of

    return droppers_of(span)


def test_one_dropper_of_ten_equal_spans_moves_alone():
    raw = raw_of("en50318-2002")
    before = spans(raw)
    after = spans(apply_edit(raw, MoveDropper(do="dropper", tension_length=0, span=4, dropper=5, sag=0.04)))
    assert [k for k in range(10) if before[k] != after[k]] == [4]
    assert after[4][1][4] == (30.0, 0.04, None)
    assert [d for d in after[4][1] if d != (30.0, 0.04, None)] == [d for d in before[4][1] if d[0] != 30.0]


def test_a_dropper_is_hung_longer():
    raw = apply_edit(
        raw_of("en50318-2002"), MoveDropper(do="dropper", tension_length=0, span=4, dropper=5, length_error=0.02)
    )
    line = parse.build(Line, raw, source="line")
    assert [d.length_error for d in line.tension_lengths[0].spans[1].droppers] == [0, 0, 0, 0, 0.02, 0, 0, 0, 0]


def test_together_changes_all_spans_of_the_row():
    raw = raw_of("en50318-2002")
    after = spans(
        apply_edit(raw, MoveDropper(do="dropper", tension_length=0, span=4, dropper=5, position=31, together=True))
    )
    assert [s[1][4][0] for s in after] == [31.0] * 10


def test_a_shorter_span_keeps_the_shares_of_its_droppers():
    raw = apply_edit(
        raw_of("en50318-2002"), ChangeSpan(do="span", tension_length=0, span=4, length=48.0, together=True)
    )
    assert spans(raw)[0] == (48.0, [(x, None, None) for x in (4, 8.4, 13.6, 18.8, 24, 29.2, 34.4, 39.6, 44)])


def test_more_spans_of_the_same():
    raw = apply_edit(raw_of("en50318-2002"), ChangeSpan(do="span", tension_length=0, span=4, length=50.0))
    raw = apply_edit(raw, ChangeSpan(do="span", tension_length=0, span=4, count=3))
    assert [length for length, _ in spans(raw)] == [60.0] * 4 + [50.0] * 3 + [60.0] * 5


def test_a_mast_that_moves_gives_one_span_what_it_takes_from_the_other():
    raw = raw_of("en50318-2002")
    lengths = [
        length for length, _ in spans(apply_edit(raw, ChangeMast(do="mast", tension_length=0, mast=3, along=1.5)))
    ]
    assert lengths == [60, 60, 61.5, 58.5, 60, 60, 60, 60, 60, 60]


def test_a_mast_changes_where_the_file_already_speaks_of_it():
    raw = apply_edit(raw_of("en50318-2002"), ChangeMast(do="mast", tension_length=0, mast=10, stagger=0.2))
    raw["tension_lengths"][0]["masts"][0]["at"] = -1  # the same mast, counted from the end
    raw = apply_edit(raw, ChangeMast(do="mast", tension_length=0, mast=10, contact_height=5.1))
    assert raw["tension_lengths"][0]["masts"] == [{"at": -1, "stagger": 0.2, "contact_height": 5.1}]


@pytest.mark.parametrize("name", sorted(library.shipped("lines")))
def test_every_shipped_line_can_be_changed_in_its_middle(name):
    raw = raw_of(name)
    line = parse.build(Line, raw, source=name)
    number = sum(s.count for s in line.tension_lengths[0].spans) // 2
    where = {"tension_length": 0, "span": number}
    if line.wires.messenger is None:  # a rail: nothing hangs on it
        with pytest.raises(FileError, match="there is no messenger to carry droppers"):
            apply_edit(raw, AddDropper(do="add dropper", **where, position=2.345))
        return
    count = len(spans(raw)[number][1])
    raw = apply_edit(raw, AddDropper(do="add dropper", **where, position=2.345))
    assert len(spans(raw)[number][1]) == count + 1
    raw = apply_edit(raw, RemoveDropper(do="remove dropper", **where, dropper=1))
    assert len(spans(raw)[number][1]) == count


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        (MoveDropper(do="dropper", tension_length=0, span=4, dropper=5, position=70), "outside"),
        (MoveDropper(do="dropper", tension_length=0, span=40, dropper=5, sag=0), "no span 41"),
        (MoveDropper(do="dropper", tension_length=0, span=4, dropper=50, sag=0), "no dropper 50"),
        (ChangeMast(do="mast", tension_length=0, mast=0, along=1.0), "first and last mast cannot be moved"),
        (ChangeSpan(do="span", tension_length=0, span=0, length=-3.0), "length must be finite and > 0"),
        (SetValue(do="set", path=("wires", "contact", "tension"), value="20 bar"), "wires.contact.tension"),
        (SetValue(do="set", path=("no", "such"), value=1), "unknown key"),
        (ChangeSpan(do="span", tension_length=0, span=0, count=0), "1 to 2000 equal spans, got 0"),
        (SetValue(do="set", path=()), "empty"),
    ],
)
def test_what_cannot_be_is_refused_in_words(edit, words):
    raw = raw_of("en50318-2002")
    with pytest.raises((FileError, ModelError), match=words):
        apply_edit(raw, edit)
    assert raw == raw_of("en50318-2002")


def test_a_saved_file_keeps_its_comments_and_units():
    text = library.shipped("lines")["en50318-2002"].read_text()
    raw = apply_edit(tomllib.loads(text), SetValue(do="set", path=("wires", "contact", "tension"), value="22 kN"))
    made = update_toml(text, raw)
    assert tomllib.loads(made) == raw
    changed = [(a, b) for a, b in zip(text.splitlines(), made.splitlines(), strict=True) if a != b]
    assert changed == [('tension = "20 kN"', 'tension = "22 kN"')]


def test_a_saved_file_holds_what_was_drawn():
    text = library.shipped("lines")["overlaps-25kv"].read_text()
    raw = apply_edit(tomllib.loads(text), MoveDropper(do="dropper", tension_length=0, span=2, dropper=2, sag=0.01))
    assert tomllib.loads(update_toml(text, raw)) == raw
