"""Model of tables with the matrix of its steps, for compiled Newton iterations in time and at rest."""

from typing import NamedTuple

import numpy as np

from panhead.engine.jit.compiler import part
from panhead.engine.kernels import bordered_matrix, element_families
from panhead.engine.kernels import sliders as slides


class TabledModel(NamedTuple):
    """Tables, sliders, and where their numbers stand in the matrix."""

    tables: element_families.Tables
    work: element_families.LaneRoom
    slides: slides.Slides
    slots: np.ndarray  # places of all numbers in the matrix
    border_slots: np.ndarray  # the same with the core left out
    touching: np.ndarray  # families that touch the border
    matrix: bordered_matrix.Bordered


@part()
def follow(model, q, t, nothing):
    """Sliders find their place for q; where one has come to another element, so have its numbers in the matrix."""
    b = model.matrix
    if slides.follow(model.tables, model.work, model.slides, t, q, nothing):
        bordered_matrix.find_moved_slots(
            model.tables, model.slides, b.place, b.pattern.Ap, b.pattern.Ai, b.border.shape[0], model.slots
        )
        bordered_matrix.find_border(
            model.tables,
            model.touching,
            model.slots,
            b.core.shape[0],
            b.border.shape[0],
            b.pattern.Ai.shape[0],
            b.values.shape[0] - 1,
            model.border_slots,
            b.touched,
            b.met,
        )
