"""Structures: small deformations of a body from finite elements or given matrices, and their reduction."""

from panhead.engine.structures.craig_bampton import from_craig_bampton
from panhead.engine.structures.damping import ModalRatios, Rayleigh
from panhead.engine.structures.frame import JointMass, Member, frame
from panhead.engine.structures.general_section import GeneralSection
from panhead.engine.structures.matlab import from_mat, read_mat
from panhead.engine.structures.matrices import from_matrices, from_matrix_market, from_npz, to_npz
from panhead.engine.structures.nastran import craig_bampton_from_nastran, from_nastran
from panhead.engine.structures.nodal_mass import DiagonalMass, lumped_mass
from panhead.engine.structures.reduced_structure import Mode, Place, ReducedStructure
from panhead.engine.structures.reduction import FORCES, MOMENTS, reduce_structure
from panhead.engine.structures.reference_conditions import BodyFixed, MeanAxes, PrincipalAxes, Reference
from panhead.engine.structures.sections import BeamMaterial, Section
from panhead.engine.structures.structure import Structure

__all__ = [
    "FORCES",
    "MOMENTS",
    "BeamMaterial",
    "BodyFixed",
    "DiagonalMass",
    "GeneralSection",
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
    "craig_bampton_from_nastran",
    "frame",
    "from_craig_bampton",
    "from_mat",
    "from_matrices",
    "from_matrix_market",
    "from_nastran",
    "from_npz",
    "lumped_mass",
    "read_mat",
    "reduce_structure",
    "to_npz",
]
