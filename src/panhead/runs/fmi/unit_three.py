"""The script inside an exported unit of FMI 3.0; pythonfmu3's binary looks in its text for the class."""

from __future__ import annotations

from typing import Any
from xml.etree.ElementTree import Element

from pythonfmu3 import Float64, Fmi3Causality, Fmi3Slave, Fmi3Status, Fmi3StepResult, Fmi3Variability, Unit

from panhead.errors import PanheadError
from panhead.runs.fmi import exportable_units, fmu_server


class PanheadUnitThree(Fmi3Slave):  # type: ignore[misc]
    """A side of a co-simulation behind FMI 3.0."""

    def __init__(self, **kwargs: Any) -> None:  # what the binary gives is its own affair
        super().__init__(**kwargs)
        self.served = s = fmu_server.ServedUnit(self.resources)
        self.modelName = exportable_units.identifier(s.unit.name)
        self.description, self.guid = s.about, s.token
        self.register_units([Unit(name, **powers) for name, powers in fmu_server.BASE.items()])
        time = fmu_server.ServedValue("time", "s", "", lambda: s.time, None)
        self._add(time, Fmi3Causality.independent)
        for each in fmu_server.entries(s):
            self._add(each, Fmi3Causality.output if each.set is None else Fmi3Causality.input)

    def _add(self, entry: fmu_server.ServedValue, causality: Fmi3Causality) -> None:
        variable = Float64(
            entry.name,
            causality=causality,
            variability=Fmi3Variability.continuous,
            description=entry.about or None,
            unit=entry.unit or None,
            getter=entry.get,
            setter=entry.set,
        )
        self.register_variable(variable, nested=False)

    def to_xml(self, model_options: Any = None) -> Element:
        root: Element = super().to_xml(model_options or {})
        root.set("modelName", self.served.unit.name)
        return root

    def exit_initialization_mode(self) -> None:
        self.served.begin()

    def do_step(self, current_time: float, step_size: float) -> Fmi3StepResult:
        try:
            self.served.step(current_time, step_size)
        except PanheadError as error:
            self.log(str(error), Fmi3Status.error)
            return Fmi3StepResult(status=Fmi3Status.error)
        return Fmi3StepResult()

    def _get_fmu_state(self) -> Any:
        return self.served.copy_state()

    def _set_fmu_state(self, state: Any) -> None:
        self.served.restore_copy(state)

    _fmu_state_to_bytes = staticmethod(fmu_server.to_bytes)
    _fmu_state_from_bytes = staticmethod(fmu_server.from_bytes)
