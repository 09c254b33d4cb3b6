"""Runs by two codes: any pantograph of the protocol under a line, in the names that every solver uses."""

from dataclasses import replace

import numpy as np
import pytest

from panhead.engine.bodies import RigidBody, ground
from panhead.engine.forces import Push, Slide, SpringDamper
from panhead.engine.jobs import Job
from panhead.engine.joints import Prismatic
from panhead.engine.multibody import Model
from panhead.errors import Interrupted, ModelError
from panhead.files.variants import separate
from panhead.railway.pantograph.flexible_member import reduced_member
from panhead.railway.pantograph.linkage import read_linkage
from panhead.railway.pantograph.linkage_pantograph import LinkagePantograph
from panhead.railway.pantograph.model_pantograph import ModelPantograph
from panhead.railway.pantograph.pantograph_files import read_pantograph
from panhead.runs import scenarios
from panhead.runs.coupled.coupled_options import Coupling
from panhead.runs.description import ContactLaw, HeadLaw, Journey, Numerics, OnTrain, Run
from panhead.runs.scenarios.output_folder import remove_rows
from panhead.runs.simulate import simulate, simulate_one

STEPS = 60  # of 1 ms: the pantograph passes five metres of line
SHORT = [f"journey.duration={STEPS * 1e-3}", "journey.judged_from=51", "journey.judged_to=54", "numerics.keep=0.02"]


def shortened(*settings):
    """s4-cx in small: rigid and with a flexible head."""
    run = scenarios.read("s4-cx", [*SHORT, *settings]).description
    return replace(run, variants=(run.variants[0], run.variants[2]))


@pytest.fixture(scope="module")
def result(tmp_path_factory):
    folder = tmp_path_factory.mktemp("out")
    found = simulate(shortened("coupling.truth=0.01"), Job(out=folder))
    remove_rows(folder)  # whoever has put the result on the disk does that
    assert list(folder.iterdir()) == []
    return found


@pytest.fixture(scope="module")
def variants(result):
    return separate(result)


def test_the_run_begins_in_equilibrium_under_the_static_force(result):
    # the law's damping feels the wire's slope at once: a share of it is there at the first moment
    assert result["contact_force"].to_numpy()[:, 0, 0] == pytest.approx([180.2, 180.2], rel=0.02)


def test_co_simulation_meets_the_model_in_one_piece(variants):
    for run in variants.values():
        assert run.attrs["distance_max"] < 1e-6  # [N]: asked of the iterated coupling
        assert run.attrs["distance_times"] == 11


def test_exchange_makes_and_loses_no_energy(result):
    # forces agree to 1e-6 N and strips move with less than 1 m/s over 0.06 s
    assert np.abs(result["interface_energy_error"].to_numpy()).max() < 1e-7


def test_the_stagger_carries_the_contact_across_the_strip(variants):
    run = variants["rigid"]
    lateral, x = (run[name].to_numpy()[0] for name in ("contact_y", "contact_x"))
    assert np.ptp(lateral) > 0.01
    assert np.ptp(np.diff(lateral) / np.diff(x)) < 1e-3  # straight between masts


def test_a_flexible_head_bends_and_a_rigid_one_has_no_modes(variants):
    head = variants["flexible head"]
    assert np.abs(head["head_deformation"]).max() > 1e-5  # [m]
    assert str(head["head_words"].to_numpy()[0]) == "bending about x, 1"
    assert not any("deformation" in str(name) for name in variants["rigid"])


