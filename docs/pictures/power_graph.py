"""Draw the power-oriented graphs of the variator into power_graph_*.svg: ``python docs/pictures/power_graph.py``."""

from pathlib import Path

from panhead.engine.factorized import FactorizedModel
from panhead.desk.drawing.power_graph import PowerGraph
from panhead.desk.drawing.svg import document
from panhead.runs.scenarios import shipped_models

model = FactorizedModel(shipped_models.mechanism("variator"), ("tilt",))
graph = PowerGraph.of(model.expressions, ["theta"], ("tilt",))
for name, diagram in (("euler_lagrange", graph.euler_lagrange()), ("factorized", graph.factorized())):
    Path(__file__).with_name(f"power_graph_{name}.svg").write_text(document(diagram), encoding="utf-8")
