"""Repair list, probability and pages on made-up tension lengths: closed forms and enumeration, no runs."""

import itertools
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import norm

from panhead.assess import limits
from panhead.errors import FileError, ModelError
from panhead.explore.asbuilt import repair_work
from panhead.explore.asbuilt.compliance import (
    GeometryFinding,
    failure_probability,
    geometry_findings,
    sampled_probability,
    to_blame,
)
from panhead.explore.asbuilt.dynamic_cost import LimitedQuantity, PartCost, TensionLengthCost, TrainPassage
from panhead.explore.asbuilt.parts import BuiltPart
from panhead.explore.asbuilt.repair_list import RepairTrial, best_of, covariance_after, limit_effects
from panhead.explore.asbuilt.repair_programme import RepairAction, RepairItem, cheapest
from panhead.explore.asbuilt.repair_reasons import reasons
from panhead.explore.asbuilt.route_description import Route, RoutePart, TrainPass
from panhead.explore.asbuilt.route_pages import crew_page, manager_page
from panhead.explore.asbuilt.route_tables import culprits, merged_repairs, work_order

WORK = repair_work.CrewWork(name="turn", part="dropper length", step=0.002, most=5, cost=1.0, step_cost=0.1)
RENEW = repair_work.CrewWork(name="renew", part="dropper length", cost=2.0, spread=0.002)


def passage(sigma=40.0, limit=0.3):
    values = {"deviation": sigma, "actual_max": 200.0, "actual_min": 50.0, "uplift": 0.06, "mean_force": 100.0}
    return TrainPassage(values, (LimitedQuantity("deviation_ratio", sigma / 100.0, limit, "upper"),))


def test_the_probability_of_one_limit_is_the_normal_one():
    gradient = np.zeros((4, 2))
    gradient[0] = 300.0, 400.0  # N/m
    covariance = np.diag([0.01**2, 0.01**2])
    spread = np.hypot(3.0, 4.0) / 100.0
    found = failure_probability(passage(28.0), gradient, covariance)
    # 4096 draws: a standard deviation of 0.008
    assert found == pytest.approx(norm.cdf((0.28 - 0.3) / spread), abs=0.03)


def test_a_broken_limit_without_a_gradient_counts_as_it_stands():
    broken = TrainPassage(passage(20.0).values, (LimitedQuantity("contact_loss", 0.02, 0.01, "upper"),))
    assert failure_probability(broken, np.zeros((4, 1)), np.eye(1)) == 1.0


def test_work_that_gains_nearly_nothing_is_left_out_where_none_is_enough():
    """Limits hold with one item; 22 more take σ/F_m from 28 to 20 % and the probability from 12 to 9 %."""
    item = RepairItem(BuiltPart("dropper length", "d", (0, 0), 0.0, 1.0, 0.02), WORK, 1, 0.002, 1.1)
    trial = lambda count, sigma, chance: RepairTrial([item] * count, passage(sigma), chance, False)
    few, many, unsure, broken = trial(1, 28.0, 0.12), trial(23, 20.0, 0.09), trial(0, 29.0, 0.4), trial(0, 31.0, 1.0)
    assert best_of([broken, few, many, unsure]) is few
    assert best_of([broken, unsure, many]) is many
    assert best_of([broken]) is broken


def test_the_share_of_drawn_lines_beyond_a_limit():
    assert sampled_probability([passage(28.0), passage(31.0), passage(29.0), passage(33.0)]) == 0.5


def test_the_programme_finds_the_cheapest_list_of_all():
    rng = np.random.default_rng(4)
    parts = [BuiltPart("dropper length", f"d{k}", (0, k), 0.0, 1.0, 0.02) for k in range(4)]
    actions = [
        RepairAction(k, work, -0.002 if work is WORK else -0.02, 5 if work is WORK else 1)
        for k in range(4)
        for work in (WORK, RENEW)
    ]
    rows = rng.uniform(0.2, 1.0, (2, 4)) * 100.0
    need = np.array([2.5, 2.0])
    chosen = cheapest(actions, parts, rows, need, [])
    price = lambda y, n: sum(a.work.cost * i + a.work.step_cost * s for a, i, s in zip(actions, y, n, strict=True))
    best = np.inf
    for pick in itertools.product(range(7), repeat=4):  # nothing, 1 … 5 turns, a new one
        change = np.array([0.0 if p == 0 else -0.002 * p if p < 6 else -0.02 for p in pick])
        cost = sum(0.0 if p == 0 else 1.0 + 0.1 * p if p < 6 else 2.0 for p in pick)
        if (rows @ change <= -need).all():
            best = min(best, cost)
    assert price(*chosen) == pytest.approx(best)


