"""Every feature on every path: equal to the plain run, or refused by name. The oracle is always the plain run.

A row of the capability table without an example here, or an example that is not felt, fails.
"""

import json
import re
from functools import cache, reduce

import numpy as np
import pytest

from panhead.engine.jobs import Job
from panhead.errors import Interrupted, ModelError
from panhead.explore.environment.plant import Plant
from panhead.files.parse import merge
from panhead.runs.batch import simulate_batch
from panhead.runs.capabilities import FEATURES, PATHS, features_of, require
from panhead.runs.linear import run_driver
from panhead.runs.linear.taped_run import tape_every_state, tape_run
from panhead.runs.resolve import capability_query, resolve
from panhead.runs.simulate import simulate_one
from runs.features import EXAMPLES, RIDES, example

pytestmark = pytest.mark.filterwarnings("ignore::panhead.errors.RunWarning")

BY_NAME = {feature.name: feature for feature in FEATURES}
RUN_HERE = [name for name, changes in EXAMPLES.items() if changes is not None and name not in RIDES]
FELT = 0.5  # N, the least that a feature must move the force by
WINDOW = {"numerics": {"window": "moving", "ahead": 4, "behind": 4, "absorbing": 2, "near": 3}}
#: of paths that take long: 45 m of the journey in steps of 4 ms; and four spans for wires of large deflection
SHORT = {
    "journey": {"start": 290.0, "judged_from": 305.0, "judged_to": 330.0, "stop": 335.0},
    "numerics": {"step": 4e-3},
}
FOUR_SPANS = {
    "line_changes": {"tension_lengths": [{"name": "T", "spans": [{"length": 50.0, "count": 4, "dropper_count": 5}]}]},
    "journey": {"start": 55.0, "judged_from": 85.0, "judged_to": 125.0, "stop": 130.0},
}
SAME_SCHEME = {"journey": {"settled": False}, "numerics": {"spectral_radius": 1.0}}


def on(path, *, without=()):
    """Features that are run here and that a path carries."""
    return [n for n in RUN_HERE if path not in BY_NAME[n].lacking and n not in without]


def force(name, *more):
    """Contact forces of the plain run (pantographs, steps); more: changes beside the feature's."""
    return _force(name, json.dumps(reduce(merge, more, {})))


@cache
def _force(name, more):
    return simulate_one(example(EXAMPLES[name] if name else {}, json.loads(more)))["contact_force"].to_numpy()


def test_every_feature_has_an_example_and_every_example_its_feature():
    assert set(EXAMPLES) == set(BY_NAME)
    for name in [*RUN_HERE, *RIDES]:
        assert name in {f.name for f in features_of(capability_query(example(EXAMPLES[name])))}, name


@pytest.mark.parametrize("name", on("linear", without=("variants",)))
def test_every_feature_is_felt(name):
    """The sentinel: without it a path that forgets the feature could not be told from the plain run."""
    mine, plain = force(name), force("")
    if mine.shape == plain.shape:
        assert np.abs(mine - plain).max() > FELT


@pytest.mark.parametrize(("name", "path"), [(f.name, path) for f in FEATURES for path in f.lacking])
def test_what_a_path_lacks_is_refused_by_name_with_the_remedy(name, path):
    feature = BY_NAME[name]
    if EXAMPLES[name] is None:
        pytest.skip("held by a test of its own")
    with pytest.raises(ModelError) as refused:
        require(capability_query(example(EXAMPLES[name])), path)
    words = str(refused.value)
    carried_by_another = [f for f in FEATURES if path in f.lacking and words.startswith(f"{f.key}: {PATHS[path]}")]
    assert carried_by_another, words
    if feature in carried_by_another:
        assert feature.lacking[path] in words


@pytest.mark.parametrize("name", on("taped"))
def test_a_tape_is_the_plain_run(name):
    """Stretches of steps begin elsewhere than chunks, so that slots are given in another order: rounding, 1e-7 N."""
    tape = tape_run(resolve(example(EXAMPLES[name])))
    assert per_pantograph(tape) == pytest.approx(force(name).T, abs=1e-7)


@pytest.mark.parametrize("name", on("frozen"))
def test_a_run_in_its_own_modes_is_the_plain_run(name):
    """The small system is solved at once instead of mode by mode: rounding, 1e-6 N."""
    model = resolve(example(EXAMPLES[name]))
    _, modes = tape_every_state(model)
    tape, _ = tape_every_state(model, modes)
    assert per_pantograph(tape) == pytest.approx(force(name).T, abs=1e-6)


