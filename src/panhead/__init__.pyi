"""Flexible multibody dynamics, and railway current collection on top of it.

    import panhead as ph

    result = ph.run("en50318-300")     # a pantograph under a line: simulated and judged
    print(result.verdict_sentence)
    result.report("out")

The names below are loaded when they are first used; ``__init__.pyi`` tells editors and type checkers what they are.
"""

from panhead import errors as errors
from panhead.app.api import design, judge, read_run, report, run, simulate, study
from panhead.assess import CriteriaTable as CriteriaTable
from panhead.assess import Criterion as Criterion
from panhead.assess import judgement as judgement
from panhead.engine import bodies, forces, joints, symbolic
from panhead.engine.methods.equilibrium import equilibrium
from panhead.engine.methods.integrators import GeneralizedAlpha
from panhead.engine.methods.load_path import load_branch, load_path
from panhead.engine.methods.modes import modes
from panhead.engine.multibody import Model
from panhead.engine.symbolic import Mechanism
from panhead.explore.designs.design_description import Design
from panhead.explore.studies.study_description import Study
from panhead.files.result import Result as Result
from panhead.files.results import load as load
from panhead.files.results import save as save
from panhead.files.urdf import read_urdf
from panhead.railway.line import Line, read_line
from panhead.railway.pantograph.lumped_pantograph import LumpedPantograph
from panhead.railway.pantograph.model_pantograph import ModelPantograph
from panhead.railway.pantograph.pantograph_files import read_pantograph
from panhead.railway.vehicle.vehicle_description import read_vehicle
from panhead.runs.description import ContactLaw as ContactLaw
from panhead.runs.description import Journey as Journey
from panhead.runs.description import Numerics as Numerics
from panhead.runs.description import OnTrain as OnTrain
from panhead.runs.description import Run as Run
from panhead.runs.description import Variant as Variant
from panhead.runs.force_histories import PushInTime
from panhead.runs.gradients.directional_derivative import jvp
from panhead.runs.gradients.gradient import gradient as gradient
from panhead.runs.gradients.gradient import vjp as vjp

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
