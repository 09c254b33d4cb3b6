"""Given matrices: a solid bar from scikit-fem through both kinds of files, and masses brought to the nodes."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp
import scipy.sparse.linalg as spl
import skfem
from skfem.models.elasticity import lame_parameters, linear_elasticity

import panhead as ph
from engine.structures.builders import STEEL, FreeBody, arm, beam
from panhead.engine.methods.modes import linearise
from panhead.engine.structures import from_matrices, from_matrix_market, from_npz, reduce_structure, to_npz
from panhead.engine.structures.nodal_mass import lumped_mass
from panhead.engine.structures.reference_conditions import BodyFixed, MeanAxes
from panhead.errors import FileError, ModelError

L, WIDTH, HEIGHT = 1.0, 0.03, 0.05


@cache
def solid(kind):
    """Nodes, stiffness and consistent mass of a bar along x, rows node by node."""
    grid = (np.linspace(0, L, 13), np.linspace(0, WIDTH, 2), np.linspace(0, HEIGHT, 2))
    mesh, element = {
        "hexahedra": (skfem.MeshHex.init_tensor(*grid), skfem.ElementHex2()),
        "tetrahedra": (skfem.MeshTet.init_tensor(*grid), skfem.ElementTetP2()),
    }[kind]
    basis = skfem.Basis(mesh, skfem.ElementVector(element), intorder=4)
    K = linear_elasticity(*lame_parameters(STEEL.young, STEEL.poisson)).assemble(basis)
    density = skfem.BilinearForm(lambda u, v, w: STEEL.density * sum(u[k] * v[k] for k in range(3)))
    M = density.assemble(basis)
    kinds = (basis.nodal_dofs, basis.edge_dofs, basis.facet_dofs, basis.interior_dofs)
    nodes = np.hstack([d for d in kinds if d.shape[0] == 3])
    order = nodes.T.ravel()
    points = basis.doflocs[:, nodes[0]].T
    return points, sp.csr_array(K)[order][:, order], sp.csr_array(M)[order][:, order]


def ends(points):
    return {name: tuple(np.flatnonzero(np.isclose(points[:, 0], x))) for name, x in (("left", 0.0), ("right", L))}


@pytest.fixture(scope="module", params=["hexahedra", "tetrahedra"])
def bar(request):
    points, K, M = solid(request.param)
    return from_matrices(
        "bar", points=points, stiffness=K, mass=M, places=ends(points), mass_model="diagonal"
    )


def bending(side, count):
    """Free–free frequencies of the bar as a slender beam, bending along a side of its section [Hz]."""
    roots = np.array([4.730040744862704, 7.853204624095838, 10.995607838001671])[:count]
    rate = np.sqrt(STEEL.young / STEEL.density) * side / np.sqrt(12)
    return (roots / L) ** 2 * rate / (2 * np.pi)


def test_frequencies_against_the_given_pair(bar, request):
    """Masses at the nodes against the consistent mass, solved by SciPy, first six modes.

    27 nodes integrate a mass like Simpson's rule, 0.1 %; ten nodes of a tetrahedron like the vertices' share of the
    diagonal, which is cruder: 1.5 % on this mesh.
    """
    N = bar.stiffness.shape[0]
    shift = -(2e3**2)  # the pair is singular: six rigid motions
    squares = spl.eigsh(bar.stiffness, k=12, M=bar.consistent_mass, sigma=shift, v0=np.ones(N))[0]
    full = np.sqrt(np.sort(squares)[6:]) / (2 * np.pi)
    got = [m.frequency for m in reduce_structure(bar, modes=6).modes]
    coarse = "tetrahedra" in request.node.name
    assert got == pytest.approx(full, rel=0.015 if coarse else 1e-3)


def test_frequencies_against_beam_theory(bar):
    """Shear and rotary inertia, ½ (βr)² (1 + E/kG), take 1 % and 2.6 % off the higher side's first two, less off the
    lower side's; quadratic elements a tenth of that.
    """
    got = np.array([m.frequency for m in reduce_structure(bar, modes=4).modes])
    slender = np.sort(np.concatenate([bending(WIDTH, 2), bending(HEIGHT, 2)]))
    assert np.all(got < slender)
    assert got == pytest.approx(slender, rel=0.03)


def test_masses_keep_mass_centre_and_inertia(bar):
    """Of a brick, by hand."""
    m = STEEL.density * L * WIDTH * HEIGHT
    squares = np.array([L, WIDTH, HEIGHT]) ** 2
    assert bar.mass == pytest.approx(m, rel=1e-10)
    assert bar.centre == pytest.approx([L / 2, WIDTH / 2, HEIGHT / 2], abs=1e-9)
    expected = m / 12 * np.diag(squares.sum() - squares)
    assert bar.inertia == pytest.approx(expected, rel=1e-9, abs=1e-9 * m)
    assert bar.notes == ("mass at the nodes: mass kept, centre kept, inertia kept",)
    assert bar.nodal_mass.min() > 0


def test_a_loaded_cantilever(bar):
    """F L³ / 3EI and F L / κGA; the held face is free to warp in the mean, so to 1 %."""
    EI = STEEL.young * WIDTH * HEIGHT**3 / 12
    expected = L**3 / (3 * EI) + L / (5 / 6 * STEEL.shear * WIDTH * HEIGHT)
    for method in ("free-free", "craig-bampton"):
        r = reduce_structure(bar, interfaces=("left", "right"), modes=4, method=method)
        body = FreeBody(r)
        at, held = body.at("right"), body.at("left")
        moved = at @ body.deflection(at.T @ np.array([0, 0, 1.0, 0, 0, 0]), held)
        assert moved[2] == pytest.approx(expected, rel=0.01)
        assert moved[4] == pytest.approx(-(L**2) / (2 * EI), rel=0.01)


def test_npz_there_and_back(bar, tmp_path):
    to_npz(tmp_path / "bar.npz", bar)
    again = from_npz(tmp_path / "bar.npz")
    assert again.name == "bar"
    assert abs(again.stiffness - bar.stiffness).max() == 0
    assert np.array_equal(again.nodal_mass, bar.nodal_mass)
    assert again.mass_model == "consistent"
    assert dict(again.places) == dict(bar.places)


def test_matrix_market(bar, tmp_path):
    """Sixteen digits in, the same frequencies out."""
    entries = {"points": bar.points, "stiffness": bar.stiffness, "mass": bar.consistent_mass}
    files = {key: tmp_path / f"{key}.mtx" for key in entries}
    for key, value in entries.items():
        scipy.io.mmwrite(files[key], value, precision=16)
    again = from_matrix_market(**files, name="again", places=bar.places)
    kept = replace(bar, mass_model="consistent")
    pair = [[m.frequency for m in reduce_structure(s, modes=4).modes] for s in (again, kept)]
    assert pair[0] == pytest.approx(pair[1], rel=1e-8)


def handed_over(own, mass_model="diagonal"):
    return from_matrices(
        own.name, points=own.points, stiffness=own.stiffness, mass=own.consistent_mass, mass_model=mass_model
    )


@pytest.mark.parametrize("kind", ["hexahedra", "tetrahedra"])
def test_a_consistent_mass_is_taken_as_it_is(kind):
    """Frequencies of the given pair by SciPy, inertia of the brick by hand."""
    points, K, M = solid(kind)
    body = from_matrices("bar", points=points, stiffness=K, mass=M)
    squares = spl.eigsh(K, k=12, M=M, sigma=-(2e3**2), v0=np.ones(K.shape[0]))[0]
    full = np.sqrt(np.sort(squares)[6:]) / (2 * np.pi)
    assert [m.frequency for m in reduce_structure(body, modes=6).modes] == pytest.approx(full, rel=1e-7)
    m = STEEL.density * L * WIDTH * HEIGHT
    sides = np.array([L, WIDTH, HEIGHT]) ** 2
    assert body.inertia == pytest.approx(m / 12 * np.diag(sides.sum() - sides), rel=1e-9, abs=1e-9 * m)
    assert body.notes[0].startswith("the mass matrix is taken as given")


def test_frequencies_in_motion_do_not_depend_on_the_frame():
    """A free body linearised in a model: coupling of frame and shapes, mean axes and a frame on an end alike."""
    points, K, M = solid("hexahedra")
    body = from_matrices("bar", points=points, stiffness=K, mass=M, places=ends(points))
    found = []
    for reference in (MeanAxes(), BodyFixed(("left",))):
        shape = reduce_structure(body, modes=4, reference=reference)
        floating = ph.bodies.FloatingBody(name="bar", structure=shape)
        system = ph.Model(name="free", items=(floating,), gravity=(0.0, 0.0, 0.0)).system()
        linear = linearise(system, system.start.q, np.zeros(system.nc))
        found.append(ph.modes(linear).frequency[-4:])
    assert found[0] == pytest.approx([m.frequency for m in shape.modes], rel=1e-7)
    assert found[1] == pytest.approx(found[0], rel=1e-6)


def test_beams_with_their_consistent_mass_are_of_fourth_order():
    exact = reduce_structure(beam(64), modes=1).modes[0].frequency
    coarse, fine = (
        abs(reduce_structure(handed_over(beam(n), "consistent"), modes=1).modes[0].frequency / exact - 1)
        for n in (8, 16)
    )
    assert 3.5 < np.log2(coarse / fine) < 4.5


def test_beams_as_given_matrices():
    """Our own frame handed over as a matrix pair: mass, centre and inertia the same, frequencies to 0.3 %."""
    own = arm(16)
    given = handed_over(own)
    assert given.mass == pytest.approx(own.mass, rel=1e-12)
    assert given.centre == pytest.approx(own.centre, abs=1e-9)
    assert given.inertia == pytest.approx(own.inertia, rel=1e-8, abs=1e-9)
    pair = [[m.frequency for m in reduce_structure(s, modes=6).modes] for s in (given, own)]
    assert pair[0] == pytest.approx(pair[1], rel=3e-3)


def test_given_matrices_know_no_members():
    """Where a beam ends cannot be seen in a matrix: the masses of a free one are of second order, not fourth."""
    full = beam(64)
    exact = reduce_structure(full, modes=1).modes[0].frequency
    coarse, fine = (
        abs(reduce_structure(handed_over(beam(n)), modes=1).modes[0].frequency / exact - 1) for n in (16, 32)
    )
    assert coarse < 0.02
    assert 1.9 < np.log2(coarse / fine) < 2.5


def test_what_cannot_be_kept_is_told():
    """Two nodes of a solid bar's mass matrix: masses at the ends have thrice the rod's inertia."""
    M = sp.csr_array(np.kron(np.array([[2.0, 1.0], [1.0, 2.0]]) / 6, np.eye(3)))
    d = lumped_mass(M, np.array([[0.0, 0, 0], [1.0, 0, 0]]))
    assert d.nodal_mass == pytest.approx([0.5, 0.5])
    assert d.inertia_changed == pytest.approx(2.0)
    assert d.words == "mass at the nodes: mass kept, centre kept, inertia changed by 2e+02 %"


def changed(tmp_path, **changes):
    """A file of the bar with some entries replaced, or left out if None."""
    points, K, M = solid("hexahedra")
    entries = {"points": points, "stiffness": K.toarray(), "mass": M.toarray()} | changes
    path = tmp_path / "bar.npz"
    np.savez(path, **{key: value for key, value in entries.items() if value is not None})
    return path


@pytest.mark.parametrize("changes, words", [
    ({"mass": None}, "mass: missing; the file holds points, stiffness"),
    ({"points": None, "mass": None}, "points: missing"),
    ({"points": np.zeros((4, 2))}, r"points must be \(n, 3\), got \(4, 2\)"),
    ({"mass": np.eye(6)}, r"mass \(6, 6\) must both have 3 or 6 rows"),
    ({"stiffness": np.eye(675)}, "a rigid-body motion produces forces"),
    ({"mass": np.triu(np.ones((675, 675)))}, "must be finite and symmetric"),
    ({"mass": np.diag(np.arange(675.0))}, "not that of a body"),
    ({"place tip": np.array([999])}, r"place 'tip' names the nodes \[999\]"),
    ({"stiffness": np.array([[object()]])}, "cannot be read as NPZ"),
])  # fmt: skip
def test_what_cannot_be_read(tmp_path, changes, words):
    path = changed(tmp_path, **changes)
    with pytest.raises(FileError, match=words) as error:
        from_npz(path)
    assert "bar.npz" in str(error.value)


def test_files_that_are_not_there_or_not_matrices(tmp_path):
    with pytest.raises(FileError, match="cannot be read as NPZ"):
        from_npz(tmp_path / "none.npz")
    text = tmp_path / "text.mtx"
    text.write_text("no matrix", encoding="utf-8")
    with pytest.raises(FileError, match="cannot be read as Matrix Market"):
        from_matrix_market(points=text, stiffness=text, mass=text)


def test_units_that_are_not_of_a_body():
    points, K, M = solid("hexahedra")
    with pytest.raises(ModelError, match="not that of a body"):
        from_matrices("bar", points=points, stiffness=K, mass=-M)
