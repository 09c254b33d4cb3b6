"""Models in joint coordinates: a spanning tree of joints, and the constraints that close its loops.

Joints that can carry a body become its coordinates, base to tip [Lipinski23, section 2]. Bodies, forces and the
remaining joints are written with the poses that follow; everything else is derived as in absolute coordinates.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import final

import casadi as ca
import numpy as np

from panhead.engine.multibody.model import Model
from panhead.engine.multibody.multibody_system import MultibodySystem
from panhead.engine.multibody.spanning_tree import SpanningTreeBuilder
from panhead.engine.multibody.tree_kinematics import Motion, Path, states_of
from panhead.engine.multibody.tree_rows import carried_row, rewrite_row
from panhead.engine.roles import Coordinate, Item, Row, Terms, Triple


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class JointCoordinates(Item):
    """A joint of the tree, which owns the coordinates that it leaves free."""

    name: str
    motion: Motion
    start: tuple[float, ...]
    rate: tuple[float, ...]

    def coordinates(self) -> tuple[Coordinate, ...]:
        m = self.motion
        together = zip(m.names, m.units, self.start, self.rate, strict=True)
        return tuple(Coordinate(name=n, unit=u, start=q, rate=v) for n, u, q, v in together)

    def rows(self, gravity: Triple) -> tuple[Row, ...]:
        if "e0" not in self.motion.names:
            return ()
        e = [n for n in self.motion.names if n.startswith("e")]
        unit = lambda s: Terms(constraint=ca.sumsqr(s.own_q) - 1)
        law, labels = "Euler parameters of a joint", self.own("unit length")
        return (Row(law=law, terms=unit, owned=self.own(*e), constraints=labels),)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Carried(Item):
    """An item of the model, expressed in the poses of the tree."""

    name: str
    item: Item
    paths: Mapping[str, Path]  #: of the bodies on the tree
    starts: Mapping[str, tuple[float, float]]  #: where these bodies were put, by coordinate

    def coordinates(self) -> tuple[Coordinate, ...]:
        return () if self.name in self.paths else self.item.coordinates()

    def start_coordinates(self, start: Mapping[str, tuple[float, float]]) -> tuple[Coordinate, ...]:
        known = {**self.starts, **start}
        return () if self.name in self.paths else self.item.start_coordinates(known)

    def rows(self, gravity: Triple) -> tuple[Row, ...]:
        rows = (rewrite_row(self.name, row, self.paths) for row in self.item.rows(gravity))
        path = self.paths.get(self.name)
        return tuple(rows) if path is None else tuple(carried_row(row, path) for row in rows)


@final
@dataclass(frozen=True, slots=True)
class Tree:
    """A model in joint coordinates, and the way back to the bodies' own."""

    model: Model
    paths: Mapping[str, Path]  #: body → its way from the base
    carried: tuple[str, ...]  #: full names of the coordinates that were replaced

    def system(self) -> MultibodySystem:
        """The equations, compiled."""
        return self.model.system()

    def states(
        self, system: MultibodySystem, q: np.ndarray, v: np.ndarray, *, t: float = 0.0
    ) -> tuple[np.ndarray, np.ndarray]:
        """Absolute coordinates and rates of the carried bodies, in the order of ``carried``."""
        X, X_dot = states_of(tuple(self.paths.values()), system.coordinates)(t, q, v)
        return np.array(X)[:, 0], np.array(X_dot)[:, 0]


def in_joint_coordinates(model: Model, *, loops: Sequence[str] = ()) -> Tree:
    """Convert the model to joint coordinates; ``loops`` names joints that remain constraints.

    Rigid and planar bodies that a chain of joints ties to the world, or to a body that nothing carries, are
    carried by the first such chain; a joint's coordinates count from its side nearer to the base. Other bodies
    keep their coordinates, other joints their equations.
    """
    builder = SpanningTreeBuilder(model, frozenset(loops))
    paths = {item.name: builder.paths[item.name] for item in model.items if item.name in builder.paths}
    own = [(item.name, c) for item in model.items if item.name in paths for c in item.coordinates()]
    items: list[Item] = [
        JointCoordinates(name=x.link.name, motion=x.link.motion, start=x.q, rate=x.v) for x in builder.starts(own)
    ]
    used = {link.name for link in builder.links}
    put = {f"{name}.{c.name}": (c.start, c.rate) for name, c in own}
    items += [
        Carried(name=item.name, item=item, paths=paths, starts=put) for item in model.items if item.name not in used
    ]
    carried = tuple(f"{name}.{c.name}" for name, c in own)
    return Tree(replace(model, items=tuple(items)), paths, carried)
