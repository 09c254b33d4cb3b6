"""Overhead contact line: description, stringing (static shape), elasticity and the linear model.

line = read_line("en50318-2002")          # or Line(...), or a TOML file
strung = string(line)                     # static shape, dropper lengths and forces
curve = elasticity(strung)                # uplift per newton along a span
model = linear_line(strung)               # matrices about the strung shape
"""

from panhead.railway.line.alignment import TrackPoint
from panhead.railway.line.bows import BowModel
from panhead.railway.line.conditions import Conditions, Wind, WireState, line_in, wire_states
from panhead.railway.line.conductor_rail import RailJoint
from panhead.railway.line.elasticity import Elasticity, StaticLine, elasticity
from panhead.railway.line.insulators import InsulatorKind, NeutralSection, SectionInsulator
from panhead.railway.line.line_defects import DropperError, HardSpot, WornSection
from panhead.railway.line.line_description import Line, Mast, Overlap, Span, Stitch, TensionLength, Wires
from panhead.railway.line.line_files import read_line, shipped_lines
from panhead.railway.line.line_matrices import LinearLine, linear_line
from panhead.railway.line.line_speed import SpeedCheck, check_speed
from panhead.railway.line.line_variants import with_contact_tension, with_dropper_errors, with_presag
from panhead.railway.line.parts import Dropper, DropperKind, SteadyArm, Support
from panhead.railway.line.rods import RodModel
from panhead.railway.line.strung_line import Strung, string
from panhead.railway.line.strung_shape import DropperTable, StaticShape, WireCurve, static_shape
from panhead.railway.line.tensioning import Tensioning, change_of_state, equivalent_span
from panhead.railway.line.wires import MATERIALS, Material, Wire

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
