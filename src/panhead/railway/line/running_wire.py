"""Running contact wire mast by mast: height, stagger, overlaps."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from panhead.railway.line.layout import Layout


@dataclass(frozen=True, slots=True)
class RunningWire:
    """At every mast the lowest contact wire, at rest; between masts it runs straight across the track."""

    x: np.ndarray  #: (n + 1,) masts [m]
    y: np.ndarray  #: (n + 1,) stagger, + to the left [m]
    z: np.ndarray  #: (n + 1,) height above rail [m]
    encumbrance: np.ndarray  #: (n + 1,) messenger above contact wire [m]
    overlap: np.ndarray  #: (n,) whether two tension lengths pass the span


def running_wire(layout: Layout) -> RunningWire:
    """Return the contact wire on which the pantographs run."""
    n = layout.n_spans
    z, y, encumbrance = np.full(n + 1, np.inf), np.zeros(n + 1), np.zeros(n + 1)
    overlap = np.zeros(n, dtype=bool)
    for number in range(n):
        pieces = layout.tension_lengths_at(number)
        overlap[number] = len(pieces) > 1
        for piece in pieces:
            plan = layout.plan(piece, number)
            for mast, post in ((number, plan.left), (number + 1, plan.right)):
                height = post.z_contact + post.lift
                if height < z[mast]:
                    z[mast], y[mast], encumbrance[mast] = height, post.y_contact, post.support.encumbrance
    return RunningWire(layout.mast_x, y, z, encumbrance, overlap)
