"""The strung shape against closed forms, balances of forces, symmetry, and its own inverse."""

from dataclasses import replace

import numpy as np
import pytest

from panhead.errors import ModelError
from panhead.railway.line import (
    Dropper,
    DropperError,
    DropperKind,
    HardSpot,
    Mast,
    Overlap,
    Span,
    SteadyArm,
    Stitch,
    Support,
    TensionLength,
    Wire,
    Wires,
    WornSection,
    read_line,
    static_shape,
    string,
)
from panhead.railway.line.stringing import StrungSpan
from railway.line.builders import (
    CONTACT,
    MESSENGER,
    POSITIONS,
    STAGGERED,
    G,
    bare_line,
    cut,
    plain_line,
    spans_of,
    with_tension_length,
)


def test_level_wire_gives_the_reference_dropper_loads():
    """103.0, 79.0, 86.2, 86.1 … N, found with an independent script; to 1 % as asked there."""
    loads = [103.0, 79.0, 86.2, 86.1, 86.1, 86.1, 86.2, 79.0, 103.0]
    np.testing.assert_allclose(spans_of(plain_line(spans=9))[4].tension, loads, rtol=0.01)


@pytest.mark.parametrize("element_length", [1.0, 5.0])
def test_a_flexible_inextensible_wire_hangs_in_a_catenary(element_length):
    """z = a (cosh(x/a) − 1), a = H/μg. The cubic elements leave an error of order ℓ⁴."""
    line = bare_line(length=120.0, tension=4e3, mass_per_length=2.0)
    span = spans_of(line, element_length=element_length)[0]
    a = 4e3 / (2.0 * G)
    exact = a * (np.cosh((span.mesh.x - 60.0) / a) - np.cosh(60.0 / a))
    np.testing.assert_allclose(span.shape["messenger"][:, 0] - 6.28, exact, atol=2e-7)
    parabola = 2.0 * G * 120.0**2 / (8 * 4e3)
    assert -exact.min() > 1.005 * parabola  # the case is nonlinear enough to tell them apart


def test_an_elastic_wire_hangs_in_the_elastic_catenary():
    """Irvine's closed form: per metre along the track the wire weighs μ g s′/(1 + H s′/EA)."""
    H, mu, EA = 4e3, 2.0, 8e4  # soft on purpose: 5 % strain
    line = bare_line(length=120.0, tension=H, mass_per_length=mu, axial_stiffness=EA)
    z = spans_of(line)[0].shape["messenger"][:, 0]
    # with the unstretched length s from mid-span: x = H s/EA + a asinh(s/a), z = μg s²/2EA + a(√(1+(s/a)²) − 1)
    a, s = H / (mu * G), np.linspace(0.0, 62.0, 200001)
    x = H * s / EA + a * np.arcsinh(s / a)
    drop = mu * G * s**2 / (2 * EA) + a * (np.sqrt(1 + (s / a) ** 2) - 1)
    sag = np.interp(60.0, x, drop)
    assert z[0] - z.min() == pytest.approx(sag, rel=1e-6)


def test_parabola_with_bending_is_that_of_a_beam_under_tension():
    """Pinned ends, uniform load p: w = p x(L − x)/2H − (p/Hκ²)(1 − cosh κ(x − L/2)/cosh κL/2)."""
    L, H, EI, mu = 10.0, 2e4, 2e4, 1.35
    line = bare_line(length=L, tension=H, mass_per_length=mu, bending_stiffness=EI)
    span = spans_of(line, element_length=0.1)[0]
    x, p, kappa = span.mesh.x, mu * G, np.sqrt(H / EI)
    curved = 1 - np.cosh(kappa * (x - L / 2)) / np.cosh(kappa * L / 2)
    exact = p * x * (L - x) / (2 * H) - p / (H * kappa**2) * curved
    # 1e-6 of the sag: the arc is 1e-6 longer than the chord
    np.testing.assert_allclose(5.08 - span.shape["contact"][:, 0], exact, atol=2e-6 * exact.max())


@pytest.mark.parametrize("presag", [0.0, 0.03])
def test_the_supports_carry_the_whole_weight(presag):
    """Messenger reactions plus contact-wire anchors equal the weight of all that hangs there."""
    kind = DropperKind(stiffness=1e5, mass_per_length=0.3, top_clamp_mass=0.2, bottom_clamp_mass=0.15)
    spans = spans_of(plain_line(spans=4, presag=presag, dropper=kind))
    lengths = np.concatenate([s.length for s in spans])
    weight = G * (240.0 * (1.35 + 1.07) + 0.3 * lengths.sum() + lengths.size * 0.35)
    # Vertical force along a wire is H z′ − EI z‴; at the pinned ends of fine elements EI z‴ is in
    # the element's end force, so measure it on the elements next to the anchors and masts.
    carried = sum(wire_reactions(spans, role) for role in ("contact", "messenger"))
    # the arc is longer than the chord by up to 2·(4 sag/L)²/3 ≈ 0.2 %
    assert carried == pytest.approx(weight, rel=2e-3)
    arcs = sum(
        mu * G * (np.hypot(np.diff(s.mesh.x), np.diff(s.shape[role][:, 0])).sum() - 60.0)
        for s in spans
        for role, mu in (("contact", 1.35), ("messenger", 1.07))
    )
    assert carried == pytest.approx(weight + arcs, rel=5e-6)  # arcs measured by chords


