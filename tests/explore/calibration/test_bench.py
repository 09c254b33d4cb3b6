"""Identification of a head: derivative, closed form of one mass, refusals, the file that is written."""

import numpy as np
import pytest

from panhead.errors import FileError, ModelError
from panhead.explore.calibration.bench_files import identify_file, read_bench
from panhead.explore.calibration.bench_identification import identify, receptance
from panhead.railway.pantograph.lumped_pantograph import read_pantograph

F = np.linspace(0.5, 25.0, 60)
OMEGA = 2.0 * np.pi * F
TWO = np.array([7.2, 15.0, 4200.0, 50.0, 10.0, 90.0])  # EN 50318:2002


def test_the_receptance_of_one_mass_is_the_closed_form():
    R = receptance(np.array([5.0, 800.0, 30.0]), OMEGA)[0]
    np.testing.assert_allclose(R, 1.0 / (800.0 + 30.0j * OMEGA - 5.0 * OMEGA**2), rtol=1e-12)


def test_its_derivative_is_that_of_differences():
    exact = receptance(TWO, OMEGA)[1]
    for k in range(6):
        ahead, back = (TWO * np.exp(sign * 1e-5 * np.eye(6)[k]) for sign in (1, -1))
        slope = (receptance(ahead, OMEGA)[0] - receptance(back, OMEGA)[0]) / 2e-5
        np.testing.assert_allclose(exact[:, k], slope, atol=1e-7 * np.abs(exact[:, k]).max())


def test_two_masses_are_found_without_noise():
    found = identify(F, receptance(TWO, OMEGA)[0], 2)
    np.testing.assert_allclose(np.concatenate([found.mass, found.stiffness, found.damping]), TWO, rtol=1e-5)
    with pytest.raises(ModelError, match="5 frequencies are too few for 6"):
        identify(F[:5], F[:5] * 1j, 2)
    with pytest.raises(ModelError, match="1 frequencies are too few for 6"):
        identify(np.full(60, 3.0), receptance(TWO, OMEGA)[0], 2)


def write(path, response, heads="frequency,inertance,phase\nHz,m/s**2/N,deg\n"):
    rows = (f"{f:.6g},{abs(h):.8g},{np.degrees(np.angle(h)):.6g}\n" for f, h in zip(F, response, strict=True))
    path.write_text(heads + "".join(rows))
    return path


def test_a_file_becomes_a_pantograph(tmp_path):
    rng = np.random.default_rng(3)
    noise = 1.0 + 0.01 * (rng.standard_normal(F.size) + 1j * rng.standard_normal(F.size))
    bench = write(tmp_path / "bench.csv", -receptance(TWO, OMEGA)[0] * (1j * OMEGA) ** 2 * noise)
    words, page = identify_file(bench, 2, "measured head", 60.0, tmp_path / "head.toml")
    found = read_pantograph(tmp_path / "head.toml")
    assert [s.mass for s in found.stages] == pytest.approx([7.2, 15.0], rel=0.05)
    assert any("opposite directions" in line for line in words)
    assert "reproduce the response" in page.read_text()


def test_a_response_in_the_wrong_unit_is_told(tmp_path):
    """Millimetres under m/N give masses of grams."""
    bench = write(tmp_path / "bench.csv", 1e3 * receptance(TWO, OMEGA)[0], "frequency,receptance,phase\nHz,m/N,deg\n")
    words, page = identify_file(bench, 2, "head", 60.0, tmp_path / "head.toml")
    assert any("0.0072 kg is below the plausible minimum" in line and "check its unit" in line for line in words)
    assert "below the plausible minimum" in page.read_text()


def test_bad_tables_are_refused(tmp_path):
    plain = write(tmp_path / "a.csv", F + 0j, "frequency,force,other\nHz,N,\n")
    with pytest.raises(FileError, match="no response"):
        read_bench(plain)
    without = write(tmp_path / "b.csv", F + 0j, "frequency,receptance,other\nHz,m/N,\n")
    with pytest.raises(FileError, match="'phase' is missing"):
        read_bench(without)
    active = write(
        tmp_path / "c.csv", np.exp(1j * np.linspace(-2, 2, F.size)), "frequency,receptance,phase\nHz,m/N,deg\n"
    )
    with pytest.raises(FileError, match="passive head"):
        read_bench(active)
