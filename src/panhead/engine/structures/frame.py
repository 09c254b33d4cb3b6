"""Frames of straight members: Euler–Bernoulli beams in space, joined rigidly, with lumps at the joints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import final

import numpy as np
import scipy.sparse as sp

from panhead.engine.structures.beam_element import consistent_mass, stiffness
from panhead.engine.structures.sections import BeamMaterial, Section
from panhead.engine.structures.structure import Structure
from panhead.errors import ModelError, require_not_negative

Triple = tuple[float, float, float]

#: Two directions closer than this (sine of their angle) count as parallel.
_PARALLEL = 1e-6
#: Gregory's correction of the trapezoidal rule at either end: −h²/12 f′, the slope from three values.
_END = np.array([-1 / 8, 1 / 6, -1 / 24])


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """A straight beam from one joint to another, of one section and material."""

    begin: str
    end: str
    section: Section
    material: BeamMaterial
    elements: int = 8
    up: Triple = (0.0, 0.0, 1.0)  #: the section's z axis lies in the plane of this and the member

    def __post_init__(self) -> None:
        if self.elements < 2:
            raise ModelError(
                f"{self.words}: needs at least two elements, so that the nodal masses reproduce its inertia; "
                f"got {self.elements}"
            )

    @property
    def words(self) -> str:
        return f"Member {self.begin!r} – {self.end!r}"


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class JointMass:
    """A small rigid body on a joint: mass, and inertia about the joint."""

    at: str
    mass: float = 0.0  #: [kg]
    inertia: tuple[float, ...] = (0.0, 0.0, 0.0)  #: xx, yy, zz[, xy, xz, yz] [kg·m²]

    def __post_init__(self) -> None:
        require_not_negative(self, "mass")
        if len(self.inertia) not in (3, 6):
            raise ModelError(f"{self.words}: inertia is 3 or 6 numbers, got {self.inertia!r}")

    @property
    def words(self) -> str:
        return f"JointMass at {self.at!r}"

    def matrix(self) -> np.ndarray:
        """(3, 3) [kg·m²]."""
        xx, yy, zz, xy, xz, yz = (*self.inertia, 0.0, 0.0, 0.0)[:6]
        return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def frame(
    name: str,
    *,
    joints: Mapping[str, Triple],
    members: tuple[Member, ...],
    lumps: tuple[JointMass, ...] = (),
    places: Mapping[str, tuple[str, ...]] | None = None,
) -> Structure:
    """Members between named joints as one structure; every joint is a place, ``places`` are groups of joints.

    The mass is at the nodes; it keeps mass, centre and inertia of every member, and so of the body.
    """
    groups = dict(places or {})
    _check_names(name, joints, members, lumps, groups)
    number = {joint: k for k, joint in enumerate(joints)}
    parts, first = [], len(joints)
    for member in members:
        ends = (joints[member.begin], joints[member.end])
        inner = np.arange(first, first + member.elements - 1)
        first += member.elements - 1
        nodes = np.concatenate([[number[member.begin]], inner, [number[member.end]]])
        parts.append(_mesh(name, member, np.array(ends, dtype=float), nodes))
    points = np.zeros((first, 3))
    points[: len(joints)] = list(joints.values())
    m, mu = np.zeros(first), np.zeros((first, 3, 3))
    for part in parts:
        points[part.nodes[1:-1]] = part.points[1:-1]
        np.add.at(m, part.nodes, part.nodal_mass)
        np.add.at(mu, part.nodes, part.nodal_inertia)
    for lump in lumps:
        m[number[lump.at]] += lump.mass
        mu[number[lump.at]] += lump.matrix()
    lumped = sp.block_diag([sp.coo_array(_lump(j, lumps)) for j in joints])
    M = _assemble([(p.nodes, p.mass) for p in parts], first)
    lumped.resize(M.shape)
    return Structure(
        name=name,
        points=points,
        stiffness=_assemble([(p.nodes, p.stiffness) for p in parts], first),
        nodal_mass=m,
        nodal_inertia=mu,
        places={j: (k,) for j, k in number.items()}
        | {place: tuple(number[j] for j in group) for place, group in groups.items()},
        consistent_mass=sp.csr_array(M + lumped),
    )


def lumped_mass_weights(elements: int) -> np.ndarray:
    """Shares of an element's mass that go to the nodes of a member, (elements + 1,): ½, 1, …, 1, ½ with ends mended.

    As weights of integration they are exact for cubics: mass, centre and inertia of the member are kept, and smooth
    vibrations feel a mass that is wrong in the fourth order of the element's length only.
    """
    w = np.ones(elements + 1)
    w[[0, -1]] = 0.5
    w[:3] += _END
    w[-3:] += _END[::-1]
    return w


@final
@dataclass(frozen=True, slots=True)
class _Part:
    """A member in elements of equal length, in the axes of the frame."""

    nodes: np.ndarray  # (n,)
    points: np.ndarray  # (n, 3)
    nodal_mass: np.ndarray  # (n,)
    nodal_inertia: np.ndarray  # (n, 3, 3)
    stiffness: np.ndarray  # (12, 12) of each element
    mass: np.ndarray  # (12, 12), consistent


def _mesh(owner: str, member: Member, ends: np.ndarray, nodes: np.ndarray) -> _Part:
    length = float(np.linalg.norm(ends[1] - ends[0]))
    if not length > 0:
        raise ModelError(f"frame {owner!r}: {member.words} has no length")
    axes = _axes(owner, member, (ends[1] - ends[0]) / length)
    turned = np.kron(np.eye(4), axes)  # local = turned @ global
    section, material = member.section, member.material
    h = length / member.elements
    w = lumped_mass_weights(member.elements) * material.density * h
    second = np.diag([section.inertia_y + section.inertia_z, section.inertia_y, section.inertia_z])
    z = np.linspace(0.0, 1.0, member.elements + 1)[:, None]
    return _Part(
        nodes=nodes,
        points=(1 - z) * ends[0] + z * ends[1],
        nodal_mass=w * section.area,
        nodal_inertia=w[:, None, None] * (axes.T @ second @ axes),
        stiffness=turned.T @ stiffness(section, material, h) @ turned,
        mass=turned.T @ consistent_mass(section, material, h) @ turned,
    )


def _axes(owner: str, member: Member, x: np.ndarray) -> np.ndarray:
    """Rows x, y, z of the section's axes, (3, 3)."""
    up = np.array(member.up, dtype=float)
    if np.linalg.norm(np.cross(up, x)) < _PARALLEL * np.linalg.norm(up) and member.section.round:
        up = np.eye(3)[np.abs(x).argmin()]  # any direction serves
    y = np.cross(up, x)
    if not np.linalg.norm(y) > _PARALLEL * np.linalg.norm(up):
        raise ModelError(
            f"frame {owner!r}: {member.words} is parallel to its up direction {member.up!r}; choose "
            "another direction for the section's z axis"
        )
    y /= np.linalg.norm(y)
    return np.array([x, y, np.cross(x, y)])


