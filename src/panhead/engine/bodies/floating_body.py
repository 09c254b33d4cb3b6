"""Flexible bodies with small deformation and large motion: floating frame of reference with reduced coordinates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from scipy.sparse.csgraph import depth_first_order, minimum_spanning_tree

from panhead.engine.bodies.floating_terms import (
    Invariants,
    damping_terms,
    floating_frame,
    frame_terms,
    pair_terms,
    pairs_of,
    shape_terms,
)
from panhead.engine.roles import Body, Coordinate, Marker, Row, Triple, frame_numbers, numbers
from panhead.engine.rotations import Quaternion, rates_of
from panhead.engine.structures import Place, ReducedStructure
from panhead.errors import ModelError

_NAMES = ("x", "y", "z", "e0", "e1", "e2", "e3")
_ROUNDING = 1e-9  # of the largest entry: matrices come from files and sums
_DRAWN = 200  # nodes at most
_INERT = 1e-10  # least eigenvalue of a scaled mass matrix that still is one


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class FloatingBody(Body):
    """A flexible body: nodes deform a little relative to a frame that moves far   [Ambrosio11, eqs (1)–(14)].

        q = (p_WB, e, w),   p_j = p_WB + R(e) (x_j + Φ_j w),   θ_j = Ψ_j w
        T = ½ Σ m_j ṗ_j·ṗ_j + ½ Σ (ω + θ̇_j)ᵀ μ_j (ω + θ̇_j)
        V = ½ wᵀ K w − Σ m_j g·p_j,   damping forces −C ẇ

    All inertial couplings between the frame and w are kept. Which conditions tie the frame to the body is the
    structure's choice. The start is free of stress unless ``deformation`` says otherwise.
    """

    name: str
    structure: ReducedStructure
    position: Triple = (0.0, 0.0, 0.0)  #: p_WB at the start [m]
    attitude: Quaternion = (1.0, 0.0, 0.0, 0.0)  #: Euler parameters at the start
    velocity: Triple = (0.0, 0.0, 0.0)  #: of the frame at the start, in the world's axes [m/s]
    spin: Triple = (0.0, 0.0, 0.0)  #: of the frame at the start, in the body's axes [rad/s]
    deformation: tuple[float, ...] = ()  #: w at the start; none: zeros
    deformation_rate: tuple[float, ...] = ()  #: ẇ at the start; none: zeros

    def __post_init__(self) -> None:
        k = len(self.structure.modes)
        if not abs(np.linalg.norm(self.attitude) - 1) < 1e-6:
            raise ModelError(f"FloatingBody {self.name!r}: attitude must have length 1, got {self.attitude!r}")
        for name in ("deformation", "deformation_rate"):
            given = getattr(self, name)
            if len(given) not in (0, k):
                raise ModelError(
                    f"FloatingBody {self.name!r}: {name} must be {k} numbers, one for each mode of "
                    f"{self.structure.name!r}, or empty (zeros); got {len(given)}"
                )
        _require_passive(self)
        _require_inertia(self)

    def coordinates(self) -> tuple[Coordinate, ...]:
        none = (0.0,) * len(self.structure.modes)
        start = (*self.position, *self.attitude, *(tuple(self.deformation) or none))
        rate = (*self.velocity, *rates_of(self.attitude, self.spin), *(tuple(self.deformation_rate) or none))
        return tuple(
            Coordinate(name=n, unit="m" if n in "xyz" else "", start=float(x), rate=float(r))
            for n, x, r in zip(self._names(), start, rate, strict=True)
        )

    def rows(self, gravity: Triple) -> tuple[Row, ...]:
        pull, of = numbers("gravity", gravity), Invariants.of(self.structure)
        frame, w = self.own(*_NAMES), self.own(*self._names()[len(_NAMES) :])
        K, C = self.structure.stiffness, self.structure.damping
        coupled = bool((C - np.diag(np.diag(C))).any())
        rows = [
            Row(
                law="floating frame", terms=frame_terms, owned=frame, numbers=of.of_frame() | pull,
                constraints=self.own("unit length"),
            )
        ]  # fmt: skip
        for l in range(len(w)):
            own = {"K": float(K[l, l]), "C": 0.0 if coupled else float(C[l, l])}
            table = of.of_shape(l) | own | pull
            rows.append(Row(law="floating shape", terms=shape_terms, owned=(*frame, w[l]), numbers=table))
        for l, m in pairs_of(len(w)):
            table, owned = of.of_pair(l, m) | {"K": float(K[l, m])}, (*frame[3:], w[l], w[m])
            rows.append(Row(law="floating pair", terms=pair_terms, owned=owned, numbers=table))
        if coupled:
            law = ("floating damping", len(w))
            rows.append(Row(law=law, terms=damping_terms, owned=w, numbers=numbers("C", C)))
        return tuple(rows)

    def at(
        self,
        place: str | Place | None = None,
        *,
        point: Triple = (0.0, 0.0, 0.0),
        axis: Triple = (0.0, 0.0, 1.0),
        across: Triple | None = None,
    ) -> Marker:
        """A place of the structure, by name or given; without an argument the frame itself.

        ``point`` lies off the place and moves rigidly with it; it and the axes are in the body's axes,
        undeformed.
        """
        found = self._place(place)
        return Marker(
            body=self.name,
            law=("floating", len(self.structure.modes)),
            coordinates=self.own(*self._names()),
            numbers=numbers("x", found.point)
            | numbers("shape", found.shape)
            | frame_numbers(self.name, point, axis, across),
            frame=floating_frame,
        )

    def node(self, j: int) -> Place:
        """Node j as a place."""
        s = self.structure
        return Place(point=s.points[j], shape=np.vstack([s.displacements[j], s.rotations[j]]))

    def nearest(self, point: Sequence[float]) -> Place:
        """The node that lies nearest to a point, both undeformed and in the body's axes, as a place."""
        if len(point) != 3:
            raise ModelError(f"FloatingBody {self.name!r}: a point is three numbers, got {point!r}")
        gap = np.linalg.norm(self.structure.points - np.asarray(point), axis=1)
        return self.node(int(gap.argmin()))

    def drawn(self) -> list[int]:
        """Nodes in an order in which a line through them follows the body: from neighbour to neighbour and back.

        Neighbours are those of the shortest tree that joins all nodes, which for bars finely divided are the bars.
        """
        points = self.structure.points
        chosen = np.unique(np.linspace(0, len(points) - 1, _DRAWN).astype(int))
        gap = np.linalg.norm(points[chosen][:, None] - points[chosen], axis=2)
        tree = minimum_spanning_tree(gap + _ROUNDING * gap.max())  # nodes in one place are neighbours, too
        return [int(chosen[i]) for i in _depth_first_walk(tree + tree.T, int(gap[0].argmax()))]

    def _names(self) -> tuple[str, ...]:
        return (*_NAMES, *(f"w{i + 1}" for i in range(len(self.structure.modes))))

    def _place(self, place: str | Place | None) -> Place:
        if place is None:
            return Place(point=np.zeros(3), shape=np.zeros((6, len(self.structure.modes))))
        if isinstance(place, Place):
            return place
        if place not in self.structure.places:
            known = ", ".join(self.structure.places) or "none"
            raise ModelError(
                f"FloatingBody {self.name!r}: structure {self.structure.name!r} has no place {place!r}; it has {known}"
            )
        return self.structure.places[place]