def test_no_list_is_enough_if_the_limit_is_out_of_reach():
    parts = [BuiltPart("dropper length", "d", (0, 1), 0.0, 1.0, 0.02)]
    assert cheapest([RepairAction(0, WORK, -0.002, 5)], parts, np.array([[1.0]]), np.array([1.0]), []) is None


def test_a_part_that_must_be_adjusted_goes_all_the_way():
    parts = [BuiltPart("dropper length", "d", (0, 1), 0.0, 1.0, 0.01)]
    chosen = cheapest([RepairAction(0, WORK, -0.002, 5)], parts, np.zeros((1, 1)), np.array([-1.0]), [0])
    np.testing.assert_array_equal(chosen.ravel(), [1.0, 5.0])


def test_a_limit_without_a_gradient_is_moved_by_what_trials_found():
    """A stagger 0.12 m off takes 0.1 m of the room across the track: set as drawn it gives that back."""
    aside = BuiltPart("stagger", "m", (2, 0), 0.0, 0.2, 0.12, alarm=True)
    other = BuiltPart("dropper length", "d", (2, 1), 0.0, 1.0, 0.01)
    shown = TrainPassage(passage().values, (LimitedQuantity("lateral", 0.43, 0.4, "upper"),))
    costs = PartCost(aside, {}, "trial", {"lateral": 0.1}), PartCost(other, {}, "gradient")
    limits_, rows = limit_effects(TensionLengthCost("T", shown, shown, costs, np.ones((4, 2))))
    assert [limit.key for limit in limits_] == ["lateral"]
    np.testing.assert_allclose(rows, [[0.1 / 0.12, 0.0]])
    reset = repair_work.CrewWork(name="reset", part="stagger", step=0.01, most=30, cost=1.5)
    chosen = cheapest([RepairAction(0, reset, -0.01, 12)], [aside, other], rows, np.array([0.03]), [])
    assert chosen[1, 0] == 4.0  # 4 × 10 mm × 0.83 ≥ 30 mm


def test_what_cannot_be_mended_is_named_with_its_reason():
    part = BuiltPart("pre-sag", "T, pre-sag", (0, 0), 0.0, 0.0, 0.02, 0.002, 0.003)
    track = SimpleNamespace(parts=[part], covariance=np.eye(1) * 4e-6)
    broken = TrainPassage(passage().values, (LimitedQuantity("uplift", 0.13, 0.12, "upper", "", "uplift", "m"),))
    fine = TrainPassage(passage().values, (LimitedQuantity("uplift", 0.1, 0.12, "upper", "", "uplift", "m"),))
    cost = lambda drawn: TensionLengthCost("T", drawn, broken, (), np.ones((4, 1)))
    (drawn,) = reasons(track, cost(broken), [], broken, 1.0, 0.95)
    assert drawn == "uplift 130 mm (limit 120 mm): the line as drawn breaks it too; no adjustment can help"
    (left,) = reasons(track, cost(fine), [], broken, 1.0, 0.95)
    assert left.endswith("left as found: T, pre-sag")
    (chance,) = reasons(track, cost(fine), [], fine, 0.2, 0.95)
    assert "with a probability of 80 % only; most uncertain: T, pre-sag" in chance


def test_a_part_in_the_lists_of_two_neighbours_is_adjusted_once():
    own, near = assessment(), assessment("T2", 12300.0)
    near["repairs"] = [{**own["repairs"][0], "change": 0.034}]
    (item,) = merged_repairs([near, own])
    assert (item["length"], item["change"]) == ("T1", 0.034)


def test_a_new_dropper_is_as_uncertain_as_the_crew_sets_it():
    part = BuiltPart("dropper length", "d", (0, 1), 0.0, 1.0, 0.02)
    left = covariance_after(
        np.full((2, 2), 1e-4),
        [RepairItem(part, RENEW, 0, -0.02, 2.0)],
        [part, part.__class__("stagger", "m", (0, 0), 0.0, 0.2)],
    )
    np.testing.assert_allclose(left, [[4e-6, 0.0], [0.0, 1e-4]])


def test_words_of_a_crew():
    part = BuiltPart("dropper length", "T, span 3, dropper 4", (2, 4), 12150.0, 1.05, 0.006)
    assert RepairItem(part, WORK, -3, -0.006, 1.3).words == "turn: 3 turns shorter"
    notch = repair_work.CrewWork(name="set", part="dropper length", unit="notch of 5 mm", step=0.005, cost=1.0)
    assert RepairItem(part, notch, 2, 0.01, 1.0).words == "set: 2 notches of 5 mm longer"
    assert RepairItem(part, RENEW, 0, -0.006, 2.0).words == "renew: 1050 mm as drawn"


