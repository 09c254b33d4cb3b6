"""Draw the picture of the README: python docs/pictures/contact_force.py."""

from pathlib import Path

import panhead as ph
from panhead.desk.reports import page_of
from panhead.desk.reports.page import Picture
from panhead.desk.drawing.svg import document


def main() -> Path:
    """The close-up of the main job's report: contact force and contact point over two spans."""
    page = page_of(ph.run("en50318-300"))
    blocks = [block for section in page.sections for block in section.blocks]
    (picture,) = (b for b in blocks if isinstance(b, Picture) and b.name == "force_spans")
    path = Path(__file__).with_suffix(".svg")
    path.write_text(document(picture.chart), "utf-8")
    return path


if __name__ == "__main__":
    print(main())
