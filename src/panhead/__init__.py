"""Flexible multibody dynamics, and railway current collection on top of it.

    import panhead as ph

    result = ph.run("en50318-300")     # a pantograph under a line: simulated and judged
    result.verdict, result.report("out")

The names below are loaded when they are first used.
"""

from __future__ import annotations

import importlib
from typing import Any

__version__ = "0.2.0"

_NAMES = {
    "ContactLaw": "panhead.runs.description",
    "GeneralizedAlpha": "panhead.methods.integrators",
    "Journey": "panhead.runs.description",
    "Line": "panhead.line",
    "LumpedPantograph": "panhead.pantograph.lumped",
    "Mechanism": "panhead.symbolic",
    "Model": "panhead.multibody",
    "ModelPantograph": "panhead.pantograph.own",
    "Numerics": "panhead.runs.description",
    "OnTrain": "panhead.runs.description",
    "PushInTime": "panhead.runs.pushes",
    "Result": "panhead.files.result",
    "Run": "panhead.runs.description",
    "Study": "panhead.studies.description",
    "Variant": "panhead.runs.description",
    "bodies": "",
    "design": "panhead.front_door",
    "equilibrium": "panhead.methods.equilibrium",
    "forces": "",
    "gradient": "panhead.runs.gradients.gradient",
    "joints": "",
    "judge": "panhead.front_door",
    "judgement": "panhead.assess",
    "jvp": "panhead.runs.gradients.tangent",
    "load": "panhead.files.results",
    "load_branch": "panhead.methods.load_path",
    "load_path": "panhead.methods.load_path",
    "modes": "panhead.methods.modes",
    "read_line": "panhead.line",
    "read_pantograph": "panhead.pantograph.reading",
    "read_run": "panhead.front_door",
    "read_urdf": "panhead.multibody",
    "read_vehicle": "panhead.vehicle.description",
    "report": "panhead.front_door",
    "run": "panhead.front_door",
    "save": "panhead.files.results",
    "simulate": "panhead.front_door",
    "study": "panhead.front_door",
    "symbolic": "",
    "vjp": "panhead.runs.gradients.gradient",
}
__all__ = [*_NAMES]  # noqa: PLE0604  the table above is the list


def __getattr__(name: str) -> Any:
    """Load a public name when it is first asked for."""
    if name not in _NAMES:
        raise AttributeError(f"module 'panhead' has no attribute {name!r}")
    place = _NAMES[name]
    found = getattr(importlib.import_module(place), name) if place else importlib.import_module(f"panhead.{name}")
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted([*globals(), *_NAMES])
