"""What parts of a model show of themselves along a motion: depths, normal forces, places on wires."""

from __future__ import annotations

import numpy as np

from panhead.kernels.families import evaluate
from panhead.methods.trajectory import Trajectory
from panhead.multibody.system import MultibodySystem


def observed(system: MultibodySystem, motion: Trajectory) -> dict[str, np.ndarray]:
    """Every output of every part at the kept times, (n,) each, by "part.output"."""
    families = [(f, x) for f, x in enumerate(system.packed.families) if x.law.terms.outputs]
    found: dict[str, list[float]] = {}
    for t, q, v, a, lam, u in zip(
        motion.t, motion.q, motion.v, motion.a, motion.lam, motion.u, strict=True
    ):
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