def test_the_result_has_the_names_that_every_solver_gives(variants):
    run = variants["rigid"]
    n = STEPS + 1
    assert run["contact_force"].dims == ("pantograph", "time")
    assert run["strip_force"].shape == (1, 1, n)
    depth = run["strip_z"] - run["contact_z"]
    touching = run["contact_force"] > 0
    assert float(depth.where(touching).min()) > 0.0  # it presses where it is in the wire
    assert run["sample"].to_numpy() == pytest.approx([0.02, 0.04, 0.06])
    assert run["dropper_force"].sizes == {"sample": 3, "dropper": run.sizes["dropper"]}
    low, high = run["dropper_min_force"], run["dropper_max_force"]
    assert (run["dropper_force"] >= low - 1e-9).all()
    assert (run["dropper_force"] <= high + 1e-9).all()
    assert (run["support_uplift"] >= run["support_history"].max("sample") - 1e-15).all()
    strip = np.interp(run["frame_time"], run["time"], run["strip_z"][0])
    assert run["frame_head_z"].to_numpy()[:, 0] == pytest.approx(strip, abs=1e-9)
    for name in ("speed", "judged_from", "supply", "edition", "wave_speed", "uplift_space", "moment"):
        assert name in run.attrs


def test_the_linkage_is_seen_from_the_side(variants):
    """Both ends of a link keep their distance, and the arms reach up towards the strip."""
    run = variants["rigid"]
    link = run["linkage_lower_link"].to_numpy()
    length = np.linalg.norm(np.diff(link, axis=1)[:, 0], axis=1)
    assert np.ptp(length) < 1e-6
    top = run["linkage_top_arm"].to_numpy()[..., 1].max(axis=1)
    gap = run["frame_head_z"].to_numpy()[:, 0] - top
    assert (gap > 0.0).all()
    assert (gap < 0.3).all()


def test_a_run_that_is_stopped_keeps_the_variants_done():
    def impatient(share, text):
        if share > 0.6:  # the second variant is under way
            raise KeyboardInterrupt

    with pytest.raises(Interrupted) as stopped:
        simulate(shortened("coupling.truth=0"), Job(progress=impatient))
    kept = separate(stopped.value.partial)
    assert list(kept) == ["rigid", "flexible head"]
    assert 10 < kept["flexible head"].sizes["time"] < kept["rigid"].sizes["time"]


def run_of(pantograph, **changes):
    given = {
        "line": "en50318-2002",
        "train": (OnTrain(pantograph=pantograph),),
        "speed": 250 / 3.6,
        "solver": "coupled",
        "numerics": Numerics(element_length=4.0, coarse=True),
        "journey": Journey(start=75.0, duration=0.06, judged_from=76.0, judged_to=79.0),
    }
    return Run(**(given | changes))


@pytest.mark.parametrize("settled", [True, False])
def test_a_chain_of_masses_begins_at_rest_or_without_force(settled):
    journey = Journey(start=75.0, duration=0.06, judged_from=76.0, judged_to=79.0, settled=settled, ramp=0.05)
    run = simulate_one(run_of("en50318-2002", journey=journey, coupling=Coupling(truth=0.02)))
    chain = read_pantograph("en50318-2002")
    head, arms = (stage.stiffness for stage in chain.stages)  # the lift stretches both springs
    force = chain.total_uplift(250 / 3.6) * head / (head + arms) if settled else 0.0
    assert float(run["contact_force"][0, 0]) == pytest.approx(force, abs=1e-6)
    assert run.attrs["distance_max"] < 1e-6


def test_a_model_of_one_s_own_goes_under_a_line():
    """A head on a guide and a spring, lifted by a force."""
    head = RigidBody(name="head", mass=8.0, inertia=(0.5, 0.1, 0.5), position=(0.0, 0.0, 1.0))
    up = 8.0 * 9.81 + 100.0
    items = (
        head,
        Prismatic(name="guide", a=ground.at(), b=head.at()),
        SpringDamper(name="spring", along=Slide(a=ground.at(), b=head.at()), stiffness=2000.0, damping=50.0, rest=1.0),
        Push(name="lift", at=head.at(), force=(0.0, 0.0, up)),
    )
    pantograph = ModelPantograph(model=Model(name="own", items=items), strip=head.at())
    run = simulate_one(run_of(pantograph, coupling=Coupling(truth=0.02)))
    assert float(run["contact_force"][0, 0]) == pytest.approx(100.0, rel=0.02)
    assert run.attrs["distance_max"] < 1e-6


