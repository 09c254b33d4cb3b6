"""Lumped-mass pantograph as bodies on a mount."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, final

from panhead.engine.bodies import GuidedMass, PointMass
from panhead.engine.bodies.weightless import Weightless
from panhead.engine.forces import Push, Slide, SmoothFriction, SpringDamper, Stop
from panhead.engine.joints import PointOnLine
from panhead.engine.laws.ramp import smooth_ramp
from panhead.engine.roles import Expression, Item, Marker, Triple
from panhead.railway.pantograph.pantograph_protocol import HeadSuspension, Mechanics, Mount, TrainAxes
from panhead.railway.pantograph.strip import Strip, StripStation

if TYPE_CHECKING:
    from panhead.railway.pantograph.lumped_pantograph import LumpedPantograph, Stage


@final
@dataclass(frozen=True, slots=True)
class UpliftRamp:
    """Smooth ramp from 0 to 1 over a time [s]; or from 1 to 0."""

    over: float
    down: bool = False

    def __call__(self, t: Expression) -> Expression:
        share = smooth_ramp(t, self.over)
        return 1.0 - share if self.down else share


@final
@dataclass(frozen=True, slots=True)
class Chain:
    """Lumped masses on a mount, without weight: the springs carry them at the height ``rest``."""

    of: LumpedPantograph
    mount: Mount
    strip: Triple
    rest: float
    label: str

    def mechanics(self, ramp: float) -> Mechanics:
        bodies = [self._mass(k, stage) for k, stage in enumerate(self.of.stages, 1)]
        foot = self.mount.at((self.strip[0], self.strip[1], self.rest))
        places = [*(marker for _, marker in bodies), foot]
        items: list[Item] = [item for made, _ in bodies for item in made]
        travels = [Slide(a=places[k + 1], b=places[k]) for k in range(len(bodies))]
        for k, (stage, travel) in enumerate(zip(self.of.stages, travels, strict=True), 1):
            items += self._suspension(k, stage, travel)
        items += self._uplift_forces(places, ramp)
        station = StripStation(name=f"{self.label}strip", at=places[0])
        head, width = self.of.stages[0], 0.5 * self.of.pan_head.length
        return Mechanics(
            items=tuple(items),
            strips=(Strip(name=station.name, places=(0.0,), stations=(station,), half_width=width),),
            head=HeadSuspension(
                travel=travels[0],
                springs=(f"{self.label}suspension_1",),
                mass=head.mass,
                stiffness=head.stiffness,
                damping=head.damping,
                length=0.0,
                carried=True,
            ),
        )

    def _mass(self, k: int, stage: Stage) -> tuple[list[Item], Marker]:
        """Body of one mass: one coordinate if the mount is at rest in the axes, else a point guided above its foot."""
        name, (x, y, z) = f"{self.label}mass_{k}", self.strip
        if isinstance(self.mount, TrainAxes):
            guided = GuidedMass(
                name=name, mass=stage.mass, axis=(0.0, 0.0, 1.0), origin=(x, y, self.rest), position=z - self.rest
            )
            return [Weightless(name=name, item=guided)], guided.at()
        point = PointMass(name=name, mass=stage.mass, position=self.strip, velocity=self.mount.velocity)
        guide = PointOnLine(name=f"{name} guide", a=self.mount.at(self.strip), b=point.at())
        return [Weightless(name=name, item=point), guide], point.at()

    def _suspension(self, k: int, stage: Stage, travel: Slide) -> list[Item]:
        label = self.label
        items: list[Item] = [
            SpringDamper(name=f"{label}suspension_{k}", along=travel, stiffness=stage.stiffness, damping=stage.damping)
        ]
        if stage.friction:
            items.append(
                SmoothFriction(
                    name=f"{label}friction_{k}", along=travel, force=stage.friction, speed=stage.friction_speed
                )
            )
        if stage.stop_up is not None:
            items.append(self._stop(f"{label}stop_upper_{k}", stage, travel, stage.stop_up, "upper"))
        if stage.stop_down is not None:
            items.append(self._stop(f"{label}stop_lower_{k}", stage, travel, -stage.stop_down, "lower"))
        return items

    @staticmethod
    def _stop(name: str, stage: Stage, travel: Slide, limit: float, side: Literal["upper", "lower"]) -> Stop:
        return Stop(name=name, along=travel, limit=limit, stiffness=stage.stop_stiffness, side=side)

    def _uplift_forces(self, places: list[Marker], ramp: float) -> list[Item]:
        """Uplift forces, ramped from those that hold all masses at their start: K z."""
        items: list[Item] = []
        course = UpliftRamp(ramp) if ramp else None
        for k, force in enumerate(self.of.uplift(self.mount.speed)):
            if force:
                items.append(
                    Push(name=f"{self.label}lift_{k + 1}", at=places[k], force=(0.0, 0.0, float(force)), course=course)
                )
        held = self.of.stages[-1].stiffness * (self.strip[2] - self.rest)
        if ramp and held:
            items.append(
                Push(
                    name=f"{self.label}hold", at=places[-2], force=(0.0, 0.0, held), course=UpliftRamp(ramp, down=True)
                )
            )
        return items
