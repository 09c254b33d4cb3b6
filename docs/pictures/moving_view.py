"""Film the 3D view for the README in headless Chromium: python docs/pictures/moving_view.py."""

import io
import sys
from pathlib import Path

import numpy as np
from PIL import Image

import panhead as ph

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests"))
from desk.reports.browser import Browser, Tab, executable  # noqa: E402  # which drives Chromium

WIDTH, HEIGHT = 1120, 630  # of the page [px]
SHOWN = 800  # width of the picture [px]
FROM, TO = 2.34, 3.34  # one span and two masts [s]
PICTURES, EACH = 80, 60  # number, and how long each stays [ms]


def frame(tab: Tab, share: float, path: Path) -> Image.Image:
    """The page at a share of the time: the camera turns a little while it follows the pantograph."""
    time, azimuth = FROM + share * (TO - FROM), -0.62 - 0.35 * np.sin(np.pi * share)
    tab.evaluate(f"location.hash = 't={time:.4f}&x=5&azimuth={azimuth:.4f}&elevation=0.13&distance=7.2'")
    tab.wait(f"document.body.dataset.drawn == '{time:.4f}00'")
    tab.evaluate("new Promise(then => requestAnimationFrame(() => requestAnimationFrame(then)))")
    tab.screenshot(path, whole=False)
    picture = Image.open(io.BytesIO(path.read_bytes())).convert("RGB")
    path.unlink()
    return picture.resize((SHOWN, SHOWN * HEIGHT // WIDTH), Image.Resampling.LANCZOS)


def main() -> Path:
    """The main job's run, one span in slow motion, as an animated WebP."""
    path = Path(__file__).with_suffix(".webp")
    page = ph.run("en50318-300").view().save(path.with_suffix(".html"))
    browser = Browser(executable() or "chromium")
    try:
        tab = browser.open(page, width=WIDTH, height=HEIGHT)
        tab.wait("document.body.dataset.drawn")
        frames = [frame(tab, k / (PICTURES - 1), path.with_suffix(".png")) for k in range(PICTURES)]
    finally:
        browser.close()
        page.unlink()
    frames[0].save(path, save_all=True, append_images=frames[1:], duration=EACH, loop=0, quality=58, method=6)
    return path


if __name__ == "__main__":
    print(main())
