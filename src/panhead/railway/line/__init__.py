"""The overhead contact line: described in words, strung, and made linear for the fast solver.

line = read_line("en50318-2002")          # or Line(...), or a TOML file
strung = string(line)                     # static shape, dropper lengths and forces
curve = elasticity(strung)                # uplift per newton along a span
model = linear_line(strung)               # matrices about the strung shape
"""

from panhead.line.alignment import TrackPoint
from panhead.line.bows import BowModel
from panhead.line.changes import with_contact_tension, with_dropper_errors, with_presag
from panhead.line.conditions import Conditions, Wind, WireState, line_in, wire_states
from panhead.line.description import Line, Mast, Overlap, Span, Stitch, TensionLength, Wires
from panhead.line.elasticity import Elasticity, StaticLine, elasticity
from panhead.line.files import read_line, shipped_lines
from panhead.line.insulators import InsulatorKind, NeutralSection, SectionInsulator
from panhead.line.irregularities import DropperError, HardSpot, WornSection
from panhead.line.linear import LinearLine, linear_line
from panhead.line.parts import Dropper, DropperKind, SteadyArm, Support
from panhead.line.rail import RailJoint
from panhead.line.rods import RodModel
from panhead.line.shape import DropperTable, StaticShape, WireCurve, static_shape
from panhead.line.speed import SpeedCheck, check_speed
from panhead.line.strung import Strung, string
from panhead.line.tensioning import Tensioning, change_of_state, equivalent_span
from panhead.line.wires import MATERIALS, Material, Wire

__all__ = [
    "MATERIALS",
    "BowModel",
    "Conditions",
    "Dropper",
    "DropperError",
    "DropperKind",
    "DropperTable",
    "Elasticity",
    "HardSpot",
    "InsulatorKind",
    "Line",
    "LinearLine",
    "Mast",
    "Material",
    "NeutralSection",
    "Overlap",
    "RailJoint",
    "RodModel",
    "SectionInsulator",
    "Span",
    "SpeedCheck",
    "StaticLine",
    "StaticShape",
    "SteadyArm",
    "Stitch",
    "Strung",
    "Support",
    "TensionLength",
    "Tensioning",
    "TrackPoint",
    "Wind",
    "Wire",
    "WireCurve",
    "WireState",
    "Wires",
    "WornSection",
    "change_of_state",
    "check_speed",
    "elasticity",
    "equivalent_span",
    "line_in",
    "linear_line",
    "read_line",
    "shipped_lines",
    "static_shape",
    "string",
    "wire_states",
    "with_contact_tension",
    "with_dropper_errors",
    "with_presag",
]
