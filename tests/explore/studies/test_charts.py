"""Factors in full as curves: over the input of most numbers, one for each value of the others."""

import itertools

import numpy as np
import xarray as xr

from panhead.desk.drawing import figures
from panhead.explore.studies.study_charts import curves


def compared(*factors, limit) -> xr.Dataset:
    """Two pantographs; the mean force is the first factor's place plus ten times the second's."""
    rows = list(itertools.product(*factors))
    number = [[float(v.split()[0]) if v[0].isdigit() else np.nan for v in row] for row in rows]
    force = np.array([factors[0].index(a) + 10.0 * factors[1].index(b) for a, b in rows])
    both = np.stack([force, force + 1.0], axis=1)[:, :, None]
    limits = np.broadcast_to(np.array([limit(row) for row in rows])[:, None, None], both.shape)
    names = ("sample", "pantograph", "criterion")
    return xr.Dataset(
        {
            "value": (names, both),
            "limit": (names, limits),
            "failed": (names, both > limits),
            "input": (("sample", "varied"), np.array(rows)),
            "number": (("sample", "varied"), np.array(number)),
            "criterion_name": ("criterion", ["mean force"]),
            "criterion_unit": ("criterion", ["N"]),
        },
        {"criterion": ["mean_force"], "pantograph": ["front", "rear"], "varied": ["speed", "behind"]},
    )


def test_curves_run_over_the_factor_of_most_values():
    behind = ["200 m", "85 m", "100 m"]
    picture = curves(compared(["50 m/s", "60 m/s"], behind, limit=lambda row: 40.0))
    front, rear = picture.chart.panels
    assert figures.without_unit(picture.chart) == []
    assert (front.title, rear.title, front.x_label) == ("front", "rear", "behind (m)")
    assert [s.label for s in front.strokes] == ["50 m/s", "60 m/s", "limit"]
    for k, stroke in enumerate(rear.strokes[:2]):
        assert stroke.x.tolist() == [85.0, 100.0, 200.0]
        assert stroke.y.tolist() == [11.0 + k, 21.0 + k, 1.0 + k]
    assert rear.strokes[2].y.tolist() == [40.0] * 3
    assert front.y_limits == rear.y_limits


def test_a_limit_that_differs_has_the_colour_of_its_curve():
    index = compared(["50 m/s", "60 m/s"], ["85 m", "100 m", "200 m"], limit=lambda row: float(row[0][:2]))
    strokes = curves(index).chart.panels[0].strokes
    assert [s.color for s in strokes[2:]] == [s.color for s in strokes[:2]]
    assert [s.y.tolist() for s in strokes[2:]] == [[50.0] * 3, [60.0] * 3]


def test_words_are_grouped():
    """Over numbers if there are any, however few; words alone are numbered, and told."""
    mixed = curves(compared(["50 m/s", "60 m/s"], ["stiff", "soft", "worn"], limit=lambda row: np.nan))
    assert mixed.chart.panels[0].x_label == "speed (m/s)"
    assert [s.label for s in mixed.chart.panels[0].strokes] == ["stiff", "soft", "worn"]
    words = curves(compared(["old", "new"], ["stiff", "soft", "worn"], limit=lambda row: np.nan))
    assert [s.label for s in words.chart.panels[0].strokes] == ["old", "new"]
    assert words.chart.panels[0].strokes[0].x.tolist() == [1.0, 2.0, 3.0]
    assert words.caption.startswith("1: stiff; 2: soft; 3: worn.")


def test_inputs_are_said_in_words():
    from panhead.explore.studies.study_description import in_words

    assert in_words("train.1.behind") == "distance of pantograph 2 behind the first"
    assert in_words("train.0.changes.static_force") == "static force of pantograph 1"
    assert in_words("speed") == "speed"
