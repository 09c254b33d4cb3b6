"""Parts of a line: droppers, steady arms, supports."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

from panhead.errors import ModelError, require_finite, require_not_negative, require_positive
from panhead.files.assumed_defaults import ZERO
from panhead.files.units import Kilograms, KilogramsPerMetre, Metres, NewtonSecondsPerMetre, NewtonsPerMetre
from panhead.railway.line.bows import BowModel
from panhead.railway.line.cross_span import CrossSpan
from panhead.railway.line.rods import RodModel


@dataclass(frozen=True, slots=True, kw_only=True)
class DropperKind:
    """Properties of every dropper of the line, unless it gives its own.

    It pulls with N = max(0, k (L − L₀) + c L̇) where L > L₀ and never pushes (``engine/laws/unilateral_spring``).
    """

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    stiffness: NewtonsPerMetre  #: axial stiffness k [N/m]
    damping: NewtonSecondsPerMetre = 0.0  #: axial damping c [N·s/m]
    mass_per_length: KilogramsPerMetre = ZERO  #: mass per length; half of the dropper's mass acts on each wire [kg/m]
    top_clamp_mass: Kilograms = ZERO  #: mass of the clamp at the messenger [kg]
    bottom_clamp_mass: Kilograms = ZERO  #: mass of the clamp at the contact wire [kg]
    rod: RodModel | None = None  #: model with mass along the dropper; None: one massless spring
    bow: BowModel | None = None  #: model with lateral bowing in compression; None: a slack dropper carries no force

    def __post_init__(self) -> None:
        require_positive(self, "stiffness")
        require_not_negative(self, "damping", "mass_per_length", "top_clamp_mass", "bottom_clamp_mass")
        if self.rod is not None and not self.mass_per_length > 0.0:
            raise ModelError("DropperKind: a rod needs mass along its length; give mass_per_length")
        if self.bow is not None:
            self._check_bow()

    def _check_bow(self) -> None:
        if not self.mass_per_length > 0.0:
            raise ModelError("DropperKind: a bowing dropper needs mass along its length; give mass_per_length")
        if self.rod is not None:
            raise ModelError("DropperKind: rod and bow cannot be combined; remove one of them")
        if self.damping > 0.0:
            raise ModelError("DropperKind: a bow has its own damping (bow.fading); remove `damping`")


@dataclass(frozen=True, slots=True, kw_only=True)
class Dropper:
    """One dropper. Its length follows from a prescribed height, or the height from its length."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    position: Metres  #: from the span's first mast [m]
    length: Metres | None = None  #: unstretched length, clamp to clamp [m]; None: computed
    sag: Metres | None = None
    """Nominal sag of the contact wire below the line through the supports [m]; None: the pre-sag of the span."""
    height: Metres | None = None  #: nominal height of the contact wire above rail here, instead of a sag [m]
    length_error: Metres = 0.0  #: length error as installed, + if longer [m]
    kind: DropperKind | str | None = None
    """Dropper data, or the name of one of line.dropper_kinds; None: those of the line."""
    wire: Literal["contact", "left", "right"] = "contact"
    """Contact wire to which it leads, if there are two; "contact": both."""

    def __post_init__(self) -> None:
        require_finite(self, "position", "sag", "height", "length_error")
        if self.length is not None:
            require_positive(self, "length")
        if sum(x is not None for x in (self.length, self.sag, self.height)) > 1:
            raise ModelError(f"Dropper at {self.position:g} m: give only one of length, sag and height")


@dataclass(frozen=True, slots=True, kw_only=True)
class SteadyArm:
    """A light arm that holds the contact wire sideways: hinged at its heel, clamped to the wire.

    It carries the wire's lateral pull R, so that lifting the wire meets the stiffness
    R L²/(L² − h²)^{3/2} and at rest the wire is lifted by R h/√(L² − h²) less half its weight;
    h is the height of the heel over the clamp. A third of its mass moves with the wire.
    """

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    length: Metres  #: length L [m]
    mass: Kilograms = ZERO  #: mass m [kg]
    rise: Metres = 0.0  #: height h of the heel above the clamp [m]
    damping: NewtonSecondsPerMetre = 0.0  #: damping of the vertical motion of the wire [N·s/m]

    def __post_init__(self) -> None:
        require_positive(self, "length")
        require_not_negative(self, "mass", "rise", "damping")
        if self.rise >= self.length:
            raise ModelError(f"SteadyArm: rise {self.rise:g} m must be below its length {self.length:g} m")


@dataclass(frozen=True, slots=True, kw_only=True)
class Support:
    """Support at every mast of the line, unless the mast gives its own."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    encumbrance: Metres
    """Height of the messenger above the contact wire at the support; of a conductor rail: of its suspension."""
    stagger: Metres = 0.0  #: stagger of the contact wire, + at the first mast, then alternating [m]
    messenger_stagger: Metres = 0.0  #: stagger of the messenger, alternating with that of the contact wire [m]
    auxiliary_height: Metres | None = None  #: height of the auxiliary wire above the contact wire [m]
    messenger_stiffness: NewtonsPerMetre | None = None
    """Vertical stiffness of the messenger support [N/m]; None: rigid."""
    messenger_damping: NewtonSecondsPerMetre = 0.0  #: damping parallel to that stiffness [N·s/m]
    contact_stiffness: NewtonsPerMetre = 0.0
    """Vertical stiffness at the contact wire; it carries a conductor rail."""
    contact_damping: NewtonSecondsPerMetre = 0.0  #: vertical damping at the contact wire [N·s/m]
    contact_mass: Kilograms = 0.0  #: mass at the contact wire, such as the effective mass of a registration arm [kg]
    lateral_stiffness: NewtonsPerMetre | None = None
    """Lateral stiffness of the registration of the contact wire [N/m]; None: rigid."""
    steady_arm: SteadyArm | None = None  #: steady arm that registers the contact wire
    cross_span: CrossSpan | None = None  #: cross-span rope that carries a contact wire without messenger

    @property
    def holding_stiffness(self) -> float:
        """Stiffness against vertical motion of the contact wire: spring and cross-span [N/m]."""
        return self.contact_stiffness + (self.cross_span.stiffness if self.cross_span else 0.0)

    @property
    def holding_mass(self) -> float:
        """Mass lumped on the contact wire, without the steady arm's [kg]."""
        return self.contact_mass + (self.cross_span.moving_mass if self.cross_span else 0.0)

    def __post_init__(self) -> None:
        if not (self.encumbrance > 0 and math.isfinite(self.encumbrance)):
            raise ModelError(
                f"Support: encumbrance must be finite and > 0, got {self.encumbrance!r}: "
                "the messenger would cross the contact wire"
            )
        require_finite(self, "stagger", "messenger_stagger")
        for name in ("messenger_stiffness", "lateral_stiffness", "auxiliary_height"):
            if getattr(self, name) is not None:
                require_positive(self, name)
        require_not_negative(self, "messenger_damping", "contact_stiffness", "contact_damping", "contact_mass")
        if self.auxiliary_height is not None and self.auxiliary_height >= self.encumbrance:
            raise ModelError(
                f"Support: auxiliary_height {self.auxiliary_height:g} m must be below the "
                f"encumbrance {self.encumbrance:g} m"
            )
