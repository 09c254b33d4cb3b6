"""Plant of an environment: a session of the linear solver that is advanced a few steps at a time under given forces."""

from __future__ import annotations

import numpy as np

from panhead.errors import ModelError, SimulationError
from panhead.runs.force_histories import PushInTime
from panhead.runs.linear.run_driver import failure_message
from panhead.runs.linear.session import Session, restore_state, room_for_record, room_for_states, save_state, start
from panhead.runs.linear.step.active_set import OK
from panhead.runs.linear.step.march import RunOutput, run_plain
from panhead.runs.linear.step.step_arrays import NO_ENDS, Record, Scheme, TrainArrays, TrainWay, Work
from panhead.runs.linear.window import PackedLine
from panhead.runs.resolve import ResolvedRun

_NEVER = 1 << 60  # steps between samples that are not wanted


class Plant:
    """A run in progress: line and pantographs, the forces of the timetable and those of an actuator."""

    def __init__(self, model: ResolvedRun, packed: PackedLine | None = None) -> None:
        model.require("environment")
        if model.moving:
            raise ModelError(
                "numerics.window: a control environment does not support a moving window; use a line of at most 5 km, "
                'or set numerics.window = "whole"'
            )
        self.model = model
        self.session: Session = start(model, packed)
        self.way = self.session.track(model.steps)
        self.wires = self.session.window.line.path.size
        self._records: dict[int, RunOutput] = {}

    @property
    def step(self) -> int:
        """Steps done."""
        return self.session.step

    @property
    def masses(self) -> np.ndarray:
        """Position, velocity and acceleration of every mass, (3, nm)."""
        return self.session.state.z

    @property
    def forces(self) -> np.ndarray:
        """Present contact force of every pantograph, (np,) [N]."""
        return per_pantograph(self.session.state.contact["F"][None], len(self.model.names))[0]

    def part(self, steps: int, push: np.ndarray | None = None) -> TrainWay:
        """Way of the next steps; push (steps + 1, nm): forces beside those of the timetable [N]."""
        n, way = self.session.step, self.way
        if n + steps > self.model.steps:
            raise ModelError(f"the run has {self.model.steps} steps; {steps} more from step {n} go beyond its end")
        rows = slice(n, n + steps + 1)
        uplift = way.uplift[rows] if push is None else way.uplift[rows] + push
        return TrainWay(way.position[rows], way.speed[rows], uplift)

    def advance(self, steps: int, push: np.ndarray | None = None) -> np.ndarray:
        """Advance by some steps; returns the contact force of every pantograph, (steps, np) [N]."""
        s, out = self.session, self._output(steps)
        w = s.window
        status, done = run_plain(
            w.line, s.train, s.sc, NO_ENDS, s.state, self.part(steps, push), s.step, w.work, (), out
        )
        s.step += done
        if status != OK:
            raise SimulationError(failure_message(s, status))
        return per_pantograph(out.record.contact[:, :, 0], len(self.model.names))

    def _output(self, steps: int) -> RunOutput:
        if steps not in self._records:
            record: Record = room_for_record(self.session, steps)
            self._records[steps] = RunOutput(
                record, _NEVER, _NEVER, np.zeros(2, np.int64), room_for_states(self.session, 0), 0
            )
        return self._records[steps]

    def save(self) -> dict[str, np.ndarray]:
        """Copy of the state and the step it belongs to, as arrays."""
        found = {name: np.array(value) for name, value in save_state(self.session).items()}
        return found | {"step": np.array(self.session.step)}

    def restore(self, state: dict[str, np.ndarray]) -> None:
        """Return to a state of ``save``."""
        restore_state(self.session, state)
        self.session.step = int(state["step"])


def per_pantograph(contacts: np.ndarray, pantographs: int) -> np.ndarray:
    """Sum over the wires of every pantograph: (steps, nc) → (steps, np)."""
    return np.asarray(contacts.reshape(len(contacts), pantographs, -1).sum(axis=2))


def pair_of_masses(model: ResolvedRun, pantograph: int, stage: int) -> tuple[int, int | None]:
    """Mass that a force lifts, and the one below it that it presses down; None: the roof."""
    at = lambda stage: PushInTime(table=((0.0, 0.0), (1.0, 0.0)), pantograph=pantograph, stage=stage)
    up = at(stage).mass(model.pantographs)
    last = stage == len(model.pantographs[pantograph - 1].stages)
    return up, None if last else at(stage + 1).mass(model.pantographs)


def add_damper(
    train: TrainArrays, work: Work, sc: Scheme, contacts: int, C: np.ndarray, pair: tuple[int, int], setting: float
) -> None:
    """Damper of this setting [N·s/m] between two masses, beside the damping C (nm, nm) they have; in place.

    contacts: rows of the slots that are contacts; those of stops and friction follow.

    The train's matrix A = M_u M + C_u C + K changes, and with it A⁻¹, P = D A⁻ᵀ and the part S of stops and friction.
    """
    b = np.zeros(len(C))
    b[list(pair)] = 1.0, -1.0
    train.C[...] = C + setting * np.outer(b, b)
    train.A_inv[...] = np.linalg.inv(sc.M_u * train.M + sc.C_u * train.C + train.K)
    work.P[...] = work.D @ train.A_inv.T
    elements = slice(contacts, contacts + len(train.direction))
    work.S[elements, elements] = train.direction @ train.A_inv @ train.direction.T
    work.R[elements, elements] = sc.C_u * work.S[elements, elements]
