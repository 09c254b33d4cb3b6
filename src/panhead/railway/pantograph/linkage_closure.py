"""Closure of a linkage from tables printed to two decimals: joint gaps, and displacements that close them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from panhead.engine.methods.equilibrium import assemble_configuration
from panhead.engine.methods.rank import RankReport, rank_report
from panhead.engine.multibody.multibody_system import MultibodySystem
from panhead.engine.rotations import matrix_of
from panhead.engine.system import Vector
from panhead.railway.pantograph.linkage import Linkage, TableJoint

POSE = ("x", "y", "z", "e0", "e1", "e2", "e3")  #: coordinates of a body in space


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """Gap of one joint: the distance between its two places."""

    joint: str
    before: float  #: [m]
    after: float  #: [m]


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Displacement:
    """Translation and rotation of one body during assembly."""

    body: str
    moved: float  #: [m]
    turned: float  #: [rad]


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Assembly:
    """The nearest configuration that closes every joint, and what it took to get there."""

    q: Vector  # (nq,)
    openings: tuple[Opening, ...]
    displacements: tuple[Displacement, ...]
    rank: RankReport  #: of the constraints in the assembled configuration
    residual: float  #: largest of all constraint equations, after

    def __str__(self) -> str:
        lines = ["joint                 open before (mm)   after (m)"]
        lines += [f"{x.joint:22}{1e3 * x.before:12.2f}{x.after:14.1e}" for x in self.openings]
        lines += ["body                    moved (mm)   turned (mrad)"]
        lines += [f"{x.body:22}{1e3 * x.moved:12.2f}{1e3 * x.turned:12.2f}" for x in self.displacements]
        return "\n".join(lines)


def assembly(system: MultibodySystem, linkage: Linkage) -> Assembly:
    """Position analysis from the printed configuration: least change of all coordinates together.

    Δq = −g_q⁺ g until g = 0; guides are measured across the direction in which they slide.
    """
    printed = system.start.q
    q = assemble_configuration(system, printed)
    openings = tuple(
        Opening(joint=row.name, before=_gap(system, linkage, row, printed), after=_gap(system, linkage, row, q))
        for row in linkage.joints
    )
    bodies = [body.name for body in linkage.bodies if f"{body.name}.x" in system.coordinates]
    return Assembly(
        q=q,
        openings=openings,
        displacements=tuple(_displacement(system, name, printed, q) for name in bodies),
        rank=rank_report(system, q),
        residual=float(np.abs(system.constraint(0.0, q)).max()),
    )


def pose(system: MultibodySystem, linkage: Linkage, body: str, q: Vector) -> tuple[np.ndarray, np.ndarray]:
    """p (3,) relative to the base and R (3, 3) of a body's frame in configuration q."""
    base = system_base(system, linkage)
    if f"{body}.x" not in system.coordinates:
        return np.zeros(3), np.eye(3)
    x = np.array([q[system.place(f"{body}.{n}")] for n in POSE])
    return x[:3] - base, np.array(matrix_of(x[3:]))


def system_base(system: MultibodySystem, linkage: Linkage) -> np.ndarray:
    """Position of the base at t = 0, to which the printed places of the bodies are relative, (3,) [m]."""
    name, printed = linkage.moving[0].name, linkage.moving[0].position
    start = np.array([system.start.q[system.place(f"{name}.{n}")] for n in "xyz"])
    return np.asarray(start - np.array(printed))


def _gap(system: MultibodySystem, linkage: Linkage, row: TableJoint, q: Vector) -> float:
    pA, RA = pose(system, linkage, row.a, q)
    pB, RB = pose(system, linkage, row.b, q)
    d = RA.T @ (pB + RB @ np.array(row.at_b) - pA - RA @ np.array(row.at_a))
    return float(np.linalg.norm(d[:2] if row.kind == "revolute-prismatic" else d))


def _displacement(system: MultibodySystem, body: str, before: Vector, after: Vector) -> Displacement:
    at = [system.place(f"{body}.{n}") for n in POSE]
    moved = float(np.linalg.norm(after[at[:3]] - before[at[:3]]))
    # the angle of the turn between two sets of Euler parameters
    half = float(np.clip(abs(after[at[3:]] @ before[at[3:]]), 0.0, 1.0))
    return Displacement(body=body, moved=moved, turned=2 * float(np.arccos(half)))
