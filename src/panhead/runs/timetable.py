"""Motion of the train and uplift forces of its pantographs at every step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from panhead.engine.laws.ramp import smooth_ramp
from panhead.railway.pantograph.lumped_pantograph import LumpedPantograph, Stage
from panhead.runs.force_histories import PushInTime
from panhead.runs.linear.step.step_arrays import TrainWay

_MOUTH = 20.0  # over which the air of a tunnel is felt [m]
_NO_RAMP = 1e-12  # what is shorter is a step [s]
_TRIED = 66  # steps that are looked at together where one is sought


@dataclass(frozen=True, slots=True)
class Roof:
    """Vertical motion of the roof under a pantograph; at rest before and after the record."""

    times: np.ndarray  #: (n,) [s]
    height: np.ndarray  #: (n,) above where it stood [m]
    rate: np.ndarray  #: (n,) [m/s]

    @classmethod
    def of(cls, table: Sequence[tuple[float, float]]) -> Roof:
        """From a table of (time, height)."""
        times, height = np.array(table, dtype=float).T
        return cls(times, height, np.gradient(height, times))

    def push(self, t: np.ndarray, foot: Stage) -> np.ndarray:
        """Force k z + c ż of the moving roof on the lowest mass at times t [N]."""
        z, rate = self.motion(t)
        return np.asarray(foot.stiffness * z + foot.damping * rate)

    def motion(self, t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Height and rate at times t [m, m/s]."""
        rate = np.interp(t, self.times, self.rate, left=0.0, right=0.0)
        return np.interp(t, self.times, self.height), rate


@dataclass(frozen=True, slots=True)
class Timetable:
    """Motion of the first pantograph: piecewise linear speed, constant after the last row."""

    times: np.ndarray  #: (n,) from 0 [s]
    speeds: np.ndarray  #: (n,) [m/s]
    start: float  #: position at time 0 [m]
    ramp: float  #: lifting forces grow over this time [s]
    roof: Roof | None = None  #: None: the roof stays level
    tunnels: tuple[tuple[float, float], ...] = ()  #: from, to [m]
    pushes: tuple[PushInTime, ...] = ()  #: forces beside those that lift

    @classmethod
    def of(cls, speed: float | None, table: Sequence[tuple[float, float]], start: float, ramp: float) -> Timetable:
        """From a constant speed or a table of (time, speed)."""
        rows = np.array(table if speed is None else [(0.0, speed), (1.0, speed)], dtype=float)
        return cls(rows[:, 0], rows[:, 1], start, ramp)

    def speed(self, t: np.ndarray) -> np.ndarray:
        """Speed at times t [m/s]."""
        return np.interp(t, self.times, self.speeds)

    def position(self, t: np.ndarray) -> np.ndarray:
        """Position of the first pantograph at times t, the exact integral of the speed [m]."""
        t = np.asarray(t, dtype=float)
        steps = np.diff(self.times)
        passed = np.concatenate([[0.0], np.cumsum(0.5 * steps * (self.speeds[1:] + self.speeds[:-1]))])
        k = np.clip(np.searchsorted(self.times, t, side="right") - 1, 0, steps.size)
        tau = t - self.times[k]
        slope = np.append(np.diff(self.speeds) / steps, 0.0)[k]
        return self.start + passed[k] + tau * (self.speeds[k] + 0.5 * slope * tau)

    def longest(self, stop: float) -> float:
        """Upper bound of the time at which the first pantograph has reached ``stop`` or stands still [s]."""
        end = float(self.position(self.times[-1:])[0])
        left = max(0.0, stop - end) / self.speeds[-1] if self.speeds[-1] > 0.0 else 0.0
        return float(self.times[-1] + left)

    def steps_to(self, stop: float, h: float) -> int:
        """Number of steps until the first pantograph has reached ``stop``; −1 if it never does."""
        if self.start >= stop - 1e-9:
            return 0
        if self.position(self.times[-1:])[0] < stop and self.speeds[-1] <= 0.0:
            return -1
        low, high = 0, int(self.longest(stop) / h) + 2
        while high - low > 1:
            tried = np.unique(np.linspace(low, high, _TRIED).astype(np.int64))
            before = int((self.position(tried[1:-1] * h) < stop - 1e-9).sum())
            low, high = int(tried[before]), int(tried[before + 1])
        return high

    def lifted(self, t: np.ndarray) -> np.ndarray:
        """Share of the uplift force at times t: from 0 to 1, continuous up to its second derivative."""
        return smooth_ramp(t, self.ramp if self.ramp > _NO_RAMP else 0.0)

    def _in_tunnels(
        self, pantographs: Sequence[LumpedPantograph], position: np.ndarray, speed: np.ndarray
    ) -> np.ndarray:
        """Additional uplift in tunnels, (tunnel_factor − 1) k v², fully from 20 m inside; (steps, nm) [N]."""
        inside = np.zeros_like(position)
        for begin, end in self.tunnels:
            inside += smooth_ramp(position - begin, _MOUTH) - smooth_ramp(position - end, _MOUTH)
        columns = []
        first = np.cumsum([0, *(len(p.heads) for p in pantographs)])
        for p, k in zip(pantographs, first, strict=False):
            columns += [(p.tunnel_factor - 1.0) * inside[:, k]] * p.size
        return np.stack(columns, axis=1) * _quadratic(pantographs) * speed[:, None] ** 2

    def track(
        self,
        first: int,
        steps: int,
        h: float,
        pantographs: Sequence[LumpedPantograph],
        behind: np.ndarray,
        rest: np.ndarray,
    ) -> TrainWay:
        """Rows for the steps first … first + steps; ``rest`` (nm,) are the lifting forces at time 0.

        ``behind``: of every strip of every pantograph.
        """
        t = np.arange(first, first + steps + 1) * h
        speed, share = self.speed(t), self.lifted(t)[:, None]
        forces = np.concatenate([p.uplift(0.0) for p in pantographs]) + _quadratic(pantographs) * speed[:, None] ** 2
        position = self.position(t)[:, None] - behind
        if self.tunnels:
            forces += self._in_tunnels(pantographs, position, speed)
        forces = share * forces + (1.0 - share) * rest
        for push in self.pushes:
            forces[:, push.mass(pantographs)] += push.at(t)
        if self.roof is not None:
            last = np.cumsum([p.size for p in pantographs]) - 1
            for column, p in zip(last, pantographs, strict=True):
                forces[:, column] += self.roof.push(t, p.stages[-1])
        return TrainWay(position, speed, forces)


def _quadratic(pantographs: Sequence[LumpedPantograph]) -> np.ndarray:
    """Uplift per speed² on every mass; (nm,) [N·s²/m²]."""
    return np.concatenate([p.uplift(1.0) - p.uplift(0.0) for p in pantographs])
