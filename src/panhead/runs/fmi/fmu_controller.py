"""FMU of another tool as the sampled controller of a pantograph."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import final

import numpy as np

from panhead.errors import ModelError
from panhead.runs.cables.head_laws import Controller, Measurements
from panhead.runs.fmi.fmu_ports import Channel
from panhead.runs.fmi.foreign_fmu import ForeignUnit
from panhead.runs.fmi.model_description import read_model_description

#: What a controller may look at, by the names of ``Measurements``.
SEEN = ("head", "plunger", "head_rate", "plunger_rate", "rate", "force", "x")


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class UnitLaw:
    """FMU as a control law: every period it gets the measurements and steps; its output holds until the next.

        measured(t) → inputs,   step from t to t + period,   u(t) = output

    The output at the end of the step is what a sampled controller computes at t. ``inputs`` maps
    variables of the FMU to measurements (``head``, ``force``, …; see SEEN); by default every input with the
    name of a measurement receives it.
    """

    path: Path
    trust: bool = False  #: loading runs native code of its maker with your rights
    output: str | Channel = "u"  #: force between plunger and head, positive lifts the head [N]
    inputs: Mapping[str, str] | None = None  #: variable → measurement
    parameters: Mapping[str, float] = field(default_factory=dict)

    def begin(self, period: float) -> Controller:
        """Fresh instance of the FMU for one run."""
        named = self._measurement_names()
        unit = ForeignUnit(
            self.path,
            trust=self.trust,
            inputs={variable: variable for variable in named},
            outputs={"u": self.output},
            parameters=self.parameters,
        )

        def u(t: float, m: Measurements) -> float:
            seen = np.array([float(getattr(m, measured)) for measured in named.values()])
            return float(unit.advance(period, seen, seen)[0])

        return u

    def _measurement_names(self) -> Mapping[str, str]:
        """Variable → measurement."""
        if self.inputs is None:
            there = [v.name for v in read_model_description(self.path).by_causality("input")]
            if chosen := {name: name for name in there if name in SEEN}:
                return chosen
            raise ModelError(
                f"{self.path}: none of its inputs ({', '.join(there) or 'there are none'}) has the name of a "
                f"measurement ({', '.join(SEEN)}); map them with inputs={{variable: measurement}}"
            )
        wrong = [m for m in self.inputs.values() if m not in SEEN]
        if wrong:
            raise ModelError(
                f"{self.path}: {', '.join(map(repr, wrong))} is not a measurement; available: {', '.join(SEEN)}"
            )
        return self.inputs
