"""Several plants side by side: up to eight runs of one line in the lanes of a vector register."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from panhead.errors import SimulationError
from panhead.explore.environment.plant import Plant, per_pantograph
from panhead.runs.capabilities import CapabilityQuery, falls_back_to_plain
from panhead.runs.linear.run_driver import failure_message
from panhead.runs.linear.run_lanes import groups, lane_arrays, with_idle_lanes
from panhead.runs.linear.step.active_set import OK
from panhead.runs.linear.step.lane_arrays import LaneWay
from panhead.runs.linear.step.lane_step import run_lanes
from panhead.runs.linear.step.step_arrays import TrainArrays, U, V, Work
from panhead.runs.linear.window import remember_damping


def in_lanes(plant: Plant) -> bool:
    """True if lanes carry the run of a plant."""
    model = plant.model
    return not falls_back_to_plain(CapabilityQuery(model.run, model.line, model.pantographs), "lanes")


def blocks_of(plants: Sequence[Plant]) -> list[list[int]]:
    """Numbers of the plants that can share a block: one mesh, one matrix or few with their own."""
    number = {id(plant.session): k for k, plant in enumerate(plants)}
    return [[number[id(s)] for s in group] for group in groups([plant.session for plant in plants])]


class LaneBlock:
    """Plants in lanes; while they are here, their states are here and not in their sessions (``leave``)."""

    def __init__(self, plants: Sequence[Plant]) -> None:
        self.plants = tuple(plants)
        sessions = with_idle_lanes([plant.session for plant in plants])
        self.line, self.train, self.state, self.work = lane_arrays(sessions)
        self.width = len(sessions)
        self._record = np.zeros((0, self.width, self.state.contact.shape[1], 4))

    def advance(self, steps: int, push: Sequence[np.ndarray]) -> np.ndarray:
        """Advance all plants; push: (steps + 1, nm) of each [N]. Returns contact forces (plants, steps, np) [N]."""
        plants, n = self.plants, len(self.plants)
        if len(self._record) != steps:
            self._record = np.zeros((steps, *self._record.shape[1:]))
        parts = [plant.part(steps, p) for plant, p in zip(plants, push, strict=True)]
        parts += [parts[0]] * (self.width - n)
        stacked = lambda name: np.stack([getattr(part, name) for part in parts], axis=1)
        going = np.array([steps] * n + [0] * (self.width - n))
        way = LaneWay(stacked("position"), stacked("speed"), stacked("uplift"), going)
        sc = plants[0].session.sc
        run_lanes(self.line, self.train, sc, self.state, way, steps, self.work, self._record)
        for k, plant in enumerate(plants):
            plant.session.step += steps
            if self.state.status[k] != OK:
                raise SimulationError(failure_message(plant.session, int(self.state.status[k])))
        heads = len(plants[0].model.names)
        return np.stack([per_pantograph(self._record[:, k, :, 0], heads) for k in range(n)])

    def masses(self, k: int) -> np.ndarray:
        """Position, velocity and acceleration of the masses of plant k, (3, nm)."""
        return self.state.z[k]

    def forces(self, k: int) -> np.ndarray:
        """Present contact forces of plant k, (np,) [N]."""
        return per_pantograph(self.state.contact["F"][k][None], len(self.plants[k].model.names))[0]

    def arrays(self, k: int) -> tuple[TrainArrays, Work]:
        """Train and work space of plant k as views, for a damper whose setting changes."""
        train, w, own = self.train, self.work, self.plants[k].session.window.work
        mine = TrainArrays(train.M[k], train.C[k], train.K[k], train.A_inv[k], train.head[k], train.direction[k])
        return mine, own._replace(D=w.D[k], P=w.P[k], S=w.S[k], R=w.R[k])

    def leave(self) -> None:
        """Write the states back into the sessions."""
        for k, plant in enumerate(self.plants):
            state, window = plant.session.state, plant.session.window
            state.q[U], state.q[V] = self.state.each_q[U, ..., k], self.state.each_q[V, ..., k]
            remember_damping(window, state, plant.session.sc)
            state.z[...] = self.state.z[k]
            for name in ("drop", "contact", "element"):
                getattr(state, name)[...] = getattr(self.state, name)[k]
            state.support["uplift"] = self.state.uplift[:, k]
