"""Power-oriented graphs are drawn from the factorized form: what it has is there, what it has not is not."""

import numpy as np
import pytest

from panhead.desk.drawing.diagram import DiagramBox
from panhead.desk.drawing.power_graph import PowerGraph
from panhead.desk.drawing.svg import document
from panhead.engine.factorized.causality import FactorizedModel
from panhead.runs.scenarios import shipped_models


def graph_of(name, external=()):
    model = FactorizedModel(shipped_models.mechanism(name), external)
    return PowerGraph.of(model.expressions, [c.name() for c in model.mechanism.coordinates], external)


def boxes(diagram):
    return {part.lines[0]: part.lines[1:] for part in diagram.parts if isinstance(part, DiagramBox)}


def test_sizes_are_those_of_the_factor():
    robot = graph_of("two-link-robot")
    assert boxes(robot.factorized()) == {"(T⁺)ᵀ": ("4×2",), "T⁺": ("2×4",), "∫ dt": (), "P Ṫ T⁺": ("4×4",)}
    assert boxes(robot.euler_lagrange()) == {"M⁻¹": ("2×2",), "∫ dt": (), "N": ("2×2",)}


def test_only_the_euler_lagrange_model_asks_for_the_rate_of_a_measured_signal():
    variator = graph_of("variator", ("tilt",))
    assert "dtilt/dt" in document(variator.euler_lagrange())
    drawn = document(variator.factorized())
    assert "tilt" in drawn
    assert "dtilt/dt" not in drawn
    assert "Q_e" in drawn  # bearings


def test_it_survives_a_file():
    graph = graph_of("crank-rod")
    assert PowerGraph.from_json(graph.as_json()) == graph


def test_the_factor_passes_power_on():
    """τ·ẋ = ((T⁺)ᵀτ)·(T ẋ) wherever the robot is: the two cuts carry the same power."""
    model = FactorizedModel(shipped_models.mechanism("two-link-robot"))
    random = np.random.default_rng(0)
    for T in model.factors(random.uniform(-3, 3, (20, 2))):
        torque, rate = random.standard_normal((2, 2))
        assert (np.linalg.pinv(T).T @ torque) @ (T @ rate) == pytest.approx(torque @ rate, rel=1e-10)
