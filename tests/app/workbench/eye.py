"""What an eye sees of the page, and how it knows that something is still to come."""

import json
import zlib

import numpy as np

VERDICT = "document.getElementById('verdict')"
DRAWN = "!document.getElementById('elevation').ariaBusy"
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


def judged(tab, since=None):
    """Until the verdict is that of what is on the page, and of another run than one that was there before; its run."""
    settled = f"{VERDICT}.ariaBusy == 'false' && {DRAWN} && document.body.dataset.result"
    return tab.wait(f"(run => run != {json.dumps(since)} && run)({settled})")


def painted(tab):
    """Until what has changed is on the screen."""
    tab.evaluate("new Promise(then => requestAnimationFrame(() => requestAnimationFrame(then)))")


def unlike(one, other, by):
    """Share of the pixels of two PNG files whose grey differs by more than something; 1 if their sizes do."""
    first, second = (_grey(path.read_bytes()) for path in (one, other))
    return float(np.mean(np.abs(first - second) > by)) if first.shape == second.shape else 1.0


def _grey(png):
    """Means of the colours of a PNG of eight bits, as Chromium writes it (ISO/IEC 15948, clause 9: filters)."""
    place, data = 8, b""
    while place < len(png):
        long, kind = int.from_bytes(png[place : place + 4], "big"), png[place + 4 : place + 8]
        body = png[place + 8 : place + 8 + long]
        if kind == b"IHDR":
            width, height, colours = (*np.frombuffer(body[:8], ">u4").tolist(), {2: 3, 6: 4}[body[9]])
        data += body if kind == b"IDAT" else b""
        place += long + 12
    lines = np.frombuffer(zlib.decompress(data), np.uint8).reshape(height, 1 + width * colours)
    above = [0] * (width * colours + colours)
    rows = []
    for line in lines.tolist():
        row = [0] * colours
        for k, value in enumerate(line[1:], colours):
            a, b, c = row[k - colours], above[k], above[k - colours]
            row.append((value + _guess(line[0], a, b, c)) % 256)
        rows.append(row[colours:])
        above = row
    return np.array(rows, float).reshape(height, width, colours)[:, :, :3].mean(axis=2)


def _guess(kind, a, b, c):
    """What a filter takes a byte for: from left, above, and left above."""
    if kind == 4:
        return min((a, b, c), key=lambda near: abs(a + b - c - near))
    return (0, a, b, (a + b) // 2)[kind]
