"""The plant of an environment against one written in NumPy from the equations."""

import numpy as np
import pytest

from panhead.explore.environment.plant import Plant
from panhead.runs import scenarios
from panhead.runs.resolve import resolve
from panhead.validation.gymnasium.numpy_plant import NumpyPlant, ReferenceData

STEPS = 320


def test_forces_are_those_of_the_equations():
    """Same mesh and rule, so that nothing but rounding in other orders is left; contact is lost in between."""
    mine = Plant(resolve(scenarios.read("en50318-300", changes={"journey": {"ramp": 0.3}}).description))
    pushes = np.zeros((STEPS + 1, 2))
    pushes[:, 0] = 20.0 * np.sin(0.05 * np.arange(STEPS + 1))
    pushes[:, 1] = -pushes[:, 0]
    found = mine.advance(STEPS, pushes)[:, 0]
    other = NumpyPlant(ReferenceData(ramp=0.3))
    reference = np.array([other.step(u) for u in pushes[1:, 0]])
    assert found == pytest.approx(reference, abs=0.01)
    assert found.min() == 0.0
    assert found.max() > 100.0


def test_the_reference_carries_the_weight_of_its_wire():
    """Dropper forces and the two ends carry a contact wire of ρA g over the length of the line."""
    plant = NumpyPlant()
    weight = 1.35 * 9.81 * 600.0
    assert 0.95 * weight < plant.N0.sum() < weight
    assert plant.wire_height(300.0 - 30.0) == pytest.approx(5.08 - 0.02, abs=1e-6)
