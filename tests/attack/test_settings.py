"""Extreme numbers through --set: refused with the size and the remedy, or begun; no traceback, no wait."""

import pytest

from attack import mutations, settings
from panhead.errors import ModelError
from panhead.runs import memory_estimate, scenarios

TRACEBACKS = [  # each ended in a traceback
    ("numerics.step=5e-324", "numerics.step: 4.94e-324 s gives inf steps.*Use at least [\\d.e-]+ s"),
    (
        "numerics.step=1e-9",
        r"numerics.step: 1e-09 s gives 3.\d+e\+09 steps, which need about .* of memory; this machine has",
    ),
    ("journey.stop=9223372036854775807", r"stopping at 9.22337e\+18 m, the pantographs leave the line"),
    ("numerics.element_length=1e-9", "numerics.element_length: 1e-09 m gives .* elements.*shorten the journey"),
    ("numerics.keep=1e20", "keep must be at most 1e\\+06 s"),
    (f"numerics.ahead=1{'0' * 400}", "ahead has more than 1000 binary digits"),
]
FAR_PLACES = [  # which were always refused; the words name the place and the remedy
    ("journey.stop=1e29 m", r"stopping at 1e\+29 m, the pantographs leave the line.*Change journey.start"),
    ("journey.start=1e29 m", r"stop 330 m must lie beyond start 1e\+29 m; change start or stop, or lengthen the line"),
    ("journey.run_in=1e29 m", r"run-in ends at 1e\+29 m, beyond the stop at 330 m.*shorten journey.ramp"),
]
REFUSED = [*TRACEBACKS, *FAR_PLACES]


@pytest.mark.parametrize("setting, words", REFUSED, ids=[setting[:40] for setting, _ in REFUSED])
def test_what_no_run_can_have_is_refused_with_the_remedy(setting, words, monkeypatch):
    monkeypatch.setattr(memory_estimate, "memory", lambda: 6e9)
    with pytest.raises(ModelError, match=words):
        scenarios.read(str(settings.SCENES[0]), [setting]).simulate()


@pytest.mark.parametrize("part", range(4))
def test_extreme_numbers_are_refused_or_begun(part):
    with mutations.bounded():
        found = [settings.attempt(chosen) for chosen in settings.alone()[part::16]]
    assert [a for a in found if a.failure] == []


def test_a_ramp_too_short_to_be_divided_by_is_a_step():
    """5e-324 s made the lifting force no number, and the run a traceback in its first step."""
    with mutations.bounded():
        assert settings.attempt(["journey.ramp=5e-324"]).failure == ""


def test_a_coupled_run_that_is_stopped_before_its_first_step_says_so():
    """The actuator had no force yet: IndexError."""
    with mutations.bounded():
        assert settings.attempt(["numerics.keep=0.01"], settings.SCENES[1]).failure == ""


def test_the_least_that_is_asked_for_is_taken(monkeypatch):
    """The remedy of the message is one."""
    monkeypatch.setattr(memory_estimate, "memory", lambda: 2e6)
    with pytest.raises(ModelError) as refused:
        scenarios.read(str(settings.SCENES[0]), ["numerics.step=1e-5"]).simulate()
    least = str(refused.value).partition("Use at least ")[2].partition(" s")[0]
    monkeypatch.setattr(memory_estimate, "memory", lambda: 2.4e6)  # told to one figure
    assert settings.attempt([f"numerics.step={least}"]).failure == ""
