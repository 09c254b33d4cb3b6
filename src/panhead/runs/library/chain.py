"""A chain of rigid links in space."""

from __future__ import annotations

import numpy as np

from panhead.engine.bodies import RigidBody, ground
from panhead.engine.joints import Spherical
from panhead.engine.multibody import Model
from panhead.engine.rotations import matrix_of
from panhead.errors import ModelError
from panhead.files.units import Kilograms, Metres

_SHAPE = (0.016, 0.08, 0.088)  # inertia about the link's own axes in m ℓ²


def chain(links: int = 20, *, length: Metres = 0.5, mass: Kilograms = 1.0) -> Model:
    """Equal links hang from the origin by ball joints; the chain starts at rest, wound up, and falls.

    A link's own x axis runs along it. Link k is turned by α = 0.5 k about the vertical and dips by
    β = 0.3 + 0.1 k: its x axis points along (cos β cos α, cos β sin α, −sin β).
    """
    if links < 1:
        raise ModelError(f"chain: links must be 1 or more, got {links!r}")
    bodies, joints = [], []
    top, above = np.zeros(3), ground.at()
    for k in range(links):
        attitude = _attitude(0.5 * k, 0.3 + 0.1 * k)
        along = length * np.array(matrix_of(attitude))[:, 0]
        link = RigidBody(
            name=f"link{k}",
            mass=mass,
            inertia=tuple(c * mass * length**2 for c in _SHAPE),
            position=tuple((top + along / 2).tolist()),
            attitude=attitude,
        )
        bodies.append(link)
        joints.append(Spherical(name=f"ball{k}", a=above, b=link.at((-length / 2, 0.0, 0.0))))
        top, above = top + along, link.at((length / 2, 0.0, 0.0))
    return Model(name=f"chain of {links} links", items=(*bodies, *joints), gravity=(0.0, 0.0, -9.81))


def _attitude(alpha: float, beta: float) -> tuple[float, float, float, float]:
    """Euler parameters of R_z(α) R_y(β)."""
    (ca, cb), (sa, sb) = np.cos([alpha / 2, beta / 2]), np.sin([alpha / 2, beta / 2])
    return float(ca * cb), float(-sa * sb), float(ca * sb), float(sa * cb)
