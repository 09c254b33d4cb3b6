"""Matrices of other codes: MAT and punch files read as they were written, given reductions, stresses; bad files."""

import h5py
import numpy as np
import pytest
import scipy.io
import scipy.linalg
import scipy.sparse as sp

from panhead.engine.bodies import FloatingBody, StressRecovery, ground
from panhead.engine.joints import Rigid
from panhead.engine.methods.integrators import GeneralizedAlpha
from panhead.engine.multibody import Model
from panhead.engine.multibody.sensors import sensor_variables
from panhead.engine.structures import (
    BodyFixed,
    PrincipalAxes,
    craig_bampton_from_nastran,
    from_craig_bampton,
    from_mat,
    from_matrices,
    from_nastran,
    read_mat,
    reduce_structure,
)
from panhead.engine.structures.nastran_cards import read_cards
from panhead.errors import FileError, ModelError
from panhead.validation.fe_import.beam import LENGTH, N, matrices
from panhead.validation.fe_import.files import craig_bampton, punch, root_stress

K, M = matrices()
POINTS = np.column_stack([np.linspace(0.0, LENGTH, N + 1), np.zeros((N + 1, 2))])


@pytest.mark.parametrize("version", ["5", "7.3"])
def test_mat_files_keep_every_number(version, tmp_path):
    file = tmp_path / "beam.mat"
    if version == "5":
        scipy.io.savemat(file, {"K": sp.csc_matrix(K), "M": M, "points": POINTS})
    else:  # HDF5 as MATLAB writes it: arrays transposed, sparse ones as a group of columns
        columns = sp.csc_array(K)
        with h5py.File(file, "w") as out:
            out["M"], out["points"] = M.T, POINTS.T
            group = out.create_group("K")
            group.attrs["MATLAB_sparse"] = len(K)
            group["data"], group["ir"], group["jc"] = columns.data, columns.indices, columns.indptr
    found = from_mat(file, places={"tip": (N,)})
    assert np.array_equal(found.stiffness.toarray(), K)
    assert np.array_equal(found.mass_matrix().toarray(), M)
    assert np.array_equal(found.points, POINTS)
    assert found.name == "beam"
    with pytest.raises(FileError, match=r"C: missing; the file holds K, M, points"):
        read_mat(file, ("C",))


def test_punch_files_of_all_three_kinds_of_fields(tmp_path):
    """Small fields with exponents without a letter, free fields, and the large ones that solvers write."""
    text = (
        "$ a comment\n"
        "GRID    7               0.      1.5     2.\n"
        "GRID,9,,1.,0.,-2.5-1\n"
        "CBAR    1       1       7       9       0.      0.      1.\n"
        "        1.0\n"
        "DMIG    KAAX    0       6       1       0                       12\n"
        "DMIG    KAAX    7       1               7       1       2.5+3\n"
        "+       9       1       -2.5+3\n"
        "DMIG*   KAAX                           9               1\n"
        "*                      9               1 2.500000000D+03\n"
    )
    (tmp_path / "small.pch").write_text(text)
    deck = read_cards(tmp_path / "small.pch")
    assert deck.grids == {7: (0.0, 1.5, 2.0), 9: (1.0, 0.0, -0.25)}
    assert deck.matrices["KAAX"].symmetric
    assert deck.matrices["KAAX"].entries == {
        ((7, 1), (7, 1)): 2500.0,
        ((9, 1), (7, 1)): -2500.0,
        ((9, 1), (9, 1)): 2500.0,
    }


def test_a_punch_file_gives_the_structure_that_was_written(tmp_path):
    """Ten digits of every number; nodes by the numbers of the file, geometry from another file."""
    numbers = [int(n) for n in np.arange(N + 1) * 10 + 100]
    text = punch(POINTS, K, M, numbers)
    grids = "\n".join(line for line in text.splitlines() if not line.startswith(("DMIG", "*       1")))
    (tmp_path / "beam.pch").write_text(text)
    found = from_nastran(tmp_path / "beam.pch", places={"tip": (220,)})
    assert found.places == {"tip": (N,)}
    assert found.stiffness.toarray() == pytest.approx(K, rel=1e-9, abs=1e-9 * np.abs(K).max())
    assert found.mass_matrix().toarray() == pytest.approx(M, rel=1e-9, abs=1e-15)
    (tmp_path / "bare.pch").write_text(text[text.index("DMIG") :])
    (tmp_path / "model.bdf").write_text(grids)
    apart = from_nastran(tmp_path / "bare.pch", geometry=tmp_path / "model.bdf")
    assert np.array_equal(apart.points, found.points)
    with pytest.raises(FileError, match="node 100 of its matrices has no GRID card"):
        from_nastran(tmp_path / "bare.pch")
    with pytest.raises(FileError, match="place 'tip' names node 5"):
        from_nastran(tmp_path / "beam.pch", places={"tip": (5,)})
    with pytest.raises(FileError, match="has no matrix KGG; it holds KAAX, MAAX"):
        from_nastran(tmp_path / "beam.pch", stiffness="KGG")


