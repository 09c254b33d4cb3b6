"""Read models from MJCF files: a model of rigid bodies, joints, shapes, springs and motors in the order of the file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from panhead.engine.forces.applied_force import Actuator
from panhead.engine.forces.collision_shape import CollisionShape
from panhead.engine.forces.springs import SpringDamper
from panhead.engine.roles import Item
from panhead.errors import FileError, ModelError
from panhead.files.mjcf_file import MjcfFile, mjcf_file
from panhead.files.urdf import LinkPlace, Robot, TreeAssembly, joint_numbers, measures_of, triple


def read_mjcf(
    path: str | Path, *, positions: Mapping[str, float] | None = None, rates: Mapping[str, float] | None = None
) -> Robot:
    """Read a model from an MJCF file; ``positions`` and ``rates`` of hinges and slides by name, default 0.

    Bodies with one hinge, slide, ball or free joint, or none (welded to their parent); inertias given or of the geoms;
    geoms as shapes that meet; stiffness and damping of joints; motors as controls of their name. What would change the
    motion and is not supported is refused by name: several joints on a body, tendons, equalities, meshes, actuators
    other than motors; armature, dry friction of joints and limits are told. Contact follows Coulomb's law rigidly,
    where MuJoCo's is soft.
    """
    file = mjcf_file(path)
    starts = [joint_numbers(file.tree, what, given or {}) for what, given in (("position", positions), ("rate", rates))]
    try:
        robot = TreeAssembly(file.tree, *starts).robot(file.gravity)
    except FileError:
        raise
    except ModelError as error:
        raise FileError(file.tree.path, f"{error}; correct <inertial> or the geoms of this body") from None
    items = [*_shapes(file, robot.places), *_forces(file, robot)]
    return replace(robot, model=replace(robot.model, items=(*robot.model.items, *items)))


def _shapes(file: MjcfFile, places: Mapping[str, LinkPlace]) -> list[Item]:
    found: list[Item] = []
    for geom in file.geoms:
        place = places[geom.link]
        R = place.R @ geom.R
        at = place.body.at(triple(place.p + place.R @ geom.p), axis=triple(R[:, 2]), across=triple(R[:, 0]))
        found.append(
            CollisionShape(
                name=geom.name, at=at, form=geom.form, surface=geom.surface, group=geom.group, meets=geom.meets
            )
        )
    return found


def _forces(file: MjcfFile, robot: Robot) -> list[Item]:
    """Measures of the joints that springs, dampers and motors act along, and these."""
    needed = {force.joint for force in file.forces} | {motor.joint for motor in file.motors}
    start = dict(zip(robot.limits.names, robot.positions, strict=True))
    along = dict(zip(robot.limits.names, robot.measured, strict=True))
    names = [name for name in robot.limits.names if name in needed]
    found: list[Item] = [*measures_of(robot.model, names, [start[name] for name in names])]
    for x in file.forces:
        found.append(
            SpringDamper(
                name=f"spring of {x.joint}", along=along[x.joint], stiffness=x.stiffness, damping=x.damping, rest=x.rest
            )
        )
    for motor in file.motors:
        found.append(Actuator(name=motor.name, along=along[motor.joint], gain=motor.gear))
    return found
