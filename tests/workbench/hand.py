"""What a hand does to the page, and what an eye sees of it."""

import json
from pathlib import Path

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
VERDICT = "document.getElementById('verdict')"
SIGMA = f"{VERDICT}.querySelector('[data-key=deviation] b')?.textContent"
#: texts of a drawing that lie over one another, by more than the room between lines
OVERLAPS = """(() => { const found = [];
  for (const drawing of document.querySelectorAll('main svg')) {
    const texts = [...drawing.querySelectorAll('text')]
      .filter(t => t.textContent && t.getBoundingClientRect().width > 0);
    const boxes = texts.map(t => t.getBoundingClientRect());
    for (let i = 0; i < boxes.length; i++) for (let j = 0; j < i; j++) {
      const w = Math.min(boxes[i].right, boxes[j].right) - Math.max(boxes[i].left, boxes[j].left);
      const h = Math.min(boxes[i].bottom, boxes[j].bottom) - Math.max(boxes[i].top, boxes[j].top);
      if (w > 2 && h > 4) found.push(`${texts[j].textContent} | ${texts[i].textContent}`);
    } }
  return found; })()"""
#: controls without a name that a screen reader could say
NAMELESS = """[...document.querySelectorAll('button, input, select, [role=button], svg[tabindex], progress')]
  .filter(c => !(c.getAttribute('aria-label') || c.textContent.trim()
    || (c.labels && [...c.labels].some(l => l.textContent.trim()))))
  .map(c => c.outerHTML.slice(0, 120))"""


#: what stands in the margin of the panel at the right, or beyond it; figures that are wider than their field
CUT = """(() => { const panel = document.querySelector('aside'), edge = panel.getBoundingClientRect().right - 9;
  return [...panel.querySelectorAll('td, th, input, select, button')]
    .filter(e => e.getBoundingClientRect().right > edge || (e.closest('td') && e.scrollWidth > e.clientWidth))
    .map(e => e.outerHTML.slice(0, 120)); })()"""


def opened(browser, server, path, **more):
    tab = browser.open(server.address, width=1280, height=720, **more)
    tab.wait("document.body.dataset.ready")
    tab.evaluate(f"document.querySelector('[data-file=\"{path}\"]').click()")
    tab.wait(f"document.getElementById('opened').textContent.startsWith('{Path(path).stem} ')")
    tab.wait("document.querySelector('#verdict .word') && document.querySelectorAll('.dropper').length == 90")
    for path in ("line:wires.contact.tension", "run:speed"):
        tab.wait(f"document.querySelector('[data-path=\"{path}\"]') !== null")
    return tab


def after(tab, act):
    """Do something that makes the run repeat; σ before and after it."""
    before, task = tab.evaluate(SIGMA), tab.evaluate("document.body.dataset.result")
    act()
    tab.wait(f"document.body.dataset.result != {task!r}")
    return before, tab.evaluate(SIGMA)


def middle_of(tab, selector):
    x, y = tab.evaluate(
        f"(() => {{ const b = document.querySelector('{selector}').getBoundingClientRect();"
        "return [b.x + b.width / 2, b.y + b.height / 2] })()"
    )
    return x, y


def dropper(span, number):
    return f'.dropper[aria-label^="Dropper {number} of span {span},"]'


#: where a control is, once it has been scrolled into view
PLACE = """(c => { if (!c) return null; c.scrollIntoViewIfNeeded();
  const b = (c.querySelector('.hit') || c).getBoundingClientRect();
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
    """Move to a control; it, and nothing that lies over it, is under the pointer."""
    control = f"document.querySelector({json.dumps(selector)})"
    place = tab.wait(f"{PLACE}({control})")
    x, y = place[0] + off[0], place[1] + off[1]
    glide(tab, x, y)
    taken = f"(e => {control}.contains(e) || e?.outerHTML.slice(0, 200))({TAKES}({x}, {y}))"
    assert tab.evaluate(taken) is True, (selector, tab.evaluate(taken))
    return x, y


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
    tab.key(name, code=KEYS.get(name) or ord(name.upper()), modifiers=modifiers, text=text)


def write(tab, selector, words, end="Enter"):
    """Three presses mark what stands in a field; then key by key, and the key that ends it."""
    press(tab, selector, times=3)
    for letter in words:
        key(tab, letter)
    if end:
        key(tab, end)


def path(name):
    """The field of a key: of the line, the run, a mast, a span or a dropper."""
    return f'[data-path="{name}"]'


#: texts whose contrast with what is behind them is below that of WCAG 2.2, 1.4.3, with its ratio; placeholders included
FAINT = """(() => {
  const light = (c) => c.slice(0, 3).map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, k) => sum + v * [0.2126, 0.7152, 0.0722][k], 0);
  const read = (text) => { const n = text.match(/[\\d.]+/g).map(Number); return n.length > 3 ? n : [...n, 1]; };
  const over = (a, b) => [0, 1, 2].map(k => a[k] * a[3] + b[k] * (1 - a[3])).concat(1);
  const behind = (e) => { if (!e) return [255, 255, 255, 1];
    const own = read(getComputedStyle(e).backgroundColor);
    return own[3] === 1 ? own : over(own, behind(e.parentElement)); };
  const found = [];
  for (const e of document.querySelectorAll('body *')) {
    const words = [...e.childNodes].filter(n => n.nodeType === 3).map(n => n.textContent.trim()).filter(Boolean);
    const box = e.getBoundingClientRect(), style = getComputedStyle(e);
    if (!words.length || !box.width || e.closest('[hidden], .save, title, :disabled, .old')) continue;
    const ground = behind(e), ink = over(read(e instanceof SVGElement ? style.fill : style.color), ground);
    const [a, b] = [light(ink), light(ground)], ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) found.push(`${words[0]}: ${ratio.toFixed(2)}`);
  }
  return found; })()"""
