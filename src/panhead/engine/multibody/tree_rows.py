"""Rows of a model expressed in the poses of a tree."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import final

import casadi as ca

from panhead.engine.multibody.tree_kinematics import Path, within
from panhead.engine.roles import Effort, Expression, Frame, Marker, Row, Symbols, Terms
from panhead.errors import ModelError


def rewrite_row(owner: str, row: Row, paths: Mapping[str, Path]) -> Row:
    """The row with every marker on a carried body expressed in the coordinates of that body's path."""
    if not any(m.body in paths for m in row.markers):
        return row
    markers = tuple(_moved_marker(owner, m, paths[m.body]) if m.body in paths else m for m in row.markers)
    return replace(row, markers=markers)


def _moved_marker(owner: str, marker: Marker, path: Path) -> Marker:
    if marker.law == "coordinate":
        raise ModelError(
            f"{owner!r} refers to {marker.coordinates[0]}, which joint coordinates have replaced by "
            f"{', '.join(path.coordinates)}; name one of these"
        )
    return Marker(
        body=marker.body,
        law=("carried", path.key, marker.law),
        coordinates=path.coordinates,
        numbers=path.numbers | {f"own.{name}": x for name, x in marker.numbers.items()},
        frame=_TreeFrame(path, marker),
    )


@final
@dataclass(frozen=True, slots=True)
class _TreeFrame:
    """A marker's frame from the coordinates on the way to its body."""

    path: Path
    marker: Marker

    def __call__(self, s: Symbols) -> Frame:
        X, X_dot = absolute_state(self.path, s.t, s.q, s.v, s.p)
        return self.marker.frame(Symbols(s.t, X, X_dot, X, X_dot, s.u, within(s.p, "own."), ()))


def absolute_state(
    path: Path, t: Expression, q: Expression, v: Expression, p: Mapping[str, Expression]
) -> tuple[Expression, Expression]:
    """Absolute coordinates and rates of a carried body."""
    X = path.pose(t, q, p).coordinates
    return X, ca.jtimes(X, q, v) + ca.jacobian(X, t)


def carried_row(row: Row, path: Path) -> Row:
    """A body's own row: its energies with its coordinates put in; the pose keeps its own constraints."""
    way = Marker(
        body=row.owned[0].rsplit(".", 1)[0],
        law=("way", path.key),
        coordinates=path.coordinates,
        numbers=path.numbers,
        frame=_zero_frame,
    )
    return replace(
        row, law=("carried", row.law), terms=_Carried(path, row), owned=(), markers=(way, *row.markers), constraints=()
    )


def _zero_frame(s: Symbols) -> Frame:
    return Frame(ca.SX.zeros(3), ca.SX.eye(3), True)


@final
@dataclass(frozen=True, slots=True)
class _Carried:
    """T(X, Ẋ), V(X) and efforts with X(t, q), Ẋ = X_q v + X_t; further terms of the equations by X_qᵀ."""

    path: Path
    row: Row

    def __call__(self, s: Symbols) -> Terms:
        n = len(self.path.coordinates)
        q, v = s.q[:n], s.v[:n]
        X, X_dot = absolute_state(self.path, s.t, q, v, within(s.p, "0."))
        Q, V = ca.SX.sym("Q", X.numel()), ca.SX.sym("V", X.numel())
        terms = self.row.terms(Symbols(s.t, Q, V, Q, V, s.u, s.p, s.frames[1:]))
        put = lambda e: ca.substitute(ca.SX(e), ca.vertcat(Q, V), ca.vertcat(X, X_dot))
        return Terms(
            kinetic=put(terms.kinetic),
            potential=put(terms.potential),
            strain=None if terms.strain is None else put(terms.strain),
            modulus=None if terms.modulus is None else put(terms.modulus),
            efforts=tuple(Effort(put(e.effort), put(e.flow), e.account) for e in terms.efforts),
            rows=None if terms.rows is None else ca.jacobian(X, q).T @ put(terms.rows),
            outputs={name: put(e) for name, e in terms.outputs.items()},
        )
