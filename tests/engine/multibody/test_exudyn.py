"""Models against Exudyn, a program of its own: its numbers are kept in oracles/multibody_reference.json.

Both sides are extrapolated in the step. A tolerance is the error Exudyn's own runs show in each quantity,
times ``SAFETY``, and what our coarser steps leave.
"""

import numpy as np
import pytest
from oracles import multibody_models as reference
from oracles import multibody_reference

from panhead.engine.bodies import Cable
from panhead.engine.forces import Push
from panhead.engine.joints import Held
from panhead.engine.methods.equilibrium import equilibrium
from panhead.engine.methods.integrators import GeneralizedAlpha
from panhead.engine.methods.simulate import simulate
from panhead.engine.multibody import Model
from panhead.engine.multibody.outline import marker_on, positions
from panhead.runs.scenarios.shipped_models import shipped_model

TABLE = multibody_reference.stored()
SAFETY = 3.0  # an error estimate is no bound

# model, parameters, where its numbers stand, quantity → (body, place), step [s], what the step leaves [m]
CASES = {
    "chain of 3": (
        "chain",
        {"links": 3},
        ("chain", "3 links"),
        {"middle": ("link0", (0.25, 0, 0)), "tip": ("link2", (0.25, 0, 0))},
        1e-3,
        1e-8,
    ),
    "chain of 20": (
        "chain",
        {},
        ("chain", "20 links"),
        {"middle": ("link9", (0.25, 0, 0)), "tip": ("link19", (0.25, 0, 0))},
        5e-4,
        2e-7,
    ),
    "two four-bars": ("four-bars", {}, ("four-bar-n", "N=2"), {"B0": ("upright0", (0.5, 0.0))}, 1e-3, 1e-7),
    **{
        f"slider-crank in space, {kind}": (
            "spatial-slider-crank",
            {"joints": kind},
            ("spatial-slider-crank", kind),
            {"block": ("block", ()), "rod": ("rod", ())},
            5e-4,
            2e-7,
        )
        for kind in ("universal", "cylindrical")
    },
    # rods: waves along them are faster than the step and do not extrapolate
    "flexible pendulum": (
        "flexible-pendulum",
        {},
        ("flexible-pendulum",),
        {"tip": ("rod", (1.0,)), "middle": ("rod", (0.5,))},
        5e-4,
        3e-5,
    ),
    "slider-crank": ("slider-crank", {}, ("slider-crank",), {"middle": ("rod", (0.25,))}, 1e-4, 5e-6),
    "mass on a cable": (
        "sliding-mass",
        {},
        ("sliding-mass-planar",),
        {"p": ("mass", ()), "middle": ("cable", (10.0,))},
        5e-4,
        5e-6,
    ),
}


def histories(model, parameters, places, times, dt):
    """Quantity → (times, 3), from one run."""
    made = shipped_model(model, parameters)
    grid = round(float(np.gcd.reduce(np.round(np.array(times) * 1e6).astype(int)))) * 1e-6
    motion = simulate(
        made.system, made.start, duration=times[-1], dt=dt, keep=grid, method=GeneralizedAlpha(tolerance=1e-11)
    )
    kept = [int(np.abs(motion.t - t).argmin()) for t in times]
    markers = [marker_on(made.model, *place) for place in places.values()]
    found = positions(made.system, motion, markers)[kept]
    return {name: found[:, k] for k, name in enumerate(places)}


@pytest.mark.parametrize("name", CASES)
def test_motion_is_that_of_exudyn(name):
    model, parameters, where, places, dt, left = CASES[name]
    entry = TABLE
    for key in where:
        entry = entry[key]
    coarse, fine = (histories(model, parameters, places, entry["times"], h) for h in (dt, dt / 2))
    for quantity in places:
        value = fine[quantity] + (fine[quantity] - coarse[quantity]) / 3
        theirs = np.array(entry["exudyn"][quantity]["value"]).reshape(len(value), -1)
        allowed = SAFETY * entry["exudyn"][quantity]["error"] + left
        gap = np.abs(value[:, : theirs.shape[1]] - theirs).max()
        assert gap < allowed, f"{quantity}: {gap:.2e} m of {allowed:.2e} m"


@pytest.mark.parametrize("elements", [4, 16])
def test_clamped_bar_bends_as_exudyn_s(elements):
    """The same element and the same quadrature: the gap stored with each mesh, 3e-9 m, is Exudyn's Newton."""
    p = reference.CANTILEVER
    bar = Cable(
        name="bar",
        nodes=tuple((float(x), 0.0) for x in np.linspace(0.0, p.length, elements + 1)),
        mass_per_length=1.0,
        axial_stiffness=p.EA,
        bending_stiffness=p.EI,
    )
    clamp = Held(name="clamp", values={"bar.0x": 0.0, "bar.0y": 0.0, "bar.0'y": 0.0})
    q = None
    for share in (0.25, 0.5, 0.75, 1.0):
        push = Push(name="push", at=bar.at(p.length), force=(0.0, -share * p.force, 0.0))
        system = Model(name="bar", items=(bar, clamp, push), gravity=(0.0, 0.0, 0.0)).system()
        q, _ = equilibrium(system, system.start.q if q is None else q)
    tip = [q[system.place(f"bar.{elements}{axis}")] for axis in "xy"] - np.array([p.length, 0.0])
    entry = TABLE["ancf-cantilever"][f"{elements} elements"]["tip"]
    np.testing.assert_allclose(tip, entry["value"], atol=SAFETY * entry["error"])


@pytest.mark.slow
def test_exudyn_still_says_what_is_stored():
    """The numbers on file come from this script and this version's Exudyn."""
    pytest.importorskip("exudyn")
    from oracles import exudyn_cables, exudyn_rigid, exudyn_tools

    chain = reference.CHAINS[0]
    runs = {
        ("chain", "3 links"): (lambda dt: exudyn_rigid.chain(dt, chain), 5e-4),
        ("four-bar-n", "N=2"): (lambda dt: exudyn_rigid.four_bars(dt, reference.FOUR_BARS[0]), 1e-3),
        ("flexible-pendulum",): (lambda dt: exudyn_cables.pendulum(dt, reference.FLEXIBLE_PENDULUM), 5e-4),
    }
    for where, (run, dt) in runs.items():
        stored = TABLE
        for key in where:
            stored = stored[key]
        found, _ = exudyn_tools.extrapolated(run, dt)
        for quantity, entry in stored["exudyn"].items():
            slack = max(entry["error"], 1e-9)
            np.testing.assert_allclose(found[quantity], entry["value"], atol=slack)
