"""Pages of the source documents: every table and figure in print is named, every row exists, the page is written."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from panhead import validation
from panhead.errors import FileError, ModelError
from panhead.validation import papers

RECORD = Path(__file__).parents[2] / "docs" / "validation_results.json"
ROW = {"value": 1.1, "unit": "N", "reference": 1.0, "ok": None}


def missing_numbers(paper: papers.SourceDocument) -> Sequence[str]:
    """Tables and figures of the document that no item mentions."""
    text = " ".join(item.at for item in paper.items)
    named = {f"Table {t}" for t in _numbers(text, "Table")} | {f"Figure {n}" for n in _numbers(text, "Figure")}
    wanted = [f"Table {t}" for t in paper.tables] + [f"Figure {n}" for n in range(1, paper.figures + 1)]
    return [name for name in wanted if name not in named]


def _numbers(text: str, kind: str) -> Iterator[str]:
    """Numbers behind "Table", "Tables", "Figure" or "Figures": one, several, or a range."""
    for group in re.findall(rf"{kind}s? ((?:[IVX\d]+(?:–\d+)?(?:, )?)+)", text):
        for part in group.rstrip(", ").split(", "):
            first, _, last = part.partition("–")
            yield from ([first] if not last else map(str, range(int(first), int(last) + 1)))


@pytest.mark.parametrize("name", papers.names())
def test_every_table_and_figure_in_print_is_on_the_page(name):
    paper = papers.read_paper(name)
    assert missing_numbers(paper) == []
    assert set(paper.cases) <= set(validation.names())


@pytest.mark.parametrize("name", papers.names())
def test_a_page_is_written_from_recorded_results(name):
    paper = papers.read_paper(name)
    text = papers.page(paper, json.loads(RECORD.read_text(encoding="utf-8")))
    assert text.startswith(f"# {paper.authors}: ")
    assert all(f"## {item.at}\n" in text for item in paper.items)


def test_the_difference_is_told():
    paper = papers.read_paper("lipinski23")
    item = papers.PaperItem(at="Table 1", shows="A force.", outcome="met", case="c", rows=("force",))
    text = papers.page(replace(paper, items=(item,)), {"c": {"force": ROW}})
    assert "| force | 1 N | 1.1 N | +10 % | listed |" in text
    assert "Command: `panhead validate c`" in text


def test_ranges_of_figures_are_counted():
    paper = papers.read_paper("lipinski23")
    items = (papers.PaperItem(at="Figures 1–3, 5", shows="", outcome="drawing"),)
    assert missing_numbers(replace(paper, items=items)) == ["Figure 4"]


def test_what_does_not_exist_is_refused_by_name():
    with pytest.raises(FileError, match="ambrosio11"):
        papers.read_paper("nobody99")
    item = papers.PaperItem(at="Table 1", shows="", outcome="met", case="c", rows=("gone",))
    with pytest.raises(ModelError, match="'gone'"):
        papers.page(replace(papers.read_paper("lipinski23"), items=(item,)), {"c": {"force": ROW}})
    with pytest.raises(ModelError, match="give `case`"):
        papers.PaperItem(at="Table 1", shows="", outcome="met", rows=("force",))
