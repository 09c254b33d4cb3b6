"""Outputs of model items along a motion: depths, normal forces, places on wires."""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

import numpy as np

from panhead.engine.kernels.element_families import LANES, evaluate
from panhead.engine.kernels.observables import observe
from panhead.engine.methods.trajectory import Trajectory
from panhead.engine.multibody.multibody_system import MultibodySystem
from panhead.engine.system import Vector
from panhead.errors import ModelError


def motion_outputs(system: MultibodySystem, motion: Trajectory) -> dict[str, np.ndarray]:
    """Every output of every part at the kept times, (n,) each, by "part.output"."""
    families = [(f, x) for f, x in enumerate(system.packed.families) if x.law.terms.outputs]
    found: dict[str, list[float]] = {}
    for t, q, v, a, lam, u in zip(motion.t, motion.q, motion.v, motion.a, motion.lam, motion.u, strict=True):
        system.follow(float(t), q)
        for f, family in families:
            names = tuple(family.law.terms.outputs)
            values = evaluate(
                system.tables, system.work, f, family.law.outputs.address, len(names), float(t), q, v, a, lam, u
            )  # fmt: skip
            for owner, row in zip(family.owners, values, strict=True):
                for name, x in zip(names, row, strict=True):
                    found.setdefault(f"{owner}.{name}", []).append(float(x))
    return {name: np.array(x) for name, x in found.items()}


@final
class Observer:
    """A few outputs of a system, by "part.output": cheap enough for every step."""

    def __init__(self, system: MultibodySystem, names: Sequence[str]) -> None:
        self.system, self.names = system, tuple(names)
        known: dict[str, tuple[int, int, int]] = {}
        for f, family in enumerate(system.packed.families):
            for k, name in enumerate(family.law.terms.outputs):
                known |= {f"{owner}.{name}": (f, i, k) for i, owner in enumerate(family.owners)}
        unknown = [name for name in names if name not in known]
        if unknown:
            raise ModelError(f"{system.name!r} has no output {unknown[0]!r}; it has {', '.join(sorted(known)[:20])} …")
        #: family → rows and columns of what is wanted, and where it goes
        self.wanted: dict[int, tuple[list[int], list[int], list[int]]] = {}
        for place, name in enumerate(names):
            f, i, k = known[name]
            for column, x in zip(self.wanted.setdefault(f, ([], [], [])), (i, k, place), strict=True):
                column.append(x)

        self._groups, self._places = self._tables()

    def _tables(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the tables for the kernel ``observe``: elements evaluated together, and where their outputs go."""
        groups: list[tuple[int, int, int, int]] = []
        places: list[tuple[int, int, int]] = []
        for f, columns in self.wanted.items():
            found = sorted(zip(*columns, strict=True))
            for first in sorted({row - row % LANES for row, _, _ in found}):
                groups.append((f, first, self.system.packed.families[f].law.outputs.address, len(places)))
                places += [(row - first, k, place) for row, k, place in found if first <= row < first + LANES]
        groups.append((0, 0, 0, len(places)))
        return np.array(groups, dtype=np.int64), np.array(places, dtype=np.int64).reshape(-1, 3)

    def at(self, t: float, q: Vector, v: Vector | None = None, u: Vector | None = None) -> Vector:
        """Evaluate all outputs at one state, (names,); accelerations and multipliers count as zero."""
        v = np.zeros(self.system.nq) if v is None else v
        u = np.zeros(len(self.system.controls)) if u is None else u
        return self._rows(np.array([t]), *(np.asarray(x)[None] for x in (q, v, u)))[0]

    def along(self, motion: Trajectory) -> np.ndarray:
        """Evaluate all outputs at every stored time, (n, names)."""
        return self._rows(motion.t, motion.q, motion.v, motion.u)

    def _rows(self, t: Vector, q: np.ndarray, v: np.ndarray, u: np.ndarray) -> np.ndarray:
        system, out = self.system, np.zeros((len(t), len(self.names)))
        if self.wanted:
            rest, nothing = np.zeros(system.nq), np.zeros(max(1, system.nc + system.nu))
            t, q, v, u = (np.ascontiguousarray(x, dtype=float) for x in (t, q, v, u))
            observe(
                system.tables, system.work, system.slides, self._groups, self._places, t, q, v, u, rest, nothing, out
            )
        return out
