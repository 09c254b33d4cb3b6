"""A measurement made of known curves beside a run: shift, filter, bands and uplifts come out as they were put in."""

import numpy as np
import pytest
import xarray as xr

from desk.evidence.test_result_commands import invoke
from panhead.desk.evidence.measured_comparison import compare_with_measured
from panhead.desk.evidence.measured_page import alignment_words, measured_page
from panhead.desk.evidence.measured_table import read_measured
from panhead.errors import FileError, ModelError
from panhead.files import results
from panhead.files.chainage import format_chainage
from panhead.railway.line.line_places import MastPlaces

TIMES = np.arange(1, 12001) * 1e-3
SPEED = 50.0
MASTS = np.arange(0.0, 601.0, 50.0)
SLOW, FAST = (1.5, 30.0), (8.0, 10.0)  # frequency [Hz] and amplitude [N]


def force_at(x):
    """A line of 120 N with a slow and a fast part, and a bump that no other span has."""
    waves = sum(size * np.sin(2 * np.pi * f * x / SPEED) for f, size in (SLOW, FAST))
    return 120.0 + waves + 20.0 * np.exp(-(((x - 333.0) / 6.0) ** 2))


def run():
    x = SPEED * TIMES
    return xr.Dataset(
        {
            "contact_force": ("time", force_at(x)),
            "contact_x": ("time", x),
            "mast_x": ("mast", MASTS),
            "support_x": ("support", MASTS),
            "support_name": ("support", [f"7-{k:02d}" for k in range(MASTS.size)]),
            "support_uplift": ("support", 0.05 + 0.0 * MASTS),
        },
        {"time": TIMES},
        {"judged_from": 1.0, "judged_to": 11.0, "chainage": 7000.0},
    )


def write(path, x, force, head="chainage;force\nkm;N\n"):
    rows = "".join(f"{a / 1e3:.6f};{b:.4f}\n".replace(".", ",") for a, b in zip(x, force, strict=True))
    path.write_text(head + rows)
    return path


def read(path):
    return read_measured(path, MastPlaces.from_result(run()), SPEED)


def by_name(found):
    return {one.name: one for one in found.numbers}


def test_the_same_curve_agrees(tmp_path):
    """By chainage: 7 km + x. Interpolated every 0.1 m and rounded to 1 mm: means to 0.01 N, σ to a promille."""
    x = np.arange(20.0, 580.0, 0.1)
    found = compare_with_measured(run(), read(write(tmp_path / "m.csv", 7000.0 + x, force_at(x))))
    numbers = by_name(found)
    assert found.shift == 0.0
    assert found.correlation > 0.9999
    for name in ("mean force", "standard deviation", "largest force", "smallest force"):
        assert numbers[name].computed == pytest.approx(numbers[name].measured, rel=1e-3)
    assert numbers["standard deviation"].agrees
    assert (found.x[0], found.x[-1]) == pytest.approx((50.0, 550.0), abs=0.1)  # what is assessed


def test_curves_that_do_not_follow_place_by_place_are_no_good_news(tmp_path):
    """Equal statistics from 7 m away: σ agrees, and the page was green."""
    x = np.arange(20.0, 560.0, 0.1)
    found = compare_with_measured(run(), read(write(tmp_path / "m.csv", 7000.0 + x, force_at(x + 7.0))))
    places = MastPlaces.from_result(run())
    verdict = measured_page(found, places, tmp_path / "r.nc", tmp_path / "m.csv").verdict
    assert by_name(found)["standard deviation"].agrees
    assert verdict.mood == "warning"
    assert "check the chainage, or find a shift with --align correlation" in verdict.beside[0][1]


def test_bands_hold_what_was_put_in(tmp_path):
    """σ of a sine is its amplitude over √2: 21.2 N below 2 Hz, 7.07 N from 5 to 20 Hz. The bump adds to the first."""
    x = np.arange(20.0, 580.0, 0.1)
    flat = force_at(x) - 20.0 * np.exp(-(((x - 333.0) / 6.0) ** 2))
    numbers = by_name(compare_with_measured(run(), read(write(tmp_path / "m.csv", 7000.0 + x, flat))))
    assert numbers["σ from 0 to 2 Hz"].measured == pytest.approx(SLOW[1] / np.sqrt(2), rel=0.02)
    assert numbers["σ from 5 to 20 Hz"].measured == pytest.approx(FAST[1] / np.sqrt(2), rel=0.02)
    assert numbers["σ from 0 to 2 Hz"].computed > numbers["σ from 0 to 2 Hz"].measured


@pytest.mark.parametrize("shift", [-7.3, 0.0, 3.7])
def test_correlation_finds_the_shift(tmp_path, shift):
    """Chainage off by a few metres, noise of 10 N: found to 0.1 m; aligned by chainage the curves differ."""
    x = np.arange(20.0, 580.0, 0.25)
    noisy = force_at(x) + np.random.default_rng(1).normal(0.0, 10.0, x.size)
    table = read(write(tmp_path / "m.csv", 7000.0 + x - shift, noisy))
    found = compare_with_measured(run(), table, align="correlation")
    assert found.shift == pytest.approx(shift, abs=0.1)
    if shift:
        plain = compare_with_measured(run(), table)
        assert plain.correlation < 0.8 < found.correlation
        told = [" ".join(alignment_words(one, MastPlaces.from_result(run()))) for one in (plain, found)]
        assert ["--align correlation" in words for words in told] == [plain.correlation < 0.5, False]


