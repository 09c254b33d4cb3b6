"""Every gesture of the page as a hand makes it: moved, pressed, dragged, released and typed; never scripted."""

import os
import re
from pathlib import Path

import pytest
from desk.reports.browser import executable

from app.workbench.eye import DRAWN, SIGMA, judged, painted, unlike
from app.workbench.hand import CTRL, RUN, SHIFT, click, drag, dropper, glide, key, path, point_at, press, write
from panhead.files import parse

pytestmark = pytest.mark.skipif(
    executable() is None and "CI" not in os.environ, reason="no Chromium here; CI has one and must not skip"
)
UNDO_LEFT = "!document.getElementById('undo').disabled"
REFERENCE = Path(__file__).with_name("line-view.png")
RANGE = "[...document.querySelectorAll('#force text.quiet')].map(t => t.textContent).join()"


@pytest.fixture
def hand(page):
    """The one page of this module; afterwards everything is taken back, press by press, and the whole line seen."""
    yield page
    click(page, "tab-line")
    click(page, "whole")
    while page.evaluate(UNDO_LEFT):
        left = _steps(page)
        click(page, "undo")
        page.wait(f"JSON.parse(sessionStorage['panhead-workbench']).undo.length < {left}")
    drawn(page)


def _steps(tab):
    return tab.evaluate("JSON.parse(sessionStorage['panhead-workbench']).undo.length")


def drawn(tab):
    """Until the drawing shows the line as it is."""
    tab.wait(DRAWN)


def changes(tab, act):
    """Do something that changes the line; the page has one more step to undo, and has drawn it."""
    before = _steps(tab)
    act()
    tab.wait(f"JSON.parse(sessionStorage['panhead-workbench']).undo.length > {before}")
    drawn(tab)


def value(tab, name):
    return tab.wait(f"document.querySelector('{path(name)}')?.value")


def mast(name, plan=False):
    return f'.mast[aria-label^="{"Stagger at mast" if plan else "Mast"} {name}{":" if plan else " at"}"]'


def test_the_line_looks_as_it_did(page, tmp_path):
    """First of all, as it was opened: its lines in small and grey against a picture that a person has looked at.

    Without words, since fonts differ between machines: measured, a serif or monospace font changes nothing, wires,
    droppers, masts, loads or force left out change 5 % to 12 % of the picture, the plan 1.3 %.
    """
    plain = "#view-line .tools { display: none } #view-line text { visibility: hidden }"
    page.evaluate(f"document.head.append(Object.assign(document.createElement('style'), {{ textContent: '{plain}' }}))")
    point_at(page, "h1")
    painted(page)
    folder = Path(os.environ.get("PANHEAD_PICTURES", tmp_path))
    page.small_picture("#view-line", folder / "line-view.png")
    page.evaluate("document.querySelector('style').remove()")
    painted(page)  # the drawing has its old size again before the next test looks for a part of it
    assert unlike(REFERENCE, folder / "line-view.png", by=12) < 0.01


@pytest.mark.parametrize("off", [(-2, 3), (-1, -20), (1, 12), (2, 0)])
def test_a_dropper_is_taken_beside_its_line_and_dragged(hand, off):
    """Droppers stand 7 pixels apart: the nearest is the one that is taken; a pixel is a millimetre."""
    changes(hand, lambda: drag(hand, point_at(hand, dropper(5, 5), off), (0, 6)))
    assert value(hand, "dropper:0.4.5.length error") == "6"
    changes(hand, lambda: drag(hand, point_at(hand, dropper(5, 5), off), (1, -9)))  # a hand is never quite straight
    assert value(hand, "dropper:0.4.5.length error") == "-3"


@pytest.mark.parametrize("off", [(-2, 0), (-1, 30), (1, -30), (2, 10)])
def test_a_mast_is_taken_beside_its_line_and_dragged(hand, off):
    """Droppers stand 6 pixels beside it; between them the height of the contact wire follows the hand."""
    where = point_at(hand, mast("T1.mast5"), off)
    changes(hand, lambda: drag(hand, where, (0, -8)))
    assert value(hand, "mast:0.4.contact_height") == "5.088"


def test_a_mast_is_moved_with_the_keys(hand):
    """Up by a millimetre, along by a decimetre; with Shift ten times as far."""
    press(hand, mast("T1.mast5"))
    changes(hand, lambda: key(hand, "ArrowUp", SHIFT))
    assert value(hand, "mast:0.4.contact_height") == "5.09"
    changes(hand, lambda: key(hand, "ArrowRight"))
    lengths = hand.evaluate(
        "JSON.parse(sessionStorage['panhead-workbench']).line.tension_lengths[0].spans.map(s => s.length)"
    )
    assert {60.1, 59.9} <= set(lengths)


