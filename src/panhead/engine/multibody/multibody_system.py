"""A model of bodies, joints and forces as a ``System``."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import final

from panhead.engine.kernels.sliders import NO_SLIDES
from panhead.engine.methods.trajectory import State
from panhead.engine.multibody.collision_tables import Collisions
from panhead.engine.multibody.contact_tables import Contacts
from panhead.engine.multibody.family_assembly import Packed
from panhead.engine.multibody.slider_tables import border_of, sliders_of, slides_of
from panhead.engine.tables.table_system import TabledSystem


@final
class MultibodySystem(TabledSystem):
    """The System of a model in absolute coordinates; matrices are sparse."""

    def __init__(self, name: str, packed: Packed, values: Mapping[str, float] | None = None) -> None:
        super().__init__(name, packed.coordinates, packed.constraints, packed.controls, packed.families, values or {})
        self.packed = packed
        self.slides = slides_of(packed.families, self.tables, self.coordinates)
        if self.slides is not NO_SLIDES:
            self.border = border_of(packed.families, self.nq)
            self.sliders = sliders_of(packed.families)

    @functools.cached_property
    def corners(self) -> tuple[float, ...]:
        """Times at which given functions of time are not smooth [s]."""
        return tuple(sorted({t for family in self.packed.families for row in family.rows for t in row.corners}))

    @functools.cached_property
    def contacts(self) -> Contacts | Collisions | None:
        """Unilateral contacts of the model, or its shapes that may meet."""
        if self.packed.shapes:
            return Collisions(self.packed.shapes, self.coordinates, self.packed.joined)
        return Contacts(self.packed.contacts, self.coordinates) if self.packed.contacts else None

    @property
    def start(self) -> State:
        """Initial state in which the items were placed."""
        return State(q=self.packed.q.copy(), v=self.packed.v.copy())

    def with_parameters(self, **values: float) -> MultibodySystem:
        return self.changed(values)

    def changed(self, values: Mapping[str, float]) -> MultibodySystem:
        """Return the model with some parameters changed; names as in ``parameters``."""
        return MultibodySystem(self.name, self.packed, self._changes | dict(values))
