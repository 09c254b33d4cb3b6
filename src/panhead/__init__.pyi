"""Flexible multibody dynamics, and railway current collection on top of it.

    import panhead as ph

    result = ph.run("en50318-300")     # simulate and assess a pantograph under an overhead line
    print(result.verdict_sentence)
    result.report("out")

Public names are imported on first use; ``__init__.pyi`` declares them for editors and type checkers.
"""

from panhead import errors as errors
from panhead.app.api import calibrate as calibrate
from panhead.app.api import design as design
from panhead.app.api import judge as judge
from panhead.app.api import read_run as read_run
from panhead.app.api import report as report
from panhead.app.api import run as run
from panhead.app.api import simulate as simulate
from panhead.app.api import study as study
from panhead.assess import CriteriaTable as CriteriaTable
from panhead.assess import Criterion as Criterion
from panhead.assess import judgement as judgement
from panhead.engine import bodies as bodies
from panhead.engine import forces as forces
from panhead.engine import joints as joints
from panhead.engine import symbolic as symbolic
from panhead.engine.methods.equilibrium import equilibrium as equilibrium
from panhead.engine.methods.events import Event as Event
from panhead.engine.methods.events import EventAction as EventAction
from panhead.engine.methods.integrators import GeneralizedAlpha as GeneralizedAlpha
from panhead.engine.methods.integrators import VariationalMidpoint as VariationalMidpoint
from panhead.engine.methods.load_path import load_branch as load_branch
from panhead.engine.methods.load_path import load_path as load_path
from panhead.engine.methods.modes import modes as modes
from panhead.engine.multibody import Model as Model
from panhead.engine.plain_function import PlainFunction as PlainFunction
from panhead.engine.symbolic import Mechanism as Mechanism
from panhead.explore import environment as env
from panhead.explore.calibration.calibration_description import Calibration as Calibration
from panhead.explore.designs.design_description import Design as Design
from panhead.explore.studies.study_description import Study as Study
from panhead.files.mjcf import read_mjcf as read_mjcf
from panhead.files.result import Result as Result
from panhead.files.results import load as load
from panhead.files.results import save as save
from panhead.files.urdf import read_urdf as read_urdf
from panhead.files.urdf_write import write_urdf as write_urdf
from panhead.railway.line import Line as Line
from panhead.railway.line import read_line as read_line
from panhead.railway.pantograph.lumped_pantograph import LumpedPantograph as LumpedPantograph
from panhead.railway.pantograph.model_pantograph import ModelPantograph as ModelPantograph
from panhead.railway.pantograph.pantograph_files import read_pantograph as read_pantograph
from panhead.railway.vehicle.vehicle_description import read_vehicle as read_vehicle
from panhead.runs.description import ContactLaw as ContactLaw
from panhead.runs.description import Journey as Journey
from panhead.runs.description import Numerics as Numerics
from panhead.runs.description import OnTrain as OnTrain
from panhead.runs.description import Run as Run
from panhead.runs.description import Variant as Variant
from panhead.runs.force_histories import PushInTime as PushInTime
from panhead.runs.gradients.directional_derivative import jvp as jvp
from panhead.runs.gradients.gradient import gradient as gradient
from panhead.runs.gradients.gradient import vjp as vjp

__all__ = [
    "Calibration",
    "ContactLaw",
    "CriteriaTable",
    "Criterion",
    "Design",
    "Event",
    "EventAction",
    "GeneralizedAlpha",
    "Journey",
    "Line",
    "LumpedPantograph",
    "Mechanism",
    "Model",
    "ModelPantograph",
    "Numerics",
    "OnTrain",
    "PlainFunction",
    "PushInTime",
    "Result",
    "Run",
    "Study",
    "Variant",
    "VariationalMidpoint",
    "bodies",
    "calibrate",
    "design",
    "env",
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
    "read_mjcf",
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
    "write_urdf",
]
__version__: str

def __dir__() -> list[str]: ...
