"""Every example has a small picture of what it shows, and someone who can draw it again."""

import ast
from pathlib import Path

ROOT = Path(__file__).parents[1]
PICTURES = ROOT / "docs" / "pictures" / "examples"
EXAMPLES = {path.stem for path in (ROOT / "examples").glob("*.py")}


def test_every_example_has_a_picture_and_every_picture_an_example():
    assert {path.stem for path in PICTURES.glob("*.png")} == EXAMPLES


def test_pictures_are_small():
    assert {p.name: n for p in PICTURES.glob("*.png") if (n := p.stat().st_size) > 40_000} == {}


def test_the_moving_picture_of_the_readme_moves_and_is_small():
    """An animated WebP has a chunk ANIM and one ANMF for each picture."""
    film = (ROOT / "docs" / "pictures" / "moving_view.webp").read_bytes()
    assert film[8:12] == b"WEBP"
    assert b"ANIM" in film
    assert film.count(b"ANMF") >= 40
    assert len(film) < 2_000_000
    assert "docs/pictures/moving_view.webp" in (ROOT / "README.md").read_text(encoding="utf-8")


def test_every_picture_can_be_drawn_again():
    tree = ast.parse(PICTURES.with_suffix(".py").read_text(encoding="utf-8"))
    assert {node.name for node in tree.body if isinstance(node, ast.FunctionDef)} >= EXAMPLES