def per_pantograph(tape):
    """(steps, pantographs) of a tape, whose columns are contacts: every head with every wire."""
    heads = len(tape.model.names)
    return tape.force.reshape(len(tape.force), heads, -1).sum(axis=2)


@pytest.mark.parametrize("name", on("environment"))
def test_an_episode_without_actions_is_the_plain_run(name):
    """A plant is advanced in pieces of a control interval, so that slots are given in another order: 1e-7 N."""
    plant = Plant(resolve(example(EXAMPLES[name])))
    found = [plant.advance(min(7, plant.model.steps - plant.step)) for _ in range(0, plant.model.steps, 7)]
    assert np.concatenate(found) == pytest.approx(force(name).T, abs=1e-7)


@pytest.mark.parametrize("name", on("lanes"))
def test_a_lane_has_the_bits_of_the_plain_run(name):
    run = example(EXAMPLES[name])
    if run.variants:
        pytest.skip("computed one by one, each variant a run")
    slower = example(EXAMPLES[name], {"train": {"0": {"changes": {"static_force": 150.0}}}})
    found = simulate_batch([run, slower, run])
    np.testing.assert_array_equal(found[0]["contact_force"], force(name))
    np.testing.assert_array_equal(found[2]["contact_force"], force(name))


@pytest.mark.parametrize("name", on("resumed", without=("variants", "mean force")))
def test_a_resumed_run_has_the_bits_of_the_plain_run(name, tmp_path, monkeypatch):
    monkeypatch.setattr(run_driver, "_CHECKPOINT", 1)
    run = example(EXAMPLES[name])

    def stop(fraction, message=""):
        if fraction > 0.3:
            raise KeyboardInterrupt

    with pytest.raises(Interrupted):
        simulate_one(run, Job(out=tmp_path, progress=stop))
    seen = []
    again = simulate_one(run, Job(out=tmp_path, resume=True, progress=lambda f, m="": seen.append(f)))
    assert seen[0] > 0.3
    np.testing.assert_array_equal(again["contact_force"], force(name))


@pytest.mark.parametrize("name", on("window", without=("variants", "conductor rail")))
def test_a_moving_window_feels_what_the_whole_line_feels(name):
    """What a feature does to the force in a window of eight spans differs by what is cut off: 30 % of it in this short
    one (2 % in windows as they are shipped), while a window that forgot the feature would differ by 100 %."""
    effect, whole = force(name, WINDOW) - base_like(name, WINDOW), force(name) - base_like(name)
    assert np.linalg.norm(effect - whole) < 0.3 * np.linalg.norm(whole)


def base_like(name, *more):
    """The run without the feature; where that has another number of steps or pantographs, nothing is subtracted."""
    plain = force("", *more)
    return plain if plain.shape == force(name, *more).shape else 0.0


OTHERWISE = ("variants", "mean force", "bodies and joints", "settled start")


@pytest.mark.parametrize("name", on("coupled", without=OTHERWISE))
def test_two_codes_are_the_plain_run(name):
    """Line and pantograph as two codes that iterate until both agree, with the scheme of the plain run: 1e-5 N."""
    if not BY_NAME[name].lacking.keys() & {"linear"}:
        short = SHORT if "line" not in EXAMPLES[name] else {}  # another line has a journey of its own
        found = force(name, short, SAME_SCHEME, {"solver": "coupled"})
        plain = force(name, short, {"numerics": {"spectral_radius": 1.0}})
        assert found[:, -plain.shape[-1] :] == pytest.approx(plain, abs=1e-5)


CABLES = ["contact damping", "bilateral droppers", "dropper damping", "ice", "gravity", "friction", "stops"]


@pytest.mark.parametrize("name", CABLES)
def test_cables_feel_what_the_plain_run_feels(name):
    """Wires of large deflection move otherwise, so that courses of the force part; what a feature does to them has the
    same sign and size all the same. Forgotten, its size would be nothing, and nothing would be alike."""
    cables = FOUR_SPANS, SAME_SCHEME, {"solver": "cables"}
    whole = force(name, FOUR_SPANS) - force("", FOUR_SPANS)
    effect = (force(name, *cables) - force("", *cables))[:, -whole.shape[-1] :]
    assert 0.5 < np.linalg.norm(effect) / np.linalg.norm(whole) < 2.0
    assert np.corrcoef(effect.ravel(), whole.ravel())[0, 1] > 0.3


def test_paths_are_words():
    assert all(re.fullmatch(r"[a-z-]+", path) for path in PATHS)
