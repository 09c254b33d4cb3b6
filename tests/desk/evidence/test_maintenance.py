"""Upkeep read off a run: which droppers, cells and supports; what is told of each has ``test_hand_made_record``."""

import csv

import numpy as np
import pytest

from panhead.desk.evidence.maintenance import (
    DropperFatigue,
    Upkeep,
    dropper_lives,
    missed_range,
    uplift_rooms,
    wear_along,
)
from panhead.desk.evidence.maintenance_page import read_upkeep, upkeep_page
from panhead.desk.reports.render import html
from panhead.errors import FileError
from panhead.files import results

from .test_result_commands import invoke


def test_droppers_of_the_judged_part_by_their_damage(stored):
    result = results.load(stored["fast"])
    lives = dropper_lives(result, DropperFatigue())
    assert len(lives) == 18  # nine in each of two spans
    assert [life.passages for life in lives] == sorted(life.passages for life in lives)
    worst = lives[0]
    k = list(result["dropper_name"].to_numpy()).index(worst.name)
    assert worst.largest == pytest.approx(np.ptp(result["dropper_force"].to_numpy()[:, k]))  # no cycle is larger
    assert worst.slackenings == (result["slack_dropper"].to_numpy() == k).sum()


def test_what_the_samples_miss_of_a_peak_is_told(stored):
    """A peak of 100 N on the largest range that no sample shows is told as its share, with the remedy."""
    result = results.load(stored["fast"]).copy(deep=True)
    force = result["dropper_force"].to_numpy()
    result["dropper_max_force"].values[:], result["dropper_min_force"].values[:] = force.max(axis=0), force.min(axis=0)
    assert missed_range(result) == 0.0
    k = int(np.ptp(force, axis=0).argmax())
    result["dropper_max_force"].values[k] += 100.0
    assert missed_range(result) == pytest.approx(100.0 / (np.ptp(force[:, k]) + 100.0))
    assert "numerics.keep=" in html(upkeep_page(result, Upkeep(), stored["fast"]))


def test_wear_along_the_wire_is_that_of_its_cells(stored):
    result = results.load(stored["fast"])
    upkeep = Upkeep(cell=20.0)
    x, wear = wear_along(result, upkeep)
    np.testing.assert_allclose(x, np.arange(190.0, 300.0, 20.0), atol=0.1)
    steady = result.assign(contact_force=result["contact_force"] * 0.0 + 100.0)
    rubbed, heated = 0.6 * 100 / 120 / 0.8**0.5, 0.4 * 0.6**2 * 1.2**0.5 * 55 / (280 / 3.6)  # 300 A of 500 A
    np.testing.assert_allclose(wear_along(steady, upkeep)[1], rubbed + heated, rtol=1e-9)
    assert wear.max() > wear.min() > 0.0


def test_room_for_uplift_is_told_where_the_line_has_it(stored):
    result = results.load(stored["fast"])
    assert uplift_rooms(result)[0].factor is None
    roomy = uplift_rooms(result.assign_attrs(uplift_space=0.12))
    assert roomy[0].uplift == max(room.uplift for room in roomy)
    assert roomy[0].factor == pytest.approx(0.12 / roomy[0].uplift)


def test_the_page_and_its_laws(stored, tmp_path):
    laws = tmp_path / "laws.toml"
    laws.write_text('current = "700 A"\nsources = ["test rig"]\n[wear]\nfriction = 0.9\n[dropper]\narea = "16 mm**2"\n')
    upkeep = read_upkeep(str(laws))
    assert (upkeep.current, upkeep.wear.friction, upkeep.dropper.area) == (700.0, 0.9, pytest.approx(16e-6))
    page = html(upkeep_page(results.load(stored["fast"]), upkeep, stored["fast"]))
    assert "test rig" in page
    said = invoke("maintain", stored["fast"], "--laws", laws, "--current", "200 A", "--out", tmp_path / "m.html")
    assert "wear index" in said
    rows = list(csv.DictReader((tmp_path / "m.csv").read_text().splitlines()))
    assert len(rows) == 18
    laws.write_text("[wear]\nfrictoin = 1.0\n")
    with pytest.raises(FileError, match="frictoin"):
        read_upkeep(str(laws))