def wire_reactions(spans: list[StrungSpan], role: str) -> float:
    """Upward force of everything but gravity and droppers on one wire [N]."""
    from panhead.railway.line.wire_elements import wire_stiffness

    total = 0.0
    for n, span in enumerate(spans):
        ell, w = np.diff(span.mesh.x), span.shape[role]
        table = span.mesh.wires[role]
        for e, end in ((0, 0), (ell.size - 1, 2)):
            anchor = (n == 0 and end == 0) or (n == len(spans) - 1 and end == 2)
            if role == "contact" and not anchor:
                continue  # the contact wire is held at its anchors only
            k = wire_stiffness(ell[e], table[e, 0], table[e, 1])
            q = np.array([w[e, 0], w[e, 1], w[e + 1, 0], w[e + 1, 1]])
            arc = np.hypot(ell[e], w[e + 1, 0] - w[e, 0])
            total += k[end] @ q + 0.5 * arc * table[e, 2] * G  # its share of the element's weight
    return total


def test_every_span_alone_balances_droppers_and_weight():
    """Between mid-spans of equal spans no vertical force passes: droppers carry the contact wire."""
    span = spans_of(plain_line(spans=9))[4]
    assert span.tension.sum() == pytest.approx(60.0 * 1.35 * G, rel=1e-5)  # arc: 1e-6 longer


def test_symmetry_of_a_symmetric_line():
    spans = spans_of(plain_line(spans=5, presag=0.02))
    for left, right in zip(spans, spans[::-1], strict=True):
        np.testing.assert_allclose(left.tension, right.tension[::-1], rtol=1e-8)
        for role in ("contact", "messenger"):
            mirrored = right.shape[role][::-1, 0]
            np.testing.assert_allclose(left.shape[role][:, 0], mirrored, atol=1e-9)


def test_wanted_heights_are_met_at_the_droppers():
    line = plain_line(presag=0.03, height_profile=((0.0, 5.08), (60.0, 5.08), (180.0, 5.44)))
    strung = string(line)
    for number, span in enumerate(strung.spans(strung.layout.pieces[0])):
        x = span.mesh.x[span.mesh.link_station]
        support = np.interp(60.0 * number + x, [0.0, 60.0, 180.0, 300.0], [5.08, 5.08, 5.44, 5.44])
        z = span.shape["contact"][span.mesh.link_station, 0]
        np.testing.assert_allclose(z, support - 4 * 0.03 * x * (60 - x) / 3600, atol=1e-9)


def test_lengths_found_give_back_the_shape():
    """Heights → lengths → heights: the second stringing solves other equations, same answer."""
    line = plain_line(spans=3, presag=0.02, support=Support(encumbrance=1.2, stagger=0.25))
    wanted = spans_of(line)
    given = spans_of(cut(line))
    for a, b in zip(wanted, given, strict=True):
        np.testing.assert_allclose(b.tension, a.tension, rtol=1e-6)
        for role in ("contact", "messenger"):
            np.testing.assert_allclose(b.shape[role], a.shape[role], atol=1e-9)


def test_a_long_dropper_goes_slack_and_its_neighbours_take_over():
    line = with_tension_length(plain_line(), dropper_errors=(DropperError(span=3, dropper=5, error=0.05),))
    before, after = spans_of(plain_line())[2], spans_of(line)[2]
    assert after.tension[4] == 0.0
    assert after.unstretched[4] > after.length[4]
    assert after.tension[[3, 5]].min() > 1.3 * before.tension[[3, 5]].max()
    assert spans_of(line)[1].tension[4] == pytest.approx(before.tension[4], rel=0.05)  # not there
    others = np.delete(before.unstretched, 4)
    np.testing.assert_allclose(np.delete(after.unstretched, 4), others, atol=1e-9)


def test_a_short_dropper_lifts_the_wire_by_its_share():
    """Statics: a dropper shortened by δ lifts the contact wire by less than δ, and more than 0."""
    line = with_tension_length(plain_line(), dropper_errors=(DropperError(span=3, dropper=5, error=-0.01),))
    k = POSITIONS.index(30.0)
    before, after = spans_of(plain_line())[2], spans_of(line)[2]
    i = before.mesh.link_station[k]
    lift = after.shape["contact"][i, 0] - before.shape["contact"][i, 0]
    sink = before.shape["messenger"][i, 0] - after.shape["messenger"][i, 0]
    stretch = (after.tension[k] - before.tension[k]) / 1e5
    assert lift + sink == pytest.approx(0.01 - stretch, rel=1e-3)
    assert sink > 0
    assert lift > 0


