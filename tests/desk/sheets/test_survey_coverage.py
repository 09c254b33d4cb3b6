"""The survey of a line that other equations have strung: found lengths lie within the bars that are told.

Heights come from finite differences (``wire_statics``) or from the cables of large deflection, never from what is
fitted; errors are independent, alike over some distance, or common to all heights.
"""

from dataclasses import replace

import numpy as np
import pytest
from railway.line.builders import CONTACT, MESSENGER, POSITIONS, plain_line, with_tension_length

from panhead.desk.sheets.survey_fit import Survey, combine_passes, fit_survey
from panhead.desk.sheets.survey_noise import whitening_matrix
from panhead.railway.line import Dropper, Span, Wires, string
from panhead.runs.cables.cable_wires import cables_of
from panhead.runs.cables.cables_statics import hang

from .wire_statics import TwoWires

SPANS, SURVEYS = 3, 12
#: every span [m]: 1.2 m less the messenger's sag, as a fitter would have them
LENGTHS = np.tile([0.995, 0.826, 0.680, 0.592, 0.563, 0.592, 0.680, 0.826, 0.995], SPANS)
WIRES = TwoWires(
    span=60.0, spans=SPANS, positions=POSITIONS, height=5.08, encumbrance=1.2,
    contact=(20e3, 195.0, 1.35), messenger=(16e3, 131.7, 1.07), stiffness=1e5,
)  # fmt: skip
X = np.arange(0.0, 60.0 * SPANS + 0.1, 0.25)
#: 95 % of the truths should lie within 1.96 deviations. Neighbouring lengths are correlated, which doubles the variance
#: of the count: three of its deviations below; above, bars may be a little long, since the drawing is trusted less
#: (10 mm) than it deserves (3 mm), but not useless.
COVERED = (0.95 - 3 * np.sqrt(2 * 0.95 * 0.05 / (SURVEYS * LENGTHS.size)), 0.99)


def drawn(lengths=LENGTHS, **changes):
    cut = [Dropper(position=p, length=float(v)) for p, v in zip(POSITIONS * SPANS, lengths, strict=True)]
    n = len(POSITIONS)
    spans = tuple(Span(length=60.0, droppers=tuple(cut[n * k : n * k + n])) for k in range(SPANS))
    return with_tension_length(plain_line(**changes), spans=spans)


def along(rng, alike):
    """Normal errors of deviation 1 at X; ``alike``: [m] over which they are."""
    free, kept = rng.standard_normal(X.size), np.exp(-0.25 / alike) if alike else 0.0
    for k in range(1, X.size):
        free[k] = kept * free[k - 1] + np.sqrt(1 - kept**2) * free[k]
    return free


def surveyed(rng, noise, alike=0.0):
    """Lengths that scatter by 3 mm, and a survey of them."""
    true = LENGTHS + rng.normal(0.0, 3e-3, LENGTHS.size)
    return true, Survey(X, np.interp(X, WIRES.x, WIRES.heights(true)) + noise * along(rng, alike))


def shares(fit, true):
    return np.array([(d.length - x) / d.deviation for d, x in zip(fit.droppers, true, strict=True)])


def test_both_strung_shapes_are_one():
    """0.3 mm: finite differences of 5 cm round the bend at a clamp (0.1 m, where the wire rises by 0.2 mm) off."""
    true, survey = surveyed(np.random.default_rng(1), 0.0)
    fit = fit_survey(drawn(), survey, tolerance=0.05)
    assert fit.rms < 3e-4
    np.testing.assert_allclose([d.length for d in fit.droppers], true, atol=6e-4)


@pytest.mark.parametrize(
    ("alike", "noise"), [(0.0, 2e-3), (1.0, 2e-3), (0.0, 5e-3)], ids=["as told", "alike over 1 m", "larger than told"]
)
def test_the_bars_that_are_told_cover_the_truth(alike, noise):
    """2 mm of independent noise are told in every case; taken at its word, 1 m left 55 % inside."""
    rng, found = np.random.default_rng(29), []
    for _ in range(SURVEYS):
        true, survey = surveyed(rng, noise, alike)
        found.append(shares(fit_survey(drawn(), survey, noise=2e-3), true))
    inside = np.mean(np.abs(found) < 1.96)
    assert COVERED[0] < inside < COVERED[1]


