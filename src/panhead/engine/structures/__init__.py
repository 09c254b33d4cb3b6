"""Structures: small deformations of a body from finite elements or given matrices, and their reduction."""

from panhead.structures.damping import ModalRatios, Rayleigh
from panhead.structures.diagonal import DiagonalMass, diagonalised
from panhead.structures.frame import JointMass, Member, frame
from panhead.structures.matrices import from_matrices, from_matrix_market, from_npz, to_npz
from panhead.structures.reduced import Mode, Place, ReducedStructure
from panhead.structures.reduction import FORCES, MOMENTS, reduced
from panhead.structures.reference import BodyFixed, MeanAxes, PrincipalAxes, Reference
from panhead.structures.sections import BeamMaterial, Section
from panhead.structures.structure import Structure

__all__ = [
    "FORCES",
    "MOMENTS",
    "BeamMaterial",
    "BodyFixed",
    "DiagonalMass",
    "JointMass",
    "MeanAxes",
    "Member",
    "ModalRatios",
    "Mode",
    "Place",
    "PrincipalAxes",
    "Rayleigh",
    "ReducedStructure",
    "Reference",
    "Section",
    "Structure",
    "diagonalised",
    "frame",
    "from_matrices",
    "from_matrix_market",
    "from_npz",
    "reduced",
    "to_npz",
]
