"""Control law of the head in the linear solver: rate feedback as part of the damping matrix.

    u = −g₁ ẏ₁ − g₂ ẏ₂,   C ← C + b gᵀ,   b = (1, −1)

over head (stage 1) and plunger (stage 2) of every pantograph; u pushes the head up and the plunger down. It is
integrated like every damper, so that the adjoint contains the closed loop. C need not be symmetric.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from panhead.errors import ModelError
from panhead.railway.pantograph.lumped_pantograph import LumpedPantograph
from panhead.runs.cables.cables_options import HeadLaw

#: kind of law → its gains → ∂(g₁, g₂)/∂(gain); g is the sum of gains times these
GAINS: Mapping[str, Mapping[str, tuple[float, float]]] = {
    "derivative": {"damping": (1.0, -1.0)},
    "rates": {"head": (1.0, 0.0), "plunger": (0.0, 1.0)},
}
_PUSH = (1.0, -1.0)  # b
_LIMITS = ("limit", "delay", "lag", "sampled", "search")  # what makes a law more than a matrix


def check_law(law: HeadLaw, pantographs: Sequence[LumpedPantograph]) -> None:
    """ModelError unless the linear solver supports this control law on these pantographs."""
    if law.kind not in GAINS:
        raise ModelError(
            f"control: solver 'linear' supports the laws {' and '.join(map(repr, GAINS))}, not {law.kind!r}; use one "
            "of them, or solver 'cables' or 'coupled'"
        )
    for name in _LIMITS:
        if getattr(law, name):
            raise ModelError(
                f"control: solver 'linear' does not support `{name}` of the actuator; remove it, or use solver "
                "'cables' or 'coupled'"
            )
    for p in pantographs:
        if len(p.stages) < 2 or p.strips is not None:
            raise ModelError(
                f"control: pantograph {p.name!r} has no single head mass above a plunger between which a control law "
                "can act; remove `control`, or give it two stages and no strips"
            )


def law_damping(law: HeadLaw, pantographs: Sequence[LumpedPantograph]) -> np.ndarray:
    """Σ b gᵀ over all pantographs; (masses, masses) [N·s/m]."""
    found = np.zeros([sum(p.size for p in pantographs)] * 2)
    numbers = law.numbers()
    for gain, at in directions(law, pantographs):
        found += numbers[gain] * at
    return found


def directions(law: HeadLaw, pantographs: Sequence[LumpedPantograph]) -> Iterator[tuple[str, np.ndarray]]:
    """Every gain and ∂C/∂(gain), (masses, masses)."""
    heads = np.cumsum([0, *(p.size for p in pantographs)])
    for gain, by in GAINS[law.kind].items():
        found = np.zeros((heads[-1], heads[-1]))
        for head in heads[:-1]:
            found[head : head + 2, head : head + 2] = np.outer(_PUSH, by)
        yield gain, found