def test_stagger_is_held_and_pulls_the_arms_by_the_change_of_angle():
    """Zigzag ±a over spans of L: the hold carries about R = H·4a/L, and more for the droppers."""
    line = plain_line(spans=7, support=STAGGERED)
    span = spans_of(line)[3]
    y = span.shape["contact"][:, 2]
    assert (y[0], y[-1]) == (-0.2, 0.2)
    plain = 20e3 * 4 * 0.2 / 60
    sideways = (span.tension * span.direction[:, 1]).sum()  # on the whole span, zero by symmetry
    assert sideways == pytest.approx(0.0, abs=1e-6)
    assert span.arm_pull[0] == pytest.approx(span.arm_pull[1], rel=1e-9)
    half = (span.tension * span.direction[:, 1])[:4].sum()
    assert span.arm_pull[0] == pytest.approx(plain, rel=0.3)
    # mid-span is a centre of symmetry: the half span balances R/2 with H y′ there and its droppers
    middle = span.mesh.x.size // 2
    slope = span.shape["contact"][middle, 3]
    assert span.arm_pull[0] == pytest.approx(2 * (20e3 * slope + half), rel=2e-3)


def test_a_steady_arm_lifts_with_its_pull_and_presses_with_half_its_weight():
    """The nearest droppers feel R h/√(L² − h²) − m g/2, shared by the two of them and the next."""
    arm = SteadyArm(length=1.0, mass=2.0, rise=0.2)
    plain = spans_of(plain_line(spans=7, support=STAGGERED))
    held = spans_of(plain_line(spans=7, support=replace(STAGGERED, steady_arm=arm)))
    before, after = (s[3].tension @ s[3].direction[:, 0] for s in (plain, held))
    force = held[3].arm_pull[0] * 0.2 / np.sqrt(1 - 0.04) - 0.5 * 2.0 * G
    assert force > 30.0  # it lifts
    assert before - after == pytest.approx(force, rel=1e-3)  # one arm per span


def test_a_stitch_wire_takes_its_tension_from_the_messenger():
    stitch = Stitch(wire=Wire(tension=3e3, mass_per_length=0.31), reach=8.0)
    line = plain_line(wires=Wires(contact=CONTACT, messenger=MESSENGER, stitch=stitch))
    span = spans_of(line)[2]
    x, table = 0.5 * (span.mesh.x[1:] + span.mesh.x[:-1]), span.mesh.wires["messenger"]
    assert set(table[(x < 8) | (x > 52), 0]) == {13e3}
    assert set(table[(x > 8) & (x < 52), 0]) == {16e3}
    assert [link.upper for link in span.mesh.links] == ["stitch", *["messenger"] * 7, "stitch"]
    clamp = int(np.argmin(np.abs(span.mesh.x - 8.0)))
    assert span.shape["stitch"][clamp, 0] == span.shape["messenger"][clamp, 0]
    assert span.shape["stitch"][0, 0] < span.shape["messenger"][0, 0] - 0.1
    assert np.isnan(span.shape["stitch"][clamp + 1, 0])


def test_two_contact_wires_share_the_load():
    wires = Wires(contact=CONTACT, messenger=replace(MESSENGER, tension=3e4), contact_count=2)
    span = spans_of(plain_line(spans=7, wires=wires))[3]
    one = spans_of(plain_line(spans=7))[3]
    np.testing.assert_allclose(span.tension[::2], span.tension[1::2], rtol=1e-9)
    # each dropper hangs 20 mm to the side over less than 1 m: 1/cos ≈ 1.0007
    np.testing.assert_allclose(span.tension[::2], one.tension, rtol=2e-3)
    apart = span.shape["contact2"][:, 2] - span.shape["contact"][:, 2]
    assert apart[[0, -1]] == pytest.approx(0.04)
    assert 0.02 < apart.min() < 0.035  # the droppers lean together and draw the wires closer


def test_compound_line_carries_the_contact_wire_in_two_storeys():
    span = spans_of(read_line("compound-25kv"))[6]
    lower = np.array([link.lower == "contact" for link in span.mesh.links])
    assert span.tension[lower].sum() == pytest.approx(50 * 1.51 * G, rel=2e-3)
    assert span.tension[~lower].sum() == pytest.approx(50 * (1.51 + 1.375) * G, rel=0.05)


