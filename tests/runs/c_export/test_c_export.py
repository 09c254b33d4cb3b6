"""A run as C: its forces are those of the plain run, and what it cannot carry is refused by name."""

from functools import cache

import numpy as np
import pytest

from panhead.errors import ModelError
from panhead.runs.c_export.compiled_rig import CompiledRig, compilers
from panhead.runs.c_export.rig_export import rig_sources, write_rig
from panhead.runs.capabilities import FEATURES
from panhead.runs.simulate import simulate_one
from runs.features import EXAMPLES, RIDES, example

needs_compiler = pytest.mark.skipif(not compilers(), reason="no C compiler")
#: physics that adds code to the step; the others change numbers in the same tables
CARRIED = [
    "spectral radius below 1",
    "contact damping",
    "bilateral droppers",
    "dropper damping",
    "friction",
    "stops",
    "overlaps",
    "two strips",
]


@cache
def plain(name):
    return simulate_one(example(EXAMPLES[name] if name else {}))["contact_force"].to_numpy()


def forces(rig):
    found = []
    for n in range(1, rig.run_steps + 1):
        rig.timetable(n)
        answer = rig.step()
        assert answer["flags"] == 0
        found.append(answer["force"])
    return np.array(found).T


@needs_compiler
@pytest.mark.parametrize("name", CARRIED)
def test_a_feature_in_c_is_that_of_the_plain_run(name, tmp_path):
    """Rounding: no fused operations, tanh of our own; asked are 1e-9 N. Strips of a head add up."""
    write_rig(rig_sources(example(EXAMPLES[name]), ["closed"]), tmp_path)
    found = forces(CompiledRig(tmp_path, "closed", "-O0"))
    assert found.sum(axis=0) == pytest.approx(plain(name).sum(axis=0), abs=1e-9)


def test_every_feature_is_carried_or_refused():
    """What is not refused is translated: no feature stops half-way."""
    for feature in FEATURES:
        changes = EXAMPLES[feature.name]
        if changes is None or feature.name in RIDES:
            continue
        if "c-export" in feature.lacking:
            with pytest.raises(ModelError, match="does not support"):
                rig_sources(example(changes), ["closed"])


@pytest.mark.parametrize(
    ("changes", "interfaces", "words"),
    [
        ({}, ["sideways"], "no interface 'sideways'"),
        ({"numerics": {"window": "moving", "ahead": 4, "behind": 4, "absorbing": 2, "near": 3}}, ["closed"], "near"),
        ({"solver": "coupled"}, ["closed"], "solver 'linear', not 'coupled'"),
        (EXAMPLES["overlaps"], ["force"], "two contact wires"),
    ],
)
def test_bad_requests_are_refused_by_name(changes, interfaces, words):
    with pytest.raises(ModelError, match=words):
        rig_sources(example(changes), interfaces)


@needs_compiler
def test_a_step_with_numbers_that_are_none_is_not_taken(tmp_path):
    write_rig(rig_sources(example({}), ["motion"]), tmp_path)
    rig = CompiledRig(tmp_path, "motion", "-O0")
    rig.timetable(1)
    before = rig.copy_state()
    assert rig.step(height=np.nan)["flags"] == 4
    assert rig.copy_state() == before
    assert rig.step(height=5.0, position=1e6)["flags"] == 8


@needs_compiler
def test_delay_is_made_up_for_by_the_rate(tmp_path):
    """A strip measured τ ago and moving evenly is where it would be: the answer is that of the present one."""
    write_rig(rig_sources(example({}), ["motion"]), tmp_path)
    now, late = (CompiledRig(tmp_path, "motion", "-O0") for _ in range(2))
    for n in range(1, 60):
        t = n * 2e-3
        for rig, delay in ((now, 0.0), (late, 0.004)):
            rig.timetable(n)
            answer = rig.step(height=5.08 + 0.2 * (t - delay), rate=0.2, delay=delay)
            rig.last = answer["force"][0]
        assert late.last == pytest.approx(now.last, abs=1e-9)
    assert now.last > 10.0
