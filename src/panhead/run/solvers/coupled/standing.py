"""The CX pantograph standing under a line, about to run."""

from __future__ import annotations

from dataclasses import replace

from panhead.errors import ModelError
from panhead.kernels.line_side import HEIGHT
from panhead.line.linear import LinearLine
from panhead.pantograph.cx_model import CxModel
from panhead.pantograph.cx_statics import settled
from panhead.run.description import ContactLaw
from panhead.run.solvers.coupled.contact import resting_height
from panhead.run.solvers.coupled.encounter import Encounter
from panhead.run.solvers.coupled.line_side import LineSide
from panhead.run.solvers.coupled.methods import Passage


def cx_encounter(
    line: LinearLine,
    passage: Passage,
    *,
    law: ContactLaw,
    model: CxModel | None = None,
    force: float = 157.0,
    height: float = 1.51,
) -> Encounter:
    """Both at rest under the static force [N], strips ``height`` [m] above the base; then the contact runs off.

    The pantograph is told in axes that move with the train, so that its coordinates stay small; ``passage``
    carries the contact points along the line.
    """
    model = model or CxModel()
    if model.strips != len(passage.behind):
        raise ModelError(
            f"the pantograph has {model.strips} strips, but the passage places for {len(passage.behind)}; "
            "give Passage(behind=…) one distance per strip"
        )
    each = (force / model.strips,) * model.strips
    wire = LineSide(line, passage, law=law, standing=each).contact[:, HEIGHT]
    strip = resting_height(law, wire.tolist(), force)
    model = replace(model, speed=0.0, base=(0.0, 0.0, strip - height))
    found = settled(model, height=height, force=force)
    return Encounter(
        line=line,
        passage=passage,
        law=law,
        pantograph=found.system,
        start=found.state,
        strips=tuple(s.on(found.system) for s in model.parts().strips()),
        standing=each,
    )
