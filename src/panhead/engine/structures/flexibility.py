"""Static response and vibration modes of a free or supported structure: x = A f."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import final

import numpy as np
import scipy.linalg
import scipy.sparse as sp
import scipy.sparse.linalg as spl

from panhead.engine.structures.structure import Structure
from panhead.errors import ModelError

#: Bodies of up to so many coordinates are solved densely: quicker, and as many modes as one likes.
_DENSE = 400
#: A pivot below this share of the largest says that something beside the whole body can move freely.
_LOOSE = 1e-13
#: Eigenvalues of A below this share of the largest belong to coordinates without mass.
_MASSLESS = 1e-13


@final
@dataclass(frozen=True, slots=True)
class Flexibility:
    """A symmetric, semi-definite operator from loads to displacements that obey some conditions."""

    apply: Callable[[np.ndarray], np.ndarray]  #: (N, k) loads → (N, k) displacements
    structure: Structure


def free(structure: Structure) -> Flexibility:
    """A of the body free in space: loads are balanced by its inertia (inertia relief).

        A = Pᵀ K_s⁻¹ P ,   P = 1 − M R (RᵀM R)⁻¹ Rᵀ

    K_s holds the body at six coordinates; since P f is in balance the supports carry nothing, and A does not depend on
    where they are.
    """
    M, R = structure.mass_matrix(), structure.rigid_motions(structure.centre)
    R = np.linalg.solve(np.linalg.cholesky(R.T @ (M @ R)), R.T).T  # RᵀM R = 1
    MR = M @ R
    supports = scipy.linalg.qr(R.T, pivoting=True, mode="economic")[2][:6]
    kept = np.setdiff1d(np.arange(len(R)), supports)
    factor = _factorise(structure, sp.csc_array(structure.stiffness[kept][:, kept]), kept)

    def apply(f: np.ndarray) -> np.ndarray:
        x = np.zeros_like(f)
        x[kept] = factor.solve((f - MR @ (R.T @ f))[kept])
        return np.asarray(x - R @ (MR.T @ x))

    return Flexibility(apply, structure)


def clamped_flexibility(structure: Structure, C: sp.csr_array) -> tuple[Flexibility, np.ndarray]:
    """A of the body held by C u = 0, and the shapes Ψ (N, rows of C) with C Ψ = 1 and no other load.

    K x + Cᵀ ν = f ,   C x = c
    """
    N, rows = structure.stiffness.shape[0], C.shape[0]
    scale = float(np.abs(structure.stiffness.data).mean())  # so that pivots are of one size
    whole = sp.csc_array(sp.block_array([[structure.stiffness, scale * C.T], [scale * C, None]]))
    factor = _factorise(structure, whole, np.arange(N))

    def apply(f: np.ndarray) -> np.ndarray:
        return np.asarray(factor.solve(np.concatenate([f, np.zeros((rows, *f.shape[1:]))]))[:N])

    held_at = np.concatenate([np.zeros((N, rows)), scale * np.eye(rows)])
    return Flexibility(apply, structure), np.asarray(factor.solve(held_at)[:N])


def vibrations(flexibility: Flexibility, count: int) -> tuple[np.ndarray, np.ndarray]:
    """The lowest ``count`` modes, K x = ω² M x with xᵀM x = 1: shapes (N, count) and ω² (count,).

    √M A √M y = y / ω² ,   x = ω² A √M y                           [Ambrosio11, eqs (11), (12)]
    """
    N = flexibility.structure.stiffness.shape[0]
    if count == 0:
        return np.zeros((N, 0)), np.zeros(0)
    if flexibility.structure.mass_model == "consistent":
        return _consistent_vibrations(flexibility, count)
    root = _root(flexibility.structure)
    if N <= _DENSE or count > N // 4:
        S = root @ flexibility.apply(root.toarray())
        values, y = np.linalg.eigh(0.5 * (S + S.T))
    else:
        operator = spl.LinearOperator((N, N), matvec=lambda y: root @ flexibility.apply(root @ y), dtype=float)
        begin = np.random.default_rng(0).standard_normal(N)  # the same modes in every run
        values, y = spl.eigsh(operator, k=count, which="LA", v0=begin)
    order = np.argsort(values)[::-1][:count]
    values = values[order]
    if len(values) < count or not values[-1] > _MASSLESS * values[0]:
        there = int((values > _MASSLESS * values[0]).sum())
        raise ModelError(f"Structure {flexibility.structure.name!r}: {count} modes requested, but it has only {there}")
    return flexibility.apply(root @ y[:, order]) / values, 1 / values


def _consistent_vibrations(flexibility: Flexibility, count: int) -> tuple[np.ndarray, np.ndarray]:
    """``vibrations`` with a mass matrix that is not diagonal: M A M x = M x / ω²."""
    structure = flexibility.structure
    M, N = structure.mass_matrix(), structure.stiffness.shape[0]
    if N <= _DENSE or count > N // 4:
        full = M.toarray()
        S = full @ flexibility.apply(full)
        values, x = scipy.linalg.eigh(0.5 * (S + S.T), full)
    else:
        operator = spl.LinearOperator((N, N), matvec=lambda y: M @ flexibility.apply(M @ y), dtype=float)
        inverse = spl.LinearOperator((N, N), matvec=spl.splu(sp.csc_array(M)).solve, dtype=float)
        begin = np.random.default_rng(0).standard_normal(N)  # the same modes in every run
        values, x = spl.eigsh(operator, k=count, M=M, Minv=inverse, which="LA", v0=begin)
    order = np.argsort(values)[::-1][:count]
    values, x = values[order], x[:, order]
    if not values[-1] > _MASSLESS * values[0]:
        there = int((values > _MASSLESS * values[0]).sum())
        raise ModelError(f"Structure {structure.name!r}: {count} modes requested, but it has only {there}")
    return np.asarray(x), 1 / values


def _root(structure: Structure) -> sp.csr_array:
    """√M, block by block."""
    n, d = len(structure.points), structure.per_node
    blocks = np.zeros((n, d, d))
    blocks[:, :3, :3] = np.sqrt(structure.nodal_mass)[:, None, None] * np.eye(3)
    if d == 6:
        values, V = np.linalg.eigh(structure.nodal_inertia)
        blocks[:, 3:, 3:] = np.einsum("jab,jb,jcb->jac", V, np.sqrt(values.clip(min=0.0)), V)
    return sp.csr_array(sp.bsr_array((blocks, np.arange(n), np.arange(n + 1))))


def _factorise(structure: Structure, matrix: sp.csc_array, kept: np.ndarray) -> spl.SuperLU:
    """LU of a matrix that must not be singular; the error names the node that can move."""
    loose = (
        f"Structure {structure.name!r}: with these supports it can still move without strain{{}}; "
        "connect its parts, or support it at more places"
    )
    try:
        factor = spl.splu(matrix)
    except RuntimeError as error:
        raise ModelError(loose.format("")) from error
    pivots = np.abs(factor.U.diagonal())
    least = int(pivots.argmin())
    if pivots[least] < _LOOSE * pivots.max():
        column = int(np.flatnonzero(factor.perm_c == least)[0])
        near = f" (near node {kept[column] // structure.per_node})" if column < len(kept) else ""
        raise ModelError(loose.format(near))
    return factor