def test_a_dropper_is_dragged_along(hand):
    changes(hand, lambda: drag(hand, dropper(5, 5), (4, 0)))
    per_pixel = 604 / hand.evaluate("document.querySelector('#elevation svg').clientWidth - 70")  # margins of 58 and 12
    assert abs(float(value(hand, "dropper:0.4.5.position")) - 30 - 4 * per_pixel) <= 0.025  # steps of 50 mm


def test_a_support_is_dragged_up_and_along(hand):
    """At the contact wire too, which is where one would take it."""
    name = "T1.mast5"
    at = f"document.querySelector('{mast(name)} circle').getBoundingClientRect().toJSON()"
    box = hand.evaluate(at)
    changes(hand, lambda: drag(hand, (box["x"] + 2.5, box["y"] + 2.5), (0, -15)))
    assert value(hand, "mast:0.4.contact_height") == "5.095"
    changes(hand, lambda: drag(hand, mast(name), (0, 5)))
    assert value(hand, "mast:0.4.contact_height") == "5.09"
    changes(hand, lambda: drag(hand, mast(name), (3, 1)))
    spans = hand.evaluate("JSON.parse(sessionStorage['panhead-workbench']).line.tension_lengths[0].spans.length")
    assert spans > 1  # the spans beside it have lengths of their own


def test_stagger_is_dragged_in_the_plan_and_nothing_else(hand):
    """10 mm for each pixel, and the words at the pointer say so; sideways there is nothing to change."""
    fifth, fourth = (mast(f"T1.mast{k}", plan=True) for k in (5, 4))
    words = hand.evaluate(f"document.querySelector('{fifth}').ariaLabel")
    before = float(words.split(":")[1].split()[0]) / 1000
    x, y = point_at(hand, fifth)
    hand.mouse("mousePressed", x, y, clickCount=1, buttons=1)
    for down in (2, 4, 6):
        hand.mouse("mouseMoved", x, y + down, buttons=1)
    words = "[...document.querySelectorAll('#elevation text')].at(-1).textContent"
    assert hand.evaluate(words) == "stagger −60.0 mm"
    changes(hand, lambda: hand.mouse("mouseReleased", x, y + 6, clickCount=1))
    assert float(value(hand, "mast:0.4.stagger")) == pytest.approx(before - 0.06)
    steps = _steps(hand)
    drag(hand, fourth, (12, 0))
    key(hand, "ArrowRight")
    changes(hand, lambda: key(hand, "ArrowUp"))
    assert _steps(hand) == steps + 1


def test_a_drag_outlives_what_is_drawn_meanwhile(hand):
    """A change before it is still being drawn when the hand takes the next dropper."""
    steps = _steps(hand)
    drag(hand, dropper(5, 5), (0, 7))
    x, y = point_at(hand, dropper(6, 3))
    hand.mouse("mousePressed", x, y, clickCount=1, buttons=1)
    hand.mouse("mouseMoved", x, y + 3, buttons=1)
    hand.wait(f"JSON.parse(sessionStorage['panhead-workbench']).undo.length == {steps + 1}")
    drawn(hand)
    hand.evaluate("document.getElementById('findings').append('Words that push the drawing down')")
    hand.evaluate("new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(r)))")
    hand.mouse("mouseMoved", x, y + 9, buttons=1)
    hand.mouse("mouseReleased", x, y + 9, clickCount=1)
    hand.wait(f"JSON.parse(sessionStorage['panhead-workbench']).undo.length == {steps + 2}")
    drawn(hand)
    assert value(hand, "dropper:0.5.3.length error") == "9"
    press(hand, dropper(5, 5))
    assert value(hand, "dropper:0.4.5.length error") == "7"


def test_keys_pressed_quickly_all_count(hand):
    """A key that is held repeats faster than the line is drawn."""
    press(hand, dropper(5, 5))
    for _ in range(7):
        key(hand, "ArrowDown")
    key(hand, "ArrowDown", SHIFT)
    hand.wait(f"document.querySelector('{path('dropper:0.4.5.length error')}')?.value == '17'")
    for _ in range(3):
        key(hand, "ArrowRight")
    hand.wait(f"document.querySelector('{path('dropper:0.4.5.position')}')?.value == '30.3'")


