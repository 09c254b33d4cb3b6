"""What parts of a model show of themselves along a motion: depths, normal forces, places on wires."""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

import numpy as np

from panhead.errors import ModelError
from panhead.kernels.families import evaluate
from panhead.methods.trajectory import Trajectory
from panhead.multibody.system import MultibodySystem
from panhead.system import Vector


def observed(system: MultibodySystem, motion: Trajectory) -> dict[str, np.ndarray]:
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
            raise ModelError(
                f"{system.name!r} shows no {unknown[0]!r} of itself; it shows {', '.join(sorted(known)[:20])} …"
            )
        #: family → rows and columns of what is wanted, and where it goes
        self.wanted: dict[int, tuple[list[int], list[int], list[int]]] = {}
        for place, name in enumerate(names):
            f, i, k = known[name]
            for column, x in zip(self.wanted.setdefault(f, ([], [], [])), (i, k, place), strict=True):
                column.append(x)

    def at(self, t: float, q: Vector, v: Vector | None = None, u: Vector | None = None) -> Vector:
        """All of them at one state, (names,); what needs accelerations or multipliers sees none."""
        system, out = self.system, np.zeros(len(self.names))
        if not self.wanted:
            return out
        rest, nothing = np.zeros(system.nq), np.zeros(system.nc)
        v = rest if v is None else v
        u = np.zeros(len(system.controls)) if u is None else u
        q, v, u = (np.ascontiguousarray(x, dtype=float) for x in (q, v, u))
        system.follow(float(t), q)
        for f, (rows, columns, places) in self.wanted.items():
            law = system.packed.families[f].law
            count = len(law.terms.outputs)
            found = evaluate(
                system.tables, system.work, f, law.outputs.address, count, float(t), q, v, rest, nothing, u
            )
            out[places] = found[rows, columns]
        return out

    def along(self, motion: Trajectory) -> np.ndarray:
        """All of them at every kept time, (n, names)."""
        rows = zip(motion.t, motion.q, motion.v, motion.u, strict=True)
        return np.array([self.at(float(t), q, v, u) for t, q, v, u in rows])
