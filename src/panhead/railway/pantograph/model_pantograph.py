"""User-defined pantograph: any multibody model on the roof."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, final

import casadi as ca
import numpy as np

from panhead.engine.bodies.measure import at_start
from panhead.engine.bodies.weightless import Weightless
from panhead.engine.multibody import Model
from panhead.engine.roles import Body, Frame, Item, Marker, Symbols, Triple, numbers
from panhead.errors import ModelError, require_not_negative, require_positive
from panhead.files.parse import PYTHON_ONLY
from panhead.railway.pantograph.pan_head import PanHead
from panhead.railway.pantograph.pantograph_protocol import Mechanics, Mount, TrainAxes, moving_marker
from panhead.railway.pantograph.strip import Strip, StripStation

_SAME = 1e-3  # of g: 9.80665 beside 9.81 is no contradiction


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class ModelPantograph:
    """A model in the axes of the roof: its ground is the roof, x along the track, z up.

    ``strip`` is the middle of the collector strip where it starts; there it meets the wire. The force that raises it
    is among its items; its static contact force follows from equilibrium. Solvers: "cables" and "coupled".
    """

    model: Model = field(metadata={PYTHON_ONLY: True})
    strip: Marker = field(metadata={PYTHON_ONLY: True})  #: a place on one of its bodies
    contact_stiffness: float = 50e3  #: between strip and wire [N/m]
    contact_damping: float = 0.0  #: [N·s/m]
    pan_head: PanHead = field(default_factory=PanHead)  #: how wide its strip is across the track

    def __post_init__(self) -> None:
        require_positive(self, "contact_stiffness")
        require_not_negative(self, "contact_damping")
        across = np.hypot(*self.model.gravity[:2])
        if across > 0.0 or self.model.gravity[2] > 0.0:
            raise ModelError(
                f"pantograph {self.name!r}: gravity must act along −z, got {self.model.gravity!r}; rotate the model"
            )

    @property
    def name(self) -> str:
        return self.model.name

    @property
    def strip_height(self) -> None:
        """It stands wherever the wire is."""
        return

    @property
    def reach(self) -> float:
        """Zero: its foot on the roof is unknown."""
        return 0.0

    def on(
        self, mount: Mount, strip: Triple, *, rest: float | None = None, ramp: float = 0.0, label: str = ""
    ) -> Mechanics:
        """Mount it (see ``Pantograph.on``); its coordinates stay in its own axes, wherever the strip is."""
        del rest, ramp, label
        if not isinstance(mount, TrainAxes):
            raise ModelError(
                f"pantograph {self.name!r} cannot be mounted on a car body, since its ground is its own; "
                "remove `vehicle`, or use a lumped-mass or linkage pantograph"
            )
        self._check_gravity(mount.gravity)
        p, R = self._start()
        x, y, z = (float(a) for a in np.array(strip) - p)
        at = moving_marker(_level_axes(self.strip, R), by=(x, y, z))
        station = StripStation(name="collector strip", at=at)
        part = Strip(name=station.name, places=(0.0,), stations=(station,), half_width=0.5 * self.pan_head.length)
        return Mechanics(items=self._items(), strips=(part,))

    def _check_gravity(self, g: float) -> None:
        own = -self.model.gravity[2]
        if own and abs(own - g) > _SAME * g:
            raise ModelError(
                f"pantograph {self.name!r}: its model has gravity {own:g} m/s², but the line has {g:g} m/s²; "
                "give both the same gravity, or the model none"
            )

    def _items(self) -> tuple[Item, ...]:
        """Items of the model with its gravity, if it has any."""
        if any(self.model.gravity):
            return self.model.items
        return tuple(
            Weightless(name=item.name, item=item) if isinstance(item, Body) else item for item in self.model.items
        )

    def _start(self) -> tuple[np.ndarray, np.ndarray]:
        """Place (3,) [m] and axes (3, 3) of the strip where the model starts."""
        start = {f"{item.name}.{c.name}": (c.start, c.rate) for item in self.model.items for c in item.coordinates()}
        values, _ = at_start("place and axes", (self.strip,), _place_and_axes, start)
        return values[:3], values[3:].reshape(3, 3).T


def _place_and_axes(s: Symbols) -> Any:
    frame = s.frames[0]
    return ca.vertcat(frame.p, ca.vec(frame.R))


def _level_axes(marker: Marker, axes: np.ndarray) -> Marker:
    """Marker at the same place with the track's axes at the start: x along it, y across."""

    def frame(s: Symbols) -> Frame:
        inner = marker.frame(s)
        return Frame(inner.p, inner.R @ ca.reshape(s.vector("levelled", 9), 3, 3).T)

    return Marker(
        body=marker.body,
        law=("levelled", marker.law),
        coordinates=marker.coordinates,
        numbers={**marker.numbers, **numbers("levelled", axes.T)},
        frame=frame,
    )