def test_a_shift_of_any_size_may_be_asked_for(tmp_path):
    """Only shifts at which the two meet are tried: 1e12 m in steps of 0.1 m would need 150 TB; a far place as well."""
    x = np.arange(20.0, 580.0, 0.5)
    path = write(tmp_path / "m.csv", 7000.0 + x + 20.0, force_at(x))
    found = compare_with_measured(run(), read(path), align="correlation", most=1e12)
    assert found.shift == pytest.approx(-20.0, abs=0.02)
    far = write(tmp_path / "far.csv", np.append(7000.0 + x, 1e12), np.append(force_at(x), 100.0))
    assert compare_with_measured(run(), read(far), align="correlation").shift == pytest.approx(0.0, abs=0.02)


def test_both_pass_one_filter(tmp_path):
    """40 Hz of 50 N in the measurement: the filter leaves 1/(1 + (40/23.2)⁶) of it, and σ within one percent."""
    x = np.arange(20.0, 580.0, 0.05)
    hum = 50.0 * np.sin(2 * np.pi * 40.0 * x / SPEED)
    table = read(write(tmp_path / "m.csv", 7000.0 + x, force_at(x) + hum))
    sigma = by_name(compare_with_measured(run(), table))["standard deviation"]
    assert sigma.measured == pytest.approx(sigma.computed, rel=0.01)
    open_ = by_name(compare_with_measured(run(), table, cutoff=100.0))["standard deviation"]
    assert open_.measured > 1.5 * open_.computed


def test_times_need_a_correlation(tmp_path):
    x = np.arange(100.0, 500.0, 0.25)
    text = "time [s];Kontaktkraft [N]\n" + "".join(f"{a / SPEED};{b}\n" for a, b in zip(x, force_at(x), strict=True))
    (tmp_path / "m.csv").write_text(text)
    with pytest.raises(ModelError, match="--align correlation"):
        compare_with_measured(run(), read(tmp_path / "m.csv"))
    found = compare_with_measured(run(), read(tmp_path / "m.csv"), align="correlation")
    assert found.shift == pytest.approx(100.0, abs=0.1)


def test_uplifts_by_mast_chainage_and_place(tmp_path):
    for rows in ("mast;uplift [mm]\n7-03;62\n", "chainage;uplift [mm]\n7+150;62\n", "place [m];uplift [mm]\n150;62\n"):
        (tmp_path / "u.csv").write_text(rows)
        ((where, one),) = compare_with_measured(run(), read(tmp_path / "u.csv")).uplifts
        assert where == "km 7+150 (150.0 m), mast 7-03"
        assert (one.measured, one.computed, one.agrees) == (0.062, 0.05, True)
    (tmp_path / "u.csv").write_text("place [m];uplift [mm]\n120;62\n")
    with pytest.raises(ModelError, match=r"no support at km 7\+120"):
        compare_with_measured(run(), read(tmp_path / "u.csv"))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("place [m];stress [N]\n1;2\n", "no column force or uplift"),
        ("force [N];y\n100;1\n", "force needs a column place, chainage or time"),
        ("place [m];force\n1;100\n2;120\n", "its unit is missing"),
        ("uplift [mm];y\n50;1\n", "uplift needs a column mast"),
    ],
)
def test_what_is_missing_is_named(tmp_path, text, words):
    (tmp_path / "m.csv").write_text(text)
    with pytest.raises(FileError, match=words):
        read(tmp_path / "m.csv")


def test_nothing_in_common(tmp_path):
    x = np.arange(20.0, 580.0, 0.5)
    with pytest.raises(ModelError, match="no second in common"):
        compare_with_measured(run(), read(write(tmp_path / "m.csv", x, force_at(x))))  # metres taken for chainages


def test_the_command(stored, tmp_path, monkeypatch, capsys):
    """A run beside its own force, under German heads and in Windows-1252: it agrees, and the page shows both."""
    monkeypatch.chdir(tmp_path)
    one = results.load(stored["slow"]).isel(pantograph=0)
    x, force = one["contact_x"].to_numpy()[::5], one["contact_force"].to_numpy()[::5]
    rows = "".join(f"{format_chainage(a, 3)[3:]};{b:.3f}\n".replace(".", ",") for a, b in zip(x, force, strict=True))
    (tmp_path / "m.csv").write_bytes(f"Kilometrierung;Kraft größte\n{rows}".encode("cp1252"))
    named = ("--columns", "Kraft größte=force", "--units", "force=N", "--pantograph", "1")
    with pytest.warns(Warning, match="Windows-1252"):
        told = invoke("compare", str(stored["slow"]), "m.csv", "--align", "correlation", "--most", "10 m",
                      "--cutoff", "20 Hz", "--out", "page.html", *named)  # fmt: skip
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "1 of 1 judged numbers agree" in page
    assert "Contact force, computed and measured" in page
    assert "standard deviation" in str(told) + capsys.readouterr().out


def test_results_side_by_side_name_masts(stored):
    """The ten supports lifted most, largest first, each with the uplift of both results in millimetres."""
    from panhead.desk.evidence.result_comparison import compare_page
    from panhead.desk.evidence.result_reader import read_run_results

    page = compare_page(read_run_results(list(stored.values())))
    (table,) = [
        block for section in page.sections for block in section.blocks
        if getattr(block, "title", "") == "Supports lifted most"
    ]  # fmt: skip
    one = results.load(stored["slow"])
    lift = 1e3 * np.nanmax(one["support_uplift"].to_numpy())
    values = [max(float(cell) for cell in row[1:] if cell != "–") for row in table.rows]
    assert values == sorted(values, reverse=True)
    assert max(float(row[1]) for row in table.rows if row[1] != "–") == pytest.approx(lift, rel=5e-3)  # three digits
    assert all(" m" in row[0] for row in table.rows)
