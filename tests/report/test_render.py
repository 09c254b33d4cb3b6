"""A page stands alone, escapes what it is given and says what is wrong with a block."""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path

import numpy as np
import pytest

from panhead.errors import ModelError
from panhead.report import figures
from panhead.report.packing import animation_json
from panhead.report.page import Animation, Curve, Page, Picture, Section, Table, Verdict
from panhead.report.render import render, write

TIMES = np.linspace(0.0, 2.0, 81)


def picture(name: str = "sine") -> Picture:
    made, (axes,) = figures.figure()
    axes.plot(TIMES, np.sin(TIMES))
    figures.name_axes(axes, "time (s)", "angle (rad)")
    return Picture(name, "Angle", made, "A swing.")


def animation() -> Animation:
    angle = np.sin(3 * TIMES)
    rod = Curve(
        "rod",
        np.stack([0 * angle, np.sin(angle)], 1),
        np.stack([0 * angle, -np.cos(angle)], 1),
        dots=True,
    )
    beam = Curve("beam", np.array([-0.5, 0.5]), np.zeros(2))
    return Animation(
        "Swing", TIMES, [rod, beam], trace=("angle (rad)", angle), caption="It swings."
    )


def page(*blocks: object, title: str = "A page") -> Page:
    return Page(
        title,
        "below the title",
        Verdict("good", "All is well.", ["a detail"]),
        [Section("Part", list(blocks))],
    )  # type: ignore[arg-type]


def test_nothing_points_outside_the_file() -> None:
    html = render(page(picture(), animation(), "words"))
    assert not re.search(r"""(src|href)=["'](?!data:|#)""", html)
    assert not re.search(r"@import|url\((?!data:)", html)


def test_text_is_escaped_everywhere() -> None:
    evil = "<script>alert(1)</script>"
    table = Table(evil, [evil], [[evil]], note=evil)
    moving = Animation(
        evil, TIMES, [Curve(evil, np.zeros(2), np.zeros(2))], x_label=evil, caption=evil
    )
    made = picture()
    html = render(page(evil, table, moving, Picture("p", evil, made.figure, evil), title=evil))
    assert "<script>alert" not in html


def test_verdict_is_told_in_words_and_comes_first() -> None:
    html = render(page(Table("t", ["a", "b"], [["x", "1"]], ["bad"])))
    body = html[html.index("<main>") :]
    assert body.index("All is well.") < body.index("<table>")
    assert ">Good</span>" in body  # not by colour alone
    assert ">Not good</span>" in body  # the row, for those who hear the page


def test_every_picture_has_a_text_instead() -> None:
    html = render(page(picture()))
    assert re.search(r'<img src="data:image/svg\+xml;base64,[^"]+" alt="Angle: A swing."', html)


def test_write_leaves_the_page_and_the_figures(tmp_path: Path) -> None:
    path = write(page(picture("one"), picture("two")), tmp_path / "new" / "folder")
    assert path == tmp_path / "new" / "folder" / "report.html"
    written = sorted(str(p.relative_to(path.parent)) for p in path.parent.rglob("*") if p.is_file())
    assert written == ["figures/one.png", "figures/two.png", "report.html"]
    assert (path.parent / "figures" / "one.png").read_bytes().startswith(b"\x89PNG")


def test_a_page_that_cannot_be_rendered_leaves_nothing_behind(tmp_path: Path) -> None:
    broken = Table("limits", ["a", "b"], [["only one"]])
    with pytest.raises(ModelError, match="limits"):
        write(page(picture(), broken), tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_equal_pages_give_equal_files() -> None:
    assert render(page(picture(), animation())) == render(page(picture(), animation()))


@pytest.mark.parametrize(
    "blocks, word",
    [
        ([picture("same"), picture("same")], "same"),
        ([Picture("a/b", "t", picture().figure)], "a/b"),
        ([Table("t", ["a"], [["1"], ["2"]], ["good"])], "1 moods for 2 rows"),
        ([Animation("t", TIMES, [Curve("rod", np.zeros((3, 2)), np.zeros(2))])], "rod"),
        (
            [Animation("t", TIMES, [Curve("c", np.zeros(2), np.zeros(2))], follow=np.zeros(3))],
            "follow",
        ),
    ],
)
def test_a_wrong_block_is_named(blocks: list[object], word: str) -> None:
    with pytest.raises(ModelError, match=word):
        render(page(*blocks))


def unpacked(packed: dict[str, object]) -> np.ndarray:
    raw = base64.b64decode(str(packed["data"]))
    if packed["kind"] == "f4":
        return np.frombuffer(raw, "<f4").astype(float)
    steps = np.frombuffer(raw, "<u2").astype(float)
    return np.where(steps == 65535, np.nan, packed["low"] + packed["step"] * steps)  # type: ignore[operator]


def test_packed_motion_is_the_motion() -> None:
    """Positions survive to 1/8000 of the window, well below a pixel; gaps stay gaps."""
    rng = np.random.default_rng(1)
    x, y = rng.uniform(0, 50, (81, 7)), rng.uniform(5, 6, (81, 7))
    y[3, 2] = np.nan
    content = json.loads(animation_json(Animation("t", TIMES, [Curve("c", x, y)])))["curves"][0]
    assert content["x"]["kind"] == content["y"]["kind"] == "u2"
    np.testing.assert_allclose(unpacked(content["x"]), x.ravel(), atol=50 / 8000)
    np.testing.assert_allclose(unpacked(content["y"]), y.ravel(), atol=1 / 8000)


def test_a_long_track_keeps_its_resolution() -> None:
    """100 km in uint16 would be steps of 1.5 m; the window is 100 m wide, so float32 is taken."""
    x = np.linspace(0, 1e5, 81 * 3).reshape(81, 3)
    moving = Animation("t", TIMES, [Curve("c", x, np.zeros((81, 3)))], follow=x[:, 1], width=100.0)
    content = json.loads(animation_json(moving))
    assert content["curves"][0]["x"]["kind"] == "f4"
    np.testing.assert_allclose(unpacked(content["curves"][0]["x"]), x.ravel(), atol=0.01)


def test_thinning_keeps_the_extremes() -> None:
    x = np.arange(100_000.0)
    y = np.sin(x / 3000)
    y[12_345], y[77_777] = 5.0, -7.0
    few_x, few = figures.thinned(x, y, 2000)
    assert few.size <= 2002
    assert few.max() == 5.0
    assert few.min() == -7.0
    assert few_x[np.argmax(few)] == 12_345
    assert (few_x[0], few_x[-1]) == (0.0, 99_999.0)
    assert (np.diff(few_x) > 0).all()


def test_an_axis_without_a_unit_is_found() -> None:
    made = picture().figure
    assert figures.without_unit(made) == []
    made.axes[0].set_ylabel("angle")
    assert figures.without_unit(made) == ["angle"]
