"""Gradients of runs with contact loss and slack droppers against finite differences; gradients of motions.

The runs are short and rough on purpose: droppers go slack and the head leaves the wire. All changes are made in the
description, so that stringing, assembly, start, steps, filter and judge are all in what is compared.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from panhead.validation.checks import BEFORE, Check, between, listed
from panhead.validation.line_gradient.differences import agreement, compare
from panhead.validation.line_gradient.motions import model_rows
from panhead.validation.line_gradient.rough import PARAMETERS, rough_case
from panhead.validation.line_gradient.windows import moving_window


def line_gradient() -> Sequence[Check]:
    """All rows: rough runs, the moving window and the motions of bodies."""
    checks: list[Check] = []
    for name in PARAMETERS:
        checks += rough_rows(name)
    return [*checks, *moving_window(), *model_rows()]


def rough_rows(name: str) -> list[Check]:
    """Rows of one rough run: contact loss and slackening, and both identities."""
    case = rough_case(name)
    found = compare(case)
    force = found.result["contact_force"].to_numpy().T
    begun = force[np.flatnonzero(force.max(axis=1))[0] :]
    return [
        listed(f"{name}: deviation of the contact force of the rough run", found.deviation, None, "N",
            "the run itself"),
        between(f"{name}: steps without contact after the first touch", 100 * float((begun == 0).mean()),
            (0.1, 50.0), "%", "the test is meaningful only with contact losses", by=BEFORE),
        between(f"{name}: slackenings of droppers", found.result.sizes["slack"], (3.0, 1e4), "1",
            "there must be slack droppers for the test to say anything", by=BEFORE),
        *agreement(case, found),
    ]  # fmt: skip
