"""A model: a name, items, gravity."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import numpy as np

from panhead.engine.laws.gravity import DOWN
from panhead.engine.multibody.family_assembly import pack
from panhead.engine.multibody.multibody_system import MultibodySystem
from panhead.engine.roles import Body, Item, Triple, require_places
from panhead.errors import ModelError, RunWarning

if TYPE_CHECKING:
    from panhead.engine.methods.events import Event
    from panhead.engine.methods.formulations import Formulation, Stabilisation
    from panhead.engine.methods.integrators import Method
    from panhead.engine.multibody.model_dataset import Point
    from panhead.engine.multibody.sensors import Sensor
    from panhead.engine.roles import Marker
    from panhead.files.result import Result


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """Bodies, joints and forces."""

    name: str
    items: tuple[Item, ...]
    gravity: Triple = DOWN  #: [m/s²]

    def __post_init__(self) -> None:
        for item in self.items:
            if not isinstance(item, Item):
                raise ModelError(f"model {self.name!r}: items are bodies, joints and forces, got {item!r:.60}")
            require_places(item)
        twice = sorted(name for name, n in Counter(item.name for item in self.items).items() if n > 1)
        if twice:
            raise ModelError(f"model {self.name!r} has several items called {', '.join(twice)}; names must differ")
        odd = [item.name for item in self.items if "." in item.name]
        if odd:
            raise ModelError(f"model {self.name!r}: names must not contain a dot, got {', '.join(odd)}")
        self._check_gravity()

    def _check_gravity(self) -> None:
        """ModelError unless gravity is three numbers; RunWarning where the default cannot act."""
        if np.shape(self.gravity) != (3,) or not np.isfinite(self.gravity).all():
            raise ModelError(
                f"model {self.name!r}: gravity must be three finite numbers [m/s²], e.g. (0, 0, -9.81), "
                f"got {self.gravity!r}"
            )
        bodies = [item for item in self.items if isinstance(item, Body)]
        if self.gravity is DOWN and bodies and all(getattr(body, "planar", False) for body in bodies):
            warnings.warn(
                f"model {self.name!r} has only planar bodies, in the x–y plane, and the default gravity points along "
                "−z: it has no effect. Give gravity=(0, -9.81, 0), or (0, 0, 0) to confirm that there is none",
                RunWarning,
                stacklevel=4,
            )

    def system(self) -> MultibodySystem:
        """The equations, compiled."""
        return MultibodySystem(self.name, pack(self.items, self.gravity))

    def simulate(
        self,
        *,
        duration: float,
        dt: float,
        q: Sequence[float] | None = None,
        v: Sequence[float] | None = None,
        keep: float | None = None,
        method: Method | None = None,
        controls: Callable[[float], np.ndarray] | None = None,
        formulation: Formulation | None = None,
        stabilisation: Stabilisation | None = None,
        outputs: Sequence[str] = (),
        points: Mapping[str, Point | Marker] | None = None,
        sensors: Mapping[str, Sensor] | None = None,
        events: Sequence[Event] = (),
    ) -> Result:
        """Simulate over ``duration`` in steps of ``dt`` [s], from the initial placement or from q, v.

        ``keep``: time between kept states, ``controls``: u(t), ``formulation`` and ``stabilisation``: how constraints
        are kept. ``outputs``: coordinates, "rate NAME", constraints or what parts show of themselves, drawn on the
        report's first page. ``points``: places by name, ``body.at(…)`` or (body, place on it); their coordinates are
        the variables NAME_x, NAME_y, NAME_z. ``sensors``: distances, displacements, coordinates or functions of the
        state, by name. ``events``: what happens where a function of the state passes zero. Redundant constraints are
        told and run with multipliers of least norm.
        """
        from panhead.engine.multibody.model_run import ModelRun, ShownQuantities

        recorded = ShownQuantities(tuple(outputs), dict(points or {}), dict(sensors or {}))
        run = ModelRun(
            self, duration=duration, dt=dt, keep=keep, method=method, controls=controls, formulation=formulation,
            stabilisation=stabilisation, events=tuple(events),
        )  # fmt: skip
        return run.result(q, v, recorded)
