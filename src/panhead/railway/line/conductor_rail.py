"""Conductor rails: a stiff rail on springs at short spacing instead of wires under tension.

A rail is the contact wire of a line without messenger. Its supports carry it, ``Support.contact_stiffness`` each;
between them it is an Euler–Bernoulli beam with the given tension, 0 by default (a trolley wire is such a line, too).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

from panhead.errors import ModelError, require_not_negative, require_positive
from panhead.files.units import Kilograms, Metres, NewtonSquareMetres
from panhead.railway.line.insulators import Let


@dataclass(frozen=True, slots=True, kw_only=True)
class RailJoint:
    """A joint between two bars of a conductor rail, or an expansion joint: a segment with its own mass and stiffness.

    An expansion joint lets the bars slide and bends easily: little ``bending_stiffness``, more ``mass``.
    """

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    position: Metres  #: position of its middle from the first mast of the tension length [m]
    every: Metres | None = None
    """Distance at which the joint is repeated up to the end of the tension length [m]; None: a single joint."""
    length: Metres  #: length of the joint [m]
    mass: Kilograms = 0.0  #: mass of the joint in addition to the rail [kg]
    bending_stiffness: NewtonSquareMetres  #: bending stiffness EI of the joint, instead of that of the rail [N·m²]

    def __post_init__(self) -> None:
        require_positive(self, "position", "length", "bending_stiffness")
        require_not_negative(self, "mass")
        if self.every is not None and not self.every > self.length:
            raise ModelError(
                f"RailJoint: joints of {self.length:g} m every {self.every:g} m leave no rail between; increase every"
            )


def rail_joint_segments(
    joints: tuple[RailJoint, ...], rail_stiffness: float, total: float, name: str
) -> tuple[Let, ...]:
    """Rail joints as segments of a rail with this EI and ``total`` length, in order, from its first mast."""
    found: list[Let] = []
    for joint in joints:
        x = joint.position
        if not x < total:
            raise ModelError(f"{name}: a rail joint at {x:g} m does not lie within its {total:g} m; move it")
        while x < total:
            begin, half = round(x - 0.5 * joint.length, 6), 0.5 * joint.length
            change = joint.bending_stiffness - rail_stiffness
            found.append((begin, round(begin + joint.length, 6), joint.mass / joint.length, change, 0.0, half))
            if joint.every is None:
                break
            x += joint.every
    found.sort()
    for a, b in pairwise(found):
        if b[0] < a[1]:
            raise ModelError(f"{name}: rail joints at {a[0]:g} m and {b[0]:g} m overlap; move or remove one of them")
    if found and not (found[0][0] > 0.0 and found[-1][1] < total):
        raise ModelError(f"{name}: a rail joint does not lie within its {total:g} m; move it")
    return tuple(found)
