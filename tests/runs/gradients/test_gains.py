"""Laws of the head in the linear solver, and the gradient by their gains."""

import numpy as np
import pytest

from panhead.errors import ModelError
from panhead.runs.cables.head_feedback import RateFeedback
from panhead.runs.cables.head_laws import Measurements
from panhead.runs.gradients.gradient import gradient_of
from panhead.runs.linear.taped_run import tape_run
from panhead.runs.resolve import resolve
from panhead.validation.line_gradient.differences import with_changes
from panhead.validation.line_gradient.rough import base

pytestmark = pytest.mark.filterwarnings("ignore::panhead.errors.RunWarning")


@pytest.fixture(scope="module")
def plain():
    return base()


def test_a_law_of_damping_is_a_damper_under_the_head(plain):
    """u = −r (ẏ₁ − ẏ₂) is r more in the head's damper: the same run and the same derivative, to rounding."""
    own = plain["train"][0]["pantograph"]["stages"][0]["damping"]
    damper = {"train": {"0": {"pantograph": {"stages": {"0": {"damping": own + 40.0}}}}}}
    laws = ({"kind": "derivative", "parameters": {"damping": 40.0}},
            {"kind": "rates", "parameters": {"head": 40.0, "plunger": -40.0}})  # fmt: skip
    tapes = [tape_run(resolve(with_changes(plain, c))) for c in (damper, *({"control": law} for law in laws))]
    for tape in tapes[1:]:
        assert tape.force == pytest.approx(tapes[0].force, abs=1e-8)
    wanted = float(gradient_of(tapes[0], wrt="pantograph.damping")["pantograph.damping"][0])
    assert float(gradient_of(tapes[1], wrt="control.gain")["control.gain"][0]) == pytest.approx(wanted, rel=1e-8)
    head, plunger = gradient_of(tapes[2], wrt="control.gain")["control.gain"].to_numpy()
    assert head - plunger == pytest.approx(wanted, rel=1e-8)
    assert not np.isclose(head, -plunger)


def test_rates_as_samples():
    """−60 · 0.5 + 25 · 0.2 N."""
    seen = Measurements(head=0.0, plunger=0.0, head_rate=0.5, plunger_rate=0.2, force=100.0, x=0.0)
    assert RateFeedback(head=60.0, plunger=-25.0).begin(1e-3)(0.0, seen) == pytest.approx(-25.0)


@pytest.mark.parametrize(
    ("law", "words"),
    [
        ({"kind": "force"}, "supports the laws 'derivative' and 'rates', not 'force'"),
        ({"kind": "bang-bang"}, "not 'bang-bang'"),
        ({"kind": "rates", "limit": 50.0}, "does not support `limit`"),
        ({"kind": "derivative", "delay": 0.01}, "does not support `delay`"),
        ({"kind": "rates", "parameters": {"arm": 1.0}}, "has the parameters head, plunger; got arm"),
        ({"kind": "rates", "parameters": {"head": float("nan")}}, "head"),
    ],
)  # fmt: skip
def test_laws_that_the_linear_solver_does_not_carry_are_refused(plain, law, words):
    with pytest.raises(ModelError, match=words):
        resolve(with_changes(plain, {"control": law}))
