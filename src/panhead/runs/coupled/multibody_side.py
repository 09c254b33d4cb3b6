"""Multibody pantograph as a co-simulation participant: contact forces and their positions in, strip heights out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, final

import numpy as np

from panhead.engine.methods.checkpoints import Arrays
from panhead.engine.methods.integrators import GeneralizedAlpha, Method
from panhead.engine.methods.integrators.stepper import Memory, Stepper
from panhead.engine.methods.trajectory import State
from panhead.engine.system import System, Vector, no_controls
from panhead.errors import ModelError
from panhead.railway.pantograph.strip import Touch
from panhead.runs.coupled.coupled_checkpoints import Resumable
from panhead.runs.coupled.participant import contact_ports, strip_ports

#: A contact spring k turns an error of heights into k times as much force, so heights are found tightly.
METHOD = GeneralizedAlpha(spectral_radius=0.9, tolerance=1e-13)

#: The whole control vector (nu,) at a time, contacts left out.
Drives = Callable[[float], Vector]


class Surface(Protocol):
    """Strip of a system: its height at a lateral position, and the controls that a force there acts on.

    The power of a force at y is the force times ``touch(…).rate``, exactly.
    """

    def touch(self, t: float, q: Vector, v: Vector, y: float) -> Touch:
        """Height, rate at constant y, slope ∂z/∂y at y [m]."""

    def push(self, u: Vector, y: float, force: float) -> None:
        """Add a force at y, up positive [N], to the controls u (nu,)."""


class SampledControl(Protocol):
    """Controller called at the beginning of an exchange step; see ``head_control``."""

    place: int  #: of its force in the controls

    def force(self, t: float, q: Vector, v: Vector, contact: float) -> float:
        """Force over the step from t [N]; ``contact``: total of all strips at t [N]."""


def contact_controls(
    system: System, strips: Sequence[Surface], drives: Drives | None, t: float, contact: Vector
) -> Vector:
    """Controls (nu,) at t: drives of the system, and contacts (strips, 3): force, lateral position, its rate."""
    u = no_controls(system) if drives is None else np.array(drives(t), dtype=float)
    for strip, (force, y, _) in zip(strips, contact, strict=True):
        if force != 0.0:
            strip.push(u, y, -force)
    return u


def strip_motion(strips: Sequence[Surface], t: float, q: Vector, v: Vector, contact: Vector) -> Vector:
    """Height and total rate ż + z′ ẏ of every strip under its contact point; (strips, 2)."""
    out = np.empty((len(strips), 2))
    for k, (strip, (_, y, y_dot)) in enumerate(zip(strips, contact, strict=True)):
        touch = strip.touch(t, q, v, y)
        out[k] = touch.height, touch.rate + touch.slope * y_dot
    return out


@final
class MultibodySide(Resumable):
    """Pantograph with its own steps, never longer than the exchange step        [Ambrosio11, sec. 3.3].

    ``drives`` gives the controls, contacts left out. An exchange step is passed in ``steps`` equal steps or, if the
    method chooses its steps by their error, in those.
    """

    name = "pantograph"

    def __init__(
        self,
        system: System,
        start: State,
        strips: Sequence[Surface],
        *,
        drives: Drives | None = None,
        method: Method = METHOD,
        steps: int = 1,
        control: SampledControl | None = None,
    ) -> None:
        self.system, self.strips, self.drives, self.steps = system, tuple(strips), drives, steps
        self.control = control
        n = len(self.strips)
        if not n or steps < 1:
            raise ModelError(f"{system.name!r}: at least one strip and one step are needed, got {n} and {steps}")
        self.inputs, self.outputs = contact_ports(n), strip_ports(n)
        self._start_time = start.t
        u = self._controls(start.t, np.zeros(3 * n))
        self.stepper = Stepper(system, start, method=method, u=u)

    @property
    def time(self) -> float:
        """Current time [s]."""
        return self.stepper.t

    def observe(self, u: Vector) -> Vector:
        """Heights and rates of the strips at the contact points given in u.

        Before the first step accelerations are found that fit the contact forces.
        """
        s = self.stepper
        if s.t == self._start_time:
            s.restart(self._controls(s.t, u))
        return strip_motion(self.strips, s.t, s.q, s.v, u.reshape(-1, 3)).ravel()

    def advance(self, dt: float, u0: Vector, u1: Vector) -> Vector:
        """Advance by dt [s] under contacts varying linearly from u0 to u1."""
        t = self.stepper.t
        first, last = self._controls(t, u0), self._controls(t + dt, u1)
        if self.control is not None:
            s, pressed = self.stepper, float(u0[0::3].sum())
            force = self.control.force(t, s.q, s.v, pressed)
            first[self.control.place] += force
            last[self.control.place] += force
        self.stepper.advance(dt, first, last, steps=self.steps)
        return self.observe(u1)

    def _controls(self, t: float, u: Vector) -> Vector:
        return contact_controls(self.system, self.strips, self.drives, t, u.reshape(-1, 3))

    def copy_state(self) -> Memory:
        """Copy of the state."""
        return self.stepper.copy_state()

    def restore_copy(self, memory: Memory) -> None:
        """Restore a state from ``copy_state``."""
        self.stepper.restore_copy(memory)

    def save_state(self) -> dict[str, np.ndarray]:
        """Arrays that a step reads."""
        return self.stepper.save_state()

    def restore_state(self, state: Arrays, rows: Arrays) -> None:
        """Restore a state from ``save_state``."""
        self.stepper.restore_state(state)