def test_the_exchange_may_be_coarser_than_the_step():
    coarse = Coupling(scheme="gauss-seidel", exchange_step=2e-3)
    run = simulate_one(run_of("en50318-2002", coupling=coarse))
    assert run.attrs["exchange_step"] == 2e-3
    assert run.sizes["time"] == 31
    with pytest.raises(ModelError, match=r"exchange_step 0.0015 s is not a multiple"):
        simulate_one(run_of("en50318-2002", coupling=Coupling(exchange_step=1.5e-3)))


def test_what_cannot_be_combined_is_refused():
    with pytest.raises(ModelError, match="bilateral droppers"):
        simulate_one(run_of("en50318-2002", droppers="bilateral"))
    with pytest.raises(ModelError, match="leave the line"):
        scenarios.read("s4-cx", ["journey.duration=20"]).simulate()


def test_a_law_without_a_stiffness_takes_the_pantograph_s():
    own = simulate_one(run_of("en50318-2002"))
    said = simulate_one(run_of("en50318-2002", contact=ContactLaw(stiffness=50e3)))
    assert np.array_equal(own["contact_force"], said["contact_force"])


def test_a_law_of_the_head_works_as_a_damper_and_as_samples():
    """Both slow the head's travel alike; held between samples it is late by half a step."""
    derivative = {"kind": "derivative", "parameters": {"damping": 500.0}}
    free = simulate_one(run_of("en50318-2002"))
    damper, samples = (
        simulate_one(run_of("en50318-2002", control=HeadLaw(**derivative, sampled=sampled)))
        for sampled in (False, True)
    )
    change = np.abs(damper["contact_force"] - free["contact_force"]).max()
    assert float(change) > 3.0
    assert float(np.abs(samples["contact_force"] - damper["contact_force"]).max()) < 0.2 * change
    assert "actuator_force" in samples
    law = HeadLaw(**derivative, sampled=True)
    with pytest.raises(ModelError, match="remove `truth`"):
        simulate_one(run_of("en50318-2002", control=law, coupling=Coupling(truth=0.01)))


def stiff_head(times):
    """The CX linkage with a head ``times`` as stiff, its rigid body with the masses of the beam's nodes."""
    tables = read_linkage("cx")
    beam = reduced_member(tables, "head")
    x, m = beam.points, beam.nodal_mass
    J = np.einsum("j,jkl->kl", m, np.einsum("jn,jn->j", x, x)[:, None, None] * np.eye(3) - x[:, :, None] * x[:, None])
    inertia = tuple(float(i) for i in np.diag(J + beam.nodal_inertia.sum(axis=0)))
    bodies = tuple(replace(b, mass=float(m.sum()), inertia=inertia) if b.name == "head" else b for b in tables.bodies)
    return replace(tables, bodies=bodies, strip_beam=replace(tables.strip_beam, young=times * tables.strip_beam.young))


@pytest.mark.parametrize("sampled", [False, True])
def test_the_law_of_a_flexible_head_is_that_of_a_rigid_one_in_the_limit(sampled):
    """The law acts half on either virtual body: of a beam that hardly bends that is its middle, also under a stagger.

    Rates of virtual bodies obey their joints to the second order in the step, so that the law's force differs so.
    """
    law = HeadLaw(kind="derivative", parameters={"damping": 500.0}, sampled=sampled)
    journey = Journey(start=60.0, duration=0.06, judged_from=61.0, judged_to=64.0)

    def force(flexible, step, law=law):
        pantograph = LinkagePantograph(linkage=stiff_head(1e8), flexible=flexible)
        numerics = Numerics(element_length=4.0, coarse=True, step=step)
        found = simulate_one(run_of(pantograph, line="stitched-25kv", journey=journey, numerics=numerics, control=law))
        assert float(np.abs(found["contact_y"]).max()) > 0.05
        return found["contact_force"]

    far, near = (float(np.abs(force("head", h) - force("none", h)).max()) for h in (1e-3, 5e-4))
    assert far / near == pytest.approx(4.0, rel=0.05)
    change = float(np.abs(force("none", 5e-4) - force("none", 5e-4, None)).max())
    assert near < 1e-3 * change