def _require_passive(body: FloatingBody) -> None:
    """ModelError unless stiffness and damping are symmetric and generate no energy."""
    for name in ("stiffness", "damping"):
        A = getattr(body.structure, name)
        size = np.abs(A).max(initial=0.0)
        least = np.linalg.eigvalsh((A + A.T) / 2).min(initial=0.0)
        if np.abs(A - A.T).max(initial=0.0) > _ROUNDING * size or least < -_ROUNDING * size:
            raise ModelError(
                f"FloatingBody {body.name!r}: the {name} of structure {body.structure.name!r} must be "
                f"symmetric and positive semidefinite; its least eigenvalue is {least:g}, its largest entry "
                f"{size:g}"
            )


def _require_inertia(body: FloatingBody) -> None:
    """ModelError unless frame and coordinates together have inertia in every direction, undeformed."""
    of = Invariants.of(body.structure)
    tilde = np.array([[0, -of.S0[2], of.S0[1]], [of.S0[2], 0, -of.S0[0]], [-of.S0[1], of.S0[0], 0]])
    M = np.block([[of.mass * np.eye(3), -tilde, of.S1], [tilde, of.J0, of.H0], [of.S1.T, of.H0.T, of.M]])
    size = np.sqrt(np.maximum(np.diag(M), 1e-300))
    if not np.linalg.eigvalsh(M / np.outer(size, size))[0] > _INERT:
        raise ModelError(
            f"FloatingBody {body.name!r}: structure {body.structure.name!r} ({body.structure.reference}) "
            "has a motion without inertia: a shape depends linearly on the others or is a rigid-body "
            "motion, or all nodes lie on a line without rotary inertia. Remove rigid-body motions from "
            "the shapes, or give the nodes rotary inertia."
        )


def _depth_first_walk(tree: Any, start: int) -> list[int]:
    """Depth-first walk over a tree: every edge forth and, where it continues from an earlier node, back."""
    order, before = depth_first_order(tree, start, directed=False)
    way = [int(order[0])]
    for node in map(int, order[1:]):
        while way[-1] != before[node]:
            way.append(int(before[way[-1]]))
        way.append(node)
    return way
