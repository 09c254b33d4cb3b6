"""Few coordinates against many: frequencies, deflections, damping, and words for what was dropped."""

from dataclasses import replace

import numpy as np
import pytest

from engine.structures.builders import (
    FreeBody,
    arm,
    beam,
    coordinates_of,
    frequencies,
    full_deflection,
    held_frequencies,
)
from panhead.engine.structures import FORCES, BodyFixed, ModalRatios, Rayleigh, flexibility, reduce_structure
from panhead.errors import ModelError

LOAD = np.array([30.0, -20.0, 50.0, 2.0, 1.0, -3.0])
METHODS = ("free-free", "craig-bampton")


@pytest.fixture(scope="module")
def body():
    return arm(8)


def both_ends(body, method, modes, **options):
    return reduce_structure(body, interfaces=("knee", "head"), modes=modes, method=method, **options)


def test_free_vibrations_are_those_of_the_full_body(body):
    """The eigenproblem is the same, found another way: 1e-6 is what K's rounding leaves of 20 Hz."""
    r = reduce_structure(body, modes=12)
    full = frequencies(body.stiffness.toarray(), body.mass_matrix().toarray(), 12, skip=6)
    assert [m.frequency for m in r.modes] == pytest.approx(full, rel=1e-6)
    assert [m.words for m in r.modes[:2]] == ["free–free vibration 1", "free–free vibration 2"]
    assert r.notes == ("rigid-body motions 1 … 6: removed, the floating frame carries them",)


@pytest.mark.parametrize("method", METHODS)
def test_first_frequencies_to_a_tenth_of_a_percent(body, method):
    """Free, and with the knee held, as a joint would: 20 vibrations and what the interfaces add."""
    free = FreeBody(both_ends(body, method, 20))
    full = frequencies(body.stiffness.toarray(), body.mass_matrix().toarray(), 6, skip=6)
    assert frequencies(free.K, free.M, 6, skip=6) == pytest.approx(full, rel=1e-3)
    Z = free.held(free.at("knee"))
    full = held_frequencies(body, coordinates_of(body, "knee"))[:6]
    assert frequencies(Z.T @ free.K @ Z, Z.T @ free.M @ Z, 6) == pytest.approx(full, rel=1e-3)


@pytest.mark.parametrize("reference", [None, BodyFixed(("pin",))], ids=["mean", "fixed"])
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("modes", [0, 4])
def test_deflections_at_interfaces_are_exact(body, method, modes, reference):
    """Knee held, load at the head: in the span of the static shapes, however few vibrations there are."""
    free = FreeBody(both_ends(body, method, modes, reference=reference))
    got = free.at("head") @ free.deflection(free.at("head").T @ LOAD, free.at("knee"))
    force = np.zeros(body.stiffness.shape[0])
    force[coordinates_of(body, "head")] = LOAD
    full = full_deflection(body, force, coordinates_of(body, "knee"))[coordinates_of(body, "head")]
    assert got == pytest.approx(full, rel=1e-5, abs=1e-9)


def test_without_corrections_deflections_are_not_exact(body):
    """What the corrections are for."""
    free = FreeBody(both_ends(body, "free-free", 8, corrections=()))
    got = free.at("head") @ free.deflection(free.at("head").T @ LOAD, free.at("knee"))
    whole = FreeBody(both_ends(body, "free-free", 8))
    exact = whole.at("head") @ whole.deflection(whole.at("head").T @ LOAD, whole.at("knee"))
    assert abs(got[2] / exact[2] - 1) > 1e-3


@pytest.mark.parametrize("method", METHODS)
def test_the_basis_diagonalises_mass_and_stiffness(body, method):
    r = both_ends(body, method, 5)
    k = len(r.modes)
    assert r.modal_mass == pytest.approx(np.eye(k), abs=1e-7)
    X = np.concatenate([r.displacements, r.rotations], axis=1).reshape(-1, k)
    omega = np.sqrt(np.diag(r.stiffness))
    scaled = (X.T @ (body.stiffness @ X)) / np.outer(omega, omega)
    assert scaled == pytest.approx(np.eye(k), abs=1e-6)


