"""``panhead line draw``: what is drawn is the strung line to scale, and both files show it."""

import re
import xml.etree.ElementTree as ET
import zlib
from dataclasses import replace

import numpy as np
import pytest
from railway.line.builders import STAGGERED, plain_line

from panhead.desk.sheets.line_drawing import draw_line
from panhead.desk.sheets.schedules import line_tables
from panhead.desk.sheets.sheet import Paper, PaperLine, PaperText, paper_svg, papers_pdf, text_width
from panhead.errors import ModelError, RunWarning
from panhead.railway.line import read_line, shipped_lines

LINE = plain_line(support=STAGGERED, presag=0.02, spans=8, chainage=500.0)


def texts(papers):
    return [part.text for paper in papers for part in paper.parts if isinstance(part, PaperText)]


def streams(pdf):
    """The operators of every page."""
    found = re.findall(rb"stream\n(.*?)\nendstream", pdf, re.DOTALL)
    return [zlib.decompress(s).decode("cp1252") for s in found]


def test_every_dropper_mast_and_span_is_dimensioned():
    said = texts(draw_line(LINE))
    droppers = line_tables(LINE)[0]
    lengths = [f"{row[6]:.3f}" for row in droppers.rows]
    assert sorted(t for t in said if t in set(lengths)) == sorted(lengths)
    assert said.count("60.00 m") == 8
    assert said.count("+200") + said.count("-200") == 9 + 1  # two sheets share a mast
    assert said.count("1.20") == 10
    assert "0+500.00" in said
    assert "0+980.00" in said


def test_the_scales_are_true():
    """On paper the masts are 60 m/1000 apart, and the contact wire sags by 20 mm over the scale of heights."""
    (paper, _) = draw_line(LINE)
    (scales,) = [t for t in texts([paper]) if t.startswith("along")]
    up, across = (int(re.search(rf"{word} 1 : (\d+)", scales)[1]) for word in ("heights", "across"))
    blue = [p for p in paper.parts if isinstance(p, PaperLine) and p.color == "blue" and p.width == 0.45]
    elevation, plan = (p.points for p in blue)
    assert (elevation[-1, 0] - elevation[0, 0]) == pytest.approx(6 * 60.0, abs=1e-6)  # 1 : 1000
    middle = np.argmin(np.abs(elevation[:, 0] - (elevation[0, 0] + 150.0)))  # dropper at the third span's middle
    assert (elevation[middle, 1] - elevation[0, 1]) * up == pytest.approx(20.0, abs=1e-6)
    assert np.ptp(plan[:, 1]) * across == pytest.approx(400.0, abs=1e-6)


def test_both_files_hold_every_word(tmp_path):
    papers = draw_line(read_line("stitched-25kv"))
    pdf = papers_pdf(papers)
    pages = streams(pdf)
    assert len(pages) == len(papers) == 3
    for paper, page in zip(papers, pages, strict=True):
        root = ET.fromstring(paper_svg(paper))
        in_svg = [e.text for e in root.iter("{http://www.w3.org/2000/svg}text")]
        assert in_svg == texts([paper])
        in_pdf = [t.replace("\\(", "(").replace("\\)", ")") for t in re.findall(r"\((.*?)\) Tj", page)]
        assert in_pdf == in_svg
        assert page.count(" S") + page.count(" b") >= sum(isinstance(p, PaperLine) for p in paper.parts)


def test_the_pdf_knows_where_its_objects_are():
    pdf = papers_pdf([Paper("a"), Paper("b")])
    start = int(re.search(rb"startxref\n(\d+)", pdf)[1])
    assert pdf[start : start + 4] == b"xref"
    for number, place in enumerate(re.findall(rb"(\d{10}) 00000 n", pdf), 1):
        assert pdf[int(place) :].startswith(f"{number} 0 obj".encode())


def test_letters_a_pdf_has_not_are_told():
    paper = Paper("x")
    paper.words(10, 10, "Бор (−5 ≤ x)")
    with pytest.warns(RunWarning, match="lacks the characters Бор"):
        (page,) = streams(papers_pdf([paper]))
    assert r"(??? \(-5 <= x\)) Tj" in page
    assert "Бор" in paper_svg(paper)


def test_widths_are_those_of_the_font():
    afm = pytest.importorskip("matplotlib")
    from pathlib import Path

    table = (Path(afm.get_data_path()) / "fonts" / "pdfcorefonts" / "Helvetica.afm").read_text()
    widths = dict(re.findall(r"^C (\d+) ; WX (\d+)", table, re.MULTILINE))
    # the font's own code has curly quotes at 39 and 96
    wrong = [c for c in range(32, 127) if c not in (39, 96) and text_width(chr(c), 1000.0) != float(widths[str(c)])]
    assert wrong == []


def test_overlaps_and_what_is_not_there():
    papers = draw_line(read_line("overlaps-25kv"), spans=(16, 22))
    assert {p.color for p in papers[0].parts if isinstance(p, PaperLine)} >= {"blue", "orange"}
    with pytest.raises(ModelError, match="spans 5 to 9 do not exist; the line has spans 1 to 8"):
        draw_line(LINE, spans=(4, 9))


def test_a_long_span_finds_its_scale():
    from panhead.railway.line import Span, TensionLength

    river = replace(LINE, support=replace(STAGGERED, encumbrance=60.0), presag=0.0, tension_lengths=(
        TensionLength(name="R", spans=(Span(length=500.0, dropper_count=30),)),
    ))  # fmt: skip
    (paper,) = draw_line(river)
    assert any(t.startswith("along 1 : 2000") for t in texts([paper]))


def test_the_command(panhead, tmp_path):
    answer = panhead("line", "draw", "en50318-2002", "--spans", "2-3")
    assert answer.returncode == 0, answer.stderr
    names = sorted(p.name for p in (tmp_path / "en50318-2002-drawing").iterdir())
    assert names == ["en50318-2002-1.svg", "en50318-2002.pdf"]
    assert panhead("line", "draw", "en50318-2002", "--spans", "3").returncode == 2


def boxes(paper):
    """Where words stand: (x0, x1, y0, y1) of every text on a sheet, its true width turned with it."""
    for t in (p for p in paper.parts if isinstance(p, PaperText)):
        w = text_width(t.text, t.size)
        start = {"start": 0.0, "middle": -0.5 * w, "end": -w}[t.anchor]
        if t.angle == 90:  # upwards
            yield t.text, t.x - 0.7 * t.size, t.x, t.y - start - w, t.y - start
        else:
            yield t.text, t.x + start, t.x + start + w, t.y - 0.7 * t.size, t.y


@pytest.mark.parametrize("name", shipped_lines())
def test_no_word_stands_in_another(name):
    """At every scale; letters are as wide as the font's and two thirds of their size high."""
    for paper in draw_line(read_line(name))[:3]:
        found = list(boxes(paper))
        for k, (text, a, b, c, d) in enumerate(found):
            for other, e, f, g, h in found[:k]:
                assert min(b, f) - max(a, e) < 0.05 or min(d, h) - max(c, g) < 0.05, (text, other)


def test_words_stand_in_white_above_the_lines():
    """A stagger beside a wire can be read: words come after every line and have a halo, in SVG and PDF."""
    paper = draw_line(read_line("en50318-2002"))[0]
    svg = paper_svg(paper)
    assert svg.index("<text") > svg.rindex("<path")
    assert svg.count('paint-order="stroke"') == svg.count("<text")
