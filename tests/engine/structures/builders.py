"""Bodies for the tests, and the reduced body written out as a free one with few coordinates."""

import numpy as np
import scipy.linalg

from panhead.engine.structures import BeamMaterial, JointMass, Member, Section, frame
from panhead.engine.structures.structure import rigid_motions

STEEL = BeamMaterial(young=210e9, poisson=0.3, density=7850.0)
TUBE = Section.tube(diameter=0.05, thickness=0.003)
BAR = Section.rectangle(width=0.02, height=0.04)
LENGTH = 2.0
#: Through no axis and no plane: a sign that is wrong somewhere does not cancel.
TURN = np.linalg.qr(np.array([[1.0, 0.4, -0.3], [0.2, 1.0, 0.5], [-0.6, 0.1, 1.0]]))[0]
TURN = TURN * np.sign(np.linalg.det(TURN))


def beam(elements=20, section=TUBE):
    """A straight beam along x, its joints a and b."""
    member = Member(begin="a", end="b", section=section, material=STEEL, elements=elements)
    return frame("beam", joints={"a": (0, 0, 0), "b": (LENGTH, 0, 0)}, members=(member,))


def arm(elements=6, turn=None, shift=(0.0, 0.0, 0.0)):
    """A frame in space, of two sections, with lumps at two of its joints; turned and shifted as a whole."""
    turn = np.eye(3) if turn is None else turn
    joints = {
        "knee": (0.0, -0.3, 0.0),
        "pin": (0.0, 0.3, 0.0),
        "elbow": (0.9, 0.1, 0.2),
        "head": (1.7, 0.0, 0.7),
        "horn": (1.8, 0.5, 0.6),
    }
    up = tuple(turn @ [0.1, 0.2, 1.0])
    links = [("knee", "elbow", TUBE), ("pin", "elbow", TUBE), ("elbow", "head", BAR), ("head", "horn", BAR)]
    members = tuple(Member(begin=a, end=b, section=s, material=STEEL, elements=elements, up=up) for a, b, s in links)
    J = turn @ np.diag([0.01, 0.03, 0.02]) @ turn.T
    return frame(
        "arm",
        joints={name: tuple(turn @ p + shift) for name, p in joints.items()},
        members=members,
        lumps=(
            JointMass(at="head", mass=1.5, inertia=tuple(J[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]])),
            JointMass(at="knee", mass=0.4),
        ),
        places={"foot": ("knee", "pin")},
    )


def frequencies(K, M, count=None, skip=0):
    """√ω² / 2π of K x = ω² M x in ascending order [Hz]."""
    squares = scipy.linalg.eigh(K, M, eigvals_only=True)
    values = np.sqrt(squares[skip:].clip(min=0.0)) / (2 * np.pi)
    return values[:count]


def held_frequencies(structure, coordinates, mass=None):
    """Of the full structure with some of its coordinates held."""
    kept = np.setdiff1d(np.arange(structure.stiffness.shape[0]), coordinates)
    M = structure.mass_matrix() if mass is None else mass
    both = (structure.stiffness, M)
    return frequencies(*(matrix.toarray()[np.ix_(kept, kept)] for matrix in both))


class FreeBody:
    """A reduced structure with its six rigid motions: (d, φ, w), small motion."""

    def __init__(self, reduced):
        n, k = len(reduced.points), len(reduced.modes)
        R = rigid_motions(reduced.points, 6, np.zeros(3))
        X = np.concatenate([reduced.displacements, reduced.rotations], axis=1).reshape(6 * n, k)
        self.shapes = np.hstack([R, X])
        m = np.zeros((n, 6, 6))
        m[:, :3, :3] = reduced.nodal_mass[:, None, None] * np.eye(3)
        m[:, 3:, 3:] = reduced.nodal_inertia
        moved = np.einsum("jab,jbk->jak", m, self.shapes.reshape(n, 6, 6 + k)).reshape(6 * n, 6 + k)
        self.M = self.shapes.T @ moved
        self.K = scipy.linalg.block_diag(np.zeros((6, 6)), reduced.stiffness)
        self.superelement = reduced

    def at(self, place):
        """Displacement and rotation of a place per unit of each coordinate, (6, 6 + k)."""
        here = self.superelement.places[place]
        return np.hstack([rigid_motions(here.point[None], 6, np.zeros(3)), here.shape])

    def held(self, *rows):
        """Directions that are left when some motions are held, (6 + k, left)."""
        return scipy.linalg.null_space(np.vstack(rows))

    def deflection(self, force, held):
        """Coordinates under a generalised force, some motions held."""
        Z = self.held(held)
        return Z @ np.linalg.solve(Z.T @ self.K @ Z, Z.T @ force)


def full_deflection(structure, force, held):
    """u of the full structure, some coordinates held."""
    kept = np.setdiff1d(np.arange(len(force)), held)
    u = np.zeros(len(force))
    u[kept] = np.linalg.solve(structure.stiffness.toarray()[np.ix_(kept, kept)], force[kept])
    return u


def coordinates_of(structure, place):
    """Numbers of the coordinates of a single node."""
    (node,) = structure.places[place]
    return structure.per_node * node + np.arange(structure.per_node)
