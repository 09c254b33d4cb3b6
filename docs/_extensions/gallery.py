"""Pages of the gallery, one for each example: what it shows, its picture, the number it states, its source.

Nothing is run: the pictures were drawn by docs/pictures/examples.py from the examples as they stand, and the
tests run every example and hold it to its number.
"""

import ast
import re
from pathlib import Path

#: examples from the main job outward; one that is not named here comes last
GROUPS = {
    "A pantograph under a line": (
        "run_under_a_line", "setting_and_signature", "speed_curve", "which_dropper_is_to_blame", "gradient_under_cables", "better_droppers", "own_pantograph_under_a_line", "string_a_line",
        "line_from_tables", "design_of_a_real_line",
        "catenary_control", "two_codes", "compare_two_tensions", "wear_along_a_wire",
        "pantograph_as_a_unit", "calibrate_a_passage", "pantograph_on_a_rig",
    ),
    "Pantographs and vehicles": (
        "cx_pantograph_under_a_force", "clamp_strikes_pantograph", "planar_pantograph_equilibrium",
        "pantograph_from_a_bench_test", "calibrate_support_motion",
        "vehicle_on_rough_track",
    ),
    "Control": ("damping_laws_of_a_pan_head", "swing_up_a_cart_pendulum"),
    "Bodies, joints and wires": (
        "chain", "slider_crank_elastic_rod", "stick_slip_on_a_belt", "bouncing_rod", "chain_falls_on_table",
        "rod_across_two_wires",
        "rotor_in_bearings", "pendulum_on_beam",
        "large_deflection_cantilever", "flexible_arm_on_a_hinge", "bracket_in_few_coordinates",
        "robot_from_urdf",
    ),
    "Mechanisms written as positions": (
        "double_pendulum_on_a_cart", "spinning_top", "four_bar_rank_report", "hanging_chain_modes",
        "variator_with_noise",
    ),
}  # fmt: skip


def title(stem):
    """``run_under_a_line`` as a title."""
    return stem.replace("_", " ").capitalize().replace("Cx ", "CX ")


def story(path):
    """The words of an example's docstring, and what it states about its number."""
    source = path.read_text(encoding="utf-8")
    words = ast.get_docstring(ast.parse(source))
    about = re.search(r"((?:^#: .*\n)*)^EXPECTED = (\(.*?\))(?:  # (.*))?$", source, re.MULTILINE)
    said = " ".join(line[3:] for line in about[1].splitlines()) or about[3] or ""
    return re.sub(r"([*|<])", r"\\\1", words), said, ast.literal_eval(about[2])


def page(path):
    """The page of one example."""
    words, said, (low, high) = story(path)
    stated = f"**{low:g}**" if low == high else f"**{low:g} … {high:g}**"
    picture = f"```{{figure}} ../pictures/examples/{path.stem}.png\n:alt: {title(path.stem)}\n```\n"
    number = f"The tests run it and demand {stated}: {said}\n"
    listing = f"```{{literalinclude}} ../../examples/{path.name}\n:language: python\n```\n"
    return f"# {title(path.stem)}\n\n{words}\n\n{picture}\n{number}\n{listing}"


def index(stems):
    """All pictures on one page, by task."""
    named = [stem for group in GROUPS.values() for stem in group]
    groups = GROUPS | {"More": tuple(stem for stem in stems if stem not in named)}
    words = "Each runs as it stands, `python examples/NAME.py`, and states a number that the tests hold it to."
    parts = [f"# Examples\n\n{words}\n"]
    for group, members in groups.items():
        shown = [stem for stem in members if stem in stems]
        figures = [
            f"```{{figure}} ../pictures/examples/{stem}.png\n:figclass: example\n:target: {stem}.html\n\n"
            f"{title(stem)}\n```\n"
            for stem in shown
        ]
        pages = "```{toctree}\n:hidden:\n\n" + "\n".join(shown) + "\n```\n"
        parts += [f"## {group}\n", *figures, pages] if shown else []
    return "\n".join(parts)


def write(app):
    """Write the pages into docs/gallery; untouched where nothing changed, so that they are not built again."""
    here = Path(app.srcdir)
    found = {path.stem: path for path in sorted((here.parent / "examples").glob("*.py"))}
    texts = {"index": index(list(found))} | {stem: page(path) for stem, path in found.items()}
    folder = here / "gallery"
    folder.mkdir(exist_ok=True)
    for old in folder.glob("*.md"):
        if old.stem not in texts:
            old.unlink()
    for stem, text in texts.items():
        target = folder / f"{stem}.md"
        if not target.exists() or target.read_text(encoding="utf-8") != text:
            target.write_text(text, encoding="utf-8")


def setup(app):
    app.connect("builder-inited", write)
    app.add_css_file("gallery.css")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
