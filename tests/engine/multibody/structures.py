"""Structures made by hand, of which everything is known: scattered nodes, and beams as chains of lumps."""

import numpy as np

from panhead.engine.structures import Mode, ReducedStructure


def scattered(nodes=5, shapes=3, seed=0):
    """Nothing about it is special: nodes in space, full inertias, shapes that move and turn every node."""
    random = np.random.default_rng(seed)
    spread, K, C = random.normal(size=(nodes, 3, 3)), *random.normal(size=(2, shapes, shapes))
    return ReducedStructure(
        name="scattered",
        points=random.normal(size=(nodes, 3)),
        nodal_mass=random.uniform(0.5, 1.0, nodes),
        nodal_inertia=0.1 * spread @ np.swapaxes(spread, 1, 2),
        displacements=0.3 * random.normal(size=(nodes, 3, shapes)),
        rotations=0.3 * random.normal(size=(nodes, 3, shapes)),
        stiffness=300 * K @ K.T + 200 * np.eye(shapes),
        damping=C @ C.T,
        modes=tuple(Mode(words=f"shape {i}", frequency=1.0) for i in range(shapes)),
    )
