"""Heat and ice in a run: tensions, wave speed and force of the day beside the change of state written by hand."""

import numpy as np
import pytest
from scipy.optimize import fsolve

from panhead.files import parse
from panhead.runs.simulate import simulate
from panhead.validation.line_gradient.differences import with_changes
from panhead.validation.line_gradient.rough import base

pytestmark = pytest.mark.filterwarnings("ignore::panhead.errors.RunWarning")
EA, ALPHA, DIAMETER, SPAN, G = 1.5e7, 17e-6, 0.012, 50.0, 9.81


def run_in(conditions, tensioning):
    """The rough line with wires that stretch, fixed or with weights, on a day like this."""
    wire = {"axial_stiffness": EA, "expansion": ALPHA, "diameter": DIAMETER}
    changes = {
        "line_changes": {
            "wires": {"contact": wire, "messenger": wire},
            "tension_lengths": {"0": {"tensioning": {"kind": tensioning}}},
        },
        "conditions": conditions,
        "numerics": {"element_length": 3.0, "coarse": True},
    }
    return simulate(with_changes(parse.merge(base(), changes), {}))


@pytest.fixture(scope="module")
def as_erected():
    return run_in({"temperature": 10.0}, "fixed")


def wires(result):
    return dict(zip(result["wire_name"].to_numpy(), result["wire_tension"].to_numpy(), strict=True))


def force_moves(one, other):
    return float(np.abs(one["contact_force"].to_numpy() - other["contact_force"].to_numpy()).max())


def test_heat_slackens_fixed_wires_by_the_change_of_state(as_erected):
    """H − EA q² l²/24 H² falls by EA α ΔT: the messenger bears both wires and the droppers, the contact wire nothing.
    It shows in the contact force by more than a newton; where weights keep the tensions they stay."""
    warm = run_in({"temperature": 30.0}, "fixed")
    before, after = wires(as_erected), wires(warm)
    plain = base()["line"]["wires"]
    both = sum(plain[role]["mass_per_length"] for role in ("contact", "messenger"))
    droppers = 6.0 / SPAN * (0.1 + 0.2 + 0.1 * 1.0)  # clamps, and a metre of 0.1 kg/m
    for role, q in (("contact", 0.0), ("messenger", (both + droppers) * G)):
        assert after[role] == pytest.approx(_warmer(before[role], q, 20.0), rel=5e-3), role  # droppers to a metre
        assert after[role] < before[role] - 500.0
    assert force_moves(as_erected, warm) > 1.0
    cool, hot = (run_in({"temperature": t}, "balanced") for t in (10.0, 30.0))
    assert wires(cool) == pytest.approx(wires(hot), rel=1e-9)


def _warmer(tension, q, kelvin):
    """H of the change of state, found by its own root."""
    sag = lambda H: EA * (q * SPAN) ** 2 / (24.0 * H**2)
    missing = lambda H: H - sag(H) - tension + sag(tension) + EA * ALPHA * kelvin
    return float(fsolve(missing, tension)[0])


def test_ice_slows_waves_by_its_mass():
    """c = √(T/(μ + ρ π t (d + t))) under weights, which keep T; and the contact force is another."""
    bare, iced = (run_in({"ice": thick}, "balanced") for thick in (0.0, 5e-3))
    wire = base()["line"]["wires"]["contact"]
    ice = 900.0 * np.pi * 5e-3 * (DIAMETER + 5e-3)
    ratio = np.sqrt(wire["mass_per_length"] / (wire["mass_per_length"] + ice))
    assert iced.attrs["wave_speed"] / bare.attrs["wave_speed"] == pytest.approx(ratio, rel=1e-6)
    assert force_moves(bare, iced) > 1.0
