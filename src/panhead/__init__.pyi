"""Flexible multibody dynamics, and railway current collection on top of it.

    import panhead as ph

    result = ph.run("en50318-300")     # a pantograph under a line: simulated and judged
    print(result.verdict_sentence)
    result.report("out")

The names below are loaded when they are first used; ``__init__.pyi`` tells editors and type checkers what they are.
"""

from panhead import bodies as bodies
from panhead import errors as errors
from panhead import forces as forces
from panhead import joints as joints
from panhead import symbolic as symbolic
from panhead.assess import CriteriaTable as CriteriaTable
from panhead.assess import Criterion as Criterion
from panhead.assess import judgement as judgement
from panhead.designs.description import Design as Design
from panhead.files.result import Result as Result
from panhead.files.results import load as load
from panhead.files.results import save as save
from panhead.front_door import design as design
from panhead.front_door import judge as judge
from panhead.front_door import read_run as read_run
from panhead.front_door import report as report
from panhead.front_door import run as run
from panhead.front_door import simulate as simulate
from panhead.front_door import study as study
from panhead.line import Line as Line
from panhead.line import read_line as read_line
from panhead.methods.equilibrium import equilibrium as equilibrium
from panhead.methods.integrators import GeneralizedAlpha as GeneralizedAlpha
from panhead.methods.load_path import load_branch as load_branch
from panhead.methods.load_path import load_path as load_path
from panhead.methods.modes import modes as modes
from panhead.multibody import Model as Model
from panhead.multibody import read_urdf as read_urdf
from panhead.pantograph.lumped import LumpedPantograph as LumpedPantograph
from panhead.pantograph.own import ModelPantograph as ModelPantograph
from panhead.pantograph.reading import read_pantograph as read_pantograph
from panhead.runs.description import ContactLaw as ContactLaw
from panhead.runs.description import Journey as Journey
from panhead.runs.description import Numerics as Numerics
from panhead.runs.description import OnTrain as OnTrain
from panhead.runs.description import Run as Run
from panhead.runs.description import Variant as Variant
from panhead.runs.gradients.gradient import gradient as gradient
from panhead.runs.gradients.gradient import vjp as vjp
from panhead.runs.gradients.tangent import jvp as jvp
from panhead.runs.pushes import PushInTime as PushInTime
from panhead.studies.description import Study as Study
from panhead.symbolic import Mechanism as Mechanism
from panhead.vehicle.description import read_vehicle as read_vehicle

__all__ = [
    "ContactLaw",
    "CriteriaTable",
    "Criterion",
    "Design",
    "GeneralizedAlpha",
    "Journey",
    "Line",
    "LumpedPantograph",
    "Mechanism",
    "Model",
    "ModelPantograph",
    "Numerics",
    "OnTrain",
    "PushInTime",
    "Result",
    "Run",
    "Study",
    "Variant",
    "bodies",
    "design",
    "equilibrium",
    "errors",
    "forces",
    "gradient",
    "joints",
    "judge",
    "judgement",
    "jvp",
    "load",
    "load_branch",
    "load_path",
    "modes",
    "read_line",
    "read_pantograph",
    "read_run",
    "read_urdf",
    "read_vehicle",
    "report",
    "run",
    "save",
    "simulate",
    "study",
    "symbolic",
    "vjp",
]
__version__: str

def __dir__() -> list[str]: ...