def test_an_offset_of_all_heights_is_covered_if_it_is_told():
    """No survey shows it: the messenger hangs where it was drawn. In the middle span, far from the held ends, the bars
    become √(5² + 1.2²) mm and no longer.
    """
    rng = np.random.default_rng(5)
    true, survey = surveyed(rng, 2e-3)
    higher = lambda by: replace(survey, height=survey.height + by)
    inside = lambda fit: np.mean(np.abs(shares(fit, true)) < 1.96)
    assert inside(fit_survey(drawn(), higher(0.005))) < 0.2
    told = fit_survey(drawn(), higher(0.005), bias=0.005)
    assert inside(told) > COVERED[0]
    assert np.median([d.deviation for d in told.droppers[9:18]]) == pytest.approx(5.1e-3, rel=0.05)


def test_neighbours_of_another_pass_are_none():
    """Two passes, each alike over 2 m: merged by place, their errors do not look alike, and bars would be short."""
    rng = np.random.default_rng(8)
    true, one = surveyed(rng, 2e-3, 2.0)
    other = replace(one, height=np.interp(X, WIRES.x, WIRES.heights(true)) + 2e-3 * along(rng, 2.0))
    both = fit_survey(drawn(), combine_passes([one, other]))
    assert both.noises[0].length == pytest.approx(2.0, rel=0.5)  # 1400 errors, some 90 that know nothing of another
    ratio = [b.deviation / a.deviation for a, b in zip(fit_survey(drawn(), one).droppers, both.droppers, strict=True)]
    assert np.median(ratio) == pytest.approx(0.5**0.5, rel=0.2)  # the noise is estimated anew


def test_what_is_white_has_no_neighbours():
    """W C Wᵀ = 1 for places in any order, two passes and one place seen twice."""
    x, passes = np.array([0.0, 2.0, 0.5, 0.5, 3.0, 1.0]), np.array([0, 0, 0, 1, 1, 1])
    alike = np.exp(-np.abs(x[:, None] - x) / 0.7) * (passes[:, None] == passes)
    W = whitening_matrix(x, passes, 0.7).toarray()
    np.testing.assert_allclose(W @ alike @ W.T, np.eye(6), atol=1e-12)


def test_the_survey_of_cables_gives_the_lengths_they_hang_by():
    """Within 0.5 mm: cables have H as their mean tension, which is 3.3e-4 less pull and 0.22 mm more of 0.67 m of sag.

    Cables weigh μ for each metre of the tensioned wire, stringing for each metre of the wire at rest: μ/(1 + H/EA).
    """
    stretched = [
        (replace(wire, axial_stiffness=EA), replace(wire, axial_stiffness=EA, mass_per_length=mass))
        for wire, EA, mass in ((CONTACT, 1.2e7, 1.35 / (1 + 20e3 / 1.2e7)), (MESSENGER, 7e6, 1.07 / (1 + 16e3 / 7e6)))
    ]
    at_rest, tensioned = (Wires(contact=c, messenger=m) for c, m in zip(*stretched, strict=True))
    true = LENGTHS + np.random.default_rng(3).normal(0.0, 3e-3, LENGTHS.size)
    cables = cables_of(string(drawn(true, wires=tensioned)), element_length=0.5, mast_elements=3)
    rest = hang(cables, (0.0, 0.0, -9.81))
    nodes = range(len(cables.contact.nodes))
    x, z = (np.array([rest.places[f"contact.{k}{axis}"] for k in nodes]) for axis in "xz")
    fit = fit_survey(drawn(wires=at_rest), Survey(x, z), noise=2e-3, tolerance=0.05)
    np.testing.assert_allclose([d.length for d in fit.droppers], true, atol=5e-4)
