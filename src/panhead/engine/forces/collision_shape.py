"""Shapes of bodies that may meet one another, and the surfaces they have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final, get_args

from panhead.engine.forces.solid_forms import Form, HalfSpace
from panhead.engine.roles import Contact, Marker, Row, Triple
from panhead.errors import ModelError, require_not_negative


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class SurfaceLaw:
    """What a surface does where it touches another; of two surfaces the larger coefficient acts.

        |F_T| ≤ μ F_N,   |M_N| ≤ spinning F_N,   |M_T| ≤ rolling F_N,   γ_N⁺ = −e γ_N⁻

    F_T opposes the sliding, M_N the relative turn about the normal, M_T that about the tangents.
    """

    friction: float = 0.5  #: μ
    restitution: float = 0.0  #: e, 0 … 1
    rolling: float = 0.0  #: arm of the normal force against rolling [m]
    spinning: float = 0.0  #: arm of the normal force against spinning, of a disc of radius a 2/3 μ a [m]

    def __post_init__(self) -> None:
        require_not_negative(self, "friction", "rolling", "spinning")
        if not 0.0 <= self.restitution <= 1.0:
            raise ModelError(f"SurfaceLaw: restitution must be 0 … 1, got {self.restitution!r}")


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class CollisionShape(Contact):
    """The shape of a rigid body, or of the ground: it meets every other shape of the model.

    Not those of its own body, nor of bodies joined to it other than the ground, nor ground with ground. ``group`` and
    ``meets`` are sets of bits: two shapes meet if the group of one and what the other meets have a bit in common.
    """

    name: str
    at: Marker  #: centre and axes
    form: Form
    surface: SurfaceLaw = SurfaceLaw()
    group: int = 1
    meets: int = 1

    def __post_init__(self) -> None:
        if not isinstance(self.form, get_args(Form)):
            kinds = ", ".join(kind.__name__ for kind in get_args(Form))
            raise ModelError(f"CollisionShape {self.name!r}: form must be one of {kinds}, got {self.form!r:.60}")
        if self.at.law not in ("rigid body", "ground"):
            raise ModelError(
                f"CollisionShape {self.name!r}: {self.at.body!r} must be a RigidBody or the ground; flexible, planar "
                "and carried bodies have no shapes. Use PlaneContact, BallContact or BeamContact for them"
            )
        if isinstance(self.form, HalfSpace) and self.at.law != "ground":
            raise ModelError(
                f"CollisionShape {self.name!r}: a HalfSpace belongs to the ground, and this one to {self.at.body!r}; "
                "give that body a Box"
            )

    def rows(self, gravity: Triple) -> tuple[Row, ...]:
        del gravity
        return ()
