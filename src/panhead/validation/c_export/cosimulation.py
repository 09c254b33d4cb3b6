"""Line and pantograph as two programs in C that exchange height and force, beside the run that solves both at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from panhead.runs.c_export.compiled_rig import EXACT, CompiledRig
from panhead.validation.checks import BEFORE, CLOSED_FORM, Check, below

_STEPS, _AGREED = 2500, 1e-8  # N: line and pantograph agree on the force
_MOST = 20  # exchanges of a step


def cosimulation(folder: Path, reference: np.ndarray) -> Sequence[Check]:
    """Rows of an export with the interfaces motion and pantograph; reference (steps,): the run's force [N]."""
    line, head = CompiledRig(folder, "motion", *EXACT), CompiledRig(folder, "pantograph", *EXACT)
    at_start = head.energy()["stored"]
    forces = exchanged(line, head)
    energy = head.energy()
    given = energy["uplift"] - energy["pantograph_damping"] - energy["numerical"]
    port = float(head.port_work().sum())
    off = lambda found: float(np.abs(found - reference[: found.size]).max())
    same = "ph.run, line and pantograph in one system; 50 kN/m × 1e-11 m"
    return [
        below("line and pantograph, exchanged until they agree: largest difference", off(forces), 1e-6, "N", same,
              by=BEFORE),
        below("pantograph: energy at the port off by", abs(energy["stored"] - at_start - given + port), 1e-7, "J",
              "stored = uplift − damping − port, an identity of the scheme", by=CLOSED_FORM),
    ]  # fmt: skip


def exchanged(line: CompiledRig, head: CompiledRig, steps: int = _STEPS) -> np.ndarray:
    """Contact forces (steps,) [N]: in every step F at which both agree, by the secant method."""
    forces, force, slope = [], 0.0, -10.0
    for n in range(1, steps + 1):
        answer = _step_from_here(line, head, n)
        off = answer(force) - force
        for _ in range(_MOST):
            if abs(off) <= _AGREED:
                break
            before, force = (force, off), force - off / slope
            off = answer(force) - force
            slope = (off - before[1]) / (force - before[0])
        forces.append(force)
    return np.array(forces)


def _step_from_here(line: CompiledRig, head: CompiledRig, n: int) -> Callable[[float], float]:
    """Force that the line answers in step n to the height that the pantograph has under a force; both from here."""
    before = line.copy_state(), head.copy_state()

    def answer(force: float) -> float:
        line.restore_copy(before[0])
        head.restore_copy(before[1])
        head.timetable(n)
        strip = head.step(force=force)
        line.timetable(n)
        return float(line.step(height=strip["height"], rate=strip["rate"])["force"][0])

    return answer
