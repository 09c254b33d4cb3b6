"""Parameter families: from the derivatives of a run to named parameters of its line, pantographs and train."""

from __future__ import annotations

from collections.abc import Mapping

from panhead.railway.line.span_mesh import ALPHA, BENDING, BETA, MASS, TENSION
from panhead.runs.gradients import line_families as line
from panhead.runs.gradients import train_families as train
from panhead.runs.gradients.dropper_places import positions
from panhead.runs.gradients.run_cotangents import ParameterFamily
from panhead.runs.linear.step.unilateral import FRICTION, STOP

FAMILIES: Mapping[str, ParameterFamily] = {
    "dropper.length": ParameterFamily("m", "unstretched length of a dropper, as it is cut; all others keep theirs",
                             line.droppers(lambda p: p.links["length"] + p.built.length)),
    "dropper.stiffness": ParameterFamily("N/m", "stiffness of a dropper",
                                line.droppers(lambda p: p.links["k"] + p.drawn.stiffness)),
    "dropper.damping": ParameterFamily("N*s/m", "damping of a dropper", line.droppers(lambda p: p.links["c"])),
    "dropper.mass": ParameterFamily("kg", "mass of the lower clamp of a dropper",
                           line.droppers(lambda p: p.links["mass"][:, 2] + p.drawn.mass[:, 2])),
    "dropper.top_mass": ParameterFamily("kg", "mass of the upper clamp of a dropper",
                               line.droppers(lambda p: p.links["mass"][:, 1] + p.drawn.mass[:, 1])),
    "dropper.mass_per_length": ParameterFamily("kg/m", "mass per length of a dropper",
                                      line.droppers(lambda p: p.links["mass"][:, 0] + p.drawn.mass[:, 0])),
    "dropper.position": ParameterFamily("m", "place of a dropper from the span's first mast; heights wanted are kept",
                               positions),
    "wire.tension": ParameterFamily("N", "tension of a wire; droppers restore the heights wanted", line.wires(TENSION)),
    "wire.mass": ParameterFamily("kg/m", "mass per length of a wire", line.wires(MASS)),
    "wire.bending": ParameterFamily("N*m**2", "bending stiffness of a wire", line.wires(BENDING)),
    "wire.mass_damping": ParameterFamily("1/s", "damping of a wire by its mass, α", line.wires(ALPHA)),
    "wire.stiffness_damping": ParameterFamily("s", "damping of a wire by its stiffness, β", line.wires(BETA)),
    "support.height": ParameterFamily("m", "height of the contact wire at a mast", line.masts(line.heights)),
    "support.stagger": ParameterFamily("m", "stagger at a mast", line.masts(line.staggers)),
    "support.encumbrance": ParameterFamily("m", "messenger above the contact wire at a mast",
                                  line.masts(line.encumbrances)),
    "support.mass": ParameterFamily("kg", "mass on the contact wire at a mast", line.masts(lambda p: p.masts[:, 0])),
    "support.damping": ParameterFamily("N*s/m", "damping at a mast", line.masts(lambda p: p.masts[:, 1])),
    "support.stiffness": ParameterFamily("N/m", "contact wire's spring at a mast", line.masts(lambda p: p.masts[:, 2])),
    "arm.mass": ParameterFamily("kg", "mass of a steady arm", line.arms(line.arm_masses)),
    "arm.length": ParameterFamily("m", "length of a steady arm", line.arms(line.arm_lengths)),
    "presag": ParameterFamily("m", "pre-sag of the contact wire at mid-span", line.presag),
    "pantograph.mass": ParameterFamily("kg", "mass of a stage",
                              train.stages(lambda s, i, j: float(s.slope.M_train[i, i]))),
    "pantograph.stiffness": ParameterFamily("N/m", "suspension of a stage", train.stages(train.stiffness)),
    "pantograph.damping": ParameterFamily("N*s/m", "damper of a stage",
                                 train.stages(train.damping)),
    "pantograph.friction": ParameterFamily("N", "dry friction of a stage", train.elements(FRICTION, 0)),
    "pantograph.friction_speed": ParameterFamily("m/s", "speed below which friction fades",
                                        train.elements(FRICTION, 1)),
    "pantograph.stop_up": ParameterFamily("m", "travel of a stage up to its stop", train.elements(STOP, 2, 1.0)),
    "pantograph.stop_down": ParameterFamily("m", "travel of a stage down to its stop", train.elements(STOP, 2, -1.0)),
    "pantograph.stop_stiffness": ParameterFamily("N/m", "stiffness of the stops of a stage", train.elements(STOP, 0)),
    "pantograph.static_force": ParameterFamily("N", "static force", train.lift(0)),
    "pantograph.aerodynamic": ParameterFamily("N*s**2/m**2", "uplift per speed squared", train.lift(2)),
    "pantograph.stage_force": ParameterFamily("N", "constant force on a stage", train.stage_lift(0)),
    "pantograph.stage_aerodynamic": ParameterFamily("N*s**2/m**2", "force on a stage per speed squared",
                                           train.stage_lift(2)),
    "contact.stiffness": ParameterFamily("N/m", "contact between head and wire", train.heads(1)),
    "contact.damping": ParameterFamily("N*s/m", "damping of the contact", train.heads(2)),
    "contact.exponent": ParameterFamily("1", "exponent of the contact law", train.hertzian(3)),
    "contact.restitution": ParameterFamily("1", "restitution of the contact law",
                                  train.hertzian(4, lambda s: -1.5 * s.tape.session.model.run.contact.restitution)),
    "contact.least_impact_speed": ParameterFamily("m/s", "least speed of a touch in the contact law",
                                                  train.hertzian(5)),
    "train.behind": ParameterFamily("m", "distance of a pantograph behind the first", train.spacing),
    "train.start": ParameterFamily("m", "where the first pantograph starts, the others behind it", train.start),
    "speed": ParameterFamily("m/s", "speed of the train", train.speed),
    "control.gain": ParameterFamily("N*s/m", "a gain of the law of the head, of rates", train.gains),
    "control.force": ParameterFamily("N", "a force in time on a mass, by each row of its table", train.control),
}  # fmt: skip
