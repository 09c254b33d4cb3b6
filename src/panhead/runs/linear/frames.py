"""Animation frames of the line around the train, recorded over the assessed section."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from panhead.railway.line.layout import roles_of
from panhead.railway.line.line_description import Line
from panhead.railway.line.line_matrices import LinearLine
from panhead.runs.linear.step.step_arrays import Record
from panhead.runs.resolve import ResolvedRun
from panhead.runs.streams import Streams

_MAX_FRAMES = 300  # pictures of a run
_AROUND = 60.0  # of line before the first and behind the last pantograph [m]
_SHORTEST = 0.02  # between pictures [s]
Wires = list[tuple[np.ndarray, np.ndarray]]  #: static height and coordinate at every station


@dataclass(frozen=True, slots=True)
class FrameRecorder:
    """Recording times of animation frames."""

    first: int  #: step
    last: int
    every: int  #: steps between pictures
    points: int  #: of a wire in a picture
    half: float  #: width of a picture to each side of the train's middle [m]

    @classmethod
    def of(cls, model: ResolvedRun) -> FrameRecorder:
        """Recorder for the assessed section and a little before it, at most 300 frames or 12 s."""
        h = model.run.numerics.step
        begin, end = model.judged_times()
        begin, end = max(0.0, begin - 0.5), min(end, begin + 12.0)
        every = max(1, round(_SHORTEST / h), round((end - begin) / _MAX_FRAMES / h))
        half = _AROUND + 0.5 * float(model.behind[-1])
        return cls(int(begin / h), int(end / h) + 1, every, int(2 * half) + 1, half)

    def count(self, step: int, steps: int) -> int:
        """Number of frames in a chunk of steps: all or none."""
        if step + steps < self.first or step > self.last:
            return 0
        return (step + steps) // self.every - step // self.every

    def due(self, step: int) -> bool:
        """True if a step has a frame."""
        return self.first <= step <= self.last and step % self.every == 0

    def write(
        self,
        linear: LinearLine,
        record: Record,
        position: np.ndarray,
        head: np.ndarray,
        step: int,
        h: float,
        streams: Streams,
    ) -> None:
        """Write the frames of a chunk: time, positions and heads of the pantographs, wires around them.

        position, head (steps, np): where the pantographs are and how high their heads.
        """
        numbers = (np.arange(record.shape.shape[0]) + step // self.every + 1) * self.every
        rows = numbers - step - 1
        seen = rows < position.shape[0]
        if not seen.any():
            return
        wires = wires_of(linear)
        pictures = [
            self.picture(linear, wires, shape, number * h, position[row], head[row])
            for number, row, shape in zip(numbers[seen], rows[seen], record.shape[seen], strict=True)
        ]
        streams.append("frame", np.array(pictures))

    def picture(
        self, linear: LinearLine, wires: Wires, shape: np.ndarray, time: float, position: np.ndarray, head: np.ndarray
    ) -> np.ndarray:
        """Time, places and heads (np,) of the pantographs, places and heights of all wires, in one row."""
        grid = np.linspace(-self.half, self.half, self.points)
        x, u = 0.5 * (position[0] + position[-1]) + grid, shape.reshape(linear.ns, -1)
        heights = [
            np.interp(x, linear.x, z0 + u[np.arange(linear.ns), dof], left=np.nan, right=np.nan) for z0, dof in wires
        ]
        return np.concatenate([[time], position, head, x, *heights])


def wires_shown(line: Line) -> tuple[str, ...]:
    """Wires in a frame: running contact wire and messenger first, then the others.

    Where two tension lengths overlap, those of the lower contact wire come first and the others are ``other_…``.
    """
    sets = [part.wires or line.wires for part in line.tension_lengths]
    some = ("messenger", "auxiliary", "stitch")
    extra = tuple(role for role in some if any(role in roles_of(wires) for wires in sets))
    overlaps = any(part.overlap is not None for part in line.tension_lengths)
    return ("contact", *extra, *(("other_contact", "other_messenger") if overlaps else ()))


def wires_of(linear: LinearLine) -> Wires:
    """Static height, NaN where it does not hang, and coordinate of every wire shown at every station."""
    store = linear.source
    names = wires_shown(store.strung.line)
    heights = {name: np.full(linear.ns, np.nan) for name in names}
    dofs = {name: np.zeros(linear.ns, dtype=np.int64) for name in names}
    for part in linear.parts:
        shape, here = part.blocks.strung.shape, slice(part.start, part.stop)
        lower = ~(shape["contact"][:, 0] > heights["contact"][here])  # the first one here is
        for role in [name for name in names if name in shape]:
            z, dof = shape[role][:, 0], store.numbering.dof(part.piece.index, role)
            if f"other_{role}" in heights:
                before = lower & (dofs[role][here] != dof)  # at a mast it may be this one itself
                _place_heights(heights, dofs, f"other_{role}", here, before, heights[role][here], dofs[role][here])
                _place_heights(heights, dofs, f"other_{role}", here, ~lower, z, dof)
            _place_heights(heights, dofs, role, here, lower, z, dof)
    return [(heights[name], dofs[name]) for name in names]


def _place_heights(
    heights: dict[str, np.ndarray],
    dofs: dict[str, np.ndarray],
    name: str,
    here: slice,
    chosen: np.ndarray,
    z: np.ndarray,
    dof: np.ndarray | int,
) -> None:
    heights[name][here] = np.where(chosen, z, heights[name][here])
    dofs[name][here] = np.where(chosen, dof, dofs[name][here])