def test_add_and_remove_a_dropper(hand):
    """A double click where none is; Delete takes it away again."""
    x, y = point_at(hand, dropper(5, 5), (0, 0))
    x += 3.8  # between it and the next one
    y = hand.evaluate(
        "document.querySelector('#elevation svg').getBoundingClientRect().top + 30"
    )  # above the messenger
    glide(hand, x, y)

    def twice():
        for count in (1, 2):
            hand.mouse("mousePressed", x, y, clickCount=count, buttons=1)
            hand.mouse("mouseReleased", x, y, clickCount=count)

    changes(hand, twice)
    assert hand.evaluate("document.querySelectorAll('.dropper').length") == 91
    press(hand, dropper(5, 6))
    changes(hand, lambda: key(hand, "Delete"))
    assert hand.evaluate("document.querySelectorAll('.dropper').length") == 90


def test_wheel_pan_and_the_view_buttons(hand):
    whole = hand.evaluate(RANGE)
    x, y = point_at(hand, "#force svg")
    hand.mouse("mouseWheel", x, y, button="none", deltaX=0, deltaY=-300)
    hand.wait(f"{RANGE} != '{whole}'")
    near = hand.evaluate(RANGE)
    drag(hand, "#force svg", (-120, 0))
    hand.wait(f"{RANGE} != '{near}'")
    panned = hand.evaluate(RANGE)
    hand.mouse("mouseMoved", x + 50, y, button="none")  # let go is let go
    assert hand.evaluate(RANGE) == panned
    press(hand, "#before")
    hand.wait(f"{RANGE} != '{panned}'")
    press(hand, "#after")
    press(hand, "#force svg", times=2)
    hand.wait(f"{RANGE} == '{whole}'")
    for name in ("+", "0"):
        shown = hand.evaluate(RANGE)
        key(hand, name)
        hand.wait(f"{RANGE} != '{shown}'")


def test_type_from_field_to_field_without_waiting(hand):
    """Tab goes on while the program still answers: every value counts, and no letter is lost."""
    press(hand, path("line:wires.contact.tension"), times=3)
    for field in ("21 kN", "1.4", "160"):
        for letter in field:
            key(hand, letter)
        key(hand, "Tab")
    hand.wait("JSON.parse(sessionStorage['panhead-workbench']).undo.length == 3")
    drawn(hand)
    contact = hand.evaluate("JSON.parse(sessionStorage['panhead-workbench']).line.wires.contact")
    assert (contact["tension"], contact["mass_per_length"], contact["bending_stiffness"]) == ("21 kN", 1.4, 160)


def test_an_answer_does_not_take_away_what_is_being_typed(hand):
    press(hand, path("line:wires.contact.tension"), times=3)
    for letter in "22 kN":
        key(hand, letter)
    key(hand, "Tab")
    key(hand, "1")
    hand.wait("JSON.parse(sessionStorage['panhead-workbench']).undo.length == 1")
    drawn(hand)  # of the first field, while the second is half typed
    key(hand, ".")
    key(hand, "3")
    changes(hand, lambda: key(hand, "Enter"))
    assert value(hand, "line:wires.contact.mass_per_length") == "1.3"
    key(hand, "z", CTRL)  # what was typed has been taken: this is a step of the line
    hand.wait("JSON.parse(sessionStorage['panhead-workbench']).undo.length == 1")
    drawn(hand)
    assert value(hand, "line:wires.contact.tension") == "22 kN"


def test_save_takes_the_field_in_which_the_hand_still_is(hand, server):
    """Pressed with the mouse, and with Ctrl+S: what has been typed is in the file."""
    file = server.folder / f"{hand.name}-line.toml"
    kept = file.read_text()
    for words, save in (("19 kN", lambda: click(hand, "save")), ("18 kN", lambda: key(hand, "s", CTRL))):
        write(hand, path("line:wires.contact.tension"), words, end="")
        save()
        hand.wait(f"!document.getElementById('opened').textContent.includes('•') && {UNDO_LEFT}")
        hand.wait("document.getElementById('save').disabled")
        assert parse.read_toml(file)["wires"]["contact"]["tension"] == words
    for _ in range(2):
        key(hand, "z", CTRL)
    hand.wait(f"!({UNDO_LEFT})")
    click(hand, "redo")
    hand.wait(UNDO_LEFT)
    click(hand, "undo")
    hand.wait(f"!({UNDO_LEFT})")
    drawn(hand)
    click(hand, "save")
    hand.wait("document.getElementById('save').disabled")
    assert file.read_text() == kept