def test_geometry_limits_are_those_of_the_edition():
    low = BuiltPart("dropper length", "d", (2, 4), 0.0, 1.0, level=5.02, level_drawn=5.09)
    aside = BuiltPart("stagger", "m", (2, 0), 0.0, 0.2, 0.4, level=5.1, level_drawn=5.1)
    lifted = BuiltPart("dropper length", "e", (0, 1), 0.0, 1.0, level=5.6, level_drawn=5.6)
    found = geometry_findings(limits.read("no-trv"), 5.1, [low, aside, lifted])
    assert (found[0].part.name, found[0].quantity, found[0].level) == ("d", "contact_height", "maintenance")
    assert {f.part.name for f in found} == {"d", "m"}


def test_a_low_wire_is_blamed_on_named_parts_near_it_and_on_tensions():
    near = BuiltPart("support height", "m", (2, 0), 40.0, 5.1, alarm=True)
    far = BuiltPart("dropper length", "d", (9, 1), 500.0, 1.0, alarm=True)
    fine = BuiltPart("dropper length", "e", (0, 1), 10.0, 1.0)
    slack = BuiltPart("messenger tension", "t", (0, 0), 0.0, 16e3, alarm=True)
    finding = GeometryFinding(fine, "maintenance", "contact_height", 5.05, 5.07, "clause")
    assert to_blame([near, far, fine, slack], [finding]) == [0, 3]
    assert to_blame([near, far, fine, slack], []) == []


def test_the_shipped_work_is_read_and_another_name_refused():
    assert repair_work.read("repair-work").currency == "crew hours"
    with pytest.raises(FileError, match="repair-work"):
        repair_work.read("repair-wrok")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"part": ()}, "no part"),
        ({"probability": 1.0}, "probability"),
        ({"run": {"line": "x"}}, "line follows from the route"),
    ],
)
def test_a_wrong_route_is_refused_by_name(change, words):
    good = {"part": (RoutePart(line="x", passes=(TrainPass(file="a.csv"),)),), "run": {}}
    with pytest.raises(ModelError, match=words):
        Route(**{**good, **change})


def assessment(name="T1", begin=12000.0, probability=0.9):
    """What one tension length's file holds."""
    part = {
        "kind": "dropper length", "name": f"{name}, span 3, dropper 4", "label": f"{name}, span 3, dropper 4",
        "place": [2, 4],
        "x": begin + 120.0, "drawn": 1.0, "deviation": -0.03, "spread": 0.003, "prior": 0.01, "slack": False,
        "level": 5.09, "level_drawn": 5.07, "alarm": True,
    }  # fmt: skip
    one = passage()
    plain = {"values": dict(one.values), "limits": []}
    after = {"values": {**one.values, "deviation": 29.0}, "limits": [], "count": 1}
    item = {"part": part, "work": "renew", "words": "renew: 1000 mm as drawn", "steps": 0, "change": 0.03, "cost": 2.0}
    return {
        "name": name, "begin": begin, "end": begin + 450.0, "rms": 2e-3, "used": 900, "notes": ["1 outlier"],
        "parts": 80, "profile": [[begin, 5.08, 5.08], [begin + 120.0, 5.07, 5.09]],
        "probability": probability, "drawn": plain, "built": plain, "geometry": [], "after": [after], "enough": True,
        "culprits": [{"part": part, "share": {"deviation": 4.0, "uplift": 0.001}, "by": "trial", "relative": 0.1}],
        "worlds": {"both": [], "geometry only": [], "dynamics only": [part["label"]]}, "repairs": [item],
        "after_probability": 0.01, "repair_notes": [], "verified": {"passage": after, "geometry": []},
    }  # fmt: skip


def test_the_managers_page_names_what_does_not_comply_and_the_crews_what_to_do():
    found = [assessment(), assessment("T2", 12300.0, 0.0) | {"repairs": [], "after": []}]
    manager = manager_page("route", found, 0.95, "crew hours")
    assert manager.verdict.sentence == "1 of 2 tension lengths do not comply with 95 % probability"
    assert manager.verdict.details[0] == "1 by the run of the train, 0 by geometry limits only"
    assert "1 adjustment, 2.0 crew hours, bring 1 tension length back" in manager.verdict.details[1]
    crew = crew_page("route", found, "crew hours")
    assert crew.verdict.sentence == "1 adjustment, 2.0 crew hours"
    assert work_order(found).rows[0][:5] == [1, "T1", "T1, span 3, dropper 4", "dropper length", 12120.0]
    assert culprits(found).rows[0][1] == "T1, span 3, dropper 4"
    assert len(crew.sections) == 2