@pytest.mark.parametrize("text, told", [
    ("GRID    7       3       0.      1.5     2.\n", "line 1, GRID: node 7 uses coordinate system 3"),
    ("DMIG    KAAX    0       2       1       0\n", "form 2; known: 1"),
    ("DMIG    KAAX    0       6       3       0\n", "is complex"),
    ("DMIG    KAAX    7       1               7       1       2.5+3\n", "before its header"),
    ("GRID    7               zero    1.5     2.\n", "line 1, GRID: could not convert"),
])  # fmt: skip
def test_cards_that_cannot_be_used_are_named_with_their_line(text, told, tmp_path):
    (tmp_path / "bad.pch").write_text(text)
    with pytest.raises(FileError, match=told):
        read_cards(tmp_path / "bad.pch")


def test_binary_output_is_refused_with_the_remedy(tmp_path):
    (tmp_path / "run.op2").write_bytes(b"\x00")
    with pytest.raises(FileError, match="DMIGPCH"):
        from_nastran(tmp_path / "run.op2")
    (tmp_path / "broken.mat").write_bytes(b"MATLAB 5.0 MAT-file" + bytes(200))
    with pytest.raises(FileError, match=r"cannot be read as a MATLAB file|missing"):
        from_mat(tmp_path / "broken.mat")


def test_a_given_reduction_is_taken_as_it_is():
    """All frequencies of the reduced pair; mass, centre and inertia of the whole body; shapes of the whole by T."""
    k, m, T = craig_bampton(K, M)
    found = from_craig_bampton(
        "beam", points=POINTS[[0, -1]], stiffness=k, mass=m, places={"left": (0,), "right": (1,)}
    )
    exact = np.sqrt(scipy.linalg.eigh(k, m, eigvals_only=True)[6:]) / (2 * np.pi)
    assert [mode.frequency for mode in found.modes] == pytest.approx(exact, rel=1e-8)
    whole = from_matrices("beam", points=POINTS, stiffness=K, mass=M)
    assert found.mass == pytest.approx(whole.mass, rel=1e-9)
    assert found.origin == pytest.approx(whole.centre, abs=1e-9)
    assert pytest.approx(whole.inertia, rel=1e-9, abs=1e-12) == found.consistent.J0
    u = T @ found.expansion  # the same shapes, told by all nodes of the beam
    assert u.T @ M @ u == pytest.approx(np.eye(len(exact)), abs=1e-9)
    assert np.abs(whole.rigid_motions(whole.centre).T @ M @ u).max() < 1e-9
    assert found.places["right"].shape == pytest.approx(u[-6:], abs=1e-12)


def test_reductions_that_do_not_fit_are_refused(tmp_path):
    k, m, _ = craig_bampton(K, M)
    ends = {"points": POINTS[[0, -1]]}
    with pytest.raises(ModelError, match="six rows for each of the 5 nodes"):
        from_craig_bampton("b", points=POINTS[:5], stiffness=k, mass=m)
    with pytest.raises(ModelError, match="MeanAxes or BodyFixed"):
        from_craig_bampton("b", stiffness=k, mass=m, reference=PrincipalAxes(), **ends)
    turned = np.roll(np.arange(len(k)), 14)  # modes before nodes
    with pytest.raises(ModelError, match="node by node"):
        from_craig_bampton("b", stiffness=k[np.ix_(turned, turned)], mass=m[np.ix_(turned, turned)], **ends)
    (tmp_path / "cb.pch").write_text(punch(POINTS[[0, -1]], k, m, (1, 2)))
    with pytest.raises(FileError, match="14 scalar points"):
        from_nastran(tmp_path / "cb.pch")
    assert len(craig_bampton_from_nastran(tmp_path / "cb.pch").modes) == len(k) - 6


def test_stresses_of_a_deformation_are_those_of_its_displacements():
    whole = from_matrices("beam", points=POINTS, stiffness=K, mass=M, places={"left": (0,)})
    structure = reduce_structure(whole, modes=4, reference=BodyFixed(("left",)))
    body = FloatingBody(name="b", structure=structure, deformation=(1e-3, 0.0, -2e-3, 0.0))
    sensor = StressRecovery(body=body, matrix=root_stress(), rows=("root",))
    u = np.concatenate([structure.displacements, structure.rotations], axis=1).reshape(6 * (N + 1), 4)
    expected = root_stress() @ u @ body.deformation
    clamp = Rigid(name="c", a=ground.at(), b=body.at("left"))
    model = Model(name="m", items=(body, clamp), gravity=(0.0, 0.0, 0.0))
    result = model.simulate(duration=2e-5, dt=1e-5, method=GeneralizedAlpha(), sensors={"sigma": sensor})
    assert float(result["sigma_root"][0]) == pytest.approx(float(expected[0]), rel=1e-9)
    assert result["sigma_root"].attrs["units"] == "Pa"
    other = StressRecovery(body=FloatingBody(name="other", structure=structure), matrix=root_stress(), rows=("r",))
    with pytest.raises(ModelError, match="'other' is not in the model"):
        sensor_variables(model.system(), None, {"s": other})


@pytest.mark.parametrize("wrong, told", [
    ({"matrix": np.ones((1, 5))}, r"of shape \(1, 78\)"),
    ({"matrix": np.eye(78)[:1]}, "stress under a rigid motion"),
    ({"rows": ("a b",)}, "letters, digits"),
])  # fmt: skip
def test_matrices_that_recover_nothing_are_refused(wrong, told):
    structure = reduce_structure(from_matrices("beam", points=POINTS, stiffness=K, mass=M), modes=2)
    body = FloatingBody(name="b", structure=structure)
    with pytest.raises(ModelError, match=told):
        StressRecovery(**({"body": body, "matrix": root_stress(), "rows": ("root",)} | wrong))
