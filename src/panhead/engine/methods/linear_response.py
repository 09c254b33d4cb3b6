"""Linearised motion as a linear system: frequency response, SciPy's and python-control's state space.

M ẍ + C ẋ + K x = B u,   δq = Z x:   H(ω) = Z (K + i ω C − ω² M)⁻¹ B,   rows: coordinates, columns: controls.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from panhead.engine.methods.modes import Linearisation
from panhead.engine.system import System
from panhead.errors import ModelError


def frequency_response(linear: Linearisation, frequency: Sequence[float] | np.ndarray) -> np.ndarray:
    """Coordinates per unit of each control at frequencies [Hz], complex, (frequencies, nq, nu)."""
    _require_controls(linear)
    omega = 2 * np.pi * np.atleast_1d(np.asarray(frequency, dtype=float))
    if omega.ndim != 1 or not np.isfinite(omega).all():
        raise ModelError(f"frequency_response: frequencies must be finite numbers [Hz], got {frequency!r:.80}")
    rows = []
    for w in omega:
        S = linear.K + 1j * w * linear.C - w * w * linear.M
        try:
            rows.append(linear.Z @ np.linalg.solve(S, linear.B.astype(complex)))
        except np.linalg.LinAlgError:
            raise ModelError(
                f"frequency_response: at {w / (2 * np.pi):g} Hz the motion is not bounded: an undamped natural "
                "frequency, or a rigid motion at 0 Hz. Leave that frequency out, or add damping"
            ) from None
    return np.array(rows)


def state_space(linear: Linearisation, system: System, outputs: Sequence[str]) -> tuple[np.ndarray, ...]:
    """A, B, C, D of ẋ = A x + B u, y = C x + D u for named coordinates, or "rate NAME" of them."""
    A, B = linear.state_matrices()
    n = len(linear.M)
    rows = []
    for name in outputs:
        bare = name.removeprefix("rate ")
        if bare not in system.coordinates:
            raise ModelError(f"state_space: {system.name!r} has no coordinate {bare!r}")
        shape = linear.Z[system.coordinates.index(bare)]
        still = np.zeros(n)
        rows.append(np.concatenate([shape, still] if bare == name else [still, shape]))
    return A, B, np.array(rows).reshape(len(rows), 2 * n), np.zeros((len(rows), B.shape[1]))


def to_scipy(linear: Linearisation, system: System, outputs: Sequence[str]) -> Any:
    """A ``scipy.signal.StateSpace`` from the controls to named outputs."""
    import scipy.signal

    _require_controls(linear)
    return scipy.signal.StateSpace(*state_space(linear, system, outputs))


def to_control(linear: Linearisation, system: System, outputs: Sequence[str]) -> Any:
    """A ``control.StateSpace`` of python-control (extra ``control``), with names of inputs and outputs."""
    _require_controls(linear)
    try:
        control = importlib.import_module("control")
    except ImportError:
        raise ModelError("to_control needs python-control: pip install panhead[control]") from None
    plain = [name.replace(".", "_").replace(" ", "_") for name in (*system.controls, *outputs)]
    inputs = len(system.controls)
    return control.ss(*state_space(linear, system, outputs), inputs=plain[:inputs], outputs=plain[inputs:])


def _require_controls(linear: Linearisation) -> None:
    if not linear.B.shape[1]:
        raise ModelError(
            "the linearised model has no controls, so nothing to respond to; add an Actuator where it shall be excited"
        )
