"""Geometrically exact beams: large bending, torsion, stretch and shear with few elements."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, final

import numpy as np

from panhead.engine.bodies.beam_laws import (
    STRAINS,
    BeamElasticity,
    BeamInertia,
    axis_position,
    element_frame,
    node_frame,
    node_terms,
)
from panhead.engine.bodies.helicoid import rest_twist
from panhead.engine.bodies.shapes import BeamShape, nodes_along, straight
from panhead.engine.bodies.wires import breaks_of, direction_across, element_of, node_of
from panhead.engine.roles import Body, Coordinate, Marker, Row, Triple, WirePath, axes_along, numbers
from panhead.engine.rotations import matrix_of
from panhead.engine.structures.general_section import GeneralSection
from panhead.engine.structures.sections import Section
from panhead.errors import ModelError, require_not_negative, require_one_of, require_positive

_NODE = ("x", "y", "z", "e0", "e1", "e2", "e3")


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Beam(Body):
    """A geometrically exact beam [Simo85] of two-noded elements; nodes hold p and Euler parameters of their section.

        ε = (d − d₀) / L,   d = log(H_A⁻¹ H_B),   V = ½ L εᵀ C ε,   C = diag(EA, GA_y*, GA_z*, GJ, EI_y, EI_z)
        1 / GA* = 1 / GA + L² / 12 EI

    The strain of an element is uniform, that of the helicoid through its two sections [Sonneville14]: objective,
    independent of the path, without locking. Bending that varies along the element, as it does under a shear force, has
    its linear exact share in GA* [MacNeal78]: slender beams converge with the fourth order. x runs
    along the beam, y and z are the principal axes of the section. A ``GeneralSection`` gives C and the inertia as 6 × 6
    matrices about the axis instead, of any coupling and offset; it needs neither ``young`` nor ``density``.

    The beam is straight from ``begin`` to ``end``, or lies on a ``curve`` (share 0 … 1 of the way ↦ place); ``twist``
    turns its section evenly from one end to the other. At rest it is free of stress.
    """

    name: str
    elements: int
    young: float | None = None  #: E [Pa]; of a Section or rectangle
    density: float | None = None  #: ρ [kg/m³]; of a Section or rectangle
    begin: Triple | None = None  #: [m]
    end: Triple | None = None  #: [m]
    curve: Callable[[float], Triple] | None = None  #: instead of begin and end
    section: Section | GeneralSection | None = None  #: None: the rectangle of height and width
    height: float | None = None  #: of a rectangle, along y [m]
    width: float | None = None  #: along z [m]
    poisson: float = 0.3  #: ν, G = E / 2 (1 + ν)
    damping: float = 0.0  #: of the rate of ε, times C [s]
    across: Triple | None = None  #: y points there at the beginning; None: to x, or to y of a beam along x
    twist: float = 0.0  #: of the last section against the first, at rest [rad]
    inertia: Literal["consistent", "lumped"] = "consistent"

    def __post_init__(self) -> None:
        require_positive(self, "elements")
        require_not_negative(self, "damping")
        self._require_material()
        require_one_of(self, ("consistent", "lumped"), "inertia")
        if not -1.0 < self.poisson <= 0.5:
            raise ModelError(f"Beam {self.name!r}: poisson must be −1 … 0.5, got {self.poisson!r}")
        if (self.section is None) == (self.height is None or self.width is None):
            raise ModelError(f"Beam {self.name!r}: give a section, or the height and width of a rectangle")
        if (self.curve is None) == (self.begin is None or self.end is None):
            raise ModelError(f"Beam {self.name!r}: give begin and end, or a curve")
        if self.begin is not None and self.end is not None and not math.dist(self.begin, self.end) > 0:
            raise ModelError(f"Beam {self.name!r} from {self.begin} to {self.end} has no length")

    def _require_material(self) -> None:
        if not isinstance(self.section, GeneralSection):
            require_positive(self, "young", "density")
        elif self.young is not None or self.density is not None or self.height is not None or self.width is not None:
            raise ModelError(
                f"Beam {self.name!r}: a GeneralSection holds its own stiffness and inertia; leave out young, density, "
                "height and width"
            )

    @property
    def cross_section(self) -> Section:
        """The section with its material's moduli apart; that of the rectangle if none is given."""
        if isinstance(self.section, GeneralSection):
            raise ModelError(f"Beam {self.name!r}: a GeneralSection has no area or second moments")
        return self.section or Section.rectangle(width=self.height or 0.0, height=self.width or 0.0)

    @property
    def mass_per_length(self) -> float:
        """ρA, or m of a general section [kg/m]."""
        if isinstance(self.section, GeneralSection):
            return self.section.mass
        return (self.density or 0.0) * self.cross_section.area

    def shape(self) -> BeamShape:
        """Nodes at rest: places, attitudes, lengths between them."""
        owner = f"Beam {self.name!r}"
        if self.curve is None:
            assert self.begin is not None
            assert self.end is not None
            return straight(self.begin, self.end, self.elements, self.across, self.twist, owner)
        return nodes_along(self.curve, self.elements, self.across, self.twist, owner)

    @property
    def breaks(self) -> tuple[float, ...]:
        """Lengths along the beam of its nodes [m]."""
        return breaks_of(self.shape().lengths)

    @property
    def length(self) -> float:
        return self.breaks[-1]

    def stiffness(self, length: float) -> dict[str, float]:
        """C of an element of this length, by strain [N, N·m²]; of a general section U with UᵀU = C, row by row."""
        if isinstance(self.section, GeneralSection):
            C = self.section.element_stiffness(length)
            return numbers("U", np.linalg.cholesky(C).T[np.triu_indices(6)])
        s, E = self.cross_section, self.young or 0.0
        G = E / (2 * (1 + self.poisson))
        soft = lambda shear, inertia: 1 / (1 / (G * shear) + length**2 / (12 * E * inertia))
        y, z = s.shear_areas
        values = (E * s.area, soft(y, s.inertia_z), soft(z, s.inertia_y),
                  G * s.torsion, E * s.inertia_y, E * s.inertia_z)  # fmt: skip
        return dict(zip(STRAINS, values, strict=True))

    def node_names(self, k: int) -> tuple[str, ...]:
        """Full names of the coordinates of node k: position, then Euler parameters."""
        return tuple(f"{self.name}.{k}{part}" for part in _NODE)

    def element_names(self, k: int) -> tuple[str, ...]:
        """Full names of the coordinates of element k."""
        return self.node_names(k) + self.node_names(k + 1)

    def coordinates(self) -> tuple[Coordinate, ...]:
        shape, found = self.shape(), []
        for k in range(self.elements + 1):
            starts = (*shape.places[k], *shape.attitudes[k])
            units = ("m",) * 3 + ("",) * 4
            found += [
                Coordinate(name=f"{k}{n}", unit=unit, start=float(x))
                for n, unit, x in zip(_NODE, units, starts, strict=True)
            ]
        return tuple(found)

    def rows(self, gravity: Triple) -> tuple[Row, ...]:
        shape = self.shape()
        return (
            *(self._node(k, shape) for k in range(self.elements + 1)),
            *(self._element(k, shape) for k in range(self.elements)),
            *(self._inertia(k, shape, gravity) for k in range(self.elements)),
        )

    def _node(self, k: int, shape: BeamShape) -> Row:
        """Euler parameters of length one, and the rotary inertia of half the elements beside the node."""
        share = float(sum(shape.lengths[max(k - 1, 0) : k + 1])) / 2
        if isinstance(self.section, GeneralSection):
            law, moments = "beam node, general section", share * self.section.central_moments
        else:
            law, s = "beam node", self.cross_section
            density = self.density or 0.0
            moments = density * share * np.array([s.inertia_y + s.inertia_z, s.inertia_y, s.inertia_z])
        return Row(
            law=law, terms=node_terms, owned=self.node_names(k), numbers=numbers("J", moments),
            constraints=(f"{self.name}.{k} unit length",),
        )  # fmt: skip

    def _element(self, k: int, shape: BeamShape) -> Row:
        length, damped = float(shape.lengths[k]), self.damping > 0
        coupled = isinstance(self.section, GeneralSection)
        values = {"length": length} | self.stiffness(length)
        values |= numbers("rest", rest_twist(shape.places, shape.attitudes, k) / length)
        return Row(
            law=("beam", damped, coupled), terms=BeamElasticity(damped, coupled), owned=self.element_names(k),
            numbers=values | ({"damping": self.damping} if damped else {}),
        )  # fmt: skip

    def _inertia(self, k: int, shape: BeamShape, gravity: Triple) -> Row:
        values = {"length": float(shape.lengths[k]), "m": self.mass_per_length} | numbers("gravity", gravity)
        centre = self.section.centre if isinstance(self.section, GeneralSection) else (0.0, 0.0)
        offset = any(centre)
        if offset:
            values |= numbers("centre", centre)
        return Row(
            law=("beam inertia", self.inertia, offset), terms=BeamInertia(self.inertia == "lumped", offset),
            owned=self.element_names(k), numbers=values,
        )  # fmt: skip

    def at(
        self,
        s: float,
        *,
        offset: tuple[float, float] = (0.0, 0.0),
        axis: Triple = (0.0, 0.0, 1.0),
        across: Triple | None = None,
    ) -> Marker:
        """The section at the arc length s of the beam, at ``offset`` (y, z) from its axis.

        ``axis``, written in the section's axes, becomes the z axis of what is fastened there.
        """
        return self._marker(s, offset, axes_along(axis, across, owner=f"Beam {self.name!r}"))

    def at_world(self, s: float, *, axis: Triple = (0.0, 0.0, 1.0), across: Triple | None = None) -> Marker:
        """The section at arc length s, with axes that coincide with the world's ``axis`` and ``across`` at rest."""
        R = axes_along(axis, across, owner=f"Beam {self.name!r}")
        return self._marker(s, (0.0, 0.0), self.rest_axes(s).T @ R)

    def rest_axes(self, s: float) -> np.ndarray:
        """R_WS of the section at the length s at rest, (3, 3)."""
        shape, breaks = self.shape(), self.breaks
        k = element_of(f"Beam {self.name!r}", breaks, s)
        share = (s - breaks[k]) / (breaks[k + 1] - breaks[k])
        e = (1 - share) * shape.attitudes[k] + share * shape.attitudes[k + 1]
        return np.array(matrix_of(e / np.linalg.norm(e)))

    def _marker(self, s: float, offset: tuple[float, float], R: np.ndarray) -> Marker:
        breaks = self.breaks
        k, node = element_of(f"Beam {self.name!r}", breaks, s), node_of(breaks, s)
        fixed = {"y": offset[0], "z": offset[1]} | numbers("R", R)
        if node is not None:
            return Marker(
                body=self.name, law="beam node", coordinates=self.node_names(node), numbers=fixed, frame=node_frame
            )
        here = {"x": s - breaks[k], "length": breaks[k + 1] - breaks[k]}
        return Marker(
            body=self.name, law="beam", coordinates=self.element_names(k), numbers=here | fixed, frame=element_frame
        )

    def track(self, start: float) -> WirePath:
        """The beam's axis as a track for sliders, from the arc length ``start``."""
        tangents = np.array([np.array(matrix_of(e))[:, 0] for e in self.shape().attitudes])
        return WirePath(
            body=self.name,
            law="beam",
            elements=tuple(self.element_names(k) for k in range(self.elements)),
            breaks=self.breaks,
            position=axis_position,
            across=direction_across(tangents),
            start=start,
        )