def test_a_worn_wire_is_lighter_and_a_hard_spot_heavier():
    base = plain_line()
    worn = with_tension_length(base, worn_sections=(WornSection(start=120.0, end=180.0, remaining=0.8),))
    spot = with_tension_length(base, hard_spots=(HardSpot(position=150.0, mass=3.0),))
    total = [spans_of(line)[2].tension.sum() for line in (base, worn, spot)]
    assert total[1] == pytest.approx(0.8 * total[0], rel=0.02)  # the neighbours' share at the masts
    assert total[2] - total[0] == pytest.approx(3.0 * G, rel=1e-3)


def test_a_mast_can_differ_from_the_others():
    change = Mast(at=2, lift=0.1, stagger=0.05, messenger_stagger=0.02)
    line = with_tension_length(plain_line(support=STAGGERED), masts=(change,))
    span = spans_of(line)[2]
    assert span.shape["messenger"][0, 0] == pytest.approx(5.08 + 0.1 + 1.2)
    assert (span.shape["contact"][0, 2], span.shape["messenger"][0, 2]) == (0.05, 0.02)
    x = span.mesh.x[span.mesh.link_station]
    z = span.shape["contact"][span.mesh.link_station, 0]
    np.testing.assert_allclose(z, 5.08 + 0.1 * (1 - x / 60), atol=1e-9)


def test_overlap_hands_over_at_mid_span():
    """Both wires level at the middle of the overlap, each rising to its own side."""
    line = with_tension_length(
        plain_line(spans=7, support=STAGGERED),
        repeat=2,
        overlap=Overlap(spans=3, lift=0.15, end_lift=0.6, separation=0.4),
    )
    strung = string(line)
    assert strung.layout.n_spans == 11
    a, b = strung.layout.pieces
    middle = 5
    leaving, arriving = strung.span(a, middle), strung.span(b, middle)
    np.testing.assert_array_equal(leaving.mesh.x, arriving.mesh.x)
    x = leaving.mesh.x
    difference = leaving.shape["contact"][:, 0] - arriving.shape["contact"][:, 0]
    assert np.abs(difference[np.abs(x - 30.0) < 3]).max() < 0.004
    assert difference[-1] > 0.12
    assert difference[0] < -0.12
    np.testing.assert_allclose(difference, -difference[::-1], atol=1e-8)
    apart = leaving.shape["contact"][:, 2] - arriving.shape["contact"][:, 2]
    assert apart[[0, -1]] == pytest.approx(0.4)


def test_a_long_row_of_spans_is_strung_like_a_whole_one():
    """Beyond 40 spans each is strung among its neighbours; what is cut off must not be felt."""
    support = Support(encumbrance=1.2, stagger=0.2, steady_arm=SteadyArm(length=1.0, mass=1.5, rise=0.1))
    whole = spans_of(plain_line(spans=40, support=support))
    rowed = spans_of(plain_line(spans=41, support=support))
    for k in (0, 1, 5, 8):
        np.testing.assert_allclose(rowed[k].tension, whole[k].tension, rtol=1e-7)
        for role in ("contact", "messenger"):
            np.testing.assert_allclose(rowed[k].shape[role], whole[k].shape[role], atol=1e-7)
    assert rowed[10] is rowed[20]


def test_a_dropper_that_would_push_is_named():
    droppers = tuple(Dropper(position=x, sag=-0.15 if x == 30.0 else 0.0) for x in POSITIONS)
    line = with_tension_length(plain_line(), spans=(Span(length=60.0, count=3, droppers=droppers),))
    with pytest.raises(ModelError, match=r"T, span \d, dropper [46] at (23|36)\.5 m would have to push"):
        spans_of(line)


def test_crossing_wires_are_named():
    low = plain_line(support=Support(encumbrance=0.5))
    with pytest.raises(ModelError, match=r"T, span \d, dropper 5 at 30 m.*the wires cross"):
        spans_of(low)
    slack = Wires(contact=CONTACT, messenger=Wire(tension=5e3, mass_per_length=1.07))
    bare = (TensionLength(name="T", spans=(Span(length=60.0),)),)
    near = plain_line(wires=slack, tension_lengths=bare, support=Support(encumbrance=0.3))
    with pytest.raises(ModelError, match=r"T, span \d, at 30\.00 m.*the wires cross"):
        spans_of(near)


def test_static_shape_is_what_a_fitter_needs():
    strung = string(plain_line(spans=4))
    shape = static_shape(strung, spans=(1, 3))
    assert [wire.role for wire in shape.wires] == ["contact", "messenger"]
    assert shape.mast_x.tolist() == [60.0, 120.0, 180.0]
    table = shape.droppers
    assert table.names[0] == "T.span2 dropper 1 at 5 m"
    assert table.x.tolist() == [60.0 + x for x in POSITIONS] + [120.0 + x for x in POSITIONS]
    stretch = table.z_top - table.z_bottom - table.length
    np.testing.assert_allclose(stretch, table.tension / 1e5, rtol=1e-6)
