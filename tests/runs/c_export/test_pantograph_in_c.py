"""Pantographs as C: under the forces of a run they move as in it, and with the line they reproduce it."""

import numpy as np
import pytest

from panhead.errors import ModelError
from panhead.runs.c_export.compiled_rig import CompiledRig, compilers
from panhead.runs.c_export.rig_export import rig_sources, write_rig
from panhead.runs.simulate import simulate_one
from panhead.validation.c_export.cosimulation import exchanged
from runs.features import _STAGE, EXAMPLES, example

needs_compiler = pytest.mark.skipif(not compilers(), reason="no C compiler")


def rigs(folder, run, *names):
    write_rig(rig_sources(run, names), folder)
    return [CompiledRig(folder, name, "-O0") for name in names]


#: stops and friction in the suspension of the head, and a control law on it
ALL = _STAGE(stop_up=0.002, stop_down=0.02, friction=10.0, friction_speed=0.05) | EXAMPLES["law of the head"]


@needs_compiler
def test_under_the_forces_of_a_run_the_strip_moves_as_in_it(tmp_path):
    """The same scheme, so that only rounding differs: heights of 5 m have units of 1e-15 m, summed over 200 steps."""
    closed, head = rigs(tmp_path, example(ALL), "closed", "pantograph")
    at_start, off, moved = head.energy()["stored"], 0.0, []
    for n in range(1, 201):
        closed.timetable(n)
        answer = closed.step()
        head.timetable(n)
        strip = head.step(force=answer["force"])
        assert strip["flags"] == 0
        off = max(off, float(np.abs(strip["height"] - answer["strip"]).max()))
        moved.append(strip["height"][0])
    assert off < 1e-11
    assert np.ptp(moved) > 1e-4  # it does move
    energy = head.energy()
    given = energy["uplift"] - energy["pantograph_damping"] - energy["numerical"] - head.port_work().sum()
    assert energy["stored"] - at_start == pytest.approx(given, abs=1e-9)  # an identity of the scheme


@needs_compiler
def test_line_and_pantograph_exchange_until_they_reproduce_the_run(tmp_path):
    """They agree to 1e-8 N in every step; a contact of 50 kN/m turns rounding of heights into 1e-9 N."""
    run = example({})
    line, head = rigs(tmp_path, run, "motion", "pantograph")
    found = exchanged(line, head, steps=200)
    force = simulate_one(run)["contact_force"].to_numpy()[0, :200]
    assert force.max() > 50.0
    assert found == pytest.approx(force, abs=1e-6)
    before = head.copy_state()
    assert head.step(force=np.nan)["flags"] == 4
    assert head.copy_state() == before
    with pytest.raises(ModelError, match="no input 'forces'"):
        head.step(forces=1.0)
    with pytest.raises(ModelError, match="takes 1 number"):
        line.step(height=[5.0, 5.0])


def test_strips_that_roll_are_refused_by_name():
    with pytest.raises(ModelError, match="strips that roll"):
        rig_sources(example(EXAMPLES["two strips"]), ["pantograph"])