def test_checks_choices_and_tabs(hand):
    click(hand, "together")
    press(hand, dropper(5, 5))
    changes(hand, lambda: key(hand, "ArrowDown", SHIFT))
    slack = "[...document.querySelectorAll('.dropper')].map(d => d.ariaLabel).filter(n => / 5 of span/.test(n))"
    assert len({re.sub(r"span \d+", "", words) for words in hand.evaluate(slack)}) < 10  # all spans of the row alike
    click(hand, "together")
    scale = "document.getElementById('scale').textContent"
    fit = hand.evaluate(scale)
    press(hand, "#exaggeration")
    key(hand, "Escape")
    for letter in "ArrowDown", "ArrowDown":
        key(hand, letter)
    hand.wait(f"{scale} == 'now × 5'")
    for letter in "ArrowUp", "ArrowUp":
        key(hand, letter)
    hand.wait(f"{scale} == {fit!r}")
    for view in ("results", "animation", "study"):
        click(hand, f"tab-{view}")
        assert hand.evaluate(f"!document.getElementById('view-{view}').hidden")
    key(hand, "ArrowLeft")
    assert hand.evaluate("!document.getElementById('view-animation').hidden")


HAIRS = """['elevation', 'statics', 'force'].map(n =>
  document.querySelector(`#${n} svg > g:last-child line`)?.getAttribute('x1') ?? null)"""


def test_one_cursor_in_all_charts_goes_where_the_pointer_is(hand):
    """Over any of them, and away again; in a chart the arrow keys move it."""
    for place in ("elevation", "plan", "statics", "force"):
        x, _ = point_at(hand, f"#{place} svg", (30, 0))
        hand.wait(f"new Set({HAIRS}).size == 1 && {HAIRS}[0] !== null")
        left = hand.evaluate("document.querySelector('#elevation svg').getBoundingClientRect().left")
        assert float(hand.evaluate(HAIRS)[0]) == pytest.approx(x - left, abs=1.0)  # a pixel
    point_at(hand, "h1")
    hand.wait(f"{HAIRS}.every(x => x === null)")
    press(hand, "#force svg")
    before = float(hand.evaluate(HAIRS)[0])
    key(hand, "ArrowRight")
    hand.wait(f"Number({HAIRS}[0]) > {before}")
    point_at(hand, "h1")


def test_play_pause_and_the_slider(hand):
    """By mouse and keys: it goes on while it plays, and stays where it is once it pauses."""
    click(hand, "tab-animation")
    at, play = "document.querySelector('#view-animation [type=range]')", "#view-animation button"
    says = f"document.querySelector('{play}').textContent"
    hand.wait(f"{at}?.checkVisibility() && {at}.max > 10")
    for begin in (lambda: press(hand, play), lambda: key(hand, " ")):
        start = hand.evaluate(f"Number({at}.value)")
        begin()
        assert hand.evaluate(says) == "Pause"
        hand.wait(f"Number({at}.value) > {start}")
        key(hand, " ")
        assert hand.evaluate(says) == "Play"
        stays = hand.evaluate(f"{at}.value")
        painted(hand)
        assert hand.evaluate(f"{at}.value") == stays
    time = "document.querySelector('#view-animation .tools .quiet').textContent"
    said = hand.evaluate(time)
    press(hand, "#view-animation [type=range]")
    hand.wait(f"{time} != {said!r}")
    middle = hand.evaluate(f"{at}.value / {at}.max")
    assert 0.4 < middle < 0.6
    drag(hand, "#view-animation [type=range]", (150, 0))
    hand.wait(f"{at}.value / {at}.max > {middle} + 0.1")
    key(hand, "Home")
    hand.wait(f"{at}.value == 0")
    key(hand, "ArrowRight")
    hand.wait(f"{at}.value == 1")


def test_the_animation_says_what_it_waits_for(page, server):
    """Before the first result there is nothing to play: words with the progress, and why there are no pictures."""
    slow = RUN.format(line=f"{page.name}-line.toml") + '[numerics]\nstep = "4e-6 s"\n'
    (server.folder / f"{page.name}-slow.toml").write_text(slow)
    press(page, '[aria-label="Read the folder again"]')
    click(page, "tab-animation")
    page.wait("document.querySelector('#picture')?.checkVisibility()")
    press(page, f'[data-file="{page.name}-slow.toml"]')
    words = "document.getElementById('no-pictures').textContent"
    shown = "[...document.querySelectorAll('#view-animation :is(button, input, svg)')].filter(c => c.checkVisibility())"
    share = f"Number({words}.match(/A run is under way .(\\d+) %/)?.[1])"
    page.wait(f"{share} >= 0")
    assert page.evaluate(f"{shown}.length") == 0
    page.wait(f"{share} >= 1")
    click(page, "stop")
    page.wait(f"{words}.startsWith('This run was stopped')")
    assert page.evaluate(f"{shown}.length") == 0
    press(page, f'[data-file="{page.name}.toml"]')
    page.wait(f"document.getElementById('opened').textContent.startsWith('{page.name} ')")
    judged(page)
    assert page.evaluate(SIGMA) == "36.64 N"
    page.wait(f"{shown}.length == 3")
