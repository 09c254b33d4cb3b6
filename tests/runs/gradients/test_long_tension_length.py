"""Derivatives of a tension length that is strung in groups: what many groups feel of one part adds up."""

import numpy as np
import pytest
from engine.kernels.test_step import SPANS, WAY, run_of

from panhead.railway.line import strung_line
from panhead.runs.gradients.gradient import gradient
from runs.gradients.plain_runs import values

DROPPERS = [(span, dropper) for span in range(1, 15) for dropper in (1, 2)]
TENSIONS = {"contact": 20e3, "messenger": 16e3}
LONGER = dict(zip(DROPPERS, np.random.default_rng(5).normal(scale=3e-4, size=len(DROPPERS)), strict=True))


def changed(by):
    """Droppers longer, and wires tighter by 1e-3 of their tension, both times ``by``."""
    errors = [{"span": s, "dropper": d, "error": by * x} for (s, d), x in LONGER.items()]
    wires = {role: {"tension": T * (1.0 + 1e-3 * by)} for role, T in TENSIONS.items()}
    return {"line_changes": {"wires": wires, "tension_lengths": {"0": {"dropper_errors": errors}}}}


def test_a_tension_length_in_groups_has_the_derivatives_of_plain_runs(monkeypatch):
    """Central differences of judged runs, 1e-3 of the change to either side: no dropper changes its mode."""
    monkeypatch.setattr(strung_line, "_WHOLE", 5)
    monkeypatch.setattr(strung_line, "_AROUND", 2)
    sigma = lambda by: values(run_of(SPANS, WAY, changed(by)), ["deviation"])[0]
    slope = (sigma(1e-3) - sigma(-1e-3)) / 2e-3
    found = gradient(run_of(SPANS, WAY, changed(0.0)), of="deviation", wrt=["dropper.length", "wire.tension"])
    named = lambda x: dict(zip(map(str, x[x.dims[0]].to_numpy()), x.to_numpy(), strict=True))
    by_name = {family: named(found[family]) for family in ("dropper.length", "wire.tension")}
    droppers = sum(by_name["dropper.length"][f"T, span {s}, dropper {d}"] * x for (s, d), x in LONGER.items())
    tensions = sum(by_name["wire.tension"][f"T, {role}"] * 1e-3 * T for role, T in TENSIONS.items())
    assert min(abs(droppers), abs(tensions)) > 1e-3
    assert droppers + tensions == pytest.approx(slope, rel=1e-3)
