"""Slipped numbers: every dimensional key of a line or a pantograph a thousand times too large or too small.

A unit forgotten or taken for another (N for kN, m for mm, kg/km for kg/m) is a factor of 10³. Each must be refused, or
noticed by ``panhead line check`` or by the warnings of a run; what is not is listed here with the reason.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from panhead.desk.sheets.line_check import check_line
from panhead.errors import PanheadError
from panhead.files import parse
from panhead.files.inventory import stated_fields
from panhead.railway.line import Dropper, DropperError, DropperKind, HardSpot, Line, Mast, Span, WornSection, read_line
from panhead.railway.line.alignment import TrackPoint
from panhead.railway.line.bows import BowModel
from panhead.railway.line.insulators import InsulatorKind, NeutralSection, SectionInsulator
from panhead.railway.line.line_plausibility import implausible
from panhead.railway.line.parts import Support
from panhead.railway.line.rods import RodModel
from panhead.railway.line.tensioning import Tensioning
from panhead.railway.pantograph.lumped_pantograph import LumpedPantograph
from panhead.railway.pantograph.pantograph_plausibility import implausible_pantograph

FULL = "full"  #: name of the line that has what shipped ones have not

#: end of the path of a key, factor → why nobody can notice
LISTED = {
    ("erected_at", 1e-3): "0.01 °C is a temperature like any other",
    ("chainage", 1e-3): "a line may begin anywhere",
    ("dropper.damping", 1e-3): "10 N·s/m is a usual damping; 10 kN·s/m, as printed for this line, is not",
    ("masts.stagger", 1e-3): "a wire over the middle of the track at one mast is nothing unusual",
    ("masts.lift", 1e-3): "a wire may be higher by any small amount",
    ("messenger_stagger", 1e-3): "the messenger may hang over the middle of the track",
    ("droppers.length_error", 1e-3): "an error may be small",
    ("dropper_errors.error", 1e-3): "an error may be small",
    ("side_load", 1e-3): "a load may be small",
    ("alignment.at", 1e-3): "a curve may begin and end anywhere; out of order it is refused",
    ("alignment.at", 1e3): "a curve may begin and end anywhere; out of order it is refused",
    ("alignment.cant", 1e-3): "a cant may be small",
    ("tunnels", 1e-3): "a tunnel may be anywhere",
    ("tunnels", 1e3): "a tunnel beyond the line lifts nobody",
    ("hard_spots.position", 1e-3): "a place like any other",
    ("neutral_sections.start", 1e-3): "a place like any other",
    ("worn_sections.start", 1e-3): "a place like any other",
    ("rail_joints.position", 1e-3): "a place like any other",
    ("hard_spots.stiffness", 1e3): "a hard spot may be held firmly",
    ("messenger_stiffness", 1e-3): "soft cantilevers are studied; the wire hangs at its drawn height all the same",
    ("lateral_stiffness", 1e-3): "a soft hold may be meant",
    ("lateral_stiffness", 1e3): "it is then rigid, as without the key",
}


#: of pantographs: end of the path of a key, factor → why nobody can notice
OF_PANTOGRAPHS = {
    ("stages.3.stiffness", 1e-3): "the lowest mass may be lifted by its static force alone: 0.1 N/m is in print",
    ("stages.2.stiffness", 1e-3): "the same where it is the lowest",
    ("stages.3.stiffness", 1e3): "0.1 N/m is next to nothing, and 100 N/m are usual",
    ("stages.2.damping", 1e3): "0.1 N·s/m, as printed for a frame, is next to nothing, and 100 N·s/m are usual",
    ("stages.1.damping", 1e-3): "there are heads with as little damping",
    ("stages.2.damping", 1e-3): "there are frames with as little damping",
    ("stages.3.damping", 1e-3): "there are frames with as little damping",
    ("friction_speed", 1e-3): "sharper friction is costly, not wrong",
    ("aerodynamic", 1e-3): "there are pantographs without any lift by the air",
    ("contact_stiffness", 1e3): "a rigid contact, 50 MN/m, is as good a model",
}


def full_line() -> Line:
    """What shipped lines have not: every other dimensional key once."""
    base = read_line("stitched-25kv")
    kind = InsulatorKind(length=2.0, mass=8.0, bending_stiffness=300.0, depth=0.002, ramp=0.3)
    rod = DropperKind(stiffness=1e5, mass_per_length=0.11, rod=RodModel(residual=10.0))
    bow = DropperKind(stiffness=1e5, mass_per_length=0.11, bow=BowModel())
    listed = (
        Dropper(position=4.5, length_error=0.004), Dropper(position=12.0, sag=0.02, kind="rod"),
        Dropper(position=19.5, height=5.06, kind="bow"), Dropper(position=27.0), Dropper(position=34.5),
        Dropper(position=42.0, kind=DropperKind(stiffness=9e4, damping=30.0)), Dropper(position=49.5),
    )  # fmt: skip
    soft = Support(
        encumbrance=1.4, stagger=0.2, messenger_stagger=0.1, messenger_stiffness=5e5, messenger_damping=1e3,
        contact_stiffness=500.0, contact_damping=20.0, contact_mass=0.5, lateral_stiffness=1e5,
    )  # fmt: skip
    wires = replace(base.wires, contact=replace(base.wires.contact, diameter=0.0144, expansion=17e-6,
                                                side_load=2.0, air_damping=0.3))  # fmt: skip
    length = replace(
        base.tension_lengths[0],
        spans=(Span(length=54.0, count=2, presag=0.03, droppers=listed), Span(kind="a54", count=3)),
        masts=(Mast(at=2, contact_height=5.07, lift=0.01, stagger=-0.2, messenger_stagger=0.05, encumbrance=1.35),
               Mast(at=3, support="soft")),
        dropper_errors=(DropperError(span=3, dropper=2, error=0.003),),
        worn_sections=(WornSection(start=60.0, end=70.0, remaining=0.8),),
        hard_spots=(HardSpot(position=100.0, mass=2.0, stiffness=50.0),),
        section_insulators=(SectionInsulator(position=150.0, kind=kind),),
        neutral_sections=(NeutralSection(start=170.0, end=200.0, kind=kind),),
        tensioning=Tensioning(travel=0.8),
    )  # fmt: skip
    return replace(
        base, name="full", wires=wires, span_kinds={"a54": base.span_kinds["a54"]},
        tension_lengths=(length,), support_kinds={"soft": soft}, chainage=12e3,
        dropper_kinds={"rod": rod, "bow": bow}, height_profile=((0.0, 5.08), (270.0, 5.09)), tunnels=((50.0, 90.0),),
        alignment=(TrackPoint(at=0.0, radius=2000.0, cant=0.05), TrackPoint(at=270.0, radius=2000.0, cant=0.05)),
    )  # fmt: skip


def slips(described: Any, *, every: bool = False) -> Iterator[tuple[str, float, Any]]:
    """Key without numbers of items, factor, the description with it; None: refused.

    ``every``: of each item of a list, else of the first.
    """
    plain, seen = parse.to_plain(described), set()
    for path, value, unit in stated_fields(described):
        key = ".".join(part for part in path.split(".") if not part.isdigit())
        if not unit or value == 0.0 or (key in seen and not every):
            continue
        seen.add(key)
        place = ".".join(str(int(part) - 1) if part.isdigit() else part for part in path.split("."))
        for factor in (1e3, 1e-3):
            changed = parse.with_values(plain, [(place, _times(value, factor))])
            try:
                yield path if every else key, factor, parse.build(type(described), changed, source="slipped")
            except PanheadError:
                yield path if every else key, factor, None


def _times(value, factor):
    return [_times(x, factor) for x in value] if isinstance(value, list) else value * factor


def noticed(line: Line, usual: set[str]) -> bool:
    """By its numbers, which a run is warned of as well, or by line check; ``usual``: what is found anyway."""
    if any(implausible(line)):
        return True
    try:
        return any(f.words not in usual for f in check_line(line, speed=200 / 3.6).findings)
    except PanheadError:
        return True


def line_of(name: str) -> Line:
    """A shipped line, short where it repeats itself, or the full one."""
    line = full_line() if name == FULL else read_line(name)
    return replace(line, tension_lengths=tuple(replace(t, repeat=min(t.repeat, 2)) for t in line.tension_lengths))


def unnoticed_of_line(line: Line) -> tuple[int, list[tuple[str, float]]]:
    """How many slips were tried, and those that nobody noticed."""
    usual = {f.words for f in check_line(line, speed=200 / 3.6).findings}
    tried = list(slips(line))
    return len(tried), [
        (key, factor)
        for key, factor, slipped in tried
        if slipped is not None and not _listed(LISTED, key, factor) and not noticed(slipped, usual)
    ]


def unnoticed_of_pantograph(pantograph: LumpedPantograph) -> tuple[int, list[tuple[str, float]]]:
    """The same of a chain of masses, stage by stage."""
    tried = list(slips(pantograph, every=True))
    return len(tried), [
        (path, factor)
        for path, factor, slipped in tried
        if slipped is not None
        and not _listed(OF_PANTOGRAPHS, path, factor)
        and not any(implausible_pantograph(slipped))
    ]


def _listed(reasons: dict[tuple[str, float], str], path: str, factor: float) -> bool:
    return any(path.endswith(end) and factor == of for end, of in reasons)
