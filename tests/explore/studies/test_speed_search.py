"""Highest speed of a run, with what decides it."""

from panhead.explore.studies.speed_search import highest_speed

RUN = """
kind = "run"
line = "en50318-2002"
standard = "en50119-2009"
speed = "200 km/h"
line_changes = { tension_lengths = [{ name = "T", spans = [{ length = "50 m", count = 8, dropper_count = 7 }] }] }
train = [{ pantograph = "en50318-2002" }]
journey = { judged_from = "150 m", judged_to = "250 m", stop = "260 m", ramp = "0.5 s", run_in = "60 m" }
numerics = { coarse = true }
"""


def test_the_wave_speed_ends_what_the_force_allows(tmp_path):
    """0.7 c of the reference line is 306.7 km/h: 200 km/h meets every limit of EN 50119, 330 km/h does not."""
    (tmp_path / "run.toml").write_text(RUN)
    found = highest_speed(str(tmp_path / "run.toml"), tmp_path / "out", first=200, last=330, steps=2, error=1.0)
    assert (found.met, found.missed) == (200.0, 330.0)
    assert found.decided_by
    assert found.low is None or found.low <= found.missed
