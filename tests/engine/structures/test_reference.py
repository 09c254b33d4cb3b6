"""Reference conditions: which frame one looks from changes shapes, never physics."""

import numpy as np
import pytest

from engine.structures.builders import TURN, FreeBody, arm, beam, frequencies
from panhead.engine.structures import BodyFixed, MeanAxes, PrincipalAxes, reduce_structure
from panhead.engine.structures.reference_conditions import change_reference
from panhead.errors import ModelError

REFERENCES = [MeanAxes(), BodyFixed(("knee",)), BodyFixed(("knee", "head", "pin")), PrincipalAxes()]
by_words = pytest.mark.parametrize("reference", REFERENCES, ids=lambda r: r.words)


@pytest.fixture(scope="module")
def body():
    return arm(4, TURN)


def shapes_of(r):
    n, k = len(r.points), len(r.modes)
    return np.concatenate([r.displacements, r.rotations], axis=1).reshape(6 * n, k)


@by_words
def test_shapes_obey_the_conditions(body, reference):
    """B X = 0 to 1e-12 of what the terms of the sum amount to."""
    r = reduce_structure(body, interfaces=("knee", "head"), modes=6, reference=reference)
    B, X = reference.conditions(body), shapes_of(r)
    assert np.max(np.abs(B @ X) / (np.abs(B) @ np.abs(X) + 1e-300)) < 1e-12


@by_words
def test_frequencies_do_not_depend_on_the_frame(body, reference):
    """With its rigid motions the body is the same, whichever frame: rel 1e-6 of ill-scaled 24 × 24 matrices."""
    seen = FreeBody(reduce_structure(body, interfaces=("head",), modes=6, reference=reference))
    mean = reduce_structure(body, interfaces=("head",), modes=6)
    got = frequencies(seen.K, seen.M, skip=6)
    assert got == pytest.approx(sorted(m.frequency for m in mean.modes), rel=1e-6)


@by_words
def test_deflections_do_not_depend_on_the_frame(body, reference):
    """Knee held, a load on the head: the head moves alike."""
    load = np.array([10.0, -5.0, 20.0, 1.0, 0.0, 2.0])
    moved = []
    for seen_from in (reference, MeanAxes()):
        free = FreeBody(reduce_structure(body, interfaces=("knee", "head"), modes=3, reference=seen_from))
        moved.append(free.at("head") @ free.deflection(free.at("head").T @ load, free.at("knee")))
    assert moved[0] == pytest.approx(moved[1], rel=1e-6, abs=1e-9)


def test_mean_axes_decouple_frame_and_deformation(body):
    """RᵀM X = 0: the inertia couplings of the undeformed body vanish, and XᵀM X = 1."""
    r = reduce_structure(body, interfaces=("knee",), modes=5)
    whole = FreeBody(r).M
    assert np.abs(whole[:6, 6:]).max() < 1e-9
    assert r.modal_mass == pytest.approx(np.eye(len(r.modes)), abs=1e-8)
    assert whole[3:6, 3:6] == pytest.approx(body.inertia, abs=1e-9)


def test_a_frame_rides_on_its_node(body):
    r = reduce_structure(body, modes=4, reference=BodyFixed(("knee",)))
    assert np.abs(r.places["knee"].shape).max() < 1e-12
    assert np.abs(r.places["knee"].point).max() < 1e-14
    assert r.origin == pytest.approx(body.motion("knee")[0])


def test_three_places_hold_a_frame_in_their_plane(body):
    r = reduce_structure(body, modes=4, reference=BodyFixed(("knee", "head", "pin")))
    line = r.places["head"].point
    normal = np.cross(line, r.places["pin"].point)
    assert np.abs(r.places["knee"].shape[:3]).max() < 1e-12
    assert np.abs(np.cross(line, r.places["head"].shape[:3].T)).max() < 1e-11
    assert np.abs(normal @ r.places["pin"].shape[:3]).max() < 1e-11


def test_principal_axes_stay_those_of_the_deformed_body(body):
    """The inertia of the body really deformed, by ε x: its products are of the order ε²."""
    r = reduce_structure(body, modes=4, reference=PrincipalAxes())
    E = np.linalg.eigh(body.inertia)[1]
    for k in range(4):
        for size in (1e-4, 1e-5):
            b = r.points + size * r.displacements[:, :, k]
            turned = [_rotation(size * r.rotations[j, :, k]) for j in range(len(b))]
            J = sum(
                m * (p @ p * np.eye(3) - np.outer(p, p)) + A @ mu @ A.T
                for m, p, A, mu in zip(r.nodal_mass, b, turned, r.nodal_inertia, strict=True)
            )
            products = (E.T @ J @ E)[np.triu_indices(3, 1)]
            assert np.abs(products).max() < 10 * size**2


def _rotation(phi):
    from scipy.spatial.transform import Rotation

    return Rotation.from_rotvec(phi).as_matrix()


def test_a_rigid_motion_is_no_deformation(body):
    R = body.rigid_motions(np.array([1.0, 2.0, 3.0]))
    for reference in REFERENCES:
        rest = change_reference(R, R, reference.conditions(body))
        assert np.abs(rest).max() < 1e-10


@pytest.mark.parametrize("make, words", [
    (lambda s: reduce_structure(s, modes=1, reference=PrincipalAxes()), "two principal moments of 'beam' are equal"),
    (lambda s: BodyFixed(("a", "b")), "give one place or three"),
    (lambda s: reduce_structure(s, modes=1, reference=BodyFixed(("c",))), "no place 'c'"),
    (lambda s: reduce_structure(s, modes=1, reference=BodyFixed(("a", "b", "a"))), "lie on one line"),
])  # fmt: skip
def test_frames_that_do_not_hold(make, words):
    with pytest.raises(ModelError, match=words):
        make(beam())
