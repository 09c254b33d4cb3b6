"""What a hand does to the page: it moves, presses, drags, lets go and types; nothing is scripted."""

import json
from pathlib import Path

from app.workbench.eye import SIGMA, judged

RUN = """kind = "run"
line = "{line}"
speed = "300 km/h"

[[train]]
pantograph = "en50318-2002"

[journey]
judged_from = "240 m"
judged_to = "360 m"
stop = "480 m"
"""


def opened(browser, server, path, **more):
    tab = browser.open(server.address, width=1280, height=720, **more)
    tab.wait("document.body.dataset.ready")
    press(tab, f'[data-file="{path}"]')
    tab.wait(f"document.getElementById('opened').textContent.startsWith('{Path(path).stem} ')")
    tab.wait("document.querySelectorAll('.dropper').length == 90")
    judged(tab)
    for path in ("line:wires.contact.tension", "run:speed"):
        tab.wait(f"document.querySelector('[data-path=\"{path}\"]') !== null")
    return tab


def after(tab, act):
    """Do something that makes the run repeat; σ before and after it."""
    run = judged(tab)
    before = tab.evaluate(SIGMA)
    act()
    judged(tab, since=run)
    return before, tab.evaluate(SIGMA)


def dropper(span, number):
    return f'.dropper[aria-label^="Dropper {number} of span {span},"]'


#: where a control is, once it has been scrolled into view
PLACE = """(c => { if (!c || c.disabled) return null; c.scrollIntoViewIfNeeded();
  const b = (c.querySelector(':scope > .hit') || c).getBoundingClientRect();
  return [b.x + b.width / 2, b.y + b.height / 2]; })"""
#: what takes a press there; a label does for its control
TAKES = "((x, y) => { const e = document.elementFromPoint(x, y); return e?.closest('label')?.control || e; })"
KEYS = {"Enter": 13, "Tab": 9, "Escape": 27, "Delete": 46, "End": 35, "Home": 36, "PageUp": 33, "PageDown": 34,
        "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "Backspace": 8, " ": 32}  # fmt: skip
CTRL, SHIFT = 2, 8


def glide(tab, x, y):
    """Come from beside, over what lies between, and rest there."""
    for far in (24, 12, 5, 2, 1, 0):
        tab.mouse("mouseMoved", x - far, y + far / 2, button="none")


def point_at(tab, selector, off=(0, 0)):
    """Move to a control that can be pressed; it, and nothing over it, is under the pointer.

    What moves meanwhile is followed, as a hand does.
    """
    control = f"document.querySelector({json.dumps(selector)})"
    for _ in range(10):
        place = tab.wait(f"{PLACE}({control})")
        x, y = place[0] + off[0], place[1] + off[1]
        glide(tab, x, y)
        taken = tab.evaluate(f"(e => {control}?.contains(e) || e?.outerHTML.slice(0, 200))({TAKES}({x}, {y}))")
        if taken is True:
            return x, y
    raise AssertionError((selector, taken))


def press(tab, selector, off=(0, 0), times=1):
    """Move there, press and let go."""
    x, y = point_at(tab, selector, off)
    for count in range(1, times + 1):
        tab.mouse("mousePressed", x, y, clickCount=count, buttons=1)
        tab.mouse("mouseReleased", x, y, clickCount=count)


def click(tab, name):
    """Press a control by its id."""
    press(tab, f"#{name}")


def drag(tab, start, by, steps=5):
    """Move there, press, move on and let go."""
    x, y = point_at(tab, start) if isinstance(start, str) else start
    glide(tab, x, y)
    tab.mouse("mousePressed", x, y, clickCount=1, buttons=1)
    for k in range(1, steps + 1):
        tab.mouse("mouseMoved", x + by[0] * k / steps, y + by[1] * k / steps, buttons=1)
    tab.mouse("mouseReleased", x + by[0], y + by[1], clickCount=1)


def key(tab, name, modifiers=0):
    """A key with what it writes, down and up."""
    text = {"Enter": "\r", " ": " "}.get(name, name if len(name) == 1 and not modifiers & CTRL else "")
    tab.key(name, code=KEYS.get(name) or (ord(name.upper()) if name.isalnum() else 0), modifiers=modifiers, text=text)


def write(tab, selector, words, end="Enter"):
    """Three presses mark what stands in a field; then key by key, and the key that ends it."""
    press(tab, selector, times=3)
    for letter in words:
        key(tab, letter)
    if end:
        key(tab, end)


def choose_files(tab, selector, *files):
    """Files chosen in the browser's own dialog, which belongs to no page: the browser is told of them."""
    place = tab.call("Runtime.evaluate", expression=f"document.querySelector({json.dumps(selector)})")
    tab.call("DOM.setFileInputFiles", files=[str(f) for f in files], objectId=place["result"]["objectId"])


def path(name):
    """The field of a key: of the line, the run, a mast, a span or a dropper."""
    return f'[data-path="{name}"]'
