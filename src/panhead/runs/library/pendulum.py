"""The simple pendulum in redundant coordinates: IFToMM benchmark A01."""

from __future__ import annotations

from panhead.engine.symbolic import Closure, Gravity, Mechanism, Output, Parameters, PlacedBody, coordinates


def build() -> Mechanism:
    """A point mass at (x, y) on a massless rod: x² + y² = L²      [Gonzalez06, problem A01]"""
    p = Parameters(m=(1.0, "kg"), L=(1.0, "m"), g=(9.81, "m/s**2"))
    x, y = coordinates("x", "y")
    return Mechanism(
        name="pendulum",
        coordinates=(x, y),
        units=("m", "m"),
        parameters=p,
        bodies=(PlacedBody(name="mass", mass=p.m, position=(x, y)),),
        gravity=Gravity(acceleration=p.g),
        closures=(Closure(name="rod length", equations=((x**2 + y**2 - p.L**2) / (2 * p.L),)),),
        outputs=(Output(name="height", unit="m", expression=y, about="height of the mass"),),
        outline={"rod": ((0, 0), (x, y))},
    )