def _assemble(parts: list[tuple[np.ndarray, np.ndarray]], n: int) -> sp.csr_array:
    """Element matrices of all members in one, (6 n, 6 n)."""
    values, rows, columns = [], [], []
    for nodes, matrix in parts:
        pairs = np.stack([nodes[:-1], nodes[1:]], axis=1)
        dofs = (6 * pairs[:, :, None] + np.arange(6)).reshape(-1, 12)
        rows.append(np.repeat(dofs, 12, axis=1).ravel())
        columns.append(np.tile(dofs, (1, 12)).ravel())
        values.append(np.tile(matrix.ravel(), len(dofs)))
    entries = (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns)))
    return sp.csr_array(sp.coo_array(entries, shape=(6 * n, 6 * n)))


def _lump(joint: str, lumps: tuple[JointMass, ...]) -> np.ndarray:
    """Mass and inertia of the lumps at one joint, (6, 6)."""
    here = [lump for lump in lumps if lump.at == joint]
    block = np.zeros((6, 6))
    block[:3, :3] = sum(lump.mass for lump in here) * np.eye(3)
    block[3:, 3:] = sum((lump.matrix() for lump in here), np.zeros((3, 3)))
    return block


def _check_names(
    name: str,
    joints: Mapping[str, Triple],
    members: tuple[Member, ...],
    lumps: tuple[JointMass, ...],
    groups: Mapping[str, tuple[str, ...]],
) -> None:
    if not members:
        raise ModelError(f"frame {name!r}: no members")
    used: list[tuple[str, tuple[str, ...]]] = [(m.words, (m.begin, m.end)) for m in members]
    used += [(lump.words, (lump.at,)) for lump in lumps]
    used += [(f"place {place!r}", group) for place, group in groups.items()]
    for words, wanted in used:
        for joint in wanted:
            if joint not in joints:
                raise ModelError(f"frame {name!r}: {words}: no joint {joint!r}; known: {', '.join(joints)}")
    idle = set(joints) - {j for m in members for j in (m.begin, m.end)}
    if idle:
        raise ModelError(f"frame {name!r}: no member is connected to {', '.join(sorted(idle))}")