def test_groups_are_interfaces_too(body):
    """A moment spread over two joints: exact at the group, by either method."""
    for method in METHODS:
        r = reduce_structure(body, interfaces=("foot", "head"), modes=3, method=method)
        free = FreeBody(r)
        got = free.at("head") @ free.deflection(free.at("head").T @ LOAD, free.at("foot"))
        P = body.motion("foot")[1].toarray()
        K = body.stiffness.toarray()
        force = np.zeros(len(K) + 6)
        force[coordinates_of(body, "head")] = LOAD
        scale = np.abs(K).mean()
        saddle = np.block([[K, scale * P.T], [scale * P, np.zeros((6, 6))]])
        full = np.linalg.solve(saddle, force)[coordinates_of(body, "head")]
        assert got == pytest.approx(full, rel=1e-5, abs=1e-9)


def test_what_repeats_is_dropped_and_told(body):
    """As many shapes as the body has coordinates: 27 nodes or fewer leave nothing to a correction."""
    small = beam(2)
    r = reduce_structure(small, interfaces=("a", "b"), modes=10)
    assert len(r.modes) == 12  # 18 coordinates less six rigid motions
    dropped = [n for n in r.notes if n.endswith("dropped, linearly dependent on the others")]
    assert len(dropped) == 10
    one = reduce_structure(body, interfaces=("knee",), modes=4, method="craig-bampton")
    assert len(one.modes) == 4  # held at one node, its six motions are rigid
    assert sum("knee, " in n for n in one.notes) == 6


def test_corrections_can_be_chosen(body):
    r = reduce_structure(body, interfaces=("head",), modes=2, corrections=FORCES[2:])
    assert [m.words for m in r.modes][2:] == ["static correction, mostly head, force along z"]


def test_large_bodies_take_the_sparse_path(body, monkeypatch):
    """Lanczos and dense agree; signs are the same in every run."""
    dense = reduce_structure(body, modes=6)
    monkeypatch.setattr(flexibility, "_DENSE", 10)
    first, second = reduce_structure(body, modes=6), reduce_structure(body, modes=6)
    assert first.stiffness == pytest.approx(dense.stiffness, rel=1e-8, abs=1e-6)
    assert first.displacements == pytest.approx(dense.displacements, abs=1e-6)
    assert np.array_equal(first.displacements, second.displacements)


def test_damping(body):
    omega = 2 * np.pi * np.array([m.frequency for m in reduce_structure(body, modes=3).modes])
    for damping, expected in [
        (0.02, 2 * 0.02 * omega),
        (ModalRatios((0.01, 0.03)), 2 * np.array([0.01, 0.03, 0.03]) * omega),
        (Rayleigh(alpha=0.5, beta=1e-4), 0.5 + 1e-4 * omega**2),
    ]:
        r = reduce_structure(body, modes=3, damping=damping)
        assert r.damping == pytest.approx(np.diag(expected), rel=1e-9)
    fixed = reduce_structure(body, modes=3, damping=0.02, reference=BodyFixed(("knee",)))
    assert fixed.damping == pytest.approx(reduce_structure(body, modes=3, damping=0.02).damping, rel=1e-9)


def test_massless_rotations_do_no_harm():
    """Nodes without rotary inertia, lumped masses alone: bending is still there.

    Rotary inertia itself is worth ½ (β r)² = 0.3 % of the second frequency of this tube.
    """
    s = beam(10)
    bare = replace(s, nodal_inertia=1e-9 * np.tile(np.diag([1.0, 0, 0]), (11, 1, 1)))
    f = [m.frequency for m in reduce_structure(bare, modes=4).modes]
    assert f == pytest.approx([m.frequency for m in reduce_structure(s, modes=4).modes], rel=5e-3)


@pytest.mark.parametrize("options, words", [
    ({"modes": 0}, "modes must be > 0"),
    ({"modes": -1}, "modes must be > 0"),
    ({"modes": 10_000}, "but it has only"),
    ({"method": "guyan"}, "'free-free' or 'craig-bampton', got 'guyan'"),
    ({"method": "craig-bampton"}, "needs interfaces"),
    ({"interfaces": ("toe",)}, "no place 'toe'"),
    ({"interfaces": ("knee",), "corrections": ("pull",)}, "no load 'pull'"),
    ({"interfaces": ("knee", "knee"), "method": "craig-bampton"}, "knee is named twice"),
    ({"damping": 1.5}, "ratios lie in 0 … 1"),
    ({"modes": 1, "damping": ModalRatios((0.1, 0.2))}, "2 ratios for 1 coordinates"),
])  # fmt: skip
def test_what_cannot_be_reduced(body, options, words):
    with pytest.raises(ModelError, match=words):
        reduce_structure(body, **options)
