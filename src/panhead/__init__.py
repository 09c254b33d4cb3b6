"""Flexible multibody dynamics, and railway current collection on top of it.

    import panhead as ph

    result = ph.run("en50318-300")     # simulate and assess a pantograph under an overhead line
    print(result.verdict_sentence)
    result.report("out")

Public names are imported on first use; ``__init__.pyi`` declares them for editors and type checkers.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import sys
from types import ModuleType
from typing import Any

__version__ = "0.2.0"

_NAMES = {
    "Calibration": "panhead.explore.calibration.calibration_description",
    "ContactLaw": "panhead.runs.description",
    "CriteriaTable": "panhead.assess",
    "Criterion": "panhead.assess",
    "Design": "panhead.explore.designs.design_description",
    "Event": "panhead.engine.methods.events",
    "EventAction": "panhead.engine.methods.events",
    "GeneralizedAlpha": "panhead.engine.methods.integrators",
    "Journey": "panhead.runs.description",
    "Line": "panhead.railway.line",
    "LumpedPantograph": "panhead.railway.pantograph.lumped_pantograph",
    "Mechanism": "panhead.engine.symbolic",
    "Model": "panhead.engine.multibody",
    "ModelPantograph": "panhead.railway.pantograph.model_pantograph",
    "Numerics": "panhead.runs.description",
    "OnTrain": "panhead.runs.description",
    "PlainFunction": "panhead.engine.plain_function",
    "PushInTime": "panhead.runs.force_histories",
    "Result": "panhead.files.result",
    "Run": "panhead.runs.description",
    "Study": "panhead.explore.studies.study_description",
    "Variant": "panhead.runs.description",
    "VariationalMidpoint": "panhead.engine.methods.integrators",
    "calibrate": "panhead.app.api",
    "design": "panhead.app.api",
    "equilibrium": "panhead.engine.methods.equilibrium",
    "gradient": "panhead.runs.gradients.gradient",
    "judge": "panhead.app.api",
    "judgement": "panhead.assess",
    "jvp": "panhead.runs.gradients.directional_derivative",
    "load": "panhead.files.results",
    "load_branch": "panhead.engine.methods.load_path",
    "load_path": "panhead.engine.methods.load_path",
    "modes": "panhead.engine.methods.modes",
    "read_line": "panhead.railway.line",
    "read_mjcf": "panhead.files.mjcf",
    "read_pantograph": "panhead.railway.pantograph.pantograph_files",
    "read_run": "panhead.app.api",
    "read_urdf": "panhead.files.urdf",
    "read_vehicle": "panhead.railway.vehicle.vehicle_description",
    "report": "panhead.app.api",
    "run": "panhead.app.api",
    "save": "panhead.files.results",
    "simulate": "panhead.app.api",
    "study": "panhead.app.api",
    "vjp": "panhead.runs.gradients.gradient",
    "write_urdf": "panhead.files.urdf_write",
}  #: public name → the module that defines it; scripts/interface writes __init__.pyi from this table
_MODULES = {
    "bodies": "panhead.engine.bodies",
    "env": "panhead.explore.environment",
    "errors": "panhead.errors",
    "forces": "panhead.engine.forces",
    "joints": "panhead.engine.joints",
    "symbolic": "panhead.engine.symbolic",
}  #: modules that are public as a whole
__all__ = sorted([*_NAMES, *_MODULES], key=lambda name: (name[0].islower(), name))  # noqa: PLE0605  a list


_SHORT = {name for name, place in _MODULES.items() if place != f"panhead.{name}"}


class _ShortPackage(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Import hook for short public names: ``import panhead.bodies`` returns the module ``panhead.engine.bodies``."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> importlib.machinery.ModuleSpec | None:
        head, _, last = name.rpartition(".")
        return importlib.machinery.ModuleSpec(name, self) if head == "panhead" and last in _SHORT else None

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        found = importlib.import_module(_MODULES[spec.name.rpartition(".")[2]])
        self.own = found.__spec__  # importlib gives the module the spec of its other name
        return found

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__ = self.own


sys.meta_path.append(_ShortPackage())


def __getattr__(name: str) -> Any:
    """Import a public name on first access."""
    if name in _NAMES:
        found = getattr(importlib.import_module(_NAMES[name]), name)
    elif name in _MODULES:
        found = importlib.import_module(_MODULES[name])
    else:
        raise AttributeError(f"module 'panhead' has no attribute {name!r}")
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
