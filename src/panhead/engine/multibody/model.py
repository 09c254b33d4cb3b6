"""A model: a name, items, gravity."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import numpy as np

from panhead.engine.laws.gravity import DOWN
from panhead.engine.multibody.family_assembly import pack
from panhead.engine.multibody.multibody_system import MultibodySystem
from panhead.engine.roles import Item, Triple, require_places
from panhead.errors import ModelError

if TYPE_CHECKING:
    from panhead.engine.methods.integrators import Method
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
        outputs: Sequence[str] = (),
    ) -> Result:
        """Simulate over ``duration`` in steps of ``dt`` [s], from the initial placement or from q, v.

        ``keep``: time between kept states, ``controls``: u(t), ``outputs``: coordinates, "rate NAME", constraints or
        what parts show of themselves, drawn on the report's first page.
        """
        from panhead.engine.methods.simulate import simulate
        from panhead.engine.methods.trajectory import State
        from panhead.engine.multibody.model_dataset import dataset
        from panhead.files.result import Result

        system = self.system()
        given = [put if x is None else np.array(x, float) for x, put in ((q, system.start.q), (v, system.start.v))]
        motion = simulate(
            system, State(q=given[0], v=given[1]), duration=duration, dt=dt, keep=keep, method=method,
            controls=controls,
        )  # fmt: skip
        return Result.of(dataset(self, system, motion, outputs=outputs)).assign_attrs(title=self.name)
