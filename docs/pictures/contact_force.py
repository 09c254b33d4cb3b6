"""Draw the picture of the README: python docs/pictures/contact_force.py."""

from pathlib import Path

from panhead import scenarios
from panhead.report.figures import to_png
from panhead.report.page import Picture


def main() -> Path:
    """The close-up of the main job's report: contact force and contact point over two spans."""
    scenario = scenarios.read("en50318-300")
    page = scenario.kind.page(scenario.simulate())
    blocks = [block for section in page.sections for block in section.blocks]
    (picture,) = (b for b in blocks if isinstance(b, Picture) and b.name == "force_spans")
    path = Path(__file__).with_suffix(".png")
    path.write_bytes(to_png(picture.figure, dpi=110))
    return path


if __name__ == "__main__":
    print(main())
