"""The linear line: its contract with the solver, closed forms, and the nonlinear line beside it."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.linalg

from panhead.errors import ModelError
from panhead.railway.line import (
    DropperKind,
    HardSpot,
    LinearLine,
    Overlap,
    Span,
    StaticLine,
    SteadyArm,
    Stitch,
    Support,
    Wire,
    Wires,
    linear_line,
    read_line,
    shipped_lines,
    string,
)
from panhead.railway.line.elasticity import block_matrix
from panhead.railway.line.layout import Layout
from railway.line.builders import (
    CONTACT,
    MESSENGER,
    POSITIONS,
    STAGGERED,
    ZIGZAG,
    G,
    bare_line,
    cut,
    model,
    plain_line,
    with_tension_length,
)


def matrices(line: LinearLine) -> list[np.ndarray]:
    return [
        block_matrix(diag, off).toarray()
        for diag, off in ((line.M_diag, line.M_off), (line.C_diag, line.C_off), (line.K_diag, line.K_off))
    ]


@pytest.mark.parametrize("lateral", [False, True], ids=["vertical", "lateral"])
@pytest.mark.parametrize("name", shipped_lines())
def test_contract(name, lateral):
    """Shapes, types and meanings the interaction solver relies on."""
    line = model(read_line(name), lateral=lateral, spans=(0, 4))
    ns, b = line.ns, line.b
    for letter in "MCK":
        diag, off = getattr(line, f"{letter}_diag"), getattr(line, f"{letter}_off")
        assert (diag.shape, off.shape) == ((ns, b, b), (ns - 1, b, b))
        assert diag.flags.c_contiguous
        assert diag.dtype == float
        np.testing.assert_allclose(diag, diag.transpose(0, 2, 1), atol=1e-9 * np.abs(diag).max())
    assert (np.diff(line.x) > 0).all()
    d = line.droppers
    assert line.active[d.station, d.dof_top].all()
    assert line.active[d.station, d.dof_bottom].all()
    np.testing.assert_allclose(line.x[d.station], d.x, atol=1e-9)
    np.testing.assert_allclose(np.hypot(d.nz, d.ny), 1.0, atol=1e-12)
    assert (d.static_tension > 0).all()
    assert len(set(d.names)) == len(d.names) == d.x.size
    np.testing.assert_array_equal(line.x[line.supports.station], line.supports.x)
    for path in line.paths:
        assert line.active[path.first + 1 : path.last, path.dof_w].all()
        assert (path.dof_y is None) == (not lateral)


@pytest.mark.parametrize("lateral", [False, True], ids=["vertical", "lateral"])
def test_held_coordinates_stand_alone_and_the_rest_is_positive(lateral):
    line = model(read_line("stitched-25kv"), lateral=lateral, spans=(0, 3))
    M, C, K = matrices(line)
    held = np.flatnonzero(~line.active.ravel())
    assert held.size
    for matrix, value in ((M, 1.0), (C, 0.0)):
        alone = matrix[held]
        alone[np.arange(held.size), held] -= value
        assert not alone.any()
    assert (K[held, held] > 0).all()
    assert (np.count_nonzero(K[held], axis=1) == 1).all()
    assert scipy.linalg.eigvalsh(M)[0] > 0
    assert scipy.linalg.eigvalsh(K)[0] > -1e-6  # the contact wire between its droppers has none


def test_a_uniform_load_gives_the_parabola_exactly():
    """w = p x (L − x)/2T, which cubics contain: round-off only, on an uneven mesh."""
    line = model(with_tension_length(bare_line(), hard_spots=(HardSpot(position=7.3),)))
    M, _, K = matrices(line)
    path = line.paths[0]
    load = np.zeros((line.ns, line.b))
    load[:, path.dof_w] = 1.0
    f = M @ load.ravel() / 1.35  # a consistent unit load: μ ∫ N N 1
    f[~line.active.ravel()] = 0.0
    w = np.linalg.solve(K, f).reshape(line.ns, line.b)[:, path.dof_w]
    # M·1 misses the mass coupled to the held ends, where w is zero: add their share
    exact = line.x * (60.0 - line.x) / (2 * 20e3)
    lost = consistent_load_of_the_ends(line)
    w += np.linalg.solve(K, lost).reshape(line.ns, line.b)[:, path.dof_w]
    np.testing.assert_allclose(w, exact, atol=1e-12)


def consistent_load_of_the_ends(line: LinearLine) -> np.ndarray:
    """∫ N_i (N_first + N_last) dx, removed from M with the held coordinates of the ends."""
    from panhead.railway.line.wire_elements import wire_mass

    f = np.zeros((line.ns, line.b))
    dof = line.paths[0].dof_w
    for e, end in ((0, 0), (line.ns - 2, 2)):
        m = wire_mass(line.x[e + 1] - line.x[e], 1.0)
        f[e, dof : dof + 2] += m[end, :2]
        f[e + 1, dof : dof + 2] += m[end, 2:]
    return (f * line.active).ravel()


@pytest.mark.parametrize("lateral", [False, True], ids=["vertical", "lateral"])
def test_frequencies_of_a_string(lateral):
    """f_n = n c/2L; cubic elements of 1 m are within (n/60)⁴ of it."""
    line = model(bare_line(), lateral=lateral)
    M, _, K = matrices(line)
    on = line.active.ravel()
    f = np.sqrt(scipy.linalg.eigh(K[np.ix_(on, on)], M[np.ix_(on, on)], eigvals_only=True))
    c = np.sqrt(20e3 / 1.35)
    copies = 4 if lateral else 2  # contact wire and messenger, each way
    exact = np.repeat(np.arange(1, 6) * np.pi * c / 60.0, copies)
    np.testing.assert_allclose(f[: exact.size], exact, rtol=5e-5)


def test_total_mass_is_that_of_the_wires_and_what_hangs_on_them():
    kind = DropperKind(stiffness=1e5, mass_per_length=0.2, top_clamp_mass=0.3, bottom_clamp_mass=0.1)
    support = replace(ZIGZAG, contact_mass=0.7)
    strung = string(
        with_tension_length(
            plain_line(spans=3, dropper=kind, support=support), hard_spots=(HardSpot(position=70.0, mass=2.5),)
        )
    )
    line = linear_line(strung)
    M, _, _ = matrices(line)
    lengths = np.concatenate([s.length for s in strung.spans(strung.layout.pieces[0])])
    up = np.zeros((line.ns, line.b))
    up[:, 0::2] = 1.0  # everything moves up at once
    up *= line.active
    mass = up.ravel() @ M @ up.ravel()
    hung = 0.2 * lengths.sum() + 27 * 0.4 + 2.5 + 2 * (0.7 + 1.5 / 3)
    wires = 180 * (1.35 + 1.07)
    # what is lumped at held stations and coupled to them is missing: the elements beside them
    assert wires + hung - 6 * 1.2 < mass < wires + hung


def test_dropper_direction_lies_in_the_table_and_is_folded_in_the_plane():
    strung = string(plain_line(spans=3, support=ZIGZAG))
    plane, space = linear_line(strung).droppers, linear_line(strung, lateral=True).droppers
    assert np.abs(space.ny).max() > 0.1
    np.testing.assert_allclose(plane.static_tension, space.static_tension * space.nz, rtol=1e-12)
    np.testing.assert_allclose(plane.stiffness, 1e5 * space.nz**2, rtol=1e-12)
    assert not plane.ny.any()
    assert (space.dof_top_y == space.dof_top + 2).all()


@pytest.mark.parametrize("lateral", [False, True], ids=["vertical", "lateral"])
@pytest.mark.parametrize("kind", ["plain", "stitched"])
def test_small_displacements_are_those_of_the_nonlinear_line(kind, lateral):
    """Hang 1 kg on the contact wire: restring with cut droppers, or solve K q = −m g.

    The two share nothing but the elements. They differ by the change of the droppers' directions
    (in the plane by the sideways motion it leaves out): under 1 % of the largest displacement.
    """
    wires = Wires(contact=CONTACT, messenger=MESSENGER)
    if kind == "stitched":
        stitch = Stitch(wire=Wire(tension=3e3, mass_per_length=0.31, bending_stiffness=5.0), reach=8)
        wires = replace(wires, stitch=stitch)
    line = cut(plain_line(spans=3, wires=wires, support=STAGGERED))
    line = with_tension_length(line, hard_spots=(HardSpot(position=85.0),))
    heavy = with_tension_length(line, hard_spots=(HardSpot(position=85.0, mass=1.0),))
    before, after = (string(some) for some in (line, heavy))
    linear = linear_line(before, lateral=lateral)
    static = StaticLine(linear)
    q = static.displace(static.load(85.0, -1.0 * G, 0))[0].reshape(linear.ns, linear.b)
    for role in wires_of(before):
        first = linear.numbering.dof(0, role)
        for column, shift in ((0, 0), (2, 2))[: 2 if lateral else 1]:
            moved = np.concatenate([
                b.shape[role][:-1, column] - a.shape[role][:-1, column]
                for a, b in zip(before.spans(before.layout.pieces[0]),
                                after.spans(after.layout.pieces[0]), strict=True)
            ])  # fmt: skip
            there = ~np.isnan(moved) & linear.active[:-1, first + shift]
            assert there.any()
            np.testing.assert_allclose(q[:-1, first + shift][there], moved[there], atol=0.01 * np.abs(q[:, ::2]).max())


def wires_of(strung) -> list[str]:
    return list(strung.spans(strung.layout.pieces[0])[0].shape)


def test_a_steady_arm_stiffens_and_weighs_the_contact_wire():
    """Vertical stiffness R L²/(L² − h²)^{3/2}, a third of the mass, found as differences."""
    arm = SteadyArm(length=1.2, mass=3.0, rise=0.3, damping=4.0)
    supports = STAGGERED, replace(STAGGERED, steady_arm=arm)
    plain, armed = (plain_line(spans=3, support=s) for s in supports)
    without, held = model(plain), model(armed)
    i, dof = held.masts[1], held.paths[0].dof_w
    strung = string(armed)
    pull = strung.spans(strung.layout.pieces[0])[0].arm_pull[1]
    k = pull * 1.2**2 / (1.2**2 - 0.3**2) ** 1.5
    assert held.K_diag[i, dof, dof] - without.K_diag[i, dof, dof] == pytest.approx(k, rel=1e-9)
    assert held.M_diag[i, dof, dof] - without.M_diag[i, dof, dof] == pytest.approx(1.0)
    assert held.C_diag[i, dof, dof] - without.C_diag[i, dof, dof] == pytest.approx(4.0)


def test_a_hanging_dropper_resists_sideways_like_a_pendulum():
    """N/L across its direction, nothing along it: the difference of K with and without droppers."""
    with_droppers = plain_line(spans=1, support=Support(encumbrance=1.2, stagger=0.3))
    stations = tuple(HardSpot(position=x) for x in POSITIONS)  # for the same mesh
    without = with_tension_length(replace(with_droppers), spans=(Span(length=60.0),), hard_spots=stations)
    hung, bare = model(with_droppers, lateral=True), model(without, lateral=True)
    strung = string(with_droppers)
    span = strung.spans(strung.layout.pieces[0])[0]
    for k, i in enumerate(hung.droppers.station):
        d = hung.droppers
        dofs = [d.dof_top[k], d.dof_top_y[k], d.dof_bottom[k], d.dof_bottom_y[k]]
        K = (hung.K_diag - bare.K_diag)[i][np.ix_(dofs, dofs)]
        n = np.array([d.nz[k], d.ny[k]])
        across = np.array([-n[1], n[0]])
        relative = (span.tension[k] / span.length[k]) * np.outer(across, across)
        exact = np.block([[relative, -relative], [-relative, relative]])
        np.testing.assert_allclose(K, exact, atol=1e-6)  # K itself is of order 10⁵ N/m


def test_springs_of_the_description_are_in_the_matrix():
    base = Support(encumbrance=1.2)
    springs = replace(base, contact_stiffness=700.0, contact_damping=9.0, lateral_stiffness=4e4)
    spot = (HardSpot(position=90.0, stiffness=250.0),)
    plain = model(with_tension_length(plain_line(spans=3), hard_spots=(HardSpot(position=90.0),)), lateral=True)
    stiff = model(with_tension_length(plain_line(spans=3, support=springs), hard_spots=spot), lateral=True)
    dof, mast, middle = plain.paths[0].dof_w, plain.masts[1], int(np.argmin(np.abs(plain.x - 90.0)))
    change = stiff.K_diag - plain.K_diag
    assert change[mast, dof, dof] == pytest.approx(700.0)
    assert change[middle, dof, dof] == pytest.approx(250.0)
    assert (stiff.C_diag - plain.C_diag)[mast, dof, dof] == pytest.approx(9.0)
    assert stiff.active[mast, dof + 2]
    assert not plain.active[mast, dof + 2]
    sideways = stiff.K_diag[mast, dof + 2, dof + 2] - stiff.K_diag[mast, dof, dof]
    assert sideways == pytest.approx(4e4 - 700.0)


def test_soft_supports_are_springs():
    support = Support(encumbrance=1.2, messenger_stiffness=2e5, messenger_damping=30.0)
    rigid, soft = model(plain_line(spans=3)), model(plain_line(spans=3, support=support))
    dof = soft.numbering.dof(0, "messenger")
    assert not rigid.active[rigid.masts[1], dof]
    assert soft.active[soft.masts[1], dof]
    assert soft.C_diag[soft.masts[1], dof, dof] == 30.0
    assert not soft.active[0, dof]  # an anchor stays one


@pytest.mark.parametrize("lateral", [False, True], ids=["vertical", "lateral"])
def test_a_window_is_a_part_of_the_whole(lateral):
    whole = model(plain_line(spans=7, support=ZIGZAG), lateral=lateral)
    part = whole.window(2, 5)
    a, b = whole.masts[2], whole.masts[5] + 1
    assert (part.masts == whole.masts[2:6] - a).all()
    np.testing.assert_array_equal(part.x, whole.x[a:b])
    for name in ("M_diag", "C_diag", "K_diag"):  # all but the two stations where it is cut
        np.testing.assert_array_equal(getattr(part, name)[1:-1], getattr(whole, name)[a + 1 : b - 1])
    for name in ("M_off", "K_off"):
        np.testing.assert_array_equal(getattr(part, name)[1:-1], getattr(whole, name)[a + 1 : b - 2])
    inside = (whole.droppers.span >= 2) & (whole.droppers.span < 5)
    np.testing.assert_array_equal(part.droppers.static_tension, whole.droppers.static_tension[inside])
    assert part.droppers.names == tuple(np.array(whole.droppers.names)[inside])
    np.testing.assert_array_equal(part.paths[0].z0, whole.paths[0].z0[a:b])
    assert not part.active[[0, -1], part.paths[0].dof_w].any()
    assert part.supports.names == ("T.mast3", "T.mast4", "T.mast5", "T.mast6")


def test_windows_of_overlapping_tension_lengths_keep_the_wires_apart():
    line = with_tension_length(plain_line(spans=7, support=ZIGZAG), repeat=3, overlap=Overlap(spans=3))
    whole = model(line)
    assert whole.b == 8
    assert [path.piece for path in whole.paths] == [0, 1, 2]
    first, second, third = whole.paths
    assert first.dof_w == third.dof_w != second.dof_w
    assert (whole.x[second.first], whole.x[first.last]) == (240.0, 420.0)
    both = whole.active[second.first + 1 : first.last]
    assert both[:, [first.dof_w, second.dof_w]].all()
    part = whole.window(3, 8)  # cuts inside the first and second, across the overlap
    a = whole.masts[3]
    np.testing.assert_array_equal(part.active[1:-1], whole.active[a + 1 : whole.masts[8]])
    np.testing.assert_array_equal(part.K_diag[1:-1], whole.K_diag[a + 1 : whole.masts[8]])


def test_a_line_of_any_length_costs_only_its_distinct_spans():
    """100 km: the same few objects again and again."""
    line = with_tension_length(plain_line(spans=20, support=ZIGZAG), repeat=98, overlap=Overlap(spans=3))
    strung = string(line)
    assert strung.layout.n_spans == 98 * 17 + 3
    near, far = (linear_line(strung, spans=(17 * k + 5, 17 * k + 10)) for k in (2, 96))
    np.testing.assert_array_equal(near.K_diag, far.K_diag)
    other = near.window(17 * 3 + 5, 17 * 3 + 10)  # the next one uses the other set of wires
    swapped = np.r_[4:8, 0:4]
    np.testing.assert_array_equal(other.K_diag[:, swapped][:, :, swapped], near.K_diag)
    window = near
    for k in range(5, 90):
        window = window.window(17 * k + 9, 17 * k + 16)
    assert len(window.source._blocks) <= 2 * 3 * 20
    assert len(strung._runs) <= 3  # first, inner and last tension length


def test_a_single_tension_length_of_a_thousand_spans():
    strung = string(plain_line(spans=1000, support=ZIGZAG))
    a = linear_line(strung, spans=(500, 504))
    b = a.window(700, 704)
    np.testing.assert_array_equal(a.K_diag, b.K_diag)
    assert b.x[0] == 42000.0
    assert len(strung._plans) == 4  # first, last, and two that take turns


def test_mesh_follows_the_element_length():
    layout = Layout(plain_line())
    marks = layout.plan(layout.pieces[0], 0).marks
    assert marks == (0.0, *POSITIONS, 60.0)
    for ell in (0.25, 1.0, 3.0):
        line = model(plain_line(spans=2), element_length=ell)
        assert np.diff(line.x).max() <= 1.5 * ell + 1e-9
        assert set(POSITIONS) <= set(line.x.round(9))


def test_outside_windows_are_refused():
    line = model(plain_line(spans=3))
    with pytest.raises(ModelError, match=r"spans 2 … 3 do not all exist"):
        line.window(2, 4)
    with pytest.raises(ModelError, match="element_length"):
        model(plain_line(), element_length=0.0)
