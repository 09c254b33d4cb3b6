"""The block diagram of a mechanism, drawn from its factorized form: τ on one side of the factor, y = T ẋ on the other.

Every dashed line of a power-oriented graph cuts two signals whose product is a power. The factor T⁺ passes it on
unchanged: τ·ẋ = ((T⁺)ᵀτ)·(T ẋ). Run as a script it writes the diagrams of the crank with its rod as two SVG files.
"""

from pathlib import Path

import numpy as np

from panhead.desk.drawing.power_graph import PowerGraph
from panhead.desk.drawing.svg import document
from panhead.engine.factorized import FactorizedModel
from panhead.runs.scenarios import shipped_models

#: Power lost in the factor, of what enters it.
EXPECTED = (0.0, 1e-13)


def graph() -> PowerGraph:
    """Power graph of the crank with its rod."""
    model = FactorizedModel(shipped_models.mechanism("crank-rod"))
    return PowerGraph.of(model.expressions, ["theta"])


def main() -> float:
    """How far the powers at both cuts are apart, relative, over a turn of the crank at 600 rpm and 5 N·m."""
    model = FactorizedModel(shipped_models.mechanism("crank-rod"))
    angle, rate, torque = np.linspace(0.0, 2 * np.pi, 100)[:, None], 600 * np.pi / 30, 5.0
    apart = []
    for T in model.factors(angle):
        inverse = np.linalg.pinv(T)
        before, behind = torque * rate, (inverse.T @ [torque]) @ (T @ [rate])
        apart.append(abs(behind / before - 1))
    return max(apart)


if __name__ == "__main__":
    for name, diagram in (("euler_lagrange", graph().euler_lagrange()), ("factorized", graph().factorized())):
        Path(f"crank_rod_{name}.svg").write_text(document(diagram), encoding="utf-8")
